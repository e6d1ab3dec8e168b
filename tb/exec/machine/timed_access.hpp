/// Describes memory instructions to the timing model: the addresses that they access.
#pragma once
#include "exec/memory/access.hpp"
#include "exec/timing/timing_model.hpp"

namespace gsu::exec {

/// Reports to the timing model the addresses of the load, store, atomic or cp.async that is about to be executed.
void paceAccess(Ctx& ctx, const MicroOp& op, Lanes lanes, const TimedInstruction& what);

}  // namespace gsu::exec
