/// Reports findings about the instruction that executes.
#pragma once
#include <string>

#include "exec/state/run_state.hpp"

namespace gsu::exec {

/// Reports an error or a warning about these lanes.
void report(const Ctx& ctx, const MicroOp& op, const char* rule, Severity severity,
            std::string message, Lanes lanes);
/// Reports a matrix instruction that not all 32 threads of the warp execute (TEN-001). `what` names it.
void checkWhole(const Ctx& ctx, const MicroOp& op, Lanes lanes, const char* what);

}  // namespace gsu::exec
