/// c += a * b, the inner loop of all products: m x k times k x n, rows contiguous, n a multiple of 8. Each element of c is the chain
/// c = round(c + a[i][j] * b[j][i']) over ascending j, with one rounding per step (tb/exec/tensor.md).
#pragma once
#include <cstddef>
#include <cstdint>

#include "exec/tensor/form.hpp"

namespace gsu::tensor {

template <class T> struct Product {
    unsigned m{}, n{}, k{};
    const T* a{};
    const T* b{};
    T* c{};
    /// Row of b for each element of a (m x k); nullptr: the element's own column.
    const std::uint16_t* columns{};
    /// No product of two elements is rounded in T: plain multiplication and addition give the same result.
    bool exact{};
};

void multiply(const Product<float>& p) noexcept;

/// Addition of a tensor core that cuts off: `block` products and the sum so far at once, each cut to `fraction` bits below the leading bit
/// of the largest, the result cut to f32 (tb/exec/tensor.md).
struct Truncation {
    unsigned block{};     ///< 1..kMostTerms
    unsigned fraction{};  ///< 1..50
};
inline constexpr unsigned kMostTerms = 64;
/// The truncation published for Hopper, by the type of A. Pre: a floating type other than f64.
[[nodiscard]] Truncation hopperTruncation(Elem a) noexcept;
void multiplyTruncated(const Product<float>& p, const Truncation& t) noexcept;
/// Multiplies modulo 2^32.
void multiply(const Product<std::int32_t>& p) noexcept;
/// Multiplies with fused steps, in the given rounding mode.
void multiply(const Product<double>& p, Rounding rounding) noexcept;

/// Decodes values of f16.
void decodeHalves(const std::uint16_t* halves, std::size_t count, float* out) noexcept;

namespace detail {
/// Whether the processor has AVX2 and FMA, and this build kernels for them.
[[nodiscard]] bool hasAvx2() noexcept;
void decodeHalvesPlain(const std::uint16_t* halves, std::size_t count, float* out) noexcept;
void decodeHalvesAvx2(const std::uint16_t* halves, std::size_t count, float* out) noexcept;
void multiplyPlain(const Product<float>& p) noexcept;
void multiplyPlain(const Product<std::int32_t>& p) noexcept;
void multiplyAvx2(const Product<float>& p) noexcept;
void multiplyAvx2(const Product<std::int32_t>& p) noexcept;
}  // namespace detail

}  // namespace gsu::tensor
