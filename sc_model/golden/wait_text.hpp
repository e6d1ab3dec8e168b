/// Describes waiters and missing warps in words: one sentence for each barrier. The program and the C library describe a hang with it.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "golden/layout.gen.hpp"

namespace gsu {

enum class WaitKind : std::uint8_t { Named, Mbarrier, Cluster, Warp, Spin, Fence, Grid, Columns };

/// "named", "mbarrier", ...
[[nodiscard]] const char* nameOf(WaitKind kind) noexcept;

/// The kind of wait of lanes with an open request of this operation.
[[nodiscard]] WaitKind waitKindOf(Op op) noexcept;

/// A group of waiting lanes.
struct WaitingGroup {
    std::uint32_t cta{}, warp{};  ///< CTA: any number that is unique for a CTA
    WaitKind kind{};
    std::uint32_t id{};       ///< Named: its number; Spin: the place of the loop
    std::uint32_t address{};  ///< Mbarrier: byte offset in the CTA's window
    std::uint32_t cluster{};  ///< Cluster: any number that is unique for a cluster
    std::string place{};      ///< place in the program, "line 21"; empty if not known
    std::string state{};  ///< state of the object, as namedText() or mbarrierText(); may be empty
    bool endless{};       ///< Spin: the loop waits for nothing
};

/// A warp that could be missing at a barrier.
struct PresentWarp {
    std::uint32_t cta{}, warp{};
    std::uint32_t cluster{};
    bool exited{};
};

/// A warp that a barrier needs and that does not wait there.
struct AbsentWarp {
    std::uint32_t cta{}, warp{};
    std::string why{};
};

struct WaitReport {
    std::string explanation;          ///< the first six objects; empty if nobody waits
    std::vector<AbsentWarp> missing;  ///< each warp once
};

/// Makes the report. `waiting` and `present` may be in any order; `nameOf` returns "CTA 3" for a CTA's number.
[[nodiscard]] WaitReport explainWaits(std::vector<WaitingGroup> waiting,
                                      const std::vector<PresentWarp>& present,
                                      const std::function<std::string(std::uint32_t)>& nameOf);

/// " (64 of 96 threads have arrived)" for the word of a named barrier; "" while it is idle.
[[nodiscard]] std::string namedText(std::uint64_t word);
/// " (phase 1, 3 of 4 arrivals pending, ...)" for the word of an mbarrier.
[[nodiscard]] std::string mbarrierText(std::uint64_t word);

}  // namespace gsu
