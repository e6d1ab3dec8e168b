#include "trace/recorder.hpp"

namespace gsu::trace {

Recorder::Recorder(Writer& writer, unsigned sms)
    : writer_(writer), open_(sms), warps_(open_.size()), smRecord_(sms)
{
}

void Recorder::asyncIssued(Cycle now, WarpRef at, std::uint16_t tag)
{
    const Issue issue{++issued_, now};
    issues_[std::uint32_t{at.sm} << 16 | tag] = issue;
    writer_.write(IssueRecord{now - warp(at).lastRecord, at, issue.id});
}

void Recorder::onRoute(Cycle now, const ClusterRoute& route)
{
    writer_.write(RouteRecord{now - lastFree_, frees_, route});
}

void Recorder::onLaunch(Cycle now, const Launch& launch)
{
    writer_.write(LaunchRecord{now - lastFree_, frees_, launch});
    for (unsigned w = 0; w < warpsOf(launch.threads); ++w) {
        Warp& state = warp({launch.sm, launch.cta, std::uint8_t(w)});
        state.live = lanesOf(launch.threads, w);
        state.answered.set(state.live, state.live, now);
        state.lastRecord = now;
    }
    smRecord_[launch.sm] = now;
}

void Recorder::onExit(Cycle now, const Exit& exit)
{
    Warp& state = warp(exit.at);
    writer_.write(ExitRecord{now - state.answered.latest(exit.lanes), exit});
    state.live &= ~exit.lanes;
    state.lastRecord = now;
    smRecord_[exit.at.sm] = now;
}

void Recorder::onRequest(Cycle now, const SyncRequest& request)
{
    Warp& state = warp(request.at);
    writer_.write(RequestRecord{now - state.answered.latest(request.lanes), request});
    open_.present(request, now);
    state.lastRecord = now;
    smRecord_[request.at.sm] = now;
}

void Recorder::onNotify(Cycle now, const AsyncUpdate& update)
{
    const auto issue = issues_.find(std::uint32_t{update.sm} << 16 | update.tag);
    if (issue == issues_.end()) {
        const Cycle anchor = warp({update.sm, update.cta, update.warp}).lastRecord;
        writer_.write(AsyncRecord{now - anchor, 0, update});
        return;
    }
    writer_.write(AsyncRecord{now - issue->second.at, issue->second.id, update});
}

void Recorder::onStored(Cycle now, std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes)
{
    writer_.write(StoreRecord{now - smRecord_[sm], sm, addr, bytes});
}

void Recorder::onResponse(const SyncResponse& response)
{
    writer_.write(response);
    open_.response(response, [&](WarpRef at, const OpenPart&, Lanes lanes, bool) {
        warp(at).answered.set(lanes, warp(at).live, response.cycle);
    });
}

void Recorder::onRelease(const Release& release)
{
    writer_.write(release);
    open_.release(release, [&](WarpRef at, const OpenPart&, Lanes lanes, bool) {
        warp(at).answered.set(lanes, warp(at).live, release.cycle);
    });
}

void Recorder::onDelivered(const Delivered& delivered) { writer_.write(delivered); }

void Recorder::onCtaFree(const CtaFree& free)
{
    writer_.write(free);
    ++frees_;
    lastFree_ = free.cycle;
}

}  // namespace gsu::trace
