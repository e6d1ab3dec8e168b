/// griddepcontrol as micro-operations; private to tb/exec.
#pragma once
#include "exec/machine/context.hpp"

namespace gsu::exec {

/// launch_dependents: the CTA's first one counts (GDC-003).
void gridSignalOp(Ctx& x, const MicroOp& o, Lanes lanes);
/// wait: until the launches before this one have ended (GDC-005); at once when there are none (GDC-008).
void gridWaitOp(Ctx& x, const MicroOp& o, Lanes lanes);

}  // namespace gsu::exec
