/// Asynchronous copies in flight; private to tb/exec.
#pragma once
#include "exec/machine.hpp"

namespace gsu::exec {

struct AsyncState {
    std::uint64_t inFlight{};
};

}  // namespace gsu::exec
