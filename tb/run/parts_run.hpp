/// A launch on several threads: a unit for each of its parts, and reports to observers as if there were one.
#pragma once
#include <optional>
#include <vector>

#include "exec/machine/parallel_run.hpp"
#include "run/options.hpp"
#include "run/run_observers.hpp"

namespace gsu::run {

/// On how many threads a launch runs in parts, by --threads and the available processors; 1: it runs as a whole.
struct PartThreads {
    unsigned threads = 1;
    const char* why = nullptr;  ///< why as a whole, where processors were there for more
};
[[nodiscard]] PartThreads threadsForParts(const CommonOptions& options, const Executor& executor);

/// Tells the user, on standard error, why a launch that runs as a whole has fewer threads than --threads asked for. Nothing where the clocks of its
/// network are shared by as many.
void tellWhyWhole(const CommonOptions& options, const Executor& executor, const char* why);

/// Runs a launch in parts. Nothing: it has to run as a whole after all, by the executor after restart(); then the observers must forget the
/// reports they got.
[[nodiscard]] std::optional<RunResult> runInParts(const CommonOptions& options,
                                                  const Config& config, Executor& executor,
                                                  unsigned threads, RunObservers& observers);

}  // namespace gsu::run
