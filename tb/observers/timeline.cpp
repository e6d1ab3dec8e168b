#include "observers/timeline.hpp"

#include <fmt/format.h>

#include <string_view>

#include "observers/mbarrier_step.hpp"
#include "observers/statistics.hpp"
#include "observers/timeline_text.hpp"

namespace gsu {

using timeline::keyOf;
using timeline::processOf;

namespace {

constexpr const char* kNeverReleased = "never released";
constexpr unsigned kNamedTrack = 100, kClusterTrack = 200, kWarpSyncTrack = 300;

std::string maskOf(Lanes lanes) { return fmt::format("{:#010x}", lanes); }

}  // namespace

bool Timeline::parks(const char* why)
{
    const std::string_view end = why;
    return end == nameOf(Cause::Flip) || end == nameOf(Cause::Timeout) ||
           end == nameOf(Cause::Killed) || end == kNeverReleased;
}

std::string Timeline::labelOf(Op op, std::uint32_t id, const char* why)
{
    if (isMbarWait(op)) return fmt::format("{} +{:#x}", parks(why) ? "parked on" : "look at", id);
    if (barrierKindOf(op) == BarrierKind::Mbarrier) return fmt::format("{} +{:#x}", nameOf(op), id);
    if (isNamed(op)) return fmt::format("{} {}", nameOf(op), id);
    if (meetsLanes(op)) return fmt::format("{} {:#010x}", nameOf(op), id);
    return nameOf(op);
}

Timeline::Timeline(const std::string& path, unsigned sms, const std::string& title)
    : file_(path, title),
      open_(sms),
      map_(sms),
      launches_(std::size_t{sms} * kMaxCtas),
      gridOf_(launches_.size()),
      gridPid_(1 + std::max(sms, kMaxSms) * kMaxCtas)
{
}

void Timeline::trackOnce(unsigned pid, unsigned tid, const std::string& text)
{
    if (named_.try_emplace(keyOf(pid, tid), true).second) file_.track({pid, tid}, text);
}

void Timeline::onRoute(Cycle, const ClusterRoute& route) { map_.route(route); }

void Timeline::onLaunch(Cycle now, const Launch& launch)
{
    map_.launch(launch);
    const unsigned pid = processOf(launch.sm, launch.cta);
    gridOf_[pid - 1] = launch.grid;
    if (launches_[pid - 1]++ == 0)
        file_.process(pid, fmt::format("SM {} CTA slot {}", launch.sm, launch.cta));
    for (unsigned w = 0; w * kLanes < launch.threads; ++w)
        trackOnce(pid, w, fmt::format("warp {}", w));
    file_.instant({pid, 0}, now, "cta", "launch",
                  {{"threads", launch.threads}, {"cluster", launch.cluster}, {"rank", launch.rank}},
                  true);
}

void Timeline::onExit(Cycle now, const Exit& exit)
{
    file_.instant({processOf(exit.at.sm, exit.at.cta), exit.at.warp}, now, "exit",
                  exit.trap ? "trap" : "exit", {{"lanes", maskOf(exit.lanes)}});
}

void Timeline::onRequest(Cycle now, const SyncRequest& request)
{
    map_.request(now, request);
    if (barrierKindOf(request.op) == BarrierKind::Mbarrier) {
        SyncRequest r = {};
        r.op = request.op, r.at = request.at, r.lanes = request.lanes;
        r.tag = request.tag, r.source = request.source;
        r.arg0 = leadOffset(request);
        open_.present(r, now);
    } else {
        open_.present(request, now);
    }
    trackOnce(processOf(request.at.sm, request.at.cta), request.at.warp,
              fmt::format("warp {}", request.at.warp));
}

void Timeline::onNotify(Cycle now, const AsyncUpdate& update)
{
    file_.instant({processOf(update.sm, update.cta), update.warp}, now, "async",
                  nameOf(update.kind), {{"amount", update.amount}});
}

void Timeline::answered(WarpRef at, const OpenPart& part, Lanes lanes, Cycle cycle, const char* why)
{
    if (part.op == Op::GdcWait && parks(why))
        parkedForGrid(gridOf_[processOf(at.sm, at.cta) - 1], part.since, cycle);
    file_.slice({processOf(at.sm, at.cta), at.warp}, part.since, cycle,
                labelOf(part.op, part.id, why),
                {{"lanes", maskOf(lanes)}, {"line", part.source}, {"end", why}});
}

void Timeline::onResponse(const SyncResponse& response)
{
    open_.response(response, [&](WarpRef at, const OpenPart& part, Lanes lanes, bool) {
        answered(at, part, lanes, response.cycle, nameOf(response.cause));
        if (isMbarWait(part.op)) released(at, part, response);
    });
}

void Timeline::onRelease(const Release& release)
{
    open_.release(release, [&](WarpRef at, const OpenPart& part, Lanes lanes, bool) {
        answered(at, part, lanes, release.cycle, "Released");
    });
}

/// Starts arrows at the requests of the warp that make up this arrival; they end in the generation.
void Timeline::arrival(const Commit& commit, unsigned track, const std::string& text)
{
    const unsigned pid = processOf(commit.at.sm, commit.at.cta);
    trackOnce(pid, track, text);
    Generation& g = generations_[keyOf(pid, track)];
    if (g.arrivals++ == 0) g.first = commit.cycle;
    const bool cluster = commit.unit == Unit::Cluster;
    for (const OpenPart& part : open_.parts(commit.at)) {
        const bool mine =
            cluster ? part.op == Op::ClusterArrive : isNamed(part.op) && part.id == commit.object;
        if (!mine || (part.lanes & commit.lanes) == 0) continue;
        g.flows.push_back(++flows_);
        // The arrow starts inside the slice that the answer will write.
        file_.flow(true, flows_, {pid, commit.at.warp}, part.since, "arrival");
    }
}

void Timeline::complete(unsigned pid, unsigned track, Cycle cycle, const std::string& text)
{
    trackOnce(pid, track, text);
    Generation& g = generations_[keyOf(pid, track)];
    if (g.arrivals == 0) g.first = cycle;
    // The slice is one clock longer than the generation, so that arrows that end there are inside it.
    file_.slice({pid, track}, g.first, cycle + 1, fmt::format("generation {}", g.number),
                {{"arrivals", g.arrivals}});
    for (const std::uint64_t id : g.flows) file_.flow(false, id, {pid, track}, cycle, "arrival");
    g.flows.clear();
    g.arrivals = 0;
    ++g.number;
}

void Timeline::onCommit(const Commit& commit)
{
    const unsigned pid = processOf(commit.at.sm, commit.at.cta);
    if (commit.errs != 0) {
        file_.instant({pid, commit.at.warp}, commit.cycle, "error", "misuse",
                      {{"op", nameOf(commit.op)}, {"bits", commit.errs}});
    }
    if (commit.op >= Op::EvGridOpen && commit.op <= Op::EvGridEnd) {
        gridCommit(commit);
    } else if (showsMbarrier(commit)) {
        mbarrier(commit);
    } else if (commit.unit == Unit::Named && !commit.refused && commit.object < kBarsPerCta) {
        const std::string text = fmt::format("barrier {}", commit.object);
        if (commit.op < Op::EvLaunch) arrival(commit, kNamedTrack + commit.object, text);
        if (commit.flip) complete(pid, kNamedTrack + commit.object, commit.cycle, text);
    } else if (commit.unit == Unit::Cluster && !commit.refused) {
        if (commit.op == Op::ClusterArrive) arrival(commit, kClusterTrack, "cluster barrier");
        if (commit.op == Op::EvClusterFlip)
            complete(pid, kClusterTrack, commit.cycle, "cluster barrier");
    } else if (commit.unit == Unit::WarpSync && !commit.refused && commit.op < Op::EvLaunch) {
        trackOnce(pid, kWarpSyncTrack, "warp sync");
        file_.instant({pid, kWarpSyncTrack}, commit.cycle,
                      commit.op == Op::WarpSync ? "sync" : nameOf(commit.op),
                      fmt::format("warp {} met", commit.at.warp),
                      {{"mask", maskOf(commit.object)}});
    }
}

void Timeline::onCtaFree(const CtaFree& free)
{
    closeMbarriers(processOf(free.sm, free.cta), free.cycle);
    file_.instant({processOf(free.sm, free.cta), 0}, free.cycle, "cta", "free", {}, true);
}

void Timeline::onEnd(Cycle now)
{
    while (!phases_.empty()) closeMbarriers(unsigned(phases_.begin()->first >> 32), now);
    for (std::size_t i = 0; i < open_.size(); ++i) {
        const WarpRef at = OpenTable::warpAt(i);
        for (const OpenPart& part : open_.parts(at))
            answered(at, part, part.lanes, now, kNeverReleased);
    }
    closeGrids(now);
}

}  // namespace gsu
