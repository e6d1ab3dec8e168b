#include "golden/limits.hpp"

#include "golden/warp_ops.hpp"

namespace gsu {

namespace {

constexpr unsigned kMaxTag = 4095;
constexpr unsigned kMaxThreads = 1024;
constexpr auto kLastRequestable = Op::ClcQueryCancel;

std::string slot(unsigned sm, unsigned cta, unsigned sms, const Structure& has)
{
    if (sm >= sms) return "SM " + std::to_string(sm) + " of " + std::to_string(sms);
    if (cta >= has.ctas)
        return "CTA slot " + std::to_string(cta) + " of " + std::to_string(has.ctas);
    return {};
}

std::string warp(const WarpRef& at, unsigned sms, const Structure& has)
{
    if (at.warp >= kMaxWarps)
        return "warp " + std::to_string(at.warp) + " of " + std::to_string(kMaxWarps);
    return slot(at.sm, at.cta, sms, has);
}

std::string cluster(unsigned id, unsigned rank, unsigned ctas)
{
    if (id >= kMaxClusters)
        return "cluster slot " + std::to_string(id) + " of " + std::to_string(kMaxClusters);
    if (ctas < 1 || ctas > kMaxRanks) return "a cluster of " + std::to_string(ctas) + " CTAs";
    if (rank >= ctas) return "rank " + std::to_string(rank) + " of " + std::to_string(ctas);
    return {};
}

}  // namespace

std::string problemOf(const SyncRequest& r, unsigned sms, const Structure& has)
{
    if (r.op == Op::None || r.op > kLastRequestable)
        return "operation " + std::to_string(unsigned(r.op)) + " cannot be requested";
    if (r.lanes == 0) return "a request without lanes";
    if (r.tag > kMaxTag)
        return "tag " + std::to_string(r.tag) + " above " + std::to_string(kMaxTag);
    if (isWarpOp(r.op) && !hasForm(r.op, r.kind))
        return std::string(nameOf(r.op)) + " has no form of kind " + std::to_string(r.kind);
    return warp(r.at, sms, has);
}

std::string problemOf(const Launch& l, unsigned sms, const Structure& has)
{
    if (l.threads < 1 || l.threads > kMaxThreads)
        return "a CTA of " + std::to_string(l.threads) + " threads";
    if (l.wbase + (l.threads + kLanes - 1) / kLanes > has.warpSlots)
        return "warp slots above " + std::to_string(has.warpSlots);
    if (l.size > kSharedBytes || l.base > kSharedBytes - l.size)
        return "shared memory above " + std::to_string(kSharedBytes) + " bytes";
    if (l.base % 8 != 0)
        return "shared memory from " + std::to_string(l.base) + ", which is no multiple of 8";
    if (l.grid >= kMaxGrids)
        return "grid slot " + std::to_string(l.grid) + " of " + std::to_string(kMaxGrids);
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
        return "grid slot " + std::to_string(g.grid) + ": 1 to " + std::to_string(kMaxGrids - 1);
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
    if (a.epoch > 1) return "epoch " + std::to_string(a.epoch) + " of 0 and 1";
    return warp(a.at, sms, has);
}

std::string problemOf(const AsyncUpdate& u, unsigned sms, const Structure& has)
{
    if (u.kind != AsyncKind::CompleteTx && u.kind != AsyncKind::ArriveOn)
        return "asynchronous completion of kind " + std::to_string(unsigned(u.kind));
    return warp({u.sm, u.cta, u.warp}, sms, has);
}

}  // namespace gsu
