// Dependent launches of a list that run beside the launches before them, on one unit (griddepcontrol): values, order, failures, files.
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include "gsu_process.hpp"
#include "timeline_events.hpp"

using nlohmann::json;
using process::Folder;
using process::runGsu;
using process::slurp;
using process::spill;

namespace {

/// work: saw[i] = in[i] as it is before the wait, out[i] = in[i] + 1 as it is behind it and `delay` rounds; bit 0 of flags: launch_dependents first,
/// 1: wait, 2: launch_dependents again and at the end. meet: the same, and the value goes through the next CTA of the cluster, a named barrier and the cluster
/// barrier. silent: as work without griddepcontrol. The others misbehave behind their signal.
const std::string kModule = R"(.version 8.6
.target sm_90a
.address_size 64
.visible .entry work(.param .u64 in, .param .u64 out, .param .u64 saw, .param .u32 flags, .param .u32 delay)
{
  .reg .pred %p<6>; .reg .b32 %r<12>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u64 %rd3, [saw]; ld.param.u32 %r1, [flags]; ld.param.u32 %r2, [delay];
  mov.u32 %r3, %tid.x; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mad.lo.u32 %r3, %r4, %r5, %r3; mul.wide.u32 %rd4, %r3, 4;
  add.u64 %rd1, %rd1, %rd4; add.u64 %rd2, %rd2, %rd4; add.u64 %rd3, %rd3, %rd4;
  and.b32 %r6, %r1, 1; setp.ne.u32 %p0, %r6, 0; and.b32 %r6, %r1, 2; setp.ne.u32 %p1, %r6, 0; and.b32 %r6, %r1, 4; setp.ne.u32 %p2, %r6, 0;
  @%p0 griddepcontrol.launch_dependents;
  @%p2 griddepcontrol.launch_dependents;
  ld.volatile.global.u32 %r7, [%rd1]; st.global.u32 [%rd3], %r7;
  @%p1 griddepcontrol.wait;
  ld.volatile.global.u32 %r7, [%rd1];
  mov.u32 %r8, 0;
L: setp.ge.u32 %p3, %r8, %r2; @%p3 bra D; add.u32 %r8, %r8, 1; bra L;
D: add.u32 %r7, %r7, 1; st.global.u32 [%rd2], %r7; bar.sync 0;
  @%p2 griddepcontrol.launch_dependents;
  ret;
}
.visible .entry meet(.param .u64 in, .param .u64 out, .param .u64 saw, .param .u32 flags, .param .u32 delay)
{
  .reg .pred %p<6>; .reg .b32 %r<16>; .reg .b64 %rd<8>;
  .shared .align 4 .b8 box[4096];
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u64 %rd3, [saw]; ld.param.u32 %r1, [flags]; ld.param.u32 %r2, [delay];
  mov.u32 %r9, %tid.x; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mad.lo.u32 %r3, %r4, %r5, %r9; mul.wide.u32 %rd4, %r3, 4;
  add.u64 %rd1, %rd1, %rd4; add.u64 %rd2, %rd2, %rd4; add.u64 %rd3, %rd3, %rd4;
  and.b32 %r6, %r1, 1; setp.ne.u32 %p0, %r6, 0; and.b32 %r6, %r1, 2; setp.ne.u32 %p1, %r6, 0;
  barrier.cluster.arrive; barrier.cluster.wait;
  @%p0 griddepcontrol.launch_dependents;
  ld.volatile.global.u32 %r7, [%rd1]; st.global.u32 [%rd3], %r7;
  @%p1 griddepcontrol.wait;
  ld.volatile.global.u32 %r7, [%rd1];
  mov.u32 %r8, 0;
L: setp.ge.u32 %p3, %r8, %r2; @%p3 bra D; add.u32 %r8, %r8, 1; bra L;
D: add.u32 %r7, %r7, 1;
  mov.u32 %r10, %cluster_ctarank; mov.u32 %r11, %cluster_nctarank; add.u32 %r12, %r10, 1; rem.u32 %r12, %r12, %r11;
  mov.u32 %r13, box; shl.b32 %r14, %r9, 2; add.u32 %r13, %r13, %r14; mapa.shared::cluster.u32 %r13, %r13, %r12;
  sub.u32 %r6, %r12, %r10; add.u32 %r15, %r4, %r6; mad.lo.u32 %r15, %r15, %r5, %r9;
  st.shared::cluster.u32 [%r13], %r7;
  barrier.cluster.arrive; barrier.cluster.wait; bar.sync 1;
  add.u32 %r12, %r10, %r11; sub.u32 %r12, %r12, 1; rem.u32 %r12, %r12, %r11;
  sub.u32 %r6, %r12, %r10; add.u32 %r15, %r4, %r6; mad.lo.u32 %r15, %r15, %r5, %r9; mul.wide.u32 %rd4, %r15, 4;
  ld.param.u64 %rd2, [out]; add.u64 %rd2, %rd2, %rd4;
  mov.u32 %r13, box; add.u32 %r13, %r13, %r14; ld.shared.u32 %r7, [%r13]; st.global.u32 [%rd2], %r7;
  barrier.cluster.arrive; barrier.cluster.wait; ret;
}
.visible .entry silent(.param .u64 in, .param .u64 out)
{
  .reg .b32 %r<12>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
  mov.u32 %r3, %tid.x; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mad.lo.u32 %r3, %r4, %r5, %r3; mul.wide.u32 %rd4, %r3, 4;
  add.u64 %rd1, %rd1, %rd4; add.u64 %rd2, %rd2, %rd4; bar.sync 0;
  ld.global.u32 %r7, [%rd1]; add.u32 %r7, %r7, 1; st.global.u32 [%rd2], %r7; ret;
}
.visible .entry stuck() { griddepcontrol.launch_dependents; bar.sync 3, 96; ret; }
.visible .entry wild()
{
  .reg .pred %p; .reg .b32 %r<2>;
  griddepcontrol.launch_dependents; mov.u32 %r1, 0;
L: add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, 200; @%p bra L; trap; ret;
}
.visible .entry wrong()
{
  .reg .pred %p; .reg .b32 %r<3>;
  griddepcontrol.launch_dependents; mov.u32 %r1, %tid.x; setp.lt.u32 %p, %r1, 32;
  @%p bra A; bar.arrive 2, 128; bra E;
A: bar.sync 2, 64;
E: ret;
}
)";

struct Lists : Folder {
    Lists() { spill(*this / "k.ptx", kModule); }
    /// A file of launches over arrays a, b, ... of so many words, of which a counts from 0, and p, q, ... for what they saw; `rest`: more keys.
    [[nodiscard]] std::string file(const std::string& launches, unsigned words,
                                   const std::string& rest = "") const
    {
        const std::string path = *this / "x.launch.json";
        std::string memory;
        for (const char name : std::string("abcdefghpqrstuvw")) {
            memory += std::string(memory.empty() ? "" : ", ") + '"' + name +
                      R"(": {"type": "u32", "count": )" + std::to_string(words) +
                      (name == 'a' ? R"(, "init": {"iota": [0, 1]}})" : "}");
        }
        spill(path, R"({"ptx": "k.ptx", "memory": {)" + memory + R"(}, "launches": [)" + launches +
                        "]" + rest + "}");
        return path;
    }
};

/// A launch of work or meet from array `from` to the next one.
std::string step(const std::string& entry, char from, unsigned flags, unsigned delay,
                 const std::string& rest)
{
    const auto memory = [](char name) { return std::string(R"({"memory": ")") + name + "\"}"; };
    const auto number = [](unsigned value) {
        return R"({"scalar": {"type": "u32", "value": )" + std::to_string(value) + "}}";
    };
    return R"({"entry": ")" + entry + R"(", "params": [)" + memory(from) + ", " +
           memory(static_cast<char>(from + 1)) +
           (entry == "silent" ? ""
                              : ", " + memory(static_cast<char>(from - 'a' + 'p')) + ", " +
                                    number(flags) + ", " + number(delay)) +
           "]" + rest + "}";
}

std::string iota(unsigned first, unsigned count)
{
    std::string list = "[";
    for (unsigned i = 0; i < count; ++i) list += (i == 0 ? "" : ", ") + std::to_string(first + i);
    return list + "]";
}

json report(const std::string& arguments, int code)
{
    const auto r = runGsu("run --json " + arguments);
    CAPTURE(arguments, r.out, r.err);
    REQUIRE(r.code == code);
    return json::parse(r.out);
}

const std::string kShape = R"(, "grid": [4], "block": [64], "sms": 2)";
const std::string kDependent = kShape + R"(, "dependent": true)";
constexpr unsigned kWords = 256;

}  // namespace

TEST_CASE("dependent launches begin when the one before has signalled, and wait for what it writes",
          "[cli][launch][GDC-002][GDC-004][GDC-005][GDC-006]")
{
    const Lists k;
    const std::string file = k.file(
        step("work", 'a', 1, 400, kShape) + ", " + step("work", 'b', 3, 200, kDependent) + ", " +
            step("work", 'c', 7, 10, kDependent) + ", " + step("work", 'd', 3, 0, kDependent),
        kWords,
        R"(, "expect": [{"memory": "e", "values": )" + iota(4, kWords) +
            R"(}, {"memory": "q", "fill": 0}, {"memory": "r", "fill": 0}])");
    for (const std::string unit : {"lockstep", "golden"}) {
        for (const std::string memory : {"default", "weak"}) {
            const json r =
                report("--unit " + unit + " --set exec.memory=" + memory + ' ' + file, 0);
            REQUIRE(r["launches"].size() == 4);
            for (int i = 1; i < 4; ++i) {
                const json &before = r["launches"][i - 1], &one = r["launches"][i];
                CHECK(one["unit_of"] == 0);
                CHECK(one["begin"] > before["begin"]);
                CHECK(one["begin"] < r["launches"][0]["cycles"]);
                // Each launch ends after the one before it: it waited.
                CHECK(one["begin"].get<int>() + one["cycles"].get<int>() >
                      before["begin"].get<int>() + before["cycles"].get<int>());
            }
            CHECK(r["cycles"] ==
                  r["launches"][3]["begin"].get<int>() + r["launches"][3]["cycles"].get<int>());
        }
    }
    const json again = report("--seed 9 " + file, 0), same = report("--seed 9 " + file, 0);
    CHECK(again == same);
    CHECK(report("--preset ideal --unit golden " + file, 0)["launches"][1]["unit_of"] == 0);
}

TEST_CASE("a dependent launch that does not wait reads what was there before",
          "[cli][launch][GDC-006]")
{
    const Lists k;
    const auto file = [&](unsigned flags, const std::string& values) {
        return k.file(step("work", 'a', 1, 2000, kShape) + ", " +
                          step("work", 'b', flags, 0, kDependent),
                      kWords, R"(, "expect": [{"memory": "c", )" + values + "}]");
    };
    for (const std::string seed : {"1", "2", "3"}) {
        report("--seed " + seed + ' ' + file(1, R"("fill": 1)"), 0);
        report("--seed " + seed + ' ' + file(3, R"("values": )" + iota(2, kWords)), 0);
    }
    const json wrong = report(file(1, R"("values": )" + iota(2, kWords)), 1);
    CHECK(wrong["verdict"] == "mismatch");
}

TEST_CASE("a launch that never signals is waited for", "[cli][launch][GDC-002]")
{
    const Lists k;
    const std::string expect =
        R"(, "expect": [{"memory": "c", "values": )" + iota(2, kWords) + "}]";
    // Without the instruction: as if the second were not dependent, clock for clock.
    const std::string both = step("silent", 'a', 0, 0, kShape) + ", ";
    const json r = report(k.file(both + step("work", 'b', 1, 0, kDependent), kWords, expect), 0);
    CHECK_FALSE(r["launches"][1].contains("unit_of"));
    CHECK(r == report(k.file(both + step("work", 'b', 1, 0, kShape), kWords, expect), 0));
    // The kernel has the instruction and does not execute it: the end of its last CTA counts.
    const json late = report(
        k.file(step("work", 'a', 0, 100, kShape) + ", " + step("work", 'b', 3, 0, kDependent),
               kWords, expect),
        0);
    CHECK(late["launches"][1]["unit_of"] == 0);
    CHECK(late["launches"][1]["begin"] >= late["launches"][0]["cycles"]);
    // Writes of the host in between, and a grid with a grid-wide barrier, stay in order.
    for (const std::string more :
         {R"(, "writes": [{"memory": "g", "fill": 5}])", R"(, "cooperative": true)"}) {
        const json own = report(k.file(step("work", 'a', 1, 100, kShape) + ", " +
                                           step("work", 'b', 3, 0, kDependent + more),
                                       kWords, expect),
                                0);
        CHECK_FALSE(own["launches"][1].contains("unit_of"));
    }
}

TEST_CASE("what goes wrong beside another launch is told of the launch", "[cli][launch][D-62]")
{
    const Lists k;
    const std::string shape = R"(, "grid": [1], "block": [64])",
                      next = shape + R"(, "dependent": true)";
    const auto bad = [&](const std::string& entry) {
        return R"({"entry": ")" + entry + R"(", "params": [])";
    };
    // A primary hangs; the one that waits for it does, too.
    json r = report(k.file(bad("stuck") + shape + "}, " + step("work", 'a', 3, 0, next), 64), 1);
    CHECK(r["verdict"] == "hang");
    CHECK(r["failed_launch"] == 0);
    REQUIRE(r["launches"].size() == 2);
    CHECK(r["launches"][0]["hang"]["waiting"][0]["on"]["kind"] == "named");
    CHECK(r["launches"][1]["hang"]["explanation"].get<std::string>().find(
              "the grids before this one do not end") != std::string::npos);
    // A dependent one does; the other ends, and what is expected of it is compared.
    const std::string first =
        step("work", 'a', 1, 300,
             shape + R"(, "expect": [{"memory": "b", "values": )" + iota(1, 64) + "}]");
    r = report(k.file(first + ", " + bad("stuck") + next + "}", 64), 1);
    CHECK(r["failed_launch"] == 1);
    CHECK(r["launches"][0]["verdict"] == "pass");
    CHECK(r["launches"][1]["verdict"] == "hang");
    report(k.file(first + ", " + bad("stuck") + next + R"(, "verdict": "hang"})", 64), 0);
    // A trap also ends the launches after it, not those before it.
    r = report(
        k.file(first + ", " + bad("wild") + next + "}, " + step("work", 'b', 3, 0, next), 64), 1);
    CHECK(r["verdict"] == "trap");
    CHECK(r["failed_launch"] == 1);
    REQUIRE(r["launches"].size() == 3);
    CHECK(r["launches"][0]["verdict"] == "pass");
    CHECK(r["launches"][2]["verdict"] == "interrupted");
    CHECK(r["launches"][2]["stopped"] == "by the end of launch 1: trap");
    report(k.file(first + ", " + bad("wild") + next + R"(, "verdict": "trap"})", 64), 0);
    // A misuse is reported with its launch.
    r = report(k.file(bad("wrong") + shape + "}, " + step("work", 'a', 3, 0, next), 64), 1);
    CHECK(r["verdict"] == "misuse");
    CHECK(r["launches"][1]["verdict"] == "pass");
    for (const json& f : r["findings"]) CHECK(f["launch"] == 0);
    CHECK_FALSE(r["findings"].empty());
}

TEST_CASE("launches on one unit have one trace, one timeline, one dump of waves", "[cli][launch]")
{
    const Lists k;
    const std::string file =
        k.file(step("work", 'a', 1, 400, kShape) + ", " + step("work", 'b', 3, 0, kDependent) +
                   ", " + step("silent", 'c', 0, 0, kShape),
               kWords);
    const json r = report("--record " + (k / "t.gsut") + " --timeline " + (k / "p.pftrace") +
                              " --fst " + (k / "w.fst") + " --dump-memory " + (k / "") + ' ' + file,
                          0);
    for (const char* name :
         {"t.0.gsut", "p.0.pftrace", "w.0.fst", "t.2.gsut", "p.2.pftrace", "w.2.fst"})
        CHECK(std::filesystem::exists(k / name));
    for (const char* name : {"t.1.gsut", "p.1.pftrace", "w.1.fst"})
        CHECK_FALSE(std::filesystem::exists(k / name));
    CHECK(slurp(k / "memory.d.bin").substr(0, 4) == std::string("\x03\0\0\0", 4));
    for (const std::string unit : {"rtl", "lockstep"}) {
        const auto replayed = runGsu("replay --json --unit " + unit + ' ' + (k / "t.0.gsut"));
        CAPTURE(replayed.out, replayed.err);
        REQUIRE(replayed.code == 0);
        const json again = json::parse(replayed.out);
        CHECK(again["cycles"] ==
              r["launches"][1]["begin"].get<int>() + r["launches"][1]["cycles"].get<int>());
    }
    // The timeline has a track of each grid, with its signals, and one of its waits.
    int grids = 0, signals = 0, may = 0, waits = 0;
    const json timeline = timelines::eventsOf(slurp(k / "p.0.pftrace"));
    for (const json& e : timeline) {
        grids += e["ph"] == "X" && e["name"].get<std::string>().rfind("grid ", 0) == 0;
        signals += e["name"] == "launch_dependents" && e["ph"] == "i";
        may += e["name"] == "dependents may start";
        if (e["name"] != "parked at griddepcontrol.wait") continue;
        ++waits;
        CHECK(e["args"]["waits"] == 8);
    }
    CHECK(grids == 2);
    CHECK(signals == 8);
    CHECK(may == 2);
    CHECK(waits == 1);
}

TEST_CASE("what one SM signals starts a launch on another, and its end there is told back",
          "[cli][launch][GDC-002][GDC-005]")
{
    const Lists k;
    const std::string one = R"(, "grid": [1], "block": [64], "sms": 2)";
    const std::string file =
        k.file(step("work", 'a', 1, 400, one) + ", " +
                   step("work", 'b', 3, 0, one + R"(, "dependent": true)"),
               64, R"(, "expect": [{"memory": "c", "values": )" + iota(2, 64) + "}]");
    report("--timeline " + (k / "p.pftrace") + ' ' + file, 0);
    std::vector<int> sms;  // of the CTAs that signalled
    const json timeline = timelines::eventsOf(slurp(k / "p.0.pftrace"));
    for (const json& e : timeline) {
        if (e["name"] == "launch_dependents") sms.push_back(e["args"]["sm"]);
    }
    CHECK(sms == std::vector<int>{0, 1});
}

TEST_CASE("random chains of launches come to what they come to one by one",
          "[cli][launch][GDC-006]")
{
    const Lists k;
    std::mt19937 random(20261122);
    const auto draw = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
    unsigned beside = 0;
    for (unsigned round = 0; round < 12; ++round) {
        const unsigned count = 2 + draw(5);
        std::string launches;
        for (unsigned i = 0; i < count; ++i) {
            const bool meets = draw(2) == 0;
            const unsigned ctas = 1u << draw(4), cluster = meets ? 1u << draw(3) : 1;
            std::string shape = R"(, "grid": [)" + std::to_string(ctas) + R"(], "block": [)" +
                                std::to_string(256 / ctas) + R"(], "sms": 4)";
            if (meets && cluster <= ctas)
                shape += R"(, "cluster": [)" + std::to_string(cluster) + "]";
            if (i != 0) shape += R"(, "dependent": true)";
            launches +=
                (i == 0 ? "" : ", ") + step(meets ? "meet" : "work", static_cast<char>('a' + i),
                                            draw(4) | 2, draw(300), shape);
        }
        const std::string file =
            k.file(launches, 256,
                   R"(, "expect": [{"memory": ")" + std::string(1, static_cast<char>('a' + count)) +
                       R"(", "values": )" + iota(count, 256) + "}]");
        const std::string seed = std::to_string(round + 1);
        CAPTURE(slurp(file));
        const json r = report("--seed " + seed + " --set exec.memory=weak --record " +
                                  (k / "t.gsut") + ' ' + file,
                              0);
        for (const json& one : r["launches"]) beside += one.contains("unit_of");
        CHECK(runGsu("replay --unit rtl " + (k / "t.0.gsut")).code == 0);
    }
    std::cout << "random chains, seed 20261122: " << beside << " launches on units of several\n";
    CHECK(beside > 20);
}
