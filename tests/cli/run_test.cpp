// gsu run, replay, check, decode, params, help: exit codes, JSON, files.
#include <nlohmann/json.hpp>

#include "gsu_process.hpp"
#include "timeline_events.hpp"

using nlohmann::json;
using process::data;
using process::Folder;
using process::runGsu;

TEST_CASE("run prints the promised JSON and nothing else", "[cli]")
{
    const auto r = runGsu("run --unit golden --json " + data("count.launch.json"));
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
    const auto r = runGsu("run --unit golden --json " + data("wrong.launch.json"));
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
    const auto expected = runGsu("run --unit golden --json " + data("stuck.launch.json"));
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
    CHECK(runGsu("run --unit golden " + data("stuck_unexpected.launch.json")).code == 1);
    const auto text = runGsu("run --unit golden " + data("stuck_unexpected.launch.json"));
    CHECK(text.out.find("NOT as expected") != std::string::npos);
    CHECK(text.out.find("bar.sync 3, 64;") != std::string::npos);
    CHECK(text.out.find('\x1b') == std::string::npos);
}

TEST_CASE("the cycle limit is a verdict", "[cli]")
{
    CHECK(runGsu("run --unit golden --max-cycles 20 " + data("count.launch.json"))
              .out.find("limit: stopped at cycle 20 (--max-cycles)\n") != std::string::npos);
    const auto r = runGsu("run --unit golden --json --max-cycles 20 " + data("count.launch.json"));
    CHECK(r.code == 1);
    CHECK(json::parse(r.out)["verdict"] == "limit");
}

TEST_CASE("a recorded run replays with the same answers", "[cli]")
{
    const Folder folder;
    for (const char* name : {"a.gsut", "a.gsut.zst"}) {
        const std::string path = folder / name;
        CHECK(runGsu("run --unit golden --record " + path + " --timeline " +
                     (folder / "t.pftrace") + ' ' + data("count.launch.json"))
                  .code == 0);
        const auto replay = runGsu("replay --unit golden --json " + path);
        CHECK(replay.code == 0);
        const json out = json::parse(replay.out);
        CHECK(out["verdict"] == "agree");
        CHECK(out["sync_requests"] == 12);
        CHECK(out["compared"] > 4);
    }
    // Cycles and requests are those of the run, wherever it ended.
    for (const std::string unit : {"golden", "lockstep"}) {
        for (const std::string limit : {"60", "200", "1000000"}) {
            const std::string path = folder / "limit.gsut";
            const auto run = runGsu("run --json --unit " + unit + " --max-cycles " + limit +
                                    " --record " + path + ' ' + data("count.launch.json"));
            CAPTURE(run.err);
            REQUIRE(run.code != 2);
            const json ran = json::parse(run.out);
            const json again = json::parse(runGsu("replay --json --unit " + unit + ' ' + path).out);
            CAPTURE(unit, limit);
            CHECK(again["verdict"] == "agree");
            CHECK(again["cycles"] == ran["cycles"]);
            CHECK(again["sync_requests"] == ran["sync_requests"]);
        }
    }
    CHECK(timelines::eventsOf(process::slurp(folder / "t.pftrace")).size() > 20);
    CHECK(folder.files() == 4);
    // The same run again writes the same bytes.
    CHECK(runGsu("run --unit golden --record " + (folder / "b.gsut") + ' ' +
                 data("count.launch.json"))
              .code == 0);
    CHECK(process::slurp(folder / "a.gsut") == process::slurp(folder / "b.gsut"));
}

TEST_CASE("a replay gives a CTA other memory than the CTA before had, as the run did",
          "[cli][D-41]")
{
    // Under write-back an init that changes nothing leaves its word clean, and the end of the CTA takes less time.
    const std::string init = "mbarrier.init.shared.b64 [gate], 1;\n";
    const auto agrees = [](const std::string& body, unsigned ctas) {
        const Folder folder;
        process::spill(folder / "k.ptx", ".version 8.6\n.target sm_90a\n.address_size 64\n"
                                         ".visible .entry k()\n{\n.shared .align 8 .b64 gate;\n" +
                                             body + "ret;\n}\n");
        const auto run = runGsu("run --unit rtl --sms 1 --block 1 --grid " + std::to_string(ctas) +
                                " --set mbar_policy=1 --record " + (folder / "k.gsut") + ' ' +
                                (folder / "k.ptx"));
        CAPTURE(run.out, run.err);
        REQUIRE(run.code == 0);
        const auto replay = runGsu("replay --unit rtl --json " + (folder / "k.gsut"));
        CAPTURE(replay.out);
        CHECK(json::parse(replay.out)["verdict"] == "agree");
    };
    agrees(init, 80);  // two and a half times as many as an SM holds
    agrees(init + "mbarrier.inval.shared.b64 [gate];\nst.shared.u32 [gate], 7;\n" + init, 1);
}

TEST_CASE("the trace of a hang replays as a hang", "[cli][BAR-040]")
{
    const Folder folder;
    const std::string path = folder / "stuck.gsut";
    CHECK(runGsu("run --unit golden --record " + path + ' ' + data("stuck.launch.json")).code == 0);
    const auto replay = runGsu("replay --unit golden --json " + path);
    CHECK(replay.code == 0);
    const json out = json::parse(replay.out);
    CHECK(out["verdict"] == "agree");
    CHECK(out["hang"]["waiting"][0]["on"] == json({{"kind", "named"}, {"id", 3}}));
    REQUIRE(out["preflight"].size() == 1);
    CHECK(out["preflight"][0]["rule"] == "BAR-040");
}

TEST_CASE("the replay of a misuse names rules, of a wait the mbarrier", "[cli][BAR-002][MBAR-010]")
{
    const Folder folder;
    process::spill(folder / "k.ptx", R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u32 id)
{
    .reg .b32 %r<3>; .reg .pred %p<3>; .shared .align 8 .b64 full;
    ld.param.u32 %r1, [id]; mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0;
    bar.sync %r1;
    @%p1 mbarrier.init.shared.b64 [full], 3; bar.sync 0;
    @%p1 mbarrier.arrive.shared.b64 _, [full];
W:  mbarrier.try_wait.parity.shared.b64 %p2, [full], 0; @!%p2 bra W;
    ret;
}
)");
    process::spill(folder / "k.launch.json",
                   R"({"ptx": "k.ptx", "entry": "k", "block": [32, 1, 1], "verdict": "misuse",
                       "params": [{"scalar": {"type": "u32", "value": 16}}]})");
    const std::string trace = folder / "k.gsut";
    CHECK(runGsu("run --unit golden --record " + trace + ' ' + (folder / "k.launch.json")).code ==
          0);
    const auto replay = runGsu("replay --unit golden --json " + trace);
    CHECK(replay.code == 0);
    const json out = json::parse(replay.out);
    REQUIRE(out["findings"].size() == 1);
    const json& f = out["findings"][0];
    CHECK(f["rule"] == "BAR-002");
    CHECK(f["line"] == 8);
    CHECK(f["lanes"] == "0xffffffff");
    CHECK(f["operation"].get<std::string>().find("barrier.cta.sync") == 0);
    REQUIRE(out["preflight"].size() == 1);
    CHECK(out["preflight"][0]["rule"] == "MBAR-010");
    REQUIRE(out["waiting"].size() == 1);
    CHECK(out["waiting"][0]["line"] == 11);
    CHECK(out["waiting"][0]["trace_line"] == out["preflight"][0]["trace_line"]);
    const std::string text = runGsu("replay --unit golden " + trace).out;
    CHECK(text.find("BAR-002: the barrier id is above 15") != std::string::npos);
    CHECK(text.find("phase 0, 2 of 3 arrivals pending") != std::string::npos);
}

TEST_CASE("check accepts and rejects", "[cli][BAR-002]")
{
    const auto accepted = runGsu("check --json " + data("count.ptx"));
    CHECK(accepted.code == 0);
    CHECK(json::parse(accepted.out)["verdict"] == "accept");
    const auto rejected = runGsu("check --json " + data("reject.ptx"));
    CHECK(rejected.code == 1);
    const json out = json::parse(rejected.out);
    CHECK(out["verdict"] == "reject");
    REQUIRE(!out["diagnostics"].empty());
    CHECK(out["diagnostics"][0]["line"] == 6);
    CHECK(out["diagnostics"][0]["rule"] == "BAR-002");
    CHECK(runGsu("check " + data("reject.ptx")).out.find("bar.sync 16;") != std::string::npos);
    CHECK(runGsu("check --dialect martian " + data("reject.ptx")).code == 2);
}

TEST_CASE("decode explains a word", "[cli][MBAR-002]")
{
    const auto r = runGsu("decode --json 0xfffff800001ffffe");
    CHECK(r.code == 0);
    const json out = json::parse(r.out);
    CHECK(out["phase"] == 1);
    CHECK(out["pending"] == 1);
    CHECK(out["expected"] == 1);
    CHECK(out["tx"] == 0);
    CHECK(runGsu("decode 0").out.find("not initialised") != std::string::npos);
    for (const char* bad :
         {"0x", "''", "12z", "-1", "0x10000000000000000", "99999999999999999999"}) {
        CAPTURE(bad);
        CHECK(runGsu(std::string("decode -- ") + bad).code == 2);
    }
}

TEST_CASE("params and help answer", "[cli]")
{
    const auto r = runGsu("params --json");
    CHECK(r.code == 0);
    CHECK(json::parse(r.out)["parameters"].size() > 20);
    CHECK(runGsu("params --preset volta").code == 2);
    CHECK(runGsu("help bar.sync").code == 0);
    CHECK(
        runGsu("help frobnicate").err ==
        "gsu help: 'frobnicate': no synchronization instruction or rule begins with this (gsu help "
        "lists what there is)\n");
    CHECK(runGsu("help elect").out.find("needs PTX 8.0, sm_90\n") != std::string::npos);
    CHECK(runGsu("help barrier.cluster.arrive").out.find("; with .release: PTX 8.0") !=
          std::string::npos);
    const auto topics = runGsu("help");
    CHECK(topics.code == 0);
    for (const char* topic : {"findings", "refused", "nvvm", "chapter", "forms"}) {
        CAPTURE(topic);
        CHECK(topics.out.find(std::string("gsu help ") + topic + ' ') != std::string::npos);
        CHECK(runGsu(std::string("help ") + topic).code == 0);
    }
    CHECK(topics.out.find("\nmbarrier.try_wait.parity\n") != std::string::npos);
    const auto findings = runGsu("help findings");
    CHECK(findings.code == 0);
    for (const char* rule : {"BAR-002", "BWS-010", "CLU-025", "MBAR-004", "MBAR-013", "RASYNC-016"})
        CHECK(findings.out.find(rule) != std::string::npos);
    const auto rule = runGsu("help MBDROP-017");
    CHECK(rule.code == 0);
    CHECK(rule.out.find("mbarrier.arrive_drop") != std::string::npos);
    CHECK(rule.out.find("MBARR") == std::string::npos);
    CHECK(runGsu("help XYZ-999").code == 2);
    CHECK(runGsu("--help").code == 0);
    for (const char* command : {"run", "replay", "check", "decode", "params", "help"}) {
        CAPTURE(command);
        const auto help = runGsu(std::string(command) + " --help");
        CHECK(help.code == 0);
        CHECK(!help.out.empty());
    }
    const std::string help = runGsu("run --help").out;
    const std::size_t outputs = help.find("\nOutput files:\n");
    REQUIRE(outputs != std::string::npos);
    CHECK(help.find("\n  --fst FILE") > outputs);
    CHECK(help.find("\n  --dump-memory DIR") > outputs);
    CHECK(help.find("\n  --unit") < outputs);
    CHECK(help.find("\ntb/exec/README.md says what a launch file may hold.") > outputs);
}

TEST_CASE("waves around the hang or the first finding of a run, which are found by themselves",
          "[cli]")
{
    const Folder folder;
    const std::string ptx = folder / "late.ptx", part = folder / "part.fst",
                      whole = folder / "whole.fst";
    // Barriers for more than 100,000 cycles; then one of two warps leaves, and a pending count of what is no state is asked for.
    const auto write = [&](const char* end) {
        process::spill(ptx, std::string(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry late()
{
    .reg .pred %p<2>;
    .reg .b32 %r<3>;
    mov.u32 %r0, 0;
    mov.u32 %r1, %tid.x;
NEXT:
    bar.sync 0;
    add.u32 %r0, %r0, 1;
    setp.lt.u32 %p0, %r0, 5000;
    @%p0 bra NEXT;
    setp.lt.u32 %p1, %r1, 32;
)") + end + "    ret;\n}\n");
    };
    const std::string run = "run --json --unit rtl " + ptx + " --block 64 ";
    write("    @%p1 bar.sync 1, 64;\n");
    const json plain = json::parse(runGsu(run).out);
    CHECK(plain["verdict"] == "hang");
    CHECK(plain["cycles"] > 100'000);
    CHECK(runGsu(run + "--fst " + whole).code == 1);
    const auto hang = runGsu(run + "--fst " + part + " --fst-around hang");
    CHECK(hang.code == 1);
    CHECK(json::parse(hang.out) == plain);
    CHECK(std::filesystem::file_size(part) < std::filesystem::file_size(whole) / 2);
    std::filesystem::remove(part);
    const auto none = runGsu(run + "--fst " + part + " --fst-around finding");
    CHECK(none.code == 1);
    CHECK(json::parse(none.out)["waves"].is_null());
    CHECK(json::parse(none.out).contains("waves"));
    CHECK(!std::filesystem::exists(part));
    write("    @%p1 bar.sync 1, 33;\n");
    const auto finding = runGsu(run + "--fst " + part + " --fst-around finding");
    CHECK(json::parse(finding.out)["findings"].size() == 1);
    CHECK(std::filesystem::file_size(part) < std::filesystem::file_size(whole) / 2);
    CHECK(runGsu(run + "--fst " + part + " --fst-around soon").code == 2);
}
