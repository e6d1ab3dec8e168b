/// Whole numbers in texts of users and files: no sign, no blanks, nothing after them.
#pragma once
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace gsu {

enum class Digits : std::uint8_t {
    Decimal,
    Hexadecimal,  ///< with 0x or 0X
    Either        ///< hexadecimal with 0x or 0X, else decimal
};

/// The number that `text` begins with.
struct LeadingNumber {
    std::uint64_t value{};
    std::size_t used{};  ///< characters of the number; 0: there is none
    bool large{};        ///< the number is above 2^64 - 1
};

[[nodiscard]] inline LeadingNumber leadingNumber(std::string_view text,
                                                 Digits digits = Digits::Decimal) noexcept
{
    const bool prefix = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const bool hex = prefix && digits != Digits::Decimal;
    if (!hex && digits == Digits::Hexadecimal) return {};
    const std::size_t skipped = hex ? 2 : 0;
    LeadingNumber number;
    const auto [end, error] = std::from_chars(text.data() + skipped, text.data() + text.size(),
                                              number.value, hex ? 16 : 10);
    if (error == std::errc::invalid_argument) return {};
    number.large = error != std::errc{};
    number.used = static_cast<std::size_t>(end - text.data());
    return number;
}

/// The whole text as a number of at most `max`.
[[nodiscard]] inline std::optional<std::uint64_t>
wholeNumber(std::string_view text, std::uint64_t max = ~std::uint64_t{0},
            Digits digits = Digits::Decimal) noexcept
{
    const LeadingNumber number = leadingNumber(text, digits);
    if (number.used == 0 || number.used != text.size() || number.large || number.value > max)
        return std::nullopt;
    return number.value;
}

}  // namespace gsu
