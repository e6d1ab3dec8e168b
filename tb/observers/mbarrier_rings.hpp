/// Pipelines of mbarriers, found in what the mbarriers of a run did: rings of stages, each a `full` and an `empty` barrier.
///
/// How rings are found: mbarriers of a CTA with the same arriving warps and the same waiting warps form a group. Two groups A and B are a
/// ring if the warps that wait on B arrive on A (or commit work of an agent that does: tcgen05.commit) and the warps that wait on A arrive
/// on B (B in the same CTA, else in another CTA of the cluster), and not all of them do both. If there are no two such groups, a few warps
/// may arrive for all waiters on one side (one of a warpgroup). `full` is the group on which bytes are counted; if both or neither are, the
/// group whose first phase completes earlier. Stage i pairs the i-th barriers in the order of their first completion, by address if one of
/// the groups has not completed everywhere. If sizes differ, or full and empty cannot be distinguished, the ring is reported with the
/// reason and without stages. mbarriers in no ring are in no report.
///
/// Who waited for whom: clocks that consumers were blocked on `full` (the producer, or its copies, were late) against clocks that producers
/// were blocked on `empty`, both per waiting warp. A stage is bound by the side that was waited for; within 10 % it is balanced.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "observers/mbarrier_statistics.hpp"

namespace gsu {

enum class RingBound : std::uint8_t { Producer, Consumer, Balanced, Unknown };
/// "producer", "consumer", "balanced", "unknown"
[[nodiscard]] const char* nameOf(RingBound bound) noexcept;

/// The warps on one side of a stage, together.
struct RingSide {
    std::uint64_t blocked{};  ///< clocks
    std::uint64_t clocks{};   ///< clocks of the ring's span, once per warp
    /// Blocked part of the time, 0..1.
    [[nodiscard]] double share() const noexcept
    {
        return clocks == 0 ? 0 : double(blocked) / double(clocks);
    }
    RingSide& operator+=(const RingSide& other) noexcept
    {
        blocked += other.blocked, clocks += other.clocks;
        return *this;
    }
};
[[nodiscard]] RingBound boundOf(const RingSide& consumers, const RingSide& producers) noexcept;

struct RingStage {
    std::uint32_t full{}, empty{};  ///< offsets
    std::uint64_t rounds{};         ///< phases of `full`
    RingSide consumers, producers;  ///< warps that waited on `full`, on `empty`
    [[nodiscard]] RingBound bound() const noexcept { return boundOf(consumers, producers); }
};

struct MbarrierRing {
    std::uint32_t cta{}, emptyCta{};             ///< CTA of the full and of the empty barriers
    std::optional<std::int64_t> stride;          ///< bytes between stages, if always the same
    std::vector<GridWarp> producers, consumers;  ///< warps that wait on empty, on full
    bool copies{};                               ///< bytes are counted on `full`
    Cycle from{}, to{};                          ///< first use to last
    std::string unknown;  ///< reason why there are no stages; empty if there are
    std::vector<RingStage> stages;
};

[[nodiscard]] std::vector<MbarrierRing> ringsOf(const MbarrierStatistics& statistics);

}  // namespace gsu
