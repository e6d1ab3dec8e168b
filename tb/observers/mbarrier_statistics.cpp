#include "observers/mbarrier_statistics.hpp"

#include <algorithm>

#include "observers/mbarrier_step.hpp"

namespace gsu {

namespace {

/// Whether an instruction made the update, not a copy: then its warp takes part in the barrier.
bool byInstruction(Op op) noexcept
{
    return op < Op::EvLaunch && op != Op::MbarInit && op != Op::MbarInval;
}

}  // namespace

const char* nameOf(MbarrierArriver::Kind kind) noexcept
{
    switch (kind) {
        case MbarrierArriver::Kind::Warp: return "warp";
        case MbarrierArriver::Kind::RemoteWarp: return "remote warp";
        case MbarrierArriver::Kind::RemoteData: return "st.async";
        case MbarrierArriver::Kind::BulkCopy: return "bulk copy";
        case MbarrierArriver::Kind::Cancel: return "try_cancel";
        case MbarrierArriver::Kind::CpAsync: return "cp.async";
        case MbarrierArriver::Kind::Agent: return "tensor core";
    }
    return "?";
}

const MbarrierArriver* MbarrierRecord::lastArriver(std::uint64_t& times) const noexcept
{
    const auto most = std::max_element(
        last.begin(), last.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == last.end()) return nullptr;
    times = most->second;
    return &most->first;
}

MbarrierStatistics::MbarrierStatistics(ChipLayout chip)
    : names_(chip), map_(chip), open_(chip.sms()), resident_(std::size_t{chip.sms()} * kMaxCtas)
{
}

void MbarrierStatistics::onPlace(const Launch& launch, std::uint32_t linear)
{
    resident(launch.sm, launch.cta).placed = linear;
}

void MbarrierStatistics::onRoute(Cycle, const ClusterRoute& route) { map_.route(route); }

void MbarrierStatistics::onLaunch(Cycle, const Launch& launch)
{
    map_.launch(launch);
    Resident& r = resident(launch.sm, launch.cta);
    r.cta = r.placed.value_or(launched_);
    r.placed.reset();
    ++launched_;
    r.cluster = names_.of(launch);
}

MbarrierRecord& MbarrierStatistics::record(unsigned sm, unsigned cta, std::uint32_t offset)
{
    const Resident& at = resident(sm, cta);
    const auto [entry, fresh] = records_.try_emplace(std::uint64_t{at.cta} << 32 | offset);
    if (fresh) {
        entry->second.cta = at.cta;
        entry->second.offset = offset;
        entry->second.cluster = at.cluster;
    }
    return entry->second;
}

void MbarrierStatistics::onRequest(Cycle now, const SyncRequest& request)
{
    map_.request(now, request);
    if (!isMbarWait(request.op)) return;
    const std::uint32_t offset = leadOffset(request);
    SyncRequest kept = {};
    kept.op = request.op, kept.at = request.at, kept.lanes = request.lanes;
    kept.tag = request.tag, kept.arg0 = offset;
    open_.present(kept, now);
    MbarrierRecord& r = record(request.at.sm, request.at.cta, offset);
    ++r.polls;
    r.firstUse = std::min(r.firstUse, now);
    if (!waiting_.try_emplace(OpenTable::waitKey(request.at, offset), Wait{now, false}).second)
        return;
    ++r.waits;
    r.waiters.try_emplace(request.at.warp);
}

void MbarrierStatistics::ended(MbarrierRecord& r, WarpRef at, const Wait& wait, Cycle cycle)
{
    const Cycle blocked = cycle - wait.since;
    r.blocked += blocked;
    r.waiters[at.warp] += blocked;
    r.lastUse = std::max(r.lastUse, cycle);
    if (blocked <= r.longest) return;
    r.longest = blocked;
    r.longestFrom = wait.since;
    r.longestWarp = at.warp;
}

void MbarrierStatistics::onResponse(const SyncResponse& response)
{
    open_.response(response, [&](WarpRef at, const OpenPart& part, Lanes lanes, bool) {
        const auto found = waiting_.find(OpenTable::waitKey(at, part.id));
        if (found == waiting_.end()) return;
        if ((response.pred & lanes) == 0) {
            found->second.again = true;
            return;
        }
        MbarrierRecord& r = record(at.sm, at.cta, part.id);
        if (response.cause == Cause::AlreadyTrue && !found->second.again)
            r.lastUse = std::max(r.lastUse, response.cycle);
        else
            ended(r, at, found->second, response.cycle);
        waiting_.erase(found);
    });
}

/// The warp that issued the agent's work takes part in the barriers at which the agent arrives.
void MbarrierStatistics::onNotify(Cycle, const AsyncUpdate& u)
{
    if (u.kind != AsyncKind::AgentArrive) return;
    const WarpRef agent{u.sm, u.cta, u.warp};
    const GridWarp warp{resident(u.sm, u.cta).cta, u.warp};
    const std::uint32_t offset = clusterOffset(u.addr);
    for (unsigned rank = 0; rank < kMaxRanks; ++rank) {
        if ((u.amount >> rank & 1) == 0) continue;
        const Launch* own = map_.at(u.sm, u.cta);
        const bool alone = own == nullptr || own->ctas <= 1;
        const WarpRef owner = alone ? agent : map_.owner(agent, clusterAddress(rank, offset));
        record(owner.sm, owner.cta, offset).arrivers.insert(warp);
    }
}

void MbarrierStatistics::onCommit(const Commit& c)
{
    if (!showsMbarrier(c)) return;
    MbarrierRecord& r = record(c.at.sm, c.at.cta, clusterOffset(c.object));
    r.word = c.newWord;
    if (c.op == Op::MbarInit) {
        ++r.inits;
        r.expected = unpackMbar(c.newWord).expected;
        return;
    }
    if (isMbarWait(c.op)) return;
    r.firstUse = std::min(r.firstUse, c.cycle);
    r.lastUse = std::max(r.lastUse, c.cycle);
    const MbarrierStep step = stepOf(c);
    r.arrivals += step.arrivals;
    r.txBytes += step.bytes;
    using Kind = MbarrierArriver::Kind;
    MbarrierArriver who{Kind::Warp, r.cta, c.at.warp};
    if (isCancel(c.op)) {
        who = {Kind::Cancel, 0, 0};
    } else if (c.op == Op::EvAgentArrive) {
        who = {Kind::Agent, 0, 0};
    } else if (c.src == Src::Remote) {
        const auto origin = map_.take(c);
        who.kind = c.op == Op::EvAsyncCompleteTx ? Kind::RemoteData : Kind::RemoteWarp;
        if (origin) who.cta = resident(origin->at.sm, origin->at.cta).cta;
        if (origin) r.arrivers.insert({who.cta, origin->at.warp});
    } else if (c.op == Op::EvAsyncCompleteTx || c.op == Op::EvAsyncArrive) {
        who = {c.op == Op::EvAsyncArrive ? Kind::CpAsync : Kind::BulkCopy, 0, 0};
    }
    if (c.src == Src::Local && byInstruction(c.op)) r.arrivers.insert({r.cta, c.at.warp});
    if (!c.flip) return;
    ++r.completions;
    r.firstFlip = std::min(r.firstFlip, c.cycle);
    ++r.last[who];
}

/// A poll that was given up does not count as an endless wait.
void MbarrierStatistics::onCtaFree(const CtaFree& free)
{
    std::erase_if(waiting_, [&](const auto& entry) {
        const WarpRef at = OpenTable::warpAt(entry.first >> 24);
        return at.sm == free.sm && at.cta == free.cta;
    });
}

void MbarrierStatistics::onEnd(Cycle now)
{
    for (const auto& [key, wait] : waiting_) {
        const WarpRef at = OpenTable::warpAt(key >> 24);
        MbarrierRecord& r = record(at.sm, at.cta, clusterOffset(std::uint32_t(key)));
        ++r.never;
        ended(r, at, wait, now);
    }
}

std::vector<const MbarrierRecord*> MbarrierStatistics::records() const
{
    std::vector<const MbarrierRecord*> all;
    all.reserve(records_.size());
    for (const auto& [key, r] : records_) all.push_back(&r);
    return all;
}

}  // namespace gsu
