/// What the parts of the follower tell it: a difference, and when something counts as missing.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "golden/port_types.hpp"

namespace gsu::lockstep {

/// A difference; the caller adds what the device said.
struct Problem {
    std::string what, golden, before;
};
using Verdict = std::optional<Problem>;

[[nodiscard]] inline Problem off(const char* field, const std::string& golden,
                                 const std::string& before = "")
{
    return {std::string(field) + " differs", golden, before};
}

/// How long the device may take for what it has to report (D-70).
class TimeLimit {
public:
    [[nodiscard]] static TimeLimit clocks(Cycle now, Cycle bound) noexcept { return {now, bound}; }
    /// The device says that nothing will happen without input: whatever is still open is missing.
    [[nodiscard]] static TimeLimit idle(Cycle now) noexcept { return {now, 0}; }

    [[nodiscard]] Cycle now() const noexcept { return now_; }
    [[nodiscard]] bool idle() const noexcept { return bound_ == 0; }
    /// What has been open since that cycle is overdue.
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
