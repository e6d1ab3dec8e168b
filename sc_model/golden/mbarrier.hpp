/// The mbarrier object: its 64-bit word, one commit per operation, waits (MBAR, MBARR, MBDROP, MBW, MBPC, CPA; D-22..D-36, A-10, A-12).
/// Pure functions over values. The word does not tell whether an object is initialised (D-37); MbarrierUnit knows that.
#pragma once
#include <cstdint>
#include <string>

#include "golden/mbarrier_note.hpp"

namespace gsu {

inline constexpr std::uint32_t kMbarMax = (1u << 20) - 1;  ///< counts and |tx| (MBAR-002)

struct MbarState {
    bool phase{};              ///< parity of the running phase
    bool lock{};               ///< D-36: set by an error when the policy says so
    std::uint32_t pending{};   ///< 0..kMbarMax
    std::uint32_t expected{};  ///< 0..kMbarMax; 0 only after the last drop (A-12)
    std::int32_t tx{};         ///< -kMbarMax..kMbarMax
    bool operator==(const MbarState&) const = default;

    /// Whether the object is retired: its expected count is 0 and its last phase has completed, so it can no longer change. No flag is
    /// needed: an object with expected 0 whose phase is not complete has pending arrivals or tx left.
    [[nodiscard]] constexpr bool retired() const noexcept
    {
        return expected == 0 && pending == 0 && tx == 0;
    }
};

/// {phase[63], -pending[62:43], lock[42], -tx[41:21], -expected[20:1], 0} (D-22).
[[nodiscard]] constexpr std::uint64_t packMbar(const MbarState& s) noexcept
{
    const auto minus = [](std::uint32_t v, unsigned bits) {
        return std::uint64_t{(0u - v) & ((1u << bits) - 1)};
    };
    return std::uint64_t{s.phase} << 63 | minus(s.pending, 20) << 43 | std::uint64_t{s.lock} << 42 |
           minus(static_cast<std::uint32_t>(s.tx), 21) << 21 | minus(s.expected, 20) << 1;
}

[[nodiscard]] constexpr MbarState unpackMbar(std::uint64_t word) noexcept
{
    const auto count = [](std::uint64_t field) {
        return (0u - static_cast<std::uint32_t>(field)) & kMbarMax;
    };
    MbarState s{};
    s.phase = (word >> 63) != 0;
    s.lock = (word >> 42 & 1) != 0;
    s.pending = count(word >> 43);
    s.expected = count(word >> 1);
    const auto field = static_cast<std::int32_t>(word >> 21 & 0x1f'ffff);  // 21 bits: minus tx
    s.tx = -(field >= 1 << 20 ? field - (1 << 21) : field);
    return s;
}

/// The word after `arrivals` more arrivals. A response gives the state of its first lane, and the difference for each of the other lanes.
[[nodiscard]] constexpr std::uint64_t withFewerPending(std::uint64_t word,
                                                       std::uint32_t arrivals) noexcept
{
    constexpr unsigned shift = 43;
    constexpr std::uint64_t field = std::uint64_t{kMbarMax}
                                    << shift;  // negated, so arrivals are added
    return (word & ~field) | ((word + (std::uint64_t{arrivals} << shift)) & field);
}

enum class MbarOp : std::uint8_t {
    Init,
    ExpectTx,
    CompleteTx,
    Arrive,
    ArriveExpectTx,
    Drop,
    DropExpectTx,
    CpAsyncIncrement,  ///< first step of cp.async.mbarrier.arrive without .noinc (D-39)
    CpAsyncArrive,     ///< arrive-on once the copies are performed
};
[[nodiscard]] const char* nameOf(MbarOp op) noexcept;

struct MbarRequest {
    MbarOp op{};
    std::uint32_t amount{1};  ///< count or transaction amount, all 32 bits of the operand
    bool noComplete{};
};

/// Errors of one commit, at the bit positions of the mbarrier unit's taps. A locked or retired object, or a count out of its range, is
/// reported as the only error of a commit; violated bounds of one operation are reported together.
enum MbarErr : std::uint16_t {
    kMbErrAlign = 1u << 0,       ///< D-72: offset not a multiple of 8
    kMbErrWindow = 1u << 1,      ///< D-72: beyond the CTA's shared memory
    kMbErrCount = 1u << 2,       ///< UB-32: count 0 or above kMbarMax
    kMbErrPending = 1u << 3,     ///< UB-33: more arrivals than pending
    kMbErrTx = 1u << 4,          ///< UB-34: tx-count outside its range
    kMbErrNoComplete = 1u << 5,  ///< UB-36: noComplete completed the phase; applied (D-29)
    kMbErrDropZero = 1u << 6,    ///< UB-38: expected count reached 0; applied (A-12)
    kMbErrDrop = 1u << 7,        ///< UB-38: drop of more than expected
    kMbErrRetired = 1u << 8,     ///< A-12: update of a retired object
    kMbErrParity = 1u << 9,      ///< UB-41: parity operand above 1
    kMbErrLocal = 1u << 9,       ///< MBARR-007: noComplete on the object of another CTA (same bit)
    kMbErrLocked = 1u << 10,     ///< D-36: update of a locked object
    kMbErrUndeliverable = 1u << 11,  ///< D-38: no such rank, or CTA not resident
    kMbErrKilled = 1u << 12,         ///< UB-31: woke parked waits with false (D-35); applied
    kMbErrCpaMax = 1u << 13,         ///< UB-45: increment above kMbarMax
    kMbErrRemoteForm =
        1u << 14,  ///< UB-37, UB-42, MBAR-015: not possible on the object of another CTA
    kMbErrProfile = 1u << 15,  ///< D-42: transaction operation on sm_80
    kMbErrLeft = 1u << 5,  ///< response of try_cancel, not multicast: its CTA has exited (same bit)
    kMbErrResponse = 1u << 9,  ///< CLC-008: response of try_cancel not a multiple of 16 (same bit)
    kMbErrSelf = 1u << 15,     ///< UB-22: st.async, red.async to the own CTA (same bit)
};

struct MbarNext {
    MbarState state{};  ///< state after the operation
    std::uint64_t
        result{};  ///< D-22: the word before the arrive-on, after the expect; 0 if refused or none
    std::uint16_t errs{};
    bool refused{}, flip{};
};

/// Applies one operation as one commit.
[[nodiscard]] MbarNext mbarNext(MbarState state, const MbarRequest& request,
                                MbarPolicy policy = {}) noexcept;

/// Wait by state (D-31): true if the object has left the phase of `stateOperand` (only the phase bit counts).
[[nodiscard]] constexpr bool mbarTest(const MbarState& s, std::uint64_t stateOperand) noexcept
{
    return s.phase != ((stateOperand >> 63) != 0);
}
/// Wait by parity (D-31, MBW-012); a parity above 1 is reported and gives false.
[[nodiscard]] constexpr bool mbarTestParity(const MbarState& s, std::uint32_t parity) noexcept
{
    return parity <= 1 && s.phase != (parity != 0);
}
/// Pending count of a state operand (MBPC-002, D-22). A legal state never has pending 0, so 0 in the field means 0 only for foreign values.
[[nodiscard]] constexpr std::uint32_t mbarPendingCount(std::uint64_t stateOperand) noexcept
{
    return unpackMbar(stateOperand).pending;
}

std::string describe(const MbarState& state);

}  // namespace gsu
