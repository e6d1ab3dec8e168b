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
        std::fill(entries_.begin(), entries_.end(), Entry{});
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
            const Entry& e = entries_[r];
            wait.later({e.ready, e.cause});
        }
        for (const Register r : writes) {
            if (r >= named_) [[unlikely]]
                return readyOfMore(before, reads, writes);
            const Entry& e = entries_[r];
            // The arithmetic pipes end in the order in which they begin; loads and the like do not.
            if (e.cause != Stall::Fixed) wait.later({e.ready, e.cause});
            wait.later({e.readAt, Stall::Fixed});
        }
        return wait;
    }
    /// The same of what only computes, with its registers counted from `base`. Pre: room() for them.
    [[nodiscard]] Wait ready(Wait wait, const Computation& what, Register base) const noexcept
    {
        const Entry* const of = entries_.data() + base;
        unsigned i = 0;
        for (; i < what.reads; ++i) {
            const Entry& e = of[what.registers[i]];
            wait.later({e.ready, e.cause});
        }
        for (; i < what.named; ++i) {
            const Entry& e = of[what.registers[i]];
            if (e.cause != Stall::Fixed) wait.later({e.ready, e.cause});
            wait.later({e.readAt, Stall::Fixed});
        }
        return wait;
    }
    void issued(const Computation& what, Register base, Cycle at, Cycle results,
                Stall cause) noexcept
    {
        Entry* const of = entries_.data() + base;
        unsigned i = 0;
        for (; i < what.reads; ++i) {
            Entry& e = of[what.registers[i]];
            e.readAt = std::max(e.readAt, at + 1);
        }
        for (; i < what.named; ++i) of[what.registers[i]].give(results, cause);
        if (cause != Stall::Fixed) last_.later({results, cause});
    }
    /// What it writes has its value when what it reads has.
    void rename(const Computation& what, Register base) noexcept
    {
        Computation source = what;
        source.named = what.reads;
        const Wait wait = ready({}, source, base);
        for (unsigned i = what.reads; i < what.named; ++i)
            entries_[base + what.registers[i]].give(wait.at, wait.cause);
        if (wait.cause != Stall::Fixed) last_.later(wait);
    }
    /// Registers below it may be named without asking whether they were before.
    void room(Register below)
    {
        if (below > named_) [[unlikely]]
            entries_.resize(named_ = below);
    }
    /// One of which ready() was asked has issued; it gives `writes` their values at `results`, 0: they come later.
    void issued(std::span<const Register> reads, std::span<const Register> writes, Cycle at,
                Cycle results, Stall cause) noexcept
    {
        for (const Register r : reads) {
            Entry& e = entries_[r];
            e.readAt = std::max(e.readAt, at + 1);
        }
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
        return r < named_ ? entries_[r].writes : 0;
    }
    /// When the last load under way arrives; fences and releases wait for it.
    [[nodiscard]] Wait last() const noexcept { return last_; }

private:
    struct alignas(32) Entry {  // a whole part of a line of the host's cache
        Cycle ready{}, readAt{};
        std::uint32_t writes{};
        Stall cause{};
        void give(Cycle at, Stall why) noexcept
        {
            ready = at;
            cause = why;
            ++writes;
        }
    };
    void give(std::span<const Register> registers, Cycle ready, Stall cause) noexcept
    {
        for (const Register r : registers) entries_[r].give(ready, cause);
        if (cause != Stall::Fixed) last_.later({ready, cause});
    }
    void name(std::span<const Register> registers);
    [[nodiscard]] Wait readyOfMore(Wait wait, std::span<const Register> reads,
                                   std::span<const Register> writes);

    std::vector<Entry> entries_;  ///< of those that have been named
    Register named_{};            ///< so many entries
    Wait last_;
};

}  // namespace gsu::timing
