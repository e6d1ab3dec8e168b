/// An instruction as the timing model sees it: a class, the registers that it reads and writes, and what it may not be moved across.
#pragma once
#include <algorithm>
#include <array>
#include <span>

#include "exec/timing/ledger.hpp"
#include "exec/timing/timing_params.hpp"

namespace gsu::timing {

/// A register or predicate of a warp as the caller numbers them, densely.
using Register = std::uint32_t;

enum class InstructionClass : std::uint8_t {
    Fma,         ///< f32: add, mul, fma; integer mul, mad
    Half,        ///< the same of f16 and bf16, packed or not
    Packed,      ///< f32x2
    MinMax,      ///< f32 min, max, setp, selp, slct
    Integer,     ///< 32-bit add, logic, shift, prmt, mov
    Wide,        ///< 64-bit add: two Integer
    Convert,     ///< cvt
    Special,     ///< ex2, lg2, sin, cos, tanh
    Reciprocal,  ///< rcp, rsqrt, sqrt, div
    Count,       ///< popc, brev, bfind
    Shuffle,     ///< shfl
    Double,      ///< f64
    Branch,      ///< forward, or not taken
    BackEdge,    ///< a taken branch backwards
    Memory,      ///< ld, st, atom, red: the times come from load() and store()
    Matrix,      ///< ldmatrix, stmatrix
    MmaSync,     ///< mma, wmma.mma
    Product,     ///< wgmma.mma_async, tcgen05.mma
    CopyAsync,   ///< cp.async
    Copy,        ///< cp.async.bulk
    Multicast,   ///< the same, to several CTAs
    Arrive,      ///< mbarrier.arrive and its like
    Control,     ///< barriers, waits, fences, commits: their time is the unit's or the caller's
    Clock        ///< what reads %clock
};
inline constexpr unsigned kInstructionClasses = 24;

/// Units of a scheduler that take an instruction of some classes every few clocks.
enum class Pipe : std::uint8_t { None, Fma, Alu, Special, LoadStore, Tensor };
inline constexpr unsigned kPipes = 6;

struct alignas(16) ClassTimes {
    std::uint32_t interval{};  ///< clocks for which the pipe is taken
    std::uint32_t latency{};   ///< to the results; 0: they come from elsewhere
    std::uint32_t hold{1};     ///< to the next instruction of the same warp
    Pipe pipe{Pipe::None};
    Stall cause{Stall::Fixed};  ///< the stall of an instruction that reads the results too early
};
using ClassTable = std::array<ClassTimes, kInstructionClasses>;
/// `work`: of MmaSync, multiply-adds.
[[nodiscard]] constexpr std::uint32_t intervalOf(const ClassTimes& times,
                                                 std::uint32_t work) noexcept
{
    constexpr std::uint32_t kWork = 16 * 8 * 16;  // of the shape whose interval is known
    return work == 0 ? times.interval
                     : std::clamp<std::uint32_t>(times.interval * work / kWork, 1, 64);
}
[[nodiscard]] ClassTable classTableOf(const TimingParams& params) noexcept;

/// How far the window may move an instruction.
enum class Order : std::uint8_t {
    Free,   ///< registers only
    Load,   ///< not before a store that may alias
    Store,  ///< not before a load or store that may alias
    Fixed  ///< nothing passes it in either direction: branches, barriers, fences, mbarriers, asynchronous operations, atomics
};

[[nodiscard]] constexpr bool accesses(Order order) noexcept
{
    return order == Order::Load || order == Order::Store;
}

/// The earlier operations of its warp for which an instruction waits.
enum class Drain : std::uint8_t {
    Nothing,
    Sm,    ///< loads, and stores that its own SM performs
    Chip,  ///< the same, and those that the chip performs
    Fence  ///< the same, and the copies into its SM that are in flight when a fence beyond the CTA is reached
};

/// What follows the answer to a request before its warp continues.
enum class Tail : std::uint8_t {
    None,
    View,       ///< of a fence: the other proxy's view of shared memory, or the order of all fences
    Proxy,      ///< the same of all memory, which is a fence of the GPU
    BarResult,  ///< the result of bar.red is fetched
    BarRegister,  ///< the number of the barrier is in a register
    ArriveState,  ///< the state of an mbarrier's arrive is fetched
    Match,        ///< of match: one value after the other
    MbarInit,     ///< the new word of an mbarrier is written
    Poll          ///< a try_wait that has to wait looks from time to time
};

/// Where a load or store leads, as far as the assembler can know.
struct Footprint {
    enum class Space : std::uint8_t { Any, Global, Shared, Local, Constant } space{Space::Any};
    Register base{};          ///< address register
    std::uint64_t version{};  ///< writes to it so far; the model fills it in
    std::int64_t offset{};
    std::uint32_t bytes{};
};
[[nodiscard]] bool mayAlias(const Footprint& a, const Footprint& b) noexcept;

struct Instruction {
    InstructionClass cls{InstructionClass::Integer};
    std::span<const Register> reads, writes;
    Order order{Order::Free};
    Footprint footprint;   ///< of Load and Store
    std::uint32_t work{};  ///< of MmaSync: multiply-adds of 16-bit elements
    std::uint32_t line{};  ///< PTX line
};

/// An instruction that only computes, Order::Free and without work, in as little memory as it needs.
struct Computation {
    static constexpr std::size_t kMost = 6;
    enum class Kind : std::uint8_t {
        Plain,  ///< it issues, reads kPlain registers and writes one
        Issues,
        Renames,  ///< a move that the assembler makes another name of the same register
        Branches  ///< the caller's: it ends what is computed
    };
    /// Those that it reads, then those that it writes, times kCells: where each begins in a scoreboard.
    std::array<Register, kMost> registers{};
    static constexpr Register kCells = 3;
    std::uint8_t reads{}, named{};
    InstructionClass cls{InstructionClass::Integer};
    Kind kind{Kind::Issues};
    std::uint8_t steps{};  ///< micro-operations of the executor
    std::uint32_t line{};

    /// Pre: at most kMost.
    void name(std::span<const Register> read, std::span<const Register> written) noexcept;
    /// Most that issue read up to three registers and write one. These read three afterwards, the first one again where there were fewer, which takes no
    /// more time, and are Plain.
    void pad() noexcept;
    static constexpr std::uint8_t kPlain = 3;
};

}  // namespace gsu::timing
