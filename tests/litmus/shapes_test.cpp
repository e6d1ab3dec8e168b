// Every test of tests/litmus/shapes: nothing that PTX forbids is shown, in any form of memory; what PTX allows is shown or not as
// shown.tsv says, so that a machine that shows too little is noticed as well.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/read_file.hpp"
#include "catch.hpp"
#include "files.hpp"
#include "litmus/explore.hpp"

using namespace gsu;
using namespace gsu::litmus;

namespace {

namespace fs = std::filesystem;

const std::pair<const char*, MemoryForm> kForms[]{{"weak", MemoryForm::Weak},
                                                  {"default", MemoryForm::Default},
                                                  {"immediate", MemoryForm::Immediate}};

std::vector<fs::path> shapes()
{
    return testfiles::filesOf(testfiles::testsFolder() + "/litmus/shapes");
}

Exploration exploreFile(const fs::path& file, MemoryForm form, std::uint64_t states = 100'000)
{
    const Test test = parseTest(readFile(file, 1u << 16), file.filename().string());
    const Machine machine(test, form);
    ExploreOptions options;
    options.form = form;
    options.states = states;
    options.runs = 2000;
    return explore(machine, options);
}

bool shows(const Exploration& e)
{
    return std::any_of(e.seen.begin(), e.seen.end(), [](const Seen& s) { return s.named; });
}

}  // namespace

TEST_CASE("what PTX forbids is shown by no form of memory",
          "[FENCE-004][FENCE-005][FENCE-006][FENCE-007][FENCE-021][FENCE-024]"
          "[FENCE-027][FENCE-038][FENCE-039][CLU-016][CLU-017][CLU-021][CLU-022][CLU-023]"
          "[MBARR-013][MBARR-014][MBARR-019][MBW-018][MBW-020][BAR-014][BAR-015][BAR-016]"
          "[ATOM-029][RED-018][RASYNC-008][RASYNC-012][RASYNC-014]")
{
    unsigned forbidden = 0;
    for (const fs::path& file : shapes()) {
        INFO(file.filename().string());
        const Test test = parseTest(readFile(file, 1u << 16), file.filename().string());
        const bool says = test.remarks.at(0).find("PTX: forbidden") == 0;
        REQUIRE(says == (test.asks == Test::Asks::Never));
        if (!says) continue;
        ++forbidden;
        for (const auto& [name, form] : kForms) {
            INFO("memory " << name);
            const Exploration e = exploreFile(file, form);
            CHECK(e.complete);
            CHECK(e.verdict == Verdict::Holds);
            CHECK(e.hung == 0);
            CHECK_FALSE(e.seen.empty());
        }
    }
    CHECK(forbidden >= 100);
}

TEST_CASE("what PTX allows is shown as listed: a missing fence is seen",
          "[FENCE-004][CLU-017][CLU-018][CLU-022][MBW-023][D-69]")
{
    std::ifstream list(testfiles::testsFolder() + "/litmus/shown.tsv");
    std::map<std::string, std::string> shown;
    for (std::string line; std::getline(list, line);) {
        if (line.empty() || line[0] == '#') continue;
        shown[line.substr(0, line.find('\t'))] = line.substr(line.find('\t') + 1);
    }
    unsigned weak = 0;
    for (const fs::path& file : shapes()) {
        INFO(file.filename().string());
        const Test test = parseTest(readFile(file, 1u << 16), file.filename().string());
        if (test.asks != Test::Asks::Exists) continue;
        std::string by;
        for (const auto& [name, form] : kForms)
            if (shows(exploreFile(file, form))) by += (by.empty() ? "" : " ") + std::string(name);
        if (by.empty()) by = "none";
        CHECK(shown[test.name] == by);
        weak += by == "weak" ? 1 : 0;
    }
    CHECK(weak >= 30);
}

TEST_CASE("random runs see nothing that the states do not have, and all of it when there are few",
          "[D-69]")
{
    unsigned compared = 0;
    for (const fs::path& file : shapes()) {
        INFO(file.filename().string());
        const Exploration all = exploreFile(file, MemoryForm::Weak);
        const Exploration some = exploreFile(file, MemoryForm::Weak, 0);
        CHECK_FALSE(some.complete);
        for (const Seen& s : some.seen) {
            const bool known = std::any_of(all.seen.begin(), all.seen.end(), [&](const Seen& a) {
                return a.values == s.values && a.named == s.named;
            });
            CHECK(known);
        }
        compared += all.seen.size() == some.seen.size() ? 1 : 0;
    }
    CHECK(compared > 190);
}

TEST_CASE("a witness leads to its outcome", "[D-69]")
{
    const fs::path file = testfiles::testsFolder() + "/litmus/shapes/mp_cluster_global_none.litmus";
    const Test test = parseTest(readFile(file, 1u << 16), "mp");
    const Machine machine(test, MemoryForm::Weak);
    const Exploration e = explore(machine, {});
    REQUIRE(e.seen.size() >= 3);
    for (const Seen& s : e.seen) {
        State state = machine.initial();
        for (const Step& step : s.steps) machine.take(state, step);
        CHECK(machine.ended(state));
        CHECK(machine.outcome(state) == s.values);
        CHECK(witness(machine, s.steps).size() == s.steps.size());
    }
}

TEST_CASE("more states than the bound are incomplete, an outcome of its own", "[D-69]")
{
    const Exploration e = exploreFile(testfiles::testsFolder() + "/litmus/shapes/iriw_sc.litmus",
                                      MemoryForm::Weak, 10);
    CHECK_FALSE(e.complete);
    CHECK(e.verdict == Verdict::Incomplete);
    CHECK(e.runs == 2000);
}
