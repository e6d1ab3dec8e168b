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
        entries_.clear();
        last_ = {};
    }
    /// Not before `wait`, and when `reads` have their values and `writes` may be given new ones: their last value has arrived and whoever reads it
    /// has issued.
    [[nodiscard]] Wait ready(Wait wait, std::span<const Register> reads,
                             std::span<const Register> writes) const noexcept
    {
        for (const Register r : reads) {
            if (r < entries_.size()) wait.later({entries_[r].ready, entries_[r].cause});
        }
        for (const Register r : writes) {
            if (r >= entries_.size()) continue;
            const Entry& e = entries_[r];
            // The arithmetic pipes end in the order in which they begin; loads and the like do not.
            if (e.cause != Stall::Fixed) wait.later({e.ready, e.cause});
            wait.later({e.readAt, Stall::Fixed});
        }
        return wait;
    }
    /// An instruction that reads these has issued.
    void read(std::span<const Register> registers, Cycle issued)
    {
        for (const Register r : registers) {
            Entry& e = at(r);
            e.readAt = std::max(e.readAt, issued + 1);
        }
    }
    /// One that gives these their values at `ready` has issued.
    void write(std::span<const Register> registers, Cycle ready, Stall cause)
    {
        for (const Register r : registers) {
            Entry& e = at(r);
            e.ready = ready;
            e.cause = cause;
            ++e.writes;
        }
        if (cause != Stall::Fixed) last_.later({ready, cause});
    }
    /// Writes to a register so far: two addresses with one base and version differ by their offsets only.
    [[nodiscard]] std::uint64_t version(Register r) const noexcept
    {
        return r < entries_.size() ? entries_[r].writes : 0;
    }
    /// When the last load under way arrives; fences and releases wait for it.
    [[nodiscard]] Wait last() const noexcept { return last_; }

private:
    struct alignas(32) Entry {  // a whole part of a line of the host's cache
        Cycle ready{}, readAt{};
        std::uint32_t writes{};
        Stall cause{};
    };
    [[nodiscard]] Entry& at(Register r)
    {
        constexpr std::size_t kRoom = 32;
        if (r >= entries_.size()) [[unlikely]]
            entries_.resize(r + kRoom);
        return entries_[r];
    }

    std::vector<Entry> entries_;  ///< of those that have been named
    Wait last_;
};

}  // namespace gsu::timing
