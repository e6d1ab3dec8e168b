/// CopyEngine: the TMA unit of an SM. It takes a copy, makes requests of its rows one after the other, and completes on the mbarrier when the bytes have come.
#pragma once
#include <set>

#include "exec/timing/chip_memory.hpp"
#include "exec/timing/shared_port.hpp"

namespace gsu::timing {

struct CopyRequest {
    std::span<const Run> runs;  ///< of global memory
    std::uint32_t bytes{};      ///< of shared memory, in each destination
    std::uint32_t rows{};       ///< rows of the tensor's box; 0: a bulk copy
    std::uint64_t map{};        ///< address of the tensor map
    std::uint64_t cta{};        ///< CTA that issued the copy
    std::uint32_t sharers{1};   ///< SMs that read each line at about this time, this one among them
};

struct CopyTimes {
    Ticks first{};  ///< the first bytes have been written (and told)
    Ticks read{};   ///< of a store: the last byte of the source has been read
    Ticks last{};   ///< the last one is there, or performed
    /// When byte `at` of `bytes` is there: pieces come one after the other.
    [[nodiscard]] Ticks piece(std::uint64_t at, std::uint64_t bytes) const noexcept
    {
        return bytes == 0 ? last : first + (last - first) * at / bytes;
    }
};

class CopyEngine {
public:
    explicit CopyEngine(const TimingParams& params) : p_(params) {}

    /// Global to shared memory of `ports`: the own SM's, or those of a multicast. One read of L2 serves all.
    CopyTimes load(unsigned sm, const CopyRequest& request, Ticks issued, ChipMemory& memory,
                   std::span<SharedPort* const> ports);
    /// Shared to global memory.
    CopyTimes store(unsigned sm, const CopyRequest& request, Ticks issued, ChipMemory& memory,
                    SharedPort& port);
    /// Of the busier of its two ways.
    [[nodiscard]] Ticks busy() const noexcept { return std::max(engine_.busy(), stores_.busy()); }
    void watch(Activity& activity) noexcept { engine_.watch(activity); }
    /// The CTA has ended: a later one in its place fetches its maps again (but for tma_map_kept).
    void forget(std::uint64_t cta);

private:
    [[nodiscard]] Ticks prepared(const CopyRequest& request, Ticks issued);
    [[nodiscard]] Ticks serviceOf(const CopyRequest& request) const noexcept;

    TimingParams p_;
    Server engine_, stores_;                                     ///< into the SM; out of it
    std::set<std::pair<std::uint64_t, std::uint64_t>> touched_;  ///< CTA (0: of all), map
};

}  // namespace gsu::timing
