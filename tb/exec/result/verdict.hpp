/// Computes the verdict of a run.
#pragma once
#include "exec/launch/launch_spec.hpp"
#include "exec/result/findings.hpp"

namespace gsu::exec {

/// The verdict. Precedence: a fault of the port, an interrupt, misuse, a trap, a hang, a limit, mismatches.
[[nodiscard]] Verdict verdictOf(const RunResult& result, const Findings& findings, bool trapped);
/// Whether the launch file expects the verdict, its rules or its hang. An interrupted run is never as expected.
[[nodiscard]] bool asExpected(const LaunchSpec& spec, const RunResult& result,
                              const Findings& findings);

}  // namespace gsu::exec
