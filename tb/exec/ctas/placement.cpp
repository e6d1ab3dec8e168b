#include "exec/ctas/placement.hpp"

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

bool Placement::placeOn(PlacedCluster& cluster, unsigned smIndex)
{
    SharedUnitResources::Sm& sm = resources_.sm(smIndex);
    if (static_cast<unsigned>(std::popcount(sm.ctaSlots)) >= shape_.perSm) return false;
    const unsigned slot = resources_.freeCta(smIndex, shape_.has.ctas);
    if (slot == SharedUnitResources::kNone) return false;
    const unsigned wbase = freeRun(sm.warpSlots, shape_.warps, shape_.has.warpSlots);
    const std::uint32_t base = shape_.smem == 0 ? 0 : freeWindow(sm.windows, shape_.smem);
    if (wbase == kNoSlot || base == kNoSlot) return false;
    const Launch launch{static_cast<std::uint8_t>(smIndex),
                        static_cast<std::uint8_t>(slot),
                        static_cast<std::uint8_t>(wbase),
                        cluster.slot,
                        static_cast<std::uint8_t>(cluster.ctas.size()),
                        static_cast<std::uint8_t>(shape_.clusterCtas),
                        static_cast<std::uint16_t>(shape_.threads),
                        base,
                        shape_.totalSmem,
                        cluster.era,
                        cluster.grid};
    cluster.ctas.push_back({launch, ++serials_});
    sm.warpSlots |= slotsOf(shape_.warps) << wbase;
    sm.ctaSlots |= 1u << slot;
    if (shape_.smem != 0) sm.windows[base] = shape_.smem;
    return true;
}

void Placement::giveBack(const Launch& launch)
{
    SharedUnitResources::Sm& sm = resources_.sm(launch.sm);
    assert((~sm.warpSlots & slotsOf(shape_.warps) << launch.wbase) == 0);
    sm.warpSlots &= ~(slotsOf(shape_.warps) << launch.wbase);
    sm.ctaSlots &= ~(1u << launch.cta);
    if (shape_.smem != 0) sm.windows.erase(launch.base);
}

bool Placement::placeCta(PlacedCluster& cluster, unsigned network,
                         const std::array<unsigned, kMaxSms>& used)
{
    const unsigned first = shape_.chip().firstOf(network);
    std::vector<unsigned> order(shape_.chip().smsOf(network));
    for (unsigned i = 0; i < order.size(); ++i) order[i] = first + i;
    // Different SMs where there are enough, then the emptiest.
    const auto load = [&](unsigned i) {
        return used[i - first] * 1000u +
               static_cast<unsigned>(std::popcount(resources_.sm(i).warpSlots));
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](unsigned a, unsigned b) { return load(a) < load(b); });
    return std::any_of(order.begin(), order.end(), [&](unsigned i) { return placeOn(cluster, i); });
}

/// The least full network for its size goes first: clusters go to the networks in turn, and no SM gets a second CTA while others have none.
std::vector<unsigned> Placement::networkOrder() const
{
    const ChipLayout chip = shape_.chip();
    std::vector<unsigned> order(chip.networks()), warps(order.size());
    for (unsigned i = 0; i < shape_.sms; ++i)
        warps[chip.networkOf(i)] +=
            static_cast<unsigned>(std::popcount(resources_.sm(i).warpSlots));
    for (unsigned n = 0; n < order.size(); ++n) order[n] = n;
    std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) {
        return warps[a] * chip.smsOf(b) < warps[b] * chip.smsOf(a);
    });
    return order;
}

bool Placement::placeIn(unsigned network, PlacedCluster& cluster)
{
    // Clusters of one CTA use no network, hence no cluster slot of it.
    const unsigned slot = shape_.clusterCtas > 1 ? resources_.freeCluster(network) : 0;
    if (slot == SharedUnitResources::kNone) return false;
    cluster.slot = static_cast<std::uint8_t>(slot);
    std::array<unsigned, kMaxSms> used{};
    while (cluster.ctas.size() < shape_.clusterCtas) {
        if (!placeCta(cluster, network, used)) {
            for (const PlacedCluster::Place& undo : cluster.ctas) giveBack(undo.launch);
            cluster.ctas.clear();
            return false;
        }
        ++used[cluster.ctas.back().launch.sm - shape_.chip().firstOf(network)];
    }
    if (shape_.clusterCtas > 1) resources_.takeCluster(network, slot);
    return true;
}

namespace {

/// Waves of a grid on a part of a chip: SMs get clusters in turn, wave by wave; these go to the simulated SMs.
struct Waves {
    Waves(const Shape& shape, unsigned part) noexcept
        : wave(clustersSideBySide(part, shape.clusterCtas)),
          simulated(std::max(1u, shape.sms / shape.clusterCtas))
    {
    }
    std::uint64_t wave, simulated;  ///< clusters, and the first of them
};

}  // namespace

bool Placement::simulated(std::uint64_t cluster) const noexcept
{
    return part_ == 0 || partOf(shape_, part_, cluster) == 0;
}

std::uint64_t Placement::partOf(const Shape& shape, unsigned part, std::uint64_t cluster) noexcept
{
    const Waves waves(shape, part);
    return cluster % waves.wave / waves.simulated;
}

std::uint64_t Placement::heldBy(const Shape& shape, unsigned sms) noexcept
{
    Shape all = shape;
    all.sms = sms;
    return residentClusters(all) * shape.clusterCtas;
}

std::uint64_t Placement::simulatedOf(const Shape& shape, unsigned part) noexcept
{
    const std::uint64_t all = shape.clusters();
    if (part == 0) return all;
    const Waves waves(shape, part);
    return all / waves.wave * std::min(waves.simulated, waves.wave) +
           std::min(all % waves.wave, waves.simulated);
}

std::optional<PlacedCluster> Placement::next(std::uint8_t grid)
{
    if (blocked_ == resources_.frees) return std::nullopt;
    for (; next_ < shape_.clusters() && !simulated(next_); ++next_) ++passed_;
    if (next_ == shape_.clusters()) return std::nullopt;
    const std::uint64_t gx = shape_.grid[0] / shape_.cluster[0],
                        gy = shape_.grid[1] / shape_.cluster[1];
    PlacedCluster cluster;
    cluster.era = static_cast<std::uint8_t>(resources_.eras);
    cluster.grid = grid;
    cluster.id = {static_cast<std::uint32_t>(next_ % gx),
                  static_cast<std::uint32_t>(next_ / gx % gy),
                  static_cast<std::uint32_t>(next_ / (gx * gy))};
    const std::vector<unsigned> order = networkOrder();
    if (std::none_of(order.begin(), order.end(), [&](unsigned n) { return placeIn(n, cluster); })) {
        blocked_ = resources_.frees;
        return std::nullopt;
    }
    ++next_, ++resources_.eras;
    return cluster;
}

std::uint64_t Placement::take()
{
    if (next_ >= shape_.clusters()) return ~std::uint64_t{0};
    ++resources_.eras;
    return next_++;
}

void Placement::freed(const Launch& launch)
{
    giveBack(launch);
    ++resources_.frees;
}

void Placement::clusterFreed(unsigned sm, unsigned slot)
{
    if (shape_.clusterCtas > 1) resources_.giveCluster(shape_.chip().networkOf(sm), slot);
}

}  // namespace gsu::exec
