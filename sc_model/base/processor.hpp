/// The instructions that this build needs beyond the baseline of the processor's architecture (CMake option GSU_POPCNT).
#pragma once

namespace gsu {

/// Null if the processor has every needed instruction; else one sentence that names the missing one and how to build without it. Every
/// program of GSU asks first: otherwise an old processor stops with an illegal instruction.
[[nodiscard]] const char* missingInstruction() noexcept;

}  // namespace gsu
