#include "golden/limits.hpp"

#include <fmt/format.h>

#include "golden/warp_ops.hpp"

namespace gsu {

namespace {

constexpr unsigned kMaxTag = 4095;
constexpr unsigned kMaxThreads = 1024;

std::string slot(unsigned sm, unsigned cta, unsigned sms, const Structure& has)
{
    if (sm >= sms) return fmt::format("SM {} of {}", sm, sms);
    if (cta >= has.ctas) return fmt::format("CTA slot {} of {}", cta, has.ctas);
    return {};
}

std::string warp(const WarpRef& at, unsigned sms, const Structure& has)
{
    if (at.warp >= kMaxWarps) return fmt::format("warp {} of {}", at.warp, kMaxWarps);
    return slot(at.sm, at.cta, sms, has);
}

std::string cluster(unsigned id, unsigned rank, unsigned ctas)
{
    if (id >= kMaxClusters) return fmt::format("cluster slot {} of {}", id, kMaxClusters);
    if (ctas < 1 || ctas > kMaxRanks) return fmt::format("a cluster of {} CTAs", ctas);
    if (rank >= ctas) return fmt::format("rank {} of {}", rank, ctas);
    return {};
}

}  // namespace

std::string problemOf(const SyncRequest& r, unsigned sms, const Structure& has)
{
    if (r.op >= Op::EvLaunch || traitsOf(r.op).spelling == nullptr)
        return fmt::format("operation {} cannot be requested", unsigned(r.op));
    if (r.lanes == 0) return "a request without lanes";
    if (r.tag > kMaxTag) return fmt::format("tag {} above {}", r.tag, kMaxTag);
    if (isWarpOp(r.op) && !hasForm(r.op, r.kind))
        return fmt::format("{} has no form of kind {}", nameOf(r.op), r.kind);
    return warp(r.at, sms, has);
}

std::string problemOf(const Launch& l, unsigned sms, const Structure& has)
{
    if (l.threads < 1 || l.threads > kMaxThreads)
        return fmt::format("a CTA of {} threads", l.threads);
    if (l.wbase + (l.threads + kLanes - 1) / kLanes > has.warpSlots)
        return fmt::format("warp slots above {}", has.warpSlots);
    if (l.size > kSharedBytes || l.base > kSharedBytes - l.size)
        return fmt::format("shared memory above {} bytes", kSharedBytes);
    if (l.base % 8 != 0)
        return fmt::format("shared memory from {}, which is no multiple of 8", l.base);
    if (l.grid >= kMaxGrids) return fmt::format("grid slot {} of {}", l.grid, kMaxGrids);
    const std::string reason = slot(l.sm, l.cta, sms, has);
    return reason.empty() ? cluster(l.cluster, l.rank, l.ctas) : reason;
}

std::string problemOf(const Exit& e, unsigned sms, const Structure& has)
{
    return e.lanes == 0 ? "an exit without lanes" : warp(e.at, sms, has);
}

std::string problemOf(const ClusterRoute& r, unsigned sms, const Structure& has)
{
    const std::string reason = slot(r.sm, r.cta, sms, has);
    return reason.empty() ? cluster(r.cluster, r.rank, r.ctas) : reason;
}

std::string problemOf(const GridStart& g, unsigned, const Structure&)
{
    if (g.grid == 0 || g.grid >= kMaxGrids)
        return fmt::format("grid slot {}: 1 to {}", g.grid, kMaxGrids - 1);
    if ((g.prereqs >> g.grid & 1) != 0) return "a grid that is its own prerequisite";
    if (g.ended && (g.ctas != 0 || g.prereqs != 0))
        return "the end of a grid with CTAs or prerequisites";
    if (g.fewer && (g.ended || g.ctas == 0 || g.prereqs != 0))
        return "a grid of fewer CTAs: how many, and nothing else";
    return {};
}

std::string problemOf(const Accesses& a, unsigned sms, const Structure& has)
{
    if (a.count == 0) return "no accesses";
    if (a.epoch > 1) return fmt::format("epoch {} of 0 and 1", a.epoch);
    return warp(a.at, sms, has);
}

std::string problemOf(const AsyncUpdate& u, unsigned sms, const Structure& has)
{
    if (u.kind > AsyncKind::AgentArrive)
        return fmt::format("asynchronous completion of kind {}", unsigned(u.kind));
    return warp({u.sm, u.cta, u.warp}, sms, has);
}

}  // namespace gsu
