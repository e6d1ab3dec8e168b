/// Reports asynchronous operations to an AccessObserver; private to tb/exec.
#pragma once
#include "exec/async/async_engines.hpp"

namespace gsu::exec {

/// Pre: somebody watches.
void tellLate(RunState& state, const LateAtomic& atomic);

}  // namespace gsu::exec
