/// What an instruction does to the bytes at its address, and how it orders memory.
#pragma once
#include "golden/types.hpp"

namespace gsu {

/// In the generic proxy.
enum class Touch : std::uint8_t { None, Reads, Writes, Updates };

/// How an access takes part in the order of memory.
struct Strength {
    bool strong{};  ///< relaxed, volatile, acquire, release, atomic: not a plain access
    Sem sem{};
    Scope scope{};
};

}  // namespace gsu
