// Causes of hangs as the program tells them.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/gsu_process.hpp"
#include "files.hpp"

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
    const auto r = process::gsu("run --unit golden --json " + arguments);
    CAPTURE(arguments, r.out, r.err);
    REQUIRE(r.code == code);
    return json::parse(r.out);
}

}  // namespace

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
    CHECK(hang["explanation"].get<std::string>().rfind(sentence, 0) == 0);
    const std::string graph = testfiles::slurp(dot);
    CHECK(graph.rfind("digraph waits {", 0) == 0);
    CHECK(graph.find("CTA 0 warp 0") != std::string::npos);
    CHECK(graph.find("exited at line 13") != std::string::npos);
    const auto text = process::gsu("run --unit golden " + call);
    CHECK(text.out.find("cause: exited-arriver\n" + sentence) != std::string::npos);
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
    k.file("pair.ptx", kPair);
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
    CHECK(process::gsu("run --unit golden " + wrong).code == 2);
}

TEST_CASE("a dependent launch that waits for one that hangs", "[cli][causes][launch]")
{
    const Kernels k;
    k.file("wait.ptx", kHead + R"(.visible .entry first()
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
    CHECK(process::gsu("run --unit golden --record " + trace + ' ' + ptx +
                       " --block 64 --arg buf:u32:4")
              .code == 1);
    const auto r = process::gsu("replay --unit golden --json " + trace);
    CAPTURE(r.out, r.err);
    const json out = json::parse(r.out);
    CHECK(out["hang"]["cause"]["kind"] == "unknown");
    CHECK(out["hang"]["cause"]["line"] == 14);
    CHECK(out["hang"]["explanation"].get<std::string>().find("neither control flow nor memory") !=
          std::string::npos);
}
