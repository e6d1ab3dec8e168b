/// What a call that cannot be parsed may have meant.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace gsu::cli {

/// "unknown command 'rnu' (did you mean run?)", or the same of an option or a pattern of gsu gen; "a command is missing (there are ...)". Empty
/// when none of this is what is wrong.
[[nodiscard]] std::string explainUnknown(const CLI::App& app, int argc, const char* const* argv);
/// The call that helps with this one: "gsu gen --help", or "gsu --help" where no command is known.
[[nodiscard]] std::string helpCall(const CLI::App& app, int argc, const char* const* argv);

}  // namespace gsu::cli
