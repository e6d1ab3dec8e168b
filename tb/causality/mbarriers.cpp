// mbarriers: which arrivals and bytes a phase has, and which threads have waited for it.
#include "causality/events.hpp"
#include "golden/mbarrier.hpp"
#include "golden/op_traits.hpp"

namespace gsu::causality {

/// Places the init before every use.
void Events::uses(Cta& cta, const SyncRequest& r)
{
    eachLane(r.lanes, [&](unsigned l) {
        Cta* owner = ownerOf(cta, r.addr[l]);
        if (owner == nullptr) return;
        const std::uint32_t thread = threadOf(r.at.warp, l);
        const auto& events = cta.threads[thread].events;
        const Node before = events.empty() ? kNone : events.back();
        const auto found = owner->objects.find(clusterOffset(r.addr[l]));
        if (found != owner->objects.end() && found->second.init != kNone) {
            const Object& o = found->second;
            if (owner != &cta || o.initThread != thread)
                asked_.push_back({o.init, before, Need::Init, o.initLine, r.source, "init"});
        } else if (owner != &cta) {
            asked_.push_back({owner->start, before, Need::Any, 0, r.source, "start"});
        }
    });
}

void Events::send(Cta& cta, const SyncRequest& r)
{
    if (r.op != Op::MbarInit) uses(cta, r);
    Sent sent{r, {}, r.lanes};
    Sent away{r, {}, 0};
    std::map<std::uint32_t, std::vector<Node>> copies;
    const bool waits = isMbarWait(r.op);
    eachLane(r.lanes, [&](unsigned l) {
        const std::uint32_t thread = threadOf(r.at.warp, l);
        sent.at[l] = waits ? kNone : step(cta, thread);
        if (isMbarArrive(r.op) && ownerOf(cta, r.addr[l]) != &cta) away.left |= Lanes{1} << l;
        if (!isCopyArrive(r.op)) return;
        auto& list = copyArrivals_[{cta.number, r.at.warp, clusterOffset(r.addr[l])}];
        list.push_back(cta.threads[thread].allCopies);
    });
    away.at = sent.at;
    if (away.left != 0) posted_[cta.number].push_back(away);
    sent_[{r.at.sm, r.tag}] = std::move(sent);
}

/// Records arrivals of these lanes for threads at the distance `needed`.
void Events::arrives(std::vector<std::pair<Node, Edge>>& phase, const Cta& cta, const Sent& sent,
                     Lanes lanes, unsigned needed, unsigned reach)
{
    const bool strong = gsu::releases(sent.request.sem) && reach >= needed;
    eachLane(lanes, [&](unsigned l) {
        phase.emplace_back(sent.at[l], strong ? Edge::Orders : Edge::Relaxed);
        if (strong) return;
        const Thread& t = cta.threads[threadOf(sent.request.at.warp, l)];
        for (const Fence& f : t.fences)
            if (f.reach >= needed && f.at < sent.at[l]) phase.emplace_back(f.at, Edge::Orders);
    });
}

/// The answer with the state has read it: a later fence acquires the arrivals before it.
void Events::seesState(const Object& object, Cta& owner, const Sent& sent, Lanes lanes)
{
    if (!sent.request.wantValue || lanes == 0) return;
    const Node seen = graph_.add();
    for (const auto& [from, kind] : object.near) graph_.edge(from, seen, kind);
    eachLane(lanes, [&](unsigned l) {
        owner.threads[threadOf(sent.request.at.warp, l)].saw.push_back({seen, 0});
    });
}

void Events::arrival(Object& object, Cta& owner, const Commit& c)
{
    if (c.op == Op::EvAsyncArrive) {
        auto& list = copyArrivals_[{owner.number, c.at.warp, clusterOffset(c.object)}];
        for (auto n = __builtin_popcount(c.lanes); n > 0 && !list.empty(); --n) {
            for (const Node end : list.front()) object.near.emplace_back(end, Edge::Orders);
            list.pop_front();
        }
        return;
    }
    if (c.src != Src::Remote) {
        const auto found = sent_.find({c.at.sm, c.tag});
        if (found == sent_.end()) return;
        const Sent& sent = found->second;
        const Lanes lanes = c.lanes & sent.request.lanes, last = highestLane(lanes);
        seesState(object, owner, sent, lanes & ~last);
        arrives(object.near, owner, sent, lanes, 0, 2);
        seesState(object, owner, sent, last);  // lanes arrive one after another
        return;
    }
    const Cta* source = at(c.srcSm, c.srcCta);
    if (source == nullptr) return;
    for (Sent& s : posted_[source->number]) {
        if (s.request.tag != c.tag || (s.left & c.lanes) == 0) continue;
        arrives(object.far, *source, s, c.lanes & s.left, 1, reachAt(s.request));
        s.left &= ~c.lanes;
        return;
    }
}

void Events::completesBytes(Object& object, const Commit& c)
{
    if (c.src != Src::Remote) {
        if (object.completing.empty()) return;
        object.near.emplace_back(object.completing.front(), Edge::Orders);
        object.completing.pop_front();
        return;
    }
    const auto found = named_.find(remoteName(c.srcSm, c.tag));
    if (found == named_.end()) return;
    object.near.emplace_back(found->second.first, Edge::Orders);
    for (const Node f : found->second.second) object.far.emplace_back(f, Edge::Orders);
    named_.erase(found);
}

void Events::agentArrives(Object& object, const Cta& owner, const Commit& c)
{
    const bool far = c.src == Src::Remote;
    const Cta* source = far ? at(c.srcSm, c.srcCta) : &owner;
    for (auto a = object.arriving.begin(); source != nullptr && a != object.arriving.end(); ++a) {
        if (a->first != source->number) continue;
        (far ? object.far : object.near).emplace_back(a->second, Edge::Orders);
        object.arriving.erase(a);
        return;
    }
}

void Events::flip(Object& object, bool odd)
{
    const Node near = graph_.add(), far = graph_.add();
    for (const auto& [from, kind] : object.near) graph_.edge(from, near, kind);
    for (const auto& [from, kind] : object.far) graph_.edge(from, far, kind);
    graph_.edge(object.doneNear[!odd], near);  // each phase follows the one before
    graph_.edge(object.doneFar[!odd], far);
    object.doneNear[odd] = near;
    object.doneFar[odd] = far;
    object.near.clear();
    object.far.clear();
}

void Events::commitMbarrier(const Commit& c)
{
    Cta* owner = at(c.at);
    if (owner == nullptr) return;
    const std::uint32_t offset = clusterOffset(c.object);
    if (c.op == Op::MbarInval) {
        owner->objects.erase(offset);
        return;
    }
    Object& object = owner->objects[offset];
    if (c.op == Op::MbarInit) {
        object = {};
        const auto sent = sent_.find({c.at.sm, c.tag});
        const auto lane = static_cast<unsigned>(__builtin_ctz(c.lanes | 1u << 31));
        if (sent == sent_.end()) return;
        object.init = sent->second.at[lane];
        object.initLine = sent->second.request.source;
        object.initThread = threadOf(c.at.warp, lane);
        return;
    }
    if (c.op == Op::EvAsyncCompleteTx)
        completesBytes(object, c);
    else if (c.op == Op::EvAgentArrive)
        agentArrives(object, *owner, c);
    else if (isMbarArrive(c.op) || c.op == Op::EvAsyncArrive)
        arrival(object, *owner, c);
    if (c.flip) flip(object, unpackMbar(c.oldWord).phase);
}

/// Handles waits of these lanes that have found their phase complete.
void Events::waited(Cta& cta, const Sent& sent, Lanes lanes)
{
    const SyncRequest& r = sent.request;
    eachLane(lanes, [&](unsigned l) {
        const auto found = cta.objects.find(clusterOffset(r.addr[l]));
        if (found == cta.objects.end()) return;
        const Object& o = found->second;
        const bool odd = isMbarParity(r.op) ? (r.data[l] & 1) != 0 : unpackMbar(r.data[l]).phase;
        const std::uint32_t thread = threadOf(r.at.warp, l);
        const Node node = step(cta, thread);
        const bool near = acquires(r.sem), far = near && reachAt(r) >= 1;
        graph_.edge(o.doneNear[odd], node, near ? Edge::Orders : Edge::Seen);
        graph_.edge(o.doneFar[odd], node, far ? Edge::Orders : Edge::Seen);
        std::vector<Saw>& saw = cta.threads[thread].saw;
        if (!near && o.doneNear[odd] != kNone) saw.push_back({o.doneNear[odd], 0});
        if (!far && o.doneFar[odd] != kNone) saw.push_back({o.doneFar[odd], 1});
    });
}

}  // namespace gsu::causality
