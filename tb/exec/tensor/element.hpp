/// Element types of tensor-core operands, and their values.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gsu::tensor {

enum class Elem : std::uint8_t {
    None,
    F16,
    BF16,
    TF32,
    F32,
    F64,
    E4M3,
    E5M2,
    E3M2,
    E2M3,
    E2M1,
    UE8M0,
    UE4M3,
    S32,
    S8,
    U8,
    S4,
    U4,
    B1
};

/// The type of a PTX type word ("f16", "e4m3", ...).
[[nodiscard]] std::optional<Elem> elemOf(std::string_view word) noexcept;
[[nodiscard]] const char* nameOf(Elem elem) noexcept;
/// Bits of an element in memory and in registers; e3m2, e2m3: 6. The form knows containers of 8 bits.
[[nodiscard]] unsigned bitsOf(Elem elem) noexcept;
[[nodiscard]] bool isInteger(Elem elem) noexcept;  ///< s8 u8 s4 u4

/// Value of the low bits of `bits`; exact. Pre: a floating type of at most 16 bits, tf32 or f32. tf32: the low 13 bits are ignored. e4m3:
/// 0x7f and 0xff are NaN; e3m2, e2m3, e2m1 have neither infinities nor NaN; ue8m0: 2^(x - 127), 0xff NaN (2^-127 is a subnormal of f32);
/// ue4m3: e4m3 without a sign, bit 7 ignored.
[[nodiscard]] float valueOf(Elem elem, std::uint32_t bits) noexcept;

/// Decodes `count` elements, `stride` 1, from packed bytes: floats, or integers. e3m2, e2m3, and e2m1 if `contained`, take a byte each;
/// e2m1 is then in bits 2..5, the others in the low bits.
void decodeFloats(Elem elem, bool contained, const std::uint8_t* bytes, std::size_t count,
                  float* out) noexcept;
void decodeIntegers(Elem elem, const std::uint8_t* bytes, std::size_t count,
                    std::int32_t* out) noexcept;

/// f16 of x, rounded to nearest even; NaN becomes 0x7fff.
[[nodiscard]] std::uint16_t halfOf(float x) noexcept;
/// The bits of x; NaN becomes 0x7fffffff.
[[nodiscard]] inline std::uint32_t singleBits(float x) noexcept
{
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return (bits & 0x7fff'ffffu) > 0x7f80'0000u ? 0x7fff'ffffu : bits;
}

}  // namespace gsu::tensor
