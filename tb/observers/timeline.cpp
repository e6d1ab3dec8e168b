#include "observers/timeline.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "observers/mbarrier_step.hpp"
#include "observers/statistics.hpp"
#include "observers/timeline_text.hpp"

namespace gsu {

using timeline::keyOf;
using timeline::processOf;
using timeline::time;

namespace {

constexpr const char* kNeverReleased = "never released";
constexpr std::size_t kFlushAt = std::size_t{1} << 16;
constexpr unsigned kNamedTrack = 100, kClusterTrack = 200, kWarpSyncTrack = 300;

std::string quoted(const std::string& text)
{
    return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

bool parks(const char* why)
{
    const std::string_view end = why;
    return end == nameOf(Cause::Flip) || end == nameOf(Cause::Timeout) ||
           end == nameOf(Cause::Killed) || end == kNeverReleased;
}

std::string labelOf(Op op, std::uint32_t id, const char* why)
{
    if (isMbarrierWait(op))
        return fmt::format("{} +{:#x}", parks(why) ? "parked on" : "look at", id);
    if (barrierKindOf(op) == BarrierKind::Mbarrier) return fmt::format("{} +{:#x}", nameOf(op), id);
    if (waitsForNamed(op) || op == Op::BarArrive) return fmt::format("{} {}", nameOf(op), id);
    if (op == Op::WarpSync) return fmt::format("{} {:#010x}", nameOf(op), id);
    return nameOf(op);
}

}  // namespace

Timeline::Timeline(const std::string& path, unsigned sms, const std::string& title)
    : file_(path), open_(sms), map_(sms), launches_(std::size_t{sms} * kMaxCtas)
{
    buffer_ = "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"title\":" + quoted(title) +
              ",\"clock\":\"1 RTL clock = 1 ns\"},\"traceEvents\":[\n";
}

void Timeline::event(const std::string& fields)
{
    if (events_++ != 0) buffer_ += ",\n";
    buffer_ += '{' + fields + '}';
    if (buffer_.size() < kFlushAt) return;
    file_.write(buffer_);
    buffer_.clear();
}

void Timeline::name(const char* what, unsigned pid, unsigned tid, const std::string& text)
{
    event(fmt::format(R"("ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}})", what, pid,
                      tid, quoted(text)));
}

void Timeline::trackOnce(unsigned pid, unsigned tid, const std::string& text)
{
    if (!named_.try_emplace(keyOf(pid, tid), true).second) return;
    name("thread_name", pid, tid, text);
    event(fmt::format(
        R"("ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}})", pid,
        tid, tid));
}

void Timeline::slice(unsigned pid, unsigned tid, Cycle from, Cycle to, const std::string& text,
                     const std::string& args)
{
    event(fmt::format(
        R"("ph":"X","name":{},"cat":"sync","pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}})",
        quoted(text), pid, tid, time(from), time(to - from), args));
}

void Timeline::onRoute(Cycle, const ClusterRoute& route) { map_.route(route); }

void Timeline::onLaunch(Cycle now, const Launch& launch)
{
    map_.launch(launch);
    const unsigned pid = processOf(launch.sm, launch.cta);
    if (launches_[pid - 1]++ == 0) {
        name("process_name", pid, 0, fmt::format("SM {} CTA slot {}", launch.sm, launch.cta));
        event(fmt::format(
            R"("ph":"M","name":"process_sort_index","pid":{},"tid":0,"args":{{"sort_index":{}}})",
            pid, pid));
    }
    for (unsigned w = 0; w * kLanes < launch.threads; ++w)
        trackOnce(pid, w, fmt::format("warp {}", w));
    event(fmt::format(
        R"("ph":"i","name":"launch","cat":"cta","s":"p","pid":{},"tid":0,"ts":{},"args":{{"threads":{},"cluster":{},"rank":{}}})",
        pid, time(now), launch.threads, launch.cluster, launch.rank));
}

void Timeline::onExit(Cycle now, const Exit& exit)
{
    event(fmt::format(
        R"("ph":"i","name":"{}","cat":"exit","s":"t","pid":{},"tid":{},"ts":{},"args":{{"lanes":"{:#010x}"}})",
        exit.trap ? "trap" : "exit", processOf(exit.at.sm, exit.at.cta), exit.at.warp, time(now),
        exit.lanes));
}

void Timeline::onRequest(Cycle now, const SyncRequest& request)
{
    map_.request(now, request);
    if (barrierKindOf(request.op) == BarrierKind::Mbarrier) {
        SyncRequest r = {};
        r.op = request.op, r.at = request.at, r.lanes = request.lanes;
        r.tag = request.tag, r.source = request.source;
        r.arg0 = request.addr[std::size_t(__builtin_ctz(request.lanes | 1u << 31))] & 0xff'ffffu;
        open_.present(r, now);
    } else {
        open_.present(request, now);
    }
    trackOnce(processOf(request.at.sm, request.at.cta), request.at.warp,
              fmt::format("warp {}", request.at.warp));
}

void Timeline::onNotify(Cycle now, const AsyncUpdate& update)
{
    event(fmt::format(
        R"("ph":"i","name":"{}","cat":"async","s":"t","pid":{},"tid":{},"ts":{},"args":{{"amount":{}}})",
        nameOf(update.kind), processOf(update.sm, update.cta), update.warp, time(now),
        update.amount));
}

void Timeline::answered(WarpRef at, const OpenPart& part, Lanes lanes, Cycle cycle, const char* why)
{
    slice(processOf(at.sm, at.cta), at.warp, part.since, cycle, labelOf(part.op, part.id, why),
          fmt::format(R"("lanes":"{:#010x}","line":{},"end":"{}")", lanes, part.source, why));
}

void Timeline::onResponse(const SyncResponse& response)
{
    open_.response(response, [&](WarpRef at, const OpenPart& part, Lanes lanes, bool) {
        answered(at, part, lanes, response.cycle, nameOf(response.cause));
        if (isMbarrierWait(part.op)) released(at, part, response);
    });
}

void Timeline::onRelease(const Release& release)
{
    open_.release(release, [&](WarpRef at, const OpenPart& part, Lanes lanes, bool) {
        answered(at, part, lanes, release.cycle, "Released");
    });
}

/// The requests of the warp that make up this arrival start the arrows that end in the generation.
void Timeline::arrival(const Commit& commit, unsigned track, const std::string& text)
{
    const unsigned pid = processOf(commit.at.sm, commit.at.cta);
    trackOnce(pid, track, text);
    Generation& g = generations_[keyOf(pid, track)];
    if (g.arrivals++ == 0) g.first = commit.cycle;
    const bool cluster = commit.unit == Unit::Cluster;
    for (const OpenPart& part : open_.parts(commit.at)) {
        const bool mine = cluster ? part.op == Op::ClusterArrive
                                  : (waitsForNamed(part.op) || part.op == Op::BarArrive) &&
                                        part.id == commit.object;
        if (!mine || (part.lanes & commit.lanes) == 0) continue;
        g.flows.push_back(++flows_);
        // Starts inside the slice that the answer will write.
        event(fmt::format(
            R"("ph":"s","name":"arrival","cat":"flow","id":{},"pid":{},"tid":{},"ts":{})", flows_,
            pid, commit.at.warp, time(part.since)));
    }
}

void Timeline::complete(unsigned pid, unsigned track, Cycle cycle, const std::string& text)
{
    trackOnce(pid, track, text);
    Generation& g = generations_[keyOf(pid, track)];
    if (g.arrivals == 0) g.first = cycle;
    // One clock longer than to the flip, so that arrows that end there lie inside.
    slice(pid, track, g.first, cycle + 1, fmt::format("generation {}", g.number),
          fmt::format(R"("arrivals":{})", g.arrivals));
    for (const std::uint64_t flow : g.flows) {
        event(fmt::format(
            R"("ph":"f","bp":"e","name":"arrival","cat":"flow","id":{},"pid":{},"tid":{},"ts":{})",
            flow, pid, track, time(cycle)));
    }
    g.flows.clear();
    g.arrivals = 0;
    ++g.number;
}

void Timeline::onCommit(const Commit& commit)
{
    const unsigned pid = processOf(commit.at.sm, commit.at.cta);
    if (commit.errs != 0) {
        event(fmt::format(
            R"("ph":"i","name":"misuse","cat":"error","s":"t","pid":{},"tid":{},"ts":{},"args":{{"op":"{}","bits":{}}})",
            pid, commit.at.warp, time(commit.cycle), nameOf(commit.op), commit.errs));
    }
    if (showsMbarrier(commit)) {
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
        event(fmt::format(
            R"("ph":"i","name":"warp {} met","cat":"sync","s":"t","pid":{},"tid":{},"ts":{},"args":{{"mask":"{:#010x}"}})",
            commit.at.warp, pid, kWarpSyncTrack, time(commit.cycle), commit.object));
    }
}

void Timeline::onCtaFree(const CtaFree& free)
{
    closeMbarriers(processOf(free.sm, free.cta), free.cycle);
    event(fmt::format(R"("ph":"i","name":"free","cat":"cta","s":"p","pid":{},"tid":0,"ts":{})",
                      processOf(free.sm, free.cta), time(free.cycle)));
}

void Timeline::onEnd(Cycle now)
{
    while (!phases_.empty()) closeMbarriers(unsigned(phases_.begin()->first >> 32), now);
    for (std::size_t i = 0; i < open_.size(); ++i) {
        const WarpRef at = OpenTable::warpAt(i);
        for (const OpenPart& part : open_.parts(at))
            answered(at, part, part.lanes, now, kNeverReleased);
    }
}

void Timeline::finish()
{
    buffer_ += "\n]}\n";
    file_.write(buffer_);
    buffer_.clear();
    file_.commit();
}

}  // namespace gsu
