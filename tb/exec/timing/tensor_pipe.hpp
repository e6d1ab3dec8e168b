/// TensorPipe: the tensor cores of an SM as one server of wgmma and tcgen05. A product takes the longer of its multiply-adds and the transfer of its operands
/// through the port of shared memory. mma.sync uses a pipe of its scheduler (issue_slots.hpp).
#pragma once
#include <array>

#include "exec/timing/shared_port.hpp"
#include "exec/timing/timing_params.hpp"

namespace gsu::timing {

/// m x n x k as one instruction asks for it: of a warpgroup, of a CTA, of a pair of CTAs.
struct Product {
    std::uint32_t m{64}, n{}, k{16};  ///< k as A is stored: of sparse ones half
    std::uint32_t bits{16};           ///< of an element of A
    bool sparse{};
    bool sharedA{true};  ///< A is in shared memory, not in registers or tensor memory
    bool tcgen{};
    bool pair{};  ///< two CTAs: the half of it that this SM does
};

struct ProductTimes {
    Ticks start{};  ///< the pipe begins with the product
    Ticks end{};    ///< the pipe is free for the next product
    Ticks done{};   ///< the result can be read
};

class TensorPipe {
public:
    explicit TensorPipe(const TimingParams& params) : p_(params) {}

    /// Its queue takes the product from then on.
    [[nodiscard]] Ticks accepts(const Product& product) const noexcept;
    /// A product that issues at `issued`. Accumulators that follow each other cost nothing more: the pipe is in order.
    ProductTimes take(const Product& product, Ticks issued, SharedPort& port) noexcept;

    [[nodiscard]] Ticks computeTime(const Product& product) const noexcept;
    [[nodiscard]] static std::uint64_t operandBytes(const Product& product) noexcept;
    [[nodiscard]] Ticks busy() const noexcept { return pipe_.busy(); }
    void watch(Activity& activity) noexcept { pipe_.watch(activity); }

private:
    static constexpr unsigned kMostQueued = 64;
    [[nodiscard]] std::uint32_t tail(const Product& product) const noexcept;

    TimingParams p_;
    Server pipe_;
    std::array<Ticks, kMostQueued> starts_{};  ///< start of each of the last products
    std::uint64_t count_{};
};

}  // namespace gsu::timing
