// Synchronization instructions become requests on the port: one per lane group and distinct (id, count) or member mask.
// The join of a warp's lanes is behind the port (BAR-010, D-12, D-51); aligned forms are gathered here (BAR-031, CLU-015).
#include <algorithm>
#include <bit>

#include "exec/async/async_state.hpp"
#include "exec/machine/access.hpp"
#include "golden/op_traits.hpp"

namespace gsu::exec {
namespace {

/// Another group could execute an instruction now or after an answer: a wait must not hold up the warp. Groups that stand at a
/// reconvergence point or meet these lanes cannot (D-34).
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

const char* localOnlyRule(Op op) { return isMbarWait(op) ? "MBAR-020" : "MBAR-022"; }

}  // namespace

Lanes Machine::mbarAddresses(Ctx& ctx, const MicroOp& op, const SyncInfo& info, Lanes lanes,
                             SyncRequest& r)
{
    Lanes good = 0;
    bool remote = info.remoteForm;
    const auto refuse = [&](unsigned lane, const char* rule, const std::string& why) {
        finding({rule, Severity::Error, why, ctx.cta->linear, ctx.warp->index, 1u << lane, op.line,
                 now});
    };
    eachLane(lanes, [&](unsigned l) {
        std::uint64_t address = static_cast<std::uint64_t>(info.offset);
        if (info.addr != kNoRow) address += ctx.src(info.addr)[l];
        const bool generic = info.space == ptx::Space::Generic;
        if (generic && !inWindow(address, kSharedWindow)) {
            return refuse(l, windowRule(info.op),
                          "the generic address is outside the shared windows");
        }
        const Place p = locate(ctx, info.space, address, 1, l);
        if (p.bytes == nullptr) {
            // A rank that does not exist or has exited is the owner's business: it is reported there (D-38).
            return refuse(l, info.remoteForm || generic ? "HS-024" : "MBAR-004",
                          std::string("mbarrier address: ") + p.why);
        }
        if (p.offset % 8 != 0)
            return refuse(l, "MBAR-004", "the mbarrier address is not a multiple of 8");
        if (p.offset + 8 > p.owner->launch.size) {
            return refuse(l, "MBAR-004", "the mbarrier reaches beyond the CTA's shared memory");
        }
        if (p.owner != ctx.cta) {
            if (!info.remote) {
                return refuse(l, localOnlyRule(info.op),
                              "the operation cannot act on another CTA's mbarrier");
            }
            if (info.wantValue) {
                return refuse(l, "MBARR-010",
                              "an arrive on another CTA's mbarrier returns no state");
            }
            remote = true;
        }
        r.addr[l] = clusterAddress(p.owner->launch.rank, p.offset);
        good |= 1u << l;
    });
    r.remote = remote;
    return good;
}

void Machine::sync(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes)
{
    const SyncInfo& info = program.syncs[op.extra];
    if (lanes == 0) {
        ++warp.groups[index].pc;
        return;
    }
    if (info.splits && lanes != warp.groups[index].lanes) {
        const std::uint32_t pc = warp.groups[index].pc;
        diverge(warp, index, warp.groups[index].lanes & ~lanes, pc + 1, pc, false);
    }
    if (info.aligned) {
        if (!alignedReady(warp, index)) return;
        lanes = warp.groups[index].lanes;
    }
    Group& g = warp.groups[index];
    Ctx ctx = context(warp, g);
    for (const Row row : {info.arg0, info.arg1}) {
        if (row == kNoRow || !splitBy(warp, index, ctx.src(row), lanes)) continue;
        if (info.aligned) {  // all have come: what differs is not the instruction, and each part goes on alone (D-13)
            warp.groups[index].forced = warp.groups.back().forced = true;
        }
        return;
    }
    SyncRequest r;
    r.op = info.op;
    r.at = refOf(warp);
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
    r.diverged = isMbarWait(info.op) ? othersMayIssue(warp, index) : g.lanes != warp.live;
    r.source = op.line;
    if (info.addressed) {
        r.lanes = mbarAddresses(ctx, op, info, lanes, r);
        const Lanes refused = lanes & ~r.lanes;
        ctx.setPred(info.pd, refused, 0);
        if (info.d != kNoRow) eachLane(refused, [&](unsigned l) { ctx.row(info.d)[l] = 0; });
        if (r.lanes == 0) {
            ++g.pc;
            return;
        }
        if (info.data != kNoRow) {
            eachLane(r.lanes, [&](unsigned l) { r.data[l] = ctx.src(info.data)[l]; });
        }
        if (info.limit != kNoRow) {
            eachLane(r.lanes, [&](unsigned l) {
                const std::uint64_t ticks =
                    ((ctx.src(info.limit)[l] & 0xffff'ffff) * ep.clock_mhz + 999) / 1000;
                r.limit[l] =
                    static_cast<std::uint32_t>(std::min<std::uint64_t>(ticks, 0xffff'ffff));
            });
        }
        if (isMbarWait(info.op)) {
            g.reads.strong = true;
            g.loop.polled = true;
            g.loop.pollAddress = r.addr[static_cast<unsigned>(__builtin_ctz(r.lanes))] & 0xff'ffff;
            g.loop.pollLine = op.line;
        }
    }
    if (info.bytes != 0) return remoteStores(warp, g, r, op, info);
    if (isCopyArrive(r.op)) {
        submit(warp, g, r, op, info);
        r.tag = sms[r.at.sm].queue.back().tag;
        return noteArrive(*this, warp, r);
    }
    submit(warp, g, r, op, info);
}

void Machine::remoteStores(Warp& warp, Group& group, const SyncRequest& request, const MicroOp& op,
                           const SyncInfo& info)
{
    Ctx ctx = context(warp, group);
    const std::uint32_t total = info.bytes * info.payloadCount;
    eachLane(request.lanes, [&](unsigned l) {
        std::uint64_t at = ctx.src(info.targetOffset)[l];
        if (info.target != kNoRow) at += ctx.src(info.target)[l];
        const Place p = access(ctx, info.space, at, total, l, "st.async or red.async");
        if (p.bytes == nullptr) return;
        if (p.owner == nullptr) {
            return faultLane(ctx, l, "RASYNC-018",
                             "st.async or red.async outside the shared::cluster window");
        }
        if (p.owner->launch.rank != request.addr[l] >> 24) {
            return finding({"RASYNC-015", Severity::Error,
                            "destination and mbarrier are in different CTAs", warp.cta->linear,
                            warp.index, 1u << l, op.line, now});
        }
        SyncRequest one = request;
        one.lanes = 1u << l;
        one.pred = 0;
        submit(warp, group, one, op, info);
        RemoteData data{
            keyOf(*p.owner), p.offset,         {},
            info.bytes,      info.reduce != 0, static_cast<std::uint8_t>(info.reduce - 1),
            info.reduceType};
        for (std::uint32_t i = 0; i < info.payloadCount; ++i) {
            data.values.push_back(
                ctx.src(program.rows[static_cast<std::uint32_t>(info.payload) + i])[l]);
        }
        async->remote[sms[request.at.sm].queue.back().tag] = std::move(data);
        ++async->inFlight;
    });
    if (ctx.fault.lanes != 0) return note(ctx, op);
    if (group.open == 0) ++group.pc;
}

void Machine::checkMasks(Warp& warp, const SyncRequest& request, const MicroOp& op)
{
    Sm& sm = sms[warp.cta->launch.sm];
    for (const std::uint16_t tag : warp.openTags) {
        const OpenRequest& other = sm.open[tag];
        if (other.request.op != Op::WarpSync || other.request.arg0 == request.arg0) continue;
        if ((other.pending & request.arg0) == 0 || (request.lanes & other.request.arg0) == 0)
            continue;
        finding({"BWS-011", Severity::Error,
                 "lanes wait for each other in bar.warp.sync with different masks (" +
                     module.lineText(other.line) + " and this one): neither can complete",
                 warp.cta->linear, warp.index, request.lanes | other.pending, op.line, now});
    }
}

void Machine::submit(Warp& warp, Group& group, SyncRequest request, const MicroOp& op,
                     const SyncInfo& info)
{
    Sm& sm = sms[warp.cta->launch.sm];
    if (request.op == Op::WarpSync) checkMasks(warp, request, op);
    // Packets of st.async and red.async are named by their tag alone: no two under way may share one.
    const bool data = info.bytes != 0;
    auto free = sm.freeTags.begin();
    while (data && free != sm.freeTags.end() && async->remote.contains(*free)) ++free;
    while (free == sm.freeTags.end()) {
        const auto tag =
            static_cast<std::uint16_t>(sm.open.size());  // at most 64 warps of 32 lanes: 2048
        sm.open.emplace_back();
        sm.freeTags.push_back(tag);
        free = sm.freeTags.end();
        if (!data || !async->remote.contains(tag)) --free;
    }
    request.tag = *free;
    sm.freeTags.erase(free);
    OpenRequest& open = sm.open[request.tag];
    open.used = true;
    open.arrived = open.suspended = false;
    open.cta = warp.cta;
    open.warp = warp.index;
    open.pending = request.lanes;
    open.info = &info;
    open.regBase = group.regBase;
    open.predBase = group.predBase;
    open.line = op.line;
    open.request = request;
    warp.openTags.push_back(request.tag);
    sm.queue.push_back(request);
    queued |= 1u << request.at.sm;
    ++result.syncRequests;
    if (group.open++ != 0) return;
    group.state = GroupState::Waiting;
    group.slice = ep.slice;  // other groups of the warp first
    group.line = op.line;
    ++group.pc;
    for (ExecObserver* o : observers) o->onBlocked(now, request.at, group.lanes, op.line);
}

void Machine::present()
{
    for (std::uint32_t rest = queued | updating; rest != 0; rest &= rest - 1) {
        const auto id = static_cast<std::uint8_t>(std::countr_zero(rest));
        Sm& sm = sms[id];
        while (!sm.queue.empty() && port->canPresent(id)) {
            const SyncRequest& r = sm.queue.front();
            for (ExecObserver* o : observers) o->onRequest(now, r, r.source);
            port->present(r);
            inputGiven = true;
            sm.queue.pop_front();
        }
        while (!sm.updates.empty() && port->canNotify(id)) {
            for (ExecObserver* o : observers) o->onNotify(now, sm.updates.front());
            port->notify(sm.updates.front());
            inputGiven = true;
            sm.updates.pop_front();
        }
        if (sm.queue.empty()) queued &= ~(1u << id);
        if (sm.updates.empty()) updating &= ~(1u << id);
    }
}

}  // namespace gsu::exec
