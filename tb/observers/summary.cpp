#include "observers/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "golden/op_traits.hpp"

namespace gsu {

namespace {

std::string nameOf(const BarrierStatistics& b)
{
    switch (b.kind) {
        case BarrierKind::Named: return fmt::format("barrier {}", b.id);
        case BarrierKind::Cluster: return "cluster barrier";
        case BarrierKind::WarpSync: return fmt::format("lanes {:#010x}", b.id);
        case BarrierKind::Mbarrier: return fmt::format("mbarrier +{:#x}", b.id);
        case BarrierKind::Other: return "other";
    }
    return "?";
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

/// The first instruction of a line of PTX: without the braces and declarations that inline assembly puts before it.
std::string_view instructionOf(std::string_view line)
{
    for (;;) {
        const auto start = line.find_first_not_of("{ \t");
        if (start == std::string_view::npos) return line;
        const auto rest = line.substr(start);
        const auto end = rest.find(';');
        if (!rest.starts_with(".reg") || end == std::string_view::npos) return rest;
        if (rest.find_first_not_of("; \t", end) == std::string_view::npos)
            return rest;  // only a declaration
        line = rest.substr(end + 1);
    }
}

}  // namespace

std::string barrierTable(const Statistics& statistics, SummaryStyle style)
{
    auto barriers = statistics.barriers();
    std::erase_if(barriers, [](const BarrierStatistics& b) {  // mbarriers have a separate table
        return b.kind == BarrierKind::Mbarrier || (b.requests == 0 && b.generations == 0);
    });
    if (barriers.empty()) return {};
    std::stable_sort(barriers.begin(), barriers.end(),
                     [](const auto& a, const auto& b) { return a.stall > b.stall; });
    TextTable table({{"barrier", 18, true},
                     {"complete", 9},
                     {"requests", 10},
                     {"blocked", 12},
                     {"never", 7},
                     {"longest (sm/cta/warp @cycle)", 30, true, 2},
                     {"last arriver", 0, true}},
                    style);
    for (const BarrierStatistics& b : barriers) {
        table.row(b.never != 0 ? Paint::Alarm : Paint::None, nameOf(b), b.generations, b.requests,
                  b.stall, b.never, longestOf(b), lastOf(b));
    }
    return table.text();
}

std::string lineTable(const Statistics& statistics, SummaryStyle style,
                      const std::vector<std::string>& lineText)
{
    const auto lines = statistics.lines();
    if (lines.empty()) return {};
    TextTable table({{"line", 6},
                     {"requests", 10},
                     {"blocked", 12},
                     {"never", 7},
                     {"longest (sm/cta/warp @cycle)", 30, true, 2},
                     {"PTX", 0, true}},
                    style);
    for (const LineStatistics& l : lines) {
        const bool known = l.line != 0 && l.line <= lineText.size();
        table.row(l.never != 0 ? Paint::Alarm : Paint::None, l.line, l.requests, l.stall, l.never,
                  longestOf(l),
                  known ? instructionOf(lineText[l.line - 1]) : traitsOf(l.op).spelling);
    }
    return table.text();
}

}  // namespace gsu
