#include "golden/cluster_barrier.hpp"

#include "golden/cta_table.hpp"
#include "golden/op_traits.hpp"

namespace gsu {

void ClusterPart::launch(unsigned warps) noexcept
{
    *this = {};
    live_ = firstBits(warps);
}

ClusterNext ClusterPart::commit(Op op, unsigned warp, bool diverged) noexcept
{
    const Lanes bit = Lanes{1} << warp;
    const bool waits = waitsForCluster(op);
    ClusterNext next{.cause = waits ? Cause::AlreadyTrue : Cause::Done};
    if (waits && (owed_ & bit) == 0) next.errs = 1u << kCbErrNoArrive;
    if (diverged) {
        next.errs |= 1u << kCbErrDiverged;
        next.refused = true;
        next.cause = Cause::Refused;
    } else if (!waits) {
        if ((arrived_ & bit) != 0) return {.errs = 1u << kCbErrDouble};
        if ((owed_ & bit) != 0) next.errs = 1u << kCbErrUnwaited;  // allowed, warned
        arrived_ |= bit;
        owed_ |= bit;
    } else if (next.errs == 0) {
        owed_ &= ~bit;
        next.parks = (arrived_ & bit) != 0;  // the flip clears the arrival it belongs to (D-49)
        if (next.parks) next.cause = Cause::Done, waiting_ |= bit;
    }
    return next;
}

ClusterNext ClusterPart::exit(unsigned warp) noexcept
{
    const Lanes bit = Lanes{1} << warp;
    ClusterNext next{};
    if ((owed_ & bit) != 0) next.errs = 1u << kCbErrUnwaited;
    owed_ &= ~bit;
    live_ &= ~bit;
    return next;
}

Lanes ClusterPart::flip() noexcept
{
    const Lanes released = waiting_;
    arrived_ = 0;
    waiting_ = 0;
    ++generation_;
    return released;
}

void Cluster::route(const ClusterRoute& route) noexcept
{
    if (route.rank >= kMaxRanks) return;
    ctas_ = route.ctas;
    members_[route.rank] = {route.sm, route.cta, false, false};
}

void Cluster::freed(unsigned rank) noexcept
{
    members_[rank].freed = true;
    for (unsigned r = 0; r < ctas_; ++r)
        if (!members_[r].freed) return;
    *this = {};
}

bool Cluster::open() const noexcept
{
    for (unsigned r = 0; r < ctas_; ++r)
        if (!members_[r].launched) return false;
    return ctas_ != 0;
}

}  // namespace gsu
