/// Places the clusters of a grid: in launch order on the SMs that have space, whichever thread executes them.
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "exec/launch/shape.hpp"
#include "exec/state/shared_unit_resources.hpp"

namespace gsu::exec {

/// A cluster with the places of its CTAs.
struct PlacedCluster {
    struct Place {
        Launch launch;
        std::uint64_t serial{};  ///< serial number of the CTA, unique
    };
    std::array<std::uint32_t, 3> id{};
    std::uint8_t slot{}, era{}, grid{};  ///< as in Launch
    std::vector<Place> ctas;             ///< by rank
};

class Placement {
public:
    /// `part`: the SMs are some of this many (ExecParams::of), 0: they are all. Both arguments outlive it.
    Placement(const Shape& shape, SharedUnitResources& resources, unsigned part) noexcept
        : shape_(shape), resources_(resources), part_(part)
    {
    }

    /// Places the next simulated cluster. Nothing: all are placed, or it fits nowhere until a CTA is freed.
    [[nodiscard]] std::optional<PlacedCluster> next(std::uint8_t grid);
    /// Number of clusters since the last call that run on SMs that are not simulated.
    [[nodiscard]] std::uint64_t takePassed() noexcept { return std::exchange(passed_, 0); }
    /// Takes the next unplaced cluster away from the grid; all ones if there is none.
    [[nodiscard]] std::uint64_t take();
    /// Frees the place of a CTA.
    void freed(const Launch& launch);
    /// Frees the slot of a cluster, after its last CTA.
    void clusterFreed(unsigned sm, unsigned slot);
    /// Number of simulated clusters of the grid; `part` as above.
    [[nodiscard]] static std::uint64_t simulatedOf(const Shape& shape, unsigned part) noexcept;
    /// The part of a chip of `part` SMs on which a cluster runs, 0 being the simulated SMs; each part has as many SMs as they are.
    [[nodiscard]] static std::uint64_t partOf(const Shape& shape, unsigned part,
                                              std::uint64_t cluster) noexcept;
    /// CTAs that `sms` SMs like these hold at once.
    [[nodiscard]] static std::uint64_t heldBy(const Shape& shape, unsigned sms) noexcept;
    /// Clusters that were not placed.
    [[nodiscard]] std::uint64_t left() const noexcept { return shape_.clusters() - next_; }

private:
    [[nodiscard]] bool simulated(std::uint64_t cluster) const noexcept;
    /// The networks in the order in which they are tried for the next cluster.
    [[nodiscard]] std::vector<unsigned> networkOrder() const;
    [[nodiscard]] bool placeIn(unsigned network, PlacedCluster& cluster);
    /// Places the CTA of a rank on the emptiest SM of the network among those with the fewest CTAs of the cluster. False: it fits nowhere.
    [[nodiscard]] bool placeCta(PlacedCluster& cluster, unsigned network,
                                const std::array<unsigned, kMaxSms>& used);
    [[nodiscard]] bool placeOn(PlacedCluster& cluster, unsigned sm);
    void giveBack(const Launch& launch);

    const Shape& shape_;
    SharedUnitResources& resources_;
    unsigned part_;
    std::uint64_t serials_{};
    std::uint64_t next_{};    ///< next cluster, in launch order
    std::uint64_t passed_{};  ///< clusters before it that are not simulated
    /// SharedUnitResources::frees when a cluster did not fit: it may fit once another CTA is freed.
    std::optional<std::uint64_t> blocked_;
};

}  // namespace gsu::exec
