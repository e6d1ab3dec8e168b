/// Names that are near a misspelled one.
#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace gsu {

/// Letters to insert, remove, replace or swap with their neighbour to get from one name to the other. Names are short: the table is
/// quadratic.
[[nodiscard]] inline std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t k = 0; k <= b.size(); ++k) {
            if (i == 0 || k == 0) {
                d[i][k] = i + k;
                continue;
            }
            d[i][k] = std::min({d[i - 1][k] + 1, d[i][k - 1] + 1,
                                d[i - 1][k - 1] + (a[i - 1] != b[k - 1] ? 1u : 0u)});
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                d[i][k] = std::min(d[i][k], d[i - 2][k - 2] + 1);
        }
    }
    return d[a.size()][b.size()];
}

/// The item whose `key` is nearest. Pre: there is one.
template <class Items>
[[nodiscard]] const auto& nearestItem(const Items& items, std::string_view key)
{
    return *std::min_element(items.begin(), items.end(), [&](const auto& a, const auto& b) {
        return editDistance(key, a.key) < editDistance(key, b.key);
    });
}

}  // namespace gsu
