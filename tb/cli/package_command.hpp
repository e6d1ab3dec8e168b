/// Commands of the Python package `gsu` (scripts/python), called through the program.
#pragma once
#include <span>
#include <string_view>

namespace gsu::cli {

/// Their names: build, sweep, diff, report, timeline.
[[nodiscard]] std::span<const std::string_view> packageCommands() noexcept;
/// Whether the name is build, sweep, diff, report or timeline.
[[nodiscard]] bool isPackageCommand(std::string_view name) noexcept;
/// Replaces this process by `python3 -m gsu` with the same arguments, which uses this program; returns an exit code only if that is
/// impossible. The environment's GSU_PYTHON names another Python.
[[nodiscard]] int runPackageCommand(int argc, char** argv, bool json);

}  // namespace gsu::cli
