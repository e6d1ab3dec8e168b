/// One grid table for a chip, made of the tables of its networks. A grid starts in each table with all its CTAs. When the last CTA is
/// launched, each table is told the number of CTAs that went to other networks (`fewer`). A wait for the grid must also wait for its CTAs
/// in the other networks. In each table these CTAs are a grid that runs elsewhere, in the slot kChipGrids higher, which ends when every
/// network has reported that its part is complete. So a chip has kChipGrids - 1 slots for its driver. An answer comes later than from one
/// table, by one report and one input at most.
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "golden/chip_layout.hpp"
#include "golden/port.hpp"

namespace gsu {

class ChipGrids {
public:
    /// A table over the networks' ports, which must outlive it.
    explicit ChipGrids(std::vector<SyncPort*> networks) : networks_(std::move(networks)) {}

    /// Starts or ends a grid for the driver. Pre: as SyncPort::grid(), and the slot is below kChipGrids.
    void give(const GridStart& grid);
    /// A CTA of grid `grid` has been launched in a network.
    void launched(unsigned grid, unsigned network);
    /// Takes a report of a network; returns the report of the chip that follows from it, if any.
    [[nodiscard]] std::optional<GridEvent> saw(const GridEvent& event);
    /// Gives the networks the inputs that follow from their reports of the preceding cycle. True: there were some.
    bool giveEnds();
    /// True if giveEnds() has inputs to give.
    [[nodiscard]] bool endsPending() const noexcept { return ends_ != 0; }

private:
    struct Grid {
        bool elsewhere{};                           ///< the whole grid runs behind another port
        std::uint32_t left{};                       ///< CTAs still to be launched
        std::vector<std::uint32_t> placed;          ///< launched CTAs, by network
        unsigned signalled{}, complete{}, ended{};  ///< networks that have reported so
    };
    void giveAll(const GridStart& grid) const;
    void allLaunched(unsigned slot) const;

    std::vector<SyncPort*> networks_;
    std::array<Grid, kChipGrids> grids_{};
    /// bit per slot whose parts are complete in all networks, before the networks are told
    std::uint32_t ends_{};
};

}  // namespace gsu
