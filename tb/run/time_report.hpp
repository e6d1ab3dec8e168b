/// Text and JSON of the time of a launch. Only with a timing other than simple.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "exec/result/timing_report.hpp"

namespace gsu::run {

/// "69.74 us at 1755 MHz, 120 GB/s of HBM"; with --range each figure for both windows.
[[nodiscard]] std::string timeFigures(const TimingReport& report);
[[nodiscard]] std::string timeText(const TimingReport& report);
/// The time as JSON. The clocks of every role and SM add up to those of its warps.
[[nodiscard]] nlohmann::ordered_json timeJson(const TimingReport& report);

}  // namespace gsu::run
