/// A number for each launched cluster, the same for all its CTAs, in whatever order they start.
#pragma once
#include <vector>

#include "golden/chip_layout.hpp"

namespace gsu {

class ClusterNames {
public:
    explicit ClusterNames(ChipLayout chip) : chip_(chip), slots_(chip.clusterSlots()) {}
    /// The number of the cluster of this CTA, which starts. Numbers count from 0, in the order of first launches; a CTA without a cluster
    /// has a number of its own.
    std::uint32_t of(const Launch& launch) noexcept
    {
        if (launch.ctas <= 1) return names_++;
        // A slot is not reused before all CTAs of its cluster have started.
        Slot& slot = slots_[chip_.clusterOf(launch.sm, launch.cluster)];
        if (slot.missing == 0) slot = {names_++, launch.ctas};
        --slot.missing;
        return slot.name;
    }

private:
    struct Slot {
        std::uint32_t name{};
        unsigned missing{};  ///< CTAs that have not started
    };
    ChipLayout chip_;
    std::uint32_t names_{};
    std::vector<Slot> slots_;
};

}  // namespace gsu
