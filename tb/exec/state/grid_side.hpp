/// A launch as a grid of the port's grid table (griddepcontrol). The port is told of it only if the program uses griddepcontrol.
#pragma once
#include "exec/state/port_side.hpp"

namespace gsu::exec {

/// A launch with a unit for itself has slot 1; launches before it, whose units are others, are one grid elsewhere in slot 2: it ends when the last
/// of them does. Launches that share a unit have the slots that are free, and those before one are its prerequisites in the same table.
class GridSide {
public:
    explicit GridSide(PortSide& port) : port_(port) {}
    /// The program has a griddepcontrol. Before the first launch.
    void use(std::uint64_t ctas) noexcept { share(ctas, kOwn, 0); }
    /// On a unit that it shares: its slot, and those of the launches before it that are under way.
    void share(std::uint64_t ctas, std::uint8_t slot, std::uint16_t prereqs) noexcept
    {
        ctas_ = static_cast<std::uint32_t>(ctas);
        used_ = true;
        own_ = slot;
        prereqs_ = prereqs;
    }
    /// Launches that griddepcontrol.wait waits for (GDC-005) are under way, or have ended; those of before the first cycle count.
    void setBefore(bool underWay) noexcept { before_ = underWay; }
    [[nodiscard]] bool before() const noexcept { return before_ || prereqs_ != 0; }
    /// CTAs that will not be launched (CLC-014).
    void fewer(unsigned ctas);
    /// Tells the port what is new, as input of this cycle: in the first one the grid itself.
    void give();
    void saw(const GridEvent& event) noexcept
    {
        if (event.grid == own_) signalled_ = true;  // complete implies it
        if (event.complete) prereqs_ &= static_cast<std::uint16_t>(~(1u << event.grid));
    }
    /// Slot of Launch::grid.
    [[nodiscard]] std::uint8_t slot() const noexcept { return used_ ? own_ : 0; }
    /// Every CTA has executed launch_dependents or has ended (GDC-002); `left`: CTAs that have not ended.
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
