// clusterlaunchcontrol.try_cancel: a request to the port, whose lanes ask for clusters that have not started; the executor has the queue, and writes the
// 16 bytes of a response where the port delivers them (CLC-003..CLC-014, D-55, D-56, D-57). What the bytes say is its own business (CLC-027).
#include "exec/async/async_ops.hpp"
#include "exec/launch/launcher.hpp"
#include "exec/machine/access.hpp"
#include "exec/machine/mem_ops.hpp"
#include "exec/machine/sync_issue.hpp"

namespace gsu::exec {

/// One lane: its operands, checked.
void SyncIssue::cancel(Ctx& ctx, const MicroOp& op, const SyncInfo& info, unsigned l,
                       SyncRequest& r, CancelRequest& sent)
{
    const auto at = [&](Row row, std::uint64_t offset) {
        return offset + (row == kNoRow ? 0 : ctx.src(row)[l]);
    };
    const std::uint64_t response = at(info.target, ctx.src(info.targetOffset)[l]);
    if (response % 16 != 0)
        return faultLane(ctx, l, "CLC-008",
                         "the response address of try_cancel is not a multiple of 16",
                         TrapKind::Misaligned);
    CopyEnd to, bar;
    if (!resolveEnd(ctx, info.space, response, 16, 16, l, "try_cancel response", to)) return;
    const std::uint64_t mbarrier = at(info.addr, static_cast<std::uint64_t>(info.offset));
    if (!resolveEnd(ctx, info.space, mbarrier, 8, 8, l, "try_cancel mbarrier", bar)) return;
    if (ctx.cta->sawFailure)
        report(ctx, op, "CLC-012", Severity::Error,
               "try_cancel after this CTA has observed a failed one", 1u << l);
    r.lanes |= 1u << l;
    r.addr[l] = clusterAddress(ctx.cta->launch.rank, static_cast<std::uint32_t>(bar.at));
    r.data[l] = to.at;
    sent.lane[l].response = static_cast<std::uint32_t>(to.at);
    sent.lane[l].left = sent.targets;
}

FaultNote SyncIssue::cancels(Ctx& ctx, const MicroOp& op, const SyncInfo& info, Lanes lanes)
{
    SyncRequest r = requestOf(ctx, op, info, lanes);
    r.lanes = 0;
    r.pred = 0;
    r.remote = info.remoteForm;  // multicast
    CancelRequest sent;
    sent.line = op.line;
    sent.targets = r.remote ? ctx.cta->launch.ctas : 1;
    eachLane(lanes, [&](unsigned l) { cancel(ctx, op, info, l, r, sent); });
    if (ctx.fault.lanes != 0) return std::move(ctx.fault);
    sent.lanes = r.lanes;
    async_.sendCancel(submit(*ctx.warp, *ctx.group, r, op, info), sent);
    return {};
}

void AsyncEngines::sendCancel(std::uint16_t tag, CancelRequest request)
{
    assert(!cancels_.contains(tag) && request.lanes != 0);
    cancels_.emplace(tag, std::move(request));
    ++inFlight_;
}

std::uint32_t AsyncEngines::cancelLine(std::uint16_t tag) const
{
    const auto found = cancels_.find(tag);
    return found == cancels_.end() ? 0 : found->second.line;
}

void AsyncEngines::dropCancel(std::uint16_t tag, Lanes lanes)
{
    const auto found = cancels_.find(tag);
    if (found == cancels_.end()) return;
    found->second.lanes &= ~lanes;
    if (found->second.lanes != 0) return;
    cancels_.erase(found);
    ended();
}

void AsyncEngines::onCancel(const CancelQuery& q)
{
    const auto found = cancels_.find(q.tag);
    assert(found != cancels_.end());
    const std::uint64_t cluster = launcher_.takeCluster();
    CancelAnswer answer{q.sm, q.slot, cluster != ~0ull, {}};
    auto& words = found->second.lane[q.lane].words;
    words = {0, kCancelFailed};
    if (answer.canceled) {
        const Shape& s = s_.shape;
        const std::uint64_t gx = s.grid[0] / s.cluster[0], gy = s.grid[1] / s.cluster[1];
        answer.first = {static_cast<std::uint32_t>(cluster % gx * s.cluster[0]),
                        static_cast<std::uint32_t>(cluster / gx % gy * s.cluster[1]),
                        static_cast<std::uint32_t>(cluster / (gx * gy) * s.cluster[2])};
        words = {answer.first[0] | std::uint64_t{answer.first[1]} << 32,
                 answer.first[2] | kCanceled};
    }
    ++inFlight_;
    at(s_.now() + s_.ep.global_lat + s_.random() % 64, Late::Cancel,
       slotIn(answers_, freeAnswers_, answer));
}

/// The 16 bytes in one step, by the async proxy; then, by the unit, their complete_tx. False: the tag is not of these.
bool AsyncEngines::deliverCancel(const Delivered& d)
{
    const auto found = cancels_.find(d.tag);
    if (found == cancels_.end()) return false;
    CancelRequest& r = found->second;
    eachLane(d.lanes & r.lanes, [&](unsigned l) {
        CancelRequest::Lane& lane = r.lane[l];
        if (--lane.left == 0) r.lanes &= ~(1u << l);
        const Cta* cta = d.refused ? nullptr : residents_.at(d.sm, d.cta);
        if (cta == nullptr) return;
        std::memcpy(memory_.shared(*cta, lane.response), lane.words.data(), 16);
        memory_.late().copyWrote(LateMemory::whereShared(cta->launch, lane.response), 16);
        memory_.stored(*cta, lane.response, 16);
        arrived(*cta, lane.response, 16);
    });
    s_.progress.changed();
    if (r.lanes == 0) {
        cancels_.erase(found);
        ended();
    }
    return true;
}

}  // namespace gsu::exec
