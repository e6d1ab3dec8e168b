/// The body of multiply(), compiled once for each instruction set: only multiply_*.cpp include it, and it includes nothing whose
/// inline functions a linker could take from the wrong one of them.
#pragma once
#include "exec/tensor/multiply.hpp"

namespace gsu::tensor::detail {
namespace {

template <class T> struct Eight;
template <> struct Eight<float> {
    using Row = float __attribute__((vector_size(32)));
};
template <> struct Eight<std::int32_t> {
    using Row = std::uint32_t __attribute__((vector_size(32)));
};

/// Most rows at once: their sums stay in registers.
constexpr unsigned kRows = 8;

template <class T, unsigned Rows, bool Sparse, bool Fused>
void block(const Product<T>& p, unsigned row, unsigned column) noexcept
{
    using Row = typename Eight<T>::Row;
    Row sums[Rows];
    for (unsigned r = 0; r < Rows; ++r)
        __builtin_memcpy(&sums[r], p.c + std::size_t{row + r} * p.n + column, sizeof(Row));
    for (unsigned j = 0; j < p.k; ++j) {
        Row b;
        if constexpr (!Sparse) __builtin_memcpy(&b, p.b + std::size_t{j} * p.n + column, sizeof b);
#pragma GCC unroll 8
        for (unsigned r = 0; r < Rows; ++r) {
            const std::size_t at = std::size_t{row + r} * p.k + j;
            if constexpr (Sparse)
                __builtin_memcpy(&b, p.b + std::size_t{p.columns[at]} * p.n + column, sizeof b);
            if constexpr (Fused) {
                for (unsigned i = 0; i < 8; ++i)
                    sums[r][i] = __builtin_fmaf(p.a[at], b[i], sums[r][i]);
            } else {
                sums[r] += static_cast<decltype(b[0] + 0)>(p.a[at]) * b;
            }
        }
    }
    for (unsigned r = 0; r < Rows; ++r)
        __builtin_memcpy(p.c + std::size_t{row + r} * p.n + column, &sums[r], sizeof(Row));
}

template <class T, bool Sparse, bool Fused> void blocks(const Product<T>& p) noexcept
{
    for (unsigned column = 0; column < p.n; column += 8) {
        unsigned row = 0;
        for (; row + kRows <= p.m; row += kRows) block<T, kRows, Sparse, Fused>(p, row, column);
        for (; row < p.m; ++row) block<T, 1, Sparse, Fused>(p, row, column);
    }
}

/// Vectorised: it has no branch and no table.
void decodeEach(const std::uint16_t* halves, std::size_t count, float* out) noexcept
{
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t magnitude = (halves[i] & 0x7fffu) << 13;
        // Exponents are 112 apart; f32 subnormals stand for those of f16. All ones stay all ones.
        const std::uint32_t special = magnitude >= 0x0f80'0000u ? 0x7f80'0000u : 0;
        const float scaled = __builtin_bit_cast(float, magnitude) * 0x1p112f;
        out[i] = __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, scaled) | special |
                                               (halves[i] & 0x8000u) << 16);
    }
}

}  // namespace
}  // namespace gsu::tensor::detail
