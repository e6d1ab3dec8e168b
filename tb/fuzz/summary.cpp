#include "fuzz/summary.hpp"

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "fuzz/pattern.hpp"

namespace gsu::fuzz {
namespace {

/// Classes of parameter values: "0", "1-9", "10-99", ...
std::string classOf(std::uint32_t value)
{
    if (value == 0) return "0";
    std::uint64_t low = 1;
    while (low * 10 <= value) low *= 10;
    return fmt::format("{}-{}", low, low * 10 - 1);
}

}  // namespace

void Summary::program(const ProgramPlan& plan, const Built& built)
{
    ++counts_["programs"];
    counts_["rounds"] += plan.rounds();
    ++counts_[fmt::format("shape {} CTA a cluster", plan.shape.clusterSize)];
    ++counts_[fmt::format("shape {} warps a CTA{}", plan.shape.warps(),
                          plan.shape.threads % 32 != 0 ? ", partial" : "")];
    if (plan.sm80) ++counts_["shape sm_80"];
    if (built.cooperative) ++counts_["shape cooperative"];
    for (const SegmentPlan& segment : plan.segments) {
        ++counts_[fmt::format("shape segments of {} strands", segment.strands.size())];
        if (segment.exits) ++counts_["shape early exits"];
    }
    for (const auto& [form, n] : built.forms) counts_["form " + form] += n;
    for (const auto& [pattern, n] : built.patterns) counts_["pattern " + pattern] += n;
}

void Summary::run(const Case& what, const Outcome& outcome)
{
    ++counts_["runs"];
    ++counts_["unit " + what.conditions.unit];
    ++counts_["preset " + what.conditions.preset];
    if (what.conditions.replay) ++counts_["replayed"];
    for (const auto& [key, value] : what.conditions.sets)
        ++counts_[fmt::format("set {} {}", key, classOf(value))];
    counts_["cycles"] += outcome.cycles;
    counts_["requests"] += outcome.requests;
    if (!outcome.kind.empty()) ++counts_["failed " + outcome.kind];
}

std::uint64_t Summary::count(const std::string& key) const
{
    const auto found = counts_.find(key);
    return found == counts_.end() ? 0 : found->second;
}

std::string Summary::text() const
{
    std::string out = fmt::format(
        "{}, {} ({} replayed), {}, {}, {}\n", counted(count("programs"), "program"),
        counted(count("runs"), "run"), count("replayed"), counted(count("rounds"), "round"),
        counted(count("cycles"), "cycle"), counted(count("requests"), "sync request"));
    const auto group = [&](const std::string& title, const std::string& prefix) {
        std::string line;
        for (auto it = counts_.lower_bound(prefix);
             it != counts_.end() && it->first.starts_with(prefix); ++it)
            line += fmt::format("  {} {}\n", it->second, it->first.substr(prefix.size()));
        if (!line.empty()) out += title + ":\n" + line;
    };
    group("units", "unit ");
    group("presets", "preset ");
    group("shapes", "shape ");
    out += "patterns:\n";
    for (const Pattern& p : patterns())
        out += fmt::format("  {} {}\n", count(std::string("pattern ") + p.name), p.name);
    group("instruction forms in the programs", "form ");
    group("parameters set, by value", "set ");
    group("FAILED", "failed ");
    return out;
}

std::string Summary::save() const
{
    std::string out;
    for (const auto& [key, n] : counts_) out += fmt::format("{} {}\n", n, key);
    return out;
}

bool Summary::loadLine(const std::string& line)
{
    const LeadingNumber n = leadingNumber(line);
    if (n.used == 0 || n.large || n.used == line.size() || line[n.used] != ' ') return false;
    counts_[line.substr(n.used + 1)] = n.value;
    return true;
}

}  // namespace gsu::fuzz
