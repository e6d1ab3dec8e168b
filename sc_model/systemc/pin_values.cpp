#include "systemc/pin_values.hpp"

#include <bit>

#include "golden/op_traits.hpp"

namespace gsu::pins {

namespace {

constexpr unsigned kLanesPerBeat = 4;

[[nodiscard]] bool givesLimits(const SyncRequest& r) { return r.kind != 0 && isMbarTryWait(r.op); }

/// One beat for all lanes serves a request whose lanes ask the same (states: the same phase).
[[nodiscard]] bool sameForAll(const SyncRequest& r)
{
    if (!isMbarRequest(r) && !hasValues(r.op)) return false;
    const bool states = isMbarState(r.op);
    bool same = true;
    unsigned lead = kLanes;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        if ((r.lanes >> lane & 1) == 0) continue;
        if (lead == kLanes) lead = lane;
        same = same && r.addr[lane] == r.addr[lead];
        same = same &&
               (states ? r.data[lane] >> 63 == r.data[lead] >> 63 : r.data[lane] == r.data[lead]);
        same = same && (!givesLimits(r) || r.limit[lane] == r.limit[lead]);
    }
    return same;
}

}  // namespace

raw::SyncReq toPins(const SyncRequest& r)
{
    return {.op = r.op,
            .cta = r.at.cta,
            .warp = r.at.warp,
            .tag = r.tag,
            .kind = r.kind,
            .sem = r.sem,
            .scope = r.scope,
            .aligned = r.aligned,
            .no_complete = r.noComplete,
            .want_value = r.wantValue,
            .diverged = r.diverged,
            .remote = r.remote,
            .bcast = sameForAll(r),
            .lanes = r.lanes,
            .arg0 = r.arg0,
            .arg1 = r.arg1,
            .pred = r.pred};
}

std::vector<raw::OpndBeat> operandsOf(const SyncRequest& r)
{
    std::vector<raw::OpndBeat> beats;
    if (!isMbarRequest(r) && !hasValues(r.op)) return beats;
    const bool bcast = sameForAll(r);
    for (const bool second : {false, true}) {
        if (second && !givesLimits(r)) break;
        if (bcast) {
            beats.push_back({.quad = 0, .last = false, .half = second, .mask = 1, .lane = {}});
            continue;
        }
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            if ((r.lanes >> lane & 1) == 0) continue;
            const auto quad = std::uint8_t(lane / kLanesPerBeat);
            if (beats.empty() || beats.back().quad != quad || beats.back().half != second)
                beats.push_back(
                    {.quad = quad, .last = false, .half = second, .mask = 0, .lane = {}});
            raw::OpndBeat& beat = beats.back();
            beat.mask = std::uint8_t(beat.mask | 1u << lane % kLanesPerBeat);
        }
    }
    // Lanes without a bit in the mask carry what the request holds: nobody may look at them.
    const auto lead = unsigned(std::countr_zero(r.lanes));
    for (raw::OpndBeat& beat : beats) {
        beat.warp = hasValues(r.op);
        for (unsigned k = 0; k < kLanesPerBeat; ++k) {
            const unsigned lane = bcast ? lead : beat.quad * kLanesPerBeat + k;
            beat.lane[k] = {.addr = r.addr[lane], .data = beat.half ? r.limit[lane] : r.data[lane]};
        }
    }
    if (!beats.empty()) beats.back().last = true;
    return beats;
}

raw::Launch toPins(const Launch& l)
{
    return {.cta = l.cta,
            .wbase = l.wbase,
            .clus = l.cluster,
            .rank = l.rank,
            .ctas = l.ctas,
            .threads = l.threads,
            .era = l.era,
            .grid = l.grid,
            .base = l.base,
            .size = l.size};
}

raw::Exit toPins(const Exit& e)
{
    return {.cta = e.at.cta, .warp = e.at.warp, .trap = e.trap, .lanes = e.lanes};
}

raw::Async toPins(const AsyncUpdate& u)
{
    return {.kind = u.kind,
            .cta = u.cta,
            .warp = u.warp,
            .tag = u.tag,
            .era = u.era,
            .addr = u.addr,
            .amount = u.amount};
}

raw::Wr toPins(const Accesses& a, bool performed)
{
    raw::Wr w;
    w.cta = a.at.cta;
    w.warp = a.at.warp;
    w.count = a.count;
    w.epoch = a.epoch == 1;
    w.everyone = a.reach != Reach::Cta;
    w.performed = performed;
    return w;
}

raw::ClusCfg toPins(const ClusterRoute& r)
{
    return {.clus = r.cluster, .rank = r.rank, .sm = r.sm, .cta = r.cta, .ctas = r.ctas};
}

raw::Grid toPins(const GridStart& g)
{
    raw::Grid out;
    out.grid = g.grid;
    out.ctas = g.ctas;
    out.prereqs = g.prereqs;
    out.ended = g.ended;
    out.fewer = g.fewer;
    return out;
}

SyncResponse fromPins(const raw::SyncRsp& r, unsigned sm, Cycle cycle)
{
    return {.tag = r.tag,
            .at = {std::uint8_t(sm), r.cta, r.warp},
            .lanes = r.lanes,
            .pred = r.pred,
            .last = r.last,
            .cause = r.cause,
            .cycle = cycle,
            .value = r.value,
            .stride = r.stride};
}

CancelQuery fromPins(const raw::ClcReq& q, unsigned sm, Cycle cycle)
{
    return {.sm = std::uint8_t(sm),
            .cta = q.cta,
            .lane = q.lane,
            .slot = q.slot,
            .tag = q.tag,
            .multicast = q.multicast,
            .cycle = cycle};
}

Release fromPins(const raw::Release& r, unsigned sm, Cycle cycle)
{
    return {.sm = std::uint8_t(sm),
            .cta = r.cta,
            .warps = r.warps,
            .lanes = r.lanes,
            .cluster = r.cluster,
            .id = std::uint8_t(r.id_hi << 4 | r.id),
            .popc = r.popc,
            .all = r.all,
            .any = r.any,
            .cycle = cycle};
}

Commit fromPins(const raw::Tap& t, unsigned sm, Unit unit, Cycle cycle, std::uint64_t seq)
{
    return {.seq = seq,
            .cycle = cycle,
            .unit = unit,
            .op = t.op,
            .at = {std::uint8_t(sm), t.cta, t.warp},
            .lanes = t.lanes,
            .tag = t.tag,
            .object = t.obj,
            .oldWord = t.old_w,
            .newWord = t.new_w,
            .flip = t.flip,
            .refused = t.refused,
            .errs = t.errs,
            .cause = t.cause,
            .src = t.src,
            .srcSm = t.src_sm,
            .srcCta = std::uint8_t(t.src_cta_hi << 2 | t.src_cta_lo)};
}

}  // namespace gsu::pins
