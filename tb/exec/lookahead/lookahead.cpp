#include "exec/lookahead/lookahead.hpp"

#include <algorithm>

#include "exec/ops/mem_ops.hpp"
#include "golden/op_traits.hpp"

namespace gsu::exec {

void Lookahead::begin(Warp& warp)
{
    warp_ = &warp;
    regs_.assign(warp.regs.begin(),
                 warp.regs.begin() + static_cast<std::ptrdiff_t>(warp.regs.size()));
    preds_ = warp.preds;
    paths_.clear();
    turns_.clear();
    start_ = {};
    future_ = {};
    ops_ = 0;
}

Ctx Lookahead::context(const Path& path)
{
    group_.lanes = path.lanes;
    group_.code = path.code;
    group_.pc = path.pc;
    group_.regBase = path.regBase;
    group_.predBase = path.predBase;
    group_.localBase = path.localBase;
    return s_.context(*warp_, group_, regs_.data(), preds_.data());
}

FutureStep& Lookahead::add(const Path& path, FutureStep::Kind kind, const MicroOp& op, Lanes lanes)
{
    FutureStep step;
    step.kind = kind;
    step.line = op.line;
    step.code = path.code;
    step.pc = path.pc;
    step.lanes = lanes;
    future_.steps.push_back(step);
    return future_.steps.back();
}

/// A loop that polls an mbarrier or memory: the wait is still to return.
void Lookahead::startsInLoop(const Group& g, Path& path)
{
    path.returned = false;
    start_.code = g.loop.code;
    if (g.loop.polled) {
        start_.pc = g.loop.pollPc;
        return;
    }
    start_.spin = flow_.headedBy(g.loop.code, g.loop.pc);
    if (start_.spin == nullptr) return;
    const std::vector<MicroOp>& ops = s_.program.codes[g.loop.code].ops;
    const Lanes first = g.lanes & (0u - g.lanes);
    for (std::uint32_t pc = 0; pc < ops.size(); ++pc) {
        if (!start_.spin->has(pc) || !ops[pc].polled) continue;
        const From at{g.loop.code, pc, g.regBase, g.predBase, g.localBase, g.lanes};
        if (const auto word = objectOf(*warp_, at, first)) start_.polled.insert(*word);
    }
}

/// Fills in the result of the wait when it returns true.
void Lookahead::startsIn(Warp& warp, const Group& g, Path& path)
{
    if (g.state != GroupState::Waiting) {
        if (g.loop.looping) startsInLoop(g, path);
        return;
    }
    start_.code = g.code;
    start_.pc = g.pc - 1;
    for (const std::uint16_t tag : warp.openTags) {
        const OpenRequest& open = client_.open(warp, tag);
        if ((open.request.lanes & g.lanes) == 0 || open.info == nullptr) continue;
        if (open.info->pd >= 0)
            preds_[open.predBase + static_cast<std::size_t>(open.info->pd)] |= g.lanes;
        if (isMbarOp(open.request.op))
            start_.object = WordAt{warp.cta->serial + 1, leadOffset(open.request)};
        else if (isNamed(open.request.op))
            start_.object = WordAt{warp.cta->serial + 1, open.request.arg0};
    }
}

Future Lookahead::ifReturned(Warp& warp, const Group& g)
{
    begin(warp);
    Path path{g.code, g.pc, g.regBase, g.predBase, g.localBase, g.lanes, g.stack};
    startsIn(warp, g, path);
    walk(std::move(path));
    return std::move(future_);
}

Future Lookahead::ifAt(Warp& warp, const From& from)
{
    begin(warp);
    walk({from.code, from.pc, from.regBase, from.predBase, from.localBase, from.lanes});
    return std::move(future_);
}

bool Lookahead::exitsWith(Warp& warp, const Group& g, std::uint32_t pc, std::uint64_t value)
{
    const Loop* loop = flow_.headedBy(g.loop.code, g.loop.pc);
    if (loop == nullptr || !loop->has(pc)) return false;
    begin(warp);
    const MicroOp& poll = s_.program.codes[g.loop.code].ops[pc];
    const Row to = s_.program.rows[poll.fn == atomOp ? poll.target : poll.list];
    Path path{g.loop.code, pc + 1, g.regBase, g.predBase, g.localBase, g.lanes, g.stack};
    if (to == kNoRow) return false;
    eachLane(g.lanes, [&](unsigned l) { context(path).row(to)[l] = value; });
    bool out = false;
    constexpr std::uint32_t kMost = 4096;
    for (std::uint32_t i = 0; i < kMost && path.lanes != 0 && !out; ++i) {
        if (path.pc == pc || path.pc == loop->head || !step(path)) break;
        out = path.code == g.loop.code && !loop->has(path.pc);
        for (const Path& other : paths_) out = out || !loop->has(other.pc);
    }
    return out || (path.lanes == 0 && future_.leaves);
}

std::vector<std::uint32_t> Lookahead::polls(Warp& warp, const Group& g)
{
    std::vector<std::uint32_t> all, matter;
    const Loop* loop = flow_.headedBy(g.loop.code, g.loop.pc);
    const std::vector<MicroOp>& ops = s_.program.codes[g.loop.code].ops;
    for (std::uint32_t pc = 0; loop != nullptr && pc < ops.size(); ++pc) {
        if (loop->has(pc) && ops[pc].polled) all.push_back(pc);
    }
    constexpr std::uint64_t kTries[]{0,  1,  2,  3,   4,           7,           8,
                                     16, 32, 64, 255, 0x7fff'ffff, 0x8000'0000, ~0ull};
    for (const std::uint32_t pc : all) {
        const bool matters =
            std::any_of(std::begin(kTries), std::end(kTries), [&](std::uint64_t v) {
                return exitsWith(
                    warp, g, pc,
                    v & (ops[pc].bytes >= 8 ? ~0ull : (1ull << 8 * ops[pc].bytes) - 1));
            });
        if (matters) matter.push_back(pc);
    }
    return matter.empty() ? all : matter;
}

bool Lookahead::comesBack(Warp& warp, const Group& g)
{
    begin(warp);
    const std::vector<std::uint64_t> regs = regs_;
    std::vector<Lanes> preds = preds_;
    Path path{g.code, g.pc, g.regBase, g.predBase, g.localBase, g.lanes, g.stack};
    const std::uint32_t wait = g.pc - 1;
    for (const std::uint16_t tag : warp.openTags) {
        const OpenRequest& open = client_.open(warp, tag);
        if ((open.request.lanes & g.lanes) == 0) continue;
        // Answered lanes keep their answer: if it was a success, the group continues at the end of the others' time limit.
        if (open.info->pd >= 0)
            preds_[open.predBase + static_cast<std::size_t>(open.info->pd)] &= ~open.pending;
    }
    preds = preds_;
    constexpr std::uint32_t kMost = 256;
    for (std::uint32_t i = 0; i < kMost; ++i) {
        if (path.code == g.code && path.pc == wait && path.stack == g.stack)
            return path.lanes == g.lanes && regs == regs_ && preds == preds_;
        const std::vector<MicroOp>& ops = s_.program.codes[path.code].ops;
        if (path.pc >= ops.size()) return false;
        const MicroOp& op = ops[path.pc];
        const bool plain = op.kind == Kind::Sleep || op.kind == Kind::Branch ||
                           (op.kind == Kind::Exec && !op.visible);
        if (!plain || !step(path) || !paths_.empty() || !future_.steps.empty()) return false;
    }
    return false;
}

Lookahead::Round Lookahead::roundOf(Warp& warp, const Group& g)
{
    begin(warp);
    const std::vector<std::uint64_t> regs = regs_;
    const std::vector<Lanes> preds = preds_;
    Path path{g.code, g.pc, g.regBase, g.predBase, g.localBase, g.lanes, g.stack};
    for (std::uint32_t i = 0; i < kOps; ++i) {
        const std::vector<MicroOp>& ops = s_.program.codes[path.code].ops;
        if (path.pc >= ops.size()) break;
        const MicroOp& op = ops[path.pc];
        const bool runs = (path.lanes & context(path).pred(op.guard)) != 0;
        const bool own = op.space == ptx::Space::Local || op.space == ptx::Space::Param ||
                         op.space == ptx::Space::Const;
        const bool reads = op.touch == Touch::Reads || op.touch == Touch::Updates;
        if (runs && reads && !own) return {false, path.code == g.loop.code ? path.pc : ptx::kNone};
        // A store to the thread's own memory would have to be seen by its loads; of a copy, matrix or time nothing is known.
        const bool unknown = (own && op.touch == Touch::Writes) || op.copies ||
                             op.kind == Kind::Call ||
                             (op.kind == Kind::Exec && op.visible && op.touch == Touch::None);
        turns_.clear();
        if ((runs && unknown) || !step(path) || !paths_.empty() || path.lanes != g.lanes) break;
        if (path.pc == g.pc && path.code == g.code && path.stack == g.stack && regs == regs_ &&
            preds == preds_)
            return {true, ptx::kNone};
    }
    return {};
}

void Lookahead::walk(Path first)
{
    paths_.push_back(std::move(first));
    while (!paths_.empty()) {
        Path path = std::move(paths_.back());
        paths_.pop_back();
        while (path.lanes != 0 && step(path)) continue;
    }
}

bool Lookahead::step(Path& p)
{
    const std::vector<MicroOp>& ops = s_.program.codes[p.code].ops;
    if (++ops_ > kOps || ++all_ > kAll || future_.steps.size() > kSteps) {
        future_.unsure = true;
        return false;
    }
    if (p.pc >= ops.size()) {
        future_.leaves = true;
        return false;
    }
    const MicroOp& op = ops[p.pc];
    const Lanes lanes = p.lanes & context(p).pred(op.guard);
    switch (op.kind) {
        case Kind::Branch: return branch(p, op, lanes);
        case Kind::BranchIndexed:
            if (lanes != 0) return jumpIndexed(p, op, lanes);
            break;
        case Kind::Call: future_.unsure = future_.unsure || lanes != 0; break;
        case Kind::Ret:
            if (lanes != 0 && !p.stack.empty()) return comeHome(p);
            leave(p, op, lanes);
            break;
        case Kind::Exit:
        case Kind::Trap:
        case Kind::Break: leave(p, op, lanes); break;
        case Kind::Unsupported: return false;
        case Kind::Sync:
            if (lanes != 0 && !synchronize(p, op, lanes)) return false;
            break;
        case Kind::Exec:
            if (lanes != 0) execute(p, op, lanes);
            if (future_.again && p.lanes == 0) return false;
            break;
        case Kind::Rendezvous:
        case Kind::Collective:
        case Kind::Sleep:
        case Kind::Group: break;
    }
    ++p.pc;
    return true;
}

bool Lookahead::jumpIndexed(Path& p, const MicroOp& op, Lanes lanes)
{
    const Ctx ctx = context(p);
    const std::uint64_t at = ctx.src(op.a)[static_cast<unsigned>(__builtin_ctz(lanes))];
    const auto& table = s_.program.tables[op.target];
    return at < table.size() && jump(p, table[at], false);
}

/// Continues after the call.
bool Lookahead::comeHome(Path& p)
{
    const Frame to = p.stack.back();
    p.stack.pop_back();
    p.code = to.code, p.pc = to.returnPc + 1;
    p.regBase = to.regBase, p.predBase = to.predBase, p.localBase = to.localBase;
    return true;
}

void Lookahead::leave(Path& p, const MicroOp& op, Lanes lanes)
{
    if (lanes == 0) return;
    add(p, FutureStep::Kind::Leaves, op, lanes);
    future_.leaves = true;
    p.lanes &= ~lanes;
}

bool Lookahead::jump(Path& p, std::uint32_t target, bool guarded)
{
    if (target <= p.pc) {
        auto& [turns, steps] = turns_[p.pc];
        if (steps != future_.steps.size()) turns = 0;
        steps = future_.steps.size();
        if (++turns > kTurns) {  // a loop that waits for something unknown
            future_.unsure = true;
            if (!guarded) return false;
            turns = 0;
            ++p.pc;
            return true;
        }
    }
    p.pc = target;
    return true;
}

bool Lookahead::branch(Path& p, const MicroOp& op, Lanes lanes)
{
    const bool guarded = op.guard.index >= 0;
    if (!p.returned && start_.spin != nullptr && p.code == start_.code) {
        if (const std::uint32_t out = flow_.wayOut(p.code, *start_.spin, p.pc); out != ptx::kNone) {
            p.returned = true;
            future_.wayOut = op.line;
            p.pc = out;
            return true;
        }
    }
    if (lanes == 0) {
        ++p.pc;
        return true;
    }
    if (lanes != p.lanes) {
        Path other = p;
        other.lanes = p.lanes & ~lanes;
        ++other.pc;
        paths_.push_back(std::move(other));
        p.lanes = lanes;
    }
    return jump(p, op.target, guarded);
}

}  // namespace gsu::exec
