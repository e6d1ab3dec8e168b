#include "cli/replay_findings.hpp"

#include <fmt/format.h>

#include "trace/instruction_text.hpp"

namespace gsu::cli {

namespace {

constexpr std::size_t kShownFindings = 16;
constexpr std::size_t kMostFindings = 10'000;

}  // namespace

void ReplayFindings::take(const MbarNote& note)
{
    if (note.kind != MbarNote::Kind::StaleState && findingOf(note.kind))
        ++notes_[{note.kind, note.sm, note.address}];
}

void ReplayFindings::onRequest(Cycle, const SyncRequest& r)
{
    lines_[r.at.sm][r.tag % 4096] = r.source;
}

void ReplayFindings::onCommit(const Commit& c)
{
    if (c.errs == 0) return;
    const std::uint32_t line = c.src == Src::Local ? lines_[c.at.sm][c.tag % 4096] : 0;
    for (const FindingRule& rule : findingsOf(c)) {
        if (*rule.rule == '\0' || found_.size() >= kMostFindings) continue;
        Found& f = found_[{rule.rule, c.at.sm, c.at.cta, c.at.warp, line}];
        if (f.count++ == 0) f = {rule, c, 1};
    }
}

std::string ReplayFindings::textOf(MbarNote::Kind kind)
{
    std::string message = findingOf(kind)->message;
    if (kind == MbarNote::Kind::Unwaited)
        message += "; the trace lacks a wait, or its waits came too early";
    return message;
}

nlohmann::ordered_json ReplayFindings::json() const
{
    auto all = nlohmann::ordered_json::array();
    for (const auto& [key, count] : notes_) {
        const auto [kind, sm, address] = key;
        all.push_back({{"rule", findingOf(kind)->rule},
                       {"message", textOf(kind)},
                       {"sm", sm},
                       {"address", address},
                       {"count", count}});
    }
    return all;
}

nlohmann::ordered_json ReplayFindings::findingsJson() const
{
    auto all = nlohmann::ordered_json::array();
    for (const auto& [key, f] : found_) {
        const Commit& c = f.first;
        all.push_back({{"rule", f.rule.rule},
                       {"severity", f.rule.severity == Severity::Error ? "error" : "warning"},
                       {"message", f.rule.message},
                       {"operation", trace::spellingOf(c.op)},
                       {"sm", c.at.sm},
                       {"cta", c.at.cta},
                       {"warp", c.at.warp},
                       {"lanes", fmt::format("{:#010x}", c.lanes)},
                       {"line", std::get<4>(key)},
                       {"cycle", c.cycle},
                       {"count", f.count}});
    }
    return all;
}

std::string ReplayFindings::text() const
{
    std::string all;
    std::size_t shown = 0;
    for (const auto& [key, f] : found_) {
        if (++shown > kShownFindings) break;
        const Commit& c = f.first;
        all += fmt::format(
            "{}: {} (SM {} CTA {} warp {} lanes {:#010x}, PTX line {}, cycle {}{})\n", f.rule.rule,
            f.rule.message, c.at.sm, c.at.cta, c.at.warp, c.lanes, std::get<4>(key), c.cycle,
            f.count == 1 ? std::string() : fmt::format(", {} times", f.count));
    }
    if (found_.size() > kShownFindings)
        all += fmt::format("  ... and {} more\n", found_.size() - kShownFindings);
    for (const auto& [key, count] : notes_) {
        const auto [kind, sm, address] = key;
        all += fmt::format("{}: SM {} mbarrier at {:#x}, {} times: {}\n", findingOf(kind)->rule, sm,
                           address, count, textOf(kind));
    }
    return all;
}

}  // namespace gsu::cli
