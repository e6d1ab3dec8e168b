/// Runs a generated program as `gsu check`, `gsu run` and `gsu replay` would, in this process.
#pragma once
#include <string>
#include <vector>

#include "causality/order_check.hpp"
#include "fuzz/shrink.hpp"
#include "golden/types.hpp"

namespace gsu::cli {

/// All parameters of --set under a timing; empty: without one. Throws InputError.
[[nodiscard]] std::vector<fuzz::Knob> fuzzKnobs(const std::string& timing);
/// Checks of a run.
struct FuzzLook {
    bool races{};                        ///< a race is a failure
    causality::Events* events{nullptr};  ///< receives the events, in a run without race detector
};
/// Runs a program. `trace`: file for the recording of runs that are replayed. `maxCycles`: more is a failure.
[[nodiscard]] fuzz::Outcome fuzzRun(const fuzz::Case& what, const fuzz::Built& built,
                                    const std::string& trace, Cycle maxCycles,
                                    const FuzzLook& look = {});

/// The same with a check of all conflicting accesses (causality/order_check.hpp).
[[nodiscard]] fuzz::Outcome fuzzWithPaths(const fuzz::Case& what, const fuzz::Built& built,
                                          const std::string& trace, Cycle maxCycles);
/// "12 of 3000 pairs have no path: order 20-31 ...", by lines.
[[nodiscard]] std::string textOf(const causality::OrderCheck& check);

}  // namespace gsu::cli
