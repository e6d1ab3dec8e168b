/// How a timeline numbers its processes and writes its times; private to timeline*.cpp.
#pragma once
#include <fmt/format.h>

#include <string>

#include "golden/types.hpp"

namespace gsu::timeline {

/// The process of a CTA slot.
inline unsigned processOf(std::uint8_t sm, std::uint8_t cta)
{
    return 1 + unsigned{sm} * kMaxCtas + cta;
}
inline std::uint64_t keyOf(unsigned pid, unsigned tid) { return std::uint64_t{pid} << 32 | tid; }
/// Chrome's unit is the microsecond.
inline std::string time(Cycle cycle) { return fmt::format("{}.{:03}", cycle / 1000, cycle % 1000); }

}  // namespace gsu::timeline
