#include "exec/tensor/element.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "exec/tensor/multiply.hpp"

namespace gsu::tensor {
namespace {

struct Description {
    const char* name;
    unsigned bits;
};

constexpr std::array<Description, 19> kElems{{{"none", 0},
                                              {"f16", 16},
                                              {"bf16", 16},
                                              {"tf32", 32},
                                              {"f32", 32},
                                              {"f64", 64},
                                              {"e4m3", 8},
                                              {"e5m2", 8},
                                              {"e3m2", 6},
                                              {"e2m3", 6},
                                              {"e2m1", 4},
                                              {"ue8m0", 8},
                                              {"ue4m3", 8},
                                              {"s32", 32},
                                              {"s8", 8},
                                              {"u8", 8},
                                              {"s4", 4},
                                              {"u4", 4},
                                              {"b1", 1}}};

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// A small format without infinities and NaN: `exponent` and `mantissa` bits.
float smallValue(std::uint32_t bits, unsigned exponent, unsigned mantissa) noexcept
{
    const std::uint32_t fraction = bits & ((1u << mantissa) - 1);
    const auto field = static_cast<int>(bits >> mantissa & ((1u << exponent) - 1));
    const int bias = (1 << (exponent - 1)) - 1;
    const std::uint32_t significand = field == 0 ? fraction : fraction | 1u << mantissa;
    const int scale = (field == 0 ? 1 : field) - bias - static_cast<int>(mantissa);
    const float value = std::ldexp(static_cast<float>(significand), scale);
    return (bits >> (exponent + mantissa) & 1) != 0 ? -value : value;
}

float halfValue(std::uint32_t bits) noexcept
{
    const std::uint32_t magnitude = (bits & 0x7fffu) << 13;
    // Exponents are 112 apart; f32 subnormals stand for those of f16.
    const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
    std::uint32_t out = std::bit_cast<std::uint32_t>(scaled);
    if ((bits & 0x7c00u) == 0x7c00u) out = magnitude | 0x7f80'0000u;
    return std::bit_cast<float>(out | (bits & 0x8000u) << 16);
}

using Table = std::array<float, 256>;

Table tableOf(Elem elem) noexcept
{
    Table table{};
    for (std::uint32_t i = 0; i < 256; ++i) table[i] = valueOf(elem, i);
    return table;
}

const Table& byteTable(Elem elem) noexcept
{
    static const Table e4m3 = tableOf(Elem::E4M3), e5m2 = tableOf(Elem::E5M2),
                       e3m2 = tableOf(Elem::E3M2), e2m3 = tableOf(Elem::E2M3),
                       e2m1 = tableOf(Elem::E2M1);
    switch (elem) {
        case Elem::E4M3: return e4m3;
        case Elem::E5M2: return e5m2;
        case Elem::E3M2: return e3m2;
        case Elem::E2M3: return e2m3;
        default: return e2m1;
    }
}

}  // namespace

std::optional<Elem> elemOf(std::string_view word) noexcept
{
    for (std::size_t i = 1; i < kElems.size(); ++i) {
        if (word == kElems[i].name) return static_cast<Elem>(i);
    }
    return std::nullopt;
}

const char* nameOf(Elem elem) noexcept { return kElems[static_cast<std::size_t>(elem)].name; }
unsigned bitsOf(Elem elem) noexcept { return kElems[static_cast<std::size_t>(elem)].bits; }

bool isInteger(Elem elem) noexcept
{
    return elem == Elem::S8 || elem == Elem::U8 || elem == Elem::S4 || elem == Elem::U4;
}

float valueOf(Elem elem, std::uint32_t bits) noexcept
{
    switch (elem) {
        case Elem::F16: return halfValue(bits);
        case Elem::BF16: return std::bit_cast<float>(bits << 16);
        case Elem::TF32: return std::bit_cast<float>(bits & 0xffff'e000u);
        case Elem::F32: return std::bit_cast<float>(bits);
        case Elem::E4M3: return (bits & 0x7fu) == 0x7fu ? kNan : smallValue(bits, 4, 3);
        case Elem::E5M2: return halfValue(bits << 8 & 0xffffu);
        case Elem::E3M2: return smallValue(bits, 3, 2);
        case Elem::E2M3: return smallValue(bits, 2, 3);
        case Elem::E2M1: return smallValue(bits, 2, 1);
        case Elem::UE8M0:
            return (bits & 0xffu) == 0xffu ? kNan
                                           : std::ldexp(1.0f, static_cast<int>(bits & 0xffu) - 127);
        case Elem::UE4M3: return valueOf(Elem::E4M3, bits & 0x7fu);
        default: return 0;
    }
}

void decodeFloats(Elem elem, bool contained, const std::uint8_t* bytes, std::size_t count,
                  float* out) noexcept
{
    const auto each = [&]<class T>(T, auto value) {
        for (std::size_t i = 0; i < count; ++i) {
            T raw;
            std::memcpy(&raw, bytes + sizeof(T) * i, sizeof(T));
            out[i] = value(raw);
        }
    };
    if (elem == Elem::F16) {
        std::uint16_t halves[64];
        for (std::size_t done = 0; done < count; done += std::size(halves)) {
            const std::size_t n = std::min(count - done, std::size(halves));
            std::memcpy(halves, bytes + 2 * done, 2 * n);
            decodeHalves(halves, n, out + done);
        }
        return;
    }
    if (elem == Elem::BF16 || elem == Elem::TF32 || elem == Elem::F32) {
        if (elem == Elem::BF16)
            return each(std::uint16_t{},
                        [](std::uint32_t x) { return std::bit_cast<float>(x << 16); });
        const std::uint32_t mask = elem == Elem::TF32 ? 0xffff'e000u : ~0u;
        return each(std::uint32_t{},
                    [mask](std::uint32_t x) { return std::bit_cast<float>(x & mask); });
    }
    const Table& table = byteTable(elem);
    if (elem == Elem::E2M1 && !contained) {
        for (std::size_t i = 0; i < count; ++i) out[i] = table[bytes[i / 2] >> (4 * (i % 2)) & 0xf];
        return;
    }
    const unsigned shift = elem == Elem::E2M1 ? 2 : 0;
    for (std::size_t i = 0; i < count; ++i) out[i] = table[bytes[i] >> shift];
}

void decodeIntegers(Elem elem, const std::uint8_t* bytes, std::size_t count,
                    std::int32_t* out) noexcept
{
    switch (elem) {
        case Elem::S8:
            for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::int8_t>(bytes[i]);
            break;
        case Elem::U8:
            for (std::size_t i = 0; i < count; ++i) out[i] = bytes[i];
            break;
        case Elem::S4:
            for (std::size_t i = 0; i < count; ++i) {
                const auto nibble = bytes[i / 2] >> (4 * (i % 2)) & 0xf;
                out[i] = (nibble ^ 8) - 8;
            }
            break;
        default:
            for (std::size_t i = 0; i < count; ++i) out[i] = bytes[i / 2] >> (4 * (i % 2)) & 0xf;
            break;
    }
}

std::uint16_t halfOf(float x) noexcept
{
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7fff'ffffu;
    if (magnitude > 0x7f80'0000u) return 0x7fff;
    if (magnitude >= 0x4780'0000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // 65536
    if (magnitude < 0x3880'0000u) {
        // Below 2^-14 the last place is 2^-24, that of a float of [0.5, 1): the addition rounds there.
        const float sum = std::bit_cast<float>(magnitude) + 0.5f;
        return static_cast<std::uint16_t>(sign |
                                          (std::bit_cast<std::uint32_t>(sum) - 0x3f00'0000u));
    }
    const std::uint32_t odd = magnitude >> 13 & 1;
    return static_cast<std::uint16_t>(sign | ((magnitude - 0x3800'0000u + 0xfffu + odd) >> 13));
}

}  // namespace gsu::tensor
