/// What the files of Order share.
#pragma once
#include "golden/op_traits.hpp"
#include "races/order.hpp"

namespace gsu::races {

/// What is seen of those who do not release it, or not so far.
[[nodiscard]] inline Knowledge weakOf(const Knowledge& seen)
{
    Knowledge k;
    k.weak.join(seen.all);
    k.weak.join(seen.weak);
    k.unread.join(seen.unread);
    return k;
}

/// What a read has seen that does not acquire it.
[[nodiscard]] inline Knowledge unreadOf(const Knowledge& seen)
{
    Knowledge k;
    k.unread.join(seen.all);
    k.unread.join(seen.unread);
    k.weak.join(seen.weak);
    return k;
}

}  // namespace gsu::races
