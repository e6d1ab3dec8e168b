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
    /// Row of b for each element of a (m x k); nullptr: its own column.
    const std::uint16_t* columns{};
    /// No product of two elements rounds in T: plain multiplication and addition give the same.
    bool exact{};
};

void multiply(const Product<float>& p) noexcept;

/// How a tensor core that cuts off adds: `block` products and the sum so far at once, each cut to `fraction` bits below the largest one's
/// leading bit, the result cut to f32 (tb/exec/tensor.md).
struct Truncation {
    unsigned block{};     ///< 1..kMostTerms
    unsigned fraction{};  ///< 1..50
};
inline constexpr unsigned kMostTerms = 64;
/// As published for Hopper, by the type of A. Pre: a floating type other than f64.
[[nodiscard]] Truncation hopperTruncation(Elem a) noexcept;
void multiplyTruncated(const Product<float>& p, const Truncation& t) noexcept;
/// Modulo 2^32.
void multiply(const Product<std::int32_t>& p) noexcept;
/// Fused, in the rounding mode given.
void multiply(const Product<double>& p, Rounding rounding) noexcept;

/// Values of f16.
void decodeHalves(const std::uint16_t* halves, std::size_t count, float* out) noexcept;

namespace detail {
/// The processor has AVX2 and FMA, and this build kernels for them.
[[nodiscard]] bool hasAvx2() noexcept;
void decodeHalvesPlain(const std::uint16_t* halves, std::size_t count, float* out) noexcept;
void decodeHalvesAvx2(const std::uint16_t* halves, std::size_t count, float* out) noexcept;
void multiplyPlain(const Product<float>& p) noexcept;
void multiplyPlain(const Product<std::int32_t>& p) noexcept;
void multiplyAvx2(const Product<float>& p) noexcept;
void multiplyAvx2(const Product<std::int32_t>& p) noexcept;
}  // namespace detail

}  // namespace gsu::tensor
