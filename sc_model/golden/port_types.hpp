/// \file
/// The types of the fields of the port's records. Lane i is bit i of every mask (GEN-001). Cycles are RTL clocks. Rules: D-66 (addresses).
#pragma once
#include <cstdint>

#include "golden/layout.gen.hpp"

namespace gsu {

using Cycle = std::uint64_t;                ///< clocks since the port began
using Lanes = std::uint32_t;                ///< bit per lane of a warp, or per warp of a CTA
inline constexpr Cycle kNever = ~Cycle{0};  ///< no cycle

/// The units that commit; also the unit of a tap.
enum class Unit : std::uint8_t {
    Cta,       ///< CTA table: launches, exits, ends
    Named,     ///< named barriers
    WarpSync,  ///< joins of a warp's lanes
    Cluster,   ///< cluster barrier
    Mbarrier,  ///< mbarriers
    Fence,     ///< fences
    Network,   ///< cluster network
    Null,      ///< refuses operations without hardware
    Grid       ///< griddepcontrol
};
/// "cta", "named", ...
[[nodiscard]] const char* nameOf(Unit unit) noexcept;

/// A warp: SM, CTA slot of that SM, index in the CTA.
struct WarpRef {
    std::uint8_t sm{};                                ///< SM
    std::uint8_t cta{};                               ///< CTA slot of the SM, 0..31
    std::uint8_t warp{};                              ///< warp of the CTA, 0..31
    bool operator==(const WarpRef&) const = default;  ///< the same warp
};

/// Cluster shared address {rank[31:24], offset[23:0]} (D-66).
[[nodiscard]] constexpr std::uint32_t clusterAddress(std::uint32_t rank,
                                                     std::uint32_t offset) noexcept
{
    return rank << 24 | (offset & 0xff'ffffu);
}
/// The offset in a CTA's shared memory of a cluster address, or of an object's identity.
[[nodiscard]] constexpr std::uint32_t clusterOffset(std::uint32_t address) noexcept
{
    return address & 0xff'ffffu;
}
/// The CTA rank of a cluster address.
[[nodiscard]] constexpr std::uint32_t clusterRank(std::uint32_t address) noexcept
{
    return address >> 24;
}

/// Calls f(index) for every bit that is set, the lowest first.
template <class F> inline void eachLane(Lanes lanes, F&& f)
{
    if (lanes == ~Lanes{0}) {
        for (unsigned lane = 0; lane < 32; ++lane) f(lane);
        return;
    }
    for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(__builtin_ctz(lanes)));
}

/// The highest of these lanes; 0 if there is none.
[[nodiscard]] constexpr Lanes highestLane(Lanes lanes) noexcept
{
    return lanes == 0 ? 0 : Lanes{1} << (31 - __builtin_clz(lanes));
}

/// The threads towards which an access is performed (rtl/doc/ordering.md): the scopes cluster, gpu and sys are alike.
enum class Reach : std::uint8_t {
    Cta,      ///< threads of its own CTA; counted per warp
    Everyone  ///< all threads; counted per CTA
};

}  // namespace gsu
