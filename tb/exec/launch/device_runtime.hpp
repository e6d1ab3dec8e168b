/// Variables and functions of the device runtime that kernels need which synchronize their grid through cudaCG functions; private to tb/exec.
#pragma once
#include <string_view>
#include <vector>

#include "ptx/ast.hpp"

namespace gsu {

/// What the runtime calls, and nothing defines, where a handle of all grids of several devices is asked for.
inline constexpr std::string_view kMultiGridScope = "cudaCGScopeMultiGrid";

/// One of its functions is declared somewhere and defined nowhere.
[[nodiscard]] bool callsDeviceRuntime(const std::vector<ptx::Module>& modules);
/// The module to link behind them: cudaCGGetIntrinsicHandle, cudaCGSynchronize, cudaCGSynchronizeGrid, cudaCGGetSize,
/// cudaCGGetRank.
[[nodiscard]] ptx::Module deviceRuntime();

}  // namespace gsu
