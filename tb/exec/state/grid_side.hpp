/// A launch as a grid of the port's grid table (griddepcontrol). The port gets it only if the program uses griddepcontrol.
#pragma once
#include "exec/state/port_side.hpp"

namespace gsu::exec {

/// The grid of a launch. A launch with a unit for itself has slot 1; earlier launches, which run on other units, are one grid elsewhere in
/// slot 2: it ends when the last of them does. Launches that share a unit have free slots, and the preceding ones are prerequisites in the
/// same table.
class GridSide {
public:
    explicit GridSide(PortSide& port) : port_(port) {}
    /// Call before the first launch if the program has a griddepcontrol.
    void use(std::uint64_t ctas) noexcept { share(ctas, kOwn, 0); }
    /// The same on a shared unit: its slot, and those of the running earlier launches.
    void share(std::uint64_t ctas, std::uint8_t slot, std::uint16_t prereqs) noexcept
    {
        ctas_ = static_cast<std::uint32_t>(ctas);
        used_ = true;
        own_ = slot;
        prereqs_ = prereqs;
    }
    /// Sets whether launches that griddepcontrol.wait waits for (GDC-005) are running; calls before the first cycle count.
    void setBefore(bool underWay) noexcept { before_ = underWay; }
    /// Whether the port gets grids at all.
    [[nodiscard]] bool used() const noexcept { return used_; }
    [[nodiscard]] bool before() const noexcept { return before_ || prereqs_ != 0; }
    /// CTAs that will not be launched (CLC-014).
    void fewer(unsigned ctas);
    /// Gives the port the changes, as input of this cycle: in the first one the grid itself.
    void give();
    void saw(const GridEvent& event) noexcept
    {
        if (event.grid == own_) signalled_ = true;  // complete implies it
        if (event.complete) prereqs_ &= static_cast<std::uint16_t>(~(1u << event.grid));
    }
    /// The slot for Launch::grid.
    [[nodiscard]] std::uint8_t slot() const noexcept { return used_ ? own_ : 0; }
    /// Whether every CTA has executed launch_dependents or has ended (GDC-002); `left`: CTAs that have not ended.
    [[nodiscard]] bool signalled(std::uint64_t left) const noexcept
    {
        return used_ ? signalled_ : left == 0;
    }

private:
    static constexpr std::uint8_t kOwn = 1, kBefore = 2;
    PortSide& port_;
    std::uint32_t ctas_{};
    std::uint8_t own_{kOwn};
    std::uint16_t prereqs_{};  ///< on the same unit, not complete
    bool used_{}, given_{}, before_{}, beforeGiven_{}, signalled_{};
};

}  // namespace gsu::exec
