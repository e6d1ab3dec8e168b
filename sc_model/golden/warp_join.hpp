/// Join of the lanes of one warp: bar (BAR-010, D-12, D-13), barrier.cluster (D-51), bar.warp.sync and the warp-wide operations
/// (D-18..D-21). A group opens with its first request and takes every later request of the same key. It is ready when each live lane that
/// it waits for has come. Aligned and refused requests, fences, vote without .sync, activemask and operations without a unit are groups of
/// their own. Value type, no latencies.
#pragma once
#include "golden/op_traits.hpp"
#include "golden/types.hpp"

namespace gsu {

/// Family of operations: what a group waits for, and which unit commits it.
enum class Family : std::uint8_t { Bar, Cluster, WarpSync, WarpOp, Fence, Grid, Null };

[[nodiscard]] Family familyOf(Op op) noexcept;
[[nodiscard]] Unit unitOf(Family family) noexcept;

/// Lanes that met: the operand of the barrier units. One bit per red operator in `redops`: {or, and, popc}.
struct JoinGroup {
    Family family{};
    bool alone{};  ///< takes no further request
    bool aligned{};
    /// other lanes of its request are answered separately: this is not its last response
    bool more{};
    WarpRef at{};
    std::uint16_t tag{};  ///< tag of the latest request
    /// form of all operations except bar: Op, and kind of a warp-wide one: lanes that meet execute the same form (D-18)
    std::uint16_t form{};
    std::uint32_t arg0{};  ///< barrier id | member mask | identity of a fence (fenceObject)
    std::uint32_t
        arg1{};  ///< count as written by the opening request (decides implicit or explicit, D-08)
    std::uint32_t count{};  ///< effective count in threads (D-08)
    Lanes lanes{};
    Lanes waitLanes{};  ///< lanes of sync, red and cluster wait
    Lanes redLanes{};
    Lanes pred{};  ///< predicates of the red lanes, or of the lanes of a vote
    std::uint8_t redops{};
    std::uint64_t ops{};  ///< bit per Op executed (requested ones are below 64)
    /// errors for which it must be refused, as bits of its unit; 0: not refused
    std::uint16_t errs{};
    Cycle since{};  ///< free for the owner: cycle of the latest request

    [[nodiscard]] bool executed(Op op) const noexcept { return (ops >> unsigned(op) & 1) != 0; }
    /// The qualifiers of a warp-wide operation.
    [[nodiscard]] std::uint8_t kind() const noexcept { return static_cast<std::uint8_t>(form); }
};

class WarpJoin {
public:
    /// Enters a request into its group, and opens one if needed. Returns the group's index. `threads`, `bars` (named barriers): of the CTA.
    unsigned add(const SyncRequest& request, unsigned threads,
                 unsigned bars = kBarsPerCta) noexcept;
    /// True if group `index` may commit with these live lanes.
    [[nodiscard]] bool ready(unsigned index, Lanes live) const noexcept;
    /// Removes a group.
    JoinGroup take(unsigned index) noexcept;

    [[nodiscard]] Lanes used() const noexcept { return used_; }
    [[nodiscard]] JoinGroup& at(unsigned index) noexcept { return groups_[index]; }
    [[nodiscard]] const JoinGroup& at(unsigned index) const noexcept { return groups_[index]; }
    /// Index of the group that holds `lane`; kLanes if none.
    [[nodiscard]] unsigned find(unsigned lane) const noexcept;
    /// Operands of a warp-wide operation, per lane; valid until the lane enters its next request.
    [[nodiscard]] const std::array<std::uint64_t, kLanes>& data() const noexcept { return data_; }
    void clear() noexcept { used_ = 0; }

private:
    std::array<JoinGroup, kLanes> groups_{};
    std::array<std::uint64_t, kLanes> data_{};  ///< a lane is in at most one group
    Lanes used_{};                              ///< a lane is in at most one group, so 32 suffice
};

/// Calls `enter(request, more)` for each part of a request that is handled separately. For bar.warp.sync and other operations with a member
/// mask, the lanes outside their mask are refused alone and first, and the others continue (BWS-003, VSYNC-009, MATCH-008, REDUX-011,
/// ELECT-006, D-03). Any other request is one part.
template <class Enter> void forParts(const SyncRequest& request, Enter&& enter)
{
    const Lanes outside = meetsLanes(request.op) ? request.lanes & ~request.arg0 : 0;
    if (outside == 0 || outside == request.lanes) return enter(request, false);
    SyncRequest part = request;
    part.lanes = outside;
    enter(part, true);
    part.lanes = request.lanes & ~outside;
    enter(part, false);
}

/// Errors that refuse a request whatever the state, as bits of its unit: D-16 for bar, a lane outside its mask, no unit. `bars`: named
/// barriers of a CTA.
[[nodiscard]] std::uint16_t refusalOf(const SyncRequest& request,
                                      unsigned bars = kBarsPerCta) noexcept;

}  // namespace gsu
