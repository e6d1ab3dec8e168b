// tcgen05.cp.
#include <fmt/format.h>

#include <cstring>

#include "exec/tmem/movement.hpp"

namespace gsu::tmem {
namespace {

constexpr unsigned kAtom =
    16;  ///< bytes of shared memory, and of tensor memory, that sixteen elements take

/// Sixteen elements of four bits in eight bytes, to a byte each: bits 5:2.
void widenFp4(const std::uint8_t* in, std::uint8_t* out) noexcept
{
    for (unsigned i = 0; i < kAtom; ++i)
        out[i] = static_cast<std::uint8_t>((in[i / 2] >> (4 * (i % 2)) & 0xf) << 2);
}

}  // namespace

unsigned Copy::rows() const noexcept
{
    constexpr std::array<unsigned, 5> kRows{128, 128, 64, 32, 4};
    return kRows[static_cast<std::size_t>(shape)];
}

unsigned Copy::bytes() const noexcept
{
    return shape == CopyShape::L128x256b || shape == CopyShape::L4x256b ? 32 : 16;
}

unsigned Copy::copies() const noexcept
{
    return shape == CopyShape::L64x128b ? 2 : shape == CopyShape::L32x128b ? 4 : 1;
}

unsigned Copy::lane(unsigned row, unsigned copy) const noexcept
{
    switch (shape) {
        case CopyShape::L64x128b:
            if (multicast == Multicast::Pairs02and13) return row + 64 * copy;
            return row % 32 + 64 * (row / 32) + 32 * copy;
        case CopyShape::L32x128b: return row + 32 * copy;
        case CopyShape::L4x256b: return 32 * row;
        default: return row;
    }
}

Verdict problemOf(const Copy& x, const SharedDescriptor& source, Address to)
{
    const bool pairs =
        x.multicast == Multicast::Pairs01and23 || x.multicast == Multicast::Pairs02and13;
    const bool fits = x.shape == CopyShape::L64x128b   ? pairs
                      : x.shape == CopyShape::L32x128b ? x.multicast == Multicast::All
                                                       : x.multicast == Multicast::None;
    if (!fits)
        return Refusal{Rule::CopyMulticast,
                       fmt::format("{} rows with another multicast", x.rows())};
    if (x.unpack == Unpack::Fp6) return Refusal{Rule::SixBitCopy, ".b6x16_p32"};
    if (auto problem = source.problemFor(Elem::U8, false, x.bytes())) return problem;
    const unsigned lanes = x.shape == CopyShape::L4x256b ? 97 : 128;
    if (to.lane + lanes > kLanes)
        return Refusal{Rule::CopyLanes, fmt::format("{} rows from lane {} on", x.rows(), to.lane)};
    return problemOf(Window{to, lanes, x.columns()});
}

Verdict copyIn(const Copy& x, const SharedDescriptor& source, std::span<const std::uint8_t> shared,
               TensorMemory& memory, Address to)
{
    if (auto problem = problemOf(x, source, to)) return problem;
    std::array<std::uint8_t, std::size_t{128} * 32> block{};
    for (unsigned row = 0; row < x.rows(); ++row) {
        for (unsigned byte = 0; byte < x.bytes(); byte += kAtom) {
            const std::uint32_t at = source.kMajor(row, byte);
            if (at + kAtom > shared.size())
                return Refusal{Rule::OutsideShared,
                               fmt::format("byte 0x{:x} of {}", at, shared.size())};
            std::uint8_t* out = block.data() + std::size_t{32} * row + byte;
            x.unpack == Unpack::Fp4
                ? widenFp4(shared.data() + at, out)
                : static_cast<void>(std::memcpy(out, shared.data() + at, kAtom));
        }
    }
    for (unsigned row = 0; row < x.rows(); ++row) {
        for (unsigned copy = 0; copy < x.copies(); ++copy)
            std::memcpy(memory.lane(to.lane + x.lane(row, copy)) + to.column,
                        block.data() + std::size_t{32} * row, x.bytes());
    }
    return std::nullopt;
}

}  // namespace gsu::tmem
