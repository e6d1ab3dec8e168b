/// Error messages of the program: one line on standard error and, with --json, one object on standard output.
#pragma once
#include <string>

#include "base/input_error.hpp"

namespace gsu::cli {

/// Writes the message and returns `code`. `json`: also {"error": {"message", "exit_code"}} unless something was printed before.
int reportError(const std::string& text, int code, bool json);
/// The same with "file", "line" and "column" if they are known.
int reportError(const InputError& error, int code, bool json);

}  // namespace gsu::cli
