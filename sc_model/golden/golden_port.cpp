#include "golden/golden_port.hpp"

#include <algorithm>
#include <bit>

namespace gsu {
namespace {

/// The operation as which a joined group commits: a waiting form if any lane waits, for red the operator.
Op opOf(const JoinGroup& group)
{
    Op op = Op::BarArrive;
    if (group.executed(Op::BarSync)) op = Op::BarSync;
    for (const Op red : {Op::BarRedOr, Op::BarRedAnd, Op::BarRedPopc})
        if (group.executed(red)) op = red;
    return op;
}

constexpr Lanes bit(unsigned index) { return Lanes{1} << index; }

}  // namespace

std::unique_ptr<SyncPort> makeGoldenPort(unsigned sms, GoldenOptions options, SharedMemory* memory)
{
    auto port = std::make_unique<GoldenPort>(sms, std::move(options));
    if (memory != nullptr) port->setMemory(*memory);
    return port;
}

GoldenPort::GoldenPort(unsigned sms, GoldenOptions options)
    : options_(std::move(options)),
      unit_(sms, options_.structure),
      mbar_(sms, options_.policy),
      book_(sms, OrderBook::Performed::Last),
      sms_(sms)
{
    mbar_.onNote = options_.onNote;
}

void GoldenPort::present(const SyncRequest& request)
{
    sms_[request.at.sm].request = request;
    sms_[request.at.sm].hasRequest = true;
}

bool GoldenPort::launch(const Launch& launch)
{
    if (!unit_.launch(launch)) return false;
    sms_[launch.sm].launches.push_back(launch.cta);
    return true;
}

Cycle GoldenPort::quietUntil() const
{
    Cycle until = packets_.empty() && arriving_.empty() && !poked_ && !gridNews_ &&
                          gridStarts_.empty() && gridsOver_.empty()
                      ? kNever
                      : now_;
    for (const Sm& sm : sms_) {
        if (sm.hasRequest || !sm.launches.empty() || !sm.exits.empty() || !sm.updates.empty() ||
            (sm.due.open | sm.due.flip | sm.due.free) != 0)
            return now_;
        for (const Parked& p : sm.parked) until = std::min(until, std::max(p.due, now_));
    }
    return until;
}

Commit GoldenPort::record(Unit unit, Op op, const WarpRef& at, std::uint32_t object) const
{
    Commit commit{};
    commit.cycle = now_;
    commit.unit = unit;
    commit.op = op;
    commit.at = at;
    commit.object = object;
    return commit;
}

void GoldenPort::emit(Commit& commit)
{
    commit.seq = seq_++;
    if (sink_ != nullptr) sink_->onCommit(commit);
}

void GoldenPort::performed(const Accesses& accesses)
{
    poked_ = true;
    if (!book_.performed(accesses) && !fault_)
        fault_ = Fault{Fault::Kind::Protocol, now_, "more accesses performed than announced"};
}

void GoldenPort::step()
{
    poked_ = false;
    takeGrids();
    for (; !arriving_.empty(); arriving_.pop_front()) mbarDeliver(arriving_.front());
    for (unsigned sm = 0; sm < sms_.size(); ++sm) stepSm(sm);
    takeEnds();
    stepNetwork();
    stepGrids();
    ++now_;
}

void GoldenPort::stepSm(unsigned index)
{
    Sm& sm = sms_[index];
    deliver(index);
    for (; !sm.updates.empty(); sm.updates.pop_front()) mbarAsync(sm.updates.front());
    for (const std::uint8_t cta : sm.launches) {
        const WarpRef at{static_cast<std::uint8_t>(index), cta, 0};
        Commit commit = record(Unit::Cta, Op::EvLaunch, at, cta);
        emit(commit);
        const Launch& launch = unit_.cta(at).launch;
        if (launch.ctas > 1) {
            if (++launched_[launch.cluster] != launch.ctas) continue;
            launched_[launch.cluster] = 0;
            network_.push_back(record(Unit::Network, Op::EvClusterOpen, at, launch.cluster));
        }
        toMembers(unit_.cluster(at),
                  [](Sm& target, unsigned slot) { target.next.open |= bit(slot); });
    }
    sm.launches.clear();
    std::erase_if(sm.gridWaits, [&](const SyncRequest& r) { return gridWait(r, Cause::Flip); });
    takeHeld(sm);
    if (sm.hasRequest) {
        const SyncRequest request = sm.request;
        sm.hasRequest = false;
        const OrderBook::Since since = book_.present(request);
        if (book_.blocks(request.at, since)) {
            book_.turn(request.at, since);
            sm.held.push_back({request, since});
        } else {
            takeRequest(request);
        }
    }
    cancelTell(index);
    mbarTimers(index);
    if (!sm.exits.empty()) {
        const Exit exit = sm.exits.front();
        sm.exits.pop_front();
        takeExit(exit);
    }
}

/// Takes held requests whose older operations have acted, in the order in which they came.
void GoldenPort::takeHeld(Sm& sm)
{
    for (std::size_t i = 0; i < sm.held.size();) {
        if (book_.blocks(sm.held[i].request.at, sm.held[i].since)) {
            book_.turn(sm.held[i].request.at, sm.held[i].since);
            ++i;
            continue;
        }
        const SyncRequest request = sm.held[i].request;
        sm.held.erase(sm.held.begin() + static_cast<std::ptrdiff_t>(i));
        takeRequest(request);
    }
}

void GoldenPort::takeRequest(const SyncRequest& request)
{
    if (isMbarRequest(request)) return mbarRequest(request);
    if (request.op == Op::GdcWait) {
        if (!gridWait(request, Cause::AlreadyTrue))
            sms_[request.at.sm].gridWaits.push_back(request);
        return;
    }
    WarpJoin& join = unit_.join(request.at);
    forParts(request, [&](const SyncRequest& part, bool more) {
        join.at(join.add(part, unit_.cta(part.at).launch.threads, unit_.bars())).more = more;
        commitReady(part.at, Src::Local);
    });
}

void GoldenPort::stepNetwork()
{
    for (Commit& commit : network_) {
        commit.src = Src::Network;
        emit(commit);
    }
    network_.clear();
    mbarNetwork();
    for (Sm& sm : sms_) {
        sm.due = sm.next;
        sm.next = {};
    }
}

template <class Send> void GoldenPort::toMembers(Cluster& cluster, Send&& send)
{
    for (unsigned r = 0; r < cluster.ctas(); ++r)
        send(sms_[cluster.member(r).sm], cluster.member(r).cta);
}

void GoldenPort::deliver(unsigned index)
{
    Sm& sm = sms_[index];
    const auto at = [&](std::uint8_t cta) {
        return WarpRef{static_cast<std::uint8_t>(index), cta, 0};
    };
    const Due due = sm.due;
    sm.due = {};
    forBits(due.open, [&](std::uint8_t cta) {
        const std::uint8_t slot = unit_.cta(at(cta)).launch.cluster;
        Commit commit = record(Unit::Cluster, Op::EvClusterOpen, at(cta), slot);
        commit.oldWord = commit.newWord = unit_.part(at(cta)).word();
        commit.src = Src::Network;
        emit(commit);
    });
    forBits(due.flip, [&](std::uint8_t cta) {
        ClusterPart& part = unit_.part(at(cta));
        const std::uint8_t slot = unit_.cta(at(cta)).launch.cluster;
        Commit commit = record(Unit::Cluster, Op::EvClusterFlip, at(cta), slot);
        commit.oldWord = part.word();
        const Lanes warps = part.flip();
        commit.newWord = part.word();
        commit.flip = true;
        commit.src = Src::Network;
        emit(commit);
        if (warps == 0 || sink_ == nullptr) return;
        sink_->onRelease({static_cast<std::uint8_t>(index), cta, warps, ~Lanes{0}, true, 0, 0,
                          false, false, now_});
    });
    forBits(due.free, [&](std::uint8_t cta) { freeCta(at(cta)); });
}

void GoldenPort::freeCta(const WarpRef& at)
{
    Commit commit = record(Unit::Cta, Op::EvCtaFree, at, at.cta);
    const Launch launch = unit_.cta(at).launch;
    mbar_.end(at.sm, launch.base, launch.size);
    gridCtaEnds(at);
    unit_.free(at);
    emit(commit);
    if (sink_ != nullptr) sink_->onCtaFree({at.sm, at.cta, now_});
}

/// The end of a cluster waits for the outstanding operations of its CTAs (D-41).
void GoldenPort::takeEnds()
{
    std::erase_if(ends_, [&](const WarpRef& at) {
        Cluster& cluster = unit_.cluster(at);
        for (unsigned r = 0; r < cluster.ctas(); ++r) {
            const Cluster::Member& m = cluster.member(r);
            if (book_.accesses({m.sm, m.cta, 0}) != 0) return false;
            if (sms_[m.sm].owed[m.cta] != 0) return false;
        }
        if (cluster.ctas() > 1)
            network_.push_back(
                record(Unit::Network, Op::EvCtaFree, at, unit_.cta(at).launch.cluster));
        toMembers(cluster, [](Sm& target, unsigned slot) { target.next.free |= bit(slot); });
        return true;
    });
}

void GoldenPort::commitReady(const WarpRef& at, Src src)
{
    WarpJoin& join = unit_.join(at);
    forBits(join.used(), [&](std::uint8_t index) {
        if (join.ready(index, unit_.live(at))) commitGroup(join.take(index), src);
    });
}

void GoldenPort::commitGroup(const JoinGroup& group, Src src)
{
    Commit commit = record(unitOf(group.family), Op::None, group.at, group.arg0);
    commit.op = static_cast<Op>(std::countr_zero(group.ops));
    commit.lanes = group.lanes;
    commit.tag = group.tag;
    commit.src = src;
    commit.errs = group.errs;
    commit.refused = group.errs != 0;
    if (commit.refused) commit.cause = Cause::Refused;
    switch (group.family) {
        case Family::Bar: commitBar(group, commit); return;
        case Family::Cluster: commitCluster(group, commit); return;
        case Family::WarpOp: commitWarpOp(group, commit); return;
        case Family::Grid: return commitGridSignal(group, commit);
        case Family::WarpSync: markExited(group, commit); break;
        case Family::Fence:
        case Family::Null: break;
    }
    emit(commit);
    respond(group, group.lanes, commit.cause);
}

void GoldenPort::commitBar(const JoinGroup& group, Commit& commit)
{
    const unsigned id = group.arg0 % unit_.bars();
    NamedBarriers& bars = unit_.named(group.at);
    const std::uint64_t before = wordOf(bars.at(id));
    const bool diverged = group.aligned && group.lanes != unit_.live(group.at);
    const NamedNext next = bars.arrive(group, diverged);
    commit.errs = next.errs;
    if (!next.refused) {
        commit.op = opOf(group);
        commit.flip = next.flip;
        commit.oldWord = before;
        commit.newWord = wordOf(next.state);
    }
    emit(commit);
    respond(group, next.refused ? group.lanes : group.lanes & ~group.waitLanes, commit.cause);
    if (next.flip) release(group.at, id, next.done);
}

void GoldenPort::commitCluster(const JoinGroup& group, Commit& commit)
{
    ClusterPart& part = unit_.part(group.at);
    const bool diverged = group.aligned && group.lanes != unit_.live(group.at);
    commit.object = unit_.cta(group.at).launch.cluster;
    commit.oldWord = part.word();
    const ClusterNext next = part.commit(commit.op, group.at.warp, diverged);
    commit.newWord = part.word();
    commit.errs = next.errs;
    commit.refused = next.refused;
    commit.cause = next.cause;
    emit(commit);
    if (!next.parks) respond(group, group.lanes, commit.cause);
    completeCluster(group.at);
}

void GoldenPort::completeCluster(const WarpRef& at)
{
    if (!unit_.advance(at)) return;
    Cluster& cluster = unit_.cluster(at);
    if (cluster.ctas() > 1) {
        network_.push_back(
            record(Unit::Network, Op::EvClusterFlip, at, unit_.cta(at).launch.cluster));
        network_.back().flip = true;
    }
    toMembers(cluster, [](Sm& target, unsigned slot) { target.next.flip |= bit(slot); });
}

void GoldenPort::release(const WarpRef& at, unsigned id, const NamedBarrier& done)
{
    unit_.named(at).release(id, done, [&](Lanes warps, Lanes lanes) {
        if (sink_ == nullptr) return;
        sink_->onRelease({at.sm, at.cta, warps, lanes, false, static_cast<std::uint8_t>(id),
                          done.popc, done.all, done.any, now_});
    });
}

}  // namespace gsu
