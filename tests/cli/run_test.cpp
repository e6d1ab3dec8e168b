// gsu run, replay, check, decode, params, help: exit codes, JSON, files.
#include <nlohmann/json.hpp>

#include "gsu_process.hpp"

using nlohmann::json;
using process::data;
using process::Folder;
using process::gsu;

TEST_CASE("run prints the promised JSON and nothing else", "[cli]")
{
    const auto r = gsu("run --unit golden --json " + data("count.launch.json"));
    CHECK(r.code == 0);
    CHECK(r.err.empty());
    CHECK(r.out.find('\n') == r.out.size() - 1);
    const json out = json::parse(r.out);
    CHECK(out["verdict"] == "pass");
    CHECK(out["as_expected"] == true);
    CHECK(out["cycles"] > 0);
    CHECK(out["instructions"] > 6 * 10);
    CHECK(out["sync_requests"] == 12);
    CHECK(out["findings"].empty());
    CHECK(out["mismatches"].empty());
    CHECK(!out.contains("hang"));
    CHECK(out["barriers"].size() == 2);
}

TEST_CASE("a mismatch is exit code 1 and named", "[cli]")
{
    const auto r = gsu("run --unit golden --json " + data("wrong.launch.json"));
    CHECK(r.code == 1);
    const json out = json::parse(r.out);
    CHECK(out["verdict"] == "mismatch");
    CHECK(out["as_expected"] == false);
    REQUIRE(!out["mismatches"].empty());
    CHECK(out["mismatches"][0] ==
          json({{"param", 0}, {"index", 0}, {"expected", 23}, {"actual", 24}}));
}

TEST_CASE("a hang is explained; expected or not decides the exit code", "[cli][BAR-040]")
{
    const auto expected = gsu("run --unit golden --json " + data("stuck.launch.json"));
    CHECK(expected.code == 0);
    const json out = json::parse(expected.out);
    CHECK(out["verdict"] == "hang");
    REQUIRE(!out["hang"]["waiting"].empty());
    const json& waiting = out["hang"]["waiting"][0];
    CHECK(waiting["cta"] == 0);
    CHECK(waiting["warp"] == 0);
    CHECK(waiting["lanes"] == "0xffffffff");
    CHECK(waiting["line"] == 36);
    CHECK(waiting["on"] == json({{"kind", "named"}, {"id", 3}}));
    CHECK(!out["hang"]["explanation"].get<std::string>().empty());
    CHECK(gsu("run --unit golden " + data("stuck_unexpected.launch.json")).code == 1);
    const auto text = gsu("run --unit golden " + data("stuck_unexpected.launch.json"));
    CHECK(text.out.find("NOT as expected") != std::string::npos);
    CHECK(text.out.find("bar.sync 3, 64;") != std::string::npos);
    CHECK(text.out.find('\x1b') == std::string::npos);
}

TEST_CASE("the cycle limit is a verdict", "[cli]")
{
    const auto r = gsu("run --unit golden --json --max-cycles 20 " + data("count.launch.json"));
    CHECK(r.code == 1);
    CHECK(json::parse(r.out)["verdict"] == "limit");
}

TEST_CASE("a recorded run replays with the same answers", "[cli]")
{
    const Folder folder;
    for (const char* name : {"a.gsut", "a.gsut.zst"}) {
        const std::string path = folder / name;
        CHECK(gsu("run --unit golden --record " + path + " --timeline " + (folder / "t.json") +
                  ' ' + data("count.launch.json"))
                  .code == 0);
        const auto replay = gsu("replay --unit golden --json " + path);
        CHECK(replay.code == 0);
        const json out = json::parse(replay.out);
        CHECK(out["verdict"] == "agree");
        CHECK(out["sync_requests"] == 12);
        CHECK(out["compared"] > 4);
    }
    CHECK(json::parse(process::slurp(folder / "t.json"))["traceEvents"].size() > 20);
    CHECK(folder.files() == 3);
    // The same run again writes the same bytes.
    CHECK(gsu("run --unit golden --record " + (folder / "b.gsut") + ' ' + data("count.launch.json"))
              .code == 0);
    CHECK(process::slurp(folder / "a.gsut") == process::slurp(folder / "b.gsut"));
}

TEST_CASE("the trace of a hang replays as a hang", "[cli][BAR-040]")
{
    const Folder folder;
    const std::string path = folder / "stuck.gsut";
    CHECK(gsu("run --unit golden --record " + path + ' ' + data("stuck.launch.json")).code == 0);
    const auto replay = gsu("replay --unit golden --json " + path);
    CHECK(replay.code == 0);
    const json out = json::parse(replay.out);
    CHECK(out["verdict"] == "agree");
    CHECK(out["hang"]["waiting"][0]["on"] == json({{"kind", "named"}, {"id", 3}}));
    REQUIRE(out["preflight"].size() == 1);
    CHECK(out["preflight"][0]["rule"] == "BAR-040");
}

TEST_CASE("check accepts and rejects", "[cli][BAR-002]")
{
    const auto accepted = gsu("check --json " + data("count.ptx"));
    CHECK(accepted.code == 0);
    CHECK(json::parse(accepted.out)["verdict"] == "accept");
    const auto rejected = gsu("check --json " + data("reject.ptx"));
    CHECK(rejected.code == 1);
    const json out = json::parse(rejected.out);
    CHECK(out["verdict"] == "reject");
    REQUIRE(!out["diagnostics"].empty());
    CHECK(out["diagnostics"][0]["line"] == 6);
    CHECK(out["diagnostics"][0]["rule"] == "BAR-002");
    CHECK(gsu("check " + data("reject.ptx")).out.find("bar.sync 16;") != std::string::npos);
    CHECK(gsu("check --dialect martian " + data("reject.ptx")).code == 2);
}

TEST_CASE("decode explains a word", "[cli][MBAR-002]")
{
    const auto r = gsu("decode --json 0xfffff800001ffffe");
    CHECK(r.code == 0);
    const json out = json::parse(r.out);
    CHECK(out["phase"] == 1);
    CHECK(out["pending"] == 1);
    CHECK(out["expected"] == 1);
    CHECK(out["tx"] == 0);
    CHECK(gsu("decode 0").out.find("not initialised") != std::string::npos);
    for (const char* bad :
         {"0x", "''", "12z", "-1", "0x10000000000000000", "99999999999999999999"}) {
        CAPTURE(bad);
        CHECK(gsu(std::string("decode -- ") + bad).code == 2);
    }
}

TEST_CASE("params and help answer", "[cli]")
{
    const auto r = gsu("params --json");
    CHECK(r.code == 0);
    CHECK(json::parse(r.out)["parameters"].size() > 20);
    CHECK(gsu("params --preset volta").code == 2);
    CHECK(gsu("help bar.sync").code == 0);
    CHECK(gsu("help frobnicate").code == 2);
    CHECK(gsu("--help").code == 0);
    for (const char* command : {"run", "replay", "check", "decode", "params", "help"}) {
        CAPTURE(command);
        const auto help = gsu(std::string(command) + " --help");
        CHECK(help.code == 0);
        CHECK(!help.out.empty());
    }
}
