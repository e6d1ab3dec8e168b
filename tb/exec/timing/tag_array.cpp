#include "exec/timing/tag_array.hpp"

#include <algorithm>
#include <new>

namespace gsu::timing {

TagArray::TagArray(std::uint64_t bytes) : sets_(std::max<std::size_t>(1, bytes / kLine / kWays)) {}

/// Neighbouring lines lie in neighbouring sets; higher bits stir them, so that strides of a power of two do not meet in one.
std::size_t TagArray::setOf(std::uint64_t line) const noexcept
{
    return (line ^ line / sets_ ^ line / sets_ / sets_) % sets_;
}

bool TagArray::touch(std::uint64_t address)
{
    if (lines_ == nullptr) {
        lines_.reset(
            static_cast<std::uint64_t*>(std::calloc(sets_, kWays * sizeof(std::uint64_t))));
        if (lines_ == nullptr) throw std::bad_alloc();
    }
    const std::uint64_t line = address / kLine;
    std::uint64_t* const set = lines_.get() + setOf(line) * kWays;
    std::uint64_t* const end = set + kWays;
    const auto found = std::find(set, end, line + 1);
    const bool hit = found != end;
    std::rotate(set, found == end ? end - 1 : found, found == end ? end : found + 1);
    *set = line + 1;
    ++(hit ? hits_ : misses_);
    return hit;
}

void TagArray::drop(std::uint64_t address) noexcept
{
    if (lines_ == nullptr) return;
    const std::uint64_t line = address / kLine;
    std::uint64_t* const set = lines_.get() + setOf(line) * kWays;
    const auto found = std::find(set, set + kWays, line + 1);
    if (found == set + kWays) return;
    std::rotate(found, found + 1, set + kWays);
    *(set + kWays - 1) = 0;
}

}  // namespace gsu::timing
