// --of: what the survey of a part of a chip finds and refuses. And stores of boxes by whole warps.
#include "files.hpp"
#include "gsu_json.hpp"

using nlohmann::json;
using process::runGsu;
using testfiles::Folder;

namespace {

constexpr const char* kHead = ".version 8.6\n.target sm_90a\n.address_size 64\n";

/// The first thread of each CTA adds to a word `times` times, and stores what the word was.
std::string counting(unsigned times)
{
    std::string body;
    for (unsigned i = 0; i < times; ++i)
        body += "  @%p bra E;\n  atom.global.add.u32 %r, [%rd], 1;\n  st.global.u32 [%rd+4], %r;\n";
    return std::string(kHead) +
           ".visible .entry k(.param .u64 word)\n{\n  .reg .pred %p; .reg .b32 %r, %t; .reg .b64 "
           "%rd;\n  ld.param.u64 %rd, [word];\n  mov.u32 %t, %tid.x;\n  setp.ne.u32 %p, %t, 0;\n" +
           body + "E:\n  ret;\n}\n";
}

json timeOf(const std::string& options)
{
    return process::jsonOf("run --json --unit golden --timing hopper " + options)["time"];
}

/// Sixteen stores of a box, by the first thread or by all of the warp.
std::string storing(bool all)
{
    std::string body;
    for (unsigned i = 0; i < 16; ++i)
        body += "  cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd, {0, " +
                std::to_string(32 * i) + "}], [smem];\n";
    return std::string(kHead) +
           ".visible .entry k(.param .align 64 .b8 map[128])\n{\n  .reg .pred %p; .reg .b32 %t; "
           ".reg .b64 %rd;\n  .shared .align 1024 .b8 smem[4096];\n  mov.b64 %rd, map;\n  "
           "cvta.param.u64 %rd, %rd;\n  mov.u32 %t, %tid.x;\n  setp.ge.u32 %p, %t, " +
           (all ? "32" : "1") + ";\n  @%p bra E;\n" + body +
           "  cp.async.bulk.commit_group;\n  cp.async.bulk.wait_group 0;\nE:\n  ret;\n}\n";
}

}  // namespace

/// Each CTA takes numbers from a counter until they are `end` or more.
std::string taking(const std::string& atom, unsigned end)
{
    return std::string(kHead) +
           ".visible .entry k(.param .u64 word)\n{\n  .reg .pred %p; .reg .b32 %r; .reg .b64 "
           "%rd;\n  ld.param.u64 %rd, [word];\nL:\n  " +
           atom + ";\n  setp.lt.u32 %p, %r, " + std::to_string(end) +
           ";\n  @%p bra L;\n  ret;\n}\n";
}

TEST_CASE("CTAs that are not simulated take numbers from a counter, too", "[cli][timing]")
{
    const Folder folder;
    const auto run = [&](const std::string& text, const std::string& shape) {
        testfiles::spill(folder / "k.ptx", text);
        return process::jsonOf(
            "run --json --unit golden --timing hopper --of 132 --arg buf:u32:2 " + shape + " " +
            (folder / "k.ptx"));
    };
    constexpr unsigned kEach = 10;  // numbers for every CTA
    const std::string one = "--grid 132 --block 1 --sms 1";
    const std::string two = "--grid 132 --block 1 --cluster 2 --sms 2";
    // Three instructions for each number, one more that is too large, and two around them.
    for (const std::string atom :
         {"atom.global.add.u32 %r, [%rd], 1", "atom.global.inc.u32 %r, [%rd], 0xffffffff"}) {
        CAPTURE(atom);
        const json taken = run(taking(atom, 132 * kEach), one);
        CHECK(taken["time"]["work_counter"]["line"] == 9);
        CHECK(taken["instructions"] == 3 * (kEach + 1) + 2);
    }
    // Two CTAs of 132 take a number each, so the others take 65 after each of them.
    const json pairs = run(taking("atom.global.add.u32 %r, [%rd], 1", 132 * kEach), two);
    CHECK(pairs["instructions"] == 2 * (3 * (kEach + 1) + 2));
    // Once for each CTA: a list to which each appends, or a sum.
    const json once = run(counting(1), "--grid 264 --block 32 --sms 1");
    CHECK_FALSE(once["time"].contains("work_counter"));
    CHECK(run(counting(3), "--grid 264 --block 32 --sms 1")["time"].contains("work_counter"));
}

TEST_CASE("--of refuses SMs that do not hold whole clusters", "[cli][timing]")
{
    const Folder folder;
    testfiles::spill(folder / "k.ptx", counting(1));
    const auto one =
        runGsu("run --unit golden --timing hopper --grid 264 --block 32 --cluster 2 --sms 1 "
               "--of 132 --arg buf:u32:2 " +
               (folder / "k.ptx"));
    CHECK(one.code == 2);
    CHECK(one.err.find("cluster") != std::string::npos);
}

TEST_CASE("a box that all lanes of a warp store takes the time of one store", "[cli][timing]")
{
    const Folder folder;
    const auto cycles = [&](bool all) {
        testfiles::spill(folder / "k.ptx", storing(all));
        testfiles::spill(
            folder / "k.launch.json",
            R"({"ptx": "k.ptx", "grid": [1], "block": [32], "memory": {"d": {"type": "f16", "count": 32768}},
                  "params": [{"tensormap": {"base": "d", "type": "f16", "sizes": [64, 512], "strides": [128], "box": [64, 32]}}]})");
        return timeOf(folder / "k.launch.json")["cycles"].get<double>();
    };
    const double one = cycles(false), warp = cycles(true);
    CHECK(warp < one + 200);
    CHECK(warp > one - 200);
}
