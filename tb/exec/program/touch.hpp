/// The effect of an instruction on the bytes at its address, and its part in the order of memory.
#pragma once
#include "golden/types.hpp"

namespace gsu {

/// Effect on bytes, in the generic proxy.
enum class Touch : std::uint8_t { None, Reads, Writes, Updates };

/// Part of an access in the order of memory.
struct Strength {
    bool strong{};  ///< relaxed, volatile, acquire, release, atomic: not a plain access
    Sem sem{};
    Scope scope{};
};

}  // namespace gsu
