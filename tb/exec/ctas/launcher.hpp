/// The grid on the SMs: places clusters, offers their CTAs to the port, starts their warps, takes them off again.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "exec/ctas/schedulers.hpp"
#include "exec/storage/global_memory.hpp"
#include "exec/warps/residents.hpp"

namespace gsu::exec {

class Launcher {
public:
    /// All must outlive it; `shared` is zeroed where a CTA is placed.
    Launcher(RunState& state, Residents& residents, SharedBytes& shared, Schedulers& schedulers);

    /// Places clusters, in order, for as long as they fit.
    void place();
    /// Gives what is placed to the port, which may take some of it only in later cycles; what it takes starts.
    void offer();
    /// Something is placed and not yet taken by the port.
    [[nodiscard]] bool offering() const noexcept { return launching_.any(); }
    /// The port has freed the slot of a CTA.
    void freed(const CtaFree& free);
    /// The next cluster not yet placed, taken away from the grid; all ones when there is none.
    [[nodiscard]] std::uint64_t takeCluster();
    /// CTAs of the grid that were never started.
    [[nodiscard]] std::uint64_t unplaced() const noexcept
    {
        return (s_.shape.clusters() - next_) * s_.shape.clusterCtas;
    }
    /// CTAs of the grid that have not ended.
    [[nodiscard]] std::uint64_t left() const noexcept { return left_; }

private:
    [[nodiscard]] bool simulated(std::uint64_t cluster) const noexcept;
    void passOver();
    [[nodiscard]] bool placeCluster();
    /// Networks in the order in which they are asked for the next cluster.
    [[nodiscard]] std::vector<unsigned> networkOrder() const;
    [[nodiscard]] bool placeClusterIn(unsigned network);
    [[nodiscard]] std::unique_ptr<Cluster> makeCluster(std::size_t slot, unsigned ofNetwork) const;
    /// The CTA of a rank on the emptiest SM of the network of those that have the fewest of the cluster; nullptr: it fits nowhere.
    [[nodiscard]] Cta* placeCta(Cluster& cluster, unsigned rank, unsigned network,
                                const std::array<unsigned, kMaxSms>& used);
    [[nodiscard]] std::unique_ptr<Cta> makeCta(Cluster& cluster, unsigned rank, unsigned sm);
    void giveBack(const Launch& launch);
    void tellPlace(const Cta& cta) const;
    void start(Cta& cta);
    [[nodiscard]] Warp& startWarp(Cta& cta, unsigned index);

    RunState& s_;
    Residents& residents_;
    SharedBytes& shared_;
    Schedulers& schedulers_;
    std::vector<std::vector<Launch>> placed_;         ///< per SM: not yet taken by the port
    std::vector<std::unique_ptr<Cluster>> clusters_;  ///< by slot
    SmSet launching_;                                 ///< SMs with something in `placed_`
    std::uint64_t serials_{};
    std::uint64_t next_{};  ///< cluster, in launch order
    std::uint64_t left_;
    /// UnitRoom::frees when something did not fit: it may once another CTA is freed.
    std::optional<std::uint64_t> blocked_;
};

}  // namespace gsu::exec
