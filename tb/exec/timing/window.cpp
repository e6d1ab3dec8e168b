#include "exec/timing/window.hpp"

namespace gsu::timing {

Wait Window::behind(Wait wait, Order order, const Footprint& footprint) const noexcept
{
    for (const Past& p : ring_) {
        const bool memory =
            p.order == Order::Store || (p.order == Order::Load && order == Order::Store);
        if (memory && p.at + 1 > wait.at && mayAlias(p.footprint, footprint))
            wait.later({p.at + 1, p.why});
    }
    return wait;
}

}  // namespace gsu::timing
