/// Wrong reports for the follower: what an injection is, and the ways to change, lose and repeat the reports that match.
#pragma once
#include <cstddef>
#include <functional>
#include <vector>

#include "corrupt.hpp"

namespace gsu::test {

/// Acts on random traffic, on the first report that matches.
struct Injection {
    const char* name;
    const char* says;  ///< must be part of the message
    /// True if it applied itself to reports[i] (and what follows).
    std::function<bool(std::vector<Report>& reports, std::size_t i)> apply;
};

inline auto edit(std::function<bool(const Report&)> matches, std::function<void(Report&)> change)
{
    return [=](std::vector<Report>& reports, std::size_t i) {
        if (!matches(reports[i])) return false;
        change(reports[i]);
        return true;
    };
}
inline auto drop(std::function<bool(const Report&)> matches)
{
    return [=](std::vector<Report>& reports, std::size_t i) {
        if (!matches(reports[i])) return false;
        reports.erase(reports.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
    };
}
inline auto repeat(std::function<bool(const Report&)> matches)
{
    return [=](std::vector<Report>& reports, std::size_t i) {
        if (!matches(reports[i])) return false;
        const Report copy = reports[i];
        reports.insert(reports.begin() + static_cast<std::ptrdiff_t>(i), copy);
        return true;
    };
}

}  // namespace gsu::test
