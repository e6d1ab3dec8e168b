/// Resources that launches share when they run at the same time on one unit: the slots and the shared memory of its SMs, tags, cluster and
/// grid slots. A launch with a unit of its own has an object of its own.
#pragma once
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "exec/state/ring.hpp"
#include "exec/state/tensor_memory_of_sm.hpp"
#include "exec/storage/global_memory.hpp"
#include "golden/chip_layout.hpp"

namespace gsu::exec {

class SharedUnitResources {
public:
    struct Sm {
        std::uint64_t warpSlots{};                       ///< warp slots in use
        std::uint32_t ctaSlots{};                        ///< CTA slots in use
        std::map<std::uint32_t, std::uint32_t> windows;  ///< shared memory in use: base -> size
        Ring<std::uint16_t> freeTags;  ///< oldest first: a late commit still finds its line
        std::uint16_t tags{};          ///< number of tags that have ever been used: 0 and up
        /// tensor memory of the SM, once a launch uses it
        std::unique_ptr<TensorMemoryOfSm> tensor;
    };
    static constexpr unsigned kNone = ~0u;

    explicit SharedUnitResources(unsigned sms)
        : shared(sms), chip_(sms), sms_(sms), clusters_(chip_.networks())
    {
    }
    SharedUnitResources(const SharedUnitResources&) = delete;
    SharedUnitResources& operator=(const SharedUnitResources&) = delete;

    [[nodiscard]] Sm& sm(unsigned index) noexcept { return sms_[index]; }
    [[nodiscard]] unsigned sms() const noexcept { return static_cast<unsigned>(sms_.size()); }

    /// The first free CTA slot of an SM with this many; kNone: all are in use.
    [[nodiscard]] unsigned freeCta(unsigned sm, unsigned slots) const noexcept
    {
        const auto slot = static_cast<unsigned>(std::countr_one(sms_[sm].ctaSlots));
        return slot < slots ? slot : kNone;
    }
    [[nodiscard]] const ChipLayout& chip() const noexcept { return chip_; }
    [[nodiscard]] unsigned networks() const noexcept
    {
        return static_cast<unsigned>(clusters_.size());
    }
    /// The first free cluster slot of a network; kNone: all are in use.
    [[nodiscard]] unsigned freeCluster(unsigned network) const noexcept
    {
        const auto slot = static_cast<unsigned>(std::countr_one(clusters_[network]));
        return slot < kMaxClusters ? slot : kNone;
    }
    void takeCluster(unsigned network, unsigned slot) noexcept
    {
        clusters_[network] |= std::uint64_t{1} << slot;
    }
    void giveCluster(unsigned network, unsigned slot) noexcept
    {
        clusters_[network] &= ~(std::uint64_t{1} << slot);
    }
    /// A free slot of the grid table, 1 and up; 0: all are in use.
    [[nodiscard]] std::uint8_t freeGrid() const noexcept
    {
        const auto slot = static_cast<unsigned>(std::countr_one(grids_));
        const unsigned slots = networks() > 1 ? kChipGrids : kMaxGrids;
        return static_cast<std::uint8_t>(slot < slots ? slot : 0);
    }
    void takeGrid(unsigned slot) noexcept { grids_ |= 1u << slot; }
    void giveGrid(unsigned slot) noexcept { grids_ &= ~(1u << slot); }

    /// Number of clusters so far, including cancelled ones: successive clusters in a slot have different eras.
    std::uint64_t eras{};
    /// Number of CTAs freed so far: after a change a cluster that did not fit may fit.
    std::uint64_t frees{};
    /// Number of freed columns of tensor memory so far: after a change waiting allocs may be granted.
    std::atomic<std::uint64_t> columnsFreed{};  // parts of a launch may run in parallel
    /// For each launch: whether data of this ChipLayout::packetName() are still to be delivered.
    std::vector<std::function<bool(std::uint32_t)>> packets;
    SharedBytes shared;

private:
    ChipLayout chip_;
    std::vector<Sm> sms_;
    static_assert(kMaxClusters <= 64 && kMaxGrids <= 32 && kMaxCtas <= 32);
    std::vector<std::uint64_t> clusters_;  ///< cluster slots in use, by network
    std::uint32_t grids_{1};               ///< slot 0 names no grid
};

}  // namespace gsu::exec
