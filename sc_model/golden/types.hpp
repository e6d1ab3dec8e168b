/// \file
/// Requests, responses, commits and events of the sync unit as plain C++ values: the twin of rtl/gsu_pkg.sv.
/// Lane i is bit i of every mask (GEN-001). Cycles are RTL clocks. Rules: D-01 (commits), D-03 (errors), D-66 (addresses).
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "golden/layout.gen.hpp"

namespace gsu {

using Cycle = std::uint64_t;                ///< clocks since the port began
using Lanes = std::uint32_t;                ///< bit per lane of a warp, or per warp of a CTA
inline constexpr Cycle kNever = ~Cycle{0};  ///< no cycle

/// The units that commit; also the unit a tap belongs to.
enum class Unit : std::uint8_t {
    Cta,       ///< CTA table: launches, exits, ends
    Named,     ///< named barriers
    WarpSync,  ///< joins of a warp's lanes
    Cluster,   ///< cluster barrier
    Mbarrier,  ///< mbarriers
    Fence,     ///< fences
    Network,   ///< cluster network
    Null,      ///< refuses what has no hardware
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
/// The offset in a CTA's shared memory that a cluster address, or an object's identity, names.
[[nodiscard]] constexpr std::uint32_t clusterOffset(std::uint32_t address) noexcept
{
    return address & 0xff'ffffu;
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

/// One executed instruction of one lane group. Lane arrays are valid where `lanes` has a bit.
struct SyncRequest {
    Op op{};               ///< not one of the events
    WarpRef at{};          ///< who
    Lanes lanes{};         ///< lanes that execute it together; not 0
    std::uint16_t tag{};   ///< free among the SM's open requests, 0..4095
    std::uint32_t arg0{};  ///< barrier id (all 32 bits) | member mask
    std::uint32_t arg1{};  ///< barrier count in threads, 0 = omitted (all 32 bits)
    Lanes pred{};          ///< red and vote predicates, negation already applied (D-14)
    Sem sem{};             ///< memory semantics
    Scope scope{};         ///< and their scope
    std::uint8_t kind{};   ///< per operation; of try_wait: not 0 if `limit` holds
    bool aligned{};        ///< .aligned
    bool noComplete{};     ///< .noComplete
    bool wantValue{};      ///< a destination other than _
    bool diverged{};       ///< the warp has live lanes elsewhere: a wait is not suspended
    bool remote{};         ///< the shared::cluster form
    std::array<std::uint32_t, 32> addr{};   ///< {rank, offset} of the mbarrier
    std::array<std::uint64_t, 32> data{};   ///< count, tx bytes, state or parity
    std::array<std::uint32_t, 32> limit{};  ///< try_wait suspension in clocks
    std::uint32_t source{};  ///< index into the driver's line table; for observers, never on a port
};

/// The offset that the lowest lane of an mbarrier's request names.
[[nodiscard]] inline std::uint32_t leadOffset(const SyncRequest& r) noexcept
{
    const auto lead =
        std::size_t(__builtin_ctz(r.lanes | Lanes{1} << 31));  // defined without lanes
    return clusterOffset(r.addr[lead]);
}

/// Some lanes of a warp may continue.
struct SyncResponse {
    std::uint16_t tag{};     ///< of the request
    WarpRef at{};            ///< who
    Lanes lanes{};           ///< lanes that continue
    Lanes pred{};            ///< results of waits
    bool last{};             ///< the last response to this request
    Cause cause{};           ///< why now
    Cycle cycle{};           ///< when
    std::uint64_t value{};   ///< value of the first lane of `lanes`
    std::uint32_t stride{};  ///< added (in the pending field) per further lane (D-23)
};

/// Waiters of one generation of a named or cluster barrier continue: in one record the warps of which every live lane waits, then, lowest
/// first, a record for each warp that waits with a part of its lanes (D-12, D-13). A warp is named once.
struct Release {
    std::uint8_t sm{};       ///< SM
    std::uint8_t cta{};      ///< CTA slot
    Lanes warps{};           ///< bit per warp of the CTA
    Lanes lanes{~Lanes{0}};  ///< of each of these warps; all ones: every lane that is open
    bool cluster{};          ///< the cluster barrier; then `id` and results are 0
    std::uint8_t id{};       ///< of the named barrier
    std::uint16_t popc{};    ///< result of red.popc (BAR-017)
    bool all{};              ///< result of red.and (BAR-018)
    bool any{};              ///< result of red.or (BAR-019)
    Cycle cycle{};           ///< when
};

/// One commit of one unit (D-01): the object before and after, and what was wrong with it (D-03).
struct Commit {
    std::uint64_t seq{};      ///< total order over all units, given by the port
    Cycle cycle{};            ///< when
    Unit unit{};              ///< whose
    Op op{};                  ///< operation or event
    WarpRef at{};             ///< who caused it
    Lanes lanes{};            ///< with which lanes
    std::uint16_t tag{};      ///< of the request
    std::uint32_t object{};   ///< barrier id, member mask, or mbarrier address
    std::uint64_t oldWord{};  ///< the object before
    std::uint64_t newWord{};  ///< and after
    bool flip{};              ///< completes the barrier or the phase
    bool refused{};           ///< nothing changed
    std::uint16_t errs{};     ///< error bits of the unit: kNbErr*, kWsErr*, kCbErr*, kMbErr*
    Cause cause{};            ///< of the answer it leads to
    Src src{};                ///< where it came from
    std::uint8_t srcSm{};     ///< of Src::Remote: SM that sent it
    std::uint8_t srcCta{};    ///< and CTA slot
};

/// Completion of an asynchronous operation whose data are performed (D-45).
struct AsyncUpdate {
    AsyncKind kind{};        ///< bytes or arrivals
    std::uint8_t sm{};       ///< SM of the mbarrier
    std::uint8_t cta{};      ///< its CTA slot
    std::uint8_t warp{};     ///< who is said to have done it
    std::uint32_t addr{};    ///< {rank, offset} of the mbarrier
    std::uint32_t amount{};  ///< bytes or arrivals
    std::uint16_t tag{};     ///< comes back in the commit, 0..4095
    std::uint8_t
        era{};  ///< Launch::era of the CTA it is for: a later launch of the slot is not touched
};

/// Towards whom an access is performed (rtl/doc/ordering.md): the scopes cluster, gpu and sys see the same.
enum class Reach : std::uint8_t {
    Cta,      ///< threads of its own CTA; counted per warp
    Everyone  ///< all threads; counted per CTA
};

/// Ordinary accesses (ld, st, atom, red) of a warp that its driver has issued and that are not performed towards `reach`.
struct Accesses {
    WarpRef at{};           ///< whose; with Reach::Everyone they count for its whole CTA
    Reach reach{};          ///< towards whom
    std::uint8_t epoch{};   ///< SyncPort::epoch() when they were announced, 0 or 1
    std::uint16_t count{};  ///< how many, 1..65535
};

/// Remote data named by `tag`, or a response of try_cancel, has reached its SM: the driver performs the bytes now, those of atom and red in one
/// step.
struct Delivered {
    std::uint8_t sm{};    ///< SM of the data
    std::uint8_t cta{};   ///< its CTA slot
    std::uint16_t tag{};  ///< of the request
    Cycle cycle{};        ///< when
    bool refused{};       ///< they will never be: the packet was refused, or came back to this SM
    Lanes
        lanes{};  ///< whose they are: one lane of st.async, red.async and try_cancel, of atom and red those of a packet
};

/// A lane of try_cancel asks for a cluster that has not started (CLC-003, D-55): the driver, whose queue it is, takes one out, or finds none left,
/// in one step, and answers under `slot` at any later cycle. Until its response has been delivered the request's tag names it.
struct CancelQuery {
    std::uint8_t sm{};    ///< SM
    std::uint8_t cta{};   ///< CTA slot
    std::uint8_t lane{};  ///< of the request
    std::uint8_t slot{};  ///< names the query among those of its SM that are not answered, 0..31
    std::uint16_t tag{};  ///< of the request
    bool multicast{};     ///< every CTA of the cluster gets the response
    Cycle cycle{};        ///< when
};

/// The driver's answer. The unit moves and signals the 16 bytes of the response, and does not look at them: what they say is for observers and
/// traces, never on a port.
struct CancelAnswer {
    std::uint8_t sm{};                     ///< SM
    std::uint8_t slot{};                   ///< of the query
    bool canceled{};                       ///< a cluster was taken out of the queue
    std::array<std::uint32_t, 3> first{};  ///< then: ctaid of its first CTA
};

/// A CTA starts.
struct Launch {
    std::uint8_t sm{};        ///< SM
    std::uint8_t cta{};       ///< CTA slot, free
    std::uint8_t wbase{};     ///< first of its warp slots of the SM
    std::uint8_t cluster{};   ///< cluster slot; only of a cluster of several CTAs
    std::uint8_t rank{};      ///< rank in the cluster
    std::uint8_t ctas{1};     ///< CTAs of the cluster
    std::uint16_t threads{};  ///< 1..1024
    std::uint32_t base{};     ///< first byte of its window in the SM's shared memory
    std::uint32_t size{};     ///< bytes of the window
    std::uint8_t
        era{};  ///< tells launches of one slot apart, by the driver's choice; the same for all CTAs of a cluster
    std::uint8_t
        grid{};  ///< slot of the grid table, 0: a grid without dependents and prerequisites
};

/// Lanes of a warp exit.
struct Exit {
    WarpRef at{};   ///< who
    Lanes lanes{};  ///< not 0
    bool trap{};    ///< by an error
};

/// CTA slot may be launched again (cluster exit gate passed).
struct CtaFree {
    std::uint8_t sm{};   ///< SM
    std::uint8_t cta{};  ///< CTA slot
    Cycle cycle{};       ///< when
};

/// Where a CTA of a cluster lives; all ranks of a cluster are told before its first launch.
struct ClusterRoute {
    std::uint8_t cluster{};  ///< cluster slot, 0..63
    std::uint8_t rank{};     ///< rank in the cluster
    std::uint8_t sm{};       ///< SM
    std::uint8_t cta{};      ///< CTA slot
    std::uint8_t ctas{1};    ///< CTAs of the cluster
};

/// A grid starts in a free slot of the grid table, before its first launch; one that runs elsewhere has ended; or one has fewer CTAs.
struct GridStart {
    std::uint8_t grid{};   ///< slot, 1..15
    std::uint32_t ctas{};  ///< CTAs of it that will be launched; 0: it runs elsewhere
    std::uint16_t
        prereqs{};  ///< bit per slot: griddepcontrol.wait of its CTAs waits for those of them that are in flight now (GDC-005)
    bool
        ended{};  ///< not a start: the grid in this slot, which runs elsewhere, has completed; `ctas` and `prereqs` are 0
    bool
        fewer{};  ///< not a start: `ctas` of its CTAs will not be launched (clusterlaunchcontrol.try_cancel): they count as ended; `prereqs` is 0
};

/// What a grid has come to; each once.
struct GridEvent {
    std::uint8_t grid{};  ///< slot
    bool
        complete{};  ///< false: every CTA has signalled or ended, dependents may be launched (GDC-002); true: every CTA has ended, the slot is free
    Cycle cycle{};   ///< when
};

/// Why a port cannot go on: a lockstep difference, an RTL assertion. The run ends with exit code 3.
struct Fault {
    /// What kind of failure.
    enum class Kind : std::uint8_t {
        Divergence,  ///< RTL and golden model differ
        Assertion,   ///< an assertion of the RTL failed
        Protocol     ///< the driver broke the rules of SyncPort
    };
    Kind kind{};          ///< what kind of failure
    Cycle cycle{};        ///< when
    std::string message;  ///< names request, both answers, the state before
};

}  // namespace gsu
