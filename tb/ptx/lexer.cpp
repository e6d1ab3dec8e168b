#include "ptx/lexer.hpp"

#include <algorithm>
#include <array>

namespace gsu::ptx {
namespace {

constexpr std::array<std::string_view, 8> kDoublePunct{
    "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
constexpr std::string_view kSinglePunct = "{}[]()<>,;:@|!~+-*/%&^?=#";

}  // namespace

std::uint32_t Lexer::lineOf(std::string_view part) const noexcept
{
    return static_cast<std::uint32_t>(1 + std::count(text_.data(), part.data(), '\n'));
}

Token Lexer::invalid(Token token, const char* reason) noexcept
{
    // One report is enough: text after a byte that is not PTX cannot be read.
    token.kind = Token::Kind::Invalid;
    token.reason = reason;
    token.text = text_.substr(token.text.data() - text_.data(), 1);
    position_ = text_.size();
    return token;
}

bool Lexer::skipBlank(Token& token)
{
    while (position_ < text_.size()) {
        const char c = text_[position_];
        if (c == '\n') {
            ++position_;
            newLine();
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            ++position_;
        } else if (c == '/' && peek(1) == '/') {
            skipLine();
        } else if (c == '/' && peek(1) == '*') {
            token.at = here();
            token.text = text_.substr(position_, 2);
            position_ += 2;
            while (position_ < text_.size() && !(text_[position_] == '*' && peek(1) == '/')) {
                if (text_[position_++] == '\n') newLine();
            }
            if (position_ >= text_.size()) return false;
            position_ += 2;
        } else {
            break;
        }
    }
    return true;
}

void Lexer::skipLine() noexcept
{
    const std::size_t end = text_.find('\n', position_);
    position_ = end == std::string_view::npos ? text_.size() : end;
}

void Lexer::rewind(const Token& token, std::size_t bytesKept) noexcept
{
    // Only comments span lines, so the line state still belongs to this token.
    position_ = static_cast<std::size_t>(token.text.data() - text_.data()) + bytesKept;
    line_ = token.at.line;
    lineStart_ = static_cast<std::size_t>(token.text.data() - text_.data()) + 1 - token.at.column;
}

Token Lexer::next()
{
    Token token;
    if (!skipBlank(token))
        return invalid(token, "comment is not closed before the end of the file");
    token.at = here();
    token.text = text_.substr(position_, 0);
    if (position_ >= text_.size()) return token;
    const char c = text_[position_];
    if (isDigit(c)) return number(token);
    if (c == '.') return dotted(token);
    if (c == '"') return quoted(token);
    if ((isFollow(c)) || (c == '%' && isFollow(peek(1)))) return identifier(token);
    return punct(token);
}

Token Lexer::identifier(Token token)
{
    const std::size_t start = position_++;
    while (isFollow(peek())) ++position_;
    token.kind = Token::Kind::Identifier;
    token.text = text_.substr(start, position_ - start);
    return token;
}

Token Lexer::dotted(Token token)
{
    const std::size_t start = ++position_;
    while (isFollow(peek()) || (peek() == ':' && peek(1) == ':' && isFollow(peek(2)))) {
        position_ += peek() == ':' ? 2 : 1;
    }
    if (position_ == start) return invalid(token, "'.' without a name");
    token.kind = Token::Kind::Dotted;
    token.text = text_.substr(start, position_ - start);
    return token;
}

Token Lexer::number(Token token)
{
    readNumber(text_.substr(position_), token);
    if (token.kind == Token::Kind::Invalid) return invalid(token, token.reason);
    position_ += token.text.size();
    return token;
}

Token Lexer::quoted(Token token)
{
    const std::size_t start = ++position_;
    while (position_ < text_.size() && text_[position_] != '"' && text_[position_] != '\n') {
        position_ += text_[position_] == '\\' && peek(1) != '\n' ? 2 : 1;
    }
    if (peek() != '"') return invalid(token, "string is not closed on its line");
    token.kind = Token::Kind::String;
    token.text = text_.substr(start, position_ - start);
    ++position_;
    return token;
}

Token Lexer::punct(Token token)
{
    const char c = text_[position_];
    for (const std::string_view two : kDoublePunct) {
        if (c == two[0] && peek(1) == two[1]) {
            token.kind = Token::Kind::Punct;
            token.text = text_.substr(position_, 2);
            position_ += 2;
            return token;
        }
    }
    if (c == '\0') return invalid(token, "NUL byte: this is not PTX text");
    if (kSinglePunct.find(c) == std::string_view::npos) {
        return invalid(token, "byte that PTX does not have");
    }
    token.kind = Token::Kind::Punct;
    token.text = text_.substr(position_++, 1);
    return token;
}

}  // namespace gsu::ptx
