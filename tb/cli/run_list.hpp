/// Launches of a list, one after the other on one device.
#pragma once
#include "run/launch_run.hpp"

namespace gsu::cli {

/// Runs the launches of a list and prints the reports. Returns the exit code.
[[nodiscard]] int runList(const run::RunSetup& setup, const LaunchFile& file);

}  // namespace gsu::cli
