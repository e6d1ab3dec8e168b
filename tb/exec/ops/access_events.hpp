/// What an AccessObserver is told of instructions that access memory; private to tb/exec.
#pragma once
#include "exec/program/micro_op.hpp"

namespace gsu::exec {

/// These lanes are about to execute it. Pre: somebody watches, op.touch is not None. Atomics on other CTAs' shared memory are told of when they are performed.
void tellAccess(const Ctx& x, const MicroOp& op, Lanes lanes);

}  // namespace gsu::exec
