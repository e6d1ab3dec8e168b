// The table of causes.
#include <fmt/format.h>

#include "causes/cause_kinds.hpp"
#include "causes/hang_case.hpp"
#include "files.hpp"

namespace gsu::test {

TEST_CASE("the kinds are words, each once", "[causes]")
{
    const std::string page = testfiles::slurp(testfiles::testsFolder() + "/../tb/exec/causes.md");
    std::set<std::string> words;
    for (const CauseRow& row : causeRows()) {
        CHECK(words.insert(row.word).second);
        CHECK(std::string(nameOf(row.kind)) == row.word);
        const std::string line = fmt::format("\n| `{}` | {} |\n", row.word, row.when);
        CAPTURE(line);
        CHECK(page.find(line) != std::string::npos);
    }
    CHECK(words.size() == 23);
}

TEST_CASE("a hang is found within 10000 cycles of the last change", "[causes][D-62]")
{
    const std::string wait =
        "W:\nmbarrier.try_wait.parity.shared::cta.b64 %p7, [full], 0;\n@!%p7 bra W;\n";
    const std::string spin =
        "S:\nld.volatile.global.u32 %r4, [%rd1];\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra S;\n";
    const std::vector<std::string> bodies{
        "@%p0 mbarrier.init.shared::cta.b64 [full], 65;\nbar.sync 0;\n" + wait,
        "@%p0 mbarrier.init.shared::cta.b64 [full], 65;\nbar.sync 0;\n@!%p15 bra D;\n" + wait +
            "D:\n",
        spin, "bar.sync 1, 128;\n"};
    for (const std::string& body : bodies) {
        std::string text;
        const RunResult r = hangOf({"quick", body, ""}, text);
        CAPTURE(text);
        REQUIRE(r.hang);
        CHECK(r.cycles < 12'000);
    }
}

}  // namespace gsu::test
