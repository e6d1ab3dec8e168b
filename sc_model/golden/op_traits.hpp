/// \file
/// Properties of the operations of the port (whether it waits, which unit it goes to, ...), from the table op_traits.def. For an
/// event (Ev...) every answer is no.
#pragma once
#include <array>
#include <cstdint>

#include "golden/types.hpp"

namespace gsu {

/// Form of the operands of an operation in a trace.
enum class OpShape : std::uint8_t {
    Barrier,    ///< id[, count]
    Reduction,  ///< %d, id[, count], p=mask
    Mask,       ///< member mask
    Cluster,    ///< none; the semantics are always spelled
    PerLane,    ///< [address][, data[, limit]]
    Plain       ///< none
};

/// One row of op_traits.def.
struct OpTraits {
    Op op{};               ///< operation of the row
    const char* spelling;  ///< mnemonic in traces; nullptr: an event
    const char* type;      ///< last component, "" for none
    OpShape shape{};       ///< form of its operands
    std::uint32_t bits{};  ///< kNamed, ...
};

namespace traits {

inline constexpr std::uint32_t kNothing = 0;
inline constexpr std::uint32_t kNamed = 1u << 0;     ///< a named barrier
inline constexpr std::uint32_t kWaits = 1u << 1;     ///< its lanes may be held until others act
inline constexpr std::uint32_t kReduces = 1u << 2;   ///< red of a named barrier
inline constexpr std::uint32_t kWarp = 1u << 3;      ///< lanes of one warp meet under a member mask
inline constexpr std::uint32_t kCluster = 1u << 4;   ///< the cluster barrier
inline constexpr std::uint32_t kMbarrier = 1u << 5;  ///< names an mbarrier: has operands per lane
inline constexpr std::uint32_t kArrives = 1u << 6;   ///< arrive-on by a thread
inline constexpr std::uint32_t kDrops = 1u << 7;     ///< arrive-on that leaves the barrier
inline constexpr std::uint32_t kCounted = 1u << 8;   ///< its datum counts arrivals
inline constexpr std::uint32_t kBytes = 1u << 9;     ///< its datum counts bytes
inline constexpr std::uint32_t kExpects = 1u << 10;  ///< adds to the bytes expected
inline constexpr std::uint32_t kData = 1u << 11;     ///< carries data: st.async, red.async
inline constexpr std::uint32_t kState = 1u << 12;    ///< a wait that names a phase by its state
inline constexpr std::uint32_t kParity = 1u << 13;   ///< a wait that names a phase by its parity
inline constexpr std::uint32_t kSuspends = 1u << 14;    ///< a wait that may have a limit
inline constexpr std::uint32_t kLocalOnly = 1u << 15;   ///< acts only on objects of its own CTA
inline constexpr std::uint32_t kRemoteForm = 1u << 16;  ///< has a shared::cluster form
inline constexpr std::uint32_t kCopies = 1u << 17;  ///< arrives when earlier cp.async are performed

inline constexpr std::uint32_t kValues = 1u << 18;  ///< a value per lane, and no address
inline constexpr std::uint32_t kAtomic = 1u << 19;  ///< atom, red
inline constexpr std::uint32_t kGrid = 1u << 20;    ///< griddepcontrol
inline constexpr std::uint32_t kCancel =
    1u << 21;  ///< try_cancel: names an mbarrier; its datum is the offset of the response
inline constexpr std::uint32_t kFence = 1u << 22;    ///< holds up later operations of its threads
inline constexpr std::uint32_t kAnswers = 1u << 23;  ///< vote, match, redux, elect, activemask

inline constexpr std::array<OpTraits, 128> kTable = [] {
    std::array<OpTraits, 128> table{};
#define OP_TRAITS(name, spelling, type, shape, bits, text)                                         \
    table[static_cast<std::size_t>(Op::name)] = {Op::name, spelling, type, OpShape::shape, bits};
#define OP_EVENT(name, text)
#include "golden/op_traits.def"
#undef OP_EVENT
#undef OP_TRAITS
    return table;
}();

[[nodiscard]] constexpr bool has(Op op, std::uint32_t all) noexcept
{
    return (kTable[static_cast<std::size_t>(op) & 127].bits & all) == all;
}

}  // namespace traits

/// Whether operations with these semantics release (and, in the next function, acquire).
[[nodiscard]] constexpr bool releases(Sem sem) noexcept
{
    return sem == Sem::Release || sem == Sem::AcqRel;
}
[[nodiscard]] constexpr bool acquires(Sem sem) noexcept
{
    return sem == Sem::Acquire || sem == Sem::AcqRel;
}

/// The row of an operation in op_traits.def; its spelling is null for an event.
[[nodiscard]] constexpr const OpTraits& traitsOf(Op op) noexcept
{
    return traits::kTable[static_cast<std::size_t>(op) & 127];
}

/// Whether the operation has a value per lane: match, redux.
[[nodiscard]] constexpr bool hasValues(Op op) noexcept { return traits::has(op, traits::kValues); }
/// Whether the operation acts on a named barrier (bar, barrier).
[[nodiscard]] constexpr bool isNamed(Op op) noexcept { return traits::has(op, traits::kNamed); }
/// Whether the operation waits until a named barrier is complete: sync and red, not arrive.
[[nodiscard]] constexpr bool waitsForNamed(Op op) noexcept
{
    return traits::has(op, traits::kNamed | traits::kWaits);
}
/// Whether the operation is a reduction at a named barrier.
[[nodiscard]] constexpr bool isNamedRed(Op op) noexcept
{
    return traits::has(op, traits::kReduces);
}
/// Whether the operation acts on the cluster barrier.
[[nodiscard]] constexpr bool isCluster(Op op) noexcept { return traits::has(op, traits::kCluster); }
/// Whether the operation waits until the cluster barrier is complete.
[[nodiscard]] constexpr bool waitsForCluster(Op op) noexcept
{
    return traits::has(op, traits::kCluster | traits::kWaits);
}
/// Whether the operation is vote, match, redux, elect or activemask.
[[nodiscard]] constexpr bool isWarpOp(Op op) noexcept { return traits::has(op, traits::kAnswers); }
/// Whether the operation is fence, membar or tensormap.cp_fenceproxy.
[[nodiscard]] constexpr bool isFence(Op op) noexcept { return traits::has(op, traits::kFence); }
/// Whether lanes of one warp meet under a member mask.
[[nodiscard]] constexpr bool meetsLanes(Op op) noexcept { return traits::has(op, traits::kWarp); }
/// Whether the operation is griddepcontrol.
[[nodiscard]] constexpr bool isGridControl(Op op) noexcept
{
    return traits::has(op, traits::kGrid);
}
/// Whether the operation names an mbarrier: it has an address and a datum per lane.
[[nodiscard]] constexpr bool isMbarOp(Op op) noexcept { return traits::has(op, traits::kMbarrier); }
/// Whether the operation is atom or red. On another CTA's shared memory (SyncRequest::remote) these travel as packets, which the driver
/// performs when they are delivered.
[[nodiscard]] constexpr bool isAtomic(Op op) noexcept { return traits::has(op, traits::kAtomic); }
/// Whether the request goes to the mbarrier unit, with an address and a datum per lane.
[[nodiscard]] constexpr bool isMbarRequest(const SyncRequest& request) noexcept
{
    return isMbarOp(request.op) || (isAtomic(request.op) && request.remote) ||
           traits::has(request.op, traits::kCancel);
}
/// Whether the operation is clusterlaunchcontrol.try_cancel; SyncRequest::remote means multicast.
[[nodiscard]] constexpr bool isCancel(Op op) noexcept { return traits::has(op, traits::kCancel); }
/// Whether the operation is test_wait or try_wait.
[[nodiscard]] constexpr bool isMbarWait(Op op) noexcept
{
    return traits::has(op, traits::kMbarrier | traits::kWaits);
}
/// Whether the operation is try_wait.
[[nodiscard]] constexpr bool isMbarTryWait(Op op) noexcept
{
    return traits::has(op, traits::kSuspends);
}
/// Whether the operation is a wait whose datum is a parity.
[[nodiscard]] constexpr bool isMbarParity(Op op) noexcept
{
    return traits::has(op, traits::kParity);
}
/// Whether the operation is a wait whose datum is a state, of which only the phase bit counts.
[[nodiscard]] constexpr bool isMbarState(Op op) noexcept { return traits::has(op, traits::kState); }
/// Whether the operation is st.async or red.async.
[[nodiscard]] constexpr bool isMbarData(Op op) noexcept { return traits::has(op, traits::kData); }
/// Whether the operation delivers bytes and then completes them on an mbarrier: st.async, red.async, try_cancel.
[[nodiscard]] constexpr bool deliversBytes(Op op) noexcept
{
    return isMbarData(op) || isCancel(op);
}
/// Whether no release waits for the packets of the operation (CLU-017): data, responses, and arrivals of agents that are no threads.
[[nodiscard]] constexpr bool isUnordered(Op op) noexcept
{
    return deliversBytes(op) || op == Op::EvAgentArrive;
}
/// Whether the operation is an arrive-on by a thread.
[[nodiscard]] constexpr bool isMbarArrive(Op op) noexcept
{
    return traits::has(op, traits::kArrives);
}
/// Whether the operation is an arrive-on that leaves the barrier.
[[nodiscard]] constexpr bool isMbarDrop(Op op) noexcept { return traits::has(op, traits::kDrops); }
/// Whether the datum of the operation counts arrivals.
[[nodiscard]] constexpr bool isMbarCounted(Op op) noexcept
{
    return traits::has(op, traits::kCounted);
}
/// Whether the datum of the operation counts bytes.
[[nodiscard]] constexpr bool isMbarBytes(Op op) noexcept { return traits::has(op, traits::kBytes); }
/// Whether the operation adds to the expected bytes.
[[nodiscard]] constexpr bool isMbarExpect(Op op) noexcept
{
    return traits::has(op, traits::kExpects);
}
/// Whether the operation acts only on objects of its own CTA.
[[nodiscard]] constexpr bool isMbarLocalOnly(Op op) noexcept
{
    return traits::has(op, traits::kLocalOnly);
}
/// Whether the operation has a shared::cluster form.
[[nodiscard]] constexpr bool hasRemoteForm(Op op) noexcept
{
    return traits::has(op, traits::kRemoteForm);
}
/// Whether the operation is cp.async.mbarrier.arrive, with or without .noinc.
[[nodiscard]] constexpr bool isCopyArrive(Op op) noexcept
{
    return traits::has(op, traits::kCopies);
}
/// Whether a wait with this answer is over: neither refused nor answered with false.
[[nodiscard]] constexpr bool goesOn(Cause cause) noexcept
{
    return cause == Cause::Done || cause == Cause::AlreadyTrue || cause == Cause::Flip;
}
/// Whether a commit of the mbarrier unit is about an object: not a time-out, a delivery of data or an atomic.
[[nodiscard]] constexpr bool isOfMbarrier(const Commit& c) noexcept
{
    return c.unit == Unit::Mbarrier && c.op != Op::EvTimeout && c.op != Op::EvDelivered &&
           !isAtomic(c.op);
}
/// Whether such a commit also has the object's word: it is no packet in flight, and was not refused before the object was read.
[[nodiscard]] constexpr bool tellsMbarrier(const Commit& c) noexcept
{
    return isOfMbarrier(c) && c.src != Src::Network && (!c.refused || c.oldWord != 0);
}
/// Whether this release answers a request of operation `op` for the barrier `id`.
[[nodiscard]] constexpr bool isReleased(const Release& release, Op op, std::uint32_t id) noexcept
{
    return release.cluster ? waitsForCluster(op) : waitsForNamed(op) && id == release.id;
}

}  // namespace gsu
