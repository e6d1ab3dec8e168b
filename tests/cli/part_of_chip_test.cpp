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

TEST_CASE("a report warns of a counter from which CTAs may take their work", "[cli][timing]")
{
    const Folder folder;
    const auto warned = [&](unsigned times) {
        testfiles::spill(folder / "k.ptx", counting(times));
        return timeOf("--grid 264 --block 32 --sms 1 --of 132 --arg buf:u32:2 " +
                      (folder / "k.ptx"));
    };
    const json often = warned(3);
    REQUIRE(often.contains("warning"));
    CHECK(often["warning"].get<std::string>().find("CTAs add to a counter again and again") == 0);
    CHECK_FALSE(warned(1).contains("warning"));  // once: a list to which each appends, or a sum
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
