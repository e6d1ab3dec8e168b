/// Published microbenchmarks, run on the servers alone. Figures are in clocks unless a name says otherwise.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "timing/driver.hpp"

namespace gsu::timing::test {

struct Row {
    const char*
        section;  ///< of the page that collects the figures: tensor, copies, memory, issue, launch
    std::string name;
    double low, high;  ///< published; equal: one figure
    const char* source;
    double exact;  ///< what the model gives
    std::function<double()> measure;
    const char* off{nullptr};  ///< the reason, if it is more than 10 % away
};
/// A published figure that the model does not claim.
struct Unclaimed {
    const char* section;
    const char* name;
    const char* reason;
    unsigned figures{1};
};

[[nodiscard]] std::vector<Row> tensorRows();
[[nodiscard]] std::vector<Row> copyRows();
[[nodiscard]] std::vector<Row> memoryRows();
[[nodiscard]] std::vector<Row> issueRows();
[[nodiscard]] const std::vector<Unclaimed>& unclaimedRows();

/// The machines that were measured: hopper or blackwell with their own SMs, clock and HBM.
[[nodiscard]] TimingParams h100();
[[nodiscard]] TimingParams h200();
[[nodiscard]] TimingParams h800();
[[nodiscard]] TimingParams b200();

/// (b - a) / steps, as a microbenchmark takes a slope.
[[nodiscard]] inline double slope(Cycle a, Cycle b, double steps)
{
    return (static_cast<double>(b) - static_cast<double>(a)) / steps;
}
/// Runs one warp.
[[nodiscard]] Trace traceOf(const Stream& stream, const TimingParams& params);

}  // namespace gsu::timing::test
