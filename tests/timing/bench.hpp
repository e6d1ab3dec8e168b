/// Kernels that read the clock around n copies of an instruction.
#pragma once
#include <fmt/format.h>

#include <functional>

#include "catch.hpp"
#include "exec/harness.hpp"
#include "exec/result/timing_report.hpp"

namespace gsu::timing::test {

/// The text of the i-th copy.
using Body = std::function<std::string(unsigned)>;

inline Body same(std::string text)
{
    return [text = std::move(text)](unsigned) { return text; };
}

struct Bench {
    const char* name;
    double exact;      ///< clocks of one more copy here
    double low, high;  ///< published; both 0: no figure
    const char* source;
    std::string before;
    Body body;
    unsigned threads{1}, ctas{1};
    std::string after{};
};

inline std::string kernelOf(const Bench& b, unsigned count)
{
    std::string copies;
    for (unsigned i = 0; i < count; ++i) copies += b.body(i) + "\n";
    return fmt::format(R"(.version 8.6
.target sm_90a
.address_size 64
.shared .align 1024 .b8 area[65536];
.visible .entry k(.param .u64 out, .param .u64 in) {}
{{
.reg .pred %p<8>;
.reg .b32 %r<300>;
.reg .f32 %f<300>;
.reg .b64 %rd<40>;
ld.param.u64 %rd1, [out];
ld.param.u64 %rd2, [in];
mov.u32 %r1, %tid.x;
mov.u32 %r2, area;
mov.u32 %r3, %ctaid.x;
{}
mov.u64 %rd30, %clock64;
{}
mov.u64 %rd31, %clock64;
{}
sub.u64 %rd32, %rd31, %rd30;
or.b32 %r4, %r1, %r3;
setp.eq.u32 %p7, %r4, 0;
@%p7 st.global.u64 [%rd1], %rd32;
exit;
}}
)",
                       b.ctas > 1 ? fmt::format(".reqnctapercluster {}, 1, 1", b.ctas) : "",
                       b.before, copies, b.after);
}

inline std::uint64_t clocks(const Bench& b, unsigned count,
                            const std::vector<std::string>& settings = {})
{
    LaunchSpec spec;
    spec.file = "bench.launch.json";
    spec.block = {b.threads, 1, 1};
    spec.grid = {b.ctas, 1, 1};
    spec.params = {gsu::test::buffer(std::vector<std::uint64_t>(1)),
                   gsu::test::buffer(std::vector<std::uint8_t>(1u << 20))};
    RunOptions options;
    REQUIRE(setTiming(options.params, "hopper").empty());
    for (const std::string& s : settings) REQUIRE(setExecParameter(options.params, s).empty());
    const gsu::test::Outcome outcome = gsu::test::run(kernelOf(b, count), spec, options);
    INFO(b.name << ": " << nameOf(outcome.result.verdict) << ' ' << outcome.result.trap);
    REQUIRE(outcome.result.verdict == Verdict::Pass);
    return outcome.as<std::uint64_t>(0)[0];
}

inline double slope(const Bench& b, unsigned few = 8, unsigned many = 40)
{
    const auto rise = static_cast<double>(clocks(b, many)) - static_cast<double>(clocks(b, few));
    return rise / (many - few);
}

}  // namespace gsu::timing::test
