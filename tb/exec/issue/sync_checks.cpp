// Errors of a synchronization instruction before it becomes a request: its guard, its mask, its tensor map, its state.
#include <fmt/format.h>

#include "exec/issue/sync_issue.hpp"
#include "exec/state/report.hpp"
#include "exec/tensormap/tensor_map.hpp"
#include "golden/op_traits.hpp"

namespace gsu::exec {

/// A guard that is false for lanes which the instruction needs.
void SyncIssue::checkGuard(Warp& warp, Group& group, const MicroOp& op, const SyncInfo& info,
                           Lanes lanes) const
{
    if (lanes == group.lanes) return;
    const Lanes left = group.lanes & ~lanes;
    const auto told = [&](const char* rule, const char* what) {
        s_.findings.add({rule, Severity::Error,
                         fmt::format("{}: the guard is false for lanes {:#010x}", what, left),
                         warp.cta->linear, warp.index, lanes, op.line, s_.now()});
    };
    if (info.aligned && isNamed(info.op))
        told("BAR-031", "an aligned barrier of a part of the warp");
    if (info.aligned && isCluster(info.op))
        told("CLU-015", "an aligned cluster barrier of a part of the warp");
    if (info.op != Op::Elect) return;
    const Ctx ctx = s_.context(warp, group);
    const auto mask = static_cast<Lanes>(ctx.src(info.arg0)[__builtin_ctz(lanes)]);
    if ((mask & left) != 0) told("ELECT-008", "elect.sync whose mask names lanes that skip it");
}

/// Checks that a state is used with the mbarrier that returned it. Only if it is known: registers that arrives write, and copies of these.
void SyncIssue::checkState(const Ctx& ctx, const MicroOp& op, const SyncInfo& info,
                           const SyncRequest& r) const
{
    Lanes foreign = 0;
    std::uint32_t from = 0;
    eachLane(r.lanes, [&](unsigned l) {
        bool own = false, other = false;
        for (const Row row : info.states) {
            const auto object = client_.states().objectOf(
                *ctx.warp, ctx.group->regBase + static_cast<std::uint32_t>(row), l, r.data[l]);
            if (!object) continue;
            own = own || *object == r.addr[l];
            if (*object == r.addr[l]) continue;
            other = true;
            from = *object;
        }
        if (other && !own) foreign |= Lanes{1} << l;
    });
    if (foreign == 0) return;
    const auto lane = static_cast<unsigned>(__builtin_ctz(foreign));
    report(
        ctx, op, "MBW-010", Severity::Error,
        fmt::format("the state came from another mbarrier: the one at {}, and the wait is on the "
                    "one at {}",
                    clusterOffset(from), clusterOffset(r.addr[lane])),
        foreign);
}

/// Checks the tensormap of an acquiring fence: it is in global memory (FENCE-019), and the fence orders these 128 bytes (FENCE-029). Counts
/// from its issue: the fence can pair with everything released by then.
void SyncIssue::checkMap(const Ctx& ctx, const MicroOp& op, const SyncInfo& info, Lanes lanes)
{
    Lanes elsewhere = 0;
    eachLane(lanes, [&](unsigned l) {
        std::uint64_t address = static_cast<std::uint64_t>(info.offset);
        if (info.addr != kNoRow) address += ctx.src(info.addr)[l];
        if (inWindow(address, kSharedWindow) || inWindow(address, kLocalWindow))
            elsewhere |= 1u << l;
        else
            memory_.late().mapAcquired(*ctx.cta, address, TensorMap::kBytes);
    });
    if (elsewhere == 0) return;
    s_.findings.add({"FENCE-019", Severity::Error,
                     "the tensormap of the fence is not in global memory", ctx.cta->linear,
                     ctx.warp->index, elsewhere, op.line, s_.now()});
}

void SyncIssue::checkMasks(const Warp& warp, const SyncRequest& request, const MicroOp& op)
{
    for (const std::uint16_t tag : warp.openTags) {
        const OpenRequest& other = client_.open(warp, tag);
        if (other.request.op != request.op) continue;
        if ((other.pending & request.arg0) == 0 || (request.lanes & other.request.arg0) == 0)
            continue;
        if (request.op == Op::VoteSync && other.request.arg0 == request.arg0 &&
            other.request.kind != request.kind) {
            s_.findings.add({"VSYNC-008", Severity::Error,
                             "lanes of one member mask execute vote.sync with different "
                             "qualifiers (others at " +
                                 s_.module.lineText(other.line) + ")",
                             warp.cta->linear, warp.index, request.lanes, op.line, s_.now()});
        }
        if (request.op != Op::WarpSync || other.request.arg0 == request.arg0) continue;
        s_.findings.add(
            {"BWS-011", Severity::Error,
             "lanes wait for each other in bar.warp.sync with different masks (" +
                 s_.module.lineText(other.line) + " and this one): neither can complete",
             warp.cta->linear, warp.index, request.lanes | other.pending, op.line, s_.now()});
    }
}

}  // namespace gsu::exec
