#include "golden/golden_units.hpp"

namespace gsu {

bool GoldenUnits::launch(const Launch& launch) noexcept
{
    if (launch.sm >= sms_.size() || launch.cta >= structure_.ctas) return false;
    if (launch.wbase + warpsOf(launch.threads) > structure_.warpSlots) return false;
    const WarpRef at{launch.sm, launch.cta, 0};
    if (launch.ctas > 1) {
        if (launch.cluster >= kMaxClusters || launch.rank >= launch.ctas) return false;
        const Cluster& cluster = clusters_[launch.cluster];
        const Cluster::Member& member = cluster.member(launch.rank);
        if (cluster.ctas() != launch.ctas || member.launched) return false;
        if (member.sm != launch.sm || member.cta != launch.cta) return false;
    }
    if (!table(launch.sm).launch(launch)) return false;
    const unsigned warps = cta(at).warps();
    named(at).launch(warps);
    part(at).launch(warps);
    for (unsigned w = 0; w < warps; ++w)
        join({launch.sm, launch.cta, static_cast<std::uint8_t>(w)}).clear();
    if (launch.ctas == 1) cluster(at).route({0, 0, launch.sm, launch.cta, 1});
    cluster(at).launched(launch.ctas == 1 ? 0 : launch.rank);
    return true;
}

Cluster& GoldenUnits::cluster(const WarpRef& at) noexcept
{
    const Launch& launch = cta(at).launch;
    return launch.ctas > 1 ? clusters_[launch.cluster] : sms_[at.sm].alone[at.cta];
}

bool GoldenUnits::advance(const WarpRef& at) noexcept
{
    return cluster(at).advance(
        [this](unsigned sm, unsigned cta) -> const ClusterPart& { return sms_[sm].parts[cta]; });
}

bool GoldenUnits::gone(const WarpRef& at) noexcept
{
    return cluster(at).gone(
        [this](unsigned sm, unsigned cta) -> const ClusterPart& { return sms_[sm].parts[cta]; });
}

void GoldenUnits::free(const WarpRef& at) noexcept
{
    const Launch& launch = cta(at).launch;
    cluster(at).freed(launch.ctas == 1 ? 0 : launch.rank);
    table(at.sm).free(at.cta);
}

}  // namespace gsu
