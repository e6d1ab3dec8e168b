/// Reports instructions that access memory to an AccessObserver; private to tb/exec.
#pragma once
#include "exec/program/micro_op.hpp"

namespace gsu::exec {

/// Reports that `lanes` are about to execute `op`. Pre: an observer is registered, op.touch is not None. Atomics on other CTAs' shared memory are reported when
/// they are performed.
void tellAccess(const Ctx& x, const MicroOp& op, Lanes lanes);

}  // namespace gsu::exec
