// A warp's turn if a timing model decides when its instructions may be executed.
#include "exec/async/matrix_engine.hpp"
#include "exec/machine/timed_access.hpp"
#include "exec/machine/warp_engine.hpp"
#include "exec/ops/access_events.hpp"
#include "exec/ops/async_ops.hpp"
#include "exec/state/run_parts.hpp"
#include "exec/tcgen05/tensor_cores.hpp"
#include "golden/op_traits.hpp"
#include "golden/warp_ops.hpp"

#include <span>

namespace gsu::exec {
namespace {

using timing::Stall;

constexpr std::uint32_t kMostOfTurn = 64;  ///< instructions that have times; a branch may follow
/// A scheduler that has issued so many by itself, after a turn of all, has room for one turn more.
constexpr std::uint32_t kMostAlone = Schedulers::kMostOfIssue - 2 * (kMostOfTurn + 1);
static_assert(kMostAlone < Schedulers::kMostOfIssue);

/// The reason of a stall after this request.
Stall stallOf(const Program& program, const MicroOp& op)
{
    if (op.kind != Kind::Sync) return Stall::Special;
    const Op what = program.syncs[op.extra].op;
    if (isNamed(what) || isCluster(what) || what == Op::WarpSync) return Stall::Barrier;
    if (isMbarOp(what)) return Stall::Mbarrier;
    if (isWarpOp(what)) return Stall::Special;
    return isAtomic(what) ? Stall::RemoteResult : Stall::Fence;
}

}  // namespace

/// Issues an instruction that is waited for, or that no lane executes; false: not before the group's readyAt.
bool WarpEngine::inTime(Warp& warp, Group& g, const TimedInstruction& next, Lanes lanes,
                        bool behind)
{
    const Cycle now = s_.now();
    const Cycle when = s_.timingAdapter->mayExecute(warp, g, next, now, behind);
    if (when > now) {
        g.readyAt = when;
        return false;
    }
    if (lanes == 0)
        s_.timingAdapter->skip(warp, g, next, now);
    else
        s_.timingAdapter->issue(warp, g, next, now);
    return true;
}

/// Executes a branch that all lanes or none take; the group's place among the others does not change.
void WarpEngine::timedBranch(Warp& warp, Group& g, const MicroOp& op, Lanes lanes)
{
    const bool back = lanes != 0 && op.target <= g.pc;
    g.pc = lanes == 0 ? g.pc + 1 : op.target;
    g.polling = false;
    if (back) loops_.backward(warp, g);
}

void WarpEngine::timedControl(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes,
                              timing::Tail tail)
{
    Group& g = warp.groups[index];
    g.readyAt = s_.now() + 1;
    g.stall = stallOf(s_.program, op);
    g.tail = tail;
    g.asked = s_.now();
    control(warp, index, op, lanes);
}

/// Whether an instruction must wait for the outstanding answer to an arrive: it needs the port, or its place among other lanes.
bool WarpEngine::wantsAnswer(const Code& code, const Group& g, const Ctx& ctx)
{
    const MicroOp& op = code.ops[g.pc];
    if (g.pc == g.parkPc || op.touch == Touch::Updates) return true;
    if (op.kind == Kind::Exec) return false;
    const Lanes lanes = g.lanes & ctx.pred(op.guard);
    return op.kind != Kind::Branch || (lanes != 0 && lanes != g.lanes);
}

/// A converged warp continues after an arrive.
void WarpEngine::goOn(Warp& warp, std::uint32_t index)
{
    if (warp.groups.size() != 1) return;
    Group& g = warp.groups[index];
    if (g.state != GroupState::Waiting || !g.tokens.empty() || g.open != 1) return;
    g.state = GroupState::Ready;
    g.readyAt = s_.now() + 1;
}

/// How many micro-operations may be executed before the times of their instructions are known: nobody sees it, but for other groups that merge with this
/// one, answers that are still to come, and whoever compares the rounds of a loop that hangs.
inline std::uint32_t WarpEngine::mayRunAhead(const Warp& warp, const Group& g, const Code& code)
{
    const std::uint32_t straight = code.straight[g.pc];
    if (straight == 0 || warp.groups.size() != 1 || g.open != 0 || g.loop.looping) return 0;
    return std::min(straight, g.parkPc - g.pc);
}

/// Executes them; false: there are none.
inline bool WarpEngine::runAhead(Warp& warp, Ctx& ctx, const Code& code)
{
    const Group& g = *ctx.group;
    const std::uint32_t straight = mayRunAhead(warp, g, code);
    if (straight == 0) return false;
    const timing::Register base = g.regBase + g.predBase;
    warp.timing->room(base, base + code.rows + code.preds);
    const MicroOp* const end = code.ops.data() + g.pc + straight;
    for (const MicroOp* next = end - straight; next != end; ++next) next->fn(ctx, *next, g.lanes);
    // A branch behind it that all take is known, too.
    const std::uint32_t behind = code.timedAt[g.pc + straight];
    const bool branches = behind != ptx::kNone && g.pc + straight != g.parkPc &&
                          code.computations[behind].kind == timing::Computation::Kind::Branches &&
                          (g.lanes & ~ctx.pred(end->guard)) == 0;
    warp.ahead = straight + (branches ? 1 : 0);
    warp.goesOn = branches && end->target != g.parkPc && code.straight[end->target] != 0;
    warp.next = &code.computations[code.timedAt[g.pc]];
    return true;
}

/// As stretch(). What only moves registers is executed as soon as the model knows its time. True: some was executed before, so that its time is to be asked.
// long: the innermost loop, as stretch()
bool WarpEngine::timedStretch(Warp& warp, std::uint32_t& index, std::uint32_t& count)
{
    Ctx ctx = s_.context(warp, warp.groups[index]);
    const Code& code = s_.program.codes[ctx.group->code];
    TimingAdapter& adapter = *s_.timingAdapter;
    const TimedInstruction* running = nullptr;
    for (;;) {
        Group& g = warp.groups[index];
        if (g.open != 0 && wantsAnswer(code, g, ctx)) {
            g.state = GroupState::Waiting;
            return false;
        }
        if (g.pc == g.parkPc) {
            if (lanes_.park(warp, index)) return false;
            ctx.group = &warp.groups[index];
            continue;
        }
        if (warp.loading != 0) {
            if (const Cycle until = s_.parts->tensorCores.heldUntil(ctx); until != 0) {
                g.readyAt = std::max(until, s_.now() + 1);
                return false;
            }
        }
        if (runAhead(warp, ctx, code)) return true;
        const MicroOp& op = code.ops[g.pc];
        const Lanes lanes = g.lanes & ctx.pred(op.guard);
        if (const std::uint32_t timed = code.timedAt[g.pc]; timed != ptx::kNone) {
            running = &code.timed[timed];
            if (count >= kMostOfTurn) {
                g.readyAt = s_.now() + 1;
                return false;
            }
            if (running->ahead && lanes != 0) {
                const bool back = op.kind == Kind::Branch && op.target <= g.pc;
                const Cycle when = adapter.issueAhead(warp, g, *running, s_.now(), back);
                if (when > s_.now()) {
                    g.readyAt = when;
                    return false;
                }
            } else if (!inTime(warp, g, *running, lanes, count != 0)) {
                return false;
            }
        }
        if (op.counted) {
            ++count;
            counted(warp, g, op.line, lanes);
        }
        const bool stirred = s_.stirred;
        s_.stirred = stirred || op.visible || op.touch != Touch::None || op.kind != Kind::Exec;
        const bool accesses = running != nullptr && running->accesses && lanes != 0 &&
                              (op.touch != Touch::None || op.visible || op.kind != Kind::Exec);
        if (accesses) paceAccess(ctx, op, lanes, *running);
        if (op.kind != Kind::Exec) {
            if (warp.matrix && lanes != 0) s_.parts->matrix.watch(ctx, op);
            if (op.kind == Kind::Branch && (lanes == 0 || lanes == g.lanes)) {
                timedBranch(warp, g, op, lanes);
                s_.stirred = stirred || loops_.suspected();
                if (!s_.trapped) continue;
                return false;
            }
            timedControl(warp, index, op, lanes,
                         running != nullptr ? running->tail : timing::Tail::None);
            if (running != nullptr && running->goesOn) goOn(warp, index);
            return false;
        }
        if (lanes != 0) {
            if (op.visible && !g.tokens.empty()) watchRead(ctx, op, lanes);
            if (warp.matrix) s_.parts->matrix.watch(ctx, op);
            if (watchAccesses_ && op.touch != Touch::None) tellAccess(ctx, op, lanes);
            op.fn(ctx, op, lanes);
            if (ctx.fault.lanes != 0) {
                fault(warp, ctx.fault, op);
                return false;
            }
            if (ctx.away != 0) {
                g.stall = Stall::RemoteResult;
                sync_.atomics(ctx, op);
                return false;
            }
        }
        ++g.pc;
    }
}

/// Asks for the times of what is executed, in a turn at `now`. Returns when the next of it may issue; 0: now, or nothing but a branch is left.
[[gnu::always_inline]] inline Cycle WarpEngine::timesOf(Warp& warp, Cycle now, std::uint32_t& count)
{
    using Next = timing::Computation::Kind;
    timing::WarpTiming& timing = *warp.timing;
    const timing::Computation* next = warp.next;
    std::uint32_t ahead = warp.ahead, issued = count;
    Cycle later = 0;
    timing.turn(now);
    do {
        if (issued >= kMostOfTurn) [[unlikely]]
            later = now + 1;
        else if (next->kind == Next::Plain) [[likely]]
            later = timing.computePlain(*next, now);
        else if (next->kind == Next::Issues)
            later = timing.computeOther(*next, now);
        else if (next->kind == Next::Renames)
            timing.rename(*next);
        else
            break;
        if (later != 0) break;
        ahead -= next->steps;
        ++next;
        ++issued;
    } while (ahead != 0);
    Group& g = warp.groups.front();
    if (watchIssue_) [[unlikely]]
        for (const timing::Computation& told : std::span(warp.next, next))
            tellIssue(warp, now, told.line, g.lanes);
    g.pc += warp.ahead - ahead;
    warp.ahead = ahead;
    warp.next = next;
    ran(warp, g, g.lanes, issued - count);
    count = issued;
    return later;
}

/// The same, and for the branch behind it. False: the next of it does not issue before Warp::nextAt.
[[gnu::always_inline]] inline bool WarpEngine::catchUp(Warp& warp, Cycle now, std::uint32_t& count)
{
    Cycle later = timesOf(warp, now, count);
    if (warp.ahead == 0) return true;
    Group& g = warp.groups.front();
    if (later == 0) later = takeBranch(warp, g, now);
    if (later != 0) {
        warp.nextAt = g.readyAt = later;  // as refresh(): it is together and ready
        return false;
    }
    ++count;
    return true;
}

/// All lanes take it, in a turn at `now`: 0, or when it may issue.
Cycle WarpEngine::takeBranch(Warp& warp, Group& g, Cycle now)
{
    const Code& code = s_.program.codes[g.code];
    const TimedInstruction& branch = code.timed[code.timedAt[g.pc]];
    const MicroOp& op = code.ops[g.pc];
    const Cycle when = s_.timingAdapter->issueAhead(warp, g, branch, now, op.target <= g.pc);
    if (when > now) return when;
    ran(warp, g, g.lanes, 1);
    if (watchIssue_) tellIssue(warp, now, op.line, g.lanes);
    timedBranch(warp, g, op, g.lanes);
    s_.stirred = s_.stirred || loops_.suspected();
    warp.ahead = 0;
    warp.goesOn = false;
    return 0;
}

/// Executes what follows the branch.
[[gnu::noinline]] void WarpEngine::goRound(Warp& warp)
{
    Group& g = warp.groups.front();
    Ctx ctx = s_.context(warp, g);
    static_cast<void>(runAhead(warp, ctx, s_.program.codes[g.code]));
}

// Kernels with tensor instructions are left out: their warps wait for products, which keep clocks of the scheduler for themselves (Calendar::keep).
void WarpEngine::computeOn(Scheduler& scheduler, Cycle end)
{
    if (products_) return;
    std::uint32_t issued = 0;
    for (Cycle now = scheduler.due(); now < end && issued <= kMostAlone; now = scheduler.due()) {
        const std::uint32_t place = scheduler.queue.only(now);
        if (place == WakeQueue::kPlaces) return;
        Warp& warp = *scheduler.warps[place];
        std::uint32_t count = 0;
        while (warp.goesOn && catchUp(warp, now, count)) goRound(warp);
        if (!warp.goesOn) return;
        issued += count;
        scheduler.queue.putOff(warp.nextAt);
        scheduler.freeAt = now + 1;
        scheduler.last = place;
    }
}

/// The turn of a warp that is not ahead, or not any more.
std::uint32_t WarpEngine::timedTurn(Warp& warp, std::uint32_t count)
{
    std::uint32_t index = count != 0 ? 0 : pick(warp);
    if (index != ptx::kNone) {
        while (timedStretch(warp, index, count))
            if (!catchUp(warp, s_.now(), count)) return 1;
    }
    refresh(warp);
    s_.stirred = s_.stirred || warp.groups.size() != 1;
    return 1;
}

/// Here the model has the schedulers' clocks: a turn takes one.
std::uint32_t WarpEngine::issue(Warp& warp)
{
    std::uint32_t count = 0;
    if (warp.ahead != 0 && !catchUp(warp, s_.now(), count)) return 1;
    return s_.timingAdapter == nullptr ? turn(warp) : timedTurn(warp, count);
}

}  // namespace gsu::exec
