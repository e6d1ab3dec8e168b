/// The last execution by a warp of one instruction that may explain a hang: branches, synchronization, copies, stores, atomics, exits.
#pragma once
#include <cstdint>

#include "golden/types.hpp"

namespace gsu::exec {

struct OpNote {
    Cycle at{};        ///< last time that a lane executed it; of a branch: reached it
    Cycle passedAt{};  ///< last time that the guard was false for all lanes that reached it
    std::uint32_t times{}, passed{};  ///< number of either
    Lanes ran{};                      ///< lanes that executed it last; of a branch: took it
    Lanes skipped{};  ///< lanes whose guard was false then; of a branch: did not take it
    std::uint64_t address{}, value{};  ///< of a store or an atomic: those of the lowest lane
};

}  // namespace gsu::exec
