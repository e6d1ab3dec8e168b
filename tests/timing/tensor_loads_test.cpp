// tcgen05.ld as kernels time it, under exec.timing=blackwell.
#include <fmt/format.h>

#include "catch.hpp"
#include "exec/harness.hpp"

using namespace gsu;

namespace {

/// Clocks of `count` times an ld of `columns` columns and its wait, on Blackwell.
std::uint64_t tensorLoads(unsigned columns, unsigned count,
                          const std::vector<std::string>& settings = {})
{
    std::string d = "%d0", copies;
    for (unsigned i = 1; i < columns; ++i) d += fmt::format(",%d{}", i);
    for (unsigned i = 0; i < count; ++i)
        copies += fmt::format("tcgen05.ld.sync.aligned.32x32b.x{}.b32 {{{}}}, [%r1];\n"
                              "tcgen05.wait::ld.sync.aligned;\n",
                              columns, d);
    const std::string text = R"(.version 8.6
.target sm_100a
.address_size 64
.shared .align 16 .b32 place;
.visible .entry k(.param .u64 out)
{
.reg .pred %p;
.reg .b32 %r<4>;
.reg .b32 %d<128>;
.reg .b64 %rd<4>;
ld.param.u64 %rd1, [out];
mov.u32 %r2, %tid.x;
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 128;
ld.shared.u32 %r1, [place];
mov.b32 %d0, 0;
)" + [&] {
        std::string zero;
        for (unsigned i = 1; i < columns; ++i) zero += fmt::format("mov.b32 %d{}, 0;\n", i);
        return zero +
               fmt::format("tcgen05.st.sync.aligned.32x32b.x{}.b32 [%r1], {{{}}};\n", columns, d);
    }() + R"(tcgen05.wait::st.sync.aligned;
mov.u64 %rd2, %clock64;
)" + copies + R"(mov.u64 %rd3, %clock64;
sub.u64 %rd3, %rd3, %rd2;
tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 128;
setp.eq.u32 %p, %r2, 0;
@%p st.global.u64 [%rd1], %rd3;
exit;
}
)";
    LaunchSpec spec;
    spec.file = "loads.launch.json";
    spec.block = {32, 1, 1};
    spec.params = {test::buffer(std::vector<std::uint64_t>(1))};
    RunOptions options;
    REQUIRE(setTiming(options.params, "blackwell").empty());
    for (const std::string& one : settings) REQUIRE(setExecParameter(options.params, one).empty());
    const test::Outcome outcome = test::run(text, spec, options);
    INFO(outcome.result.trap);
    REQUIRE(outcome.result.verdict == Verdict::Pass);
    return outcome.as<std::uint64_t>(0)[0];
}

}  // namespace

TEST_CASE("tcgen05.ld takes the way's time and its latency, whatever the seed", "[timing]")
{
    const auto each = [](unsigned columns, const std::vector<std::string>& settings = {}) {
        return (tensorLoads(columns, 24, settings) - tensorLoads(columns, 8, settings)) / 16;
    };
    const std::uint64_t eight = each(8);
    CHECK(eight == 68);  // 1024 bytes at 53 a clock, and 48
    CHECK(each(32) == eight + 58);
    CHECK(each(8, {"timing.tmem_lat=148"}) == eight + 100);
    ExecParams params;
    REQUIRE(setTiming(params, "blackwell").empty());
    CHECK(setExecParameter(params, "exec.tmem_lat=50").find("does not use exec.tmem_lat") !=
          std::string::npos);
}
