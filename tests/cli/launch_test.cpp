// Launches without a launch file, launch files that are written, lists of launches, runs that continue.
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "gsu_process.hpp"

using nlohmann::json;
using process::Folder;
using process::refused;
using process::runGsu;
using process::slurp;
using process::spill;

namespace {

/// scale: out[i] = a * in[i] + table[i % 2] for i < n; count: adds 1 to `total` and to out[0]; push and pop: a list on the device heap.
const std::string kModule = R"(.version 8.6
.target sm_90a
.address_size 64
.visible .const .align 4 .u32 table[2] = {10, 20};
.visible .global .align 4 .u32 total = 5;
.visible .global .align 4 .f32 ratio = 0f3F000000;
.visible .global .align 8 .u64 head;
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.visible .entry scale(.param .u64 scale_in, .param .u64 scale_out,
    .param .u32 scale_n,
    .param .f32 scale_a)
{
  .reg .pred %p; .reg .b32 %r<10>; .reg .f32 %f<4>; .reg .b64 %rd<10>;
  ld.param.u64 %rd1, [scale_in]; ld.param.u64 %rd2, [scale_out]; ld.param.u32 %r1, [scale_n]; ld.param.f32 %f1, [scale_a];
  cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2;
  mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r2, %r3, %r4, %r2;
  setp.ge.u32 %p, %r2, %r1; @%p bra E;
  mul.wide.u32 %rd3, %r2, 4; add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4]; mul.f32 %f2, %f2, %f1;
  and.b32 %r5, %r2, 1; mul.wide.u32 %rd6, %r5, 4; mov.u64 %rd7, table; add.u64 %rd7, %rd7, %rd6; ld.const.u32 %r6, [%rd7];
  cvt.rn.f32.u32 %f3, %r6; add.f32 %f2, %f2, %f3; st.global.f32 [%rd5], %f2;
E: bar.sync 0; ret;
}
.visible .entry count(.param .u64 count_out)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [count_out]; atom.global.add.u32 %r1, [total], 1; atom.global.add.u32 %r1, [%rd1], 1; ret;
}
.visible .entry push(.param .u32 push_value)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  { .param .b64 n; .param .b64 r; st.param.b64 [n], 16; call.uni (r), malloc, (n); ld.param.b64 %rd1, [r]; }
  ld.param.u32 %r1, [push_value]; ld.global.u64 %rd2, [head];
  st.u64 [%rd1], %rd2; st.u32 [%rd1+8], %r1; st.global.u64 [head], %rd1; ret;
}
.visible .entry pop(.param .u64 pop_out)
{
  .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [pop_out]; ld.global.u64 %rd2, [head]; mov.u32 %r1, 0;
L: setp.eq.u64 %p, %rd2, 0; @%p bra E;
  ld.u32 %r2, [%rd2+8]; mad.lo.u32 %r1, %r1, 10, %r2; ld.u64 %rd3, [%rd2];
  { .param .b64 a; st.param.b64 [a], %rd2; call.uni free, (a); }
  mov.u64 %rd2, %rd3; bra L;
E: st.global.u32 [%rd1], %r1; st.global.u64 [head], %rd2; ret;
}
.visible .entry hang() { bar.sync 0, 64; ret; }
.visible .entry wild(.param .u64 wild_out)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [wild_out]; mov.u64 %rd2, 64; ld.u32 %r1, [%rd2];
  st.global.u32 [%rd1+4096], %r1;
  atom.global.add.u32 %r2, [%rd1+8192], 7;
  add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, 3; st.global.u32 [%rd1], %r1; ret;
}
)";

struct Kernels : Folder {
    Kernels() : ptx(*this / "k.ptx") { spill(ptx, kModule); }
    [[nodiscard]] std::string launch(const std::string& rest) const
    {
        const std::string path = *this / "x.launch.json";
        spill(path, R"({"ptx": "k.ptx", )" + rest + "}");
        return path;
    }
    std::string ptx;
};

json report(const std::string& arguments, int code)
{
    const auto r = runGsu("run --unit golden --json " + arguments);
    CAPTURE(arguments, r.out, r.err);
    REQUIRE(r.code == code);
    return json::parse(r.out);
}

}  // namespace

TEST_CASE("a kernel runs from the command line", "[cli][launch]")
{
    const Kernels k;
    const std::string scale = k.ptx + " --entry scale --grid 2 --block 32 --arg ";
    const json r =
        report(scale + "buf:f32:64:iota --arg buf:f32:64 --arg 60 --arg 2.5 --print 4", 0);
    CHECK(r["memory"][1]["values"] == json::array({10.0, 22.5, 15.0, 27.5}));
    CHECK(r["memory"][1]["type"] == "f32");
    CHECK(r["memory"][1]["count"] == 64);
    CHECK(r["sync_requests"] == 2);
    spill(k / "in.bin", std::string(256, '\0'));
    const json file = report(scale + "buf:f32:@" + (k / "in.bin") +
                                 " --arg buf:f32:64:7 --arg u32:0x3f --arg f32:-1 --print 64",
                             0);
    CHECK(file["memory"][1]["values"][62] == 10.0);
    CHECK(file["memory"][1]["values"][63] == 7.0);
    const json some = report(
        scale + "buf:f32:3:values=1,2,3 --arg buf:f32:3:iota=4,-2 --arg 0 --arg nan --print 3", 0);
    CHECK(some["memory"][0]["values"] == json::array({1.0, 2.0, 3.0}));
    CHECK(some["memory"][1]["values"] == json::array({4.0, 2.0, 0.0}));
    const auto text = runGsu("run --unit golden --print 2 " + scale +
                             "buf:f32:64:iota --arg buf:f32:64 --arg 60 --arg 2.5");
    CHECK(text.out.find("param1 (64 f32): 10 22.5 ...") != std::string::npos);
}

TEST_CASE("an argument that does not fit is refused with the parameter and its line",
          "[cli][launch]")
{
    const Kernels k;
    const std::string run = "run --unit golden " + k.ptx + " --entry scale --arg ";
    const std::string head = run + "buf:f32:4 --arg buf:f32:4 --arg ";
    refused(
        head + "f32:1",
        "k.ptx:11:17: --arg 'f32:1' for parameter 2 'scale_n' (.u32): a f32 is not of its kind");
    refused(head + "5000000000", "does not fit u32");
    refused(head + "-1", "does not fit u32");
    refused(head + "u64:1", "does not have its size");
    refused(head + "buf:u32:4", "a buffer is passed as a 64-bit address");
    refused(head + "null", "null is a 64-bit address");
    refused(head + "1.5", "not a whole number");
    refused(head + "1 --arg two", "k.ptx:12:17: --arg 'two' for parameter 3 'scale_a'");
    refused(head + "1", "3 --arg given, scale takes 4: parameter 3 'scale_a' is missing");
    refused(head + "1 --arg 1 --arg 1", "5 --arg given, scale takes 4");
    refused(run + "buf:f33:4", "'f33' is no TYPE of buf:TYPE:COUNT: i8 u8 i16 u16 ");
    refused(run + "f33:4", "'f33' is not buf, bytes or a type: i8 u8 i16 u16 ");
    refused(run + "buf:f32", "--arg 'buf:f32' for parameter 0 'scale_in' (.u64): COUNT is missing: "
                             "buf:TYPE:COUNT");
    refused(run + "buf:f32:many", "not a whole number");
    refused(run + "buf:f32:@none.bin", "none.bin");
    refused(run + "bytes:00", "has 2 hexadecimal digits, expected 16");
    refused("run --unit golden " + k.ptx, "name one of scale, count, push");
    refused("run --unit golden " + k.ptx + " --entry none", "'none' is not an entry");
    refused("run --unit golden " + k.ptx + " --entry hang --grid 0", "--grid");
    refused("run --unit golden " + k.ptx + " --entry hang --block 0",
            "--block: Value 0 not in range 1 to 1024");
    refused("run --unit golden " + k.ptx + " --entry hang --block 2000",
            "--block: Value 2000 not in range 1 to 1024");
    refused("run --unit golden " + k.launch(R"("entry": "hang", "block": [2000])"),
            "block[0]: must be 1..1024, is 2000");
    refused("run --unit golden " + k.launch(R"("entry": "push", "params": [1])"),
            R"(params[0]: expected an object such as {"scalar": {"type": "u32", "value": 1}})");
    refused("run --unit golden " + k.ptx + " --entry hang --grid 3 --cluster 2",
            "grid: [3, 1, 1] is not a multiple");
    refused("run --unit golden --grid 2 " + k.launch(R"("entry": "hang")"), "--grid");
}

TEST_CASE("gsu init writes a launch file that runs", "[cli][launch]")
{
    const Kernels k;
    const std::string file = k / "s.launch.json";
    for (const char* entry : {"scale", "count", "push", "pop"}) {
        const auto r = runGsu("init " + k.ptx + ' ' + entry + " --force -o " + file);
        CAPTURE(entry, r.err, slurp(file));
        REQUIRE(r.code == 0);
        CHECK(report(file, 0)["verdict"] == "pass");
    }
    refused("init " + k.ptx + " scale -o " + file, "--force");
    refused("init " + k.ptx + " scale --force -o " + k.ptx, "cannot be written");
    refused("init " + k.ptx, "name one of");
    CHECK(slurp(k.ptx) == kModule);
    const json made = json::parse(runGsu("init " + k.ptx + " scale").out);
    CHECK(made["params"][0]["buffer"]["type"] == "f32");
    CHECK(made["params"][2]["scalar"]["type"] == "u32");
    CHECK(made["params"][3]["scalar"]["type"] == "f32");
}

TEST_CASE("variables take type, count and value from the module", "[cli][launch]")
{
    const Kernels k;
    const std::string scale =
        R"("entry": "scale", "block": [4], "params": [{"memory": "in"}, {"memory": "out", "offset": 4},
        {"scalar": {"type": "u32", "value": 4}}, {"scalar": {"type": "f32", "value": 1}}],
        "memory": {"in": {"type": "f32", "count": 4, "init": {"iota": [0, 1]}}, "out": {"type": "f32", "count": 5}}, )";
    report(
        k.launch(
            scale +
            R"("expect": [{"memory": "out", "values": [0, 10, 21, 12, 23]}, {"global": "ratio", "values": [0.5]},
        {"global": "total", "fill": 5}, {"global": "table", "values": [10, 20]}])"),
        0);
    report(
        k.launch(
            scale +
            R"("globals": {"table": {"init": {"values": [1, 2]}, "address": 128}, "total": {"init": "module"}, "ratio": {}},
        "expect": [{"memory": "out", "values": [0, 1, 3, 3, 5]}, {"global": "table", "values": [1, 2]}, {"global": "total", "values": [5]},
                   {"global": "ratio", "fill": 0.5}])"),
        0);
    const auto refuse = [&](const std::string& rest, const std::string& says) {
        refused("run --unit golden " + k.launch(scale + rest), says);
    };
    refuse(R"("globals": {"table": {"address": 3}})", "is not a multiple of 4");
    refuse(R"("globals": {"table": {"address": 65536}})", "table.address");
    refuse(R"("globals": {"table": {"address": 65532}})", "does not fit");
    refuse(R"("expect": [{"global": "none", "fill": 0}])", "has no variable 'none'");
    refuse(R"("expect": [{"global": "total", "fill": 0.5}])", "0.5 does not fit u32");
    // All parameters as one block: two addresses, 4, 1.0f.
    report(k.launch(R"("entry": "scale", "block": [4],
        "params": {"bytes": {"hex": "00000000000000000000000000000000040000000000803f", "patch": [{"offset": 0, "buffer": "in"}, {"offset": 8, "buffer": "out"}]}},
        "memory": {"in": {"type": "f32", "count": 4}, "out": {"type": "f32", "count": 4}}, "expect": [{"memory": "out", "values": [10, 20, 10, 20]}])"),
           0);
    refused("run --unit golden " +
                k.launch(R"("entry": "scale", "params": {"bytes": {"size": 8}})"),
            "8 bytes, the parameters of scale have 24");
}

TEST_CASE("a list of launches shares memory, variables and heap", "[cli][launch]")
{
    const Kernels k;
    const std::string file = k.launch(
        R"("memory": {"m": {"type": "u32", "count": 1, "init": {"fill": 100}}}, "launches": [
        {"entry": "count", "block": [32], "params": [{"memory": "m"}], "expect": [{"memory": "m", "values": [132]}, {"global": "total", "values": [37]}]},
        {"entry": "push", "params": [{"scalar": {"type": "u32", "value": 3}}]},
        {"entry": "push", "params": [{"scalar": {"type": "u32", "value": 4}}], "dependent": true},
        {"entry": "count", "params": [{"memory": "m"}]},
        {"entry": "pop", "params": [{"buffer": {"type": "u32", "count": 1}}], "expect": [{"param": 0, "values": [43]}]}],
        "expect": [{"memory": "m", "values": [133]}, {"global": "total", "values": [38]}, {"global": "head", "values": [0]}])");
    const json r = report("--record " + (k / "t.gsut") + " --timeline " + (k / "p") +
                              " --dump-memory " + (k / "") + " --print 1 " + file,
                          0);
    REQUIRE(r["launches"].size() == 5);
    CHECK(r["launches"][4]["entry"] == "pop");
    CHECK(r["launches"][4]["memory"][0]["values"] == json::array({43}));
    CHECK(r["memory"][0]["values"] == json::array({133}));
    std::uint64_t cycles = 0;
    for (const json& one : r["launches"]) cycles += one["cycles"].get<std::uint64_t>();
    CHECK(r["cycles"] == cycles);
    for (int i = 0; i < 5; ++i) {
        CHECK(runGsu("replay --unit golden " + (k / ("t." + std::to_string(i) + ".gsut"))).code ==
              0);
        CHECK(std::filesystem::exists(k / ("p." + std::to_string(i))));
    }
    CHECK(slurp(k / "launch4.param0.bin") == std::string("\x2b\0\0\0", 4));
    CHECK(slurp(k / "memory.m.bin") == std::string("\x85\0\0\0", 4));
    const auto text = runGsu("run --unit golden " + file);
    CHECK(text.code == 0);
    CHECK(text.out.find("pass (as expected)  5 launches:") != std::string::npos);
}

TEST_CASE("the seed orders streams, never the launches of one", "[cli][launch]")
{
    const Kernels k;
    std::string launches;
    for (int i = 0; i < 4; ++i) {
        for (int stream = 0; stream < 2; ++stream) {
            launches += std::string(launches.empty() ? "" : ",") +
                        R"({"entry": "push", "stream": )" + std::to_string(stream) +
                        R"(, "params": [{"scalar": {"type": "u32", "value": )" +
                        std::to_string(stream * 4 + i) + "}}]}";
        }
    }
    const std::string file = k.launch(R"("launches": [)" + launches + "]");
    std::set<std::vector<int>> orders;
    for (int seed = 1; seed <= 12; ++seed) {
        std::vector<int> order, next(2);
        const json run = report("--seed " + std::to_string(seed) + ' ' + file, 0);
        for (const json& one : run["launches"]) {
            const int index = one["launch"].get<int>(), stream = one["stream"].get<int>();
            REQUIRE(index == next[stream] * 2 + stream);
            ++next[stream];
            order.push_back(stream);
        }
        orders.insert(order);
    }
    std::cout << "streams: " << orders.size() << " orders in seeds 1..12\n";
    CHECK(orders.size() > 4);
}

TEST_CASE("a launch that fails ends the list and is named", "[cli][launch]")
{
    const Kernels k;
    const std::string count = R"({"entry": "count", "params": [{"memory": "m"}]})";
    const std::string memory = R"("memory": {"m": {"type": "u32", "count": 1}}, )";
    const std::string stuck = k.launch(memory + R"("launches": [)" + count +
                                       R"(, {"entry": "hang", "block": [32]}, )" + count + "]");
    const json r = report(stuck, 1);
    CHECK(r["verdict"] == "hang");
    CHECK(r["failed_launch"] == 1);
    CHECK(r["launches"].size() == 2);
    CHECK(runGsu("run --unit golden " + stuck).out.find("launch 1 ended the list") !=
          std::string::npos);
    const json end = report(k.launch(memory + R"("launches": [)" + count +
                                     R"(], "expect": [{"memory": "m", "values": [2]}])"),
                            1);
    CHECK(end["verdict"] == "mismatch");
    CHECK(end["mismatches"][0]["actual"] == 1);
    report(k.launch(memory + R"("launches": [)" + count +
                    R"(, {"entry": "hang", "block": [32], "verdict": "hang"}])"),
           0);
    const auto refuse = [&](const std::string& rest, const std::string& says) {
        refused("run --unit golden --record " + (k / "r.gsut") + ' ' + k.launch(memory + rest),
                says);
    };
    refuse(R"("launches": [{"entry": "hang", "verdict": "hang"}, )" + count + "]",
           "launches[0].verdict: only the last launch");
    refuse(R"("launches": [)" + count + R"(, {"entry": "count", "params": []}])",
           "launches[1].params: 0 given, count takes 1");
    refuse(R"("launches": [{"entry": "hang", "dependent": true}])", "first launch of its stream");
    refuse(R"("launches": [], "grid": [1])", "expected 1 to 4096 launches");
    refuse(R"("launches": [)" + count + R"(], "params": [])",
           "params: belongs to one of the launches");
    refuse(R"("launches": [{"entry": "count", "params": [{"memory": "z"}]}])",
           "no memory or variable 'z'");
    CHECK(!std::filesystem::exists(k / "r.0.gsut"));
}

TEST_CASE("with --keep-going accesses outside global memory are findings", "[cli][launch][GEN-002]")
{
    const Kernels k;
    const std::string wild = k.launch(
        R"("entry": "wild", "params": [{"buffer": {"type": "u32", "count": 4}}], "verdict": "misuse",
        "findings": ["GEN-002"], "expect": [{"param": 0, "values": [3, 0, 0, 0]}])");
    const json stops = report("--print 1 " + wild, 0);
    CHECK(stops["findings"].size() == 1);
    CHECK(stops["memory"][0]["values"] == json::array({0}));
    const json goes = report("--print 1 --keep-going " + wild, 0);
    REQUIRE(goes["findings"].size() == 3);
    CHECK(goes["memory"][0]["values"] == json::array({3}));
    std::vector<std::string> messages;
    for (const json& f : goes["findings"]) {
        CHECK(f["rule"] == "GEN-002");
        messages.push_back(f["message"]);
    }
    CHECK(messages[0].rfind("load of 4 bytes at 0x40", 0) == 0);
    CHECK(messages[1].rfind("store of 4 bytes", 0) == 0);
    CHECK(messages[2].rfind("atom of 4 bytes", 0) == 0);
}
