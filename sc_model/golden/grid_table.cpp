#include "golden/grid_table.hpp"

namespace gsu {

void GridTable::open(const GridStart& start) noexcept
{
    Grid& grid = grids_[start.grid];
    grid = {.used = true, .here = start.ctas != 0, .quiet = start.ctas, .left = start.ctas};
    for (unsigned other = 1; other < kMaxGrids; ++other)
        if ((start.prereqs >> other & 1) != 0 && grids_[other].used && !grids_[other].over)
            grid.waits |= static_cast<std::uint16_t>(1u << other);
}

bool GridTable::count(unsigned index, bool signals, bool ends) noexcept
{
    Grid& grid = grids_[index];
    if (!grid.used || grid.over || grid.quiet < unsigned{signals} || grid.left < unsigned{ends})
        return false;
    grid.quiet -= signals;
    grid.left -= ends;
    if (ends && grid.left == 0) finish(index);
    return true;
}

bool GridTable::lessen(unsigned index, std::uint32_t ctas) noexcept
{
    Grid& grid = grids_[index];
    if (!grid.here || grid.over || grid.quiet < ctas) return false;
    grid.quiet -= ctas;
    grid.left -= ctas;
    if (grid.left == 0) finish(index);
    return true;
}

void GridTable::finish(unsigned index) noexcept
{
    grids_[index].over = true;
    for (Grid& grid : grids_) grid.waits &= static_cast<std::uint16_t>(~(1u << index));
}

}  // namespace gsu
