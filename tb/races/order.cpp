#include "races/order.hpp"

#include "golden/mbarrier.hpp"
#include "golden/op_traits.hpp"

namespace gsu::races {
namespace {

/// Of a place that strong accesses name.
std::uint64_t placeOf(const World& world, const MemoryRange& r)
{
    return r.global() ? r.at : std::uint64_t{world.slots[r.sm][r.slot]} << 32 | r.at;
}

bool releases(Sem sem) { return sem == Sem::Release || sem == Sem::AcqRel; }
bool acquires(Sem sem) { return sem == Sem::Acquire || sem == Sem::AcqRel; }

/// What is seen of those who do not release it, or not so far.
Knowledge weakOf(const Knowledge& seen)
{
    Knowledge k;
    k.weak.join(seen.all);
    k.weak.join(seen.weak);
    k.unread.join(seen.unread);
    return k;
}

/// What a read has seen that does not acquire it.
Knowledge unreadOf(const Knowledge& seen)
{
    Knowledge k;
    k.unread.join(seen.all);
    k.unread.join(seen.unread);
    k.weak.join(seen.weak);
    return k;
}

}  // namespace

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
    cta->number = static_cast<std::uint32_t>(world_.ctas.size());
    cta->linear = linear_[launch.sm][launch.cta];
    cta->launch = launch;
    cta->grid = gridOf_[launch.grid];
    if (launch.ctas <= 1 || launch.rank == 0) ++clusterNames_;
    if (launch.ctas > 1 && launch.rank == 0) clusterOf_[launch.cluster] = clusterNames_;
    cta->cluster = launch.ctas > 1 ? clusterOf_[launch.cluster] : clusterNames_;
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
    world_.slots[launch.sm][launch.cta] = cta->number + 1;
    world_.ctas.push_back(std::move(cta));
}

void Order::onExit(Cycle, const Exit& exit)
{
    CtaState* cta = world_.at(exit.at);
    if (cta == nullptr) return;
    cta->live[exit.at.warp] &= ~exit.lanes;
    if (ended_.size() <= cta->grid) ended_.resize(cta->grid + 1);
    ended_[cta->grid].join(cta->warps[exit.at.warp].release(exit.lanes));
    if (std::all_of(cta->live.begin(), cta->live.end(), [](Lanes l) { return l == 0; }))
        checks_.ends(*cta);
}

void Order::onCtaFree(const CtaFree& free)
{
    CtaState* cta = world_.at(free.sm, free.cta);
    if (cta == nullptr) return;
    std::vector<Block>().swap(cta->blocks);
    std::vector<Threads>().swap(cta->warps);
    cta->mbarriers.clear();
    cta->named.clear();
    clusters_.erase(cta->cluster);  // all of them are free
    world_.slots[free.sm][free.cta] = 0;
}

CtaState* Order::ownerOf(const SyncRequest& r, unsigned lane)
{
    CtaState* own = world_.at(r.at);
    if (own == nullptr) return nullptr;
    const unsigned rank = clusterRank(r.addr[lane]);
    if (own->launch.ctas <= 1 || rank == own->launch.rank) return own;
    for (const auto& cta : world_.ctas) {
        if (cta->cluster == own->cluster && cta->launch.rank == rank) return cta.get();
    }
    return nullptr;
}

/// What lanes give to those who are as far away as `needed` says. A relaxed arrival gives what fences have released.
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
        if (generation >= 3) generations[generation - 3] = {};  // everybody has waited for it
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
        const Lanes same = lanes;  // lanes of a warp mostly have arrived as often
        if (l != static_cast<unsigned>(__builtin_ctz(same)) &&
            arrivals == cta.clusterArrivals[warp][static_cast<unsigned>(__builtin_ctz(same))])
            return;
        Lanes all = 0;
        eachLane(lanes, [&](unsigned k) {
            if (cta.clusterArrivals[warp][k] == arrivals) all |= Lanes{1} << k;
        });
        cta.warps[warp].acquire(all, generations[arrivals - 1]);
    });
}

void Order::use(const SyncRequest& r)
{
    // Of lanes that know the same and name the same mbarrier one stands for all.
    for (const Threads::Part& part : world_.threads(r.at)->parts()) {
        std::optional<std::uint32_t> last;
        for (unsigned l = 32; l-- > 0;) {
            if (((part.lanes & r.lanes) >> l & 1) == 0 || last == r.addr[l]) continue;
            last = r.addr[l];
            const CtaState* owner = ownerOf(r, l);
            if (owner == nullptr) continue;
            const auto found = owner->mbarriers.find(clusterOffset(r.addr[l]));
            checks_.usesMbarrier(r, l, *owner,
                                 found == owner->mbarriers.end() ? nullptr : &found->second);
        }
    }
}

void Order::onRequest(Cycle, const SyncRequest& r)
{
    CtaState* cta = world_.at(r.at);
    Threads* threads = world_.threads(r.at);
    if (threads == nullptr) return;
    fence(*threads, r);
    if (r.op == Op::ClusterArrive) clusterArrive(*cta, *threads, r);
    if (r.op == Op::ClusterWait) cta->clusterWaits[r.at.warp] |= r.lanes;
    if (waitsForNamed(r.op)) cta->barWaits[r.at.warp] |= r.lanes;
    if (r.op == Op::BarArrive) cta->barWaits[r.at.warp] &= ~r.lanes;
    if (!isMbarOp(r.op) && r.op != Op::GdcWait) return;
    Open& open = open_[keyOf(r.at.sm, r.tag)];
    open = {};
    open.request = r;
    open.cta = cta->number;
    if (isMbarOp(r.op) && r.op != Op::MbarInit) use(r);
    if (isCopyArrive(r.op)) {
        eachLane(r.lanes, [&](unsigned l) {
            open.copies.raise(cta->number, races::keyOf(Line::CpAsync, r.at.warp), Lanes{1} << l,
                              threads->begun(Line::CpAsync, l));
        });
    }
    const unsigned lead = static_cast<unsigned>(__builtin_ctz(r.lanes));
    const CtaState* owner = isMbarOp(r.op) ? ownerOf(r, lead) : nullptr;
    if (isMbarArrive(r.op) && owner != nullptr && owner != cta)
        open.given = gives(*threads, r.lanes, r.sem, r.scope, Level::Cluster);
}

void Order::onResponse(const SyncResponse& response)
{
    if (CtaState* cta = world_.at(response.at)) {
        const Lanes cluster = cta->clusterWaits[response.at.warp] & response.lanes;
        if (cluster != 0 && response.cause != Cause::Refused)
            clusterDone(*cta, response.at.warp, cluster);
    }
    const auto found = open_.find(keyOf(response.at.sm, response.tag));
    if (found == open_.end() || !(found->second.request.at == response.at)) return;
    const Open& open = found->second;
    if (isMbarWait(open.request.op)) waited(open, response.lanes & response.pred);
    if (open.request.op != Op::GdcWait) return;
    CtaState* cta = world_.at(response.at);
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
    CtaState* cta = world_.at(release.sm, release.cta);
    if (cta == nullptr || !release.cluster) return;
    eachLane(release.warps, [&](unsigned w) {
        if (w >= cta->warps.size()) return;
        const Lanes lanes = cta->clusterWaits[w] & release.lanes;
        if (lanes != 0) clusterDone(*cta, w, lanes);
    });
}

/// A wait has found its phase complete.
void Order::waited(const Open& open, Lanes lanes)
{
    const SyncRequest& r = open.request;
    CtaState* cta = world_.at(r.at);
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
        if (levelOf(r.scope) < Level::Cluster) {
            threads.saw(same, Level::Cluster, far);
            far = unreadOf(far);
        }
        near.join(far);
        threads.acquire(same, near);
    }
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
    const Generation done = std::move(generation);
    generation = {};
    for (const auto& [warp, lanes] : done.waiting) cta.warps[warp].acquire(lanes, done.arrived);
}

void Order::arrive(Mbarrier& object, const CtaState& owner, const Commit& c)
{
    if (c.op == Op::EvAsyncArrive) {
        const auto open = open_.find(keyOf(c.at.sm, c.tag));
        if (open != open_.end()) object.near.all.join(open->second.copies);
        return;
    }
    const bool remote = c.src == Src::Remote;
    const auto open = open_.find(keyOf(remote ? c.srcSm : c.at.sm, c.tag));
    if (open == open_.end() || !isMbarArrive(open->second.request.op)) return;
    const SyncRequest& r = open->second.request;
    if (open->second.cta != owner.number) {
        object.far.join(open->second.given);
        return;
    }
    Threads* threads = world_.threads(c.at);
    if (threads == nullptr) return;
    object.near.join(gives(*threads, c.lanes & r.lanes, r.sem, r.scope, Level::Cta));
}

void Order::commitMbarrier(const Commit& c)
{
    CtaState* owner = world_.at(c.at);
    if (owner == nullptr) return;
    const std::uint32_t offset = clusterOffset(c.object);
    if (c.op == Op::MbarInval) {
        owner->mbarriers.erase(offset);
        return;
    }
    Mbarrier& object = owner->mbarriers[offset];
    if (c.op == Op::MbarInit) {
        const Time phase = object.phase + 1;
        object = {};
        object.phase = phase;
        Threads* threads = world_.threads(c.at);
        const auto open = open_.find(keyOf(c.at.sm, c.tag));
        object.init = Stamp{owner->number, c.at.warp, c.lanes & (0u - c.lanes),
                            threads == nullptr ? 0 : threads->now(),
                            open == open_.end() ? 0 : open->second.request.source};
        return;
    }
    if (c.op == Op::EvAsyncCompleteTx) {
        std::uint32_t index = ~0u;
        if (c.src == Src::Remote) {
            const auto named = endings_.find(remoteName(c.srcSm, c.tag));
            if (named != endings_.end()) {
                index = named->second;
                endings_.erase(named);
            }
        } else if (!object.completing.empty()) {
            index = object.completing.front();
            object.completing.pop_front();
        }
        if (index != ~0u) world_.endings[index].phase = object.phase;
    } else if (isMbarArrive(c.op) || c.op == Op::EvAsyncArrive) {
        arrive(object, *owner, c);
    }
    if (!c.flip) return;
    const bool odd = unpackMbar(c.oldWord).phase;
    object.near.all.raise(owner->number, keyOfPhase(offset), ~Lanes{0}, object.phase);
    object.near.join(object.doneNear[!odd]);  // phases follow each other
    object.far.join(object.doneFar[!odd]);
    object.doneNear[odd] = std::move(object.near);
    object.doneFar[odd] = std::move(object.far);
    object.near = object.far = {};
    ++object.phase;
}

void Order::onCommit(const Commit& c)
{
    CtaState* cta = world_.at(c.at);
    if (cta == nullptr || c.refused) return;
    if (c.unit == Unit::Named && (c.op != Op::EvWarpExit || c.flip)) commitNamed(*cta, c);
    if (c.unit == Unit::WarpSync && c.op == Op::WarpSync && c.at.warp < cta->warps.size())
        cta->warps[c.at.warp].meet(c.lanes);
    if (c.unit == Unit::Mbarrier && c.op != Op::EvTimeout && c.op != Op::EvDelivered &&
        !isAtomic(c.op) && !isMbarWait(c.op))
        commitMbarrier(c);
}

std::uint32_t Order::ending(const AsyncOp& op, std::uint32_t issuer)
{
    Ending e;
    e.issuer = issuer;
    if (const CtaState* owner = world_.at(op.sm, op.slot)) e.cta = owner->number;
    e.offset = op.mbarrier;
    world_.endings.push_back(e);
    const auto index = static_cast<std::uint32_t>(world_.endings.size() - 1);
    if (op.until == AsyncOp::Until::Mbarrier) endings_[op.name] = index;
    return index;
}

void Order::completes(std::uint64_t name)
{
    const auto found = endings_.find(name);
    if (found == endings_.end()) return;
    const Ending& e = world_.endings[found->second];
    world_.ctas[e.cta]->mbarriers[e.offset].completing.push_back(found->second);
}

void Order::synchronize(const Access& a, unsigned lane, const MemoryRange& range)
{
    CtaState* cta = world_.at(a.at);
    if (cta == nullptr || a.at.warp >= cta->warps.size()) return;
    Threads& threads = cta->warps[a.at.warp];
    const Lanes one = Lanes{1} << lane;
    const Level scope = levelOf(a.order.scope);
    const std::uint64_t place = placeOf(world_, range);
    const auto found = released_.find(place);
    if (a.touch != Touch::Writes && found != released_.end()) {
        for (const Released& r : found->second) {
            const Level needed = world_.between(r.cta, cta->number);
            const bool sees = r.write >= needed && scope >= needed && r.release >= needed;
            if (sees && acquires(a.order.sem)) {
                threads.acquire(one, r.what);
                continue;
            }
            if (sees) threads.saw(one, needed, r.what);
            if (r.write >= needed && r.release >= needed)
                threads.acquire(one, unreadOf(r.what));
            else
                threads.acquire(one, weakOf(r.what));
        }
    }
    if (a.touch == Touch::Reads) return;
    std::vector<Released> given;
    if (releases(a.order.sem)) {
        threads.forgetFence(one, a.line);
        given.push_back(
            {cta->number, a.at.warp, std::uint8_t(lane), scope, scope, threads.release(one)});
    } else {
        for (const Level level : {Level::Gpu, Level::Cluster, Level::Cta}) {
            Knowledge k = threads.fenced(one, level);
            if (k == Knowledge{} || (!given.empty() && given.back().what.all.covers(k.all)))
                continue;
            given.push_back(
                {cta->number, a.at.warp, std::uint8_t(lane), level, scope, std::move(k)});
        }
    }
    const bool chain = a.touch == Touch::Updates;
    if (given.empty() && !chain) {  // nothing is ordered: kept to say what is missing
        const Level whole = levelOf(Scope::Gpu);
        given.push_back({cta->number, a.at.warp, std::uint8_t(lane), whole, scope,
                         weakOf(threads.release(one))});
    }
    if (given.empty() && found == released_.end()) return;
    std::vector<Released>& list = released_[place];
    // A store of another thread ends what was to be seen; one of the thread that released goes on with it.
    std::erase_if(list, [&](const Released& r) {
        return !chain && (r.cta != cta->number || r.warp != a.at.warp || r.lane != lane);
    });
    for (Released& g : given) {
        const auto same = std::find_if(list.begin(), list.end(), [&](const Released& r) {
            return r.cta == g.cta && r.release == g.release && r.write == g.write && chain;
        });
        if (same == list.end())
            list.push_back(std::move(g));
        else
            same->what.join(g.what);
    }
}

}  // namespace gsu::races
