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

TEST_CASE("a chip may have more SMs than there is a unit for", "[cli][timing]")
{
    const Folder folder;
    testfiles::spill(folder / "k.ptx", counting(1));
    for (const std::string shape : {"--cluster 1 --sms 1", "--cluster 8 --sms 8"}) {
        CAPTURE(shape);
        const auto r = runGsu("run --json --unit golden --timing hopper --of 1024 --grid 4096 "
                              "--block 32 --arg buf:u32:2 " +
                              shape + " " + (folder / "k.ptx"));
        CHECK(r.code == 0);
        const json time = json::parse(r.out)["time"];
        CHECK(time["survey"]["instructions"].get<std::uint64_t>() > 148);
    }
}

TEST_CASE("a kernel that hangs does so on a part of a chip, too", "[cli][timing]")
{
    const std::string kernel = testfiles::testsFolder() + "/tutorials/tile_full.ptx";
    const auto r =
        runGsu("run --unit golden --timing hopper --of 2 --block 96 --arg buf:u32:64 " + kernel);
    CHECK(r.code == 1);
    CHECK(r.out.starts_with("hang (NOT as expected)"));
    CHECK(r.out.find("cause: other-barrier") != std::string::npos);
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

/// Each CTA reads an area of 8 KiB, and later that of the CTA `step` places further. Three instructions for each of `rest` lie between.
std::string inRounds(unsigned step, unsigned rest, const std::string& first)
{
    return std::string(kHead) +
           ".visible .entry k(.param .u64 buffer)\n{\n  .reg .pred %p; .reg .b32 %c, %t, %i, %w, "
           "%v;"
           " .reg .b64 %rd, %a, %e;\n" +
           first +
           "  ld.param.u64 %rd, [buffer];\n  mov.u32 %c, %ctaid.x;\n  mov.u32 %t, %tid.x;\n  "
           "mov.u32 %w, 0;\nR:\n  mul.wide.u32 %a, %c, 8192;\n  mul.wide.u32 %e, %t, 4;\n  "
           "add.u64 %a, %a, %rd;\n  add.u64 %a, %a, %e;\n  mov.u32 %i, 0;\nL:\n  "
           "ld.global.u32 %v, [%a];\n  add.u64 %a, %a, 128;\n  add.u32 %i, %i, 1;\n  "
           "setp.lt.u32 %p, %i, 64;\n  @%p bra L;\n  mov.u32 %i, 0;\nT:\n  add.u32 %i, %i, 1;\n  "
           "setp.lt.u32 %p, %i, " +
           std::to_string(rest) + ";\n  @%p bra T;\n  add.u32 %c, %c, " + std::to_string(step) +
           ";\n  rem.u32 %c, %c, 8;\n  add.u32 %w, %w, 1;\n  setp.lt.u32 %p, %w, 2;\n  @%p bra "
           "R;\n  ret;\n}\n";
}

TEST_CASE("a survey goes on until it has seen who reads a line later", "[cli][timing]")
{
    const Folder folder;
    const auto run = [&](const std::string& text) {
        testfiles::spill(folder / "k.ptx", text);
        const json time =
            timeOf("--of 8 --sms 1 --grid 8 --block 32 --arg buf:u8:65536 " + (folder / "k.ptx"));
        return std::pair(time["survey"],
                         time["hbm_gbps"].get<double>() * time["microseconds"].get<double>() / 1e3);
    };
    const auto [alone, once] = run(inRounds(0, 40'000, ""));
    const auto [turns, twice] = run(inRounds(2, 40'000, ""));
    CAPTURE(alone.dump(), turns.dump(), once, twice);
    // What is found after 2,048 instructions of a warp, and up to 120,000, is the first round alone.
    CHECK(turns["instructions"].get<double>() > 8 * 120e3);
    CHECK(once > 0.06);
    CHECK(once < 0.08);
    CHECK(twice < 1.3 * once);
}

TEST_CASE("a survey that its budget stops says so, with findings, too", "[cli][timing]")
{
    const Folder folder;
    for (const std::string twice : {"", "  bar.arrive 1, 64;\n  bar.arrive 1, 64;\n"}) {
        testfiles::spill(folder / "k.ptx", inRounds(2, 500'000, twice));
        const auto done =
            runGsu("run --json --unit golden --timing hopper --of 8 --sms 1 --grid 8 --block 32 "
                   "--arg buf:u8:65536 " +
                   (folder / "k.ptx"));
        CAPTURE(twice, done.out);
        const json result = json::parse(done.out), found = result["time"]["survey"];
        CHECK(result["verdict"] == (twice.empty() ? "partial" : "misuse"));
        CHECK(found["cut"].get<bool>());
        CHECK(found["instructions"].get<double>() < 17e6);
    }
}
