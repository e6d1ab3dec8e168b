// Issue of one warp: picks a lane group, runs a stretch of it, handles control flow.
#include <algorithm>

#include "exec/machine/machine.hpp"

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
        case Class::FenceCta: return ep.fence_cta_lat;
        case Class::FenceGpu: return ep.fence_gpu_lat;
        case Class::FenceSys: return ep.fence_sys_lat;
        case Class::Mma: return ep.mma_lat;
    }
    return 1;
}

}  // namespace

Ctx Machine::context(Warp& warp, Group& group)
{
    Ctx ctx;
    ctx.regs = warp.regs.data() + std::size_t{group.regBase} * 32;
    ctx.preds = warp.preds.data() + group.predBase;
    ctx.consts = program.consts.data();
    ctx.machine = this;
    ctx.cta = warp.cta;
    ctx.warp = &warp;
    ctx.group = &group;
    return ctx;
}

std::uint32_t Machine::pick(Warp& warp)
{
    const auto count = static_cast<std::uint32_t>(warp.groups.size());
    const auto runnable = [&](std::uint32_t i) {
        return warp.groups[i].state == GroupState::Ready && warp.groups[i].readyAt <= now;
    };
    if (warp.current >= count) warp.current = 0;
    if (count == 1) return runnable(0) ? 0 : ptx::kNone;
    if (runnable(warp.current) && warp.groups[warp.current].slice < ep.slice) return warp.current;
    // Whoever had its turn longest ago: no group waits for more than a slice of each other one, whatever the latencies (D-70).
    std::uint32_t next = ptx::kNone;
    for (std::uint32_t i = 0; i < count; ++i) {
        const bool older = next == ptx::kNone || warp.groups[i].turn < warp.groups[next].turn;
        if (older && runnable(i)) next = i;
    }
    if (next == ptx::kNone) return ptx::kNone;
    warp.groups[next].slice = 0;
    warp.groups[next].turn = ++warp.turns;
    return warp.current = next;
}

std::uint32_t Machine::issue(Warp& warp)
{
    const std::uint32_t index = pick(warp);
    const std::uint32_t count = index != ptx::kNone ? stretch(warp, index) : 0;
    refresh(warp);
    return count;
}

void Machine::refresh(Warp& warp)
{
    if (warp.groups.empty()) {
        warp.nextAt = kNever;
        return;
    }
    checkTokens(warp);
    releaseParked(warp);
    checkAligned(warp);
    warp.nextAt = kNever;
    for (const Group& g : warp.groups) {
        if (g.state == GroupState::Ready) warp.nextAt = std::min(warp.nextAt, g.readyAt);
    }
}

std::uint32_t Machine::stretch(Warp& warp, std::uint32_t index)
{
    Ctx ctx = context(warp, warp.groups[index]);
    const MicroOp* ops = program.codes[ctx.group->code].ops.data();
    std::uint32_t count = 0;
    Cycle latency = 0;
    for (;;) {
        Group* g = &warp.groups[index];
        if (g->pc == g->parkPc) {
            if (park(warp, index)) return count;
            ctx.group = &warp.groups[index];
            continue;
        }
        const MicroOp& op = ops[g->pc];
        if (count != 0 && (op.visible || op.kind != Kind::Exec)) {
            if (op.kind != Kind::Branch || count >= ep.batch) break;
        }
        const Lanes lanes = g->lanes & ctx.pred(op.guard);
        if (op.counted) {
            ++count;
            ++g->slice;
            ++warp.issued;
            ++result.instructions;
            result.threadInstructions += static_cast<unsigned>(__builtin_popcount(lanes));
            if (watchIssue) {
                for (ExecObserver* o : observers) o->onIssue(now, refOf(warp), op.line, lanes);
            }
        }
        if (op.kind != Kind::Exec) {
            g->readyAt = now + latency + ep.alu_lat;
            if (op.kind == Kind::Branch && (lanes == 0 || lanes == g->lanes)) {
                latency += ep.alu_lat;
                const bool back = lanes != 0 && op.target <= g->pc;
                g->pc = lanes == 0 ? g->pc + 1 : op.target;
                g->polling = false;
                if (back) backward(warp, *g);
                if (count < ep.batch && !trapped) continue;
                return count;
            }
            control(warp, index, op, lanes);
            return count;
        }
        if (lanes != 0) {
            if (op.visible && !g->tokens.empty()) watchRead(ctx, op, lanes);
            op.fn(ctx, op, lanes);
            latency += latencyOf(ep, op, ctx.remote);
            if (ctx.fault.lanes != 0) {
                note(ctx, op);
                return count;
            }
        } else {
            latency += 1;
        }
        ++g->pc;
        if (op.visible || count >= ep.batch) break;
    }
    warp.groups[index].readyAt = now + latency;
    return count;
}

void Machine::note(Ctx& ctx, const MicroOp& op)
{
    finding({ctx.fault.rule, Severity::Error, ctx.fault.message, ctx.cta->linear, ctx.warp->index,
             ctx.fault.lanes, op.line, now});
    result.trap = module.lineText(op.line) + ": " + ctx.fault.message;
    trapped = true;
    exitLanes(*ctx.warp, ctx.fault.lanes, true);
}

void Machine::branchTo(Warp& warp, std::uint32_t index, std::uint32_t target)
{
    Group& g = warp.groups[index];
    const bool back = target <= g.pc;
    g.pc = target;
    g.polling = false;
    if (back) backward(warp, g);
}

void Machine::control(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes)
{
    Group& g = warp.groups[index];
    switch (op.kind) {
        case Kind::Exec: break;
        case Kind::Branch: diverge(warp, index, lanes, op.target, g.pc + 1, true); break;
        case Kind::BranchIndexed: {
            if (lanes == 0) {
                ++g.pc;
                break;
            }
            const Ctx ctx = context(warp, g);
            const std::uint64_t* selector = ctx.src(op.a);
            if (lanes != g.lanes) {
                diverge(warp, index, g.lanes & ~lanes, g.pc + 1, g.pc, true);
                break;
            }
            if (splitBy(warp, index, selector, lanes)) break;
            const auto& table = program.tables[op.target];
            const std::uint64_t at = selector[__builtin_ctz(lanes)];
            if (at >= table.size()) {
                Ctx bad = ctx;
                faultLane(bad, static_cast<unsigned>(__builtin_ctz(lanes)), "GEN-002",
                          "brx.idx index " + std::to_string(at) + " is outside its table of " +
                              std::to_string(table.size()) + " targets");
                bad.fault.lanes = lanes;
                note(bad, op);
                break;
            }
            branchTo(warp, index, table[at]);
            break;
        }
        case Kind::Call: call(warp, index, op, lanes); break;
        case Kind::Ret: ret(warp, index, lanes); break;
        case Kind::Exit: {
            const Lanes leaving = lanes;
            ++g.pc;
            if (leaving != 0) exitLanes(warp, leaving, false);
            break;
        }
        case Kind::Break:  // no debugger is attached: nothing would ever continue the lanes
        case Kind::Trap:
            ++g.pc;
            if (lanes == 0) break;
            result.trap = module.lineText(op.line) +
                          (op.kind == Kind::Break ? ": brkpt" : ": trap") +
                          std::string(" executed by CTA ") + std::to_string(warp.cta->linear) +
                          " warp " + std::to_string(warp.index);
            trapped = true;
            exitLanes(warp, lanes, true);
            break;
        case Kind::Sync: sync(warp, index, op, lanes); break;
        case Kind::Rendezvous: meet(warp, index, op, lanes); break;
        case Kind::Collective: {
            if (lanes == 0) {
                ++g.pc;
                break;
            }
            if (!alignedReady(warp, index)) break;
            Group& whole = warp.groups[index];
            Ctx ctx = context(warp, whole);
            op.fn(ctx, op, whole.lanes & ctx.pred(op.guard));
            whole.readyAt = now + latencyOf(ep, op, ctx.remote);
            if (ctx.fault.lanes != 0) {
                note(ctx, op);
            } else {
                ++whole.pc;
            }
            break;
        }
        case Kind::Sleep: {
            if (lanes != 0) {
                const Ctx ctx = context(warp, g);
                const std::uint64_t* ns = ctx.src(op.a);
                std::uint64_t longest = 0;
                eachLane(lanes,
                         [&](unsigned l) { longest = std::max(longest, ns[l] & 0xffff'ffff); });
                longest = std::min<std::uint64_t>(longest, 1'000'000);
                g.readyAt = now + 1 + longest * ep.clock_mhz / 1000;
            }
            ++g.pc;
            break;
        }
        case Kind::Group: {
            Ctx ctx = context(warp, g);
            if (lanes != 0) op.fn(ctx, op, lanes);  // may set the state to Copies
            ++g.pc;
            break;
        }
        case Kind::Unsupported:
            ++g.pc;
            if (lanes == 0) break;
            throw UnsupportedError(module.placeOf(op.line).first, module.placeOf(op.line).second, 0,
                                   "instruction not supported: " + program.unsupported[op.extra]);
    }
}

void Machine::exitLanes(Warp& warp, Lanes lanes, bool trap)
{
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
    forgetThreads(warp, lanes);
    const Exit leaving{refOf(warp), lanes, trap};
    port->exit(leaving);
    inputGiven = true;
    for (ExecObserver* o : observers) o->onExit(now, leaving);
    checkTokens(warp);
    checkMeetings(warp, lanes);
    changed();
    if (warp.live == 0) {
        warp.nextAt = kNever;
        --warp.cta->liveWarps;
    }
}

}  // namespace gsu::exec
