#include "races/order_parts.hpp"

#include "golden/mbarrier.hpp"
#include "golden/op_traits.hpp"

namespace gsu::races {
void Order::onPlace(const Launch& launch, std::uint32_t linear)
{
    linear_[launch.sm][launch.cta] = linear;
}

void Order::onGridStart(Cycle, const GridStart& grid)
{
    if (!grid.ended && !grid.fewer && grid.ctas != 0) gridOf_[grid.grid] = grids_++;
}

void Order::onLaunch(Cycle, const Launch& launch)
{
    auto cta = std::make_unique<CtaState>();
    cta->number = static_cast<std::uint32_t>(state_.ctas.size());
    cta->linear = linear_[launch.sm][launch.cta];
    cta->launch = launch;
    cta->grid = gridOf_[launch.grid];
    cta->cluster = names_.of(launch);
    const unsigned warps = (launch.threads + 31u) / 32;
    for (unsigned w = 0; w < warps; ++w) {
        const unsigned threads = std::min(32u, launch.threads - 32 * w);
        const Lanes lanes = threads == 32 ? ~Lanes{0} : (Lanes{1} << threads) - 1;
        cta->warps.emplace_back(cta->number, w, lanes);
        cta->live.push_back(lanes);
    }
    cta->barWaits.resize(warps);
    cta->clusterWaits.resize(warps);
    cta->clusterArrivals.resize(warps);
    cta->blocks.resize((launch.size + kBlock - 1) / kBlock);
    state_.slots[launch.sm][launch.cta] = cta->number + 1;
    state_.ctas.push_back(std::move(cta));
}

void Order::onExit(Cycle, const Exit& exit)
{
    CtaState* cta = state_.at(exit.at);
    if (cta == nullptr) return;
    cta->live[exit.at.warp] &= ~exit.lanes;
    if (ended_.size() <= cta->grid) ended_.resize(cta->grid + 1);
    const Knowledge last = cta->warps[exit.at.warp].release(exit.lanes);
    ended_[cta->grid].join(last);
    cta->exited.join(last);
    exited_[cta->cluster].join(last);
    if (std::all_of(cta->live.begin(), cta->live.end(), [](Lanes l) { return l == 0; }))
        checks_.ends(*cta);
}

void Order::onCtaFree(const CtaFree& free)
{
    CtaState* cta = state_.at(free.sm, free.cta);
    if (cta == nullptr) return;
    std::vector<Block>().swap(cta->blocks);
    std::vector<Threads>().swap(cta->warps);
    cta->mbarriers.clear();
    cta->named.clear();
    clusters_.erase(cta->cluster);  // all its CTAs are free
    posted_.erase(cta->number);
    exited_.erase(cta->cluster);
    state_.slots[free.sm][free.cta] = 0;
}

CtaState* Order::ownerOf(const SyncRequest& r, unsigned lane)
{
    CtaState* own = state_.at(r.at);
    if (own == nullptr) return nullptr;
    const unsigned rank = clusterRank(r.addr[lane]);
    if (own->launch.ctas <= 1 || rank == own->launch.rank) return own;
    for (const auto& cta : state_.ctas) {
        if (cta->cluster == own->cluster && cta->launch.rank == rank) return cta.get();
    }
    return nullptr;
}

/// Knowledge that lanes release to threads at the distance `needed`. A relaxed arrival releases what fences have released.
Knowledge Order::gives(Threads& threads, Lanes lanes, Sem sem, Scope scope, Level needed)
{
    Knowledge k;
    const bool strong = releases(sem) && levelOf(scope) >= needed;
    if (!strong) {
        k = threads.fenced(lanes, needed);
        for (const Threads::Part& part : threads.parts()) {
            if ((part.lanes & lanes) != 0) k.inits.join(part.knows.inits);
        }
    }
    const Knowledge whole = threads.release(lanes);
    if (strong) return whole;
    k.join(weakOf(whole));
    return k;
}

/// Programs free what they have read by an arrival at another CTA's mbarrier without a scope, which means .cta (GEN-004). By then a load
/// has its value, and writes of other threads have been performed. But stores of this CTA may come after the arrival, and on an H200 they
/// do (tests/hardware).
Knowledge Order::givesBack(Threads& threads, Lanes lanes, Sem sem)
{
    Knowledge k = gives(threads, lanes, sem, Scope::Cta, Level::Cluster);
    if (!releases(sem)) return k;
    Knowledge back = threads.release(lanes);
    back.reads.join(back.all);
    back.all = back.all.withoutThreads(threads.cta());
    k.join(back);
    return k;
}

void Order::fence(Threads& threads, const SyncRequest& r)
{
    switch (r.op) {
        case Op::Fence:
        case Op::Membar: return threads.fence(r.lanes, levelOf(r.scope), r.sem, r.source);
        case Op::FenceMbarrierInit: return threads.initFence(r.lanes);
        case Op::FenceProxy:
            if (r.kind == kFenceGeneric) return threads.initFence(r.lanes);
            threads.proxyFence(r.lanes,
                               r.kind == kFenceAsync || r.kind == kFenceAsyncCta ||
                                   r.kind == kFenceAsyncCluster,
                               r.kind == kFenceAsync || r.kind == kFenceAsyncGlobal);
            return;
        default: return;
    }
}

void Order::clusterArrive(CtaState& cta, Threads& threads, const SyncRequest& r)
{
    std::deque<Knowledge>& generations = clusters_[cta.cluster];
    std::map<std::uint32_t, Lanes> by;  // lanes by generation
    eachLane(r.lanes,
             [&](unsigned l) { by[cta.clusterArrivals[r.at.warp][l]++] |= Lanes{1} << l; });
    for (const auto& [generation, lanes] : by) {
        if (generations.size() <= generation) generations.resize(generation + 1);
        if (generation >= 3) generations[generation - 3] = {};  // all threads have waited for it
        generations[generation].join(gives(threads, lanes, r.sem, Scope::Cluster, Level::Cluster));
    }
}

void Order::clusterDone(CtaState& cta, unsigned warp, Lanes lanes)
{
    const std::deque<Knowledge>& generations = clusters_[cta.cluster];
    cta.clusterWaits[warp] &= ~lanes;
    eachLane(lanes, [&](unsigned l) {
        const std::uint32_t arrivals = cta.clusterArrivals[warp][l];
        if (arrivals == 0 || arrivals > generations.size()) return;
        const Lanes same = lanes;  // lanes of a warp have mostly arrived equally often
        if (l != static_cast<unsigned>(__builtin_ctz(same)) &&
            arrivals == cta.clusterArrivals[warp][static_cast<unsigned>(__builtin_ctz(same))])
            return;
        Lanes all = 0;
        eachLane(lanes, [&](unsigned k) {
            if (cta.clusterArrivals[warp][k] == arrivals) all |= Lanes{1} << k;
        });
        cta.warps[warp].acquire(all, generations[arrivals - 1]);
        if (const auto gone = exited_.find(cta.cluster); gone != exited_.end())
            cta.warps[warp].acquire(all, gone->second);
    });
}

void Order::onRequest(Cycle, const SyncRequest& r)
{
    CtaState* cta = state_.at(r.at);
    Threads* threads = state_.threads(r.at);
    if (threads == nullptr) return;
    fence(*threads, r);
    const bool waits = waitsForCluster(r.op);
    if (isCluster(r.op) && !waits) clusterArrive(*cta, *threads, r);
    if (waits) cta->clusterWaits[r.at.warp] |= r.lanes;
    if (waitsForNamed(r.op)) cta->barWaits[r.at.warp] |= r.lanes;
    if (r.op == Op::BarArrive) cta->barWaits[r.at.warp] &= ~r.lanes;
    if (!isMbarOp(r.op) && r.op != Op::GdcWait && !waits) {
        open_.erase(keyOf(r.at.sm, r.tag));  // the previous request with this tag has its answer
        return;
    }
    Open& open = open_[keyOf(r.at.sm, r.tag)];
    open = {};
    open.request = r;
    open.cta = cta->number;
    if (isMbarOp(r.op) && r.op != Op::MbarInit) use(r);
    if (isCopyArrive(r.op)) noteCopies(*cta, *threads, r);
    if (isMbarArrive(r.op)) post(*cta, *threads, r);
}

void Order::onResponse(const SyncResponse& response)
{
    const auto found = open_.find(keyOf(response.at.sm, response.tag));
    if (found == open_.end() || !(found->second.request.at == response.at)) return;
    const Open& open = found->second;
    if (isMbarWait(open.request.op)) waited(open, response.lanes & response.pred);
    CtaState* cta = state_.at(response.at);
    if (waitsForCluster(open.request.op) && cta != nullptr) {
        const Lanes lanes = cta->clusterWaits[response.at.warp] & response.lanes;
        if (lanes != 0 && goesOn(response.cause)) clusterDone(*cta, response.at.warp, lanes);
    }
    if (open.request.op != Op::GdcWait) return;
    Knowledge k;
    for (std::size_t g = 0; g < ended_.size(); ++g) {
        if (g == cta->grid) continue;
        k.join(ended_[g]);
        k.grids |= std::uint64_t{1} << (g % 64);
    }
    cta->warps[response.at.warp].acquire(response.lanes, k);
}

void Order::onRelease(const Release& release)
{
    CtaState* cta = state_.at(release.sm, release.cta);
    if (cta == nullptr || !release.cluster) return;
    eachLane(release.warps, [&](unsigned w) {
        if (w >= cta->warps.size()) return;
        const Lanes lanes = cta->clusterWaits[w] & release.lanes;
        if (lanes != 0) clusterDone(*cta, w, lanes);
    });
}

void Order::commitNamed(CtaState& cta, const Commit& c)
{
    Generation& generation = cta.named[c.object];
    if (c.lanes != 0 && isNamed(c.op) && c.at.warp < cta.warps.size()) {
        generation.arrived.join(cta.warps[c.at.warp].release(c.lanes));
        const Lanes waits = cta.barWaits[c.at.warp] & c.lanes;
        cta.barWaits[c.at.warp] &= ~waits;
        if (waits != 0) generation.waiting.emplace_back(c.at.warp, waits);
    }
    if (!c.flip) return;
    Generation done = std::move(generation);
    generation = {};
    done.arrived.join(cta.exited);  // exited threads count as arrived
    for (const auto& [warp, lanes] : done.waiting) cta.warps[warp].acquire(lanes, done.arrived);
}

void Order::onCommit(const Commit& c)
{
    CtaState* cta = state_.at(c.at);
    if (cta == nullptr || c.refused) return;
    if (c.unit == Unit::Named && (c.op != Op::EvWarpExit || c.flip)) commitNamed(*cta, c);
    if (c.unit == Unit::WarpSync && c.op == Op::WarpSync && c.at.warp < cta->warps.size())
        cta->warps[c.at.warp].meet(c.lanes);
    if (isOfMbarrier(c) && !isMbarWait(c.op)) commitMbarrier(c);
}

}  // namespace gsu::races
