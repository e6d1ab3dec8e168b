/// Types that parts of the follower share: a difference, and the time after which an event counts as missing.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "golden/port_types.hpp"

namespace gsu::lockstep {

/// A difference; the caller adds the report of the device.
struct Problem {
    std::string what, golden, before;
};
using Verdict = std::optional<Problem>;

[[nodiscard]] inline Problem off(const char* field, const std::string& golden,
                                 const std::string& before = "")
{
    return {std::string(field) + " differs", golden, before};
}

/// The time that the device may take for a report (D-70).
class TimeLimit {
public:
    [[nodiscard]] static TimeLimit clocks(Cycle now, Cycle bound) noexcept { return {now, bound}; }
    /// For a device that reports that nothing will happen without input: every open event is missing.
    [[nodiscard]] static TimeLimit idle(Cycle now) noexcept { return {now, 0}; }

    [[nodiscard]] Cycle now() const noexcept { return now_; }
    [[nodiscard]] bool idle() const noexcept { return bound_ == 0; }
    /// Whether an event that has been open since that cycle is overdue.
    [[nodiscard]] bool passed(Cycle since) const noexcept
    {
        return now_ >= since && now_ - since >= bound_;
    }

private:
    TimeLimit(Cycle now, Cycle bound) noexcept : now_(now), bound_(bound) {}
    Cycle now_, bound_;
};

/// The part of a tag that commits carry: 12 bits, while asynchronous operations have tags of 16.
[[nodiscard]] constexpr std::uint16_t tagOfCommit(std::uint16_t tag) noexcept
{
    return tag & 0xfff;
}

}  // namespace gsu::lockstep
