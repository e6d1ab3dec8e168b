// Placement of clusters and CTAs on SMs, their start, and what is resident at most.
#include <algorithm>
#include <bit>

#include "exec/machine/machine.hpp"

namespace gsu::exec {
namespace {

constexpr unsigned kNoSlot = ~0u;

unsigned freeRun(std::uint64_t used, unsigned length)
{
    const std::uint64_t run = length >= 64 ? ~0ull : (1ull << length) - 1;
    for (unsigned at = 0; at + length <= kMaxWarpSlots; ++at) {
        if ((used & run << at) == 0) return at;
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

std::unique_ptr<Cta> Machine::makeCta(Cluster& cluster, unsigned rank, unsigned smIndex)
{
    Sm& sm = sms[smIndex];
    const auto slot =
        static_cast<unsigned>(std::find(sm.ctas.begin(), sm.ctas.end(), nullptr) - sm.ctas.begin());
    if (slot == kMaxCtas) return nullptr;
    const unsigned wbase = freeRun(sm.warpSlots, shape.warps);
    const std::uint32_t base = shape.smem == 0 ? 0 : freeWindow(sm.windows, shape.smem);
    if (wbase == kNoSlot || base == kNoSlot) return nullptr;
    auto cta = std::make_unique<Cta>();
    cta->cluster = &cluster;
    cta->serial = ++serials;
    cta->launch = {static_cast<std::uint8_t>(smIndex),
                   static_cast<std::uint8_t>(slot),
                   static_cast<std::uint8_t>(wbase),
                   cluster.slot,
                   static_cast<std::uint8_t>(rank),
                   cluster.ctas,
                   static_cast<std::uint16_t>(shape.threads),
                   base,
                   shape.totalSmem};
    const auto& c = shape.cluster;
    const std::array<std::uint32_t, 3> in{rank % c[0], rank / c[0] % c[1], rank / (c[0] * c[1])};
    for (unsigned d = 0; d < 3; ++d) cta->id[d] = cluster.id[d] * c[d] + in[d];
    cta->linear = (cta->id[2] * shape.grid[1] + cta->id[1]) * shape.grid[0] + cta->id[0];
    cta->liveWarps = shape.warps;
    // Shared memory starts undefined; zeros keep runs repeatable. Peers may write it before the CTA's first instruction.
    if (shape.smem != 0) std::memset(shared->at(smIndex, base), 0, shape.smem);
    sm.warpSlots |= (shape.warps >= 64 ? ~0ull : (1ull << shape.warps) - 1) << wbase;
    if (shape.smem != 0) sm.windows[base] = shape.smem;
    return cta;
}

bool Machine::placeCluster()
{
    auto slot = static_cast<std::size_t>(std::find(clusters.begin(), clusters.end(), nullptr) -
                                         clusters.begin());
    const std::size_t limit =
        shape.clusterCtas > 1 ? kMaxClusters : std::size_t{kMaxSms} * kMaxCtas;
    if (slot >= limit) return false;
    auto cluster = std::make_unique<Cluster>();
    // Clusters of one CTA use no network, hence no cluster slot of it.
    cluster->slot = static_cast<std::uint8_t>(shape.clusterCtas > 1 ? slot : 0);
    cluster->index = static_cast<std::uint32_t>(slot);
    cluster->ctas = static_cast<std::uint8_t>(shape.clusterCtas);
    cluster->left = shape.clusterCtas;
    const std::uint64_t gx = shape.grid[0] / shape.cluster[0],
                        gy = shape.grid[1] / shape.cluster[1];
    cluster->id = {static_cast<std::uint32_t>(nextCluster % gx),
                   static_cast<std::uint32_t>(nextCluster / gx % gy),
                   static_cast<std::uint32_t>(nextCluster / (gx * gy))};
    std::vector<std::unique_ptr<Cta>> made;
    std::vector<unsigned> used(smCount);
    for (unsigned rank = 0; rank < shape.clusterCtas; ++rank) {
        std::vector<unsigned> order(smCount);
        for (unsigned i = 0; i < smCount; ++i) order[i] = i;
        // Different SMs where there are enough, then the emptiest.
        const auto load = [&](unsigned i) {
            return used[i] * 1000u + static_cast<unsigned>(__builtin_popcountll(sms[i].warpSlots));
        };
        std::stable_sort(order.begin(), order.end(),
                         [&](unsigned a, unsigned b) { return load(a) < load(b); });
        std::unique_ptr<Cta> cta;
        for (const unsigned i : order) {
            cta = makeCta(*cluster, rank, i);
            if (cta != nullptr) break;
        }
        if (cta == nullptr) {
            for (const auto& undo : made) {
                Sm& sm = sms[undo->launch.sm];
                sm.warpSlots &= ~((shape.warps >= 64 ? ~0ull : (1ull << shape.warps) - 1)
                                  << undo->launch.wbase);
                if (shape.smem != 0) sm.windows.erase(undo->launch.base);
                sm.ctas[undo->launch.cta].reset();
            }
            return false;
        }
        ++used[cta->launch.sm];
        cluster->ranks[rank] = cta.get();
        // The slot must be taken before the next rank is placed; ownership stays there.
        const Launch& l = cta->launch;
        made.push_back(std::make_unique<Cta>());
        made.back()->launch = l;
        sms[l.sm].ctas[l.cta] = std::move(cta);
    }
    for (const auto& m : made) {
        if (shape.clusterCtas > 1) {
            const ClusterRoute route{m->launch.cluster, m->launch.rank, m->launch.sm, m->launch.cta,
                                     m->launch.ctas};
            port->route(route);
            inputGiven = true;
            for (ExecObserver* o : observers) o->onRoute(now, route);
        }
    }
    for (const auto& m : made) {
        sms[m->launch.sm].launching.push_back(m->launch);
        launching |= 1u << m->launch.sm;
    }
    if (slot == clusters.size()) clusters.emplace_back();
    clusters[slot] = std::move(cluster);
    ++nextCluster;
    return true;
}

void Machine::launchMore()
{
    while (nextCluster < clusterTotal && !launchBlocked) {
        if (!placeCluster()) launchBlocked = true;  // until a CTA is freed
    }
}

std::uint64_t Machine::takeCluster()
{
    if (nextCluster >= clusterTotal) return ~std::uint64_t{0};
    ctasLeft -= shape.clusterCtas;
    return nextCluster++;
}

void Machine::offerLaunches()
{
    for (std::uint32_t rest = launching; rest != 0; rest &= rest - 1) {
        Sm& sm = sms[unsigned(std::countr_zero(rest))];
        while (!sm.launching.empty()) {
            const Launch l = sm.launching.front();
            if (!port->launch(l)) {
                break;
            }
            inputGiven = true;
            sm.launching.erase(sm.launching.begin());
            startCta(*sm.ctas[l.cta]);
        }
        if (sm.launching.empty()) launching &= ~(rest & (~rest + 1));
    }
}

void Machine::startCta(Cta& cta)
{
    const Code& code = program.codes[program.entry];
    cta.started = true;
    ctaFrom = work();
    cta.warps.resize(shape.warps);
    for (unsigned i = 0; i < shape.warps; ++i) {
        Warp& w = cta.warps[i];
        w.cta = &cta;
        w.index = static_cast<std::uint8_t>(i);
        const std::uint32_t left = shape.threads - i * 32;
        w.full = w.live = left >= 32 ? ~Lanes{0} : (1u << left) - 1;
        w.regs.resize(std::size_t{std::max(code.rows, 1u)} * 32);
        w.preds.resize(std::max(code.preds, 1u));
        w.localStride = code.frameBytes == 0 ? 0 : (code.frameBytes + 63) & ~63ull;
        w.local.resize(w.localStride * 32);
        Group g;
        g.lanes = w.live;
        g.code = program.entry;
        g.readyAt = now + ep.launch_lat;
        rouse(w, g.readyAt);
        w.groups.push_back(std::move(g));
        sms[cta.launch.sm].schedulers[i % 4].warps.push_back(&w);
    }
    CtaPlace place;
    place.linear = cta.linear;
    for (unsigned d = 0; d < 3; ++d) place.id[d] = cta.id[d];
    place.launch = cta.launch;
    for (ExecObserver* o : observers) o->onLaunch(now, place);
}

std::uint64_t Machine::residentClusters() const
{
    // What the machine holds at once, placed as placeCluster does.
    const std::uint64_t byWarps = kMaxWarpSlots / shape.warps;
    const std::uint64_t bySmem =
        shape.smem == 0 ? kMaxCtas : SharedBytes::kUsablePerSm / shape.smem;
    const std::uint64_t perSm = std::min({byWarps, bySmem, std::uint64_t{kMaxCtas}});
    const std::uint64_t all = perSm * smCount / shape.clusterCtas;
    return shape.clusterCtas > 1 ? std::min<std::uint64_t>(all, kMaxClusters) : all;
}

}  // namespace gsu::exec
