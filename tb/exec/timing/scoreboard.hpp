/// Scoreboard of a warp: for each register the time from which on it holds its value, and what a reader waits for until then.
#pragma once
#include <algorithm>
#include <array>
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
            wait.later(unpacked(late(of(r))));
            wait.later(unpacked(of(r)[kReadAt]));
        }
        return wait;
    }
    /// The same of what only computes, of which room() was told. Pre: the rank of `wait` is kRank or more.
    [[nodiscard]] PackedWait ready(PackedWait wait, const Computation& what) const noexcept
    {
        const PackedWait* const from = of(base_);
        unsigned i = 0, rank = kRank;
        for (; i < what.reads; ++i)
            wait = std::max(wait, ranked(from[what.registers[i] + kReady], --rank));
        for (; i < what.named; ++i) {
            wait = std::max(wait, ranked(late(from + what.registers[i]), --rank));
            wait = std::max(wait, ranked(from[what.registers[i] + kReadAt], --rank));
        }
        return wait;
    }
    static constexpr unsigned kRank = 14;
    static_assert(2 * Computation::kMost <= kRank);
    /// The same of a Plain one.
    [[nodiscard]] PackedWait readyPlain(PackedWait wait, const Computation& what) const noexcept
    {
        const PackedWait* const from = of(base_);
        const PackedWait* const to = from + what.registers[3];
        const PackedWait first = ranked(from[what.registers[0] + kReady], kRank - 1),
                         second = ranked(from[what.registers[1] + kReady], kRank - 2),
                         third = ranked(from[what.registers[2] + kReady], kRank - 3);
        const PackedWait write =
            std::max(ranked(late(to), kRank - 4), ranked(to[kReadAt], kRank - 5));
        return std::max(std::max(std::max(first, second), std::max(third, write)), wait);
    }
    void issued(const Computation& what, Cycle at, Cycle results, Stall cause) noexcept
    {
        PackedWait* const from = of(base_);
        const PackedWait behind = packed(at + 1, Stall::Fixed), value = packed(results, cause);
        unsigned i = 0;
        for (; i < what.reads; ++i) read(from + what.registers[i], behind);
        for (; i < what.named; ++i) give(from + what.registers[i], value);
        if (cause != Stall::Fixed) end(value);
    }
    void issuedPlain(const Computation& what, Cycle at, Cycle results, Stall cause) noexcept
    {
        PackedWait* const from = of(base_);
        const PackedWait behind = packed(at + 1, Stall::Fixed), value = packed(results, cause);
        // All are looked at before one is written: the host waits for no write to a register that is named twice.
        std::array<PackedWait*, Computation::kPlain> readAt;
        std::array<PackedWait, Computation::kPlain> then;
        for (std::size_t i = 0; i < readAt.size(); ++i) {
            readAt[i] = from + what.registers[i] + kReadAt;
            then[i] = std::max(*readAt[i], behind);
        }
        for (std::size_t i = 0; i < readAt.size(); ++i) *readAt[i] = then[i];
        give(from + what.registers[3], value);
        if (cause != Stall::Fixed) [[unlikely]]
            end(value);
    }
    /// What it writes has its value when what it reads has.
    void rename(const Computation& what) noexcept
    {
        Computation source = what;
        source.named = what.reads;
        const Wait wait = unpacked(ready(ranked(0, kRank), source));
        const PackedWait value = packed(wait.at, wait.cause);
        for (unsigned i = what.reads; i < what.named; ++i)
            give(of(base_) + what.registers[i], value);
        if (wait.cause != Stall::Fixed) end(value);
    }
    /// What only computes counts its registers from `base`, and names some below that.
    void room(Register base, Register below)
    {
        base_ = base;
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
    [[nodiscard]] Wait last() const noexcept { return unpacked(last_); }

private:
    /// Of each register: when it has its value; when its readers have issued; how often it was written. Side by side in the host's cache.
    static constexpr std::size_t kReady = 0, kReadAt = 1, kWrites = 2;
    static_assert(Computation::kCells == 3);
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
    /// When a later value may come; 0: at once. The arithmetic pipes end in the order in which they begin; loads and the like do not.
    [[nodiscard]] static PackedWait late(const PackedWait* cells) noexcept
    {
        const PackedWait value = cells[kReady];
        return unpacked(value).cause == Stall::Fixed ? 0 : value;
    }
    static void give(PackedWait* cells, PackedWait value) noexcept
    {
        cells[kReady] = value;
        ++cells[kWrites];
    }
    void end(PackedWait value) noexcept
    {
        if (unpacked(value).at > last().at) last_ = value;
    }
    void give(std::span<const Register> registers, Cycle ready, Stall cause) noexcept
    {
        for (const Register r : registers) give(of(r), packed(ready, cause));
        if (cause != Stall::Fixed) end(packed(ready, cause));
    }
    void name(std::span<const Register> registers);
    void grow(Register below) { cells_.resize(std::size_t{named_ = below} * Computation::kCells); }
    [[nodiscard]] Wait readyOfMore(Wait wait, std::span<const Register> reads,
                                   std::span<const Register> writes);

    std::vector<std::uint64_t> cells_;  ///< of the registers that have been named
    Register named_{};                  ///< so many registers
    Register base_{};                   ///< of room()
    PackedWait last_{};
};

}  // namespace gsu::timing
