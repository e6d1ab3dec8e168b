// Each example: the bad kernel is reported by its rule in its line, and not when the rule is left out; of the good one nothing is reported.
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "cli/gsu_process.hpp"
#include "rules/examples.hpp"

using namespace gsu;
using json = nlohmann::json;

namespace {

std::vector<std::string> units()
{
    std::vector<std::string> list;
    std::istringstream names(GSU_UNITS);
    for (std::string name; std::getline(names, name, ',');) list.push_back(name);
    return list;
}

/// All examples, written once.
const testfiles::Folder& folder()
{
    static const testfiles::Folder written;
    static const int code = process::runGsu("rules --examples '" + (written / "") + "'").code;
    REQUIRE(code == 0);
    return written;
}

json run(const rules::Example& e, bool good, const std::string& unit, const std::string& more = "")
{
    const std::string file = folder() / (e.name + (good ? ".good" : ".bad") + ".launch.json");
    const process::Outcome o = process::runGsu(
        "run '" + file + "' --json --unit " + unit + (e.race ? " --check race " : " ") +
        (e.set.empty() ? "" : "--set " + e.set + " ") + more);
    CAPTURE(file, o.out, o.err);
    if (more.empty()) CHECK(o.code == 0);  // each launch file says what is expected of it
    json out = json::parse(o.out, nullptr, false);
    REQUIRE(out.is_object());
    return out;
}

/// It was reported in a line that the example marks.
bool reported(const json& out, const rules::Example& e)
{
    const auto lines = reportedLines(e);
    const auto marked = [&](const json& line) {
        return std::find(lines.begin(), lines.end(), line.get<std::uint32_t>()) != lines.end();
    };
    if (e.hang) return out["verdict"] == "hang" && marked(out["hang"]["cause"]["line"]);
    for (const json& f : out["findings"])
        if (f["rule"] == e.as && marked(f["line"])) return true;
    return false;
}

bool named(const json& out, const std::string& rule)
{
    for (const json& f : out["findings"])
        if (f["rule"] == rule) return true;
    return false;
}

}  // namespace

TEST_CASE("each bad kernel is reported by its rule in its line", "[rules]")
{
    unsigned count = 0;
    for (const rules::Example& e : rules::examples()) {
        for (const std::string& unit : units()) {
            CAPTURE(e.name, e.title, unit);
            const json out = run(e, false, unit);
            CAPTURE(out["findings"].dump());
            CHECK(reported(out, e));
            for (const json& f : out["findings"]) {
                CHECK(f["line"] != 0);
                CHECK(f["mend"].is_string());
            }
        }
        ++count;
    }
    CHECK(count > 90);
}

TEST_CASE("of a bad kernel whose rule is left out nothing is reported by it", "[rules]")
{
    for (const rules::Example& e : rules::examples()) {
        if (e.hang) continue;
        CAPTURE(e.name, e.title);
        const json out = run(e, false, "golden", "--ignore " + e.as);
        CHECK_FALSE(reported(out, e));
        CHECK_FALSE(named(out, e.as));
        REQUIRE(out["ignored"].size() == 1);
        CHECK(out["ignored"][0]["ignore"] == e.as);
        CHECK(out["ignored"][0]["count"] >= 1);
        CHECK(out["unused_ignores"].empty());
    }
}

TEST_CASE("of each good kernel nothing is reported", "[rules]")
{
    for (const rules::Example& e : rules::examples()) {
        for (const std::string& unit : units()) {
            CAPTURE(e.name, e.title, unit);
            const json out = run(e, true, unit);
            CHECK(out["verdict"] == "pass");
            CHECK(out["findings"].dump() == "[]");
        }
    }
}

TEST_CASE("other orders of the same kernels: the good ones stay right, the bad ones wrong",
          "[rules]")
{
    for (const rules::Example& e : rules::examples()) {
        for (unsigned seed = 2; seed <= 4; ++seed) {
            CAPTURE(e.name, e.title, seed);
            const std::string more = "--seed " + std::to_string(seed);
            CHECK(run(e, true, "golden", more)["findings"].dump() == "[]");
            CHECK(reported(run(e, false, "golden", more), e));
        }
    }
}

TEST_CASE("of the project's kernels that are right nothing is reported, whatever is checked",
          "[rules]")
{
    // dependent_chain reads before it waits, on purpose; kernels of sm_100 are another test's.
    for (const char* name : {"cluster_pipeline", "cluster_softmax", "dsmem_histogram", "dsmem_lock",
                             "gemm_sm80", "gemm_sm90", "grid_scale", "attention_sm90"}) {
        const std::string file =
            testfiles::testsFolder() + "/kernels/" + name + "/" + name + ".launch.json";
        CAPTURE(file);
        REQUIRE(std::filesystem::exists(file));
        const json out = json::parse(
            process::runGsu("run '" + file + "' --json --unit golden --check race").out);
        CHECK(out["verdict"] == "pass");
        CHECK(out["findings"].dump() == "[]");
    }
}
