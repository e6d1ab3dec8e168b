/// Scoreboard of a warp: for each register the time from which on it holds its value, and what a reader waits for until then.
#pragma once
#include <span>
#include <vector>

#include "exec/timing/instruction.hpp"

namespace gsu::timing {

class Scoreboard {
public:
    /// A warp begins.
    void begin() noexcept
    {
        for (std::vector<Entry>& list : entries_) list.clear();
        last_ = {};
    }
    /// When `reads` have their values and `writes` may be given new ones: their last value has arrived and whoever reads it has issued.
    [[nodiscard]] Wait ready(std::span<const Register> reads,
                             std::span<const Register> writes) const noexcept;
    /// An instruction that reads these has issued.
    void read(std::span<const Register> registers, Cycle issued);
    /// One that gives these their values at `ready` has issued.
    void write(std::span<const Register> registers, Cycle ready, Stall cause);
    /// Writes to a register so far: two addresses with one base and version differ by their offsets only.
    [[nodiscard]] std::uint64_t version(Register r) const noexcept;
    /// When the last load under way arrives; fences and releases wait for it.
    [[nodiscard]] Wait last() const noexcept { return last_; }

private:
    struct alignas(32) Entry {  // a whole part of a line of the host's cache
        Cycle ready{}, readAt{};
        std::uint32_t writes{};
        Stall cause{};
    };
    [[nodiscard]] const Entry* find(Register r) const noexcept
    {
        const std::vector<Entry>& list = entries_[r / kPredicate];
        const std::size_t index = r % kPredicate;
        return index < list.size() ? &list[index] : nullptr;
    }
    [[nodiscard]] Entry& at(Register r)
    {
        std::vector<Entry>& list = entries_[r / kPredicate];
        const std::size_t index = r % kPredicate;
        return index < list.size() ? list[index] : added(r);
    }
    [[nodiscard]] Entry& added(Register r);

    std::array<std::vector<Entry>, 2> entries_;  ///< registers, predicates
    Wait last_;
};

}  // namespace gsu::timing
