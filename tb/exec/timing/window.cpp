#include "exec/timing/window.hpp"

#include <algorithm>

namespace gsu::timing {

Wait Window::earliest(Order order, const Footprint& footprint) const noexcept
{
    Wait wait{floor_, Stall::Issue};
    if (order == Order::Fixed) {
        wait.later({front_, last_});
        return wait;
    }
    const Past& oldest = ring_[next_];  // the window is full of what came after it
    wait.later({oldest.front, last_});
    if (order == Order::Free) return wait;
    for (const Past& p : ring_) {
        const bool memory =
            p.order == Order::Store || (p.order == Order::Load && order == Order::Store);
        if (memory && p.at + 1 > wait.at && mayAlias(p.footprint, footprint))
            wait.later({p.at + 1, p.why});
    }
    return wait;
}

void Window::issued(Order order, const Footprint& footprint, Cycle at, std::uint32_t hold,
                    Stall why) noexcept
{
    if (at + hold > front_) {
        front_ = at + hold;
        last_ = why;
    }
    if (order == Order::Fixed) floor_ = front_;
    ring_[next_] = {front_, at, why, order, footprint};
    next_ = next_ + 1 < ring_.size() ? next_ + 1 : 0;
}

}  // namespace gsu::timing
