/// Reports findings about the instruction that executes.
#pragma once
#include <string>

#include "exec/state/run_state.hpp"

namespace gsu::exec {

/// What these lanes did wrong, or should not have done.
void report(const Ctx& ctx, const MicroOp& op, const char* rule, Severity severity,
            std::string message, Lanes lanes);
/// A matrix instruction that not all 32 threads of the warp execute (TEN-001). `what` names it.
void checkWhole(const Ctx& ctx, const MicroOp& op, Lanes lanes, const char* what);

}  // namespace gsu::exec
