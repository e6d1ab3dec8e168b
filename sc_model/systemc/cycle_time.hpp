/// \file
/// SystemC time and RTL cycles: cycle n covers [n, n+1) periods and its clock rises in the middle.
#pragma once
#include <systemc>

#include "golden/types.hpp"

namespace gsu {

/// Converts between time and cycles. Inputs of cycle n are given before its middle, its outputs appear there; so two models on the same
/// clock edge never race.
class CycleTime {
public:
    /// Pre: the period is an even number of the simulator's time resolution, at least 2 (the constructor reports an error otherwise).
    explicit CycleTime(const sc_core::sc_time& period) : period_(period.value())
    {
        if (period_ < 2 || period_ % 2 != 0)
            SC_REPORT_ERROR("/gsu/period",
                            "the clock period must be an even multiple of the time resolution");
    }
    /// Time of one cycle.
    [[nodiscard]] sc_core::sc_time period() const { return sc_core::sc_time::from_value(period_); }
    /// First cycle whose middle is later than `t`: the one to which an input at `t` belongs.
    [[nodiscard]] Cycle cycleOf(const sc_core::sc_time& t) const
    {
        return (t.value() + period_ / 2) / period_;
    }
    /// Time at which cycle n begins.
    [[nodiscard]] sc_core::sc_time startOf(Cycle n) const
    {
        return sc_core::sc_time::from_value(n * period_);
    }
    /// Time at which the clock of cycle n rises.
    [[nodiscard]] sc_core::sc_time middleOf(Cycle n) const
    {
        return sc_core::sc_time::from_value(n * period_ + period_ / 2);
    }

private:
    sc_core::sc_time::value_type period_;
};

}  // namespace gsu
