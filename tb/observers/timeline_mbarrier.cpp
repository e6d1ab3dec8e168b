// The mbarrier tracks of a timeline: phases, outstanding bytes, arrivals, and which arrival released which wait.
#include <fmt/format.h>

#include <cstdlib>

#include "observers/mbarrier_step.hpp"
#include "observers/timeline.hpp"
#include "observers/timeline_text.hpp"

namespace gsu {

using timeline::keyOf;
using timeline::processOf;

namespace {

constexpr unsigned kFirstTrack = 1000;  ///< track of the mbarrier at byte 0

unsigned trackOf(std::uint32_t offset) { return kFirstTrack + offset / 8; }

/// The kind of update of the object, in a word.
std::string actorOf(const Commit& c)
{
    if (c.op == Op::EvAsyncCompleteTx) return c.src == Src::Remote ? "st.async" : "bulk copy";
    if (isCancel(c.op)) return "try_cancel";
    if (c.op == Op::EvAsyncArrive) return "cp.async";
    if (c.op == Op::EvAgentArrive) return "tensor core";
    return fmt::format("{}warp {}", c.src == Src::Remote ? "remote " : "", c.at.warp);
}

}  // namespace

/// Draws outstanding bytes: a slice from the first to the last of them.
void Timeline::outstanding(Phase& phase, Spot now, std::int32_t tx)
{
    if (phase.tx == 0 && tx != 0) {
        phase.txFrom = now.at;
        phase.txMost = 0;
    }
    const auto size = static_cast<std::uint32_t>(std::abs(tx));
    phase.txMost = std::max(phase.txMost, size);
    if (phase.tx != 0 && tx == 0)
        file_.slice({now.pid, now.tid}, phase.txFrom, now.at,
                    fmt::format("{} bytes {}", phase.txMost, phase.tx > 0 ? "pending" : "early"),
                    {});
    phase.tx = tx;
}

void Timeline::closePhase(Phase& phase, Spot now, bool complete, const std::string& by)
{
    if (phase.tx != 0) outstanding(phase, now, 0);
    if (phase.used || complete) {
        // The slice is one clock longer than the phase, so that arrows that start there are inside it.
        file_.slice({now.pid, now.tid}, phase.from, now.at + (complete ? 1 : 0),
                    fmt::format("phase {}{}", phase.number, complete ? "" : " (not completed)"),
                    {{"parity", std::int64_t(phase.number & 1)},
                     {"arrivals", phase.arrivals},
                     {"bytes", std::int64_t(phase.bytes)},
                     {"completed_by", by}});
    }
    phase = Phase{.from = now.at + 1, .number = phase.number + 1};
}

/// The request whose arrival completes the phase; for a copy, the track itself.
Timeline::Spot Timeline::arrivalSpot(const Commit& c, Spot track)
{
    if (c.src == Src::Remote) {
        const auto origin = map_.take(c);
        if (!origin) return track;
        return {processOf(origin->at.sm, origin->at.cta), origin->at.warp, origin->since};
    }
    if (c.src != Src::Local) return track;
    for (const OpenPart& part : open_.parts(c.at)) {
        if (part.tag == c.tag) return {track.pid, c.at.warp, part.since};
    }
    return track;
}

/// Remembers for every wait on the object which update releases it.
void Timeline::wakes(const Commit& c, Spot from)
{
    const std::uint32_t offset = clusterOffset(c.object);
    for (std::uint8_t warp = 0; warp < kMaxWarps; ++warp) {
        const WarpRef at{c.at.sm, c.at.cta, warp};
        for (const OpenPart& part : open_.parts(at)) {
            if (isMbarWait(part.op) && part.id == offset)
                wakers_[OpenTable::waitKey(at, offset)] = from;
        }
    }
}

void Timeline::released(WarpRef at, const OpenPart& part, const SyncResponse& response)
{
    const auto found = wakers_.find(OpenTable::waitKey(at, part.id));
    if (found == wakers_.end()) return;
    const Spot from = found->second;
    wakers_.erase(found);
    if (response.cause != Cause::Flip) return;
    file_.flow(true, ++flows_, {from.pid, from.tid}, from.at, "completes");
    file_.flow(false, flows_, {processOf(at.sm, at.cta), at.warp}, response.cycle, "completes");
}

void Timeline::mbarrier(const Commit& c)
{
    if (isMbarWait(c.op)) return;
    const std::uint32_t offset = clusterOffset(c.object);
    const Spot now{processOf(c.at.sm, c.at.cta), trackOf(offset), c.cycle};
    trackOnce(now.pid, now.tid, fmt::format("mbarrier +{:#x}", offset));
    const timeline::Track track{now.pid, now.tid};
    Phase& phase = phases_[keyOf(now.pid, now.tid)];
    if (c.op == Op::MbarInit || c.op == Op::MbarInval) {
        closePhase(phase, now, false, "");
        phase = Phase{.from = c.cycle};
        file_.instant(track, now.at, "mbarrier",
                      c.op == Op::MbarInit ? fmt::format("init {}", unpackMbar(c.newWord).expected)
                                           : "inval",
                      {});
        return;
    }
    const MbarrierStep step = stepOf(c);
    phase.used = true;
    phase.arrivals += step.arrivals;
    phase.bytes += step.bytes;
    file_.instant(track, now.at, "mbarrier",
                  step.bytes != 0 ? fmt::format("{} bytes by {}", step.bytes, actorOf(c))
                                  : fmt::format("{} by {}", nameOf(c.op), actorOf(c)),
                  {{"pending", step.pending}, {"tx", step.tx}});
    outstanding(phase, now, step.tx);
    const Spot from = arrivalSpot(c, now);
    if (!c.flip) return;
    wakes(c, from);
    closePhase(phase, now, true, actorOf(c));
}

void Timeline::closeMbarriers(unsigned pid, Cycle now)
{
    const auto first = phases_.lower_bound(keyOf(pid, 0)),
               last = phases_.lower_bound(keyOf(pid + 1, 0));
    for (auto p = first; p != last; ++p)
        closePhase(p->second, {pid, unsigned(p->first), now}, false, "");
    phases_.erase(first, last);
}

}  // namespace gsu
