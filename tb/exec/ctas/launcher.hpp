/// Launches the CTAs of a grid on the SMs: gives placed CTAs to the port, starts their warps, and removes them when they have ended.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "exec/ctas/placement.hpp"
#include "exec/ctas/schedulers.hpp"
#include "exec/storage/global_memory.hpp"
#include "exec/warps/residents.hpp"

namespace gsu::exec {

class Launcher {
public:
    /// All arguments must outlive it; `shared` is zeroed where a CTA is placed.
    Launcher(RunState& state, Residents& residents, SharedBytes& shared, Schedulers& schedulers);

    /// Places clusters, in order, as long as they fit. In a run of some SMs the owner of the placement does this.
    void place();
    /// Takes a placed cluster: its CTAs are offered to the port.
    void accept(const PlacedCluster& placed);
    /// Gives placed CTAs to the port, which may take some of them only in later cycles; those that it takes start.
    void offer();
    /// True if a placed CTA has not been taken by the port.
    [[nodiscard]] bool offering() const noexcept { return launching_.any(); }
    /// The port has freed the slot of a CTA.
    void freed(const CtaFree& free);
    /// A freed place, in a run of some SMs.
    struct Freed {
        Launch launch;
        bool last{};  ///< last CTA of its cluster
    };
    /// The places freed since the last call.
    [[nodiscard]] std::vector<Freed> takeFreed() { return std::exchange(freed_, {}); }
    [[nodiscard]] bool hasFreed() const noexcept { return !freed_.empty(); }
    /// Takes the next unplaced cluster away from the grid; all ones if there is none.
    [[nodiscard]] std::uint64_t takeCluster();
    /// CTAs of the grid that were never started.
    [[nodiscard]] std::uint64_t unplaced() const noexcept
    {
        return own_ ? own_->left() * s_.shape.clusterCtas : 0;
    }
    /// True once no cluster of the grid needs a route to the network any more.
    [[nodiscard]] bool routed() const noexcept
    {
        return s_.shape.clusterCtas == 1 || (own_ && own_->left() == 0);
    }
    /// CTAs that have not ended: of the grid or, in a run of some SMs, of those placed there.
    [[nodiscard]] std::uint64_t left() const noexcept { return left_; }

private:
    [[nodiscard]] std::unique_ptr<Cta> newCta();
    void makeCta(Cluster& cluster, unsigned rank, const PlacedCluster::Place& place);
    void without(std::uint64_t clusters);
    void tellPlace(const Cta& cta) const;
    void start(Cta& cta);
    [[nodiscard]] Warp& startWarp(Cta& cta, unsigned index);

    RunState& s_;
    Residents& residents_;
    SharedBytes& shared_;
    Schedulers& schedulers_;
    std::optional<Placement> own_;  ///< none: in a run of some SMs
    std::vector<Freed> freed_;
    std::vector<std::vector<Launch>> placed_;         ///< per SM: not yet taken by the port
    std::vector<std::unique_ptr<Cluster>> clusters_;  ///< by slot
    std::vector<std::unique_ptr<Cta>> ended_;         ///< their memory serves later ones
    SmSet launching_;                                 ///< SMs with something in `placed_`
    std::uint64_t left_;
};

}  // namespace gsu::exec
