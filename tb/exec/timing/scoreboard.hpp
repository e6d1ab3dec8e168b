/// Scoreboard of a warp: for each register the time from which on it holds its value, and what a reader waits for until then.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "exec/timing/instruction.hpp"

namespace gsu::timing {

class Scoreboard {
public:
    /// A warp begins.
    void begin() noexcept
    {
        std::fill(cells_.begin(), cells_.end(), 0);
        last_ = {};
    }
    /// Not before `wait`, and when `reads` have their values and `writes` may be given new ones: their last value has arrived and whoever reads it
    /// has issued.
    [[nodiscard]] Wait ready(Wait wait, std::span<const Register> reads,
                             std::span<const Register> writes)
    {
        const Wait before = wait;
        for (const Register r : reads) {
            if (r >= named_) [[unlikely]]
                return readyOfMore(before, reads, writes);
            wait.later(unpacked(of(r)[kReady]));
        }
        for (const Register r : writes) {
            if (r >= named_) [[unlikely]]
                return readyOfMore(before, reads, writes);
            wait.later(unpacked(of(r)[kLate]));
            wait.later(unpacked(of(r)[kReadAt]));
        }
        return wait;
    }
    /// The same of what only computes, with its registers counted from `base`. Pre: room() for them; the rank of `wait` is kRank or more.
    [[nodiscard]] PackedWait ready(PackedWait wait, const Computation& what,
                                   Register base) const noexcept
    {
        const PackedWait* const from = of(base);
        if (what.plain()) [[likely]] {
            const PackedWait* const to = from + what.registers[3];
            wait = std::max(wait, ranked(from[what.registers[0] + kReady], kRank - 1));
            wait = std::max(wait, ranked(from[what.registers[1] + kReady], kRank - 2));
            wait = std::max(wait, ranked(from[what.registers[2] + kReady], kRank - 3));
            wait = std::max(wait, ranked(to[kLate], kRank - 4));
            return std::max(wait, ranked(to[kReadAt], kRank - 5));
        }
        unsigned i = 0, rank = kRank;
        for (; i < what.reads; ++i)
            wait = std::max(wait, ranked(from[what.registers[i] + kReady], --rank));
        for (; i < what.named; ++i) {
            wait = std::max(wait, ranked(from[what.registers[i] + kLate], --rank));
            wait = std::max(wait, ranked(from[what.registers[i] + kReadAt], --rank));
        }
        return wait;
    }
    static constexpr unsigned kRank = 14;
    static_assert(2 * Computation::kMost <= kRank);
    void issued(const Computation& what, Register base, Cycle at, Cycle results,
                Stall cause) noexcept
    {
        PackedWait* const from = of(base);
        const PackedWait behind = packed(at + 1, Stall::Fixed), value = packed(results, cause);
        if (what.plain()) [[likely]] {
            read(from + what.registers[0], behind);
            read(from + what.registers[1], behind);
            read(from + what.registers[2], behind);
            give(from + what.registers[3], value);
        } else {
            unsigned i = 0;
            for (; i < what.reads; ++i) read(from + what.registers[i], behind);
            for (; i < what.named; ++i) give(from + what.registers[i], value);
        }
        if (cause != Stall::Fixed) last_.later({results, cause});
    }
    /// What it writes has its value when what it reads has.
    void rename(const Computation& what, Register base) noexcept
    {
        Computation source = what;
        source.named = what.reads;
        const Wait wait = unpacked(ready(ranked(0, kRank), source, base));
        for (unsigned i = what.reads; i < what.named; ++i)
            give(of(base) + what.registers[i], packed(wait.at, wait.cause));
        if (wait.cause != Stall::Fixed) last_.later(wait);
    }
    /// Registers below it may be named without asking whether they were before.
    void room(Register below)
    {
        if (below > named_) [[unlikely]]
            grow(below);
    }
    /// One of which ready() was asked has issued; it gives `writes` their values at `results`, 0: they come later.
    void issued(std::span<const Register> reads, std::span<const Register> writes, Cycle at,
                Cycle results, Stall cause) noexcept
    {
        for (const Register r : reads) read(of(r), packed(at + 1, Stall::Fixed));
        if (results != 0) give(writes, results, cause);
    }
    /// Registers have their values at `ready`.
    void write(std::span<const Register> registers, Cycle ready, Stall cause)
    {
        name(registers);
        give(registers, ready, cause);
    }
    /// Writes to a register so far: two addresses with one base and version differ by their offsets only.
    [[nodiscard]] std::uint64_t version(Register r) const noexcept
    {
        return r < named_ ? of(r)[kWrites] : 0;
    }
    /// When the last load under way arrives; fences and releases wait for it.
    [[nodiscard]] Wait last() const noexcept { return last_; }

private:
    /// Of each register: when it has its value; the same if a later result might overtake it, else 0; when its readers have issued; how often it was
    /// written. Side by side, a part of a line of the host's cache.
    static constexpr std::size_t kReady = 0, kLate = 1, kReadAt = 2, kWrites = 3;
    static_assert(Computation::kCells == 4);
    [[nodiscard]] PackedWait* of(Register r) noexcept
    {
        return cells_.data() + std::size_t{r} * Computation::kCells;
    }
    [[nodiscard]] const PackedWait* of(Register r) const noexcept
    {
        return cells_.data() + std::size_t{r} * Computation::kCells;
    }
    static void read(PackedWait* cells, PackedWait behind) noexcept
    {
        cells[kReadAt] = std::max(cells[kReadAt], behind);
    }
    static void give(PackedWait* cells, PackedWait value) noexcept
    {
        // The arithmetic pipes end in the order in which they begin; loads and the like do not.
        cells[kReady] = value;
        cells[kLate] = unpacked(value).cause == Stall::Fixed ? 0 : value;
        ++cells[kWrites];
    }
    void give(std::span<const Register> registers, Cycle ready, Stall cause) noexcept
    {
        for (const Register r : registers) give(of(r), packed(ready, cause));
        if (cause != Stall::Fixed) last_.later({ready, cause});
    }
    void name(std::span<const Register> registers);
    void grow(Register below)
    {
        cells_.resize(std::size_t{named_ = below} * Computation::kCells);
    }
    [[nodiscard]] Wait readyOfMore(Wait wait, std::span<const Register> reads,
                                   std::span<const Register> writes);

    std::vector<std::uint64_t> cells_;  ///< of the registers that have been named
    Register named_{};                  ///< so many registers
    Wait last_;
};

}  // namespace gsu::timing
