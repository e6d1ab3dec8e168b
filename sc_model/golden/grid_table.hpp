/// The grid table of griddepcontrol: for each grid in flight, its open prerequisites and the grids that wait for it (GDC-002..GDC-005,
/// GDC-008, D-58). Value type, no latencies: the owner decides in which order signals and ends count.
#pragma once
#include "golden/types.hpp"

namespace gsu {

class GridTable {
public:
    struct Grid {
        bool used{};            ///< in flight, or its end is not known everywhere
        bool here{};            ///< its CTAs are launched at this port
        bool over{};            ///< complete
        std::uint16_t waits{};  ///< prerequisites in flight
        std::uint32_t
            quiet{};  ///< CTAs that have neither signalled nor ended, including those not started
        std::uint32_t left{};  ///< CTAs that have not ended
        [[nodiscard]] std::uint64_t word() const noexcept
        {
            return std::uint64_t{quiet} << 32 | left;
        }
    };

    /// A grid starts. Pre: the slot is free.
    void open(const GridStart& start) noexcept;
    /// A CTA signals, ends, or both. Returns false if all CTAs of the grid had done so before.
    [[nodiscard]] bool count(unsigned grid, bool signals, bool ends) noexcept;
    /// Some CTAs will never be launched. Returns false if fewer of the grid have neither signalled nor ended.
    [[nodiscard]] bool lessen(unsigned grid, std::uint32_t ctas) noexcept;
    /// A grid that runs elsewhere has ended.
    void endElsewhere(unsigned grid) noexcept { finish(grid); }
    /// Frees the slot: the end of its grid is known everywhere.
    void free(unsigned grid) noexcept { grids_[grid] = {}; }

    [[nodiscard]] const Grid& at(unsigned grid) const noexcept { return grids_[grid]; }
    /// Whether griddepcontrol.wait of a CTA of this grid may return.
    [[nodiscard]] bool ready(unsigned grid) const noexcept
    {
        return grid == 0 || grids_[grid].waits == 0;
    }

private:
    void finish(unsigned grid) noexcept;

    std::array<Grid, kMaxGrids> grids_{};
};

}  // namespace gsu
