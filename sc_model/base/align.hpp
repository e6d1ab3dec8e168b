/// Multiples of an alignment.
#pragma once
#include <cstdint>

namespace gsu {

/// The least multiple of `align` that is not below `value`; `value` itself when `align` is 0. Any alignment, not only powers of two.
[[nodiscard]] constexpr std::uint64_t alignUp(std::uint64_t value, std::uint64_t align) noexcept
{
    return align == 0 ? value : (value + align - 1) / align * align;
}

}  // namespace gsu
