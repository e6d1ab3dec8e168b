#include "exec/tcgen05/tcgen05_ops.hpp"

#include "exec/state/run_parts.hpp"
#include "exec/tcgen05/tensor_cores.hpp"

namespace gsu::exec {
namespace {

TensorCores& coresOf(const Ctx& x) { return x.parts->tensorCores; }

/// Calls f for each thread, until one has a fault.
template <class F> void eachThread(const Ctx& x, Lanes lanes, F&& f)
{
    eachLane(lanes, [&](unsigned l) {
        if (x.fault.lanes == 0) f(l);
    });
}

}  // namespace

void tcgen05AllocOp(Ctx& x, const MicroOp& o, Lanes lanes) { coresOf(x).alloc(x, o, lanes); }
void tcgen05DeallocOp(Ctx& x, const MicroOp& o, Lanes lanes) { coresOf(x).dealloc(x, o, lanes); }
void tcgen05RelinquishOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    coresOf(x).relinquish(x, o, lanes);
}

void tcgen05MoveOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    o.tcgen05.stores ? coresOf(x).store(x, o, lanes) : coresOf(x).load(x, o, lanes);
}

void tcgen05WaitOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    coresOf(x).wait(x, o, lanes, o.tcgen05.stores ? TensorOp::Kind::Store : TensorOp::Kind::Load);
}

void tcgen05MultiplyOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    eachThread(x, lanes, [&](unsigned l) { coresOf(x).multiply(x, o, l); });
}

void tcgen05CopyOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    eachThread(x, lanes, [&](unsigned l) { coresOf(x).copy(x, o, l); });
}

void tcgen05ShiftOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    eachThread(x, lanes, [&](unsigned l) { coresOf(x).shift(x, o, l); });
}

void tcgen05CommitOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    eachThread(x, lanes, [&](unsigned l) { coresOf(x).commit(x, o, l); });
}

void tcgen05FenceOp(Ctx& x, const MicroOp& o, Lanes) { coresOf(x).fence(x, o.tcgen05.before); }

}  // namespace gsu::exec
