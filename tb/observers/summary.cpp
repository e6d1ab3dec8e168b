#include "observers/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace gsu {

namespace {

constexpr std::size_t kColumns = 100;

std::string nameOf(const BarrierStatistics& b)
{
    switch (b.kind) {
        case BarrierKind::Named: return fmt::format("barrier {}", b.id);
        case BarrierKind::Cluster: return "cluster barrier";
        case BarrierKind::WarpSync: return fmt::format("warp {:#010x}", b.id);
        case BarrierKind::Mbarrier: return fmt::format("mbarrier +{:#x}", b.id);
        case BarrierKind::Other: return "other";
    }
    return "?";
}

std::string heading(const std::string& text, SummaryStyle style)
{
    return style.colour ? "\x1b[1m" + text + "\x1b[0m\n" : text + '\n';
}

std::string longestOf(const WaitStatistics& s)
{
    if (s.longest == 0) return "-";
    return fmt::format("{} ({}/{}/{} @{})", s.longest, s.longestAt.sm, s.longestAt.cta,
                       s.longestAt.warp, s.longestFrom);
}

std::string lastOf(const BarrierStatistics& b)
{
    unsigned warp = 0;
    std::uint64_t times = 0;
    if (b.lastArriver(warp, times) && times >= b.lastByExit)
        return fmt::format("warp {} ({}x)", warp, times);
    return b.lastByExit != 0 ? fmt::format("exit ({}x)", b.lastByExit) : "-";
}

void row(std::string& out, std::string line, bool alarm, SummaryStyle style)
{
    if (line.size() > kColumns) line.resize(kColumns);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += alarm && style.colour ? "\x1b[31m" + line + "\x1b[0m\n" : line + '\n';
}

void more(std::string& out, std::size_t total, SummaryStyle style)
{
    if (total > style.rows) out += fmt::format("  ... and {} more\n", total - style.rows);
}

}  // namespace

std::string barrierTable(const Statistics& statistics, SummaryStyle style)
{
    auto barriers = statistics.barriers();
    std::erase_if(barriers, [](const BarrierStatistics& b) {  // mbarriers have a table of their own
        return b.kind == BarrierKind::Mbarrier || (b.requests == 0 && b.generations == 0);
    });
    if (barriers.empty()) return {};
    std::stable_sort(barriers.begin(), barriers.end(),
                     [](const auto& a, const auto& b) { return a.stall > b.stall; });
    std::string out = heading(fmt::format("{:<18}{:>9}{:>10}{:>12}{:>7}  {:<30}{}", "barrier",
                                          "complete", "requests", "blocked", "never",
                                          "longest (sm/cta/warp @cycle)", "last arriver"),
                              style);
    for (std::size_t i = 0; i < std::min(barriers.size(), style.rows); ++i) {
        const BarrierStatistics& b = barriers[i];
        row(out,
            fmt::format("{:<18}{:>9}{:>10}{:>12}{:>7}  {:<30}{}", nameOf(b), b.generations,
                        b.requests, b.stall, b.never, longestOf(b), lastOf(b)),
            b.never != 0, style);
    }
    more(out, barriers.size(), style);
    return out;
}

std::string lineTable(const Statistics& statistics, SummaryStyle style,
                      const std::vector<std::string>& lineText)
{
    const auto lines = statistics.lines();
    if (lines.empty()) return {};
    std::string out =
        heading(fmt::format("{:>6}{:>10}{:>12}{:>7}  {:<30}{}", "line", "requests", "blocked",
                            "never", "longest (sm/cta/warp @cycle)", "PTX"),
                style);
    for (std::size_t i = 0; i < std::min(lines.size(), style.rows); ++i) {
        const LineStatistics& l = lines[i];
        const std::string text =
            l.line != 0 && l.line <= lineText.size() ? lineText[l.line - 1] : gsu::nameOf(l.op);
        row(out,
            fmt::format("{:>6}{:>10}{:>12}{:>7}  {:<30}{}", l.line, l.requests, l.stall, l.never,
                        longestOf(l), text),
            l.never != 0, style);
    }
    more(out, lines.size(), style);
    return out;
}

}  // namespace gsu
