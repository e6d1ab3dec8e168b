// The tracks of grids (griddepcontrol) in a timeline: from the start to the end of each grid, the CTAs that signal, the cycle from which
// dependents may start, and how long warps were parked for earlier grids.
#include <fmt/format.h>

#include <algorithm>

#include "observers/timeline.hpp"
#include "observers/timeline_text.hpp"

namespace gsu {
namespace {

/// The track of waits for grids before the one in a slot.
constexpr unsigned kWaits = kMaxGrids;

/// "1, 3": text of a set of slots.
std::string slotsText(std::uint32_t slots)
{
    std::string text;
    for (unsigned slot = 0; slot < kMaxGrids; ++slot) {
        if ((slots >> slot & 1) != 0) text += fmt::format("{}{}", text.empty() ? "" : ", ", slot);
    }
    return text;
}

std::uint32_t quietOf(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

}  // namespace

void Timeline::onGridStart(Cycle now, const GridStart& start)
{
    Grid& g = grids_[start.grid];
    if (start.ended) return;
    if (start.fewer) {
        file_.instant({gridPid_, start.grid}, now, "grid", "fewer CTAs",
                      {{"ctas", std::int64_t{start.ctas}}});
        return;
    }
    if (gridsSoFar_++ == 0) file_.process(gridPid_, "grids");
    trackOnce(gridPid_, start.grid, fmt::format("grid slot {}", start.grid));
    g = {};
    g.used = true;
    g.from = now;
    g.ctas = start.ctas;
    g.number = gridsSoFar_ - 1;
}

/// Draws a CTA's signal, or what a grid waits for.
void Timeline::gridCommit(const Commit& commit)
{
    Grid& g = grids_[commit.object & (kMaxGrids - 1)];
    if (commit.op == Op::EvGridOpen) g.behind = commit.lanes;
    g.left = static_cast<std::uint32_t>(commit.newWord);
    if (commit.op != Op::EvGridSignal || !g.used) return;
    file_.instant({gridPid_, commit.object}, commit.cycle, "grid", "launch_dependents",
                  {{"sm", commit.srcSm},
                   {"cta slot", commit.at.cta},
                   {"not signalled", std::int64_t{quietOf(commit.newWord)}}});
}

void Timeline::onGrid(const GridEvent& event)
{
    if (!grids_[event.grid].used) return;
    if (event.complete)
        closeGrid(event.grid, event.cycle, true);
    else
        file_.instant({gridPid_, event.grid}, event.cycle, "grid", "dependents may start", {});
}

/// Draws the time for which griddepcontrol.wait parked lanes of a warp.
void Timeline::parkedForGrid(unsigned slot, Cycle from, Cycle to)
{
    Grid& g = grids_[slot];
    if (!g.used) return;
    g.parkedFrom = g.parked == 0 ? from : std::min(g.parkedFrom, from);
    g.parkedTo = std::max(g.parkedTo, to);
    ++g.parked;
}

void Timeline::closeGrid(unsigned slot, Cycle now, bool complete)
{
    Grid& g = grids_[slot];
    if (!g.used) return;
    g.used = false;
    const std::string name = g.ctas == 0 ? fmt::format("grid {}, elsewhere", g.number)
                                         : fmt::format("grid {}", g.number);
    file_.slice({gridPid_, slot}, g.from, now, name,
                {{"ctas", std::int64_t{g.ctas}},
                 {"behind slots", slotsText(g.behind)},
                 {"end", complete      ? "complete"
                         : g.left == 0 ? "all CTAs have ended"
                                       : "run over"}});
    if (g.parked == 0) return;
    trackOnce(gridPid_, kWaits + slot, fmt::format("waits of grid slot {}", slot));
    file_.slice({gridPid_, kWaits + slot}, g.parkedFrom, g.parkedTo,
                "parked at griddepcontrol.wait", {{"waits", std::int64_t{g.parked}}});
}

void Timeline::closeGrids(Cycle now)
{
    for (unsigned slot = 0; slot < kMaxGrids; ++slot) closeGrid(slot, now, false);
}

}  // namespace gsu
