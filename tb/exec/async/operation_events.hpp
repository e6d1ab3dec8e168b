/// Reports asynchronous operations to an AccessObserver; private to tb/exec.
#pragma once
#include "exec/async/async_engines.hpp"

namespace gsu::exec {

/// Reports the operation. Pre: there is an observer.
void tellLate(RunState& state, const LateAtomic& atomic);

}  // namespace gsu::exec
