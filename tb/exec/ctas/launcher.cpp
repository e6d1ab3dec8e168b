#include "exec/ctas/launcher.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace gsu::exec {
namespace {

constexpr unsigned kNoSlot = ~0u;

std::uint64_t slotsOf(unsigned warps) noexcept { return warps >= 64 ? ~0ull : (1ull << warps) - 1; }

unsigned freeRun(std::uint64_t used, unsigned length, unsigned slots)
{
    for (unsigned at = 0; at + length <= slots; ++at) {
        if ((used & slotsOf(length) << at) == 0) return at;
    }
    return kNoSlot;
}

std::uint32_t freeWindow(const std::map<std::uint32_t, std::uint32_t>& used, std::uint32_t size)
{
    std::uint32_t at = 0;
    for (const auto& [base, bytes] : used) {
        if (base - at >= size) return at;
        at = base + bytes;
    }
    return at + size <= SharedBytes::kUsablePerSm ? at : kNoSlot;
}

}  // namespace

Launcher::Launcher(RunState& state, Residents& residents, SharedBytes& shared,
                   Schedulers& schedulers)
    : s_(state),
      residents_(residents),
      shared_(shared),
      schedulers_(schedulers),
      placed_(state.shape.sms),
      left_(state.shape.ctas)
{
}

std::unique_ptr<Cta> Launcher::makeCta(Cluster& cluster, unsigned rank, unsigned smIndex)
{
    const Shape& shape = s_.shape;
    UnitRoom::Sm& sm = s_.room.sm(smIndex);
    if (static_cast<unsigned>(std::popcount(sm.ctaSlots)) >= shape.perSm) return nullptr;
    const unsigned slot = s_.room.freeCta(smIndex, shape.has.ctas);
    if (slot == UnitRoom::kNone) return nullptr;
    const unsigned wbase = freeRun(sm.warpSlots, shape.warps, shape.has.warpSlots);
    const std::uint32_t base = shape.smem == 0 ? 0 : freeWindow(sm.windows, shape.smem);
    if (wbase == kNoSlot || base == kNoSlot) return nullptr;
    auto cta = std::make_unique<Cta>();
    cta->cluster = &cluster;
    cta->serial = ++serials_;
    cta->launch = {static_cast<std::uint8_t>(smIndex),
                   static_cast<std::uint8_t>(slot),
                   static_cast<std::uint8_t>(wbase),
                   cluster.slot,
                   static_cast<std::uint8_t>(rank),
                   cluster.ctas,
                   static_cast<std::uint16_t>(shape.threads),
                   base,
                   shape.totalSmem,
                   cluster.era,
                   s_.grids.slot()};
    const auto& c = shape.cluster;
    const std::array<std::uint32_t, 3> in{rank % c[0], rank / c[0] % c[1], rank / (c[0] * c[1])};
    for (unsigned d = 0; d < 3; ++d) cta->id[d] = cluster.id[d] * c[d] + in[d];
    cta->linear = (cta->id[2] * shape.grid[1] + cta->id[1]) * shape.grid[0] + cta->id[0];
    cta->liveWarps = shape.warps;
    // Shared memory starts undefined; zeros keep runs repeatable. Peers may write it before the CTA's first instruction.
    if (shape.smem != 0) std::memset(shared_.at(smIndex, base), 0, shape.smem);
    sm.warpSlots |= slotsOf(shape.warps) << wbase;
    sm.ctaSlots |= 1u << slot;
    if (shape.smem != 0) sm.windows[base] = shape.smem;
    return cta;
}

void Launcher::giveBack(const Launch& launch)
{
    UnitRoom::Sm& sm = s_.room.sm(launch.sm);
    assert((~sm.warpSlots & slotsOf(s_.shape.warps) << launch.wbase) == 0);
    sm.warpSlots &= ~(slotsOf(s_.shape.warps) << launch.wbase);
    sm.ctaSlots &= ~(1u << launch.cta);
    if (s_.shape.smem != 0) sm.windows.erase(launch.base);
    residents_.remove(*residents_.at(launch.sm, launch.cta));
}

std::unique_ptr<Cluster> Launcher::makeCluster(std::size_t slot, unsigned ofNetwork) const
{
    const Shape& shape = s_.shape;
    auto cluster = std::make_unique<Cluster>();
    // Clusters of one CTA use no network, hence no cluster slot of it.
    cluster->slot = static_cast<std::uint8_t>(ofNetwork);
    cluster->index = static_cast<std::uint32_t>(slot);
    cluster->ctas = static_cast<std::uint8_t>(shape.clusterCtas);
    cluster->left = shape.clusterCtas;
    cluster->era = static_cast<std::uint8_t>(s_.room.eras);
    const std::uint64_t gx = shape.grid[0] / shape.cluster[0],
                        gy = shape.grid[1] / shape.cluster[1];
    cluster->id = {static_cast<std::uint32_t>(next_ % gx),
                   static_cast<std::uint32_t>(next_ / gx % gy),
                   static_cast<std::uint32_t>(next_ / (gx * gy))};
    return cluster;
}

Cta* Launcher::placeCta(Cluster& cluster, unsigned rank, unsigned network,
                        const std::array<unsigned, kMaxSms>& used)
{
    const unsigned first = network * kMaxSms;
    std::vector<unsigned> order(smsOfNetwork(network, s_.shape.sms));
    for (unsigned i = 0; i < order.size(); ++i) order[i] = first + i;
    // Different SMs where there are enough, then the emptiest.
    const auto load = [&](unsigned i) {
        return used[i - first] * 1000u +
               static_cast<unsigned>(std::popcount(s_.room.sm(i).warpSlots));
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](unsigned a, unsigned b) { return load(a) < load(b); });
    for (const unsigned i : order) {
        std::unique_ptr<Cta> cta = makeCta(cluster, rank, i);
        if (cta == nullptr) continue;
        Cta* placed = cta.get();
        residents_.put(std::move(cta));
        return placed;
    }
    return nullptr;
}

/// The one that is least full for its size goes first: clusters go to the networks in turn, and no SM gets a second CTA while others have none.
std::vector<unsigned> Launcher::networkOrder() const
{
    std::vector<unsigned> order(networksOf(s_.shape.sms)), warps(order.size());
    for (unsigned i = 0; i < s_.shape.sms; ++i)
        warps[networkOf(i)] += static_cast<unsigned>(std::popcount(s_.room.sm(i).warpSlots));
    for (unsigned n = 0; n < order.size(); ++n) order[n] = n;
    std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
        return warps[a] * smsOfNetwork(b, s_.shape.sms) < warps[b] * smsOfNetwork(a, s_.shape.sms);
    });
    return order;
}

bool Launcher::placeCluster()
{
    if (s_.shape.sms <= kMaxSms) return placeClusterIn(0);
    const std::vector<unsigned> order = networkOrder();
    return std::any_of(order.begin(), order.end(), [&](unsigned n) { return placeClusterIn(n); });
}

bool Launcher::placeClusterIn(unsigned network)
{
    const unsigned ctas = s_.shape.clusterCtas;
    const auto slot = static_cast<std::size_t>(
        std::find(clusters_.begin(), clusters_.end(), nullptr) - clusters_.begin());
    const unsigned ofNetwork = ctas > 1 ? s_.room.freeCluster(network) : 0;
    if (ofNetwork == UnitRoom::kNone) return false;
    std::unique_ptr<Cluster> cluster = makeCluster(slot, ofNetwork);
    std::vector<Launch> made;
    std::array<unsigned, kMaxSms> used{};
    for (unsigned rank = 0; rank < ctas; ++rank) {
        Cta* cta = placeCta(*cluster, rank, network, used);
        if (cta == nullptr) {
            for (const Launch& undo : made) giveBack(undo);
            return false;
        }
        ++used[cta->launch.sm % kMaxSms];
        cluster->ranks[rank] = cta;
        made.push_back(cta->launch);
    }
    for (const Launch& l : made) {
        if (ctas > 1) s_.port.route({l.cluster, l.rank, l.sm, l.cta, l.ctas});
    }
    for (const Launch& l : made) {
        tellPlace(*residents_.at(l.sm, l.cta));
        placed_[l.sm].push_back(l);
        launching_.add(l.sm);
    }
    if (ctas > 1) s_.room.takeCluster(network, ofNetwork);
    if (slot == clusters_.size()) clusters_.emplace_back();
    clusters_[slot] = std::move(cluster);
    ++next_, ++s_.room.eras;
    return true;
}

void Launcher::tellPlace(const Cta& cta) const
{
    CtaPlace place;
    place.linear = cta.linear;
    for (unsigned d = 0; d < 3; ++d) place.id[d] = cta.id[d];
    place.launch = cta.launch;
    for (ExecObserver* o : s_.observers) o->onPlaced(place);
}

/// Of a part of a chip: SMs get clusters in turn, wave by wave, and these come to the simulated ones.
bool Launcher::simulated(std::uint64_t cluster) const noexcept
{
    if (s_.ep.of == 0) return true;
    const std::uint64_t wave = std::max(1u, s_.ep.of / s_.shape.clusterCtas);
    return cluster % wave < std::max(1u, s_.shape.sms / s_.shape.clusterCtas);
}

/// The next cluster runs on an SM that is not simulated.
void Launcher::passOver()
{
    left_ -= s_.shape.clusterCtas;
    s_.grids.fewer(s_.shape.clusterCtas);
    ++next_;
}

void Launcher::place()
{
    while (next_ < s_.shape.clusters() && blocked_ != s_.room.frees) {
        if (!simulated(next_))
            passOver();
        else if (!placeCluster())
            blocked_ = s_.room.frees;
    }
}

std::uint64_t Launcher::takeCluster()
{
    if (next_ >= s_.shape.clusters()) return ~std::uint64_t{0};
    assert(left_ >= s_.shape.clusterCtas);
    left_ -= s_.shape.clusterCtas;
    s_.grids.fewer(s_.shape.clusterCtas);
    ++s_.room.eras;
    return next_++;
}

void Launcher::offer()
{
    launching_.each([&](unsigned sm) {
        std::vector<Launch>& placed = placed_[sm];
        while (!placed.empty()) {
            const Launch l = placed.front();
            if (!s_.port.launch(l)) break;
            placed.erase(placed.begin());
            start(*residents_.at(l.sm, l.cta));
        }
        if (placed.empty()) launching_.remove(sm);
    });
}

Warp& Launcher::startWarp(Cta& cta, unsigned index)
{
    const Code& code = s_.program.codes[s_.program.entry];
    Warp& w = cta.warps[index];
    w.cta = &cta;
    w.index = static_cast<std::uint8_t>(index);
    const std::uint32_t left = s_.shape.threads - index * 32;
    w.full = w.live = left >= 32 ? ~Lanes{0} : (1u << left) - 1;
    w.regs.grow(std::size_t{std::max(code.rows, 1u)} * 32);
    w.preds.resize(std::max(code.preds, 1u));
    w.localStride = code.frameBytes == 0 ? 0 : (code.frameBytes + 63) & ~63ull;
    w.local.resize(w.localStride * 32);
    Group g;
    g.lanes = w.live;
    g.code = s_.program.entry;
    g.readyAt = s_.pace != nullptr ? s_.pace->starts(s_.now()) : s_.now() + s_.ep.launch_lat;
    if (s_.pace != nullptr) s_.pace->enter(w, g.readyAt);
    w.groups.push_back(std::move(g));
    return w;
}

void Launcher::start(Cta& cta)
{
    cta.started = true;
    s_.progress.ctaMoved();
    cta.warps.resize(s_.shape.warps);
    for (unsigned i = 0; i < s_.shape.warps; ++i) {
        Warp& w = startWarp(cta, i);
        schedulers_.add(w);
        schedulers_.rouse(w, w.groups.front().readyAt);
    }
    s_.history.started(cta);
}

void Launcher::freed(const CtaFree& free)
{
    s_.progress.ctaMoved();
    Cta* cta = residents_.at(free.sm, free.cta);
    if (cta == nullptr) return;
    schedulers_.remove(*cta);
    s_.history.ended(*cta);
    Cluster* cluster = cta->cluster;
    cluster->ranks[cta->launch.rank] = nullptr;
    if (s_.pace != nullptr) s_.pace->ended(*cta);
    giveBack(cta->launch);  // and with it the CTA
    assert(left_ != 0 && cluster->left != 0);
    --left_;
    ++s_.room.frees;
    s_.progress.changed();
    if (--cluster->left != 0) return;
    if (cluster->ctas > 1) s_.room.giveCluster(networkOf(free.sm), cluster->slot);
    clusters_[cluster->index].reset();
}

std::uint64_t residentClusters(const Shape& shape) noexcept
{
    // What the machine holds at once, placed as Launcher::place does.
    const std::uint64_t byWarps = shape.has.warpSlots / shape.warps;
    const std::uint64_t bySmem =
        shape.smem == 0 ? kMaxCtas : SharedBytes::kUsablePerSm / shape.smem;
    const std::uint64_t perSm =
        std::min({byWarps, bySmem, std::uint64_t{shape.has.ctas}, std::uint64_t{shape.perSm}});
    return clustersHeld(shape.sms, perSm, shape.clusterCtas);
}

}  // namespace gsu::exec
