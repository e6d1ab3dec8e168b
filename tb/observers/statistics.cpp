#include "observers/statistics.hpp"

#include <algorithm>

#include "golden/op_traits.hpp"

namespace gsu {

BarrierKind barrierKindOf(Op op) noexcept
{
    if (isNamed(op)) return BarrierKind::Named;
    if (isCluster(op)) return BarrierKind::Cluster;
    if (isMbarOp(op) && !isMbarData(op)) return BarrierKind::Mbarrier;
    if (meetsLanes(op)) return BarrierKind::WarpSync;
    return BarrierKind::Other;
}

const char* nameOf(BarrierKind kind) noexcept
{
    switch (kind) {
        case BarrierKind::Named: return "named";
        case BarrierKind::Cluster: return "cluster";
        case BarrierKind::WarpSync: return "warp";
        case BarrierKind::Mbarrier: return "mbarrier";
        case BarrierKind::Other: return "other";
    }
    return "?";
}

void WaitStatistics::add(Cycle wait, WarpRef at, Cycle from) noexcept
{
    stall += wait;
    if (wait < longest || (wait == longest && longest != 0)) return;
    longest = wait;
    longestAt = at;
    longestFrom = from;
}

bool BarrierStatistics::lastArriver(unsigned& warp, std::uint64_t& times) const noexcept
{
    const auto most = std::max_element(last.begin(), last.end());
    warp = static_cast<unsigned>(most - last.begin());
    times = *most;
    return times != 0;
}

BarrierStatistics& Statistics::barrier(Op op, std::uint32_t id)
{
    const BarrierKind kind = barrierKindOf(op);
    if (kind == BarrierKind::Cluster || kind == BarrierKind::Other) id = 0;
    BarrierStatistics& b = barriers_[std::uint64_t(kind) << 32 | id];
    b.kind = kind;
    b.id = id;
    return b;
}

Statistics::Statistics(ChipLayout chip)
    : chip_(chip),
      open_(chip.sms()),
      launched_(std::size_t{chip.sms()} * kMaxCtas),
      lastInCluster_(chip.clusterSlots())
{
}

void Statistics::onLaunch(Cycle, const Launch& launch)
{
    ++ctas_;
    launched_[std::size_t{launch.sm} * kMaxCtas + launch.cta] = launch;
}

void Statistics::onRequest(Cycle now, const SyncRequest& request)
{
    SyncRequest r = {};
    r.op = request.op;
    r.at = request.at;
    r.lanes = request.lanes;
    r.tag = request.tag;
    r.source = request.source;
    r.arg0 = request.arg0;
    if (barrierKindOf(r.op) == BarrierKind::Mbarrier) {
        r.arg0 = leadOffset(request);
    }
    open_.present(r, now);
    ++requests_;
    ++barrier(r.op, r.arg0).requests;
    LineStatistics& line = lines_[r.source];
    line.line = r.source;
    line.op = r.op;
    ++line.requests;
}

void Statistics::answered(WarpRef at, const OpenPart& part, Cycle cycle)
{
    BarrierStatistics& b = barrier(part.op, part.id);
    LineStatistics& line = lines_[part.source];
    for (WaitStatistics* s :
         {static_cast<WaitStatistics*>(&b), static_cast<WaitStatistics*>(&line)}) {
        ++s->answered;
        s->add(cycle - part.since, at, part.since);
    }
}

void Statistics::onResponse(const SyncResponse& response)
{
    open_.response(response, [&](WarpRef at, const OpenPart& part, Lanes, bool closed) {
        if (closed) answered(at, part, response.cycle);
    });
}

void Statistics::onRelease(const Release& release)
{
    open_.release(release, [&](WarpRef at, const OpenPart& part, Lanes, bool closed) {
        if (closed) answered(at, part, release.cycle);
    });
}

void Statistics::clusterCommit(const Commit& commit)
{
    const std::size_t slot = std::size_t{commit.at.sm} * kMaxCtas + commit.at.cta;
    if (slot >= launched_.size()) return;
    const Launch& launch = launched_[slot];
    if (commit.op == Op::ClusterArrive)
        lastInCluster_[chip_.clusterOf(launch.sm, launch.cluster)] = commit.at.warp;
    // Every CTA commits its share of a flip; one CTA represents the generation.
    if (commit.op != Op::EvClusterFlip || launch.rank != 0) return;
    BarrierStatistics& b = barrier(Op::ClusterArrive, 0);
    ++b.generations;
    ++b.last[lastInCluster_[chip_.clusterOf(launch.sm, launch.cluster)] % kMaxWarps];
}

void Statistics::onCommit(const Commit& commit)
{
    ++commits_;
    const auto complete = [&](Op op, std::uint32_t id) {
        BarrierStatistics& b = barrier(op, id);
        ++b.generations;
        if (commit.src == Src::Exit)
            ++b.lastByExit;
        else
            ++b.last[commit.at.warp % kMaxWarps];
    };
    switch (commit.unit) {
        case Unit::Named:
            if (commit.flip) complete(Op::BarSync, commit.object);
            break;
        case Unit::WarpSync:  // one commit per group of lanes that met
            if (!commit.refused && meetsLanes(commit.op)) complete(commit.op, commit.object);
            break;
        case Unit::Mbarrier:
            if (commit.flip) complete(Op::MbarArrive, clusterOffset(commit.object));
            break;
        case Unit::Cluster: clusterCommit(commit); break;
        case Unit::Network:
        case Unit::Cta:
        case Unit::Fence:
        case Unit::Grid:
        case Unit::Null: break;
    }
}

void Statistics::onEnd(Cycle now)
{
    for (std::size_t i = 0; i < open_.size(); ++i) {
        const WarpRef at = OpenTable::warpAt(i);
        for (const OpenPart& part : open_.parts(at)) {
            BarrierStatistics& b = barrier(part.op, part.id);
            LineStatistics& line = lines_[part.source];
            ++b.never, ++line.never;
            b.add(now - part.since, at, part.since);
            line.add(now - part.since, at, part.since);
        }
    }
}

std::vector<BarrierStatistics> Statistics::barriers() const
{
    std::vector<BarrierStatistics> all;
    all.reserve(barriers_.size());
    for (const auto& [key, b] : barriers_) all.push_back(b);
    return all;
}

std::vector<LineStatistics> Statistics::lines() const
{
    std::vector<LineStatistics> all;
    all.reserve(lines_.size());
    for (const auto& [key, line] : lines_) all.push_back(line);
    std::sort(all.begin(), all.end(), [](const LineStatistics& a, const LineStatistics& b) {
        return a.stall != b.stall ? a.stall > b.stall : a.line < b.line;
    });
    return all;
}

}  // namespace gsu
