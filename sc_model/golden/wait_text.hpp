/// Who waits for what, and who is missing, in words: one sentence for each barrier. The program and the C library describe a hang with it.
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

/// What lanes with an open request of this operation wait for.
[[nodiscard]] WaitKind waitKindOf(Op op) noexcept;

/// A group of lanes that waits.
struct WaitingGroup {
    std::uint32_t cta{}, warp{};  ///< CTA: any number that tells CTAs apart
    WaitKind kind{};
    std::uint32_t id{};       ///< Named: its number; Spin: the place of the loop
    std::uint32_t address{};  ///< Mbarrier: byte offset in the CTA's window
    std::uint32_t cluster{};  ///< Cluster: any number that tells clusters apart
    std::string place{};      ///< where in the program, "line 21"; empty if nobody knows
    std::string state{};      ///< of the object, as namedText() or mbarrierText(); may be empty
    bool endless{};           ///< Spin: the loop waits for nothing
};

/// A warp that could be missing somewhere.
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

/// `waiting` and `present` in any order; `nameOf` gives "CTA 3" for a CTA's number.
[[nodiscard]] WaitReport explainWaits(std::vector<WaitingGroup> waiting,
                                      const std::vector<PresentWarp>& present,
                                      const std::function<std::string(std::uint32_t)>& nameOf);

/// " (64 of 96 threads have arrived)" of the word of a named barrier; "" while it is idle.
[[nodiscard]] std::string namedText(std::uint64_t word);
/// " (phase 1, 3 of 4 arrivals pending, ...)" of the word of an mbarrier.
[[nodiscard]] std::string mbarrierText(std::uint64_t word);

}  // namespace gsu
