/// Computes the verdict of a run.
#pragma once
#include <string>

#include "exec/launch/launch_spec.hpp"
#include "exec/result/findings.hpp"

namespace gsu::exec {

/// The verdict. Precedence: a fault of the port, an interrupt, misuse, a trap, a hang, a limit, mismatches.
[[nodiscard]] Verdict verdictOf(const RunResult& result, const Findings& findings, bool trapped);
/// What the launch file expects and did not come: its verdict, one of its rules, who waits for what; empty: all is as expected. An
/// interrupted run never is.
[[nodiscard]] std::string unmetOf(const LaunchSpec& spec, const RunResult& result,
                                  const Findings& findings);

}  // namespace gsu::exec
