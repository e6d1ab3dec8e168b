/// Calendar: which of the next thousands of clocks of a scheduler, or of one of its pipes, are taken. A warp that stalls takes clocks in the future, and other
/// warps can still use those before. A server that knows only when it is free next would waste them.
#pragma once
#include <array>

#include "exec/timing/ticks.hpp"

namespace gsu::timing {

class Calendar {
public:
    static constexpr Cycle kAhead = 4096;  ///< clocks beyond which nothing is noted

    /// Takes the first `clocks` free ones in a row, from `at` on. 1..64.
    Cycle take(Cycle at, unsigned clocks) noexcept;
    /// What take() would return.
    [[nodiscard]] Cycle find(Cycle at, unsigned clocks) const noexcept;
    /// Takes these clocks, which find() has named.
    void put(Cycle start, unsigned clocks) noexcept;
    /// Nobody asks for a clock before `now` any more.
    void forget(Cycle now) noexcept
    {
        if (now >= begin_ + kBits) drop(now / kBits * kBits);
    }
    [[nodiscard]] Cycle busy() const noexcept { return busy_; }

private:
    static constexpr Cycle kBits = 64;
    [[nodiscard]] std::uint64_t from(Cycle at) const noexcept;
    [[nodiscard]] Cycle findOne(Cycle at) const noexcept;
    void drop(Cycle to) noexcept;

    std::array<std::uint64_t, kAhead / kBits> taken_{};  ///< a ring: bit of clock modulo kAhead
    Cycle begin_{};                                      ///< a multiple of kBits
    Cycle busy_{};
};

}  // namespace gsu::timing
