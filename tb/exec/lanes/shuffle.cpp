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

/// Lanes that are not in their own member mask: a finding, and their results are 0.
void refuse(RunState& s, const Ctx& ctx, const MicroOp& op, Lanes outside)
{
    s.findings.add({"VSYNC-009", Severity::Error,
                    "a lane executes the instruction but is not in its own member mask",
                    ctx.cta->linear, ctx.warp->index, outside, op.line, s.now()});
    ctx.setPred(op.pd, outside, 0);
    if (op.d != kNoRow) eachLane(outside, [&](unsigned l) { ctx.row(op.d)[l] = 0; });
}

/// The group's lanes wait there for the others.
void join(const Ctx& ctx, const MicroOp& op, Lanes lanes, Meeting& meeting)
{
    Group& g = *ctx.group;
    sample(ctx, op, lanes, meeting.values);
    meeting.arrived |= lanes;
    meeting.parts.push_back({lanes, &op, g.regBase, g.predBase});
    g.state = GroupState::Meeting;
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

std::vector<Meeting>::iterator meetingOf(Warp& warp, std::uint32_t key, Lanes mask)
{
    const auto found =
        std::find_if(warp.meetings.begin(), warp.meetings.end(),
                     [&](const Meeting& m) { return m.key == key && m.mask == mask; });
    if (found != warp.meetings.end()) return found;
    Meeting& fresh = warp.meetings.emplace_back();
    fresh.key = key;
    fresh.mask = mask;
    return warp.meetings.end() - 1;
}

}  // namespace

void Meetings::meet(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes)
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
    // The legacy forms never wait: they cover the lanes at hand (D-64).
    if (op.aux[3] != 0) return resolve(lanes);
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
    const auto found = meetingOf(warp, op.extra, mask);
    join(ctx, op, inside, *found);
    if ((wanted & ~found->arrived) == 0) {
        Meeting done = std::move(*found);
        warp.meetings.erase(found);
        finish(warp, done);
    }
}

void Meetings::finish(Warp& warp, Meeting& meeting)
{
    for (const Meeting::Part& part : meeting.parts) {
        Ctx ctx;
        ctx.regs = warp.regs.data() + std::size_t{part.regBase} * 32;
        ctx.preds = warp.preds.data() + part.predBase;
        ctx.consts = s_.program.consts.data();
        shuffle(ctx, *part.op, part.lanes, meeting.arrived, meeting.values);
    }
    for (Lanes left = meeting.arrived; left != 0;) {
        const std::uint32_t i = groupOf(warp, left);
        if (i == ptx::kNone) break;
        Group& g = warp.groups[i];
        left &= ~g.lanes;
        if (g.state != GroupState::Meeting) continue;
        g.readyAt = s_.now() + s_.ep.warp_sync_lat;
        lanes_.wake(warp, g);
    }
}

void Meetings::check(Warp& warp, Lanes exited)
{
    for (std::size_t i = 0; i < warp.meetings.size();) {
        Meeting& m = warp.meetings[i];
        m.arrived &= warp.live;
        std::erase_if(m.parts, [&](Meeting::Part& p) { return (p.lanes &= warp.live) == 0; });
        if ((m.mask & exited) == 0 || m.parts.empty() || (m.mask & warp.live & ~m.arrived) != 0) {
            if (m.parts.empty()) {
                warp.meetings.erase(warp.meetings.begin() + static_cast<std::ptrdiff_t>(i));
            } else {
                ++i;
            }
            continue;
        }
        Meeting done = std::move(m);
        warp.meetings.erase(warp.meetings.begin() + static_cast<std::ptrdiff_t>(i));
        finish(warp, done);
    }
}

}  // namespace gsu::exec
