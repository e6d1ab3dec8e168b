/// What lanes with an open request wait for.
#pragma once
#include "golden/op_traits.hpp"
#include "golden/wait_text.hpp"

namespace gsu::capi {

[[nodiscard]] inline WaitKind waitKindOf(Op op) noexcept
{
    if (isMbarOp(op)) return WaitKind::Mbarrier;
    if (meetsLanes(op)) return WaitKind::Warp;
    if (isCluster(op)) return WaitKind::Cluster;
    if (isGridControl(op)) return WaitKind::Grid;
    return isNamed(op) ? WaitKind::Named : WaitKind::Fence;
}

}  // namespace gsu::capi
