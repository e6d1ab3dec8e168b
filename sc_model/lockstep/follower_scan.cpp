// Looks for overdue events: from time to time (bound, D-70), and whenever the device reports that it is idle.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "lockstep/describe.hpp"
#include "lockstep/follower.hpp"

namespace gsu {

using lockstep::describe;
using lockstep::Problem;
using lockstep::TimeLimit;
using lockstep::Verdict;

void Follower::scan(Cycle now)
{
    reportOverdue(TimeLimit::clocks(now, options_.bound));
    nextScan_ = now + options_.bound / 4 + 1;
}

void Follower::reportOverdue(const TimeLimit& limit)
{
    if (fault_) return;
    if (const Verdict missing = overdue(limit)) report(limit.now(), *missing, "");
}

Verdict Follower::overdue(const TimeLimit& limit)
{
    for (unsigned sm = 0; sm < sms_.size(); ++sm)
        if (Verdict missing = overdueInSm(sm, limit)) return missing;
    if (Verdict missing = overdueOfGrids(limit)) return missing;
    return mbar_.overdue(limit);
}

Verdict Follower::overdueInSm(unsigned index, const TimeLimit& limit)
{
    Sm& sm = sms_[index];
    if (!sm.launches.empty() && limit.passed(sm.launches.front().since))
        return Problem{"launch not committed",
                       fmt::format("launch of sm {} cta {}", index, sm.launches.front().cta),
                       fmt::format("given in cycle {}", sm.launches.front().since)};
    if (!sm.exits.empty() && limit.passed(sm.exits.front().since))
        return Problem{"exit not committed", "exit of " + describe(sm.exits.front().exit.at),
                       fmt::format("given in cycle {}", sm.exits.front().since)};
    for (const Due& d : sm.due)
        if (limit.passed(d.since))
            return Problem{
                "release missing",
                fmt::format("sm {} cta {}{} warps {:#x}", index, d.cta,
                            d.cluster ? " cluster barrier" : fmt::format(" barrier {}", d.id),
                            d.warps),
                fmt::format("completed in cycle {}", d.since)};
    for (Lanes rest = sm.used; rest != 0; rest &= rest - 1) {
        const auto slot = static_cast<std::uint8_t>(std::countr_zero(rest));
        if (Verdict missing = overdueInCta({static_cast<std::uint8_t>(index), slot, 0}, limit))
            return missing;
    }
    return std::nullopt;
}

Verdict Follower::overdueInCta(const WarpRef& at, const TimeLimit& limit)
{
    const Cta& slot = cta(at);
    if (slot.leftDue != 0 && limit.passed(slot.flipsSince))
        return Problem{"record of arrivals that were left missing (D-17)",
                       fmt::format("barriers {:#x} of {}", slot.leftDue, describe(at)),
                       fmt::format("last exit in cycle {}", slot.flipsSince)};
    if (slot.flipsDue != 0 && limit.passed(slot.flipsSince))
        return Problem{"completion by exit missing",
                       fmt::format("barriers {:#x} of {}", slot.flipsDue, describe(at)),
                       fmt::format("exit in cycle {}", slot.flipsSince)};
    const ClusterPart& part = unit_.part(at);
    const Launch& launch = unit_.cta(at).launch;
    if (part.live() != 0 && part.generation() != unit_.cluster(at).generations()) {
        const bool missing =
            launch.ctas > 1 ? limit.passed(net_[launch.cluster].completedAt) : limit.idle();
        if (missing)
            return Problem{"delivery of a complete cluster generation missing", describe(at),
                           lockstep::describeCluster(part.word(), part.generation())};
    }
    Cycle last = 0;
    for (unsigned i = 0; i < unit_.cta(at).warps(); ++i) {
        const WarpRef one{at.sm, at.cta, static_cast<std::uint8_t>(i)};
        if (Verdict missing = overdueInWarp(one, limit)) return missing;
        last = std::max(last, warp(one).exitedAt);
    }
    if (limit.idle() && unit_.gone(at) && !slot.freed)
        return Problem{"CTA slot not freed", describe(at),
                       fmt::format("last exit in cycle {}", last)};
    return std::nullopt;
}

Verdict Follower::overdueInWarp(const WarpRef& at, const TimeLimit& limit)
{
    Warp& w = warp(at);
    if (w.goneTable && !(w.goneNamed && w.goneCluster) && limit.passed(w.exitedAt))
        return Problem{"warp exit not seen by every barrier unit", describe(at),
                       fmt::format("exit committed in cycle {}", w.exitedAt)};
    if (const Expected* e =
            w.expected.find([&](const Expected& x) { return limit.passed(x.since); }))
        return Problem{"response missing", fmt::format("{} lanes {:#x}", describe(at), e->lanes),
                       fmt::format("committed in cycle {}", e->since)};
    if (const unsigned grid = unit_.cta(at).launch.grid; w.gridWaits != 0 && grids_.ready(grid)) {
        const auto lane = static_cast<unsigned>(std::countr_zero(w.gridWaits));
        if (limit.passed(std::max(w.gridSince[lane], gridReady_[grid])))
            return Problem{"griddepcontrol.wait does not go on", describe(at),
                           fmt::format("prerequisites complete, waiting lanes {:#x}", w.gridWaits)};
    }
    const WarpJoin& join = unit_.join(at);
    for (Lanes rest = join.used(); rest != 0; rest &= rest - 1) {
        const auto index = static_cast<unsigned>(std::countr_zero(rest));
        const JoinGroup& group = join.at(index);
        if (!limit.passed(std::max(group.since, w.exitedAt)) || !join.ready(index, unit_.live(at)))
            continue;
        if (Verdict forDriver = mbar_.waitsForDriver(at, sinceOf(w, group.lanes), group.tag))
            return forDriver;
        return Problem{"commit missing", describe(group),
                       fmt::format("live lanes {:#x}", unit_.live(at))};
    }
    return std::nullopt;
}

}  // namespace gsu
