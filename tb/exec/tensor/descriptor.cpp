#include "exec/tensor/descriptor.hpp"

#include <array>

namespace gsu::tensor {
namespace {

std::uint32_t field(std::uint64_t bits, unsigned at) noexcept
{
    return static_cast<std::uint32_t>(bits >> at & 0x3fff) << 4;
}

}  // namespace

Descriptor Descriptor::of(std::uint64_t bits) noexcept
{
    static constexpr std::array<unsigned, 4> kWidths{0, 128, 64, 32};
    Descriptor d;
    d.start = field(bits, 0);
    d.leading = field(bits, 16);
    d.stride = field(bits, 32);
    d.base = static_cast<unsigned>(bits >> 49 & 7);
    d.width = kWidths[bits >> 62];
    return d;
}

/// Exchanges 16-byte units by the 128-byte line they are in, counted from where the pattern begins.
std::uint32_t Descriptor::swizzled(std::uint32_t address) const noexcept
{
    if (width == 0) return address;
    const std::uint32_t line = (address >> 7) - base;
    return address ^ (line & (width / 16 - 1)) << 4;
}

std::uint32_t Descriptor::kMajor(unsigned line, unsigned unit) const noexcept
{
    const std::uint32_t group = start + line / 8 * stride;
    if (width == 0) return group + line % 8 * 16 + unit * leading;
    return swizzled(group + line % 8 * width + unit * 16);
}

std::uint32_t Descriptor::mnMajor(unsigned line, unsigned unit) const noexcept
{
    if (width == 0) return start + unit * stride + line % 8 * 16 + line / 8 * leading;
    const unsigned units = width / 16;
    return swizzled(start + unit % units * 16 + unit / units * leading + line % 8 * width +
                    line / 8 * stride);
}

std::string problemOfDescriptor(std::uint64_t bits)
{
    constexpr std::uint64_t kUsed =
        0x3fffull | 0x3fffull << 16 | 0x3fffull << 32 | 7ull << 49 | 3ull << 62;
    return (bits & ~kUsed) == 0 ? "" : "reserved bits are set";
}

}  // namespace gsu::tensor
