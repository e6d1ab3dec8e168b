// Reports of the port to a run.
#include <algorithm>

#include "exec/machine/kernel_run.hpp"
#include "golden/op_traits.hpp"

namespace gsu::exec {

void KernelRun::onResponse(const SyncResponse& response) { client.onResponse(response); }
void KernelRun::onRelease(const Release& release) { client.onRelease(release); }
void KernelRun::onCommit(const Commit& commit) { client.onCommit(commit); }
void KernelRun::onDelivered(const Delivered& delivered)
{
    if (!atomics.delivered(delivered)) async.onDelivered(delivered);
}
void KernelRun::onCtaFree(const CtaFree& free) { launcher.freed(free); }
void KernelRun::onCancel(const CancelQuery& query) { async.onCancel(query); }

void KernelRun::onAnswered(Warp& warp, const SyncRequest& request)
{
    if (request.op == Op::FenceProxy) {
        using Of = visibility::ProxyLog::Of;
        const bool ofShared = request.kind == kFenceAsync || request.kind == kFenceAsyncCta ||
                              request.kind == kFenceAsyncCluster || request.kind == kFenceGeneric;
        const bool ofGlobal = request.kind == kFenceAsync || request.kind == kFenceAsyncGlobal ||
                              request.kind == kFenceGeneric;
        if (ofShared || ofGlobal)
            memory.late().proxyFence(*warp.cta, !ofGlobal   ? Of::Shared
                                                : !ofShared ? Of::Global
                                                            : Of::Both);
        if (ofShared) matrix.proxyFence(*warp.cta);
    }
    const bool ofMaps = request.op == Op::TensormapCpFence ||
                        (request.op == Op::FenceProxy && request.kind == kFenceTensormap);
    if (ofMaps && request.sem == Sem::Release) memory.late().mapReleased();
    if (request.op == Op::Atom || request.op == Op::Red)
        atomics.answered(warp, state.resources.chip().packetName(request.at.sm, request.tag));
    if (isCopyArrive(request.op)) async.arriveAnswered(request.at.sm, request.tag);
    lanes.answered(warp, request.lanes);
}

void KernelRun::onPacketRefused(std::uint32_t packet, Lanes whose)
{
    async.dropCancel(packet, whose);
    if (!atomics.open(packet)) async.dropRemote(packet);
}
std::uint32_t KernelRun::lineOf(const Commit& commit) const
{
    if (isCancel(commit.op))
        return async.cancelLine(state.resources.chip().packetName(commit.at.sm, commit.tag));
    return commit.op == Op::EvAgentArrive ? tensorCores.lineOf(commit) : 0;
}
bool KernelRun::packetOpen(std::uint32_t packet) const
{
    if (state.ownResources != nullptr || state.part != nullptr) return holdsPacket(packet);
    const auto& all = state.resources.packets;
    return std::any_of(all.begin(), all.end(), [&](const auto& open) { return open(packet); });
}
void KernelRun::onPresent(const SyncRequest& request)
{
    const Cta* cta = residents.at(request.at.sm, request.at.cta);
    if (cta != nullptr) memory.late().announce(request, *cta);
}
/// Lanes that are parked for the waiting ones may be needed.
void KernelRun::onSuspended(Warp& warp) { schedulers.rouse(warp, state.now() + 1); }

}  // namespace gsu::exec
