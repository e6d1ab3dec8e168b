// Schedulers whose warps only compute go on by themselves (Schedulers::Issuer::computeOn): nobody but the calendar of the scheduler may notice.
#include <algorithm>

#include "catch.hpp"
#include "exec/harness.hpp"
#include "exec/result/timing_report.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

/// Which warps issue which lines, and when the executor says they do.
struct IssueLog final : ExecObserver {
    struct Issue {
        std::uint32_t warp, line;
        bool operator==(const Issue&) const = default;
        auto operator<=>(const Issue&) const = default;
    };
    [[nodiscard]] bool wantsIssue() const override { return true; }
    void onIssue(Cycle cycle, WarpRef who, std::uint32_t line, Lanes) override
    {
        back += cycle < last ? 1 : 0;
        last = cycle;
        issues.push_back({who.warp, line});
    }
    Cycle last{};
    std::size_t back{};  ///< calls with an earlier cycle than the one before
    std::vector<Issue> issues;
};

struct Ran {
    RunResult result;
    std::vector<std::uint8_t> out;
    IssueLog log;
};

/// 32 warps, 60 rounds of `body`. A kernel with a product, even one that nobody executes, keeps the order of the clocks.
std::string kernelOf(const std::string& body, bool product)
{
    const std::string never = "@%p2 mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                              "{%f1,%f2,%f3,%f4}, {%r1,%r1,%r1,%r1}, {%r1,%r1}, {%f1,%f2,%f3,%f4};";
    return R"(.version 8.6
.target sm_90a
.address_size 64
.shared .align 16 .b8 area[8192];
.visible .entry k(.param .u64 out)
{
.reg .pred %p<4>; .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x; mov.u32 %r2, %r1; mov.u32 %r3, 3; mov.u32 %r4, 0; mov.u32 %r6, area;
shl.b32 %r5, %r1, 2; add.u32 %r5, %r5, %r6;
mov.u32 %r9, %ntid.x; setp.eq.u32 %p2, %r9, 0;
L:
)" + body + R"(
add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 60; @%p1 bra L;
)" + (product ? never : "") +
           R"(
mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r2;
exit;
}
)";
}

Ran ran(const std::string& body, bool product, std::uint64_t seed)
{
    LaunchSpec spec;
    spec.file = "alone.launch.json";
    spec.block = {1024, 1, 1};
    spec.params = {buffer(std::vector<std::uint32_t>(1024))};
    RunOptions options;
    options.seed = seed;
    REQUIRE(setTiming(options.params, "hopper").empty());
    const ptx::Module module = ptx::parseModule(kernelOf(body, product), "alone.ptx");
    Executor executor(spec, module, options);
    GoldenPort port(executor.sms());
    Ran r;
    executor.addObserver(r.log);
    r.result = executor.run(port);
    REQUIRE(r.result.verdict == Verdict::Pass);
    r.out = executor.readBuffer(0);
    std::sort(r.log.issues.begin(), r.log.issues.end());
    return r;
}

}  // namespace

TEST_CASE("a scheduler whose warps only compute goes on by itself", "[timing]")
{
    std::string compute;
    for (unsigned i = 0; i < 6; ++i)
        compute += "add.u32 %r2, %r2, %r3; xor.b32 %r3, %r3, %r2; mad.lo.u32 %r2, %r3, 5, %r2; "
                   "shr.u32 %r3, %r2, 2;\n";
    struct Case {
        const char* name;
        std::string body;
        bool alone;  ///< warps come far enough ahead of the clock; accesses and barriers hold them
    };
    const Case cases[] = {
        {"arithmetic", compute, true},
        {"lanes that differ",
         "and.b32 %r8, %r1, 1; setp.eq.u32 %p3, %r8, 0; @%p3 bra S;" + compute +
             "S: add.u32 %r2, %r2, %r3;" + compute,
         true},
        {"loads",
         compute + "st.shared.u32 [%r5], %r2; ld.shared.u32 %r7, [%r5]; add.u32 %r2, %r2, %r7;",
         false},
        {"barriers",
         "setp.ge.u32 %p3, %r1, 512; @%p3 bra S;" + compute + "S: add.u32 %r2, %r2, 1; bar.sync 0;",
         false}};
    for (const Case& c : cases) {
        for (const std::uint64_t seed : {1, 2, 3}) {
            INFO(c.name << ", seed " << seed);
            const Ran alone = ran(c.body, false, seed), ordered = ran(c.body, true, seed);
            CHECK((alone.log.back > 100) == c.alone);
            CHECK(ordered.log.back == 0);
            CHECK(alone.out == ordered.out);
            const auto cycles = static_cast<double>(ordered.result.cycles);
            CHECK(static_cast<double>(alone.result.cycles) == Approx(cycles).epsilon(0.01));
            CHECK(alone.log.issues.size() == alone.result.instructions);
            CHECK(std::ranges::includes(ordered.log.issues, alone.log.issues));
            CHECK(alone.result.instructions + 32 == ordered.result.instructions);
        }
    }
}
