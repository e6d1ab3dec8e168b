// Records of the accesses of asynchronous operations (copies, tensor copies, atomics), for an AccessObserver.
#include "exec/async/operation_events.hpp"

#include "exec/async/matrix_engine.hpp"
#include "exec/state/run_state.hpp"

namespace gsu::exec {
namespace {

MemoryRange rangeOf(const CtaKey& cta, std::uint64_t at, std::uint32_t bytes)
{
    return cta.sm == kNoSm ? MemoryRange{at, bytes} : MemoryRange{at, bytes, cta.sm, cta.slot};
}

/// Adds the bytes of a destination that a mask selects of every 16.
void addMasked(AsyncOp& op, const Copy& c)
{
    for (std::uint32_t at = 0; at < c.bytes; ++at) {
        if ((c.mask >> at % 16 & 1) != 0)
            AsyncOp::add(op.writes, rangeOf(c.to, c.destination + at, 1));
    }
}

void addRuns(AsyncOp& op, const Copy& c)
{
    const Tile& tile = *c.tile;
    const CtaKey& here = tile.store ? c.from : c.to;
    const CtaKey global{kNoSm, 0, 0};
    for (const TileRun& run : tile.runs) {
        const MemoryRange shared = rangeOf(here, run.shared, run.bytes),
                          outside = rangeOf(global, run.global, run.global == 0 ? 0 : run.bytes);
        if (tile.store && run.global == 0) continue;  // outside the tensor
        AsyncOp::add(op.reads, tile.store ? shared : outside);
        AsyncOp::add(op.writes, tile.store ? outside : shared);
    }
}

}  // namespace

void AsyncEngines::tell(Copy& c)
{
    AsyncOp op;
    op.kind = c.generic ? AsyncOp::Kind::CpAsync : AsyncOp::Kind::Bulk;
    op.until = c.completes ? AsyncOp::Until::Mbarrier : AsyncOp::Until::Group;
    op.at = {c.issuer.sm, c.issuer.slot, c.warp};
    op.lanes = Lanes{1} << c.lane;
    op.line = c.line;
    op.name = c.name = ++names_;
    op.sm = c.mbarrierOwner.sm;
    op.slot = c.mbarrierOwner.slot;
    op.mbarrier = c.mbarrier;
    op.updates = c.reduces;
    if (c.tile != nullptr) {
        addRuns(op, c);
    } else {
        AsyncOp::add(op.reads, rangeOf(c.from, c.source, c.valid));
        if (c.mask != 0xffff)
            addMasked(op, c);
        else if (!c.nowhere)
            AsyncOp::add(op.writes, rangeOf(c.to, c.destination, c.bytes));
    }
    op.cycle = s_.now();
    s_.accesses->onAsync(op);
}

void tellLate(RunState& state, const LateAtomic& atomic)
{
    AsyncOp op;
    op.kind = AsyncOp::Kind::Late;
    op.until = AsyncOp::Until::End;
    op.at = atomic.at;
    op.lanes = Lanes{1} << atomic.lane;
    op.line = atomic.line;
    op.updates = true;
    AsyncOp::add(op.writes, {atomic.address, atomic.bytes});
    op.cycle = state.now();
    state.accesses->onAsync(op);
}

void MatrixEngine::tell(const Ctx& x, const Operation& o, Lanes lanes)
{
    AsyncOp op;
    op.kind = AsyncOp::Kind::Matrix;
    op.at = refOf(*x.warp);
    op.lanes = lanes;
    op.line = o.line;
    const Launch& launch = x.cta->launch;
    op.reads.reserve(o.reads->runs.size());
    for (const auto& [at, bytes] : o.reads->runs)
        op.reads.push_back({at, bytes, launch.sm, launch.cta});
    op.cycle = s_.now();
    s_.accesses->onAsync(op);
}

}  // namespace gsu::exec
