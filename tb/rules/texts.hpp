/// Files that are part of the program.
#pragma once
#include <span>
#include <string_view>

namespace gsu::rules {

[[nodiscard]] std::string_view rulesText() noexcept;  ///< rtl/doc/rules.tsv
[[nodiscard]] std::string_view foundText() noexcept;  ///< found.tsv
/// The files of examples/.
[[nodiscard]] std::span<const std::string_view> exampleTexts() noexcept;

}  // namespace gsu::rules
