/// The survey of a launch of which k of N SMs are simulated: a run before the timed one that finds which lines the other SMs read as well.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

#include "run/launch_run.hpp"

namespace gsu::run {

/// Runs the CTAs that N SMs hold at once, and those after them, on the golden unit, with memory of its own and without products or times, until the first ones
/// have ended or the budget is spent. Nothing: all SMs are simulated, there is no timing model, or so many CTAs take too much memory.
[[nodiscard]] std::shared_ptr<const timing::Sharing> surveyOf(const RunSetup& setup,
                                                              const LaunchSpec& spec);

/// Options of a run that only looks at what a launch does: without times and products, at most so many instructions of warps, until `stop`.
[[nodiscard]] RunOptions surveyOptions(const RunSetup& setup, std::uint64_t instructions,
                                       const std::atomic<bool>& stop);

}  // namespace gsu::run
