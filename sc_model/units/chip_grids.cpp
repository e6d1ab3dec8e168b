#include "units/chip_grids.hpp"

#include <bit>
#include <cassert>

namespace gsu {

void ChipGrids::giveAll(const GridStart& grid) const
{
    for (SyncPort* network : networks_) network->grid(grid);
}

void ChipGrids::give(const GridStart& grid)
{
    assert(grid.grid != 0 && grid.grid < kChipGrids);
    Grid& g = grids_[grid.grid];
    if (grid.ended) return giveAll(grid);
    if (grid.fewer) {
        assert(g.left >= grid.ctas);
        g.left -= grid.ctas;
        giveAll(grid);
        if (g.left == 0) allLaunched(grid.grid);
        return;
    }
    g = {.elsewhere = grid.ctas == 0, .left = grid.ctas, .placed = {}};
    g.placed.resize(networks_.size());
    const auto parts = static_cast<std::uint16_t>(grid.prereqs | grid.prereqs << kChipGrids);
    if (grid.ctas != 0) giveAll({.grid = static_cast<std::uint8_t>(grid.grid + kChipGrids)});
    giveAll({.grid = grid.grid, .ctas = grid.ctas, .prereqs = parts});
}

/// Tells each network how many CTAs of the grid run elsewhere.
void ChipGrids::allLaunched(unsigned slot) const
{
    const Grid& g = grids_[slot];
    std::uint32_t all = 0;
    for (const std::uint32_t count : g.placed) all += count;
    for (std::size_t n = 0; n < networks_.size(); ++n) {
        if (g.placed[n] == all) continue;
        networks_[n]->grid(
            {.grid = static_cast<std::uint8_t>(slot), .ctas = all - g.placed[n], .fewer = true});
    }
}

void ChipGrids::launched(unsigned grid, unsigned network)
{
    Grid& g = grids_[grid];
    assert(g.left != 0);
    ++g.placed[network];
    if (--g.left == 0) allLaunched(grid);
}

std::optional<GridEvent> ChipGrids::saw(const GridEvent& event)
{
    const auto networks = static_cast<unsigned>(networks_.size());
    const unsigned slot = event.grid % kChipGrids;
    Grid& g = grids_[slot];
    const GridEvent whole{static_cast<std::uint8_t>(slot), event.complete, event.cycle};
    if (event.grid >=
        kChipGrids)  // the parts elsewhere have ended: nothing waits for the grid any more
        return event.complete && ++g.ended == networks ? std::optional(whole) : std::nullopt;
    if (!event.complete) return ++g.signalled == networks ? std::optional(whole) : std::nullopt;
    if (++g.complete != networks) return std::nullopt;
    if (g.elsewhere) return whole;
    ends_ |= 1u << slot;
    return std::nullopt;
}

bool ChipGrids::giveEnds()
{
    const bool any = ends_ != 0;
    for (; ends_ != 0; ends_ &= ends_ - 1)
        giveAll({.grid = static_cast<std::uint8_t>(std::countr_zero(ends_) + kChipGrids),
                 .ended = true});
    return any;
}

}  // namespace gsu
