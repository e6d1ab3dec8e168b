/// Calendar: the clocks of a scheduler and of its pipes that are taken, some thousand ahead. A warp that stalls takes clocks in the future; the
/// others use those before. A server with one next-free time would waste them.
#pragma once
#include <array>
#include <bit>

#include "exec/timing/instruction.hpp"

namespace gsu::timing {

/// Clocks of each pipe that something else has, of 32 in turn: those in which the tensor cores use the registers.
class KeptClocks {
public:
    static constexpr unsigned kPeriod = 32;
    /// Leaves the pipe `free` of 32 clocks, in runs of `longest`, what its longest instruction takes, evenly. All of them if `free` is 0, or if more than 32
    /// would be left.
    void leave(Pipe pipe, unsigned free, unsigned longest) noexcept;
    /// Of 64 clocks, the first a multiple of 64: a bit for each that is kept.
    [[nodiscard]] std::uint64_t of(std::size_t pipe) const noexcept { return kept_[pipe]; }

private:
    std::array<std::uint64_t, kPipes> kept_{};
};

class Calendar {
public:
    static constexpr Cycle kAhead = 4096;     ///< clocks beyond which nothing is noted
    static constexpr unsigned kLongest = 64;  ///< clocks that one instruction takes a pipe
    /// Clocks by which what only moves registers may be executed before its time, and the same once clocks have been kept: they are, a few hundred ahead.
    static constexpr Cycle kLead = 1024, kShortLead = 64;

    /// Takes the first clock, from `at` on, in which the scheduler issues nothing else and from which on the pipe is free for `clocks`, 1..kLongest.
    /// Pipe::None: only the scheduler's own clock.
    Cycle take(Cycle at, Pipe pipe, unsigned clocks) noexcept
    {
        const auto row = static_cast<std::size_t>(pipe);
        if (row == kIssue) clocks = 1;
        busy_[row] += clocks;
        if (row != kIssue) ++busy_[kIssue];
        // Most find their place in the 64 clocks in which they ask: no bits of others are looked at.
        Clocks& here = ring_[at / kBits % kWords];
        const std::uint64_t starts =
            (runs(~here.taken[row], clocks) & ~here.taken[kIssue]) >> at % kBits;
        if (starts == 0 || at - begin_ >= kAhead) [[unlikely]]
            return takeNext(at, row, clocks);
        const Cycle first = at + static_cast<Cycle>(std::countr_zero(starts));
        here.taken[kIssue] |= std::uint64_t{1} << first % kBits;
        here.taken[row] |= ones(clocks) << first % kBits;
        return first;
    }
    /// From clock `from` up to `to` so many clocks are kept, besides those that are taken.
    void keep(Cycle from, Cycle to, const KeptClocks& kept) noexcept;
    [[nodiscard]] Cycle lead() const noexcept { return lead_; }
    /// Nobody asks for a clock `lead` or more before `now` any more.
    void forget(Cycle now, Cycle lead = 0) noexcept
    {
        if (now >= begin_ + kBits + lead) [[unlikely]]
            drop((now - lead) / kBits * kBits);
    }
    /// Clocks for which the pipe was taken; of Pipe::None: in which the scheduler issued.
    [[nodiscard]] Cycle busy(Pipe pipe) const noexcept
    {
        return busy_[static_cast<std::size_t>(pipe)];
    }

private:
    static constexpr Cycle kBits = 64;
    static constexpr std::size_t kWords = kAhead / kBits;
    static constexpr std::size_t kIssue = static_cast<std::size_t>(Pipe::None);
    /// So many clocks of all that a scheduler has, side by side in memory: a bit for each that is taken. The row of Pipe::None is the scheduler's own.
    struct alignas(kBits) Clocks {
        std::array<std::uint64_t, kPipes> taken{};
    };
    [[nodiscard]] static constexpr std::uint64_t ones(unsigned count) noexcept
    {
        return ~std::uint64_t{0} >> (kBits - count);
    }
    /// Bits from which on `count` in a row are set; none where that would need bits behind the last one.
    [[nodiscard]] static constexpr std::uint64_t runs(std::uint64_t bits, unsigned count) noexcept
    {
        bits &= bits >> (count > 1 ? 1 : 0);
        for (unsigned have = 2; have < count;) {
            const unsigned more = std::min(have, count - have);
            bits &= bits >> more;
            have += more;
        }
        return bits;
    }
    [[nodiscard]] Cycle takeNext(Cycle at, std::size_t row, unsigned clocks) noexcept;
    [[nodiscard]] Cycle takeFurther(Cycle at, std::size_t row, unsigned clocks) noexcept;
    [[nodiscard]] Cycle find(Cycle at, std::size_t row, unsigned clocks) const noexcept;
    void put(Cycle start, std::size_t row, unsigned clocks) noexcept;
    void drop(Cycle to) noexcept;

    std::array<Clocks, kWords> ring_{};  ///< bit of a clock modulo kAhead
    Cycle begin_{};                      ///< a multiple of kBits
    Cycle lead_{kLead};
    std::array<Cycle, kPipes> busy_{};
};

}  // namespace gsu::timing
