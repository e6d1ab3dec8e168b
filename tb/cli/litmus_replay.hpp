/// Witnesses and kernels of `gsu litmus` on a unit.
#pragma once
#include "cli/litmus.hpp"
#include "cli/litmus_text.hpp"
#include "litmus/kernel_test.hpp"

namespace gsu::cli {

/// Repeats a witness as a kernel: its stores are performed when the witness says, else as seeds draw it.
/// Throws when a run shows what a complete exploration does not have.
[[nodiscard]] Replay replayed(const litmus::Test& test, const litmus::Exploration& explored,
                              const litmus::Seen& seen, const LitmusOptions& options);
/// Runs an own kernel under seeds and tells what it left.
[[nodiscard]] LitmusReport runKernel(const litmus::KernelTest& kernel,
                                     const LitmusOptions& options);
[[nodiscard]] litmus::MemoryForm formOf(const std::string& name);

}  // namespace gsu::cli
