/// Declarations that the files of Order share.
#pragma once
#include "golden/op_traits.hpp"
#include "races/order.hpp"

namespace gsu::races {

/// Knowledge that is passed on without a release, as relaxed arrivals and stores pass it.
[[nodiscard]] inline Knowledge weakOf(const Knowledge& seen)
{
    Knowledge k;
    k.weak.join(seen.all);
    k.weak.join(seen.weak);
    k.unread.join(seen.unread);
    return k;
}

/// Knowledge that a relaxed wait or load has seen and not acquired.
[[nodiscard]] inline Knowledge unreadOf(const Knowledge& seen)
{
    Knowledge k;
    k.unread.join(seen.all);
    k.unread.join(seen.unread);
    k.weak.join(seen.weak);
    return k;
}

}  // namespace gsu::races
