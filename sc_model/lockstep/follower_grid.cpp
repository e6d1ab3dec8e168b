// griddepcontrol: each CTA signals once and ends once, reports reach the grid table once and in order, a wait returns after the last of its
// prerequisites is complete and not before (GDC-002..GDC-006, GDC-008).
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "lockstep/describe.hpp"
#include "lockstep/follower.hpp"

namespace gsu {

using lockstep::describe;
using lockstep::hex;
using lockstep::Problem;
using lockstep::TimeLimit;
using lockstep::Verdict;

namespace {

std::string textOf(const GridTable::Grid& grid)
{
    if (!grid.used) return "slot free";
    return fmt::format("{} CTAs have not signalled, {} not ended, prerequisites in flight {:#x}{}",
                       grid.quiet, grid.left, grid.waits, grid.over ? ", complete" : "");
}

}  // namespace

void Follower::onGridStart(Cycle now, const GridStart& start)
{
    if (fault_) return;
    if (start.grid == 0 || start.grid >= kMaxGrids)
        return protocol(now, fmt::format("grid slot {}", start.grid));
    GivenGrid& given = gridGiven_[start.grid];
    const auto refused = [&](const char* why) {
        protocol(now, fmt::format("grid {} {}", start.grid, why));
    };
    if (start.fewer) {
        if (given.launches < start.ctas) return refused("has not so many CTAs to be launched");
        given.launches -= start.ctas;
    } else if (!start.ended) {
        if (given.used || (start.prereqs >> start.grid & 1) != 0)
            return refused("starts in a slot in use, or is its own prerequisite");
        given = {true, start.ctas, start.ctas == 0};
    } else {
        if (!given.used || !given.elsewhere)
            return refused("ends elsewhere, but is not one in flight there");
        given.elsewhere = false;
    }
    gridInputs_.push({start, now});
    ++debts_;
}

/// A launch names a grid that has started and lacks CTAs.
bool Follower::mayLaunch(const Launch& launch)
{
    if (launch.grid == 0) return true;
    if (launch.grid >= kMaxGrids || gridGiven_[launch.grid].launches == 0) return false;
    --gridGiven_[launch.grid].launches;
    return true;
}

bool Follower::commitGrid(const Commit& c)
{
    if (c.op == Op::GdcWait) return commitGridWait(c);
    if (c.op != Op::GdcLaunchDependents)
        return fail(c.cycle, "grid control commits no such event", describe(c), "", "");
    Lanes liveSeen = 0;
    const auto group = take(c, Unit::Grid, liveSeen);
    if (!group) return false;
    const std::uint8_t grid = unit_.cta(c.at).launch.grid;
    Cta& slot = cta(c.at);
    const std::uint64_t before = slot.signalled;
    if (c.object != grid) return differ(c, "object", grid, describe(*group), "");
    if (c.refused || c.errs != 0) return differ(c, "refused", 0, describe(*group), "");
    if (c.oldWord != before) return differ(c, "oldWord", before, describe(*group), "");
    if (c.newWord != (grid != 0)) return differ(c, "newWord", grid != 0, describe(*group), "");
    if (c.flip != (c.oldWord != c.newWord))
        return differ(c, "flip", c.oldWord != c.newWord, describe(*group), "");
    expect(*group, group->lanes, c, false);
    if (grid == 0 || slot.signalled) return true;
    slot.signalled = true;
    gridOwed_.push_back({c.at.sm, c.at.cta, grid, true, false, c.cycle});
    return true;
}

bool Follower::commitGridWait(const Commit& c)
{
    Warp& w = warp(c.at);
    const std::uint8_t grid = unit_.cta(c.at).launch.grid;
    const auto before = [&] {
        return fmt::format("grid {}: {}; waiting lanes {:#x}", grid, textOf(grids_.at(grid)),
                           w.gridWaits);
    };
    bool whole = c.lanes != 0 && (c.lanes & ~w.gridWaits) == 0, tagged = false;
    for (Lanes rest = w.gridWaits; whole && rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        const bool in = (c.lanes >> lane & 1) != 0;
        tagged = tagged || (in && w.tag[lane] == c.tag);
        for (Lanes other = in ? w.gridWaits & ~c.lanes : 0; other != 0; other &= other - 1)
            if (w.tag[static_cast<unsigned>(std::countr_zero(other))] == w.tag[lane]) whole = false;
    }
    if (!whole || !tagged)
        return fail(c.cycle, "griddepcontrol.wait of lanes that do not wait, or of a part of them",
                    describe(c), "", before());
    if (c.object != grid) return differ(c, "object", grid, "wait of " + describe(c.at), before());
    if (c.refused || c.errs != 0 || (c.cause != Cause::AlreadyTrue && c.cause != Cause::Flip))
        return fail(c.cycle, "griddepcontrol.wait cannot fail", describe(c), "", before());
    if (!grids_.ready(grid))
        return fail(c.cycle,
                    "griddepcontrol.wait goes on before its prerequisites are complete (GDC-005)",
                    describe(c), "", before());
    w.gridWaits &= ~c.lanes;
    gridWaiting_ -= static_cast<unsigned>(std::popcount(c.lanes));
    Expected e;
    e.lanes = c.lanes;
    e.tag = c.tag;
    e.cause = c.cause;
    e.only = true;
    e.since = c.cycle;
    w.expected.add(e);
    ++debts_;
    return true;
}

/// The end of a CTA counts as its signal, if it has given none.
void Follower::gridCtaEnds(const WarpRef& at, Cycle now)
{
    const std::uint8_t grid = unit_.cta(at).launch.grid;
    if (grid == 0) return;
    const auto owed = std::find_if(gridOwed_.begin(), gridOwed_.end(), [&](const GridOwed& o) {
        return o.sm == at.sm && o.cta == at.cta && !o.ends;
    });
    if (owed != gridOwed_.end())
        owed->ends = true;
    else
        gridOwed_.push_back({at.sm, at.cta, grid, !cta(at).signalled, true, now});
}

void Follower::gridIsOver(unsigned index, Cycle now)
{
    gridNews_[index].complete = true;
    gridNews_[index].since = now;
    gridReady_.fill(now);  // of those that it was the last one of; others are not waited for
}

/// Takes a message of the driver, in the order in which they were given.
bool Follower::commitGridInput(const Commit& c)
{
    const auto fails = [&](const char* what) {
        return fail(c.cycle, what, describe(c), "", textOf(grids_.at(c.object % kMaxGrids)));
    };
    if (gridInputs_.empty() || gridInputs_.front().start.grid != c.object ||
        (gridInputs_.front().start.ended || gridInputs_.front().start.fewer) !=
            (c.op == Op::EvGridEnd))
        return fails("the grid table takes a message that was not given, or out of order");
    const GridStart start = gridInputs_.front().start;
    gridInputs_.pop();
    --debts_;
    if (start.fewer) return commitGridFewer(c, start);
    if (start.ended) {
        grids_.endElsewhere(start.grid);
        gridIsOver(start.grid, c.cycle);
        return c.flip && c.oldWord == 0 && c.newWord == 0
                   ? true
                   : fails("end of a grid elsewhere differs");
    }
    grids_.open(start);
    const GridTable::Grid& grid = grids_.at(start.grid);
    if (c.lanes != grid.waits)
        return differ(c, "lanes", grid.waits, "start of a grid", textOf(grid));
    if (c.newWord != grid.word())
        return differ(c, "newWord", grid.word(), "start of a grid", textOf(grid));
    return c.flip || c.oldWord != 0 ? fails("start of a grid differs") : true;
}

bool Follower::commitGridFewer(const Commit& c, const GridStart& start)
{
    const GridTable::Grid before = grids_.at(start.grid);
    if (c.oldWord != before.word() || !grids_.lessen(start.grid, start.ctas))
        return differ(c, "oldWord", before.word(), "fewer CTAs of a grid", textOf(before));
    const GridTable::Grid& grid = grids_.at(start.grid);
    if (c.newWord != grid.word() || c.flip != (grid.quiet == 0))
        return differ(c, "newWord", grid.word(), "fewer CTAs of a grid", textOf(before));
    gridNews_[start.grid].since = c.cycle;
    if (c.flip) gridNews_[start.grid].signalled = true;
    if (grid.over) gridIsOver(start.grid, c.cycle);
    return true;
}

/// Takes a report of a CTA: its signal, its end, or both at once; each once.
bool Follower::commitGridReport(const Commit& c)
{
    const auto index = static_cast<unsigned>(c.object % kMaxGrids);
    const GridTable::Grid before = grids_.at(index);
    const auto owed = std::find_if(gridOwed_.begin(), gridOwed_.end(), [&](const GridOwed& o) {
        return o.sm == c.srcSm && o.cta == c.at.cta;
    });
    const auto who = [&] { return fmt::format("sm {} cta {}: ", c.srcSm, c.at.cta); };
    const auto fails = [&](const char* what) {
        return fail(c.cycle, what, who() + describe(c), "", textOf(before));
    };
    const auto off = [&](const char* field, std::uint64_t golden) {
        return differ(c, field, golden, "report of " + who(), textOf(before));
    };
    const bool signals = c.oldWord >> 32 != c.newWord >> 32, ends = c.op == Op::EvGridEnd;
    if (owed == gridOwed_.end() || owed->grid != c.object || (ends && !owed->ends) ||
        (signals && !owed->signals))
        return fails("a CTA counts twice at the grid table, or has not told it");
    if ((ends && owed->signals && !signals) || (!signals && !ends))
        return fails("the signal of a CTA is not counted (GDC-002)");
    if (c.oldWord != before.word()) return off("oldWord", before.word());
    if (!grids_.count(index, signals, ends)) return fails("more reports than the grid has CTAs");
    const GridTable::Grid& grid = grids_.at(index);
    if (c.newWord != grid.word()) return off("newWord", grid.word());
    owed->signals = owed->signals && !signals;
    if (ends || (!owed->signals && !owed->ends)) gridOwed_.erase(owed);
    const bool all = signals && grid.quiet == 0;
    if (c.flip != (all || grid.over)) return off("flip", all || grid.over);
    if (all) gridNews_[index].signalled = true;
    gridNews_[index].since = c.cycle;
    if (grid.over) gridIsOver(index, c.cycle);
    return true;
}

void Follower::onGrid(const GridEvent& event)
{
    if (fault_) return;
    GridNews& news = gridNews_[event.grid % kMaxGrids];
    bool& due = event.complete ? news.complete : news.signalled;
    if (!due) {
        fail(event.cycle,
             event.complete
                 ? "a grid is reported complete before its last CTA has ended, or twice"
                 : "a grid is reported signalled before its last CTA is, or twice (GDC-002)",
             fmt::format("grid {}", event.grid), "", textOf(grids_.at(event.grid % kMaxGrids)));
        return;
    }
    due = false;
    if (!event.complete) return;
    if (news.signalled) {
        fail(event.cycle, "a grid is reported complete, and was not reported signalled",
             fmt::format("grid {}", event.grid), "", textOf(grids_.at(event.grid % kMaxGrids)));
        return;
    }
    grids_.free(event.grid);
    gridGiven_[event.grid] = {};
}

Verdict Follower::overdueOfGrids(const TimeLimit& limit) const
{
    if (!gridInputs_.empty() && limit.passed(gridInputs_.front().since))
        return Problem{"the grid table has not taken a message of the driver",
                       fmt::format("grid {}", gridInputs_.front().start.grid), ""};
    for (const GridOwed& owed : gridOwed_)
        if (limit.passed(owed.since))
            return Problem{"report to the grid table missing (GDC-002)",
                           fmt::format("sm {} cta {}{}{}", owed.sm, owed.cta,
                                       owed.signals ? " signals" : "", owed.ends ? " ends" : ""),
                           textOf(grids_.at(owed.grid))};
    for (unsigned grid = 1; grid < kMaxGrids; ++grid)
        if ((gridNews_[grid].signalled || gridNews_[grid].complete) &&
            limit.passed(gridNews_[grid].since))
            return Problem{"an event of a grid was not reported", fmt::format("grid {}", grid),
                           textOf(grids_.at(grid))};
    return std::nullopt;
}

}  // namespace gsu
