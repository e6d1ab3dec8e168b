// Answers of clusterlaunchcontrol.try_cancel: the executor has the queue of clusters, and writes the 16 bytes of a response when the port
// delivers them (CLC-003..CLC-014, D-55, D-56, D-57). The format of the bytes is its own (CLC-027).
#include "exec/async/async_engines.hpp"
#include "exec/ctas/launcher.hpp"

namespace gsu::exec {

void AsyncEngines::sendCancel(std::uint32_t packet, CancelRequest request)
{
    assert(!cancels_.contains(packet) && request.lanes != 0);
    cancels_.emplace(packet, std::move(request));
    ++inFlight_;
}

std::uint32_t AsyncEngines::cancelLine(std::uint32_t packet) const
{
    const auto found = cancels_.find(packet);
    return found == cancels_.end() ? 0 : found->second.line;
}

void AsyncEngines::dropCancel(std::uint32_t packet, Lanes lanes)
{
    const auto found = cancels_.find(packet);
    if (found == cancels_.end()) return;
    found->second.lanes &= ~lanes;
    if (found->second.lanes != 0) return;
    cancels_.erase(found);
    ended();
}

void AsyncEngines::onCancel(const CancelQuery& q)
{
    const auto found = cancels_.find(s_.resources.chip().packetName(q.sm, q.tag));
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
    const Cycle latency =
        s_.timingAdapter != nullptr ? s_.timingAdapter->farLatency() : s_.ep.global_lat;
    at(s_.now() + latency + s_.random(q.sm) % 64, Late::Cancel,
       slotIn(answers_, freeAnswers_, answer));
}

/// The 16 bytes in one step, by the async proxy; then, by the unit, their complete_tx. False: the tag is not of these.
bool AsyncEngines::deliverCancel(const Delivered& d)
{
    const auto found = cancels_.find(s_.resources.chip().packetName(d.sm, d.tag));
    if (found == cancels_.end()) return false;
    CancelRequest& r = found->second;
    eachLane(d.lanes & r.lanes, [&](unsigned l) {
        CancelRequest::Lane& lane = r.lane[l];
        if (--lane.left == 0) r.lanes &= ~(1u << l);
        const Cta* cta = d.refused ? nullptr : residents_.at(d.sm, d.cta);
        if (cta == nullptr) return;
        std::memcpy(memory_.shared(*cta, lane.response), lane.words.data(), 16);
        memory_.late().copyWrote(LateMemory::whereShared(cta->launch, lane.response), 16);
        memory_.stored(*cta, lane.response, 16, {cta->linear, 0, Lanes{1} << l, r.line});
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
