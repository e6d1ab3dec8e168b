#include "exec/timing/window.hpp"

#include <bit>

namespace gsu::timing {

Wait Window::behind(Wait wait, Order order, const Footprint& footprint) const noexcept
{
    std::uint64_t left = order == Order::Store ? accessed_ : stores_;
    for (; left != 0; left &= left - 1) {
        const Access& a = accesses_[static_cast<std::size_t>(std::countr_zero(left))];
        if (a.at + 1 > wait.at && mayAlias(a.footprint, footprint)) wait = {a.at + 1, a.why};
    }
    return wait;
}

}  // namespace gsu::timing
