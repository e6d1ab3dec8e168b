// Causes of hangs as the program reports them.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "catch.hpp"
#include "cli/gsu_process.hpp"
#include "files.hpp"
#include "timeline_events.hpp"

using json = nlohmann::json;

namespace {

struct Kernels {
    testfiles::Folder folder;
    [[nodiscard]] std::string file(const std::string& name, const std::string& text) const
    {
        testfiles::spill(folder / name, text);
        return folder / name;
    }
};

const std::string kHead = ".version 8.6\n.target sm_90a\n.address_size 64\n";
const std::string kStuck = kHead + R"(.visible .entry stuck(.param .u64 out)
{
.reg .pred %p<4>;
.reg .b32 %r<8>;
mov.u32 %r1, %tid.x;
shr.u32 %r2, %r1, 5;
setp.eq.u32 %p1, %r2, 1;
.file 1 "tile.cu"
.loc 1 42 0
@%p1 ret;
barrier.sync 3, 64;
ret;
}
)";
const std::string kPair = kHead + R"(.visible .global .u32 flag;
.visible .entry first()
{
.reg .pred %p<4>;
.reg .b32 %r<8>;
mov.u32 %r1, 0;
S:
ld.acquire.gpu.global.u32 %r2, [flag];
setp.eq.u32 %p1, %r2, 0;
@%p1 bra S;
griddepcontrol.launch_dependents;
ret;
}
.visible .entry second()
{
.reg .b32 %r<8>;
mov.u32 %r1, 1;
st.release.gpu.global.u32 [flag], %r1;
ret;
}
)";

json parsed(const std::string& arguments, int code)
{
    const auto r = process::runGsu("run --unit golden --json " + arguments);
    CAPTURE(arguments, r.out, r.err);
    REQUIRE(r.code == code);
    return json::parse(r.out);
}

}  // namespace

TEST_CASE("what a launch file expects and does not come is said", "[cli]")
{
    const Kernels kernels;
    (void)kernels.file("stuck.ptx", kStuck);
    const auto launch = [&](const std::string& expected) {
        return kernels.file("x.launch.json", R"({"ptx": "stuck.ptx", "grid": [1,1,1], "block": )"
                                             R"([64,1,1], "params": [{"scalar": {"type": "u64", )"
                                             R"("value": 0}}], )" +
                                                 expected + "}");
    };
    const auto says = [&](const std::string& expected) {
        const auto r = process::runGsu("run --unit golden " + launch(expected));
        CHECK(r.code == 1);
        const std::string mark = "expected and not met: ";
        const std::size_t at = r.out.find(mark);
        return at == std::string::npos
                   ? r.out
                   : r.out.substr(at + mark.size(), r.out.find('\n', at) - at - mark.size());
    };
    CHECK(says(R"("verdict": "hang", "findings": {"waiting": [{"cta": 0, "warp": 1}]})") ==
          "CTA 0 warp 1 waits");
    CHECK(says(R"("verdict": "hang", "findings": {"barrier": {"kind": "named", "id": 4}})") ==
          "a warp waits on \"named\", id 4");
    CHECK(says(R"("verdict": "trap")") == "verdict trap");
    process::refused(
        "run --unit golden " +
            launch(R"("verdict": "hang", "findings": {"waiting": [{"cta": 0, "warp": 9}]})"),
        "a CTA has 2 warps");
    process::refused(
        "run --unit golden " +
            launch(R"("verdict": "hang", "findings": {"waiting": [{"cta": 1, "warp": 0}]})"),
        "the grid has 1 CTA");
    process::refused("run --unit golden " + launch(R"("verdict": "misuse", "findings": ["BAR-)"
                                                   R"(999"])"),
                     "there is no rule 'BAR-"
                     "999'");
}

TEST_CASE("the cause of a hang in JSON, on the console and as a graph", "[cli][causes]")
{
    const Kernels k;
    const std::string ptx = k.file("stuck.ptx", kStuck), dot = k.folder / "waits.dot";
    const std::string call = ptx + " --block 64 --arg buf:u32:4";
    const json hang = parsed(call + " --dot " + dot, 1)["hang"];
    const json& cause = hang["cause"];
    CHECK(cause["kind"] == "exited-arriver");
    CHECK(cause["line"] == 13);
    CHECK(cause["culprits"] == json::array({{{"cta", 0}, {"warp", 1}}}));
    CHECK(cause["object"] == json({{"kind", "named"}, {"cta", 0}, {"id", 3}}));
    CHECK(cause["others"] == json::array());
    CHECK(cause["cycle"].is_number());
    const auto sentence = cause["sentence"].get<std::string>();
    CHECK(sentence.find("tile.cu:42") != std::string::npos);
    CHECK(hang["explanation"] == sentence);  // nobody else waits
    const std::string graph = testfiles::slurp(dot);
    CHECK(graph.rfind("digraph waits {", 0) == 0);
    CHECK(graph.find("CTA 0 warp 0") != std::string::npos);
    CHECK(graph.find("exited at line 13") != std::string::npos);
    const auto text = process::runGsu("run --unit golden " + call);
    CHECK(text.out.find("cause: exited-arriver\n" + sentence + "\n") != std::string::npos);
}

TEST_CASE("a run that ends has no hang and writes no graph", "[cli][causes]")
{
    const Kernels k;
    const std::string ptx = k.file("stuck.ptx", kStuck), dot = k.folder / "waits.dot";
    const json out = parsed(ptx + " --block 32 --arg buf:u32:4 --dot " + dot, 1);
    CHECK(out.contains("hang"));  // one warp of two
    const json good = parsed(k.file("good.ptx", kHead + ".visible .entry k() { ret; }") +
                                 " --dot " + (k.folder / "none.dot"),
                             0);
    CHECK_FALSE(good.contains("hang"));
    CHECK_FALSE(testfiles::fs::exists(k.folder / "none.dot"));
}

TEST_CASE("a list has the hang of the launch that ends it at the top; a first launch may be "
          "expected to hang",
          "[cli][causes][launch]")
{
    const Kernels k;
    std::ignore = k.file("pair.ptx", kPair);
    const auto list = [&](const std::string& more) {
        return k.file(
            "pair.launch.json",
            R"({"ptx": "pair.ptx", "grid": [1], "block": [32], "launches": [{"entry": "first", "params": [])" +
                more + R"(}, {"entry": "second", "params": [], "dependent": true}]})");
    };
    const json out = parsed(list(""), 1);
    CHECK(out["verdict"] == "hang");
    REQUIRE(out.contains("hang"));
    CHECK(out["hang"]["launch"] == 0);
    CHECK(out["hang"]["cause"] == out["launches"][0]["hang"]["cause"]);
    CHECK(out["hang"]["cause"]["kind"] == "grid-not-signalled");
    CHECK(out["hang"]["cause"]["line"] == 14);
    CHECK(out["hang"]["cause"]["culprits"] == json::array());
    const json expected = parsed(list(R"(, "verdict": "hang")"), 0);
    CHECK(expected["as_expected"] == true);
    CHECK(expected["verdict"] == "hang");
    const std::string wrong = k.file(
        "wrong.launch.json",
        R"({"ptx": "pair.ptx", "grid": [1], "block": [32], "launches": [{"entry": "first", "params": [], "verdict": "hang"}, {"entry": "second", "params": []}]})");
    CHECK(process::runGsu("run --unit golden " + wrong).code == 2);
}

TEST_CASE("a dependent launch that waits for one that hangs", "[cli][causes][launch]")
{
    const Kernels k;
    std::ignore = k.file("wait.ptx", kHead + R"(.visible .entry first()
{
griddepcontrol.launch_dependents;
bar.sync 3, 96;
ret;
}
.visible .entry second()
{
griddepcontrol.wait;
ret;
}
)");
    const std::string list = k.file(
        "wait.launch.json",
        R"({"ptx": "wait.ptx", "grid": [1], "block": [32], "launches": [{"entry": "first", "params": []}, {"entry": "second", "params": [], "dependent": true}]})");
    const json out = parsed(list, 1);
    CHECK(out["launches"][0]["hang"]["cause"]["kind"] == "count-too-large");
    CHECK(out["launches"][1]["hang"]["cause"]["kind"] == "grid-not-signalled");
    CHECK(out["launches"][1]["hang"]["cause"]["line"] == 12);
}

TEST_CASE("a replay tells what its trace knows", "[cli][causes]")
{
    const Kernels k;
    const std::string ptx = k.file("stuck.ptx", kStuck), trace = k.folder / "t.gsut";
    CHECK(process::runGsu("run --unit golden --record " + trace + ' ' + ptx +
                          " --block 64 --arg buf:u32:4")
              .code == 1);
    const auto r = process::runGsu("replay --unit golden --json " + trace);
    CAPTURE(r.out, r.err);
    const json out = json::parse(r.out);
    const json& cause = out["hang"]["cause"];
    CHECK(cause["kind"] ==
          "exited-arriver");  // all that a port tells: the line of the exit is not in a trace
    CHECK(cause["culprits"] == json::array({{{"sm", 0}, {"slot", 0}, {"warp", 1}}}));
    CHECK(cause["sentence"] ==
          "barrier 3 of SM 0 CTA 0 is not complete (32 of 64 threads have arrived): warp 1 exited "
          "without having arrived, so warp 0 waits at line 14 for ever.");
    CHECK(out["hang"]["explanation"] == cause["sentence"]);
    CHECK(out["preflight_cause"]["sentence"] == cause["sentence"]);  // before any cycle ran
    CHECK(out["preflight_cause"].contains("trace_line"));
    const auto text = process::runGsu("replay --unit golden " + trace);
    CHECK(text.out.rfind("predicted before the run: exited-arriver\nbarrier 3 of SM 0 CTA 0", 0) ==
          0);
    CHECK(text.out.find("\ncause: exited-arriver\n") != std::string::npos);
}

namespace {

/// Warp 0 waits for the second phase of an mbarrier of two arrivals, of which warp 1 gives the first round only, and spins in test_wait.
const std::string kRounds = kHead + R"(.visible .entry rounds()
{
.reg .pred %p<8>;
.reg .b32 %r<8>;
.reg .b64 %rd<4>;
.shared .align 8 .b64 full;
mov.u32 %r1, %tid.x;
setp.eq.u32 %p1, %r1, 0;
setp.eq.u32 %p2, %r1, 32;
@%p1 mbarrier.init.shared::cta.b64 [full], 2;
bar.sync 0;
mov.u32 %r3, 0;
mov.u32 %r4, 0;
R:
setp.lt.u32 %p4, %r4, 1;
and.pred %p5, %p2, %p4;
@%p5 mbarrier.arrive.shared::cta.b64 %rd1, [full];
@%p1 mbarrier.arrive.shared::cta.b64 %rd1, [full];
setp.ge.u32 %p6, %r1, 32;
@%p6 bra N;
W:
mbarrier.test_wait.parity.shared::cta.b64 %p3, [full], %r3;
@!%p3 bra W;
xor.b32 %r3, %r3, 1;
N:
add.u32 %r4, %r4, 1;
setp.lt.u32 %p4, %r4, 2;
@%p4 bra R;
ret;
}
)";

}  // namespace

TEST_CASE("what a run, its replay and the pre-flight say of a loop of test_wait", "[cli][causes]")
{
    const Kernels k;
    const std::string ptx = k.file("rounds.ptx", kRounds), trace = k.folder / "t.gsut";
    const json run = parsed(ptx + " --block 64 --record " + trace, 1)["hang"];
    CHECK(run["cause"]["kind"] == "left-loop-early");
    REQUIRE(run["waiting"].size() >= 1);
    CHECK(run["waiting"][0]["on"]["asked"] == 1);
    REQUIRE(run["objects"].size() == 1);
    const json& phases = run["objects"][0]["phases"];
    REQUIRE(phases.size() == 2);
    CHECK(phases[0]["end"] == phases[1]["begin"]);
    CHECK_FALSE(phases[1].contains("end"));
    CHECK(phases[1]["parts"].size() == 1);
    CHECK(phases[0]["parts"].size() == 2);
    CHECK(run["last_change"].get<std::uint64_t>() >=
          phases[1]["parts"][0]["last"].get<std::uint64_t>());
    const auto r = process::runGsu("replay --unit golden --json " + trace);
    CAPTURE(r.out, r.err);
    const json replay = json::parse(r.out);
    REQUIRE(replay.contains("hang"));  // every question was answered: nothing is open
    CHECK(replay["hang"]["cause"]["kind"] ==
          "left-loop-early");  // it has left after one round: how, a port does not see
    CHECK(replay["hang"]["cause"]["sentence"].get<std::string>().find(
              "lacks 1 of 2 arrivals of phase 1") != std::string::npos);
    CHECK(replay["preflight_cause"]["kind"] == "left-loop-early");
    CHECK(replay["waiting"][0]["asked"] == 1);
    const auto text = process::runGsu("run --unit golden " + ptx + " --block 64");
    CHECK(text.out.find("asks for parity 1") != std::string::npos);
}

TEST_CASE("waves and timeline point out the culprit, the last good phase and the first lost wait",
          "[cli][causes][waves]")
{
    const Kernels k;
    const std::string ptx = k.file("rounds.ptx", kRounds), trace = k.folder / "t.gsut",
                      fst = k.folder / "w.fst", time = k.folder / "t.pftrace";
    const std::string files = " --fst " + fst + " --timeline " + time;
    const auto checks = [&](const std::string& call, const std::string& culprit) {
        const auto r = process::runGsu(call + files);
        CAPTURE(call, r.out, r.err);
        const std::string view = testfiles::slurp(k.folder / "w.hang.gtkw");
        CHECK(view.find("[markername] Aculprit: " + culprit) != std::string::npos);
        CHECK(view.find("[markername] Blast good phase: ") != std::string::npos);
        CHECK(view.find("[markername] Cfirst lost wait: ") != std::string::npos);
        // The dump counts in thousandths of a cycle, and the markers stand inside it, between the events of the timeline.
        const std::size_t at = view.find("\n*-16.0 ") + 8;
        std::istringstream numbers(view.substr(at, view.find('\n', at) - at));
        long long cursor = 0;
        std::array<long long, 3> marked{};
        numbers >> cursor >> marked[0] >> marked[1] >> marked[2];
        CHECK(cursor == marked[0]);
        CHECK(view.find("sm0.gsu_sm.tap_mb_valid_o") != std::string::npos);
        std::vector<std::string> names;
        for (const json& e : timelines::eventsOf(testfiles::slurp(time))) {
            if (e.value("cat", "") != "hang") continue;
            if (names.size() < marked.size())
                CHECK(marked[names.size()] == std::llround(e["ts"].get<double>() * 1e6));  // of us
            names.push_back(e["name"]);
        }
        CHECK(names == std::vector<std::string>{"culprit", "last good phase", "first lost wait"});
        CHECK(r.out.find("markers " + (k.folder / "w.hang.gtkw")) != std::string::npos);
    };
    checks("run --unit rtl " + ptx + " --block 64 --record " + trace, "left-loop-early, line ");
    checks("replay --unit rtl " + trace, "left-loop-early, line ");
    // CTA 0 leaves at once: the view is of the SM of the other one.
    std::string second = kRounds;
    second.insert(second.find("setp.eq.u32 %p1"),
                  "mov.u32 %r5, %ctaid.x;\nsetp.eq.u32 %p7, %r5, 0;\n@%p7 ret;\n");
    const std::string there = k.file("second.ptx", second);
    for (const std::string& call :
         {"run --unit rtl " + there + " --block 64 --grid 2 --sms 2 --record " + trace,
          "replay --unit rtl " + trace}) {
        const auto r = process::runGsu(call + " --fst " + fst);
        CAPTURE(call, r.out, r.err);
        const std::string view = testfiles::slurp(k.folder / "w.hang.gtkw");
        CHECK(view.find("sm1.gsu_sm.tap_mb_valid_o") != std::string::npos);
        CHECK(view.find("sm0.gsu_sm") == std::string::npos);
    }
    const auto good = k.file("good.ptx", kHead + ".visible .entry k() { ret; }");
    CHECK(process::runGsu("run --unit rtl " + good + " --fst " + (k.folder / "good.fst")).code ==
          0);
    CHECK_FALSE(std::filesystem::exists(k.folder / "good.hang.gtkw"));
}
