// What is owed: looked for now and then (bound, D-70), and whenever the device says that it is idle.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "lockstep/describe.hpp"
#include "lockstep/follower.hpp"

namespace gsu {

using lockstep::describe;
using lockstep::hex;

void Follower::scan(Cycle now)
{
    owes(now, options_.bound);
    nextScan_ = now + options_.bound / 4 + 1;
}

bool Follower::owes(Cycle now, Cycle bound)
{
    for (unsigned sm = 0; sm < sms_.size(); ++sm)
        if (!fault_ && owesSm(sm, now, bound)) return true;
    if (fault_ || owesGrids(now, bound)) return true;
    if (const lockstep::Verdict bad = mbar_.overdue(now, bound)) report(now, *bad, "");
    return fault_.has_value();
}

bool Follower::owesSm(unsigned index, Cycle now, Cycle bound)
{
    Sm& sm = sms_[index];
    const auto late = [&](Cycle since) { return now >= since && now - since >= bound; };
    if (!sm.exits.empty() && late(sm.exits.front().since))
        return !fail(now, "exit not committed", "", "exit of " + describe(sm.exits.front().exit.at),
                     fmt::format("given in cycle {}", sm.exits.front().since));
    for (const Due& d : sm.due)
        if (late(d.since))
            return !fail(
                now, "release missing", "",
                fmt::format("sm {} cta {}{} warps {:#x}", index, d.cta,
                            d.cluster ? " cluster barrier" : fmt::format(" barrier {}", d.id),
                            d.warps),
                fmt::format("completed in cycle {}", d.since));
    for (Lanes rest = sm.used; rest != 0; rest &= rest - 1) {
        const auto slot = static_cast<std::uint8_t>(std::countr_zero(rest));
        if (owesCta({static_cast<std::uint8_t>(index), slot, 0}, now, bound)) return true;
    }
    return false;
}

bool Follower::owesCta(const WarpRef& at, Cycle now, Cycle bound)
{
    const Cta& slot = cta(at);
    const auto late = [&](Cycle since) { return now >= since && now - since >= bound; };
    if (slot.leftDue != 0 && late(slot.flipsSince))
        return !fail(now, "record of arrivals that were left missing (D-17)", "",
                     fmt::format("barriers {:#x} of {}", slot.leftDue, describe(at)),
                     fmt::format("last exit in cycle {}", slot.flipsSince));
    if (slot.flipsDue != 0 && late(slot.flipsSince))
        return !fail(now, "completion by exit missing", "",
                     fmt::format("barriers {:#x} of {}", slot.flipsDue, describe(at)),
                     fmt::format("exit in cycle {}", slot.flipsSince));
    const ClusterPart& part = unit_.part(at);
    const Launch& launch = unit_.cta(at).launch;
    if (part.live() != 0 && part.generation() != unit_.cluster(at).generations()) {
        const Cycle since =
            launch.ctas > 1 ? net_[launch.cluster].completedAt : now - std::min(now, bound);
        if (late(since) && (launch.ctas > 1 || bound == 0))
            return !fail(now, "delivery of a complete cluster generation missing", "", describe(at),
                         lockstep::describeCluster(part.word(), part.generation()));
    }
    Cycle last = 0;
    for (unsigned i = 0; i < unit_.cta(at).warps(); ++i) {
        const WarpRef one{at.sm, at.cta, static_cast<std::uint8_t>(i)};
        if (owesWarp(one, now, bound)) return true;
        last = std::max(last, warp(one).exitedAt);
    }
    if (bound == 0 && unit_.gone(at) && !slot.freed)
        return !fail(now, "CTA slot not freed", "", describe(at),
                     fmt::format("last exit in cycle {}", last));
    return false;
}

bool Follower::owesWarp(const WarpRef& at, Cycle now, Cycle bound)
{
    Warp& w = warp(at);
    const auto late = [&](Cycle since) { return now >= since && now - since >= bound; };
    if (w.goneTable && !(w.goneNamed && w.goneCluster) && late(w.exitedAt))
        return !fail(now, "warp exit not seen by every barrier unit", "", describe(at),
                     fmt::format("exit committed in cycle {}", w.exitedAt));
    if (const Expected* e = w.expected.find([&](const Expected& x) { return late(x.since); }))
        return !fail(now, "response missing", "",
                     fmt::format("{} lanes {:#x}", describe(at), e->lanes),
                     fmt::format("committed in cycle {}", e->since));
    if (const unsigned grid = unit_.cta(at).launch.grid; w.gridWaits != 0 && grids_.ready(grid)) {
        const auto lane = static_cast<unsigned>(std::countr_zero(w.gridWaits));
        if (late(std::max(w.gridSince[lane], gridReady_[grid])))
            return !fail(now, "griddepcontrol.wait does not go on", "", describe(at),
                         fmt::format("prerequisites complete, waiting lanes {:#x}", w.gridWaits));
    }
    const WarpJoin& join = unit_.join(at);
    for (Lanes rest = join.used(); rest != 0; rest &= rest - 1) {
        const auto index = static_cast<unsigned>(std::countr_zero(rest));
        const Cycle since = std::max(join.at(index).since, w.exitedAt);
        if (!late(since) || !join.ready(index, unit_.live(at))) continue;
        if (const lockstep::Verdict bad =
                mbar_.waitsForDriver(at, sinceOf(w, join.at(index).lanes), join.at(index).tag)) {
            report(now, *bad, "");
            return true;
        }
        return !fail(now, "commit missing", "", describe(join.at(index)),
                     fmt::format("live lanes {:#x}", unit_.live(at)));
    }
    return false;
}

}  // namespace gsu
