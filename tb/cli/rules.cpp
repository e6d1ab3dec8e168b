// gsu rules, and the part of gsu help that explains one rule.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/atomic_file.hpp"
#include "base/counted.hpp"
#include "base/input_error.hpp"
#include "base/output_path.hpp"
#include "cli/commands.hpp"
#include "rules/catalogue.hpp"
#include "rules/examples.hpp"

namespace gsu::cli {
namespace {

using gsu::rules::Example;
using gsu::rules::Rule;

bool wanted(const Rule& rule, const std::string& kind)
{
    if (kind == "all") return true;
    // "ub" lists undefined behaviour and every other thing that a run reports.
    return rule.kind == kind || (kind == "ub" && !rule.by.empty() && rule.by != "check");
}

/// "UB-05, UB-58"
std::string misuseOf(const Rule& rule)
{
    std::string text;
    std::istringstream rows{std::string(rule.misuse)};
    for (unsigned row = 0; rows >> row;)
        text += fmt::format("{}UB-{:02}", text.empty() ? "" : ", ", row);
    return text;
}

/// "    -  bad line": the lines that one kernel alone has, with the lines around them.
std::string differenceOf(const Example& e)
{
    std::string text;
    for (const Example::Line& line : e.lines)
        text += fmt::format("    {} {}{}\n", line.when, line.text,
                            line.reported && line.when != '+' ? "  // " + e.rule : "");
    return text;
}

std::string exampleText(const Example& e)
{
    std::string text =
        fmt::format("\nexample: {} ({}{}{}{})\n", e.title, counted(e.block, "thread"),
                    e.cluster == 1 ? "" : fmt::format(", cluster of {}", e.cluster),
                    e.race ? ", --check race" : "", e.set.empty() ? "" : ", --set " + e.set);
    text += "  wrong, the line that is reported marked:\n";
    const auto add = [&](bool good) {
        const std::string kernel = gsu::rules::kernelOf(e, good);
        std::size_t from = kernel.find("{\n") + 2;
        for (std::size_t end = 0; (end = kernel.find('\n', from)) != std::string::npos;
             from = end + 1)
            if (kernel[from] != '}') text += "  " + kernel.substr(from, end + 1 - from);
    };
    add(false);
    text += "  right; - and + are what differs:\n" + differenceOf(e);
    return text;
}

void write(const std::filesystem::path& path, const std::string& text)
{
    AtomicFile file(path.string());
    file.write(text);
    file.commit();
}

void writeExamples(const std::string& folder)
{
    makeOutputFolder("--examples", folder);
    for (const Example& e : gsu::rules::examples()) {
        for (const bool good : {false, true}) {
            const std::string name = e.name + (good ? ".good" : ".bad");
            write(std::filesystem::path(folder) / (name + ".ptx"), gsu::rules::kernelOf(e, good));
            write(std::filesystem::path(folder) / (name + ".launch.json"),
                  gsu::rules::launchOf(e, good, name + ".ptx"));
        }
    }
}

nlohmann::ordered_json jsonOf(const Rule& rule)
{
    auto examples = nlohmann::ordered_json::array();
    for (const Example& e : gsu::rules::examples()) {
        if (e.rule != rule.id) continue;
        examples.push_back({{"name", e.name},
                            {"title", e.title},
                            {"reported_as", e.as},
                            {"lines", gsu::rules::reportedLines(e)},
                            {"check", e.race ? "race" : ""},
                            {"set", e.set},
                            {"hang", e.hang},
                            {"remark", e.remark}});
    }
    return {{"rule", rule.id},         {"kind", rule.kind},      {"found", foundWhen(rule)},
            {"by", rule.by},           {"reported_as", rule.as}, {"misuse", misuseOf(rule)},
            {"wants", rule.statement}, {"mend", rule.fix},       {"examples", examples}};
}

}  // namespace

std::string ruleHelp(const std::string& id)
{
    const Rule* rule = gsu::rules::find(id);
    if (rule == nullptr) return {};
    std::string text = fmt::format("{} ({})\n  rule: {}\n", rule->id, rule->kind, rule->statement);
    const std::string when = foundWhen(*rule);
    text +=
        fmt::format("  found: {}\n", when.empty() ? "never; this rule says how GSU behaves" : when);
    if (!rule->as.empty()) text += fmt::format("  reported as: {}\n", rule->as);
    if (!rule->fix.empty()) text += fmt::format("  fix: {}\n", rule->fix);
    for (const Example& e : gsu::rules::examples())
        if (e.rule == rule->id) text += exampleText(e);
    return text + '\n';
}

int rules(const RulesOptions& options)
{
    if (!options.folder.empty()) {
        writeExamples(options.folder);
        return kAsExpected;
    }
    auto list = nlohmann::ordered_json::array();
    std::string text = fmt::format("{:17}{:17}{:34}{}\n", "rule", "kind", "found", "what it says");
    for (const Rule& rule : gsu::rules::all()) {
        if (!wanted(rule, options.kind)) continue;
        list.push_back(jsonOf(rule));
        text +=
            fmt::format("{:17}{:17}{:34}{}\n", rule.id, rule.kind, foundWhen(rule), rule.statement);
    }
    if (list.empty())
        throw InputError("--kind", "there are no rules of kind '" + options.kind + "'");
    print(options.json ? nlohmann::ordered_json{{"rules", list}}.dump() + '\n' : text);
    return kAsExpected;
}

}  // namespace gsu::cli
