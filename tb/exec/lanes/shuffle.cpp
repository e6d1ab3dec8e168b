// shfl: lanes meet by (opcode with all qualifiers, member mask), D-18..D-20. Converged lanes are answered at once; lanes that arrive separately
// wait here.
#include "exec/lanes/shuffle.hpp"

#include <algorithm>

namespace gsu::exec {
namespace {

void sample(const Ctx& ctx, const MicroOp& op, Lanes lanes, MeetValues& v)
{
    if (op.a != kNoRow) {
        const std::uint64_t* a = ctx.src(op.a);
        eachLane(lanes, [&](unsigned l) { v.value[l] = a[l]; });
    }
    if (op.b != kNoRow) {
        const std::uint64_t* b = ctx.src(op.b);
        const std::uint64_t* c = ctx.src(op.c);
        eachLane(lanes, [&](unsigned l) {
            v.b[l] = static_cast<std::uint32_t>(b[l]);
            v.c[l] = static_cast<std::uint32_t>(c[l]);
        });
    }
    v.pred = (v.pred & ~lanes) | (ctx.pred(op.pa) & lanes);
}

/// Reports lanes that are not in their own member mask; their results are 0.
void refuse(RunState& s, const Ctx& ctx, const MicroOp& op, Lanes outside)
{
    s.findings.add({"VSYNC-009", Severity::Error,
                    "a lane executes the instruction but is not in its own member mask",
                    ctx.cta->linear, ctx.warp->index, outside, op.line, s.now()});
    ctx.setPred(op.pd, outside, 0);
    if (op.d != kNoRow) eachLane(outside, [&](unsigned l) { ctx.row(op.d)[l] = 0; });
}

/// The group's lanes wait there for the others.
void join(const Ctx& ctx, const MicroOp& op, Lanes lanes, OpenShuffle& open)
{
    Group& g = *ctx.group;
    sample(ctx, op, lanes, open.values);
    open.arrived |= lanes;
    open.parts.push_back({lanes, &op, g.regBase, g.predBase});
    g.state = GroupState::Shuffling;
    g.line = op.line;
    ++g.pc;
}

bool allSame(const std::uint64_t* values, Lanes lanes)
{
    const std::uint64_t first = values[__builtin_ctz(lanes)];
    bool same = true;
    eachLane(lanes, [&](unsigned l) { same = same && values[l] == first; });
    return same;
}

std::vector<OpenShuffle>::iterator openShuffleOf(Warp& warp, std::uint32_t key, Lanes mask)
{
    const auto found =
        std::find_if(warp.shuffles.begin(), warp.shuffles.end(),
                     [&](const OpenShuffle& m) { return m.key == key && m.mask == mask; });
    if (found != warp.shuffles.end()) return found;
    OpenShuffle& fresh = warp.shuffles.emplace_back();
    fresh.key = key;
    fresh.mask = mask;
    return warp.shuffles.end() - 1;
}

}  // namespace

void Shuffles::meet(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes)
{
    Group& g = warp.groups[index];
    if (lanes == 0) {
        ++g.pc;
        return;
    }
    Ctx ctx = s_.context(warp, g);
    const auto resolve = [&](Lanes those) {
        MeetValues values;
        sample(ctx, op, those, values);
        shuffle(ctx, op, those, those, values);
        ++g.pc;
    };
    // The legacy forms never wait: they cover the executing lanes (D-64).
    if (op.shuffle.atHand) return resolve(lanes);
    const std::uint64_t* masks = ctx.src(op.e);
    const auto mask = static_cast<Lanes>(masks[__builtin_ctz(lanes)]);
    if (!allSame(masks, lanes)) return static_cast<void>(lanes_.splitBy(warp, index, masks, lanes));
    const Lanes outside = lanes & ~mask, inside = lanes & mask;
    if (outside != 0) refuse(s_, ctx, op, outside);
    if (inside == 0) {
        ++g.pc;
        return;
    }
    const Lanes wanted = mask & warp.live;
    if ((wanted & ~inside) == 0) {
        g.readyAt = s_.now() + s_.ep.warp_sync_lat;
        return resolve(inside);
    }
    if (lanes != g.lanes)
        return lanes_.diverge(warp, index, g.lanes & ~lanes, g.pc + 1, g.pc, true);
    const auto found = openShuffleOf(warp, op.extra, mask);
    join(ctx, op, inside, *found);
    if ((wanted & ~found->arrived) == 0) {
        OpenShuffle done = std::move(*found);
        warp.shuffles.erase(found);
        finish(warp, done);
    }
}

void Shuffles::finish(Warp& warp, OpenShuffle& open)
{
    for (const OpenShuffle::Part& part : open.parts) {
        Ctx ctx;
        ctx.regs = warp.regs.data() + std::size_t{part.regBase} * 32;
        ctx.preds = warp.preds.data() + part.predBase;
        ctx.consts = s_.program.consts.data();
        shuffle(ctx, *part.op, part.lanes, open.arrived, open.values);
    }
    for (Lanes left = open.arrived; left != 0;) {
        const std::uint32_t i = groupOf(warp, left);
        if (i == ptx::kNone) break;
        Group& g = warp.groups[i];
        left &= ~g.lanes;
        if (g.state != GroupState::Shuffling) continue;
        g.readyAt = s_.now() + s_.ep.warp_sync_lat;
        lanes_.wake(warp, g);
    }
}

void Shuffles::check(Warp& warp, Lanes exited)
{
    for (std::size_t i = 0; i < warp.shuffles.size();) {
        OpenShuffle& m = warp.shuffles[i];
        m.arrived &= warp.live;
        std::erase_if(m.parts, [&](OpenShuffle::Part& p) { return (p.lanes &= warp.live) == 0; });
        if ((m.mask & exited) == 0 || m.parts.empty() || (m.mask & warp.live & ~m.arrived) != 0) {
            if (m.parts.empty()) {
                warp.shuffles.erase(warp.shuffles.begin() + static_cast<std::ptrdiff_t>(i));
            } else {
                ++i;
            }
            continue;
        }
        OpenShuffle done = std::move(m);
        warp.shuffles.erase(warp.shuffles.begin() + static_cast<std::ptrdiff_t>(i));
        finish(warp, done);
    }
}

}  // namespace gsu::exec
