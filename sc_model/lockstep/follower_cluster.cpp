// Commits of the cluster barrier: a CTA's part, deliveries, the network.
#include <fmt/format.h>

#include "lockstep/describe.hpp"
#include "lockstep/follower.hpp"

namespace gsu {

using lockstep::describe;
using lockstep::describeCluster;

bool Follower::commitCluster(const Commit& c)
{
    const Launch& launch = unit_.cta(c.at).launch;
    clusterMoved_ = true;
    if (launch.ctas > 1 && c.object != launch.cluster)
        return differ(c, "object", launch.cluster, describe(c.at), "");
    if (c.op == Op::EvWarpExit) return commitClusterExit(c);
    if (c.op == Op::EvClusterOpen || c.op == Op::EvClusterFlip) return commitClusterEvent(c);
    return commitClusterGroup(c);
}

bool Follower::commitClusterGroup(const Commit& c)
{
    Lanes liveSeen = 0;
    const auto group = take(c, Unit::Cluster, liveSeen);
    if (!group) return false;
    ClusterPart& part = unit_.part(c.at);
    const auto request = [&] { return describe(*group); };
    const auto before = [word = part.word(), n = part.generation()] {
        return describeCluster(word, n);
    };
    const bool diverged = (c.errs >> kCbErrDiverged & 1) != 0;
    if (!group->executed(c.op))
        return fail(c.cycle, "operation differs", describe(c), request(), before());
    if (!mayDiverge(*group, liveSeen, diverged))
        return differ(c, "errs", c.errs ^ 1u << kCbErrDiverged, request(), before());
    if (c.oldWord != part.word()) return differ(c, "oldWord", part.word(), request(), before());
    if (!mayCommit(c, group->lanes)) return false;
    const ClusterNext next = part.commit(c.op, c.at.warp, diverged);
    if (c.errs != next.errs) return differ(c, "errs", next.errs, request(), before());
    // An ignored second arrive and a wait without arrive may be called refused: they have no effect (D-50).
    const unsigned ignored = 1u << kCbErrDouble | 1u << kCbErrNoArrive;
    if (c.refused != next.refused && (next.errs & ignored) == 0)
        return differ(c, "refused", next.refused, request(), before());
    if (c.newWord != part.word()) return differ(c, "newWord", part.word(), request(), before());
    if (c.flip) return differ(c, "flip", 0, request(), before());
    if (next.parks) {
        wait(*group, true, 0, part.generation());
        return true;
    }
    expect(*group, group->lanes, c, next.cause == Cause::AlreadyTrue);
    return advanceCluster(c);
}

bool Follower::advanceCluster(const Commit& c)
{
    const Launch& launch = unit_.cta(c.at).launch;
    if (unit_.advance(c.at) && launch.ctas > 1) net_[launch.cluster].completedAt = c.cycle;
    return true;
}

bool Follower::commitClusterExit(const Commit& c)
{
    Warp& w = warp(c.at);
    ClusterPart& part = unit_.part(c.at);
    const auto request = [&] { return "exit of " + describe(c.at); };
    const auto before = [word = part.word(), n = part.generation()] {
        return describeCluster(word, n);
    };
    if (!w.goneTable || w.goneCluster)
        return fail(c.cycle, "cluster barrier sees an exit that did not happen, or twice",
                    describe(c), "", before());
    w.goneCluster = true;
    --debts_;
    if (c.oldWord != part.word()) return differ(c, "oldWord", part.word(), request(), before());
    const ClusterNext next = unit_.clusterExit(c.at);
    if (c.newWord != part.word()) return differ(c, "newWord", part.word(), request(), before());
    if (c.errs != next.errs) return differ(c, "errs", next.errs, request(), before());
    return advanceCluster(c);
}

bool Follower::commitClusterEvent(const Commit& c)
{
    ClusterPart& part = unit_.part(c.at);
    const Cluster& cluster = unit_.cluster(c.at);
    const auto request = [&] { return "flip of " + describe(c.at); };
    const auto before = [&, word = part.word(), n = part.generation()] {
        return fmt::format("{} cluster generation {}", describeCluster(word, n),
                           cluster.generations());
    };
    const bool flips = c.op == Op::EvClusterFlip;
    if (c.flip != flips) return differ(c, "flip", flips, request(), before());
    if (c.op == Op::EvClusterOpen) {
        Cta& slot = cta(c.at);
        if (slot.opened || !cluster.open())
            return fail(c.cycle, "cluster gate opened twice, or before every CTA was launched",
                        describe(c), "", before());
        slot.opened = true;
        return true;
    }
    if (part.generation() == cluster.generations())
        return fail(c.cycle, "flip of a generation that is not complete (D-46)", describe(c), "",
                    before());
    if (c.oldWord != part.word()) return differ(c, "oldWord", part.word(), request(), before());
    const std::uint32_t generation = part.generation();
    const Lanes warps = part.flip();
    if (c.newWord != part.word()) return differ(c, "newWord", part.word(), request(), before());
    if (warps != 0) {
        ++debts_;
        sms_[c.at.sm].due.push_back(
            {c.at.cta, 0, true, warps, ~Lanes{0}, false, 0, false, false, generation, c.cycle});
    }
    // Members that waited only for this delivery may all have arrived or exited meanwhile.
    return advanceCluster(c);
}

bool Follower::commitNetwork(const Commit& c)
{
    if (c.op == Op::EvGridOpen || c.op == Op::EvGridEnd || c.op == Op::EvGridSignal)
        return c.src == Src::Local ? commitGridInput(c) : commitGridReport(c);
    if (c.object >= kMaxClusters || unit_.slot(c.object).ctas() == 0)
        return fail(c.cycle, "network event of a cluster that is not routed", describe(c), "", "");
    Net& net = net_[c.object];
    Cluster& cluster = unit_.slot(c.object);
    const auto before = [&] {
        return fmt::format("cluster {} generations {} flips {}", c.object, cluster.generations(),
                           net.flips);
    };
    const bool flips = c.op == Op::EvClusterFlip;
    if (c.op != Op::EvCtaFree && c.flip != flips) return differ(c, "flip", flips, "", before());
    if (c.op == Op::EvClusterOpen) {
        if (net.opened || !cluster.open())
            return fail(c.cycle, "network opens a cluster twice or too early", describe(c), "",
                        before());
        net.opened = true;
        return true;
    }
    if (c.op == Op::EvClusterFlip) {
        if (net.flips == cluster.generations())
            return fail(c.cycle, "network flips a generation that is not complete (D-46)",
                        describe(c), "", before());
        ++net.flips;
        return true;
    }
    if (c.op != Op::EvCtaFree)
        return fail(c.cycle, "the network commits no such event", describe(c), "", before());
    const Cluster::Member& first = cluster.member(0);
    const bool slotFreed = first.freed;  // then its table entry no longer leads to the cluster
    if (net.freed || slotFreed || !unit_.gone({first.sm, first.cta, 0}))
        return fail(c.cycle, "network frees a cluster twice or too early (exit gate)", describe(c),
                    "", before());
    net.freed = true;
    return true;
}

}  // namespace gsu
