/// Numbers of processes in a timeline; private to timeline*.cpp.
#pragma once
#include <cstdint>

#include "golden/types.hpp"

namespace gsu::timeline {

/// The process of a CTA slot.
inline unsigned processOf(std::uint8_t sm, std::uint8_t cta)
{
    return 1 + unsigned{sm} * kMaxCtas + cta;
}
inline std::uint64_t keyOf(unsigned pid, unsigned tid) { return std::uint64_t{pid} << 32 | tid; }

}  // namespace gsu::timeline
