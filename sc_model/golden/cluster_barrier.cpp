#include "golden/cluster_barrier.hpp"

#include "golden/cta_table.hpp"

namespace gsu {

void ClusterPart::launch(unsigned warps) noexcept
{
    *this = {};
    live_ = firstBits(warps);
}

ClusterNext ClusterPart::arrive(unsigned warp, bool diverged) noexcept
{
    const Lanes bit = Lanes{1} << warp;
    if (diverged) return {1u << kCbErrDiverged, true, false};
    if ((arrived_ & bit) != 0) return {1u << kCbErrDouble, false, false};
    ClusterNext next{};
    if ((owed_ & bit) != 0) next.errs = 1u << kCbErrUnwaited;  // allowed, warned
    arrived_ |= bit;
    owed_ |= bit;
    return next;
}

ClusterNext ClusterPart::wait(unsigned warp, bool diverged) noexcept
{
    const Lanes bit = Lanes{1} << warp;
    const unsigned missing = (owed_ & bit) == 0 ? 1u << kCbErrNoArrive : 0;
    if (diverged) return {static_cast<std::uint16_t>(1u << kCbErrDiverged | missing), true, false};
    if (missing != 0) return {static_cast<std::uint16_t>(missing), false, false};
    owed_ &= ~bit;
    const bool parks = (arrived_ & bit) != 0;  // the flip clears the arrival it belongs to (D-49)
    if (parks) waiting_ |= bit;
    return {0, false, parks};
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
