#include "exec/async/remote_atomics.hpp"

#include "exec/alu/atomic.hpp"
#include "exec/memory/access.hpp"
#include "exec/state/run_parts.hpp"

namespace gsu::exec {
namespace {

bool isRed(const MicroOp& op) { return op.atom.red; }

}  // namespace

RemoteAtomic::RemoteAtomic(const Ctx& ctx, const MicroOp& op, Lanes lanes) noexcept
    : op_(&op),
      issuer_(keyOf(*ctx.cta)),
      at_(refOf(*ctx.warp)),
      regBase_(ctx.group->regBase),
      asked_(lanes),
      left_(lanes)
{
}

void RemoteAtomic::add(const Ctx& ctx, unsigned l, const Place& place, std::uint64_t address)
{
    Lane& lane = lane_[l];
    lane.owner = keyOf(*place.owner);
    lane.offset = place.offset;
    lane.address = address;
    const Row* in = ctx.parts->program.rows.data() + op_->list;
    const bool cas = op_->atom.kind == AtomOp::Cas;
    const unsigned sources = (op_->bytes == 16 ? 2u : 1u) * (cas ? 2u : 1u);
    for (unsigned i = 0; i < sources; ++i) lane.operands[i] = ctx.src(in[i])[l];
    if (isRed(*op_))
        lane.held = ctx.parts->memory.late().hold(ctx, l, place, address, lane.operands[0], *op_);
}

void RemoteAtomics::perform(RemoteAtomic& a, unsigned l)
{
    RemoteAtomic::Lane& lane = a.lane_[l];
    const MicroOp& op = *a.op_;
    // A red is reported when it is issued: its thread continues.
    if (const Cta* owner = residents_.live(lane.owner);
        owner != nullptr && s_.accesses != nullptr && !isRed(op)) {
        Access told;
        told.at = a.at_;
        told.lanes = Lanes{1} << l;
        told.line = op.line;
        told.touch = Touch::Updates;
        told.order = op.order;
        told.cycle = s_.now();
        told.range[l] = {lane.offset, op.bytes, owner->launch.sm, owner->launch.cta};
        s_.accesses->onAccess(told);
    }
    if (isRed(op)) return memory_.late().performHeld(lane.held);
    Cta* owner = residents_.live(lane.owner);
    const Cta* issuer = residents_.live(a.issuer_);
    if (owner == nullptr || issuer == nullptr) return;
    const Place place{memory_.shared(*owner, lane.offset), owner, lane.offset,
                      Place::Where::Shared};
    memory_.late().beforeWrite(*issuer, place, lane.address, op.bytes);
    const AtomStep step = atomStep(op, place.bytes, lane.operands);
    lane.old = step.old;
    memory_.write(place, step.next.data(), op.bytes);
    memory_.stored(*owner, lane.offset, op.bytes,
                   {issuer->linear, a.at_.warp, Lanes{1} << l, op.line});
}

bool RemoteAtomics::delivered(const Delivered& d)
{
    const auto found = open_.find(s_.resources.chip().packetName(d.sm, d.tag));
    if (found == open_.end()) return false;
    RemoteAtomic& a = found->second;
    const Lanes lanes = d.lanes & a.left_;
    a.left_ &= ~lanes;
    // Dropped data have no reader: the red is not pending any more.
    if (!d.refused || isRed(*a.op_)) eachLane(lanes, [&](unsigned l) { perform(a, l); });
    if (a.left_ == 0 && isRed(*a.op_)) open_.erase(found);
    return true;
}

void RemoteAtomics::answered(Warp& warp, std::uint32_t packet)
{
    const auto found = open_.find(packet);
    // A red that is delivered gives its name back before its answer: an atomic of another SM can have it by now.
    if (found == open_.end() || found->second.at_ != refOf(warp)) return;
    const RemoteAtomic& a = found->second;
    const MicroOp& op = *a.op_;
    if (isRed(op)) {
        eachLane(a.left_, [&](unsigned l) { memory_.late().left(a.lane_[l].held); });
        return;
    }
    const Row* out = s_.program.rows.data() + op.target;
    for (unsigned i = 0; i < op.count; ++i) {
        if (out[i] == kNoRow) continue;
        std::uint64_t* row =
            warp.regs.data() + (a.regBase_ + static_cast<std::size_t>(out[i])) * 32;
        eachLane(a.asked_, [&](unsigned l) { row[l] = a.lane_[l].old[i]; });
    }
    open_.erase(found);
}

}  // namespace gsu::exec
