// mbarriers: which threads arrive, what completes with a phase, which threads have waited for it.
#include "golden/mbarrier.hpp"
#include "golden/op_traits.hpp"
#include "races/order_parts.hpp"

namespace gsu::races {

void Order::use(const SyncRequest& r)
{
    // One lane represents all lanes that know the same and name the same mbarrier.
    for (const Threads::Part& part : state_.threads(r.at)->parts()) {
        std::optional<std::uint32_t> last;
        for (unsigned l = 32; l-- > 0;) {
            if (((part.lanes & r.lanes) >> l & 1) == 0 || last == r.addr[l]) continue;
            last = r.addr[l];
            CtaState* owner = ownerOf(r, l);
            if (owner == nullptr) continue;
            const auto found = owner->mbarriers.find(clusterOffset(r.addr[l]));
            const bool there = found != owner->mbarriers.end();
            checks_.usesMbarrier(r, l, *owner, there ? &found->second : nullptr);
            if (!there) continue;
            Lanes same = 0;
            eachLane(part.lanes & r.lanes,
                     [&](unsigned k) { same |= Lanes{r.addr[k] == r.addr[l]} << k; });
            MbarrierPhaseChecks::uses(found->second, *state_.at(r.at), r, same);
        }
    }
}

/// Arrivals at other CTAs release what their threads know now.
void Order::post(CtaState& cta, Threads& threads, const SyncRequest& r)
{
    Lanes away = 0;
    eachLane(r.lanes, [&](unsigned l) {
        const CtaState* owner = ownerOf(r, l);
        if (owner != nullptr && owner != &cta) away |= Lanes{1} << l;
    });
    if (away == 0) return;
    posted_[cta.number].push_back({r.tag, away,
                                   unscoped_.contains(r.source)
                                       ? givesBack(threads, away, r.sem)
                                       : gives(threads, away, r.sem, r.scope, Level::Cluster)});
}

void Order::noteCopies(const CtaState& cta, const Threads& threads, const SyncRequest& r)
{
    std::map<std::uint32_t, CopyArrivals> by;
    eachLane(r.lanes, [&](unsigned l) {
        CopyArrivals& a = by[clusterOffset(r.addr[l])];
        ++a.left;
        a.copies.raise(cta.number, races::keyOf(Line::CpAsync, r.at.warp), Lanes{1} << l,
                       threads.begun(Line::CpAsync, l));
    });
    for (auto& [offset, arrivals] : by)
        copyArrivals_[{cta.number, r.at.warp, offset}].push_back(std::move(arrivals));
}

void Order::arriveCopies(Mbarrier& object, const CtaState& owner, const Commit& c)
{
    auto& list = copyArrivals_[{owner.number, c.at.warp, clusterOffset(c.object)}];
    for (auto left = static_cast<unsigned>(__builtin_popcount(c.lanes));
         left != 0 && !list.empty();) {
        CopyArrivals& first = list.front();
        const unsigned some = std::min(left, first.left);
        object.near.all.join(first.copies);
        left -= some;
        first.left -= some;
        if (first.left == 0) list.pop_front();
    }
}

/// Handles tcgen05.commit: operations before it are complete for a thread that waits for the phase.
void Order::arriveAgent(Mbarrier& object, const CtaState& owner, const Commit& c)
{
    const CtaState* source = c.src == Src::Remote ? state_.at(c.srcSm, c.srcCta) : &owner;
    const auto first =
        std::find_if(object.arriving.begin(), object.arriving.end(), [&](const AgentArrival& a) {
            return source != nullptr && a.issuer == source->number;
        });
    if (first == object.arriving.end()) return;
    (c.src == Src::Remote ? object.far : object.near).join(first->given);
    object.arriving.erase(first);
}

void Order::arrive(Mbarrier& object, const CtaState& owner, const Commit& c)
{
    if (c.op == Op::EvAsyncArrive) return arriveCopies(object, owner, c);
    if (c.src == Src::Remote) {
        const CtaState* source = state_.at(c.srcSm, c.srcCta);
        if (source == nullptr) return;
        std::deque<Posted>& list = posted_[source->number];
        const auto first = std::find_if(list.begin(), list.end(), [&](const Posted& p) {
            return p.tag == c.tag && (p.lanes & c.lanes) != 0;
        });
        if (first == list.end()) return;
        object.far.join(first->given);
        first->lanes &= ~c.lanes;
        if (first->lanes == 0) list.erase(first);
        return;
    }
    const auto open = open_.find(keyOf(c.at.sm, c.tag));
    Threads* threads = state_.threads(c.at);
    if (open == open_.end() || threads == nullptr) return;
    const SyncRequest& r = open->second.request;
    const Lanes lanes = c.lanes & r.lanes;
    // The answer with the state has seen the arrivals before it.
    const Lanes last = highestLane(lanes);
    if (r.wantValue && (lanes & ~last) != 0) threads->saw(lanes & ~last, Level::Cta, object.near);
    object.near.join(gives(*threads, lanes, r.sem, r.scope, Level::Cta));
    if (r.wantValue) threads->saw(last, Level::Cta, object.near);
}

/// Handles a wait that has found its phase complete.
void Order::waited(const Open& open, Lanes lanes)
{
    const SyncRequest& r = open.request;
    CtaState* cta = state_.at(r.at);
    if (cta == nullptr) return;
    Threads& threads = cta->warps[r.at.warp];
    while (lanes != 0) {
        const auto lead = static_cast<unsigned>(__builtin_ctz(lanes));
        Lanes same = 0;
        eachLane(lanes, [&](unsigned l) {
            if (r.addr[l] == r.addr[lead] && r.data[l] == r.data[lead]) same |= Lanes{1} << l;
        });
        lanes &= ~same;
        const auto found = cta->mbarriers.find(clusterOffset(r.addr[lead]));
        if (found == cta->mbarriers.end()) continue;
        const Mbarrier& object = found->second;
        if (isMbarParity(r.op)) phases_.waits(object, *cta, r, same);
        const bool odd =
            isMbarParity(r.op) ? (r.data[lead] & 1) != 0 : unpackMbar(r.data[lead]).phase;
        Knowledge near = object.doneNear[odd], far = object.doneFar[odd];
        if (!acquires(r.sem)) {
            threads.saw(same, Level::Cta, near);
            threads.saw(same, Level::Cluster, far);
            threads.acquire(same, unreadOf(near));
            threads.acquire(same, unreadOf(far));
            continue;
        }
        if (levelOf(scopeOf(r)) < Level::Cluster) {
            threads.saw(same, Level::Cluster, far);
            far = unreadOf(far);
        }
        near.join(far);
        threads.acquire(same, near);
    }
}

/// Forgets everything that was known of an object before.
void Order::initMbarrier(Mbarrier& object, const CtaState& owner, const Commit& c)
{
    const Time phase = object.phase + 1;
    object = {};
    object.phase = object.first = phase;
    object.offset = clusterOffset(c.object);
    const Threads* threads = state_.threads(c.at);
    const auto open = open_.find(keyOf(c.at.sm, c.tag));
    object.init = Stamp{owner.number, c.at.warp, c.lanes & (0u - c.lanes),
                        threads == nullptr ? 0 : threads->now(),
                        open == open_.end() ? 0 : open->second.request.source};
}

/// Counts bytes of an operation, which ends with this phase.
void Order::completeBytes(Mbarrier& object, const Commit& c)
{
    object.hasBytes = true;
    if (c.src == Src::Remote) {
        const auto named = endings_.find(remoteName(c.srcSm, c.tag));
        if (named == endings_.end()) return;
        state_.endings[named->second.index].phase = object.phase;
        object.far.join(named->second.given);
        endings_.erase(named);
    } else if (!object.completing.empty()) {
        state_.endings[object.completing.front()].phase = object.phase;
        object.completing.pop_front();
    }
}

/// Line of the request that commits, if it is of the same CTA.
std::uint32_t Order::lineOf(const Commit& c) const
{
    const auto open = open_.find(keyOf(c.at.sm, c.tag));
    return open == open_.end() ? 0 : open->second.request.source;
}

void Order::commitMbarrier(const Commit& c)
{
    CtaState* owner = state_.at(c.at);
    if (owner == nullptr) return;
    const std::uint32_t offset = clusterOffset(c.object);
    if (c.op == Op::MbarInval) {
        const auto found = owner->mbarriers.find(offset);
        if (found == owner->mbarriers.end()) return;
        phases_.invalidates(found->second, *owner, c, lineOf(c));
        // Its phases are counted further: knowledge of this life says nothing of the next.
        const Time phase = found->second.phase;
        found->second = {};
        found->second.phase = phase;
        return;
    }
    Mbarrier& object = owner->mbarriers[offset];
    if (c.op == Op::MbarInit) return initMbarrier(object, *owner, c);
    if (c.op == Op::EvAsyncCompleteTx)
        completeBytes(object, c);
    else if (c.op == Op::EvAgentArrive)
        arriveAgent(object, *owner, c);
    else if (isMbarArrive(c.op) || c.op == Op::EvAsyncArrive)
        arrive(object, *owner, c);
    if (c.op == Op::MbarExpectTx && c.src == Src::Local)
        phases_.expects(object, *owner, c, lineOf(c));
    object.announced |= c.op == Op::MbarArriveExpectTx || c.op == Op::MbarDropExpectTx;
    if (!c.flip) return;
    phases_.completes(object, *owner, c);
    const bool odd = unpackMbar(c.oldWord).phase;
    object.near.all.raise(owner->number, keyOfPhase(offset), ~Lanes{0}, object.phase);
    object.near.join(object.doneNear[!odd]);  // each phase follows the one before
    object.far.join(object.doneFar[!odd]);
    object.doneNear[odd] = std::move(object.near);
    object.doneFar[odd] = std::move(object.far);
    object.near = object.far = {};
    ++object.phase;
}

std::uint32_t Order::ending(const AsyncOp& op, std::uint32_t issuer)
{
    Ending e;
    e.issuer = issuer;
    if (const CtaState* owner = state_.at(op.sm, op.slot)) e.cta = owner->number;
    e.offset = op.mbarrier;
    state_.endings.push_back(e);
    const auto index = static_cast<std::uint32_t>(state_.endings.size() - 1);
    if (op.until != AsyncOp::Until::Mbarrier) return index;
    Named& named = endings_[op.name];
    named.index = index;
    Threads& threads = *state_.threads(op.at);
    named.commits = op.kind == AsyncOp::Kind::Tensor;
    if (op.kind == AsyncOp::Kind::RemoteData)
        named.given = threads.fenced(op.lanes, Level::Cluster);
    if (named.commits) named.given = threads.release(op.lanes);
    return index;
}

void Order::completes(std::uint64_t name)
{
    const auto found = endings_.find(name);
    if (found == endings_.end()) return;
    const Ending& e = state_.endings[found->second.index];
    Mbarrier& object = state_.ctas[e.cta]->mbarriers[e.offset];
    if (!found->second.commits) return object.completing.push_back(found->second.index);
    object.arriving.push_back({e.issuer, std::move(found->second.given)});
    endings_.erase(found);
}

}  // namespace gsu::races
