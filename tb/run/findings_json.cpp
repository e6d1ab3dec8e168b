#include "run/findings_json.hpp"

#include <fmt/format.h>

#include "rules/catalogue.hpp"

namespace gsu::run {
namespace {

using Json = nlohmann::ordered_json;

/// Adds the facts about a race to a finding.
void addRace(Json& to, const RaceFacts& race, const ptx::Module& module)
{
    Json lines = Json::array(), agents = Json::array();
    for (const std::uint32_t line : race.lines) lines.push_back(module.placeOf(line).second);
    for (const RaceFacts::Agent& a : race.agents)
        agents.push_back(
            {{"cta", a.cta}, {"warp", a.warp}, {"lanes", fmt::format("{:#010x}", a.lanes)}});
    to["lines"] = lines;
    to["space"] = race.space;
    to["address"] = race.address;
    to["size"] = race.size;
    if (race.missing.size() == 1)
        to["missing"] = race.missing.front();
    else
        to["missing"] = race.missing;
    to["scope"] = race.scope;
    to["agents"] = agents;
    if (race.memory.empty()) return;
    constexpr std::string_view kParameter = "parameter ";
    if (race.memory.starts_with(kParameter))
        to["param"] = std::stoul(race.memory.substr(kParameter.size()));
    else
        to["memory"] = race.memory;
    to["offset"] = race.offset;
}

void addSource(Json& to, const ptx::Module& module, std::uint32_t line)
{
    const auto [file, number] = sourceOf(module, line);
    if (number != 0) to["source"] = {{"file", file}, {"line", number}};
}

/// Adds the text of the rule, and how to fix a kernel that violates it.
void addRule(Json& to, const std::string& id)
{
    const rules::Rule* rule = rules::find(id);
    if (rule == nullptr) return;
    if (!rule->statement.empty()) to["wants"] = rule->statement;
    if (!rule->fix.empty()) to["mend"] = rule->fix;
}

}  // namespace

std::pair<std::string, std::uint32_t> sourceOf(const ptx::Module& module, std::uint32_t line)
{
    if (line == 0) return {};
    for (const ptx::Function& f : module.functions) {
        for (const ptx::Instruction& in : f.body) {
            if (in.at.line != line || in.sourceLine == 0) continue;
            const bool named = in.sourceFile < module.files.size();
            return {named ? module.files[in.sourceFile] : "", in.sourceLine};
        }
    }
    return {};
}

Json findingsJson(const RunResult& result, const ptx::Module& module)
{
    Json found = Json::array();
    for (const Finding& f : result.findings) {
        const auto [file, line] = module.placeOf(f.line);
        Json one{{"rule", f.rule},
                 {"severity", f.severity == Severity::Error ? "error" : "warning"},
                 {"message", f.message},
                 {"cta", f.cta},
                 {"warp", f.warp},
                 {"lanes", fmt::format("{:#010x}", f.lanes)},
                 {"file", file},
                 {"line", line},
                 {"cycle", f.cycle},
                 {"count", f.count}};
        if (f.race) addRace(one, *f.race, module);
        addSource(one, module, f.line);
        addRule(one, f.rule);
        found.push_back(std::move(one));
    }
    return found;
}

}  // namespace gsu::run
