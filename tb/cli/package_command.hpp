/// Commands of the Python package `gsu` (scripts/python), called through the program.
#pragma once
#include <span>
#include <string_view>

namespace gsu::cli {

/// build, sweep, diff, report, timeline.
[[nodiscard]] std::span<const std::string_view> packageCommands() noexcept;
[[nodiscard]] bool isPackageCommand(std::string_view name) noexcept;
/// Becomes `python3 -m gsu` with the same arguments and this program as its program; returns an exit code only where that cannot be.
/// The environment's GSU_PYTHON names another Python.
[[nodiscard]] int runPackageCommand(int argc, char** argv, bool json);

}  // namespace gsu::cli
