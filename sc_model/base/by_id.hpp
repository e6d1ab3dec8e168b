/// byId(): binary search in a list whose elements have ascending numbers.
#pragma once
#include <algorithm>
#include <cstdint>

namespace gsu {

/// The element of this `id`; nullptr: there is none. Pre: `all` is contiguous, ids ascend.
template <class List> [[nodiscard]] auto byId(List& all, std::uint64_t id) noexcept
{
    const auto at = std::lower_bound(all.begin(), all.end(), id,
                                     [](const auto& e, std::uint64_t to) { return e.id < to; });
    return at == all.end() || at->id != id ? nullptr : &*at;
}

}  // namespace gsu
