// Issue of one warp: picks a lane group, runs a stretch of it, handles control flow.
#include "exec/machine/warp_engine.hpp"
#include "exec/program/errors.hpp"
#include "exec/state/run_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exec/memory/access.hpp"
#include "exec/ops/access_events.hpp"
#include "exec/ops/mem_ops.hpp"
#include "exec/tcgen05/tensor_cores.hpp"

namespace gsu::exec {
namespace {

std::uint32_t latencyOf(const ExecParams& ep, const MicroOp& op, bool remote)
{
    switch (op.cls) {
        case Class::Alu:
        case Class::Control: return ep.alu_lat;
        case Class::Wide: return ep.wide_lat;
        case Class::Sfu: return ep.sfu_lat;
        case Class::Shared: return remote ? ep.dsm_lat : ep.shared_lat;
        case Class::Global: return remote ? ep.dsm_lat : ep.global_lat;
        case Class::Atomic: return remote ? ep.dsm_lat : ep.atomic_lat;
        case Class::Mma: return ep.mma_lat;
    }
    return 1;
}

}  // namespace

WarpEngine::Latencies WarpEngine::latenciesOf(const ExecParams& ep)
{
    Latencies all{};
    for (std::size_t i = 0; i < all.size(); ++i) {
        MicroOp op;
        op.cls = static_cast<Class>(i);
        all[i] = latencyOf(ep, op, false);
    }
    return all;
}

std::uint32_t WarpEngine::pickGroup(Warp& warp) const
{
    const auto count = static_cast<std::uint32_t>(warp.groups.size());
    if (warp.current >= count) warp.current = 0;
    if (runnable(warp.groups[warp.current]) && warp.groups[warp.current].slice < s_.ep.slice)
        return warp.current;
    // The group whose last turn is longest ago: no group waits for more than a slice of each other one, whatever the latencies (D-70).
    std::uint32_t next = ptx::kNone;
    for (std::uint32_t i = 0; i < count; ++i) {
        const bool older = next == ptx::kNone || warp.groups[i].turn < warp.groups[next].turn;
        if (older && runnable(warp.groups[i])) next = i;
    }
    if (next == ptx::kNone) return ptx::kNone;
    warp.groups[next].slice = 0;
    warp.groups[next].turn = ++warp.turns;
    return warp.current = next;
}

/// As timedTurn().
std::uint32_t WarpEngine::turn(Warp& warp)
{
    const std::uint32_t index = pick(warp);
    const std::uint32_t count = index == ptx::kNone ? 0 : stretch(warp, index);
    refresh(warp);
    s_.stirred = s_.stirred || warp.groups.size() != 1;
    return count;
}

/// Whether only warps can see what this instruction has just done: it gave the port nothing, and nothing comes of it later.
inline bool WarpEngine::onlyWarpsSee(const MicroOp& op) const
{
    const bool accesses = op.fn == loadOp || op.fn == storeOp;
    return accesses && !s_.port.given() && !memory_.late().pending();
}

void WarpEngine::refresh(Warp& warp)
{
    warp.nextAt = kNever;
    if (warp.groups.size() == 1 && warp.groups.front().state == GroupState::Ready) {
        warp.nextAt = warp.groups.front().readyAt;  // nobody waits for its lanes
        return;
    }
    if (warp.groups.empty()) return;
    lanes_.settle(warp);
    for (const Group& g : warp.groups) {
        if (g.state == GroupState::Ready) warp.nextAt = std::min(warp.nextAt, g.readyAt);
    }
}

/// Notes the group's execution of an instruction that may explain a hang.
void WarpEngine::note(const Ctx& ctx, const MicroOp& op, Lanes lanes) const
{
    OpNote& n = History::note(*ctx.warp, op, ctx.group->lanes, lanes, s_.now());
    if (lanes == 0 || op.touch == Touch::None) return;
    const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
    n.address = addressOf(ctx, op, first);
    const Row from = s_.program.rows[op.list];
    n.value = from == kNoRow ? 0 : ctx.src(from)[first];
}

/// Executes up to `most` instructions of Code::plain, as far as the batch goes. False: the last one failed; pc is still there.
bool WarpEngine::runPlain(Ctx& ctx, const MicroOp* next, std::uint32_t most, Stretch& done)
{
    Group& g = *ctx.group;
    std::uint32_t counted = 0;
    const std::uint32_t room = s_.ep.batch - done.count;
    for (const MicroOp* const end = next + most; next != end && counted < room; ++next) {
        counted += next->counted ? 1 : 0;
        next->fn(ctx, *next, g.lanes);
        done.latency += latencies_[static_cast<std::size_t>(next->cls)];
        if (ctx.fault.lanes != 0) [[unlikely]]
            break;
        ++g.pc;
    }
    done.count += counted;
    ran(*ctx.warp, g, g.lanes, counted);
    return ctx.fault.lanes == 0;
}

// long: the innermost loop; its cases share the count, the latency and the way out
std::uint32_t WarpEngine::stretch(Warp& warp, std::uint32_t index)
{
    Ctx ctx = s_.context(warp, warp.groups[index]);
    const Code& code = s_.program.codes[ctx.group->code];
    const MicroOp* ops = code.ops.data();
    const bool plainly = mayRunPlain(warp);
    s_.stirred = s_.stirred || !plainly;
    Stretch done;
    auto& [count, latency] = done;
    for (;;) {
        Group* g = &warp.groups[index];
        if (g->pc == g->parkPc) {
            s_.stirred = true;
            if (lanes_.park(warp, index)) return count;
            ctx.group = &warp.groups[index];
            continue;
        }
        const MicroOp& op = ops[g->pc];
        if (const std::uint32_t plain = code.plain[g->pc]; plain != 0 && plainly) {
            const std::uint32_t most = std::min(plain, g->parkPc - g->pc);
            if (!runPlain(ctx, &op, most, done)) {
                fault(warp, ctx.fault, ops[g->pc]);
                return count;
            }
            if (count >= s_.ep.batch) break;
            continue;
        }
        if (warp.loading != 0) {
            if (const Cycle until = s_.parts->tensorCores.heldUntil(ctx); until != 0) {
                g->readyAt = std::max(until, s_.now() + latency);
                return count;
            }
        }
        if (count != 0 && (op.visible || op.kind != Kind::Exec)) {
            if (op.kind != Kind::Branch || count >= s_.ep.batch) break;
        }
        const Lanes lanes = g->lanes & ctx.pred(op.guard);
        if (op.note != 0) note(ctx, op, lanes);
        if (op.counted) {
            ++count;
            counted(warp, *g, op.line, lanes);
        }
        if (op.kind != Kind::Exec) {
            if (warp.matrix && lanes != 0) s_.parts->matrix.watch(ctx, op);
            g->readyAt = s_.now() + latency + s_.ep.alu_lat;
            if (op.kind == Kind::Branch && (lanes == 0 || lanes == g->lanes)) {
                latency += s_.ep.alu_lat;
                const bool back = lanes != 0 && op.target <= g->pc;
                g->pc = lanes == 0 ? g->pc + 1 : op.target;
                g->polling = false;
                if (back) loops_.backward(warp, *g);
                s_.stirred = s_.stirred || loops_.suspected();
                if (count < s_.ep.batch && !s_.trapped) continue;
                return count;
            }
            s_.stirred = true;
            control(warp, index, op, lanes);
            return count;
        }
        if (lanes != 0) {
            if (op.visible && !g->tokens.empty()) watchRead(ctx, op, lanes);
            if (warp.matrix) s_.parts->matrix.watch(ctx, op);
            if (watchAccesses_ && op.touch != Touch::None) tellAccess(ctx, op, lanes);
            op.fn(ctx, op, lanes);
            s_.stirred = s_.stirred || !onlyWarpsSee(op);
            latency += ctx.remote ? latencyOf(s_.ep, op, true)
                                  : latencies_[static_cast<std::size_t>(op.cls)];
            if (ctx.fault.lanes != 0) {
                fault(warp, ctx.fault, op);
                return count;
            }
            if (ctx.away != 0) {
                sync_.atomics(ctx, op);
                return count;
            }
        } else {
            latency += 1;
        }
        ++g->pc;
        if (op.visible || count >= s_.ep.batch) break;
    }
    warp.groups[index].readyAt = s_.now() + latency;
    return count;
}

void WarpEngine::fault(Warp& warp, const FaultNote& fault, const MicroOp& op)
{
    s_.findings.add({fault.rule, Severity::Error, fault.message, warp.cta->linear, warp.index,
                     fault.lanes, op.line, s_.now()});
    s_.result.trap = s_.module.lineText(op.line) + ": " + fault.message;
    s_.result.trapKind = fault.kind;
    s_.trapped = true;
    exitLanes(warp, fault.lanes, op, true);
}

void WarpEngine::branchTo(Warp& warp, std::uint32_t index, std::uint32_t target)
{
    Group& g = warp.groups[index];
    const bool back = target <= g.pc;
    g.pc = target;
    g.polling = false;
    if (back) loops_.backward(warp, g);
}

void WarpEngine::branchIndexed(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes)
{
    Group& g = warp.groups[index];
    if (lanes == 0) {
        ++g.pc;
        return;
    }
    Ctx ctx = s_.context(warp, g);
    const std::uint64_t* selector = ctx.src(op.a);
    if (lanes != g.lanes)
        return lanes_.diverge(warp, index, g.lanes & ~lanes, g.pc + 1, g.pc, true);
    if (lanes_.splitBy(warp, index, selector, lanes)) return;
    const auto& table = s_.program.tables[op.target];
    const std::uint64_t at = selector[__builtin_ctz(lanes)];
    if (at < table.size()) return branchTo(warp, index, table[at]);
    faultLane(ctx, static_cast<unsigned>(__builtin_ctz(lanes)), "GEN-002",
              fmt::format("brx.idx index {} is outside its table of {} targets", at, table.size()),
              TrapKind::Target);
    ctx.fault.lanes = lanes;
    fault(warp, ctx.fault, op);
}

void WarpEngine::trap(Warp& warp, const MicroOp& op, Lanes lanes)
{
    s_.result.trap =
        fmt::format("{}{} executed by CTA {} warp {}", s_.module.lineText(op.line),
                    (op.kind == Kind::Break ? ": brkpt" : ": trap"), warp.cta->linear, warp.index);
    s_.result.trapKind = TrapKind::Instruction;
    s_.trapped = true;
    exitLanes(warp, lanes, op, true);
}

void WarpEngine::collective(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes)
{
    if (lanes == 0) {
        ++warp.groups[index].pc;
        return;
    }
    if (!lanes_.alignedReady(warp, index)) return;
    Group& whole = warp.groups[index];
    Ctx ctx = s_.context(warp, whole);
    if (watchAccesses_ && op.touch != Touch::None)
        tellAccess(ctx, op, whole.lanes & ctx.pred(op.guard));
    op.fn(ctx, op, whole.lanes & ctx.pred(op.guard));
    whole.readyAt = std::max(whole.readyAt, s_.now() + latencyOf(s_.ep, op, ctx.remote));
    if (ctx.fault.lanes != 0) return fault(warp, ctx.fault, op);
    ++whole.pc;
}

void WarpEngine::sleep(Warp& warp, Group& g, const MicroOp& op, Lanes lanes)
{
    if (lanes != 0) {
        const Ctx ctx = s_.context(warp, g);
        const std::uint64_t* ns = ctx.src(op.a);
        std::uint64_t longest = 0;
        eachLane(lanes, [&](unsigned l) { longest = std::max(longest, ns[l] & 0xffff'ffff); });
        longest = std::min<std::uint64_t>(longest, 1'000'000);
        g.readyAt = s_.timingAdapter != nullptr ? s_.timingAdapter->sleeps(warp, longest, s_.now())
                                                : s_.now() + 1 + longest * s_.ep.clock_mhz / 1000;
    }
    ++g.pc;
}

void WarpEngine::control(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes)
{
    Group& g = warp.groups[index];
    switch (op.kind) {
        case Kind::Exec: break;
        case Kind::Branch: lanes_.diverge(warp, index, lanes, op.target, g.pc + 1, true); break;
        case Kind::BranchIndexed: branchIndexed(warp, index, op, lanes); break;
        case Kind::Call: call(warp, index, op, lanes); break;
        case Kind::Ret: ret(warp, index, op, lanes); break;
        case Kind::Exit:
            ++g.pc;
            if (lanes != 0) exitLanes(warp, lanes, op, false);
            break;
        case Kind::Break:  // no debugger is attached: nothing would ever continue the lanes
        case Kind::Trap:
            ++g.pc;
            if (lanes != 0) trap(warp, op, lanes);
            break;
        case Kind::Sync: {
            const FaultNote wrong = sync_.issue(warp, index, op, lanes);
            if (wrong.lanes != 0) fault(warp, wrong, op);
            break;
        }
        case Kind::Rendezvous: shuffles_.meet(warp, index, op, lanes); break;
        case Kind::Collective: collective(warp, index, op, lanes); break;
        case Kind::Sleep: sleep(warp, g, op, lanes); break;
        case Kind::Group: {
            Ctx ctx = s_.context(warp, g);
            if (lanes != 0) op.fn(ctx, op, lanes);  // may set the state to Copies
            ++g.pc;
            break;
        }
        case Kind::Unsupported: {
            ++g.pc;
            if (lanes == 0) break;
            const auto [file, line] = s_.module.placeOf(op.line);
            throw UnsupportedError(
                file, line, 0, "instruction not supported: " + s_.program.unsupported[op.extra]);
        }
    }
}

void WarpEngine::noteEnd(const Warp& warp, Lanes lanes, const MicroOp& op, bool trap)
{
    const std::uint32_t index = groupOf(warp, lanes);
    if (index == ptx::kNone) return;
    const Group& g = warp.groups[index];
    const auto pc = static_cast<std::uint32_t>(&op - s_.program.codes[g.code].ops.data());
    s_.history.left(warp, {lanes, op.line, g.code, pc, g.regBase, g.predBase, s_.now(), trap});
}

void WarpEngine::exitLanes(Warp& warp, Lanes lanes, const MicroOp& op, bool trap)
{
    noteEnd(warp, lanes, op, trap);
    warp.exitLine = op.line;
    warp.live &= ~lanes;
    for (std::size_t i = 0; i < warp.groups.size();) {
        warp.groups[i].lanes &= ~lanes;
        if (warp.groups[i].lanes == 0) {
            warp.groups.erase(warp.groups.begin() + static_cast<std::ptrdiff_t>(i));
            warp.current = 0;
        } else {
            ++i;
        }
    }
    for (Token& t : warp.tokens) {
        t.expected &= ~lanes;
        t.arrived &= ~lanes;
    }
    async_.forgetThreads(warp, lanes);
    if (warp.live == 0 && warp.cta->liveWarps == 1) {
        async_.readOut(*warp.cta);
        memory_.late().exited(*warp.cta);
        if (warp.cta->tensor) s_.parts->tensorCores.ended(*warp.cta);
    }
    const Exit leaving{refOf(warp), lanes, trap};
    s_.port.exit(leaving);
    lanes_.checkTokens(warp);
    shuffles_.check(warp, lanes);
    s_.progress.changed();
    if (warp.live == 0) {
        warp.nextAt = kNever;
        if (s_.timingAdapter != nullptr) s_.timingAdapter->leave(warp, s_.now());
        --warp.cta->liveWarps;
        if (warp.matrix) s_.parts->matrix.forget(warp);
    }
}

}  // namespace gsu::exec
