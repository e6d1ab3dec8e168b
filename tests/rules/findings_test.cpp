// Findings in the program's output: ignored with --ignore, as SARIF, reported once for the launches of a kernel.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/gsu_process.hpp"

using json = nlohmann::json;
using process::runGsu;
using testfiles::Folder;
using testfiles::slurp;
using testfiles::spill;

namespace {

const std::string kHead = ".version 8.6\n.target sm_90a\n.address_size 64\n";
/// Line 10: BAR-002. Line 12: a warning.
const std::string kTwo = kHead + R"(.visible .entry two()
{
.reg .pred %p<2>;
.reg .b32 %r<4>;
mov.u32 %r1, %tid.x;
.loc 1 42 0
bar.sync 0; mov.u32 %r2, 16; bar.sync %r2;
setp.eq.u32 %p1, %r1, 31; @%p1 exit;
bar.warp.sync 0xffffffff;
ret;
}
.file 1 "tile.cu"
)";
const std::string kOnce = kHead + R"(.visible .entry once()
{
.reg .pred %p<2>;
.reg .b32 %r<4>;
mov.u32 %r1, %tid.x;
setp.eq.u32 %p1, %r1, 31;
@%p1 exit;
bar.warp.sync 0xffffffff;
ret;
}
)";

struct Files {
    Folder folder;
    [[nodiscard]] std::string file(const std::string& name, const std::string& text) const
    {
        spill(folder / name, text);
        return folder / name;
    }
    [[nodiscard]] std::string two() const
    {
        return "run '" + file("two.ptx", kTwo) + "' --block 32 --unit golden ";
    }
};

unsigned times(const std::string& text, const std::string& words)
{
    unsigned n = 0;
    for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1))
        ++n;
    return n;
}

}  // namespace

TEST_CASE("--ignore leaves findings out, of all lines or of one", "[ignore]")
{
    const Files f;
    CHECK(runGsu(f.two()).code == 1);
    const process::Outcome all = runGsu(f.two() + "--ignore BAR-002");
    CHECK(all.code == 0);
    CHECK(all.out.find("BAR-002: ") == std::string::npos);
    CHECK(all.out.find("ignored: 1 of BAR-002\n") != std::string::npos);
    CHECK(all.out.find("BWS-010") != std::string::npos);
    CHECK(runGsu(f.two() + "--ignore BAR-002@10").code == 0);
    const process::Outcome other = runGsu(f.two() + "--ignore BAR-002@11");
    CHECK(other.code == 1);
    CHECK(other.out.find("--ignore BAR-002@11: unused") != std::string::npos);
    const json out =
        json::parse(runGsu(f.two() + "--ignore BAR-002@11 --ignore BWS-010 --json").out);
    CHECK(out["unused_ignores"].dump() == "[\"BAR-002@11\"]");
    CHECK(out["ignored"].dump() == "[{\"count\":1,\"ignore\":\"BWS-010\"}]");
    CHECK(json::parse(runGsu(f.two() + "--json").out).count("ignored") == 0);
}

TEST_CASE("a file of ignores, and what is none", "[ignore]")
{
    const Files f;
    const std::string list =
        f.file("list.txt", "# known\nBAR-002@10   # the ring\n\n  BWS-010\r\n");
    const process::Outcome o = runGsu(f.two() + "--ignore-file '" + list + "'");
    CHECK(o.code == 0);
    CHECK(o.out.find("warning") == std::string::npos);
    for (const char* wrong :
         {"--ignore NOTHING", "--ignore BAR-002@0", "--ignore BAR-002@x", "--ignore-file /none"}) {
        CAPTURE(wrong);
        CHECK(runGsu(f.two() + wrong).code == 2);
    }
    const process::Outcome bad =
        runGsu(f.two() + "--ignore-file '" + f.file("bad.txt", "\nRULE\n") + "'");
    CHECK(bad.code == 2);
    CHECK(bad.err.find("bad.txt:2: 'RULE' is no rule") != std::string::npos);
}

TEST_CASE("findings as SARIF", "[sarif]")
{
    const Files f;
    const std::string path = f.folder / "out.sarif";
    CHECK(runGsu(f.two() + "--sarif '" + path + "'").code == 1);
    const json log = json::parse(slurp(path));
    // What SARIF 2.1.0 requires: version and runs; of a run the tool, of its driver the name; of a result the message with its text; of a rule the id.
    CHECK(log["version"] == "2.1.0");
    REQUIRE(log["runs"].size() == 1);
    const json& run = log["runs"][0];
    CHECK(run["tool"]["driver"]["name"] == "gsu");
    const json& rules = run["tool"]["driver"]["rules"];
    REQUIRE(run["results"].size() == 2);
    for (const json& r : run["results"]) {
        CHECK(r["message"]["text"].is_string());
        CHECK(rules[r["ruleIndex"].get<std::size_t>()]["id"] == r["ruleId"]);
        CHECK(rules[r["ruleIndex"].get<std::size_t>()]["help"]["text"].is_string());
        REQUIRE(r["locations"].size() == 1);
        CHECK(r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].is_string());
        CHECK(r["locations"][0]["physicalLocation"]["region"]["startLine"] >= 1);
    }
    const json& first = run["results"][0];
    CHECK(first["ruleId"] == "BAR-002");
    CHECK(first["level"] == "error");
    CHECK(first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "tile.cu");
    CHECK(first["locations"][0]["physicalLocation"]["region"]["startLine"] == 42);
    const json& ptx = first["relatedLocations"][0]["physicalLocation"];
    CHECK(ptx["artifactLocation"]["uri"].get<std::string>().rfind("file:///", 0) == 0);
    CHECK(ptx["region"]["startLine"] == 10);
    CHECK(first["properties"]["lanes"] == "0xffffffff");
    CHECK(run["results"][1]["level"] == "warning");
}

TEST_CASE("the cause of a hang is a result of SARIF", "[sarif]")
{
    const Files f;
    const std::string ptx =
        f.file("stuck.ptx", kHead + ".visible .entry stuck()\n{\nbar.sync 1, 64;\nret;\n}\n");
    const std::string path = f.folder / "out.sarif";
    CHECK(runGsu("run '" + ptx + "' --block 32 --unit golden --sarif '" + path + "'").code == 1);
    const json result = json::parse(slurp(path))["runs"][0]["results"][0];
    CHECK(result["ruleId"] == "hang-count-too-large");
    CHECK(result["locations"][0]["physicalLocation"]["region"]["startLine"] == 6);
    CHECK(runGsu("run '" + ptx + "' --block 32 --unit golden --sarif '" + ptx + "'").code == 2);
}

TEST_CASE("launches of one kernel tell a warning once", "[findings]")
{
    const Files f;
    static_cast<void>(f.file("once.ptx", kOnce));
    const std::string launch = R"({"entry": "once"})";
    const std::string list = f.file(
        "list.launch.json", R"({"ptx": "once.ptx", "grid": [1], "block": [32], "launches": [)" +
                                launch + ", " + launch + ", " + launch + "]}");
    const process::Outcome o = runGsu("run '" + list + "' --unit golden");
    CAPTURE(o.out, o.err);
    CHECK(o.code == 0);
    CHECK(times(o.out, "warning BWS-010") == 1);
    CHECK(times(o.out, "... and 1 warning as in launches of once before") == 2);
    const json out = json::parse(runGsu("run '" + list + "' --unit golden --json").out);
    CHECK(out["findings"].size() == 3);
    const std::string path = f.folder / "out.sarif";
    CHECK(runGsu("run '" + list + "' --unit golden --sarif '" + path + "'").code == 0);
    CHECK(json::parse(slurp(path))["runs"][0]["results"].size() == 3);
}

TEST_CASE("a finding says what the rule says and how to fix it", "[findings]")
{
    const Files f;
    const process::Outcome o = runGsu(f.two());
    CHECK(times(o.out, "    fix: Use an id from 0 to 15. (gsu help BAR-002)\n") == 1);
    const json finding = json::parse(runGsu(f.two() + "--json").out)["findings"][0];
    CHECK(finding["wants"].get<std::string>().find("0..15") != std::string::npos);
    CHECK(finding["mend"] == "Use an id from 0 to 15.");
    CHECK(finding["source"]["file"] == "tile.cu");
    CHECK(finding["source"]["line"] == 42);
}
