#include "observers/coverage_points.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gsu {

std::size_t CoverPoint::reached() const noexcept
{
    return static_cast<std::size_t>(
        std::count_if(bins.begin(), bins.end(), [](const CoverBin& b) { return b.hits != 0; }));
}

CoverPoint coverPoint(const char* id, CoverNames bins)
{
    CoverPoint p{id, {}};
    for (const char* name : bins) p.bins.push_back({name, 0});
    return p;
}

CoverPoint numberedPoint(const char* id, const char* what, unsigned count)
{
    CoverPoint p{id, {}};
    for (unsigned i = 0; i < count; ++i) p.bins.push_back({fmt::format("{} {}", what, i), 0});
    return p;
}

CoverPoint crossedPoint(const char* id, CoverNames rows, CoverNames columns)
{
    CoverPoint p{id, {}};
    for (const char* row : rows) {
        for (const char* column : columns)
            p.bins.push_back({fmt::format("{} x {}", row, column), 0});
    }
    return p;
}

}  // namespace gsu
