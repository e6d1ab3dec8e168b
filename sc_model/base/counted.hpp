/// Counted nouns of messages: "1 CTA", "2 CTAs".
#pragma once
#include <string>
#include <string_view>

namespace gsu {

/// `n` and the noun: `one` for 1 and -1, otherwise `many`; without `many`, `one` with an s.
template <class Number>
[[nodiscard]] std::string counted(Number n, std::string_view one, std::string_view many = {})
{
    std::string text = std::to_string(n);
    text.append(" ");
    if (text == "1 " || text == "-1 ") return text.append(one);
    return many.empty() ? text.append(one).append("s") : text.append(many);
}

}  // namespace gsu
