#include "exec/tmem/shared_descriptor.hpp"

#include <fmt/format.h>

#include <array>

namespace gsu::tmem {
namespace {

std::uint32_t field(std::uint64_t bits, unsigned at) noexcept
{
    return static_cast<std::uint32_t>(bits >> at & 0x3fff) << 4;
}

/// Bits 61:53 but the swizzle, 31:30, 15:14.
constexpr std::uint64_t kReserved = 0xffull << 53 | 3ull << 30 | 3ull << 14;

std::optional<Swizzle> swizzleOf(std::uint64_t bits) noexcept
{
    switch (bits >> 61) {
        case 0: return Swizzle::None;
        case 1: return Swizzle::Bytes128Atoms32;
        case 2: return Swizzle::Bytes128;
        case 4: return Swizzle::Bytes64;
        case 6: return Swizzle::Bytes32;
        default: return std::nullopt;
    }
}

constexpr unsigned widthOf(Swizzle s) noexcept
{
    constexpr std::array<unsigned, 5> kWidths{0, 32, 64, 128, 128};
    return kWidths[static_cast<std::size_t>(s)];
}

}  // namespace

Judged<SharedDescriptor> SharedDescriptor::of(std::uint64_t bits)
{
    const auto swizzle = swizzleOf(bits);
    if (!swizzle) return Refusal{Rule::SwizzleMode, fmt::format("swizzle {}", bits >> 61)};
    if ((bits >> 46 & 7) != 1)
        return Refusal{Rule::Version, fmt::format("bits 48:46 are {}", bits >> 46 & 7)};
    if ((bits >> 52 & 1) != 0) return Refusal{Rule::AbsoluteLeading, "bit 52"};
    if ((bits & kReserved) != 0)
        return Refusal{Rule::DescriptorReserved, fmt::format("0x{:016x}", bits)};
    if ((bits >> 49 & 7) != 0)
        return Refusal{Rule::BaseOffset, fmt::format("base offset {}", bits >> 49 & 7)};
    SharedDescriptor d;
    d.swizzle_ = *swizzle;
    d.fields_ = {field(bits, 0), field(bits, 16), field(bits, 32), 0, widthOf(*swizzle)};
    if (d.swizzle_ == Swizzle::Bytes128Atoms32 && d.fields_.start % 32 != 0)
        return Refusal{Rule::AtomAlignment, fmt::format("start 0x{:x}", d.fields_.start)};
    return d;
}

std::uint32_t SharedDescriptor::mnMajor(unsigned k, unsigned byte) const noexcept
{
    if (swizzle_ != Swizzle::Bytes128Atoms32) return fields_.mnMajor(k, byte / 16) + byte % 16;
    // Four lines of k, 128 bytes each; bits 6:5 change with the line.
    const std::uint32_t at = fields_.start + byte % 128 + byte / 128 * fields_.leading +
                             k % 4 * 128 + k / 4 * fields_.stride;
    return at ^ (at >> 7 & 3) << 5;
}

Verdict SharedDescriptor::problemFor(Elem elem, bool transposed, unsigned bytes) const
{
    const bool wideAtoms = swizzle_ == Swizzle::Bytes128Atoms32;
    if (wideAtoms != (transposed && tensor::bitsOf(elem) == 32))
        return Refusal{Rule::SwizzleOfType,
                       fmt::format("{} operand of {} with {}",
                                   transposed ? "a transposed" : "a K-major", nameOf(elem),
                                   wideAtoms ? "32-byte atoms" : "16-byte atoms")};
    const unsigned width = widthOf(swizzle_);
    if (!transposed && width != 0 && fields_.start % width + bytes > width)
        return Refusal{Rule::LeavesRow, fmt::format("{} bytes from byte {} of a row of {}", bytes,
                                                    fields_.start % width, width)};
    return std::nullopt;
}

}  // namespace gsu::tmem
