/// Conversions between f16/bf16 bits and double/float with a chosen rounding; exact, independent of the host's rounding mode.
#pragma once
#include <bit>
#include <cstdint>

namespace gsu::exec {

enum class Round : std::uint8_t { Rn, Rz, Rm, Rp, Rna };

/// Rounds the finite or special value `x` to a binary format of `mantissa` explicit bits and `exponent` exponent bits;
/// returns its bits. NaN gives the canonical quiet NaN (all mantissa bits set, sign clear).
[[nodiscard]] std::uint32_t roundTo(double x, unsigned exponent, unsigned mantissa,
                                    Round round) noexcept;

[[nodiscard]] inline std::uint16_t halfOf(double x, Round r = Round::Rn) noexcept
{
    return static_cast<std::uint16_t>(roundTo(x, 5, 10, r));
}
[[nodiscard]] inline std::uint16_t bfloatOf(double x, Round r = Round::Rn) noexcept
{
    return static_cast<std::uint16_t>(roundTo(x, 8, 7, r));
}
[[nodiscard]] inline float floatOfBfloat(std::uint16_t h) noexcept
{
    return std::bit_cast<float>(std::uint32_t{h} << 16);
}
[[nodiscard]] inline float floatOfHalf(std::uint16_t h) noexcept
{
    const std::uint32_t sign = std::uint32_t{h & 0x8000u} << 16;
    const std::uint32_t exponent = (h >> 10) & 0x1fu;
    const std::uint32_t mantissa = h & 0x3ffu;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
    if (exponent == 0) {
        const float tiny = static_cast<float>(mantissa) * 0x1p-24f;
        return std::bit_cast<float>(std::bit_cast<std::uint32_t>(tiny) | sign);
    }
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

}  // namespace gsu::exec
