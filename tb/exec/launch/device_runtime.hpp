/// Variables and functions of the device runtime for kernels that synchronize their grid through cudaCG functions; private to tb/exec.
#pragma once
#include <string_view>
#include <vector>

#include "ptx/ast.hpp"

namespace gsu {

/// The function that the runtime calls, without a definition, if a handle of all grids of several devices is requested.
inline constexpr std::string_view kMultiGridScope = "cudaCGScopeMultiGrid";

/// Whether a function of the runtime is declared and not defined.
[[nodiscard]] bool callsDeviceRuntime(const std::vector<ptx::Module>& modules);
/// The module to link after the others: cudaCGGetIntrinsicHandle, cudaCGSynchronize, cudaCGSynchronizeGrid, cudaCGGetSize, cudaCGGetRank.
[[nodiscard]] ptx::Module deviceRuntime();

}  // namespace gsu
