// Legality by rule, from the table tests/ptx/legality.tsv: accepted forms, and refused ones with the rule that says so.
#include <map>
#include <set>
#include <sstream>

#include "ptx/check.hpp"
#include "support.hpp"

using namespace gsu::ptx;

namespace {

struct Row {
    std::string rule, verdict, version, target, text;
};

std::vector<Row> rows()
{
    std::istringstream table(ptxtest::readText(std::filesystem::path(testfiles::testsFolder()) /
                                               "ptx" / "legality.tsv"));
    std::vector<Row> all;
    for (std::string line; std::getline(table, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream fields(line);
        Row r;
        for (std::string* f : {&r.rule, &r.verdict, &r.version, &r.target, &r.text})
            REQUIRE(std::getline(fields, *f, '\t'));
        all.push_back(r);
    }
    return all;
}

/// "accept", or "reject" and the rule of the first error.
std::string judged(const Row& r)
{
    const Dialect dialect = r.verdict.rfind("compat", 0) == 0 ? Dialect::Ptxas : Dialect::Text;
    const CheckResult result =
        checkModule(ptxtest::parse(ptxtest::around(r.text, r.target, r.version)), dialect);
    if (result.accepted) return "accept";
    for (const Diagnostic& d : result.diagnostics)
        if (d.severity == Diagnostic::Severity::Error) return "reject " + d.rule;
    return "reject";
}

/// The same from the table.
std::string expected(const Row& r)
{
    const bool compat = r.verdict.rfind("compat ", 0) == 0;
    const std::string verdict = compat ? r.verdict.substr(7) : r.verdict;
    return verdict == "reject" ? verdict + ' ' + r.rule : verdict;
}

}  // namespace

TEST_CASE("what each rule accepts and refuses", "[ptx][legality]")
{
    std::map<std::string, std::set<bool>> seen;
    for (const Row& r : rows()) {
        CAPTURE(r.rule, r.verdict, r.version, r.target, r.text);
        CHECK(judged(r) == expected(r));
        seen[r.rule].insert(expected(r) == "accept");
    }
    for (const auto& [rule, verdicts] : seen) {
        CAPTURE(rule);
        CHECK(verdicts.size() == 2);  // each rule is shown from both sides
    }
    CHECK(seen.size() > 100);
}

TEST_CASE("the sink stands where the text names it, and nowhere else", "[ptx][GEN-009]")
{
    const auto accepted = [](const std::string& text) {
        const CheckResult r = checkModule(ptxtest::parse(ptxtest::around(text, "sm_100", "8.6")));
        INFO(text);
        if (!r.accepted) CHECK_FALSE(r.diagnostics.empty());
        return r.accepted;
    };
    for (const char* text :
         {"atom.global.add.u32 _, [%rd1], %r2;", "match.all.sync.b32 _|%p1, %r2, -1;",
          "match.all.sync.b32 %r1|_, %r2, -1;", "elect.sync _|%p1, -1;",
          "mbarrier.arrive.shared::cta.b64 _, [%r1];",
          "mbarrier.arrive_drop.shared::cta.b64 _, [%r1];",
          "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];",
          "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1, _, %r2, _}, %q1;"})
        CHECK(accepted(text));
    for (const char* text :
         {"atom.global.add.u32 %r1, [%rd1], _;", "match.all.sync.b32 _|_, %r2, -1;",
          "match.any.sync.b32 _, %r2, -1;", "match.all.sync.b32 %r1|%p1, _, -1;",
          "elect.sync %r1|_, -1;", "redux.sync.add.u32 _, %r2, -1;",
          "redux.sync.add.u32 %r1, _, -1;", "vote.sync.ballot.b32 _, %p1, -1;",
          "vote.sync.all.pred _, %p1, -1;", "activemask.b32 _;", "barrier.cta.sync _;",
          "barrier.cta.red.popc.u32 _, 1, %p1;", "mbarrier.arrive.shared::cta.b64 %rd1, [%r1], _;",
          "mbarrier.init.shared::cta.b64 [%r1], _;",
          "mbarrier.test_wait.shared::cta.b64 _, [%r1], %rd1;",
          "mbarrier.test_wait.shared::cta.b64 %p1, [%r1], _;",
          "mbarrier.pending_count.b64 _, %rd1;", "mapa.shared::cluster.u32 _, %r1, 0;"})
        CHECK_FALSE(accepted(text));
}

TEST_CASE("vote without .sync is deprecated from PTX 6.0 on, where it is legal at all",
          "[ptx][VOTE-008]")
{
    const auto warns = [](const char* text, const char* target, const char* version) {
        const CheckResult r = checkModule(ptxtest::parse(ptxtest::around(text, target, version)));
        CHECK(r.accepted);
        unsigned count = 0;
        for (const Diagnostic& d : r.diagnostics)
            count += d.rule == "VOTE-008" && d.severity == Diagnostic::Severity::Warning;
        return count;
    };
    CHECK(warns("vote.all.pred %p1, %p2;", "sm_60", "6.0") == 1);
    CHECK(warns("vote.ballot.b32 %r1, %p2;", "sm_60", "9.0") == 1);
    CHECK(warns("vote.all.pred %p1, %p2;", "sm_60", "5.0") == 0);
    CHECK(warns("vote.sync.all.pred %p1, %p2, -1;", "sm_60", "6.0") == 0);
}
