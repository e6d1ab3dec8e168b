/// Suggestions for a call that cannot be parsed.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace gsu::cli {

/// "unknown command 'rnu' (did you mean run?)", or the same of an option or a pattern of gsu gen; "a command is missing (there are ...)".
/// Empty if none of these is the error.
[[nodiscard]] std::string explainUnknown(const CLI::App& app, int argc, const char* const* argv);
/// The help call for this call: "gsu gen --help", or "gsu --help" if no command is known.
[[nodiscard]] std::string helpCall(const CLI::App& app, int argc, const char* const* argv);

}  // namespace gsu::cli
