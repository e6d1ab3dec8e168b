/// SharedPort: the port of an SM's shared memory, 128 bytes a clock. Loads and stores of warps go before the bytes of copies, and in turn with
/// operands of products.
#pragma once
#include <array>

#include "exec/timing/priority_server.hpp"

namespace gsu::timing {

/// Addresses of a warp's access, valid where `lanes` has a bit.
struct LaneAccess {
    std::array<std::uint64_t, 32> address{};
    Lanes lanes{};
    unsigned bytes{4};  ///< of each lane: 1, 2, 4, 8 or 16
};

/// Of a load of 8 or 16 bytes, lanes that want the same bytes as their neighbour are served together.
enum class Pairs : std::uint8_t { Apart, Together };
/// Clocks of the port that an access takes: 32 banks of 4 bytes; lanes that want the same word share it. Accesses of 8 bytes go by half warps, of 16 by
/// quarters; so do the rows of ldmatrix, 16 bytes at the addresses of 8 lanes. A wavefront returns 128 bytes. Where lanes come in pairs, two share what it
/// returns to them, and the group is twice as large.
[[nodiscard]] unsigned wavefronts(const LaneAccess& access, Pairs pairs = Pairs::Apart) noexcept;
/// Clocks in which the values of a load can reach the registers, 128 bytes each. They come from shared memory or L1.
[[nodiscard]] unsigned returns(const LaneAccess& access) noexcept;

class SharedPort {
public:
    explicit SharedPort(std::uint32_t bytesPerClock) : bytes_(bytesPerClock) {}

    /// A warp's access for so long, which goes first.
    Span occupy(Ticks ready, Ticks service) noexcept { return server_.first(ready, service); }
    /// A warp's access; when its last wavefront has passed. `beside` operands of products, the two take turns.
    Span access(Ticks ready, unsigned wavefronts, bool beside = false) noexcept;
    /// `bytes` of a product or a copy; `weight` in thousandths.
    Span stream(Ticks ready, std::uint64_t bytes, std::uint32_t weight = 1000) noexcept;
    /// How long it takes alone.
    [[nodiscard]] Ticks timeOf(std::uint64_t bytes) const noexcept;
    [[nodiscard]] Ticks busy() const noexcept { return server_.busy(); }
    void watch(Activity& activity) noexcept { server_.watch(activity); }

private:
    std::uint32_t bytes_;
    PriorityServer server_;
};

}  // namespace gsu::timing
