// Future effects of instructions, without executing them.
#include <algorithm>

#include "exec/lookahead/lookahead.hpp"
#include "exec/memory/access.hpp"
#include "exec/ops/async_ops.hpp"
#include "exec/ops/mem_ops.hpp"
#include "golden/op_traits.hpp"

namespace gsu::exec {

std::optional<WordAt> Lookahead::wordAt(Ctx& ctx, ptx::Space space, std::uint64_t address,
                                        unsigned lane)
{
    const Place p = memory_.locate(ctx, space, address, 1, lane);
    if (p.bytes == nullptr) return {};
    if (p.owner != nullptr) return WordAt{p.owner->serial + 1, p.offset};
    if (p.where != Place::Where::Global) return {};
    return WordAt{0, address};
}

std::optional<WordAt> Lookahead::objectOf(Warp& warp, const From& from, Lanes lanes)
{
    if (warp.regs.size() < (std::size_t{from.regBase} + s_.program.codes[from.code].rows) * 32)
        return {};
    group_.localBase = from.localBase;
    Ctx ctx = s_.context(warp, group_);
    ctx.regs = warp.regs.data() + std::size_t{from.regBase} * 32;
    ctx.preds = warp.preds.data() + from.predBase;
    const MicroOp& op = s_.program.codes[from.code].ops[from.pc];
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes | Lanes{1} << 31));
    if (op.kind == Kind::Sync) {
        const SyncInfo& info = s_.program.syncs[op.extra];
        if (!info.addressed) {
            if (!isNamed(info.op)) return {};
            return WordAt{warp.cta->serial + 1,
                          info.arg0 == kNoRow ? 0 : ctx.src(info.arg0)[lane] & 0xffff'ffff};
        }
        std::uint64_t address = static_cast<std::uint64_t>(info.offset);
        if (info.addr != kNoRow) address += ctx.src(info.addr)[lane];
        return wordAt(ctx, info.space, address, lane);
    }
    if (op.touch == Touch::None) return {};
    return wordAt(ctx, op.space, addressOf(ctx, op, lane), lane);
}

bool Lookahead::atStart(const Path& p, const std::optional<WordAt>& object) const
{
    return p.code == start_.code && p.pc == start_.pc &&
           (!start_.object || !object || *start_.object == *object);
}

void Lookahead::execute(Path& p, const MicroOp& op, Lanes lanes)
{
    if (op.copies) return copyStep(p, op, lanes);
    if (op.touch != Touch::None) return access(p, op, lanes);
    const bool known = op.cls == Class::Alu || op.cls == Class::Wide || op.cls == Class::Sfu ||
                       (op.cls == Class::Control && !op.visible);
    if (op.visible || !known || op.fn == nullptr || op.fn == isCanceledOp || op.fn == firstCtaidOp)
        return;
    Ctx ctx = context(p);
    op.fn(ctx, op, lanes);
}

/// A loop on memory that was left is entered again.
void Lookahead::access(Path& p, const MicroOp& op, Lanes lanes)
{
    Ctx ctx = context(p);
    const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
    const std::optional<WordAt> word = wordAt(ctx, op.space, addressOf(ctx, op, first), first);
    if (start_.spin != nullptr && p.returned && op.polled && p.code == start_.code &&
        start_.spin->has(p.pc) && word && start_.polled.contains(*word)) {
        future_.again = true;
        p.lanes = 0;
        return;
    }
    if (op.touch == Touch::Reads) {
        if (op.fn != loadOp || memory_.global().watched() != nullptr) return;
        op.fn(ctx, op, lanes);
        return;
    }
    if (op.space == ptx::Space::Local || op.space == ptx::Space::Param) return;
    const bool updates = op.touch == Touch::Updates;
    FutureStep& s =
        add(p, updates ? FutureStep::Kind::Updates : FutureStep::Kind::Writes, op, lanes);
    if (word) s.object = *word;
    s.amount = static_cast<std::uint64_t>(__builtin_popcount(lanes));
    const Row from = s_.program.rows[op.list];
    s.value = from == kNoRow ? 0 : ctx.src(from)[first];
    if (updates) oldValue(ctx, op, lanes);
}

/// An atomic returns the present value.
void Lookahead::oldValue(Ctx& ctx, const MicroOp& op, Lanes lanes)
{
    if (op.fn != atomOp || op.count == 0 || op.lanesOf != 1 || op.bytes > 8) return;
    const Row to = s_.program.rows[op.target];
    if (to == kNoRow) return;
    eachLane(lanes, [&](unsigned l) {
        const Place p = memory_.locate(ctx, op.space, addressOf(ctx, op, l), op.bytes, l);
        if (p.bytes == nullptr) return;
        std::uint64_t value = 0;
        std::memcpy(&value, p.bytes, op.bytes);
        ctx.row(to)[l] = value;
    });
}

void Lookahead::copyStep(Path& p, const MicroOp& op, Lanes lanes)
{
    const bool tensor = op.fn == tensorCopyOp;
    if (op.fn == cpAsyncOp || !(tensor ? op.tensor.completes : op.bulk.completes)) return;
    Ctx ctx = context(p);
    const Row* rows = s_.program.rows.data() + op.list;
    const auto value = [&](std::size_t i, unsigned l) {
        return rows[i] == kNoRow ? 0 : ctx.src(rows[i])[l];
    };
    const std::size_t bar = tensor ? 2 : 3, maskAt = tensor ? 4 : 5;
    const bool toCluster = !tensor && op.bulk.toCluster;
    const ptx::Space space = tensor      ? op.space
                             : toCluster ? ptx::Space::SharedCluster
                                         : ptx::Space::SharedCta;
    eachLane(lanes, [&](unsigned l) {
        const auto word = wordAt(ctx, space, value(bar, l) + value(bar + 1, l), l);
        if (!word) return;
        const std::uint64_t mask = rows[maskAt] == kNoRow ? 0 : value(maskAt, l) & 0xffff;
        for (unsigned rank = 0; rank < (rows[maskAt] == kNoRow ? 1u : kMaxRanks); ++rank) {
            FutureStep s;
            s.object = *word;
            if (rows[maskAt] != kNoRow) {
                const Cta* to =
                    rank < ctx.cta->cluster->ctas ? ctx.cta->cluster->ranks[rank] : nullptr;
                if ((mask >> rank & 1) == 0 || to == nullptr) continue;
                s.object.owner = to->serial + 1;
            }
            FutureStep& added = add(p, FutureStep::Kind::Copies, op, Lanes{1} << l);
            added.object = s.object;
            added.amount = tensor ? 0 : value(2, l) & 0xffff'ffff;
            added.remote = s.object.owner != warp_->cta->serial + 1;
        }
    });
}

bool Lookahead::synchronize(Path& p, const MicroOp& op, Lanes lanes)
{
    const SyncInfo& info = s_.program.syncs[op.extra];
    if (info.addressed || info.bytes != 0) return mbarStep(p, op, info, lanes);
    Ctx ctx = context(p);
    const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
    if (isNamed(info.op)) {
        const std::uint64_t id = info.arg0 == kNoRow ? 0 : ctx.src(info.arg0)[first] & 0xffff'ffff;
        const WordAt object{warp_->cta->serial + 1, id};
        if (atStart(p, object)) {
            future_.again = true;
            return false;
        }
        FutureStep& s = add(p, FutureStep::Kind::Named, op, lanes);
        s.op = info.op;
        s.object = object;
        s.amount = 32;  // a warp counts whole
        return true;
    }
    if (isCluster(info.op)) {
        if (atStart(p, {})) {
            future_.again = true;
            return false;
        }
        add(p, FutureStep::Kind::Cluster, op, lanes).op = info.op;
    } else if (info.op == Op::GdcLaunchDependents) {
        add(p, FutureStep::Kind::Signals, op, lanes);
    } else {
        warpStep(p, info, lanes);
        if (meetsLanes(info.op)) add(p, FutureStep::Kind::Lanes, op, lanes).op = info.op;
    }
    return true;
}

/// The results that control flow depends on.
void Lookahead::warpStep(Path& p, const SyncInfo& info, Lanes lanes)
{
    Ctx ctx = context(p);
    if (info.op == Op::Elect) {
        const Lanes leader = lanes & (0u - lanes);
        ctx.setPred(info.pd, lanes, leader);
        if (info.d == kNoRow) return;
        eachLane(lanes, [&](unsigned l) {
            ctx.row(info.d)[l] = static_cast<std::uint64_t>(__builtin_ctz(lanes));
        });
    } else if (info.op == Op::ActiveMask && info.d != kNoRow) {
        eachLane(lanes, [&](unsigned l) { ctx.row(info.d)[l] = lanes; });
    } else if (info.op == Op::VoteSync || info.op == Op::Vote) {
        const Lanes yes = ctx.pred(info.pred) & lanes;
        if (info.d != kNoRow) eachLane(lanes, [&](unsigned l) { ctx.row(info.d)[l] = yes; });
        if (yes == lanes) ctx.setPred(info.pd, lanes, lanes);
        if (yes == 0) ctx.setPred(info.pd, lanes, 0);
    }
}

std::optional<WordAt> Lookahead::mbarAt(Ctx& ctx, const SyncInfo& info, unsigned lane)
{
    std::uint64_t address = static_cast<std::uint64_t>(info.offset);
    if (info.addr != kNoRow) address += ctx.src(info.addr)[lane];
    return wordAt(ctx, info.space, address, lane);
}

/// Returns false for the wait in which the path began.
bool Lookahead::waitStep(Path& p, const MicroOp& op, const SyncInfo& info, Lanes lanes)
{
    Ctx ctx = context(p);
    const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
    const std::optional<WordAt> at = mbarAt(ctx, info, first);
    if (atStart(p, at)) {
        if (p.returned) {
            future_.again = true;
            return false;
        }
        p.returned = true;
        start_.object = at;
    }
    ctx.setPred(info.pd, lanes, lanes);
    FutureStep& s = add(p, FutureStep::Kind::Waits, op, lanes);
    s.op = info.op;
    if (at) s.object = *at;
    if (info.data != kNoRow) s.value = ctx.src(info.data)[first];
    return true;
}

bool Lookahead::mbarStep(Path& p, const MicroOp& op, const SyncInfo& info, Lanes lanes)
{
    using Step = FutureStep::Kind;
    if (isMbarWait(info.op)) return waitStep(p, op, info, lanes);
    Ctx ctx = context(p);
    std::map<WordAt, std::pair<Lanes, std::uint64_t>> objects;  // lanes and the sum of their data
    eachLane(lanes, [&](unsigned l) {
        const std::optional<WordAt> at = mbarAt(ctx, info, l);
        if (!at) return;
        auto& [who, sum] = objects[*at];
        who |= Lanes{1} << l;
        sum += info.data == kNoRow ? 1 : ctx.src(info.data)[l] & 0xffff'ffff;
    });
    for (const auto& [at, what] : objects) {
        const auto put = [&, object = at, who = what.first](Step kind, std::uint64_t amount) {
            FutureStep& s = add(p, kind, op, who);
            s.op = info.op;
            s.object = object;
            s.amount = amount;
            s.remote = object.owner != warp_->cta->serial + 1;
        };
        const auto lanesOf = static_cast<std::uint64_t>(__builtin_popcount(what.first));
        if (info.op == Op::MbarInit || info.op == Op::MbarInval) put(Step::Sets, what.second);
        if (isMbarArrive(info.op))
            put(Step::Arrives, isMbarCounted(info.op) ? what.second : lanesOf);
        if (isCopyArrive(info.op)) put(Step::Arrives, lanesOf);
        if (isMbarExpect(info.op)) put(Step::Announces, what.second);
        if (info.op == Op::MbarCompleteTx) put(Step::Copies, what.second);
        if (info.bytes != 0) put(Step::Copies, lanesOf * info.bytes * info.payloadCount);
    }
    return true;
}

}  // namespace gsu::exec
