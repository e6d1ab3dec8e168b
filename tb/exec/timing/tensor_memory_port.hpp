/// TensorMemoryPort: the paths between tensor memory and the registers of an SM. Each quarter of the lanes has a path of its own, for the warps of one
/// scheduler: tcgen05.ld and st of a quarter follow each other on it.
#pragma once
#include <array>

#include "exec/timing/server.hpp"
#include "exec/timing/timing_params.hpp"

namespace gsu::timing {

class TensorMemoryPort {
public:
    static constexpr unsigned kQuarters = 4;

    explicit TensorMemoryPort(const TimingParams& params)
        : rate_(std::uint64_t{params.tmem_bytes} * 1000), latency_(ticksOf(params.tmem_lat))
    {
    }
    /// A warp's move of `bytes`: when they are in its registers, or in tensor memory.
    Ticks move(unsigned quarter, std::uint64_t bytes, Ticks issued) noexcept
    {
        return ways_[quarter % kQuarters].take(issued, timeFor(bytes, rate_)).end + latency_;
    }
    /// The mean of the quarters.
    [[nodiscard]] Ticks busy() const noexcept
    {
        Ticks sum = 0;
        for (const Server& way : ways_) sum += way.busy();
        return sum / kQuarters;
    }

private:
    std::uint64_t rate_;  ///< in a thousand clocks
    Ticks latency_;
    std::array<Server, kQuarters> ways_;
};

}  // namespace gsu::timing
