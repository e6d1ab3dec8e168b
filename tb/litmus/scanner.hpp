/// Words of a litmus file, with their positions.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gsu::litmus {

struct Token {
    enum class Kind : std::uint8_t { Word, Number, Sign, Text, End } kind{};
    std::string text;
    std::uint32_t line{}, column{};
};

/// Splits a text into words. Words contain dots (ld.weak); signs are single characters except /\ \/ == != <= >=. Comments (* *) and // end
/// of line are left out. Throws InputError.
class Scanner {
public:
    Scanner(std::string_view text, std::string file);
    [[nodiscard]] const Token& peek(std::size_t ahead = 0) const noexcept
    {
        return tokens_[at_ + ahead < tokens_.size() ? at_ + ahead : tokens_.size() - 1];
    }
    Token next();
    /// Takes the next token if it is this word or sign.
    bool accept(std::string_view what);
    Token expect(std::string_view what);
    Token word(const char* what);
    std::int32_t number(const char* what);
    [[nodiscard]] bool ended() const noexcept { return peek().kind == Token::Kind::End; }
    [[noreturn]] void fail(const Token& at, const std::string& why) const;
    /// Name of a token in messages.
    [[nodiscard]] static std::string show(const Token& token);
    [[nodiscard]] std::size_t place() const noexcept { return at_; }
    /// The tokens [from, place()) as text.
    [[nodiscard]] std::string textSince(std::size_t from) const;

private:
    void scan(std::string_view text);
    std::string file_;
    std::vector<Token> tokens_;
    std::size_t at_{};
};

}  // namespace gsu::litmus
