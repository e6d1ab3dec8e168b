/// Calendar: the clocks of a scheduler and of its pipes that are taken, some thousand ahead. A warp that stalls takes clocks in the future; the
/// others use those before. A server with one next-free time would waste them.
#pragma once
#include <array>

#include "exec/timing/instruction.hpp"

namespace gsu::timing {

class Calendar {
public:
    static constexpr Cycle kAhead = 4096;  ///< clocks beyond which nothing is noted

    /// Takes the first clock, from `at` on, in which the scheduler issues nothing else and from which on the pipe is free for `clocks`, 1..64.
    /// Pipe::None: only the scheduler's own clock.
    Cycle take(Cycle at, Pipe pipe, unsigned clocks) noexcept;
    /// Nobody asks for a clock before `now` any more.
    void forget(Cycle now) noexcept
    {
        if (now >= begin_ + kBits) drop(now / kBits * kBits);
    }
    /// Clocks for which the pipe was taken; of Pipe::None: in which the scheduler issued.
    [[nodiscard]] Cycle busy(Pipe pipe) const noexcept
    {
        return busy_[static_cast<std::size_t>(pipe)];
    }

private:
    static constexpr Cycle kBits = 64;
    /// So many clocks of all that a scheduler has, side by side in memory: a bit for each that is taken. The row of Pipe::None is the scheduler's own.
    struct alignas(kBits) Clocks {
        std::array<std::uint64_t, kPipes> taken{};
    };
    [[nodiscard]] Cycle find(Cycle at, std::size_t row, unsigned clocks) const noexcept;
    void put(Cycle start, std::size_t row, unsigned clocks) noexcept;
    void drop(Cycle to) noexcept;

    std::array<Clocks, kAhead / kBits> ring_{};  ///< bit of a clock modulo kAhead
    Cycle begin_{};                              ///< a multiple of kBits
    std::array<Cycle, kPipes> busy_{};
};

}  // namespace gsu::timing
