/// Small kernels with matrix instructions: PTX text for many registers, plain multiplication of small whole numbers (exact in every type).
#pragma once
#include <random>

#include "exec/harness.hpp"
#include "exec/tensor/mma.hpp"

namespace gsu::test {

using tensor::Elem;

/// "{%f0,%f1}"
inline std::string list(const char* prefix, unsigned first, unsigned count)
{
    std::string text = "{";
    for (unsigned i = 0; i < count; ++i)
        text += (i == 0 ? "%" : ",%") + std::string(prefix) + std::to_string(first + i);
    return text + "}";
}

/// Bits of a small whole number (-8 .. 8; 0 .. 8 for unsigned types, 0 or 1 for b1).
inline std::uint32_t encode(Elem e, int v)
{
    const auto search = [&](std::uint32_t count) {
        for (std::uint32_t bits = 0; bits < count; ++bits) {
            if (tensor::valueOf(e, bits) == static_cast<float>(v) && (v != 0 || bits == 0))
                return bits;
        }
        return 0u;
    };
    switch (e) {
        case Elem::F16: return tensor::halfOf(static_cast<float>(v));
        case Elem::BF16: return std::bit_cast<std::uint32_t>(static_cast<float>(v)) >> 16;
        case Elem::TF32:
        case Elem::F32: return std::bit_cast<std::uint32_t>(static_cast<float>(v));
        case Elem::E4M3:
        case Elem::E5M2: return search(256);
        case Elem::S8:
        case Elem::U8: return static_cast<std::uint32_t>(v) & 0xff;
        case Elem::S4:
        case Elem::U4: return static_cast<std::uint32_t>(v) & 0xf;
        default: return static_cast<std::uint32_t>(v) & 1;
    }
}

inline int drawSmall(std::mt19937_64& random, Elem e)
{
    if (e == Elem::B1) return static_cast<int>(random() % 2);
    if (e == Elem::U8 || e == Elem::U4) return static_cast<int>(random() % 8);
    return static_cast<int>(random() % 9) - 4;
}

/// Writes element `index` of a packed array.
inline void putElement(std::vector<std::uint8_t>& bytes, Elem e, std::size_t index,
                       std::uint64_t bits)
{
    const unsigned width = tensor::bitsOf(e);
    if (width < 8) {
        const std::size_t at = index * width;
        bytes[at / 8] = static_cast<std::uint8_t>(bytes[at / 8] | bits << at % 8);
        return;
    }
    std::memcpy(bytes.data() + index * width / 8, &bits, width / 8);
}

}  // namespace gsu::test
