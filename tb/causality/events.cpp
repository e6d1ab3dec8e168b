#include "causality/events.hpp"

#include "golden/mbarrier.hpp"
#include "golden/op_traits.hpp"

namespace gsu::causality {

Events::Cta* Events::at(unsigned sm, unsigned slot)
{
    const auto found = slots_.find({sm, slot});
    return found == slots_.end() ? nullptr : ctas_[found->second].get();
}

Events::Cta* Events::ownerOf(const Cta& own, std::uint32_t address)
{
    const unsigned rank = clusterRank(address);
    if (own.launch.ctas <= 1 || rank == own.launch.rank) return ctas_[own.number].get();
    for (const auto& cta : ctas_)
        if (cta->cluster == own.cluster && cta->launch.rank == rank) return cta.get();
    return nullptr;
}

unsigned Events::between(std::uint32_t a, std::uint32_t b) const
{
    return a == b ? 0 : ctas_[a]->cluster == ctas_[b]->cluster ? 1 : 2;
}

/// Adds the thread's next event.
Node Events::step(Cta& cta, std::uint32_t thread, std::uint8_t shows)
{
    Thread& t = cta.threads[thread];
    const Node node = graph_.add(shows);
    graph_.edge(t.events.empty() ? cta.start : t.events.back(), node);
    t.events.push_back(node);
    return node;
}

/// Places these lanes' later events after all of these events.
void Events::after(Cta& cta, unsigned warp, Lanes lanes, const std::vector<Node>& from)
{
    const Node meeting = graph_.add();
    for (const Node n : from) graph_.edge(n, meeting);
    eachLane(lanes, [&](unsigned l) {
        const Node next = step(cta, threadOf(warp, l));
        graph_.edge(meeting, next);
    });
}

void Events::onLaunch(Cycle, const Launch& launch)
{
    auto cta = std::make_unique<Cta>();
    cta->number = static_cast<std::uint32_t>(ctas_.size());
    cta->launch = launch;
    cta->start = graph_.add();
    cta->end = graph_.add();
    if (launch.ctas <= 1 || launch.rank == 0) ++clusters_;
    if (launch.ctas > 1 && launch.rank == 0) clusterOf_[launch.cluster] = clusters_;
    cta->cluster = launch.ctas > 1 ? clusterOf_[launch.cluster] : clusters_;
    const unsigned warps = (launch.threads + 31u) / 32;
    cta->threads.resize(32 * warps);
    cta->clusterWaits.resize(warps);
    slots_[{launch.sm, launch.cta}] = cta->number;
    ctas_.push_back(std::move(cta));
}

void Events::onExit(Cycle, const Exit& exit)
{
    Cta* cta = at(exit.at);
    if (cta == nullptr) return;
    eachLane(exit.lanes, [&](unsigned l) {
        const Node last = step(*cta, threadOf(exit.at.warp, l));
        graph_.edge(last, cta->end);
        cta->exits.push_back(last);
        exited_[cta->cluster].push_back(last);
    });
}

void Events::onCtaFree(const CtaFree& free) { slots_.erase({free.sm, free.cta}); }

void Events::fence(Cta& cta, const SyncRequest& r)
{
    std::uint8_t shows = 0;
    if (r.op == Op::FenceMbarrierInit || (r.op == Op::FenceProxy && r.kind == kFenceGeneric))
        shows = kShowsInits;
    if (r.op == Op::FenceProxy && r.kind == kFenceAsync) shows = kShowsShared | kShowsGlobal;
    if (r.op == Op::FenceProxy && r.kind == kFenceAsyncGlobal) shows = kShowsGlobal;
    if (r.op == Op::FenceProxy && (r.kind == kFenceAsyncCta || r.kind == kFenceAsyncCluster))
        shows = kShowsShared;
    const bool generic = r.op == Op::Fence || r.op == Op::Membar;
    if (!generic && shows == 0) return;
    eachLane(r.lanes, [&](unsigned l) {
        Thread& t = cta.threads[threadOf(r.at.warp, l)];
        const Node node = step(cta, threadOf(r.at.warp, l), shows);
        if (!generic) return;
        const unsigned reach = reachOf(r.scope);
        if (acquires(r.sem)) {
            for (const Saw& s : t.saw)
                if (s.needed <= reach) graph_.edge(s.what, node);
            std::erase_if(t.saw, [&](const Saw& s) { return s.needed <= reach; });
        }
        // A fence of the program covers those before it; a fence that belongs to an access may be taken back.
        std::erase_if(t.fences, [&](const Fence& f) {
            return f.reach <= reach && (r.sem == Sem::AcqRel || f.line == r.source);
        });
        if (r.sem != Sem::Acquire) t.fences.push_back({node, r.source, reach});
    });
}

void Events::clusterArrive(Cta& cta, const SyncRequest& r)
{
    eachLane(r.lanes, [&](unsigned l) {
        Thread& t = cta.threads[threadOf(r.at.warp, l)];
        const Node node = step(cta, threadOf(r.at.warp, l));
        const auto [at, fresh] =
            generations_.try_emplace({cta.cluster, ++t.clusterArrivals}, kNone);
        if (fresh) at->second = graph_.add();
        if (releases(r.sem)) return graph_.edge(node, at->second);
        graph_.edge(node, at->second, Edge::Relaxed);
        for (const Fence& f : t.fences)
            if (f.reach >= 1) graph_.edge(f.at, at->second);
    });
}

void Events::clusterDone(Cta& cta, unsigned warp, Lanes lanes)
{
    cta.clusterWaits[warp] &= ~lanes;
    const std::vector<Node>& gone = exited_[cta.cluster];
    const Node ended = graph_.add();
    for (const Node n : gone) graph_.edge(n, ended);
    eachLane(lanes, [&](unsigned l) {
        Thread& t = cta.threads[threadOf(warp, l)];
        const Node node = step(cta, threadOf(warp, l));
        const auto found = generations_.find({cta.cluster, t.clusterArrivals});
        if (found != generations_.end()) graph_.edge(found->second, node);
        graph_.edge(ended, node);
    });
}

void Events::onRequest(Cycle, const SyncRequest& r)
{
    Cta* cta = at(r.at);
    if (cta == nullptr) return;
    fence(*cta, r);
    const bool waits = waitsForCluster(r.op);
    if (isCluster(r.op) && !waits) clusterArrive(*cta, r);
    if (waits) cta->clusterWaits[r.at.warp] |= r.lanes;
    sent_.erase({r.at.sm, r.tag});
    if (isNamed(r.op))
        eachLane(r.lanes, [&](unsigned l) {
            const std::uint32_t thread = threadOf(r.at.warp, l);
            cta->coming[{thread, r.arg0}].emplace_back(step(*cta, thread), waitsForNamed(r.op));
        });
    if (isMbarOp(r.op)) send(*cta, r);
    if (waits) sent_[{r.at.sm, r.tag}] = {r, {}, r.lanes};
}

void Events::onResponse(const SyncResponse& response)
{
    Cta* cta = at(response.at);
    if (cta == nullptr) return;
    const auto found = sent_.find({response.at.sm, response.tag});
    if (found == sent_.end() || !(found->second.request.at == response.at)) return;
    const Lanes cluster = cta->clusterWaits[response.at.warp] & response.lanes;
    if (waitsForCluster(found->second.request.op) && goesOn(response.cause))
        clusterDone(*cta, response.at.warp, cluster);
    if (isMbarWait(found->second.request.op))
        waited(*cta, found->second, response.lanes & response.pred);
}

void Events::onRelease(const Release& release)
{
    Cta* cta = at(release.sm, release.cta);
    if (cta == nullptr || !release.cluster) return;
    eachLane(release.warps, [&](unsigned w) {
        if (w >= cta->clusterWaits.size()) return;
        const Lanes lanes = cta->clusterWaits[w] & release.lanes;
        if (lanes != 0) clusterDone(*cta, w, lanes);
    });
}

void Events::named(Cta& cta, const Commit& c)
{
    Generation& generation = cta.named[c.object];
    if (isNamed(c.op)) {
        eachLane(c.lanes, [&](unsigned l) {
            const std::uint32_t thread = threadOf(c.at.warp, l);
            auto& coming = cta.coming[{thread, c.object}];
            if (coming.empty()) return;
            generation.arrived.push_back(coming.front().first);
            if (coming.front().second) generation.waiting.push_back(thread);
            coming.pop_front();
        });
    }
    if (!c.flip) return;
    const Generation done = std::exchange(generation, {});
    const Node meeting = graph_.add();
    for (const Node n : done.arrived) graph_.edge(n, meeting);
    for (const Node n : cta.exits) graph_.edge(n, meeting);
    for (const std::uint32_t thread : done.waiting) graph_.edge(meeting, step(cta, thread));
}

void Events::onCommit(const Commit& c)
{
    Cta* cta = at(c.at);
    if (cta == nullptr || c.refused) return;
    if (c.unit == Unit::Named && (c.op != Op::EvWarpExit || c.flip)) named(*cta, c);
    if (c.unit == Unit::WarpSync && c.op == Op::WarpSync) {
        std::vector<Node> from;
        eachLane(c.lanes, [&](unsigned l) { from.push_back(step(*cta, threadOf(c.at.warp, l))); });
        after(*cta, c.at.warp, c.lanes, from);
    }
    if (isOfMbarrier(c) && !isMbarWait(c.op)) commitMbarrier(c);
}

}  // namespace gsu::causality
