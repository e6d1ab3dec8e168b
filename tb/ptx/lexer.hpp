/// Cuts PTX text into tokens, one at a time, without copying. Columns count bytes from 1.
/// Never fails by throwing: a byte or literal that PTX does not have gives one Invalid token that carries the reason.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "ptx/ast.hpp"

namespace gsu::ptx {

struct Token {
    enum class Kind : std::uint8_t {
        End,
        Identifier,  ///< names, registers, opcodes
        Dotted,      ///< ".shared::cta"; `text` is without the dot
        Integer,     ///< `integer`, `isUnsigned`
        Float,       ///< `bits` of `type` F32 (0f...) or F64
        String,      ///< `text` without the quotes
        Punct,       ///< `text` is one of the operators
        Invalid      ///< `reason` says why; the token after it is End
    };
    Kind kind{Kind::End};
    Position at;
    std::string_view text;
    std::uint64_t integer{};
    bool isUnsigned{};
    Type type{Type::None};
    const char* reason{""};

    [[nodiscard]] bool is(std::string_view punct) const noexcept
    {
        if (kind != Kind::Punct || text.size() != punct.size()) return false;
        return text[0] == punct[0] && (punct.size() == 1 || text == punct);
    }
    [[nodiscard]] bool dotted(std::string_view word) const noexcept
    {
        return kind == Kind::Dotted && text == word;
    }
};

/// Cuts a text into tokens. The text must outlive the lexer and its tokens.
class Lexer {
public:
    explicit Lexer(std::string_view text) noexcept : text_(text) {}

    [[nodiscard]] Token next();
    /// Goes back to cut the remainder again after `bytesKept` bytes of the current token.
    void rewind(const Token& token, std::size_t bytesKept) noexcept;
    /// Skips to the end of the current line.
    void skipLine() noexcept;
    /// The line of a part of the text.
    [[nodiscard]] std::uint32_t lineOf(std::string_view part) const noexcept;
    /// The position after the last token; before the first, the beginning.
    [[nodiscard]] Position here() const noexcept
    {
        return {line_, static_cast<std::uint32_t>(position_ - lineStart_ + 1)};
    }

private:
    [[nodiscard]] char peek(std::size_t ahead = 0) const noexcept
    {
        return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
    }
    [[nodiscard]] bool skipBlank(Token& token);
    [[nodiscard]] Token invalid(Token token, const char* reason) noexcept;
    [[nodiscard]] Token identifier(Token token);
    [[nodiscard]] Token dotted(Token token);
    [[nodiscard]] Token number(Token token);
    [[nodiscard]] Token quoted(Token token);
    [[nodiscard]] Token punct(Token token);
    void newLine() noexcept
    {
        ++line_;
        lineStart_ = position_;
    }
    std::string_view text_;
    std::size_t position_{};
    std::size_t lineStart_{};
    std::uint32_t line_{1};
};

/// Reads the literal at the start of `text` (which starts with a digit) into `token`: kind, value, text.
/// A malformed literal leaves kind Invalid and a reason.
void readNumber(std::string_view text, Token& token);

/// Whether a character may follow the first character of an identifier: letters, digits, '_' and '$'.
[[nodiscard]] constexpr bool isFollow(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$';
}
[[nodiscard]] constexpr bool isDigit(char c) noexcept { return c >= '0' && c <= '9'; }

}  // namespace gsu::ptx
