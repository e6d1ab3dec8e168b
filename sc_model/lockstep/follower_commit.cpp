// Commits of lane groups: the join, named barriers, warp sync, operations without a unit.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "golden/warp_ops.hpp"
#include "lockstep/describe.hpp"
#include "lockstep/follower.hpp"

namespace gsu {

using lockstep::describe;
using lockstep::hex;

std::optional<JoinGroup> Follower::take(const Commit& c, Unit unit, Lanes& liveSeen)
{
    const auto refuse = [&](const std::string& what, const std::string& golden,
                            const std::string& before) {
        fail(c.cycle, what, describe(c), golden, before);
        return std::nullopt;
    };
    WarpJoin& join = unit_.join(c.at);
    Warp& w = warp(c.at);
    const unsigned index =
        c.lanes == 0 ? kLanes : join.find(static_cast<unsigned>(std::countr_zero(c.lanes)));
    if (index == kLanes)
        return refuse(
            "commit of lanes without an uncommitted request (never presented, or committed twice)",
            "", fmt::format("open lanes {:#x}", w.open));
    const JoinGroup& g = join.at(index);
    const Lanes live = unit_.live(c.at);
    if (unitOf(g.family) != unit)
        return refuse("commit by the wrong unit", nameOf(unitOf(g.family)), describe(g));
    if (g.lanes != c.lanes)
        return refuse("lanes of the group differ", describe(g),
                      fmt::format("live lanes {:#x}", live));
    if (!join.ready(index, live))
        return refuse("group committed before all lanes met", describe(g),
                      fmt::format("live lanes {:#x}", live));
    liveSeen = w.liveSeen[index];
    const bool local = c.src == Src::Local;
    if (!local && (c.src != Src::Exit || join.ready(index, liveSeen)))
        return refuse("source of the commit differs",
                      fmt::format("{} for {}", nameOf(Src::Local), describe(g)),
                      fmt::format("live lanes {:#x}", live));
    if (local && !mayComplete(g, c.tag)) return refuse("tag differs", describe(g), "");
    --debts_;
    return join.take(index);
}

bool Follower::mayComplete(const JoinGroup& g, std::uint16_t tag)
{
    if (g.tag == tag) return true;
    const Warp& w = warp(g.at);
    for (Lanes rest = g.lanes & w.held; rest != 0; rest &= rest - 1)
        if (w.tag[static_cast<unsigned>(std::countr_zero(rest))] == tag) return true;
    return false;
}

bool Follower::mayDiverge(const JoinGroup& g, Lanes liveSeen, bool claimed)
{
    if (!g.aligned) return !claimed;
    return claimed ? g.lanes != liveSeen : g.lanes == unit_.live(g.at);
}

void Follower::expect(const JoinGroup& g, Lanes lanes, const Commit& c, bool orRelease)
{
    if (lanes == 0) return;
    expect(g, c,
           {.lanes = lanes,
            .cause = c.refused ? Cause::Refused : Cause::Done,
            .orRelease = orRelease,
            .only = lanes == g.lanes && !g.more});
}

void Follower::expect(const JoinGroup& g, const Commit& c, Expected e)
{
    e.tag = c.tag;
    e.more = g.more;
    e.since = c.cycle;
    ++debts_;
    warp(g.at).expected.add(e);
}

/// Results that an operation does not write are not compared: nobody reads them.
void Follower::expectWarpOp(const JoinGroup& g, const Commit& c)
{
    const WarpAnswers answers = evaluate(c.op, g.kind(), g.lanes, g.pred, unit_.join(g.at).data());
    for (unsigned i = 0; i < answers.count; ++i) {
        expect(g, c,
               {.lanes = answers.at[i].lanes,
                .parts = true,
                .pred = answers.at[i].pred,
                .predMask = writesPredicate(c.op, g.kind()) ? ~0u : 0,
                .value = answers.at[i].value,
                .valueMask = writesValue(c.op, g.kind()) ? ~std::uint64_t{0} : 0});
    }
}

void Follower::wait(const JoinGroup& g, bool cluster, std::uint8_t id, std::uint32_t generation)
{
    if (g.waitLanes != 0) warp(g.at).waiting.add({g.waitLanes, cluster, id, generation});
}

void Follower::completed(const WarpRef& at, unsigned id, const NamedBarrier& done, Cycle now)
{
    const std::uint32_t generation = cta(at).generation[id]++;
    unit_.named(at).release(id, done, [&](Lanes warps, Lanes lanes) {
        ++debts_;
        sms_[at.sm].due.push_back({at.cta, static_cast<std::uint8_t>(id), false, warps, lanes,
                                   done.redops != 0, done.popc, done.all, done.any, generation,
                                   now});
    });
}

bool Follower::commitNamed(const Commit& c)
{
    if (c.op == Op::EvWarpExit)
        return c.flip ? commitNamedFlip(c) : c.errs != 0 ? commitNamedLeft(c) : commitNamedExit(c);
    Lanes liveSeen = 0;
    const auto group = take(c, Unit::Named, liveSeen);
    if (!group) return false;
    if (c.object != group->arg0) return differ(c, "object", group->arg0, describe(*group), "");
    NamedBarriers& bars = unit_.named(c.at);
    const unsigned id = group->arg0 % unit_.bars();
    const NamedBarrier before = bars.at(id);
    const bool diverged = (c.errs >> kNbErrDiverged & 1) != 0;
    if (!mayDiverge(*group, liveSeen, diverged))
        return differ(c, "errs", c.errs ^ 1u << kNbErrDiverged, describe(*group), describe(before));
    if (group->errs == 0 && (cta(c.at).flipsDue >> id & 1) != 0)
        return fail(c.cycle, "arrival at a barrier that an exit has completed", describe(c),
                    "completion by exit first (D-10)", describe(before));
    if (!mayCommit(c, group->lanes)) return false;
    const NamedNext next = bars.arrive(*group, diverged);
    if (!commitArrival(c, *group, next, wordOf(before))) return false;
    expect(*group, next.refused ? group->lanes : group->lanes & ~group->waitLanes, c, false);
    if (next.refused) return true;
    wait(*group, false, static_cast<std::uint8_t>(id), cta(c.at).generation[id]);
    if (next.flip) completed(c.at, id, next.done, c.cycle);
    return true;
}

bool Follower::commitArrival(const Commit& c, const JoinGroup& g, const NamedNext& next,
                             std::uint64_t before)
{
    const auto off = [&](const char* field, std::uint64_t golden) {
        return differ(c, field, golden, describe(g), fmt::format("word {:#x}", before));
    };
    // Two counts beyond the 7 bits of the stored target look equal to the device (D-16).
    unsigned free = 0;
    if (g.count >= 127 * kLanes) free = 1u << kNbErrCountsDiffer;
    if (((c.errs ^ next.errs) & ~free) != 0) return off("errs", next.errs);
    if (c.refused != next.refused) return off("refused", next.refused);
    if (c.flip != next.flip) return off("flip", next.flip);
    if (next.refused) {
        if (c.oldWord != c.newWord || (c.oldWord != 0 && c.oldWord != before))
            return off("newWord", before);
        return true;
    }
    if (c.oldWord != before) return off("oldWord", before);
    if (c.newWord != wordOf(next.state)) return off("newWord", wordOf(next.state));
    const bool waits = g.waitLanes == 0 || c.op != Op::BarArrive;
    if (!g.executed(c.op) || !waits)
        return fail(c.cycle, "operation differs", describe(c), describe(g), "");
    return true;
}

bool Follower::commitNamedExit(const Commit& c)
{
    Warp& w = warp(c.at);
    if (!w.goneTable || w.goneNamed)
        return fail(c.cycle, "named barriers see an exit that did not happen, or twice",
                    describe(c), "", fmt::format("live lanes {:#x}", unit_.live(c.at)));
    if (c.object != c.at.cta) return differ(c, "object", c.at.cta, "exit of " + describe(c.at), "");
    Cta& slot = cta(c.at);
    w.goneNamed = true;
    const BarMask flips = unit_.namedExit(c.at);
    debts_ += static_cast<unsigned>(std::popcount(flips & ~slot.flipsDue));
    --debts_;
    slot.flipsDue |= flips;
    slot.flipsSince = c.cycle;
    slot.leftDue = unit_.named(c.at).left() & ~slot.flipsDue;
    debts_ += static_cast<unsigned>(std::popcount(slot.leftDue));
    return true;
}

/// D-17: arrivals that nobody waits for any more.
bool Follower::commitNamedLeft(const Commit& c)
{
    Cta& slot = cta(c.at);
    const auto request = [&] { return "last exit of " + describe(c.at); };
    if (c.object >= unit_.bars() || (slot.leftDue >> c.object & 1) == 0)
        return fail(c.cycle, "exit discards a barrier that is idle, or complete", describe(c),
                    fmt::format("barriers left {:#x}", slot.leftDue), request());
    if (c.errs != 1u << kNbErrLeft || c.refused)
        return differ(c, "errs", 1u << kNbErrLeft, request(), "");
    const NamedBarrier before = unit_.named(c.at).complete(c.object);
    if (c.oldWord != wordOf(before))
        return differ(c, "oldWord", wordOf(before), request(), describe(before));
    if (c.newWord != 0) return differ(c, "newWord", 0, request(), describe(before));
    --debts_;
    slot.leftDue &= ~(BarMask{1} << c.object);
    return true;
}

bool Follower::commitNamedFlip(const Commit& c)
{
    Cta& slot = cta(c.at);
    const auto request = [&] { return "exit of " + describe(c.at); };
    if (c.object >= unit_.bars() || (slot.flipsDue >> c.object & 1) == 0)
        return fail(c.cycle, "exit completes a barrier that it does not complete", describe(c),
                    fmt::format("barriers due {:#x}", slot.flipsDue),
                    describe(unit_.named(c.at).at(c.object % unit_.bars())));
    const NamedBarrier before = unit_.named(c.at).at(c.object);
    if (c.oldWord != wordOf(before))
        return differ(c, "oldWord", wordOf(before), request(), describe(before));
    if (c.newWord != 0) return differ(c, "newWord", 0, request(), describe(before));
    if (c.errs != 0 || c.refused) return differ(c, "errs", 0, request(), describe(before));
    --debts_;
    slot.flipsDue &= ~(BarMask{1} << c.object);
    completed(c.at, c.object, unit_.named(c.at).complete(c.object), c.cycle);
    return true;
}

bool Follower::commitWarpSync(const Commit& c)
{
    Lanes liveSeen = 0;
    const auto group = take(c, Unit::WarpSync, liveSeen);
    if (!group) return false;
    const Lanes live = unit_.live(c.at);
    const Lanes exited = unit_.cta(c.at).launched(c.at.warp) & ~live;
    unsigned errs = group->errs;
    const bool reports = c.op == Op::WarpSync || c.op == Op::Elect;
    if (errs == 0 && reports && (group->arg0 & exited) != 0)
        errs = 1u << kWsErrExited;  // D-19: not the missing ones
    const auto before = [&] { return fmt::format("live lanes {:#x}", live); };
    if (c.object != group->arg0)
        return differ(c, "object", group->arg0, describe(*group), before());
    if (!group->executed(c.op))
        return fail(c.cycle, "operation differs", describe(c), describe(*group), "");
    if (c.errs != errs) return differ(c, "errs", errs, describe(*group), before());
    if (c.refused != (group->errs != 0))
        return differ(c, "refused", group->errs != 0, describe(*group), before());
    if (!mayCommit(c, group->lanes)) return false;
    if (c.op == Op::WarpSync || c.refused)
        expect(*group, group->lanes, c, false);
    else
        expectWarpOp(*group, c);
    return true;
}

bool Follower::commitFence(const Commit& c)
{
    if (!isFence(c.op))
        return fail(c.cycle, "the ordering unit commits no such event", describe(c), "", "");
    Lanes liveSeen = 0;
    const auto group = take(c, Unit::Fence, liveSeen);
    if (!group) return false;
    if (!group->executed(c.op))
        return fail(c.cycle, "operation differs", describe(c), describe(*group), "");
    if (c.object != group->arg0) return differ(c, "object", group->arg0, describe(*group), "");
    if (c.refused || c.errs != 0 || c.flip) return differ(c, "refused", 0, describe(*group), "");
    if (!mayCommit(c, group->lanes)) return false;
    expect(*group, group->lanes, c, false);
    return true;
}

bool Follower::commitNull(const Commit& c)
{
    Lanes liveSeen = 0;
    const auto group = take(c, Unit::Null, liveSeen);
    if (!group) return false;
    if (!group->executed(c.op))
        return fail(c.cycle, "operation differs", describe(c), describe(*group), "");
    if (c.errs != group->errs) return differ(c, "errs", group->errs, describe(*group), "");
    if (!c.refused) return differ(c, "refused", 1, describe(*group), "");
    expect(*group, group->lanes, c, false);
    return true;
}

}  // namespace gsu
