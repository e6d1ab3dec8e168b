/// Names that are near a misspelled one.
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gsu {

/// Number of edits (insert, remove, replace a letter, swap neighbours) from one name to the other. Names are short: the table is quadratic.
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

/// Whether a user who wrote `given` may have meant `name`: a third of the letters may be wrong, or two, but never more than half of the
/// shorter word: "out" is not meant by "count". The beginning of a name is near it: "out" may be meant by "output".
[[nodiscard]] inline bool isNear(std::string_view given, std::string_view name)
{
    constexpr std::size_t kLongest = 40;  // a longer text is no misspelled name
    if (given.size() > kLongest) return false;
    if (given.size() > 2 && name.starts_with(given)) return true;
    const std::size_t far = editDistance(given, name);
    return 2 * far <= std::min(given.size(), name.size()) &&
           far <= std::max<std::size_t>(2, given.size() / 3);
}

/// The nearest name; empty if none is near.
template <class Names>
[[nodiscard]] std::string_view nearestName(const Names& names, std::string_view given)
{
    std::string_view best;
    for (const std::string_view name : names)
        if (isNear(given, name) &&
            (best.empty() || editDistance(given, name) < editDistance(given, best)))
            best = name;
    return best;
}

/// Changes "unknown parameter 'KEY'" to "unknown parameter 'KEY', did you mean 'NAME'?" if the key of an item is near.
template <class Items>
[[nodiscard]] std::string withNearest(std::string text, const Items& items, std::string_view key)
{
    std::vector<std::string_view> names;
    for (const auto& item : items) names.emplace_back(item.key);
    const std::string_view near = nearestName(names, key);
    if (!near.empty()) text.append(", did you mean '").append(near).append("'?");
    return text;
}

}  // namespace gsu
