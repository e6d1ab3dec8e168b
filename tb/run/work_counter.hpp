/// Finds the counter from which the CTAs of a launch take their work, if k of N SMs are simulated.
#pragma once
#include "run/launch_run.hpp"

namespace gsu::run {

/// Runs the simulated SMs on the golden unit, with memory of its own and without products or times, until a CTA takes a second number from a word of global
/// memory. Nothing: none was found, all SMs are simulated, or there is no timing model.
[[nodiscard]] WorkCounterPlace workCounterOf(const RunSetup& setup, const LaunchSpec& spec);

}  // namespace gsu::run
