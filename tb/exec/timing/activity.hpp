/// Activity: for which part of each 256 clocks a server was busy, for timelines.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "exec/timing/ticks.hpp"

namespace gsu::timing {

class Activity {
public:
    static constexpr Cycle kClocks = 256;

    /// `busy` of the time between the begin and the end of `span`, spread over it.
    void add(Span span, Ticks busy);
    /// By the clocks before each.
    [[nodiscard]] const std::vector<Ticks>& bins() const noexcept { return bins_; }

private:
    static constexpr Ticks kBin = ticksOf(kClocks);
    std::vector<Ticks> bins_;
};

/// How busy something that warps share was, as time went by.
struct ServerActivity {
    std::string server;
    std::optional<unsigned> sm;  ///< none: of all of them
    Activity activity;
};

}  // namespace gsu::timing
