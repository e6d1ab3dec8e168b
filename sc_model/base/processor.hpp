/// The instructions that this build needs beyond the baseline of the processor's architecture (CMake option GSU_POPCNT).
#pragma once

namespace gsu {

/// Null where everything is there; else one sentence that names what is missing and how to build without it. To be asked once, first
/// thing, by whatever starts GSU: without it an old processor stops with an illegal instruction.
[[nodiscard]] const char* missingInstruction() noexcept;

}  // namespace gsu
