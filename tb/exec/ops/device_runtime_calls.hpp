/// vprintf, malloc, free and __assertfail of the device runtime; private to tb/exec.
#pragma once
#include "exec/program/micro_op.hpp"

namespace gsu::exec {

/// Calls a function; `extra` indexes Program::builtins.
void builtinOp(Ctx& x, const MicroOp& o, Lanes lanes);

}  // namespace gsu::exec
