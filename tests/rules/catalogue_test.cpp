// The catalogue: every rule about undefined behaviour says how it is found and has examples.
#include <set>

#include "catch.hpp"
#include "cli/gsu_process.hpp"
#include "exec/result/finding_table.hpp"
#include "golden/findings.hpp"
#include "rules/catalogue.hpp"
#include "rules/examples.hpp"

using namespace gsu;

namespace {

/// tcgen05: its tests are in tests/tcgen05.
bool ofTensorMemory(const std::string& id) { return id.rfind("TC5-", 0) == 0; }

}  // namespace

TEST_CASE("every rule about undefined behaviour says how it is found", "[rules]")
{
    unsigned count = 0;
    for (const rules::Rule& r : rules::all()) {
        if (r.kind != "ub") continue;
        ++count;
        CAPTURE(r.id);
        CHECK(!r.by.empty());
        CHECK(!foundWhen(r).empty());
        CHECK(!r.statement.empty());
    }
    CHECK(count >= 141);
}

TEST_CASE("every rule about undefined behaviour has an example", "[rules]")
{
    std::set<std::string> shown;
    for (const rules::Example& e : rules::examples()) shown.insert(e.rule);
    for (const rules::Rule& r : rules::all()) {
        const std::string id(r.id);
        if (r.kind != "ub" || ofTensorMemory(id) || r.by == "trace" || id == "INIT-001") continue;
        CAPTURE(id);
        CHECK(shown.count(id) == 1);
    }
}

TEST_CASE("every row of the list of misuse has a rule and an example, but for traces", "[rules]")
{
    std::set<unsigned> rows, shown;
    for (const rules::Rule& r : rules::all()) {
        std::istringstream words{std::string(r.misuse)};
        for (unsigned row = 0; words >> row;) rows.insert(row);
    }
    for (const rules::Example& e : rules::examples())
        shown.insert(e.misuse.begin(), e.misuse.end());
    for (unsigned row = 1; row <= 58; ++row) {
        CAPTURE(row);
        CHECK(rows.count(row) == 1);
        CHECK(shown.count(row) == 1);
    }
}

TEST_CASE("what a run can report is in the catalogue, with how to fix it", "[rules]")
{
    std::set<std::string> reported;
    for (const FindingRow& row : findingRows())
        if (*row.rule.rule != '\0') reported.insert(row.rule.rule);
    for (const ExecFinding& f : execFindings()) reported.insert(f.rule);
    CHECK(reported.size() > 100);
    for (const std::string& id : reported) {
        CAPTURE(id);
        const rules::Rule* rule = rules::find(id);
        REQUIRE(rule != nullptr);
        CHECK(!rule->by.empty());
        if (id.rfind("TC5-", 0) != 0) CHECK(!rule->fix.empty());
    }
}

TEST_CASE("gsu help shows a rule with both kernels, gsu rules lists it", "[rules]")
{
    const process::Outcome help = process::runGsu("help BAR-025");
    CHECK(help.code == 0);
    for (const char* words : {"rule: ", "found: always", "fix: ", "  wrong,", "  right;",
                              "    - selp.u32 %r1, 96, 64, %p1;", "    + mov.u32 %r1, 64;",
                              "bar.sync 1, %r1;  // BAR-025"}) {
        CAPTURE(words, help.out);
        CHECK(help.out.find(words) != std::string::npos);
    }
    CHECK(process::runGsu("help MBW-014").out.find("found: with --check race") !=
          std::string::npos);
    CHECK(process::runGsu("help race-async").out.find("found: with --check race") !=
          std::string::npos);
    CHECK(process::runGsu("help GEN-006").out.find("found: by gsu check\n") != std::string::npos);
    CHECK(process::runGsu("help BAR-013").out.find("found: never; this rule says how GSU") !=
          std::string::npos);
    const process::Outcome none = process::runGsu("help ABC-001");
    CHECK(none.code == 2);
    CHECK(none.err.find("there is no rule 'ABC-001': see gsu rules") != std::string::npos);
    const std::string list = process::runGsu("rules").out;
    for (const rules::Rule& r : rules::all())
        if (r.kind == "ub" || r.kind == "race")
            CHECK(list.find(std::string(r.id) + ' ') != std::string::npos);
    CHECK(process::runGsu("rules --kind none").code == 2);
    CHECK(process::runGsu("rules --examples /dev/null/x").code == 2);
}
