/// Observer of memory operations of a run: accesses of threads, and asynchronous operations (copies, remote stores, matrix instructions).
/// The executor reports them when the instruction executes, before its effect. Without an observer this costs one branch for each
/// instruction.
///
/// A new kind of asynchronous operation reports an AsyncOp with everything that it will read and write, and the object on which it
/// completes. If that is an mbarrier and the executor itself notifies the unit, it calls completes() right before. An observer needs
/// nothing else of it.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "exec/program/touch.hpp"
#include "exec/result/result.hpp"

namespace gsu {

/// Bytes of global memory, or of the shared memory of the CTA in a slot of an SM.
struct MemoryRange {
    static constexpr std::uint8_t kGlobal = 0xff;
    std::uint64_t at{};  ///< global address, or offset in the CTA's window
    std::uint32_t bytes{};
    std::uint8_t sm{kGlobal}, slot{};
    [[nodiscard]] bool global() const noexcept { return sm == kGlobal; }
    [[nodiscard]] bool sameMemory(const MemoryRange& other) const noexcept
    {
        return sm == other.sm && slot == other.slot;
    }
};

/// Lanes of a warp execute a load, a store, an atomic or a matrix move, in the generic proxy. A release comes with the fence that is
/// presented before it (rtl/doc/ordering.md), which has the same line.
struct Access {
    WarpRef at;
    Lanes lanes{};
    std::uint32_t line{};
    Touch touch{};
    Strength order;
    Cycle cycle{};
    /// By lane: the bytes that it touches. No bytes: nothing that others see.
    std::array<MemoryRange, 32> range;
    /// By lane: a number that stands for the stored bytes, 0: not known.
    std::array<std::uint32_t, 32> value{};
    /// A matrix move: the ranges are rows, and any lane may touch any of their bytes.
    bool whole{};
    /// Bytes of one piece of memory, of one lane after the other without gaps: those of `range[lowest lane]` are the first.
    bool consecutive{};
};

/// The name of an operation of st.async or red.async: the unit reports it with the tag of the request.
[[nodiscard]] constexpr std::uint64_t remoteName(std::uint8_t sm, std::uint16_t tag) noexcept
{
    return std::uint64_t{1} << 63 | std::uint64_t{sm} << 16 | tag;
}

/// An operation that continues asynchronously after its instruction.
struct AsyncOp {
    enum class Kind : std::uint8_t {
        CpAsync,     ///< cp.async: in the generic proxy
        Bulk,        ///< bulk and tensor copies, and their reductions
        RemoteData,  ///< st.async, red.async
        Matrix,      ///< wgmma: its operands in shared memory
        Tensor,      ///< tcgen05
        Late         ///< red.async.release, st.async.release
    } kind{};
    enum class Until : std::uint8_t {
        Group,     ///< until a wait for the issuer's group of this kind (GroupStep)
        Mbarrier,  ///< until a wait for the phase that counts its completion
        End        ///< until the grid ends
    } until{};
    WarpRef at;  ///< warp that issued it
    Lanes lanes{};
    std::uint32_t line{};
    std::uint64_t name{};  ///< name in completes()
    std::uint8_t sm{}, slot{};
    std::uint32_t mbarrier{};  ///< Until::Mbarrier: offset in the window of that slot
    Cycle cycle{};
    bool updates{};  ///< it also reads the bytes that it writes, in one step
    std::vector<MemoryRange> reads, writes;

    /// Adds a range; if it continues the last one, that is extended.
    static void add(std::vector<MemoryRange>& to, const MemoryRange& range)
    {
        if (range.bytes == 0) return;
        MemoryRange* last = to.empty() ? nullptr : &to.back();
        if (last != nullptr && last->sameMemory(range) && last->at + last->bytes == range.at)
            last->bytes += range.bytes;
        else
            to.push_back(range);
    }
};

/// Lanes close groups of operations that they issued, or wait for them.
struct GroupStep {
    AsyncOp::Kind kind{};  ///< CpAsync, Bulk or Matrix
    WarpRef at;
    Lanes lanes{};
    std::uint32_t line{};
    bool waits{};             ///< else it closes a group
    bool reads{};             ///< waits only until sources have been read
    bool all{};               ///< also waits for operations in no group
    std::uint32_t mayStay{};  ///< youngest groups that need not complete
};

class AccessObserver {
public:
    virtual ~AccessObserver() = default;
    virtual void onAccess(const Access&) = 0;
    virtual void onAsync(const AsyncOp&) = 0;
    /// The operation's next completion on its mbarrier is given to the unit: updates of one mbarrier keep their order.
    virtual void completes(std::uint64_t name) = 0;
    virtual void onGroup(const GroupStep&) = 0;
    /// The launch is over: returns findings, to be listed with those of the launch.
    [[nodiscard]] virtual std::vector<Finding> takeFindings() { return {}; }
};

}  // namespace gsu
