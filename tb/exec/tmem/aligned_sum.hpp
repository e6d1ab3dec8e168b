/// Sums of the tensor cores of the fifth generation (tb/exec/tmem.md): all products of a step and the accumulator are aligned to the
/// largest exponent, cut there, added exactly and rounded once.
#pragma once
#include <cstddef>
#include <cstdint>

namespace gsu::tmem {

/// Exponents of infinities and NaN, and of zeros, which raise no maximum.
inline constexpr std::int16_t kSpecialExponent = 8000, kZeroExponent = -2000;
/// Number of bits below the largest exponent that count.
inline constexpr int kAlignedBits = 25, kAlignedBitsFp4 = 35;

/// m rows by n columns of sums over k products each; n is a multiple of 8.
struct AlignedSum {
    unsigned m{}, n{}, k{};
    const float* a{};  ///< m x k
    const std::int16_t* aExponents{};
    const float* b{};  ///< rows of `bStride`
    const std::int16_t* bExponents{};
    std::size_t bStride{};
    /// Row of b for each element of a; nullptr: the element's own column.
    const std::uint16_t* columns{};
    /// Exponents of the factors of rows and columns; nullptr: no factors.
    const std::int16_t* rowScales{};
    const std::int16_t* columnScales{};
    /// f32: the accumulators before, and the sums after. Unused rows may share one place.
    std::uint32_t* const* cells{};
    bool accumulate{};
    int scaleInputD{};  ///< accumulators count 2^-this
    /// False: f32 toward zero. True: the sum is prepared to be rounded to f16, with an odd last bit for cut bits.
    bool forHalf{};
    unsigned first{};  ///< columns before are unchanged; a multiple of 8

    /// The least exponent of an accumulator's type.
    [[nodiscard]] int leastExponent() const noexcept { return forHalf ? -14 : -126; }
};

void sum(const AlignedSum& s) noexcept;

/// Exponents of `count` values of a type whose subnormals count as `least`.
void exponentsOf(const float* values, std::size_t count, int least, std::int16_t* out) noexcept;

namespace detail {
/// The sum of one element with any exponents, infinities and NaN; `c`: its accumulator.
[[nodiscard]] std::uint32_t exactSum(const AlignedSum& s, unsigned row, unsigned column,
                                     std::uint32_t c) noexcept;
/// total * 2^exponent as f32: cut toward zero, or with an odd last bit for cut bits; zero is +0, overflow is an infinity.
[[nodiscard]] std::uint32_t roundedSum(double total, int exponent, bool forHalf) noexcept;

void sumPlain(const AlignedSum& s) noexcept;
void sumAvx2(const AlignedSum& s) noexcept;
void sumAvx512(const AlignedSum& s) noexcept;
/// Whether the processor has the instructions of sumAvx512().
[[nodiscard]] bool hasAvx512() noexcept;
void exponentsPlain(const float* values, std::size_t count, int least, std::int16_t* out) noexcept;
void exponentsAvx2(const float* values, std::size_t count, int least, std::int16_t* out) noexcept;
}  // namespace detail

}  // namespace gsu::tmem
