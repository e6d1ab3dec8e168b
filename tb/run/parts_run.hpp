/// A launch on several threads: a unit for each of its parts, and what happens there told to observers as if there were one.
#pragma once
#include <optional>
#include <vector>

#include "exec/machine/parallel_run.hpp"
#include "run/options.hpp"
#include "run/run_observers.hpp"

namespace gsu::run {

/// Threads on which the launch can be run in parts, by --threads and the processors that are free to be used; 1: it is run at once.
[[nodiscard]] unsigned threadsForParts(const CommonOptions& options, const Executor& executor);

/// Runs it so. None: it has to be run at once after all, by the executor after restart(); then the observers have been told what is to be forgotten.
[[nodiscard]] std::optional<RunResult> runInParts(const CommonOptions& options,
                                                  const Config& config, Executor& executor,
                                                  unsigned threads, RunObservers& observers);

}  // namespace gsu::run
