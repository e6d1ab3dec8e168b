/// Timetable: how much of a server's time is reserved, in bins of 32 clocks. It is for work that is announced long before it is done (the operands of queued
/// products, the bytes of copies), which fills the free part of the bins from its beginning on.
#pragma once
#include <array>

#include "exec/timing/activity.hpp"

namespace gsu::timing {

class Timetable {
public:
    static constexpr Ticks kBin = ticksOf(32);
    static constexpr std::size_t kBins = 1024;  ///< bins ahead; what lies further is not remembered

    /// Gives `service` away, from `ready` on. Exact when the calls come in the order of `ready`; else within a bin, and never more than there is.
    Span take(Ticks ready, Ticks service) noexcept;
    [[nodiscard]] Ticks busy() const noexcept { return busy_; }
    /// Tells it what it gives away from now on.
    void watch(Activity& activity) noexcept { watched_ = &activity; }

private:
    struct Bin {
        Span take(Ticks begin, Ticks ready, Ticks service) noexcept;
        std::uint64_t number{};
        Ticks used{};
        Ticks edge{};    ///< end of what was given away last
        Ticks latest{};  ///< that anybody wanted to begin at
    };
    [[nodiscard]] Bin& at(std::uint64_t number) noexcept;
    void filled(std::uint64_t number) noexcept;

    std::array<Bin, kBins> bins_{};
    std::uint64_t fullFrom_{}, fullTo_{};  ///< these bins have nothing left
    Ticks busy_{};
    Activity* watched_{};
};

}  // namespace gsu::timing
