#include <random>

#include "ptx/check.hpp"
#include "ptx/printer.hpp"
#include "support.hpp"

using namespace gsu::ptx;

namespace {

/// Either a usable module, or an error with a place; both judged and printed without harm.
bool soundly(const std::string& text)
{
    const Module m = parseModule(text, "fuzz");
    const CheckResult checked = checkModule(m);
    if (m.ok()) {
        // A module that was read can be printed and read again.
        REQUIRE(parseModule(print(m), "again").ok());
        return true;
    }
    REQUIRE_FALSE(checked.accepted);
    const Diagnostic* d = firstError(m);
    REQUIRE(d != nullptr);
    REQUIRE(d->at.line >= 1);
    REQUIRE(d->at.column >= 1);
    REQUIRE_FALSE(d->message.empty());
    return false;
}

std::string repeat(const std::string& piece, int times)
{
    std::string text;
    for (int i = 0; i < times; ++i) text += piece;
    return text;
}

}  // namespace

TEST_CASE("a file cut anywhere is read or refused with a place", "[ptx]")
{
    int refused = 0;
    for (const auto& path : ptxtest::fixtures()) {
        CAPTURE(path.string());
        const std::string text = ptxtest::readText(path);
        for (std::size_t cut = 0; cut < text.size(); cut += 7) {
            CAPTURE(cut);
            refused += soundly(text.substr(0, cut)) ? 0 : 1;
        }
    }
    CHECK(refused > 100);
}

TEST_CASE("flipped, dropped and doubled bytes never harm", "[ptx]")
{
    const auto files = ptxtest::fixtures();
    const auto seed = GENERATE(range(1u, 41u));
    CAPTURE(seed);
    std::mt19937 random(seed);
    const std::string original = ptxtest::readText(files[seed % files.size()]);
    int refused = 0;
    int read = 0;
    for (int round = 0; round < 25; ++round) {
        std::string text = original;
        for (auto n = random() % 6; n-- > 0 && !text.empty();) {
            const std::size_t at = random() % text.size();
            switch (random() % 4) {
                case 0: text[at] = static_cast<char>(random()); break;
                case 1: text.erase(at, random() % 20); break;
                case 2: text.insert(at, text.substr(random() % text.size(), random() % 40)); break;
                case 3: text[at] = "{}[]()<>;:,.@!|+-*/%\"0_"[random() % 23]; break;
            }
        }
        CAPTURE(round);
        (soundly(text) ? read : refused) += 1;
    }
    CHECK(refused > 0);
    CHECK(read > 0);
}

TEST_CASE("hostile shapes meet limits, not the stack or the memory", "[ptx]")
{
    const std::string head = ".version 8.0\n.target sm_90\n.address_size 64\n";
    const std::string entry = head + ".entry k() {";
    CHECK_FALSE(soundly(entry + repeat("{", 100'000)));
    CHECK_FALSE(soundly(entry + "mov.b32 x, " + repeat("(", 100'000)));
    CHECK_FALSE(soundly(entry + "mov.b32 x, " + repeat("-", 100'000)));
    CHECK_FALSE(soundly(entry + "mov.b32 x, " + repeat("!", 100'000)));
    CHECK_FALSE(soundly(entry + "mov.b32 " + repeat("{", 100'000)));
    CHECK_FALSE(soundly(entry + "mov.b32 " + repeat("[1,", 100'000)));
    CHECK_FALSE(soundly(entry + "mov.b32 x, " + repeat("1?", 100'000)));
    CHECK_FALSE(soundly(head + ".global .b8 x[2][2] = " + repeat("{", 100'000)));
    CHECK_FALSE(soundly(head + ".global .b8 x" + repeat("[1]", 1000) + ";"));
    CHECK_FALSE(soundly(head + ".global .b8 x[2][1<<38] = {{1},{1}};"));
    CHECK_FALSE(soundly(entry + ".reg .b32 %r<1000001>; ret; }"));
    CHECK(soundly(entry + ".reg .b32 %r<1000000>; mov.b32 %r999999, 1; ret; }"));
    CHECK_FALSE(soundly(head + repeat(".global .b8 x<4096>;", 10'000)));
    CHECK_FALSE(soundly(entry + repeat("{}", 300'000)));
    CHECK_FALSE(soundly(head + ".file 4294967295 \"x\""));
    CHECK_FALSE(soundly(std::string(1000, '\0')));
    CHECK_FALSE(soundly("\x7f"
                        "ELF\x02\x01\x01" +
                        std::string(64, '\0')));
}

TEST_CASE("binary garbage gives exactly one error", "[ptx]")
{
    std::mt19937 random(7);
    std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {\n";
    text += '\0';
    for (int i = 0; i < 4096; ++i) text += static_cast<char>(random());
    const Module m = parseModule(text, "garbage");
    REQUIRE(m.diagnostics.size() == 1);
    CHECK(m.diagnostics[0].at.line == 5);
    CHECK(m.diagnostics[0].at.column == 1);
}
