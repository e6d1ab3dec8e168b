/// QueueWait: what a request waits, on average, at a server that others use at times of their own. Requests of SMs that are not simulated are known by their amount
/// alone, and servers here are never late before they are full. In hardware requests meet: the wait grows as load / (1 - load), long before that.
#pragma once
#include <algorithm>
#include <cstdint>

#include "exec/timing/ticks.hpp"

namespace gsu::timing {

class QueueWait {
public:
    /// `clocks`: the wait at half load.
    explicit QueueWait(std::uint32_t clocks) noexcept : atHalf_(ticksOf(clocks)) {}

    /// A request at `now` keeps the server busy for `service`. How long it waits.
    Ticks take(Ticks now, Ticks service) noexcept
    {
        if (now >= begun_ + kSpan) {
            before_ = now < begun_ + 2 * kSpan ? here_ : 0;
            begun_ = now / kSpan * kSpan;
            here_ = 0;
        }
        here_ += service;
        const Ticks gone = std::min(now - std::min(now, begun_), kSpan);
        const Ticks busy = here_ + before_ * (kSpan - gone) / kSpan;
        const Ticks load = std::min(busy * kWhole / kSpan, kMost);
        return atHalf_ * load / (kWhole - load);
    }

private:
    static constexpr Ticks kSpan = ticksOf(4096);  ///< over which the load is averaged
    static constexpr Ticks kWhole = 1000, kMost = 900;

    Ticks atHalf_;
    Ticks begun_{}, here_{}, before_{};  ///< this span, and what was asked for in it and in the one before
};

}  // namespace gsu::timing
