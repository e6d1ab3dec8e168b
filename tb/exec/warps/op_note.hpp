/// What a warp last did at one instruction that may explain a hang: branches, synchronization, copies, stores, atomics, exits.
#pragma once
#include <cstdint>

#include "golden/types.hpp"

namespace gsu::exec {

struct OpNote {
    Cycle at{};        ///< last time that a lane executed it; of a branch: came to it
    Cycle passedAt{};  ///< last time that all lanes which came had its guard false
    std::uint32_t times{}, passed{};  ///< how often either happened
    Lanes ran{};                      ///< that executed it last; of a branch: that took it
    Lanes skipped{};  ///< whose guard was false then; of a branch: that did not take it
    std::uint64_t address{}, value{};  ///< of a store or an atomic: those of the lowest lane
};

}  // namespace gsu::exec
