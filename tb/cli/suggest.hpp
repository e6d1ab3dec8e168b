/// What a call that cannot be parsed may have meant.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace gsu::cli {

/// "unknown command 'rnu' (did you mean run?)", or the same of an option; empty when neither is what is wrong.
[[nodiscard]] std::string explainUnknown(const CLI::App& app, int argc, const char* const* argv);

}  // namespace gsu::cli
