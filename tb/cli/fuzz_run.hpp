/// Runs a generated program as `gsu check`, `gsu run` and `gsu replay` would, in this process.
#pragma once
#include <string>
#include <vector>

#include "fuzz/shrink.hpp"
#include "golden/types.hpp"

namespace gsu::cli {

/// All parameters of --set.
[[nodiscard]] std::vector<fuzz::Knob> fuzzKnobs();
/// What a run is looked at with.
struct FuzzLook {
    bool races{};  ///< a race is a failure
};
/// `trace`: file for the recording of runs that are replayed. `maxCycles`: more is a failure.
[[nodiscard]] fuzz::Outcome fuzzRun(const fuzz::Case& what, const fuzz::Built& built,
                                    const std::string& trace, Cycle maxCycles,
                                    const FuzzLook& look = {});

}  // namespace gsu::cli
