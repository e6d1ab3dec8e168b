// clusterlaunchcontrol.try_cancel as a request to the port, whose lanes ask for clusters that have not started (CLC-003, CLC-008, CLC-012).
#include "exec/issue/sync_issue.hpp"
#include "exec/memory/access.hpp"
#include "exec/memory/copy_end.hpp"

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
    const std::uint16_t tag = submit(*ctx.warp, *ctx.group, r, op, info);
    async_.sendCancel(s_.resources.chip().packetName(r.at.sm, tag), sent);
    return {};
}

}  // namespace gsu::exec
