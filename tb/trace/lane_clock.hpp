/// Cycle in which each lane of a warp was last answered: the anchor of the warp's next record. One value while the warp stays together.
#pragma once
#include <algorithm>
#include <array>

#include "golden/types.hpp"

namespace gsu::trace {

class LaneClock {
public:
    /// `lanes` were answered in `cycle`; `live` are the live lanes of the warp.
    void set(Lanes lanes, Lanes live, Cycle cycle)
    {
        if ((lanes & live) == live) {
            all_ = cycle;
            uniform_ = true;
            return;
        }
        if (uniform_) each_.fill(all_);
        uniform_ = false;
        for (Lanes rest = lanes; rest != 0; rest &= rest - 1)
            each_[std::size_t(__builtin_ctz(rest))] = cycle;
    }
    [[nodiscard]] Cycle latest(Lanes lanes) const
    {
        if (uniform_) return all_;
        Cycle latest = 0;
        for (Lanes rest = lanes; rest != 0; rest &= rest - 1) {
            latest = std::max(latest, each_[std::size_t(__builtin_ctz(rest))]);
        }
        return latest;
    }

private:
    Cycle all_{};
    bool uniform_{true};
    std::array<Cycle, 32> each_{};
};

/// Lanes of warp `warp` in a CTA of `threads` threads.
[[nodiscard]] constexpr Lanes lanesOf(unsigned threads, unsigned warp) noexcept
{
    const unsigned first = warp * kLanes;
    if (threads <= first) return 0;
    return threads - first >= kLanes ? ~Lanes{0} : (Lanes{1} << (threads - first)) - 1;
}
[[nodiscard]] constexpr unsigned warpsOf(unsigned threads) noexcept
{
    return (threads + kLanes - 1) / kLanes;
}

}  // namespace gsu::trace
