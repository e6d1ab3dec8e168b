// Integer and floating literals of PTX.
#include <bit>
#include <cstdlib>
#include <string>

#include "ptx/lexer.hpp"

namespace gsu::ptx {
namespace {

int digitOf(char c) noexcept
{
    if (isDigit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

void fail(Token& token, const char* reason) noexcept
{
    token.kind = Token::Kind::Invalid;
    token.reason = reason;
}

/// Reads digits of `base` from `text[at]` on; false when there is none or the value needs more than 64 bits.
bool readDigits(std::string_view text, std::size_t& at, unsigned base, Token& token)
{
    const std::size_t start = at;
    std::uint64_t value = 0;
    bool overflow = false;
    while (at < text.size() && digitOf(text[at]) < static_cast<int>(base)) {
        overflow = overflow ||
                   value > (~std::uint64_t{0} - static_cast<unsigned>(digitOf(text[at]))) / base;
        value = value * base + static_cast<unsigned>(digitOf(text[at++]));
    }
    if (at == start) fail(token, "number without digits");
    if (overflow) fail(token, "integer does not fit 64 bits");
    token.integer = value;
    return token.kind != Token::Kind::Invalid;
}

void readExactFloat(std::string_view text, std::size_t digits, Token& token)
{
    std::size_t at = 2;
    token.type = digits == 8 ? Type::F32 : Type::F64;
    if (text.size() < 2 + digits || !readDigits(text.substr(0, 2 + digits), at, 16, token) ||
        at != 2 + digits || (at < text.size() && isFollow(text[at]))) {
        fail(token, digits == 8 ? "0f must be followed by 8 hexadecimal digits"
                                : "0d must be followed by 16 hexadecimal digits");
        return;
    }
    token.kind = Token::Kind::Float;
    token.text = text.substr(0, at);
}

/// The end of a decimal floating literal at the start of `text`, or 0 when it is an integer.
std::size_t decimalFloatEnd(std::string_view text) noexcept
{
    std::size_t at = 0;
    bool isFloat = false;
    const auto digits = [&] {
        while (at < text.size() && isDigit(text[at])) ++at;
    };
    digits();
    if (at < text.size() && text[at] == '.') {
        isFloat = true;
        ++at;
        digits();
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        std::size_t exponent = at + 1;
        if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
        if (exponent < text.size() && isDigit(text[exponent])) {
            isFloat = true;
            at = exponent;
            digits();
        }
    }
    return isFloat ? at : 0;
}

void readDecimalFloat(std::string_view text, std::size_t end, Token& token)
{
    const std::string copy(text.substr(0, end));
    if (end > 400 || (end < text.size() && isFollow(text[end]))) {
        fail(token, "malformed floating-point literal");
        return;
    }
    token.kind = Token::Kind::Float;
    token.type = Type::F64;
    token.integer = std::bit_cast<std::uint64_t>(std::strtod(copy.c_str(), nullptr));
    token.text = text.substr(0, end);
}

}  // namespace

void readNumber(std::string_view text, Token& token)
{
    token.text = text.substr(0, 1);
    const char second = text.size() > 1 ? text[1] : '\0';
    const bool zero = text[0] == '0';
    if (zero && (second == 'f' || second == 'F')) return readExactFloat(text, 8, token);
    if (zero && (second == 'd' || second == 'D')) return readExactFloat(text, 16, token);
    unsigned base = 10;
    std::size_t at = 0;
    if (zero && (second == 'x' || second == 'X')) base = 16;
    if (zero && (second == 'b' || second == 'B')) base = 2;
    if (base != 10) at = 2;
    if (base == 10) {
        if (const std::size_t end = decimalFloatEnd(text); end != 0) {
            return readDecimalFloat(text, end, token);
        }
        if (zero) base = 8;
    }
    if (!readDigits(text, at, base, token)) return;
    if (at < text.size() && (text[at] == 'U' || text[at] == 'u')) {
        token.isUnsigned = true;
        ++at;
    }
    if (at < text.size() && isFollow(text[at])) return fail(token, "malformed integer literal");
    token.isUnsigned = token.isUnsigned || token.integer > 0x7fffffffffffffffu;
    token.kind = Token::Kind::Integer;
    token.text = text.substr(0, at);
}

}  // namespace gsu::ptx
