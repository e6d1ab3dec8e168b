// vote, match, redux, elect and shfl: lanes meet by (opcode with all qualifiers, member mask), D-18..D-21. Converged lanes
// are answered at once; lanes that arrive separately wait here. Rules: VSYNC-003..009, MATCH-004..009, REDUX-004..011,
// ELECT-004..007, BWS-010, VOTE-002..004, AMASK-002.
#include "exec/machine/meetings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exec/machine/old_targets.hpp"

namespace gsu::exec {
namespace {

const char* outsideRule(Meet family)
{
    switch (family) {
        case Meet::Vote: return "VSYNC-009";
        case Meet::Match: return "MATCH-008";
        case Meet::Redux: return "REDUX-011";
        case Meet::Elect: return "ELECT-006";
        case Meet::Shfl: return "VSYNC-009";
    }
    return "VSYNC-009";
}

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
    s.findings.add({outsideRule(static_cast<Meet>(op.aux[0])), Severity::Error,
                    "a lane executes the instruction but is not in its own member mask",
                    ctx.cta->linear, ctx.warp->index, outside, op.line, s.now()});
    ctx.setPred(op.pd, outside, 0);
    if (op.d != kNoRow) eachLane(outside, [&](unsigned l) { ctx.row(op.d)[l] = 0; });
}

/// Votes of one member mask that cannot meet (VSYNC-008).
void checkVotes(RunState& s, const Warp& warp, const MicroOp& op, Lanes mask, Lanes lanes)
{
    for (const Meeting& m : warp.meetings) {
        if (m.mask != mask || m.key == op.extra) continue;
        const MicroOp& other = *m.parts.front().op;
        if (static_cast<Meet>(other.aux[0]) != Meet::Vote) continue;
        s.findings.add({"VSYNC-008", Severity::Error,
                        fmt::format("lanes of one member mask execute vote.sync with different "
                                    "qualifiers (others at {})",
                                    s.module.lineText(other.line)),
                        warp.cta->linear, warp.index, lanes, op.line, s.now()});
    }
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
    const auto family = static_cast<Meet>(op.aux[0]);
    Ctx ctx = s_.context(warp, g);
    const auto resolve = [&](Lanes those) {
        MeetValues values;
        sample(ctx, op, those, values);
        resolveMeet(ctx, op, those, those, values);
        ++g.pc;
    };
    // The legacy forms never wait: they cover the lanes at hand (VOTE-002, D-64).
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
    if (family == Meet::Vote) checkConverged(s_, warp, Op::VoteSync, mask, inside, op.line);
    if ((wanted & ~inside) == 0) {
        if (family == Meet::Elect) checkElect(s_, warp, mask, inside, op.line);
        g.readyAt = s_.now() + s_.ep.warp_sync_lat;
        return resolve(inside);
    }
    if (lanes != g.lanes)
        return lanes_.diverge(warp, index, g.lanes & ~lanes, g.pc + 1, g.pc, true);
    if (family == Meet::Vote) checkVotes(s_, warp, op, mask, lanes);
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
    if (static_cast<Meet>(meeting.parts.front().op->aux[0]) == Meet::Elect) {
        checkElect(s_, warp, meeting.mask, meeting.arrived, meeting.parts.front().op->line);
    }
    for (const Meeting::Part& part : meeting.parts) {
        Ctx ctx;
        ctx.regs = warp.regs.data() + std::size_t{part.regBase} * 32;
        ctx.preds = warp.preds.data() + part.predBase;
        ctx.consts = s_.program.consts.data();
        resolveMeet(ctx, *part.op, part.lanes, meeting.arrived, meeting.values);
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

void checkElect(RunState& state, const Warp& warp, Lanes mask, Lanes lanes, std::uint32_t line)
{
    const Lanes exited = mask & warp.full & ~warp.live;
    if (exited == 0) return;
    state.findings.add({"BWS-010", Severity::Warning, "elect.sync names lanes that have exited",
                        warp.cta->linear, warp.index, lanes, line, state.now()});
}

}  // namespace gsu::exec
