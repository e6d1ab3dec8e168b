#include "observers/cluster_map.hpp"

#include "golden/op_traits.hpp"

namespace gsu {

void ClusterMap::route(const ClusterRoute& r)
{
    const std::size_t cluster = chip_.clusterOf(r.sm, r.cluster);
    if (cluster < ranks_.size()) ranks_[cluster][r.rank % kMaxRanks] = {r.sm, r.cta, 0};
}

void ClusterMap::launch(const Launch& launch)
{
    const std::size_t index = std::size_t{launch.sm} * kMaxCtas + launch.cta;
    if (index < slots_.size()) slots_[index] = {launch, true};
}

const Launch* ClusterMap::at(unsigned sm, unsigned cta) const noexcept
{
    const std::size_t index = std::size_t{sm} * kMaxCtas + cta;
    return index < slots_.size() && slots_[index].used ? &slots_[index].launch : nullptr;
}

WarpRef ClusterMap::owner(WarpRef from, std::uint32_t address) const noexcept
{
    const Launch* own = at(from.sm, from.cta);
    const std::uint32_t rank = clusterRank(address);
    if (own == nullptr || own->ctas <= 1 || rank == own->rank || rank >= own->ctas)
        return {from.sm, from.cta, 0};
    return ranks_[chip_.clusterOf(from.sm, own->cluster)][rank % kMaxRanks];
}

std::uint64_t ClusterMap::keyOf(WarpRef owner, std::uint8_t warp, std::uint16_t tag,
                                std::uint32_t address) noexcept
{
    return std::uint64_t{owner.sm} << 48 | std::uint64_t{owner.cta} << 42 |
           std::uint64_t{warp & 0x1fu} << 36 | std::uint64_t{tag & 0xfffu} << 24 |
           clusterOffset(address);
}

void ClusterMap::request(Cycle now, const SyncRequest& r)
{
    if (!hasRemoteForm(r.op) || isAtomic(r.op)) return;
    for (Lanes rest = r.lanes; rest != 0;) {
        const std::uint32_t address = r.addr[std::size_t(__builtin_ctz(rest))];
        Lanes same = 0;
        for (Lanes l = rest; l != 0; l &= l - 1) {
            if (r.addr[std::size_t(__builtin_ctz(l))] == address) same |= l & (~l + 1);
        }
        rest &= ~same;
        const WarpRef to = owner(r.at, address);
        if (to.sm == r.at.sm && to.cta == r.at.cta) continue;
        sent_[keyOf(to, r.at.warp, r.tag, address)].push_back({{r.at, now}, same});
    }
}

std::optional<ClusterMap::Origin> ClusterMap::take(const Commit& c)
{
    const auto found = sent_.find(keyOf({c.at.sm, c.at.cta, 0}, c.at.warp, c.tag, c.object));
    if (found == sent_.end()) return std::nullopt;
    auto& queue = found->second;
    for (std::size_t i = 0; i < queue.size(); ++i) {
        if ((queue[i].lanes & c.lanes) != c.lanes) continue;
        const Origin origin = queue[i].origin;
        queue[i].lanes &= ~c.lanes;
        if (queue[i].lanes == 0) queue.erase(queue.begin() + std::ptrdiff_t(i));
        if (queue.empty()) sent_.erase(found);
        return origin;
    }
    return std::nullopt;
}

}  // namespace gsu
