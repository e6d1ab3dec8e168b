#include "exec/tmem/column_mask.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gsu::tmem {

Judged<ColumnMask> ColumnMask::of(std::uint64_t bits, const Instruction& i)
{
    constexpr std::uint64_t kReserved = 7ull << 36 | 3ull << 62;
    if ((bits & kReserved) != 0) return Refusal{Rule::MaskReserved, fmt::format("0x{:016x}", bits)};
    ColumnMask mask;
    mask.bits_ = bits;
    mask.part_ = i.n / dataPathOf(i.layout).banks;
    mask.shift_ = static_cast<unsigned>(bits >> 56 & 0x3f);
    const unsigned most = std::min(i.maxShift, i.m == 32 ? 16u : 32u);
    if (mask.shift_ > most)
        return Refusal{Rule::MaskShift,
                       fmt::format("a shift of {}, at most {}", mask.shift_, most)};
    return mask;
}

bool ColumnMask::isZero(unsigned column) const noexcept
{
    if ((bits_ >> 39 & 1) == 0) return false;
    const unsigned part = column / part_;
    const auto zeros = static_cast<unsigned>(bits_ >> 40 & 0xff) + 1,
               used = static_cast<unsigned>(bits_ >> 48 & 0xff) + 1;
    const auto start = static_cast<unsigned>(bits_ >> (8 * part) & 0xff);
    const bool zerosFirst = (bits_ >> (32 + part) & 1) != 0;
    const unsigned first = zerosFirst ? zeros : used;
    const unsigned at = (column % part_ + std::min(start, first - 1)) % (zeros + used);
    return (at < first) == zerosFirst;
}

}  // namespace gsu::tmem
