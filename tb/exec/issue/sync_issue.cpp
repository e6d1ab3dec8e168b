// Synchronization instructions become requests on the port: one per lane group and distinct (id, count) or member mask. The join of a
// warp's lanes is in the unit (BAR-010, D-12, D-51); aligned forms are gathered here (BAR-031, CLU-015).
#include "exec/issue/sync_issue.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exec/issue/converged_check.hpp"
#include "exec/memory/access.hpp"
#include "exec/program/errors.hpp"
#include "golden/op_traits.hpp"
#include "golden/warp_ops.hpp"

namespace gsu::exec {
namespace {

/// Whether another group could execute an instruction now or after an answer: a wait must not block the warp. Groups at a reconvergence
/// point, or that meet these lanes, cannot (D-34).
bool othersMayIssue(const Warp& warp, std::uint32_t index)
{
    for (std::uint32_t i = 0; i < warp.groups.size(); ++i) {
        const GroupState state = warp.groups[i].state;
        if (i != index && (state == GroupState::Ready || state == GroupState::Waiting ||
                           state == GroupState::Copies))
            return true;
    }
    return false;
}

/// The rule that a generic address outside the allowed windows breaks.
const char* windowRule(Op op)
{
    if (isMbarData(op)) return "RASYNC-018";
    if (isMbarWait(op)) return "MBW-025";
    if (isMbarDrop(op)) return "MBDROP-020";
    if (isMbarArrive(op)) return "MBARR-018";
    return isMbarBytes(op) ? "MBAR-042" : "MBAR-022";  // init, inval, cp.async arrive
}

/// Number of different values of the lanes, but for one.
unsigned differences(const SyncRequest& r)
{
    unsigned count = 0;
    for (Lanes left = r.lanes; left != 0; ++count) {
        const std::uint64_t first = r.data[static_cast<unsigned>(__builtin_ctz(left))];
        eachLane(left, [&](unsigned l) { left &= ~(Lanes{r.data[l] == first} << l); });
    }
    return count - 1;
}

/// The rule that keeps an operation to the mbarriers of its own CTA.
const char* localOnlyRule(const SyncInfo& info)
{
    if (info.noComplete) return isMbarDrop(info.op) ? "MBDROP-007" : "MBARR-007";
    return isMbarWait(info.op) ? "MBAR-020" : "MBAR-022";
}

}  // namespace

Lanes SyncIssue::mbarAddresses(const Ctx& ctx, const MicroOp& op, const SyncInfo& info,
                               SyncRequest& r)
{
    Lanes good = 0;
    r.remote = info.remoteForm;
    MbarPlace last;  // most warps give one address
    eachLane(r.lanes, [&](unsigned l) {
        std::uint64_t address = static_cast<std::uint64_t>(info.offset);
        if (info.addr != kNoRow) address += ctx.src(info.addr)[l];
        if (last.place.bytes == nullptr || address != last.address)
            last = mbarPlace(ctx, op, info, l, address);
        if (last.place.bytes == nullptr) return;
        const Place& p = last.place;
        memory_.late().settle(ctx, l, p, address, 8);  // earlier stores of the thread there
        if (p.elsewhere) r.remote = true;
        r.addr[l] = last.mapped;
        good |= 1u << l;
    });
    return good;
}

SyncIssue::MbarPlace SyncIssue::mbarPlace(const Ctx& ctx, const MicroOp& op, const SyncInfo& info,
                                          unsigned l, std::uint64_t address)
{
    const auto refuse = [&](const char* rule, const std::string& why) {
        s_.findings.add({rule, Severity::Error, why, ctx.cta->linear, ctx.warp->index, 1u << l,
                         op.line, s_.now()});
        return MbarPlace{};
    };
    const bool generic = info.space == ptx::Space::Generic;
    if (generic && !inWindow(address, kSharedWindow))
        return refuse(windowRule(info.op), "the generic address is outside the shared windows");
    const Place p = memory_.locate(ctx, info.space, address, 1, l);
    // An instruction that may not leave its CTA is refused here, before the owner's range is checked (D-66). An instruction in .shared::cta
    // names only its own CTA: there the address is outside.
    if (p.elsewhere && (generic || info.space == ptx::Space::SharedCluster)) {
        if (!info.remote)
            return refuse(localOnlyRule(info),
                          "the operation cannot act on another CTA's mbarrier");
        if (info.wantValue)
            return refuse(isMbarDrop(info.op) ? "MBDROP-010" : "MBARR-010",
                          "an arrive on another CTA's mbarrier returns no state");
    }
    if (p.bytes == nullptr) {
        // A rank that does not exist or has exited is reported by the owner (D-38).
        if (isMbarData(info.op) && p.noRank)
            return refuse("RASYNC-017", std::string("mbarrier address: ") + p.why);
        return refuse(info.remoteForm || generic ? "HS-024" : "MBAR-004",
                      std::string("mbarrier address: ") + p.why);
    }
    if (p.offset % 8 != 0) return refuse("MBAR-004", "the mbarrier address is not a multiple of 8");
    if (p.offset + 8 > p.owner->launch.size)
        return refuse("MBAR-004", "the mbarrier reaches beyond the CTA's shared memory");
    return {p, address, clusterAddress(p.owner->launch.rank, p.offset)};
}

SyncRequest SyncIssue::requestOf(const Ctx& ctx, const MicroOp& op, const SyncInfo& info,
                                 Lanes lanes) const
{
    SyncRequest r;
    r.op = info.op;
    r.at = refOf(*ctx.warp);
    r.lanes = lanes;
    const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
    if (info.arg0 != kNoRow) r.arg0 = static_cast<std::uint32_t>(ctx.src(info.arg0)[first]);
    if (info.arg1 != kNoRow) r.arg1 = static_cast<std::uint32_t>(ctx.src(info.arg1)[first]);
    r.pred = ctx.pred(info.pred) & lanes;
    r.sem = info.sem;
    r.scope = info.scope;
    r.kind = info.kind;
    r.aligned = info.aligned;
    r.noComplete = info.noComplete;
    r.wantValue = info.wantValue;
    r.source = op.line;
    return r;
}

/// Fills in the per-lane operands of an mbarrier instruction; false: no lane is left.
bool SyncIssue::address(Ctx& ctx, const MicroOp& op, const SyncInfo& info, SyncRequest& r)
{
    const Lanes lanes = r.lanes;
    r.lanes = mbarAddresses(ctx, op, info, r);
    const Lanes refused = lanes & ~r.lanes;
    ctx.setPred(info.pd, refused, 0);
    if (info.d != kNoRow) eachLane(refused, [&](unsigned l) { ctx.row(info.d)[l] = 0; });
    if (r.lanes == 0) return false;
    if (info.data != kNoRow)
        eachLane(r.lanes, [&](unsigned l) { r.data[l] = ctx.src(info.data)[l]; });
    const bool hints = s_.timingAdapter == nullptr || s_.timingAdapter->params().wait_hint != 0;
    if (info.limit != kNoRow && !hints) r.kind = 0;
    if (info.limit != kNoRow && hints) {
        eachLane(r.lanes, [&](unsigned l) {
            const std::uint64_t ticks =
                ((ctx.src(info.limit)[l] & 0xffff'ffff) * s_.ep.clock_mhz + 999) / 1000;
            r.limit[l] = static_cast<std::uint32_t>(std::min<std::uint64_t>(ticks, 0xffff'ffff));
        });
    }
    if (isMbarWait(info.op)) {
        Group& g = *ctx.group;
        g.reads.strong = true;
        g.loop.polled = true;
        g.loop.pollAddress = leadOffset(r);
        g.loop.pollLine = op.line;
        g.loop.pollPc = g.pc;
        g.loop.pollData = r.data[static_cast<unsigned>(__builtin_ctz(r.lanes))];
        g.loop.pollOp = r.op;
    }
    return true;
}

/// vote, match, redux, elect, activemask. Guarded-off lanes continue alone only if the executing lanes wait for others.
void SyncIssue::warpOp(Warp& warp, std::uint32_t index, const MicroOp& op, const SyncInfo& info,
                       Lanes lanes)
{
    Group& g = warp.groups[index];
    Ctx ctx = s_.context(warp, g);
    if (info.arg0 != kNoRow && lanes_.splitBy(warp, index, ctx.src(info.arg0), lanes)) return;
    SyncRequest r = requestOf(ctx, op, info, lanes);
    const bool waits =
        meetsLanes(info.op) && (r.arg0 & warp.live & ~lanes) != 0 && (r.arg0 & lanes) != 0;
    if (waits && lanes != g.lanes)
        return lanes_.diverge(warp, index, g.lanes & ~lanes, g.pc + 1, g.pc, true);
    if (info.op == Op::VoteSync && (lanes & r.arg0) != 0)
        checkConverged(s_, warp, r.op, r.arg0, lanes & r.arg0, op.line);
    if (hasValues(info.op)) {
        const bool wide = info.op != Op::Redux && info.kind == kMatchB64;
        const std::uint64_t bits = wide ? ~std::uint64_t{0} : 0xffff'ffff;
        eachLane(lanes, [&](unsigned l) { r.data[l] = ctx.src(info.data)[l] & bits; });
    }
    if (s_.timingAdapter != nullptr && info.op == Op::MatchAny) g.values = differences(r);
    submit(warp, g, r, op, info);
}

/// Checks barrier ids for a structure with other than the 16 barriers of PTX: program and unit must agree on an id.
void SyncIssue::checkBarrier(const SyncRequest& r) const
{
    const unsigned bars = s_.shape.has.bars;
    if (r.arg0 < std::min(bars, kBarsPerCta) || r.arg0 >= std::max(bars, kBarsPerCta)) return;
    const auto [file, line] = s_.module.placeOf(r.source);
    throw UnsupportedError(
        file, line, 0,
        bars < kBarsPerCta
            ? fmt::format("barrier {}: a CTA of this structure has {} (Bars)", r.arg0, bars)
            : fmt::format("barrier {}: PTX names 16, the {} of this structure (Bars) are for "
                          "drivers of the C library",
                          r.arg0, bars));
}

/// Lanes with a barrier or count other than the first lane's become a group of their own.
bool SyncIssue::splitsByOperands(Warp& warp, std::uint32_t index, const SyncInfo& info, Lanes lanes)
{
    const Ctx ctx = s_.context(warp, warp.groups[index]);
    for (const Row row : {info.arg0, info.arg1}) {
        if (row < 0 || !lanes_.splitBy(warp, index, ctx.src(row), lanes))
            continue;  // a constant is the same for all lanes
        // all have come: only the operands differ, and each part continues alone (D-13)
        if (info.aligned) {
            warp.groups[index].forced = warp.groups.back().forced = true;
        }
        return true;
    }
    return false;
}

FaultNote SyncIssue::issue(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes)
{
    const SyncInfo& info = s_.program.syncs[op.extra];
    if (lanes == 0) {
        ++warp.groups[index].pc;
        return {};
    }
    checkGuard(warp, warp.groups[index], op, info, lanes);
    if (isWarpOp(info.op)) return warpOp(warp, index, op, info, lanes), FaultNote{};
    if (info.splits && lanes != warp.groups[index].lanes) {
        const std::uint32_t pc = warp.groups[index].pc;
        lanes_.diverge(warp, index, warp.groups[index].lanes & ~lanes, pc + 1, pc, false);
    }
    if (info.aligned) {
        if (!lanes_.alignedReady(warp, index)) return {};
        lanes = warp.groups[index].lanes;
    }
    if (splitsByOperands(warp, index, info, lanes)) return {};
    Group& g = warp.groups[index];
    Ctx ctx = s_.context(warp, g);
    if (isCancel(info.op)) return cancels(ctx, op, info, lanes);
    SyncRequest r = requestOf(ctx, op, info, lanes);
    if (isNamed(r.op)) checkBarrier(r);
    if (r.op == Op::WarpSync || (isNamed(r.op) && !r.aligned))
        checkConverged(s_, warp, r.op, isNamed(r.op) ? ~Lanes{0} : r.arg0, lanes, op.line);
    r.diverged = isMbarWait(info.op) ? othersMayIssue(warp, index) : g.lanes != warp.live;
    if (info.addressed && !address(ctx, op, info, r)) {
        ++g.pc;
        return {};
    }
    if (!info.states.empty()) checkState(ctx, op, info, r);
    if (info.bytes != 0) return remoteStores(ctx, r, op, info), std::move(ctx.fault);
    if (info.namesMap) checkMap(ctx, op, info, lanes);
    r.tag = submit(warp, g, r, op, info);
    if (isCopyArrive(r.op)) async_.noteArrive(warp, r);
    return {};
}

void SyncIssue::remoteStores(Ctx& ctx, const SyncRequest& request, const MicroOp& op,
                             const SyncInfo& info)
{
    eachLane(request.lanes, [&](unsigned l) { remoteStore(ctx, request, op, info, l); });
    if (ctx.fault.lanes == 0 && ctx.group->open == 0) ++ctx.group->pc;
}

void SyncIssue::tellRemote(const SyncRequest& one, std::uint64_t name, bool reduces,
                           const MemoryRange& range) const
{
    AsyncOp what;
    what.kind = AsyncOp::Kind::RemoteData;
    what.until = AsyncOp::Until::Mbarrier;
    what.at = one.at;
    what.lanes = one.lanes;
    what.line = one.source;
    what.name = name;
    what.sm = range.sm;
    what.slot = range.slot;
    what.mbarrier = leadOffset(one);
    what.cycle = s_.now();
    what.updates = reduces;
    AsyncOp::add(what.writes, range);
    s_.accesses->onAsync(what);
}

void SyncIssue::remoteStore(Ctx& ctx, const SyncRequest& request, const MicroOp& op,
                            const SyncInfo& info, unsigned l)
{
    std::uint64_t at = ctx.src(info.targetOffset)[l];
    if (info.target != kNoRow) at += ctx.src(info.target)[l];
    const Place p =
        access(ctx, info.space, at, info.bytes * info.payloadCount, l, "st.async or red.async");
    if (p.bytes == nullptr) return;
    if (p.owner == nullptr) {
        return faultLane(ctx, l, "RASYNC-018",
                         "st.async or red.async outside the shared::cluster window",
                         TrapKind::AddressSpace);
    }
    if (p.owner->launch.rank != clusterRank(request.addr[l])) {
        return s_.findings.add({"RASYNC-015", Severity::Error,
                                "destination and mbarrier are in different CTAs", ctx.cta->linear,
                                ctx.warp->index, 1u << l, op.line, s_.now()});
    }
    SyncRequest one = request;
    one.lanes = 1u << l;
    one.pred = 0;
    RemoteData data{keyOf(*p.owner),
                    p.offset,
                    {},
                    info.bytes,
                    info.reduce != 0,
                    static_cast<std::uint8_t>(info.reduce - 1),
                    info.reduceType,
                    doneBy(ctx, op, one.lanes)};
    for (std::uint32_t i = 0; i < info.payloadCount; ++i) {
        data.values.push_back(
            ctx.src(s_.program.rows[static_cast<std::uint32_t>(info.payload) + i])[l]);
    }
    const std::uint16_t tag = submit(*ctx.warp, *ctx.group, one, op, info);
    if (s_.accesses != nullptr)
        tellRemote(one, remoteName(one.at.sm, tag), data.reduces,
                   rangeOf(p, at, info.bytes * info.payloadCount));
    async_.sendRemote(s_.resources.chip().packetName(one.at.sm, tag), std::move(data));
}

void SyncIssue::atomics(Ctx& ctx, const MicroOp& op)
{
    const SyncInfo& info = s_.program.syncs[op.extra];
    SyncRequest r = requestOf(ctx, op, info, std::exchange(ctx.away, 0));
    r.remote = true;
    RemoteAtomic sent(ctx, op, r.lanes);
    eachLane(r.lanes, [&](unsigned l) {
        const std::uint64_t address = addressOf(ctx, op, l);
        const Place p = memory_.locate(ctx, op.space, address, op.bytes, l);
        r.addr[l] = clusterAddress(p.owner->launch.rank, p.offset);
        memory_.late().settle(ctx, l, p, address, op.bytes);  // earlier stores of the thread there
        sent.add(ctx, l, p, address);
    });
    ctx.group->readyAt = s_.now() + s_.ep.alu_lat;
    const std::uint16_t tag = submit(*ctx.warp, *ctx.group, r, op, info);
    atomics_.send(s_.resources.chip().packetName(r.at.sm, tag), std::move(sent));
}

std::uint16_t SyncIssue::submit(Warp& warp, Group& group, const SyncRequest& request,
                                const MicroOp& op, const SyncInfo& info)
{
    if (request.op == Op::WarpSync || request.op == Op::VoteSync) checkMasks(warp, request, op);
    const std::uint16_t tag = client_.submit(warp, group, request, info, op.line);
    if (group.open++ != 0) return tag;
    group.state = GroupState::Waiting;
    group.slice = s_.ep.slice;  // other groups of the warp first
    group.line = op.line;
    ++group.pc;
    return tag;
}

}  // namespace gsu::exec
