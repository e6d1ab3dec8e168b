/// Time inside the servers, in thousandths of a clock, so that a rate that is no whole number of bytes a clock is exact and deterministic.
#pragma once
#include "golden/types.hpp"

namespace gsu::timing {

using Ticks = std::uint64_t;
inline constexpr Ticks kTicks = 1000;  ///< in a clock

[[nodiscard]] constexpr Ticks ticksOf(Cycle clocks) noexcept { return clocks * kTicks; }
/// The first clock that is not before `time`.
[[nodiscard]] constexpr Cycle clocksOf(Ticks time) noexcept { return (time + kTicks - 1) / kTicks; }
/// How long `amount` takes at `rate` in a thousand clocks.
[[nodiscard]] constexpr Ticks timeFor(std::uint64_t amount, std::uint64_t rate) noexcept
{
    return (amount * kTicks * 1000 + rate - 1) / rate;
}

/// When something begins and ends.
struct Span {
    Ticks start{}, end{};
    bool operator==(const Span&) const = default;
};

}  // namespace gsu::timing
