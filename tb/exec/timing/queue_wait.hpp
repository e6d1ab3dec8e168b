/// QueueWait: how long a request waits, on average, at a server that others use at times of their own. Servers here make nobody wait before they are full, for the
/// requests of SMs that are not simulated are known by their amount alone. In hardware requests meet: the wait grows as load / (1 - load), long before that.
#pragma once
#include <algorithm>
#include <cstdint>

#include "exec/timing/ticks.hpp"

namespace gsu::timing {

class QueueWait {
public:
    /// `clocks`: the wait at half load.
    explicit QueueWait(std::uint32_t clocks) noexcept : atHalf_(ticksOf(clocks)) {}

    /// A request at `now` keeps the server busy for `service`. How long it waits for those before it.
    Ticks take(Ticks now, Ticks service) noexcept
    {
        const Ticks gone = std::min(std::max(now, last_) - last_, kSpan);
        busy_ -= busy_ * (gone / kTicks) / (kSpan / kTicks);
        last_ = std::max(now, last_);
        const Ticks load = std::min(busy_ * kWhole / kSpan, kMost);
        busy_ += service;
        return atHalf_ * load / (kWhole - load);
    }

private:
    static constexpr Ticks kSpan = ticksOf(16384);  ///< over which the load is averaged
    /// Beyond this load the requests are as many as there are SMs to make them: they wait for the server itself.
    static constexpr Ticks kWhole = 1000, kMost = 880;

    Ticks atHalf_;
    Ticks last_{}, busy_{};  ///< the last request; time that was asked for, the older the less
};

}  // namespace gsu::timing
