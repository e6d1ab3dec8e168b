/// ClusterLinks: the links between the shared memories of a cluster; each SM has one out and one in. Requests, acknowledgements and headers use bandwidth, too.
#pragma once
#include <vector>

#include "exec/timing/timetable.hpp"
#include "exec/timing/timing_params.hpp"

namespace gsu::timing {

class ClusterLinks {
public:
    ClusterLinks(const TimingParams& params, unsigned sms) : p_(params), out_(sms), in_(sms) {}

    /// A warp of `from` loads `bytes` from `owner`, or does an atomic there; when it has them.
    Ticks load(unsigned from, unsigned owner, Ticks ready, std::uint64_t bytes) noexcept;
    /// A warp's store; when it is performed.
    Ticks store(unsigned from, unsigned owner, Ticks ready, std::uint64_t bytes) noexcept;
    /// A bulk copy from shared to shared memory; when its last byte is there.
    Ticks copy(unsigned from, unsigned owner, Ticks ready, std::uint64_t bytes) noexcept;
    /// Out and in of an SM together.
    [[nodiscard]] Ticks busy(unsigned sm) const noexcept
    {
        return out_[sm].busy() + in_[sm].busy();
    }

private:
    static constexpr std::uint64_t kPacket = 128;
    Span send(unsigned from, unsigned to, Ticks ready, std::uint64_t bytes) noexcept;
    [[nodiscard]] Ticks hop() const noexcept { return ticksOf(p_.dsm_lat) / 2; }
    [[nodiscard]] Ticks firstPacket(std::uint64_t bytes, std::uint64_t header) const noexcept;

    TimingParams p_;
    std::vector<Timetable> out_, in_;
};

}  // namespace gsu::timing
