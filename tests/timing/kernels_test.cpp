// Microbenchmarks as kernels: clock64 around n copies of an instruction, under exec.timing=hopper. Each is exact here, and beside what is published.
// The golden unit answers at once; what the unit adds is measured on the RTL (tests/verilated/mbar_calibration_test.cpp).
#include "timing/bench.hpp"

using namespace gsu;
using namespace gsu::timing::test;

namespace {

void check(const Bench& b, unsigned few = 8, unsigned many = 40)
{
    const double here = slope(b, few, many);
    INFO(b.name << ", " << b.source << ": " << here);
    CHECK(here == Approx(b.exact).margin(1e-9));
    if (b.high == 0) return;
    CHECK(here >= 0.9 * b.low);
    CHECK(here <= 1.1 * b.high);
}

const std::string kLane = "shl.b32 %r5, %r1, 2; add.u32 %r5, %r5, %r2;\n";

/// A chain of loads whose lanes are `stride` bytes apart.
Bench conflict(const char* name, unsigned stride, double exact)
{
    return {name,
            exact,
            0,
            0,
            "M, tests/hardware H100, H200: 22 clocks and two for each word of a bank",
            fmt::format("mul.lo.u32 %r5, %r1, {}; add.u32 %r5, %r5, %r2; "
                        "st.shared.u32 [%r5], %r5;",
                        stride),
            same("ld.shared.u32 %r5, [%r5];"),
            32};
}

std::string mma(unsigned d)
{
    return fmt::format("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                       "{{%f{0},%f{1},%f{2},%f{3}}}, {{%r10,%r11,%r12,%r13}}, {{%r14,%r15}}, "
                       "{{%f{0},%f{1},%f{2},%f{3}}};",
                       d, d + 1, d + 2, d + 3);
}

std::string wgmma(unsigned n)
{
    std::string d;
    for (unsigned i = 0; i < n / 2; ++i) d += fmt::format("{}%f{}", i == 0 ? "" : ",", i);
    return fmt::format("wgmma.mma_async.sync.aligned.m64n{}k16.f32.bf16.bf16 {{{}}}, %rd20, %rd21, "
                       "1, 1, 1, 0, 0;\n",
                       n, d);
}

const std::string kDescriptors =
    "cvt.u64.u32 %rd20, %r2; shr.u64 %rd20, %rd20, 4; or.b64 %rd20, %rd20, 0x4000004000010000; "
    "add.u64 %rd21, %rd20, 512; wgmma.fence.sync.aligned;\n";
const std::string kProductsEnd = "wgmma.commit_group.sync.aligned; "
                                 "wgmma.wait_group.sync.aligned 0;\n";

}  // namespace

TEST_CASE("kernels of arithmetic take the published clocks", "[timing]")
{
    check({"fma, chain", 4, 4, 4, "M, H100", "", same("fma.rn.f32 %f1, %f1, %f1, %f1;")});
    check({"fma, independent", 1, 1, 1, "M, H100", "",
           [](unsigned i) { return fmt::format("fma.rn.f32 %f{}, %f1, %f2, %f3;", 10 + i); }});
    check({"add, chain", 4, 4, 5, "A", "", same("add.u32 %r5, %r5, %r5;")});
    check({"ex2, chain", 17, 17, 18.9, "M, tests/hardware, FLASH H100", "",
           same("ex2.approx.f32 %f1, %f1;")});
    check({"ex2, independent", 8, 8, 8, "M, H100", "",
           [](unsigned i) { return fmt::format("ex2.approx.f32 %f{}, %f1;", 10 + i); }});
    const char* const ours = "M, tests/hardware H100, H200";
    check({"rcp, chain", 39, 37, 42, ours, "", same("rcp.approx.f32 %f1, %f1;")});
    check({"rsqrt.ftz, chain", 17, 17, 17, ours, "", same("rsqrt.approx.ftz.f32 %f1, %f1;")});
    check({"popc, chain", 17, 17, 17, ours, "", same("popc.b32 %r5, %r5;")});
    check({"fma.f16x2, chain", 8, 8, 8, ours, "", same("fma.rn.f16x2 %r5, %r5, %r5, %r5;")});
    check({"to float and back", 22, 23, 23, ours, "",
           same("cvt.rn.f32.s32 %f1, %r5; cvt.rzi.s32.f32 %r5, %f1;")});
    check({"the clock", 11, 11, 11, ours, "", same("mov.u32 %r5, %clock;")});
    check(
        {"shfl, chain", 24, 24, 24, ours, "", same("shfl.sync.bfly.b32 %r5, %r5, 1, 31, -1;"), 32});
    check({"a move is another name of its register", 0, 0, 0, "A", "",
           [](unsigned i) { return fmt::format("mov.u32 %r{}, %r{};", 11 + i, 10 + i); }});
}

TEST_CASE("kernels of loads and stores take the published clocks", "[timing]")
{
    const char* const h800 = "T, LUO25 (H800)";
    check({"ld.shared, chain", 24, 24, 29, "M, tests/hardware, T, LUO25 (H800)",
           "st.shared.u32 [%r2], %r2;", same("ld.shared.u32 %r2, [%r2];")});
    check(conflict("2 words of a bank", 8, 26));
    check(conflict("8 words of a bank", 32, 38));
    check(conflict("32 words of a bank", 128, 86));
    check({"st.shared", 1, 1, 1, "port of 128 bytes", kLane,
           [](unsigned i) { return fmt::format("st.shared.u32 [%r5+{}], %r1;", 128 * i); }, 32});
    check({"atom.shared, chain", 26, 26, 30, "M, tests/hardware, B300", "",
           same("atom.shared.add.u32 %r5, [%r2], %r5;")});
    const std::string own = "mov.u64 %rd3, %rd2; st.global.u64 [%rd3], %rd3;";
    check({"ld.global, L1, chain", 32, 32, 41, h800, own, same("ld.global.u64 %rd3, [%rd3];")});
    check({"ld.global.cg, L2, chain", 295, 285, 300, "M, tests/hardware: the far half", own,
           same("ld.global.cg.u64 %rd3, [%rd3];")});
    const Bench stores{
        "st.global is posted",
        1,
        0,
        0,
        "",
        "mul.wide.u32 %rd3, %r1, 4; "
        "add.u64 %rd3, %rd3, %rd2;",
        [](unsigned i) { return fmt::format("st.global.u32 [%rd3+{}], %r1;", 128 * i); },
        32};
    check(stores, 4, 16);
    // Once the queue before L1 is full, a line takes its pass through it.
    CHECK(slope(stores, 128, 192) == Approx(2.25).margin(0.05));
    check({"cp.async, issue", 4, 4.06, 4.06, "M, FLASH H200",
           "shl.b32 %r5, %r1, 4; add.u32 %r5, %r5, %r2; mul.wide.u32 %rd3, %r1, 16; "
           "add.u64 %rd3, %rd3, %rd2;",
           [](unsigned i) {
               return fmt::format("cp.async.cg.shared.global [%r5+{0}], [%rd3+{0}], 16;", 512 * i);
           },
           32},
          2, 16);
    check({"ld.shared::cluster, chain", 200, 178, 230, "M, FLASH H200",
           "mapa.shared::cluster.u32 %r5, %r2, 1; barrier.cluster.arrive.aligned; "
           "barrier.cluster.wait.aligned;",
           same("ld.shared::cluster.u32 %r6, [%r5]; and.b32 %r6, %r6, 0; add.u32 %r5, %r5, %r6;"),
           32, 2, "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"});
}

TEST_CASE("loads that do not need each other overlap", "[timing]")
{
    Bench b{"32 lines", 0, 0, 0, "", "", {}, 1, 1, ""};
    b.body = [](unsigned i) {
        return fmt::format("ld.global.u32 %r{}, [%rd2+{}];", 20 + i, 4096 * i);
    };
    const std::string use = "add.u32 %r5, %r20, %r20;";
    Bench one = b;
    one.body = [&](unsigned i) { return i == 0 ? b.body(0) + use : b.body(i); };
    const std::uint64_t alone = clocks(one, 1), all = clocks(one, 32);
    CHECK(alone == 757);  // HBM, far half, the add and the clock
    CHECK(all < alone + 40);
}

TEST_CASE("kernels of matrix products take the published clocks", "[timing]")
{
    check({"mma.sync, chain", 24, 22, 24.1, "T, LUO24 (H800)", "", same(mma(0)), 32});
    const Body apart = [](unsigned i) { return mma(4 * (i % 20)); };
    check({"mma.sync", 6, 6, 6, "D, LUO24", "", apart, 32});
    check({"mma.sync, 16 warps", 24.5625, 24, 24, "D, LUO24: 6 a scheduler", "", apart, 512});
    for (const unsigned n : {64u, 128u, 256u}) {
        const Body round = [n](unsigned) {
            std::string text;
            for (unsigned i = 0; i < 8; ++i) text += wgmma(n);
            return text + kProductsEnd;
        };
        const double published = n == 128 ? 8 * 72.2 : 0;
        const double exact = n == 64 ? 300 : n == 128 ? 556 : 1068;
        check({"eight wgmma and their wait", exact, published, published, "M, FLASH H200",
               kDescriptors, round, 128},
              2, 6);
    }
}

TEST_CASE("timing.window decides what passes a stalled instruction", "[timing]")
{
    Bench b{"two loads", 0, 0, 0, "", "", {}, 1, 1, ""};
    b.body = [](unsigned) {
        return std::string("ld.global.u32 %r5, [%rd2+4096]; add.u32 %r6, %r5, %r5; "
                           "ld.global.u32 %r7, [%rd2+65536]; add.u32 %r8, %r7, %r7;");
    };
    const std::uint64_t passing = clocks(b, 1), inOrder = clocks(b, 1, {"timing.window=1"});
    CHECK(inOrder > passing + 500);
}

namespace {

/// Each CTA writes its number + 1.
constexpr const char* kNumbers = R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .b32 %r<4>;
.reg .b64 %rd<4>;
ld.param.u64 %rd1, [out];
mov.u32 %r1, %ctaid.x;
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd3, %rd1, %rd2;
add.u32 %r2, %r1, 1;
st.global.u32 [%rd3], %r2;
exit;
}
)";

test::Outcome numbers(unsigned ctas, const std::vector<std::string>& settings,
                      const std::function<void(LaunchSpec&)>& change = {})
{
    LaunchSpec spec;
    spec.file = "numbers.launch.json";
    spec.grid = {ctas, 1, 1};
    spec.params = {test::buffer(std::vector<std::uint32_t>(ctas))};
    if (change) change(spec);
    RunOptions options;
    REQUIRE(setTiming(options.params, "hopper").empty());
    for (const std::string& one : settings) REQUIRE(setExecParameter(options.params, one).empty());
    return test::run(kNumbers, spec, options);
}

}  // namespace

TEST_CASE("of a part of a chip every n-th CTA is simulated, and nothing is judged", "[timing]")
{
    const test::Outcome whole = numbers(8, {});
    CHECK(whole.result.verdict == Verdict::Pass);
    CHECK(whole.as<std::uint32_t>(0) == std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 8});
    const auto wrong = [](LaunchSpec& spec) {
        Expectation e;
        e.param = 0;
        e.data = {DataType::U32, {9, 0, 0, 0}};
        e.fill = true;
        spec.expect.push_back(e);
    };
    CHECK(numbers(8, {}, wrong).result.verdict == Verdict::Mismatch);
    const test::Outcome part = numbers(8, {"exec.of=4"}, wrong);
    CHECK(part.result.verdict == Verdict::Partial);
    CHECK(part.result.asExpected);
    CHECK(part.result.mismatches.empty());
    CHECK(part.as<std::uint32_t>(0) == std::vector<std::uint32_t>{1, 0, 0, 0, 5, 0, 0, 0});
    CHECK_THROWS_WITH(numbers(8, {"exec.of=4"}, [](LaunchSpec& s) { s.cooperative = true; }),
                      Catch::Contains("cooperative"));
    CHECK_THROWS_WITH(numbers(8, {"exec.of=1"}, [](LaunchSpec& s) { s.sms = 2; }),
                      Catch::Contains("no part of 1"));
}

TEST_CASE("rates are those of the grid: SMs for which no CTA is left do nothing", "[timing]")
{
    const auto wholes = [](unsigned ctas, const std::vector<std::string>& settings) {
        return numbers(ctas, settings).result.timing->wholes;
    };
    CHECK(wholes(8, {}) == 1);
    CHECK(wholes(8, {"exec.of=4"}) == 4);  // two waves of four
    CHECK(wholes(3, {"exec.of=4"}) == 3);  // not four times what the first one does
    CHECK(wholes(9, {"exec.of=4"}) == 3);  // nine CTAs, of which three are simulated
    const RunResult r = numbers(3, {"exec.of=4"}).result;
    TimingReport report = *r.timing;
    report.multiplyAdds = 1000;
    CHECK(report.teraflops() == Approx(2 * 3000 / report.microseconds() / 1e6));
}

TEST_CASE("registers limit the CTAs of an SM", "[timing]")
{
    const auto launch = [](unsigned registers) {
        return numbers(16, {},
                       [=](LaunchSpec& s) {
                           s.block = {256, 1, 1};
                           s.registers = registers;
                       })
            .result.cycles;
    };
    // 168 registers of 256 threads: one CTA at a time, and each takes the clocks to fill its slot again.
    CHECK(launch(168) > launch(32) + 10 * 330);
    CHECK_THROWS_WITH(numbers(1, {},
                              [](LaunchSpec& s) {
                                  s.block = {1024, 1, 1};
                                  s.registers = 128;
                              }),
                      Catch::Contains("65536"));
}

TEST_CASE("the clocks of a role add up to those of its warps", "[timing]")
{
    const RunResult r = numbers(8, {}).result;
    REQUIRE(r.timing != nullptr);
    CHECK(r.timing->timing == "hopper");
    CHECK(r.timing->ledger.accounts().size() == 1);
    const auto& account = r.timing->ledger.accounts().begin()->second;
    CHECK(account.warps == 8);
    // All eight run beside each other, from the launch on.
    CHECK(account.total() <= 8 * (r.cycles - 5500));
    CHECK(account.total() >= 8 * 10);
    CHECK_FALSE(r.timing->bound.empty());
    RunOptions simple;
    CHECK(test::run(
              kNumbers,
              [] {
                  LaunchSpec spec;
                  spec.params = {test::buffer(std::vector<std::uint32_t>(1))};
                  return spec;
              }(),
              simple)
              .result.timing == nullptr);
}

TEST_CASE("latencies that the servers replace are refused by name", "[timing]")
{
    ExecParams params;
    REQUIRE(setTiming(params, "hopper").empty());
    const std::string why = setExecParameter(params, "exec.global_lat=300");
    CHECK(why.find("exec.timing=hopper does not use exec.global_lat") != std::string::npos);
    CHECK(setExecParameter(params, "timing.fma_lat=5").empty());
    CHECK(params.servers.fma_lat == 5);
    ExecParams simple;
    CHECK(setExecParameter(simple, "timing.fma_lat=5").find("--timing") != std::string::npos);
    CHECK(setExecParameter(simple, "exec.of=132").find("exec.timing") != std::string::npos);
    CHECK_FALSE(setTiming(simple, "ampere").empty());
}
