/// Witnesses and kernels of `gsu litmus` on a unit.
#pragma once
#include "cli/litmus.hpp"
#include "cli/litmus_text.hpp"
#include "litmus/kernel_test.hpp"

namespace gsu::cli {

/// Repeats a witness as a kernel: its stores are performed at the times of the witness, others as seeds draw them. Throws if a run shows an
/// outcome that a complete exploration does not have.
[[nodiscard]] Replay replayed(const litmus::Test& test, const litmus::Exploration& explored,
                              const litmus::Seen& seen, const LitmusOptions& options);
/// Runs a user's kernel under seeds and reports its outcomes.
[[nodiscard]] LitmusReport runKernel(const litmus::KernelTest& kernel,
                                     const LitmusOptions& options);
[[nodiscard]] litmus::MemoryForm formOf(const std::string& name);

}  // namespace gsu::cli
