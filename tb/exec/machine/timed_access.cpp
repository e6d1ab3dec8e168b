#include "exec/machine/timed_access.hpp"

#include "exec/ops/async_ops.hpp"
#include "exec/ops/mem_ops.hpp"

namespace gsu::exec {
namespace {

using timing::MemoryAccess;

MemoryAccess::Where whereOf(const Ctx& ctx, const Place& place)
{
    using enum MemoryAccess::Where;
    switch (place.where) {
        case Place::Where::Shared:
            return place.owner == nullptr || place.owner->launch.sm == ctx.cta->launch.sm ? Shared
                                                                                          : Remote;
        case Place::Where::Local:
        case Place::Where::Stack: return Local;
        case Place::Where::Const:
        case Place::Where::Param: return Constant;
        case Place::Where::None:
        case Place::Where::Global: break;
    }
    return Global;
}

/// Whether all lanes access the memory of the first of them.
void locate(Ctx& ctx, ptx::Space space, MemoryAccess& access)
{
    const auto first = static_cast<unsigned>(std::countr_zero(access.lanes.lanes));
    const Place place = ctx.parts->memory.locate(ctx, space, access.lanes.address[first],
                                                 access.lanes.bytes, first);
    access.where = whereOf(ctx, place);
    if (place.owner != nullptr) access.owner = place.owner->launch.sm;
    if (access.where != MemoryAccess::Where::Local) return;
    // Words of the lanes of a warp are adjacent.
    constexpr std::uint64_t kWord = 4;
    eachLane(access.lanes.lanes, [&](unsigned l) {
        access.lanes.address[l] = access.lanes.address[l] / kWord * kWord * 32 + kWord * l;
    });
}

void tellCopy(Ctx& ctx, const MicroOp& op, Lanes lanes)
{
    const Row* rows = ctx.parts->program.rows.data() + op.list;
    MemoryAccess from, to;
    from.where = MemoryAccess::Where::Global;
    from.lanes.lanes = to.lanes.lanes = lanes;
    from.lanes.bytes = to.lanes.bytes = op.copy.bytes;
    eachLane(lanes, [&](unsigned l) {
        const std::uint64_t base = rows[0] == kNoRow ? 0 : ctx.src(rows[0])[l];
        from.lanes.address[l] = base + ctx.src(rows[1])[l];
        to.lanes.address[l] = addressOf(ctx, op, l);
    });
    ctx.parts->state.timingAdapter->copyAsync(*ctx.warp, from, to);
}

}  // namespace

void paceAccess(Ctx& ctx, const MicroOp& op, Lanes lanes, const TimedInstruction& what)
{
    if (op.fn == cpAsyncOp) return tellCopy(ctx, op, lanes);
    TimingAdapter& adapter = *ctx.parts->state.timingAdapter;
    MemoryAccess access;
    access.matrix = what.what.cls == timing::InstructionClass::Matrix;
    // Rows of ldmatrix and stmatrix are at the addresses of the first lanes.
    if (access.matrix) lanes &= static_cast<Lanes>((std::uint64_t{1} << 8 * op.matrix.count) - 1);
    access.lanes.lanes = lanes;
    access.lanes.bytes =
        access.matrix ? 16u : std::max(4u, static_cast<unsigned>(op.bytes) * op.lanesOf);
    if (!access.matrix && op.bytes != 0) access.lanes.bytes = op.bytes * op.lanesOf;
    if (lanes == 0) return;
    eachLane(lanes, [&](unsigned l) { access.lanes.address[l] = addressOf(ctx, op, l); });
    locate(ctx, op.space, access);
    if (what.whole != 0) {
        access.lanes.bytes = what.whole;
        eachLane(lanes, [&](unsigned l) { access.lanes.address[l] += std::int64_t{what.shift}; });
    }
    const bool updates = op.touch == Touch::Updates;
    access.atomic = updates;
    access.cached = !updates && !what.uncached;
    const bool silent = op.fn == bulkZeroOp || op.fn == multimemStoreOp ||
                        op.fn == multimemReduceOp || op.touch == Touch::Writes ||
                        (updates && op.count == 0);
    if (silent && access.where != MemoryAccess::Where::Constant)
        adapter.store(*ctx.warp, access);
    else
        adapter.load(*ctx.warp, access);
}

}  // namespace gsu::exec
