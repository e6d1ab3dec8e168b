/// Requests, responses, commits and events of the sync unit as plain C++ values: the twin of rtl/gsu_pkg.sv.
/// Lane i is bit i of every mask (GEN-001). Cycles are RTL clocks. Rules: D-01 (commits), D-03 (errors), D-66 (addresses).
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "golden/layout.gen.hpp"

namespace gsu {

using Cycle = std::uint64_t;
using Lanes = std::uint32_t;
inline constexpr Cycle kNever = ~Cycle{0};

/// The units that commit; also the unit a tap belongs to.
enum class Unit : std::uint8_t { Cta, Named, WarpSync, Cluster, Mbarrier, Fence, Network, Null };
[[nodiscard]] const char* nameOf(Unit unit) noexcept;

/// A warp: SM, CTA slot of that SM, index in the CTA.
struct WarpRef {
    std::uint8_t sm{}, cta{}, warp{};
    bool operator==(const WarpRef&) const = default;
};

/// Cluster shared address {rank[31:24], offset[23:0]} (D-66).
[[nodiscard]] constexpr std::uint32_t clusterAddress(std::uint32_t rank,
                                                     std::uint32_t offset) noexcept
{
    return rank << 24 | (offset & 0xff'ffffu);
}

/// One executed instruction of one lane group. Lane arrays are valid where `lanes` has a bit.
struct SyncRequest {
    Op op{};
    WarpRef at{};
    Lanes lanes{};
    std::uint16_t tag{};   ///< free among the SM's open requests, 0..4095
    std::uint32_t arg0{};  ///< barrier id (all 32 bits) | member mask
    std::uint32_t arg1{};  ///< barrier count in threads, 0 = omitted (all 32 bits)
    Lanes pred{};          ///< red and vote predicates, negation already applied (D-14)
    Sem sem{};
    Scope scope{};
    std::uint8_t kind{};
    bool aligned{}, noComplete{}, wantValue{}, diverged{}, remote{};
    std::array<std::uint32_t, 32> addr{};   ///< {rank, offset} of the mbarrier
    std::array<std::uint64_t, 32> data{};   ///< count, tx bytes, state or parity
    std::array<std::uint32_t, 32> limit{};  ///< try_wait suspension in clocks
    std::uint32_t source{};  ///< index into the driver's line table; for observers, never on a port
};

/// Some lanes of a warp may continue.
struct SyncResponse {
    std::uint16_t tag{};
    WarpRef at{};
    Lanes lanes{}, pred{};
    bool last{};
    Cause cause{};
    Cycle cycle{};
    std::uint64_t value{};   ///< value of the first lane of `lanes`
    std::uint32_t stride{};  ///< added (in the pending field) per further lane (D-23)
};

/// All waiters of one generation of a named or cluster barrier continue: their sync, red and wait lanes.
struct Release {
    std::uint8_t sm{}, cta{};
    Lanes warps{};  ///< bit per warp of the CTA
    bool cluster{};
    std::uint8_t id{};
    std::uint16_t popc{};  ///< results of red.popc, red.and, red.or (BAR-017..019)
    bool all{}, any{};
    Cycle cycle{};
};

/// One commit of one unit (D-01): the object before and after, and what was wrong with it (D-03).
struct Commit {
    std::uint64_t seq{};  ///< total order over all units, given by the port
    Cycle cycle{};
    Unit unit{};
    Op op{};
    WarpRef at{};
    Lanes lanes{};
    std::uint16_t tag{};
    std::uint32_t object{};
    std::uint64_t oldWord{}, newWord{};
    bool flip{}, refused{};
    std::uint16_t errs{};  ///< error bits of the unit: kNbErr*, kWsErr*, kCbErr*
    Cause cause{};
    Src src{};
};

/// Completion of an asynchronous operation whose data are performed (D-45).
struct AsyncUpdate {
    AsyncKind kind{};
    std::uint8_t sm{}, cta{}, warp{};
    std::uint32_t addr{}, amount{};
    std::uint16_t tag{};
};

/// Remote data named by `tag` has reached its SM: the driver performs the bytes now.
struct Delivered {
    std::uint8_t sm{}, cta{};
    std::uint16_t tag{};
    Cycle cycle{};
};

/// A CTA starts. `wbase`: first warp slot of the SM; `base`, `size`: its window in the SM's shared memory, in bytes.
struct Launch {
    std::uint8_t sm{}, cta{}, wbase{}, cluster{}, rank{}, ctas{1};
    std::uint16_t threads{};
    std::uint32_t base{}, size{};
};

/// Lanes of a warp exit.
struct Exit {
    WarpRef at{};
    Lanes lanes{};
    bool trap{};
};

/// CTA slot may be launched again (cluster exit gate passed).
struct CtaFree {
    std::uint8_t sm{}, cta{};
    Cycle cycle{};
};

/// Where a CTA of a cluster lives; all ranks of a cluster are told before its first launch.
struct ClusterRoute {
    std::uint8_t cluster{}, rank{}, sm{}, cta{}, ctas{1};
};

/// Why a port cannot go on: a lockstep difference, an RTL assertion. The run ends with exit code 3.
struct Fault {
    enum class Kind : std::uint8_t { Divergence, Assertion, Protocol } kind{};
    Cycle cycle{};
    std::string message;  ///< names request, both answers, the state before
};

}  // namespace gsu
