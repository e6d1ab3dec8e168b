/// Standard output of the program.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gsu::run {

/// Writes text to standard output. Throws if that fails (a closed pipe).
void print(const std::string& text);
/// Whether print was called.
[[nodiscard]] bool printed() noexcept;
/// The lines of a text, for messages: without indentation and control characters.
[[nodiscard]] std::vector<std::string> sourceLines(std::string_view text);
/// True when standard output is a terminal that shows colours.
[[nodiscard]] bool colourful();

}  // namespace gsu::run
