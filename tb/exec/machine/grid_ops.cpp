#include "exec/machine/grid_ops.hpp"

#include "exec/machine/machine.hpp"

namespace gsu::exec {

void gridSignalOp(Ctx& x, const MicroOp&, Lanes)
{
    if (x.cta->signalled) return;
    x.cta->signalled = true;
    RunState& state = x.machine->state;
    ++state.signalled;
    state.progress.changed();
}

void gridWaitOp(Ctx& x, const MicroOp& o, Lanes)
{
    if (!x.machine->state.gridsBefore) return;
    x.group->line = o.line;
    x.group->state = GroupState::Grids;
}

}  // namespace gsu::exec
