#include "litmus/scanner.hpp"

#include <cctype>

#include "base/input_error.hpp"
#include "base/number.hpp"

namespace gsu::litmus {
namespace {

bool startsWord(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%';
}
bool inWord(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%' || c == '$';
}
bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Reads a text character by character and counts lines.
struct Reader {
    std::string_view text;
    std::size_t at{};
    std::uint32_t line{1}, column{1};

    [[nodiscard]] bool ended() const { return at >= text.size(); }
    [[nodiscard]] char peek(std::size_t ahead = 0) const
    {
        return at + ahead < text.size() ? text[at + ahead] : '\0';
    }
    char take()
    {
        const char c = text[at++];
        column = c == '\n' ? 1 : column + 1;
        line += c == '\n' ? 1 : 0;
        return c;
    }
    [[nodiscard]] bool begins(std::string_view what) const
    {
        return text.substr(at, what.size()) == what;
    }
};

/// Skips a comment, if there is one; false when it does not end.
bool skipComment(Reader& r)
{
    if (r.begins("//")) {
        while (!r.ended() && r.peek() != '\n') r.take();
        return true;
    }
    while (!r.ended() && !r.begins("*)")) r.take();
    if (r.ended()) return false;
    r.take();
    r.take();
    return true;
}

/// A dot, :: or - joins parts of a word only if one follows: ld.weak, shared::cta, aq-rl (names of tests).
std::string takeWord(Reader& r)
{
    std::string word;
    for (;;) {
        while (inWord(r.peek())) word += r.take();
        if (r.peek() == '.' && inWord(r.peek(1))) {
            word += r.take();
        } else if (r.begins("::") && startsWord(r.peek(2))) {
            word += r.take();
            word += r.take();
        } else {
            return word;
        }
    }
}

}  // namespace

Scanner::Scanner(std::string_view text, std::string file) : file_(std::move(file)) { scan(text); }

void Scanner::scan(std::string_view text)
{
    constexpr std::string_view kPairs[]{"/\\", "\\/", "==", "!=", "<=", ">="};
    constexpr std::string_view kSigns = "{}()[];:,|=~@&<>-+*?";
    Reader r{text};
    while (!r.ended()) {
        Token t{Token::Kind::Sign, {}, r.line, r.column};
        const char c = r.peek();
        if (std::isspace(static_cast<unsigned char>(c)) != 0) {
            r.take();
            continue;
        }
        if (r.begins("//") || r.begins("(*")) {
            if (!skipComment(r)) fail(t, "the comment does not end");
            continue;
        }
        if (c == '"') {
            t.kind = Token::Kind::Text;
            r.take();
            while (!r.ended() && r.peek() != '"') t.text += r.take();
            if (r.ended()) fail(t, "the text does not end");
            r.take();
        } else if (startsWord(c)) {
            t.kind = Token::Kind::Word;
            t.text = takeWord(r);
        } else if (isDigit(c)) {
            t.kind = Token::Kind::Number;
            while (inWord(r.peek())) t.text += r.take();
        } else {
            for (const std::string_view pair : kPairs)
                if (r.begins(pair)) t.text = pair;
            if (t.text.empty()) t.text = c;
            if (t.text.size() == 1 && kSigns.find(c) == std::string_view::npos)
                fail(t, "this character belongs to no word or sign of a litmus test");
            for (std::size_t i = 0; i < t.text.size(); ++i) r.take();
        }
        tokens_.push_back(std::move(t));
    }
    tokens_.push_back({Token::Kind::End, {}, r.line, r.column});
}

Token Scanner::next()
{
    Token t = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return t;
}

bool Scanner::accept(std::string_view what)
{
    const Token& t = peek();
    if ((t.kind != Token::Kind::Sign && t.kind != Token::Kind::Word) || t.text != what)
        return false;
    next();
    return true;
}

Token Scanner::expect(std::string_view what)
{
    if (peek().text != what || peek().kind == Token::Kind::Text || ended())
        fail(peek(), "expected '" + std::string(what) + "', found " + show(peek()));
    return next();
}

Token Scanner::word(const char* what)
{
    if (peek().kind != Token::Kind::Word)
        fail(peek(), std::string("expected ") + what + ", found " + show(peek()));
    return next();
}

std::int32_t Scanner::number(const char* what)
{
    const bool minus = accept("-");
    if (peek().kind != Token::Kind::Number)
        fail(peek(), std::string("expected ") + what + ", found " + show(peek()));
    const auto value = wholeNumber(peek().text, 0x7fff'ffff);
    if (!value) fail(peek(), "'" + peek().text + "' is no whole number below 2^31");
    next();
    const auto number = static_cast<std::int32_t>(*value);
    return minus ? -number : number;
}

void Scanner::fail(const Token& at, const std::string& why) const
{
    throw InputError(file_, at.line, at.column, why);
}

std::string Scanner::show(const Token& token)
{
    if (token.kind == Token::Kind::End) return "the end of the file";
    if (token.kind == Token::Kind::Text) return "a text";
    return "'" + token.text.substr(0, 40) + "'";
}

std::string Scanner::textSince(std::size_t from) const
{
    std::string text;
    for (std::size_t i = from; i < at_; ++i) {
        const std::string& t = tokens_[i].text;
        const bool glued = text.empty() || t == ")" || t == "," || t == ":" || t == "]" ||
                           text.back() == '(' || text.back() == ':' || text.back() == '[';
        text += (glued ? "" : " ") + t;
    }
    return text;
}

}  // namespace gsu::litmus
