#include "ptx/lexer.hpp"

#include <vector>

#include "support.hpp"

using gsu::ptx::Lexer;
using gsu::ptx::Token;

namespace {

std::vector<Token> tokens(std::string_view text)
{
    Lexer lexer(text);
    std::vector<Token> list;
    do {
        list.push_back(lexer.next());
    } while (list.back().kind != Token::Kind::End && list.size() < 1000);
    return list;
}

}  // namespace

TEST_CASE("identifiers, dotted words and punctuation are cut with their places", "[ptx]")
{
    const auto t =
        tokens("mbarrier.try_wait.shared::cta.b64 %p1, [mb+8];\n  $L__BB0_1: // end\n/* a\nb */ _");
    std::vector<std::string> texts;
    for (const Token& token : t) texts.emplace_back(token.text);
    REQUIRE(texts == std::vector<std::string>{"mbarrier", "try_wait", "shared::cta", "b64", "%p1",
                                              ",", "[", "mb", "+", "8", "]", ";", "$L__BB0_1", ":",
                                              "_", ""});
    CHECK(t[2].at.column == 18);
    CHECK(t[12].at.line == 2);
    CHECK(t[12].at.column == 3);
    CHECK(t[14].at.line == 4);
    CHECK(t[14].at.column == 6);
}

TEST_CASE("integer literals of every base", "[ptx]")
{
    const struct {
        const char* text;
        std::uint64_t value;
        bool isUnsigned;
    } rows[] = {{"0", 0, false},
                {"42", 42, false},
                {"0x1F", 31, false},
                {"017", 15, false},
                {"0b101", 5, false},
                {"7U", 7, true},
                {"0xffU", 255, true},
                {"0xffffffffffffffff", ~0ull, true},
                {"9223372036854775807", 0x7fffffffffffffffull, false}};
    for (const auto& row : rows) {
        CAPTURE(row.text);
        const Token t = tokens(row.text)[0];
        REQUIRE(t.kind == Token::Kind::Integer);
        CHECK(t.integer == row.value);
        CHECK(t.isUnsigned == row.isUnsigned);
    }
}

TEST_CASE("floating literals", "[ptx]")
{
    CHECK(tokens("0f3F800000")[0].integer == 0x3f800000u);
    CHECK(tokens("0f3F800000")[0].type == gsu::ptx::Type::F32);
    CHECK(tokens("0d3FF0000000000000")[0].integer == 0x3ff0000000000000u);
    CHECK(tokens("1.5")[0].integer == 0x3ff8000000000000u);
    CHECK(tokens("1e3")[0].kind == Token::Kind::Float);
}

TEST_CASE("what is not PTX gives one Invalid token and then the end", "[ptx]")
{
    for (const std::string& text :
         {std::string("a \0 b", 5), std::string("`"), std::string("0f12"), std::string("0x"),
          std::string("12ab"), std::string("08"), std::string("\"open"), std::string("/* open"),
          std::string("18446744073709551616"), std::string("\x80\x81"), std::string(". x")}) {
        CAPTURE(text);
        const auto t = tokens(text);
        REQUIRE(t.size() >= 2);
        CHECK(t[t.size() - 2].kind == Token::Kind::Invalid);
        CHECK(std::string(t[t.size() - 2].reason).size() > 5);
    }
}
