/// Runs a generated program as `gsu check`, `gsu run` and `gsu replay` would, in this process.
#pragma once
#include <string>
#include <vector>

#include "causality/order_check.hpp"
#include "fuzz/shrink.hpp"
#include "golden/types.hpp"

namespace gsu::cli {

/// All parameters of --set.
[[nodiscard]] std::vector<fuzz::Knob> fuzzKnobs();
/// What a run is looked at with.
struct FuzzLook {
    bool races{};  ///< a race is a failure
    causality::Events* events{
        nullptr};  ///< they are written down there, in a run that takes no race detector
};
/// `trace`: file for the recording of runs that are replayed. `maxCycles`: more is a failure.
[[nodiscard]] fuzz::Outcome fuzzRun(const fuzz::Case& what, const fuzz::Built& built,
                                    const std::string& trace, Cycle maxCycles,
                                    const FuzzLook& look = {});

/// The same with a look at all that conflicts (causality/order_check.hpp).
[[nodiscard]] fuzz::Outcome fuzzWithPaths(const fuzz::Case& what, const fuzz::Built& built,
                                          const std::string& trace, Cycle maxCycles);
/// "12 of 3000 pairs have no path: order 20-31 ...", by lines.
[[nodiscard]] std::string textOf(const causality::OrderCheck& check);

}  // namespace gsu::cli
