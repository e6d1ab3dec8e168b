/// The golden sync units of a whole system: up to 18 SMs and 64 clusters. They have state and no time: the order of the calls decides what
/// happens first. Rules D-01, D-04, D-47, D-71. Indices must be in range; a WarpRef must name a warp of a launched CTA.
#pragma once
#include <vector>

#include "golden/cluster_barrier.hpp"
#include "golden/cta_table.hpp"
#include "golden/named_barrier.hpp"
#include "golden/structure.hpp"
#include "golden/warp_join.hpp"

namespace gsu {

class GoldenUnits {
public:
    explicit GoldenUnits(unsigned sms, const Structure& structure = defaultStructure())
        : structure_(structure), sms_(sms)
    {
        for (Sm& sm : sms_) sm.named.assign(structure.ctas, NamedBarriers(structure.bars));
    }

    void route(const ClusterRoute& route) noexcept
    {
        clusters_[route.cluster % kMaxClusters].route(route);
    }
    /// Number of named barriers of a CTA.
    [[nodiscard]] unsigned bars() const noexcept { return structure_.bars; }
    [[nodiscard]] const Structure& structure() const noexcept { return structure_; }
    /// Launches a CTA. False: the slot is in use, threads or slots are out of range, or the cluster was not routed there.
    [[nodiscard]] bool launch(const Launch& launch) noexcept;
    /// Lanes exit in the CTA table. Returns true if they were the warp's last lanes. The barrier units see exits only through namedExit and
    /// clusterExit.
    bool exit(const WarpRef& at, Lanes lanes) noexcept
    {
        return table(at.sm).exit(at.cta, at.warp, lanes);
    }
    [[nodiscard]] BarMask namedExit(const WarpRef& at) noexcept { return named(at).exit(at.warp); }
    ClusterNext clusterExit(const WarpRef& at) noexcept { return part(at).exit(at.warp); }
    /// Call after an arrival or exit at the cluster barrier. Returns true if the CTA's cluster completed a generation.
    bool advance(const WarpRef& at) noexcept;
    void free(const WarpRef& at) noexcept;

    [[nodiscard]] unsigned sms() const noexcept { return static_cast<unsigned>(sms_.size()); }
    [[nodiscard]] CtaTable& table(unsigned sm) noexcept { return sms_[sm].table; }
    [[nodiscard]] const CtaEntry& cta(const WarpRef& at) const noexcept
    {
        return sms_[at.sm].table.at(at.cta);
    }
    [[nodiscard]] NamedBarriers& named(const WarpRef& at) noexcept
    {
        return sms_[at.sm].named[at.cta];
    }
    [[nodiscard]] ClusterPart& part(const WarpRef& at) noexcept
    {
        return sms_[at.sm].parts[at.cta];
    }
    /// The cluster of a CTA: its slot, or its own if it is alone (D-52).
    [[nodiscard]] Cluster& cluster(const WarpRef& at) noexcept;
    [[nodiscard]] Cluster& slot(unsigned cluster) noexcept { return clusters_[cluster]; }
    [[nodiscard]] bool gone(const WarpRef& at) noexcept;
    [[nodiscard]] WarpJoin& join(const WarpRef& at) noexcept
    {
        return sms_[at.sm].joins[slotOf(at)];
    }
    [[nodiscard]] unsigned slotOf(const WarpRef& at) const noexcept
    {
        return cta(at).launch.wbase + at.warp;
    }
    [[nodiscard]] Lanes live(const WarpRef& at) const noexcept { return cta(at).live[at.warp]; }

private:
    struct Sm {
        CtaTable table;
        std::vector<NamedBarriers> named;
        std::array<ClusterPart, kMaxCtas> parts{};
        std::array<Cluster, kMaxCtas> alone{};
        std::array<WarpJoin, kMaxWarpSlots> joins{};
    };

    Structure structure_;
    std::vector<Sm> sms_;
    std::array<Cluster, kMaxClusters> clusters_{};
};

}  // namespace gsu
