/// A launch on several threads: a unit for each of its parts, and reports to observers as if there were one.
#pragma once
#include <optional>
#include <vector>

#include "exec/machine/parallel_run.hpp"
#include "run/options.hpp"
#include "run/run_observers.hpp"

namespace gsu::run {

/// Number of threads on which the launch can run in parts, by --threads and the available processors; 1: it runs as a whole.
[[nodiscard]] unsigned threadsForParts(const CommonOptions& options, const Executor& executor);

/// Runs a launch in parts. Nothing: it has to run as a whole after all, by the executor after restart(); then the observers must forget the
/// reports they got.
[[nodiscard]] std::optional<RunResult> runInParts(const CommonOptions& options,
                                                  const Config& config, Executor& executor,
                                                  unsigned threads, RunObservers& observers);

}  // namespace gsu::run
