/// FenceServer: the fences of one SM that reach beyond the CTA. The SM sends off one at a time; those that come meanwhile go together afterwards.
#pragma once
#include <algorithm>

#include "exec/timing/ticks.hpp"

namespace gsu::timing {

class FenceServer {
public:
    /// `interval`: clocks from one fence until the next may begin.
    explicit FenceServer(Cycle interval) noexcept : interval_(interval) {}

    /// When a fence that is ready at `at` begins.
    [[nodiscard]] Cycle next(Cycle at) const noexcept
    {
        return at < begun_ + kTogether ? at : std::max(at, free_);
    }
    /// A fence begins.
    void begin(Cycle at) noexcept
    {
        if (at < free_) return;  // it goes with the last one
        begun_ = at;
        free_ = at + interval_;
    }

private:
    /// Clocks in which fences begin together: those of ten warps that leave a barrier do, and of twelve not (tests/hardware, row fenceLast).
    static constexpr Cycle kTogether = 20;

    Cycle interval_;
    Cycle begun_{}, free_{};
};

}  // namespace gsu::timing
