#include "golden/limits.hpp"

#include "golden/warp_ops.hpp"

namespace gsu {

namespace {

constexpr unsigned kMaxTag = 4095;
constexpr unsigned kMaxThreads = 1024;
constexpr auto kLastRequestable = Op::ClcQueryCancel;

std::string slot(unsigned sm, unsigned cta, unsigned sms)
{
    if (sm >= sms) return "SM " + std::to_string(sm) + " of " + std::to_string(sms);
    if (cta >= kMaxCtas)
        return "CTA slot " + std::to_string(cta) + " of " + std::to_string(kMaxCtas);
    return {};
}

std::string warp(const WarpRef& at, unsigned sms)
{
    if (at.warp >= kMaxWarps)
        return "warp " + std::to_string(at.warp) + " of " + std::to_string(kMaxWarps);
    return slot(at.sm, at.cta, sms);
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

std::string problemOf(const SyncRequest& r, unsigned sms)
{
    if (r.op == Op::None || r.op > kLastRequestable)
        return "operation " + std::to_string(unsigned(r.op)) + " cannot be requested";
    if (r.lanes == 0) return "a request without lanes";
    if (r.tag > kMaxTag)
        return "tag " + std::to_string(r.tag) + " above " + std::to_string(kMaxTag);
    if (isWarpOp(r.op) && !hasForm(r.op, r.kind))
        return std::string(nameOf(r.op)) + " has no form of kind " + std::to_string(r.kind);
    return warp(r.at, sms);
}

std::string problemOf(const Launch& l, unsigned sms)
{
    if (l.threads < 1 || l.threads > kMaxThreads)
        return "a CTA of " + std::to_string(l.threads) + " threads";
    if (l.wbase + (l.threads + kLanes - 1) / kLanes > kMaxWarpSlots)
        return "warp slots above " + std::to_string(kMaxWarpSlots);
    if (l.size > kSharedBytes || l.base > kSharedBytes - l.size)
        return "shared memory above " + std::to_string(kSharedBytes) + " bytes";
    if (l.base % 8 != 0)
        return "shared memory from " + std::to_string(l.base) + ", which is no multiple of 8";
    const std::string reason = slot(l.sm, l.cta, sms);
    return reason.empty() ? cluster(l.cluster, l.rank, l.ctas) : reason;
}

std::string problemOf(const Exit& e, unsigned sms)
{
    return e.lanes == 0 ? "an exit without lanes" : warp(e.at, sms);
}

std::string problemOf(const ClusterRoute& r, unsigned sms)
{
    const std::string reason = slot(r.sm, r.cta, sms);
    return reason.empty() ? cluster(r.cluster, r.rank, r.ctas) : reason;
}

std::string problemOf(const Accesses& a, unsigned sms)
{
    if (a.count == 0) return "no accesses";
    if (a.epoch > 1) return "epoch " + std::to_string(a.epoch) + " of 0 and 1";
    return warp(a.at, sms);
}

std::string problemOf(const AsyncUpdate& u, unsigned sms)
{
    if (u.kind != AsyncKind::CompleteTx && u.kind != AsyncKind::ArriveOn)
        return "asynchronous completion of kind " + std::to_string(unsigned(u.kind));
    return warp({u.sm, u.cta, u.warp}, sms);
}

}  // namespace gsu
