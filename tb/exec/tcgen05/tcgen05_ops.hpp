/// tcgen05 as micro-operations; private to tb/exec.
#pragma once
#include "exec/warps/context.hpp"

namespace gsu::exec {

void tcgen05AllocOp(Ctx& x, const MicroOp& o, Lanes lanes);
void tcgen05DeallocOp(Ctx& x, const MicroOp& o, Lanes lanes);
void tcgen05RelinquishOp(Ctx& x, const MicroOp& o, Lanes lanes);
/// ld and st (Tcgen05Operands).
void tcgen05MoveOp(Ctx& x, const MicroOp& o, Lanes lanes);
void tcgen05WaitOp(Ctx& x, const MicroOp& o, Lanes lanes);
void tcgen05MultiplyOp(Ctx& x, const MicroOp& o, Lanes lanes);
void tcgen05CopyOp(Ctx& x, const MicroOp& o, Lanes lanes);
void tcgen05ShiftOp(Ctx& x, const MicroOp& o, Lanes lanes);
void tcgen05CommitOp(Ctx& x, const MicroOp& o, Lanes lanes);
void tcgen05FenceOp(Ctx& x, const MicroOp& o, Lanes lanes);

}  // namespace gsu::exec
