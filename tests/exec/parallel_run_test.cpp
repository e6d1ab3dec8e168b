// A launch whose SMs are executed side by side: the same as at once, to the bit, or a reason why it cannot be.
#include "base/thread_pool.hpp"
#include "catch.hpp"
#include "exec/harness.hpp"
#include "exec/machine/parallel_run.hpp"
#include "exec/state/shared_lines.hpp"

using namespace gsu;
using namespace gsu::test;
using exec::SharedLines;

namespace {

struct Run {
    std::optional<RunResult> result;
    std::string left;
    std::vector<std::uint8_t> bytes;  ///< of the first buffer, at the end
    unsigned meetings{};
};

/// A chip of `sms` SMs, each with its own golden unit.
struct Case {
    Case(const Kernel& kernel, unsigned sms, std::uint32_t ctas, std::uint32_t threads,
         std::vector<LaunchParam> params)
        : module(ptx::parseModule(kernel.text(), "test.ptx"))
    {
        REQUIRE(ptx::firstError(module) == nullptr);
        spec.file = "test.launch.json";
        spec.grid = {ctas, 1, 1};
        spec.block = {threads, 1, 1};
        spec.sms = sms;
        spec.params = std::move(params);
    }
    [[nodiscard]] Run atOnce() const
    {
        Executor executor(spec, module, options);
        GoldenPort port(executor.sms());
        Run run;
        run.result = executor.run(port);
        run.bytes = executor.readBuffer(0);
        return run;
    }
    [[nodiscard]] Run inParts(unsigned threads) const
    {
        Executor executor(spec, module, options);
        REQUIRE(ParallelRun::obstacle(executor) == nullptr);
        ParallelRun parallel(executor);
        std::vector<std::unique_ptr<GoldenPort>> units;
        std::vector<SyncPort*> ports;
        for (std::size_t i = 0; i < parallel.parts().size(); ++i)
            ports.push_back(units.emplace_back(std::make_unique<GoldenPort>(executor.sms())).get());
        Run run;
        ThreadPool team(threads);
        const auto share = [&](unsigned count, const std::function<void(unsigned)>& work) {
            team.run(count, work);
        };
        run.result = parallel.run(ports, share, [&](Cycle) { ++run.meetings; });
        if (run.result) {
            run.bytes = executor.readBuffer(0);
            return run;
        }
        run.left = parallel.left();
        parallel.undo();
        executor.restart();
        GoldenPort port(executor.sms());
        run.result = executor.run(port);
        run.bytes = executor.readBuffer(0);
        return run;
    }
    [[nodiscard]] std::string obstacle() const
    {
        const Executor executor(spec, module, options);
        const char* why = ParallelRun::obstacle(executor);
        return why == nullptr ? "" : why;
    }
    ptx::Module module;
    LaunchSpec spec;
    RunOptions options;
};

void requireSame(const Run& a, const Run& b)
{
    REQUIRE(a.result->verdict == b.result->verdict);
    REQUIRE(a.result->cycles == b.result->cycles);
    REQUIRE(a.result->lastChange == b.result->lastChange);
    REQUIRE(a.result->instructions == b.result->instructions);
    REQUIRE(a.result->threadInstructions == b.result->threadInstructions);
    REQUIRE(a.result->syncRequests == b.result->syncRequests);
    REQUIRE(a.bytes == b.bytes);
}

/// Each CTA passes a barrier as many times as its number, then writes its clock: CTAs of later waves show when and where they began.
const Kernel kWaves{".param .u64 out",
                    R"(mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %tid.x;
and.b32 %r3, %r1, 7;
mul.lo.u32 %r3, %r3, 5;
add.u32 %r3, %r3, 3;
again: bar.sync 0;
sub.u32 %r3, %r3, 1;
setp.ne.u32 %p1, %r3, 0;
@%p1 bra again;
mov.u64 %rd3, %clock64;
mov.u32 %r5, %smid;
shl.b64 %rd3, %rd3, 8;
cvt.u64.u32 %rd4, %r5;
add.u64 %rd3, %rd3, %rd4;
ld.param.u64 %rd1, [out];
mul.wide.u32 %rd2, %r1, 8;
add.u64 %rd1, %rd1, %rd2;
setp.eq.u32 %p2, %r2, 0;
@%p2 st.global.u64 [%rd1], %rd3;
ret;)"};

/// CTA i writes out[i] = from[0] + 1.
Kernel addsOne(const char* params, const std::string& from)
{
    return {params, "ld.param.u64 %rd4, [" + from + R"(];
ld.param.u64 %rd1, [out];
mov.u32 %r1, %ctaid.x;
mul.wide.u32 %rd3, %r1, 8;
add.u64 %rd3, %rd3, %rd1;
ld.global.u64 %rd2, [%rd4];
add.u64 %rd2, %rd2, 1;
st.global.u64 [%rd3], %rd2;
ret;)"};
}

LaunchParam words(std::size_t count) { return buffer(std::vector<std::uint64_t>(count)); }

}  // namespace

TEST_CASE("SMs side by side give what they give at once, on any number of threads",
          "[exec][parallel]")
{
    constexpr std::uint32_t kCtas = 150;
    Case c(kWaves, 5, kCtas, 512, {words(kCtas)});
    c.options.seed = GENERATE(1, 2, 77);
    CAPTURE(c.options.seed);
    const Run once = c.atOnce();
    REQUIRE(once.result->verdict == Verdict::Pass);
    for (const unsigned threads : {1u, 2u, 3u, 7u}) {
        CAPTURE(threads);
        const Run parts = c.inParts(threads);
        REQUIRE(parts.left.empty());
        REQUIRE(parts.meetings > 2);
        requireSame(once, parts);
    }
    // The seed matters: another seed gives other clocks.
    Case other(kWaves, 5, kCtas, 512, {words(kCtas)});
    other.options.seed = c.options.seed + 1;
    REQUIRE(other.atOnce().bytes != once.bytes);
}

TEST_CASE("parts that touch the same bytes are executed at once", "[exec][parallel]")
{
    // CTA 0 writes what CTAs 1 to 3 read: the result depends on which is first.
    const Kernel racy = addsOne(".param .u64 out", "out");
    const Case c(racy, 4, 4, 1, {words(64)});
    const Run parts = c.inParts(2);
    REQUIRE(parts.left == "parts that touch the same bytes");
    requireSame(c.atOnce(), parts);
}

TEST_CASE("parts may touch other bytes of a line, and read the same ones", "[exec][parallel]")
{
    const Kernel apart = addsOne(".param .u64 out, .param .u64 in", "in");
    const Case c(apart, 4, 4, 1, {words(64), words(1)});
    const Run parts = c.inParts(2);
    REQUIRE(parts.left.empty());
    requireSame(c.atOnce(), parts);
}

TEST_CASE("what needs a look at all SMs is executed at once", "[exec][parallel]")
{
    const auto kernel = [](const std::string& body) {
        return Kernel{".param .u64 out", "ld.param.u64 %rd1, [out];\n" + body + "\nret;"};
    };
    SECTION("a hang")
    {
        const Case c(
            kernel("mov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p1, %r1, 2;\n@%p1 bar.sync 1, 64;"), 4, 4,
            32, {words(1)});
        const Run parts = c.inParts(2);
        REQUIRE(parts.left == "nothing moves");
        REQUIRE(parts.result->verdict == Verdict::Hang);
        requireSame(c.atOnce(), parts);
    }
    SECTION("a trap")
    {
        const char* body = GENERATE("ld.global.u64 %rd2, [%rd1+4096];", "trap;");
        const Case c(kernel(body), 4, 4, 32, {words(1)});
        const Run parts = c.inParts(2);
        REQUIRE_FALSE(parts.left.empty());
        REQUIRE_FALSE(parts.result->trap.empty());
        REQUIRE(c.atOnce().result->trap == parts.result->trap);
    }
    SECTION("a limit")
    {
        Case c(kWaves, 4, 40, 32, {words(40)});
        c.options.maxCycles = 700;
        const Run parts = c.inParts(2);
        REQUIRE(parts.left == "a fault, a trap or a limit");
        REQUIRE(parts.result->verdict == Verdict::Limit);
        requireSame(c.atOnce(), parts);
    }
    SECTION("obstacles that are known before")
    {
        const std::vector<LaunchParam> out{words(1)};
        CHECK(Case(kWaves, 1, 4, 32, out).obstacle() == "one SM");
        CHECK(Case(kernel("atom.global.add.u64 %rd2, [%rd1], 1;"), 4, 4, 32, out).obstacle() ==
              "atomics on global memory");
        CHECK(Case(kernel("ld.relaxed.gpu.global.u64 %rd2, [%rd1];"), 4, 4, 32, out).obstacle() ==
              "strong loads of global memory");
        Case weak(kWaves, 4, 4, 32, out);
        weak.options.params.memory = 2;
        CHECK(weak.obstacle() == "weak memory");
    }
}

TEST_CASE("lines say whether parts share bytes that one of them writes", "[exec][parallel]")
{
    constexpr std::uint64_t kBase = 0x1040;
    SharedLines lines(kBase, 4096, 3);
    const auto conflict = [&](std::uint64_t a, bool aWrites, std::uint64_t b, bool bWrites) {
        lines.touch(0, kBase + a, 8, aWrites);
        lines.touch(2, kBase + b, 8, bWrites);
        return lines.takeConflict();
    };
    CHECK(conflict(0, true, 0, true));
    CHECK(conflict(0, true, 4, false));
    CHECK(conflict(256, false, 263, true));
    CHECK_FALSE(conflict(0, false, 0, false));
    CHECK_FALSE(conflict(0, true, 8, true));
    CHECK_FALSE(conflict(0, true, 64, false));
    // Accesses before the last query belong to another stretch of time.
    lines.touch(0, kBase, 8, true);
    CHECK_FALSE(lines.takeConflict());
    lines.touch(1, kBase, 8, true);
    CHECK_FALSE(lines.takeConflict());
    // Over the border of lines, by one part twice, and outside.
    lines.touch(0, kBase + 60, 200, true);
    lines.touch(0, kBase + 60, 8, false);
    CHECK_FALSE(lines.takeConflict());
    lines.touch(0, kBase + 60, 200, true);
    lines.touch(1, kBase + 259, 1, false);
    CHECK(lines.takeConflict());
    lines.touch(1, kBase + 4095, 2, false);
    CHECK(lines.takeConflict());
}

TEST_CASE("a team does every part once, on any number of threads", "[exec][parallel]")
{
    for (const unsigned threads : {1u, 2u, 5u}) {
        ThreadPool team(threads);
        std::vector<std::atomic<unsigned>> done(40);
        for (unsigned round = 1; round <= 20; ++round) {
            const unsigned parts = round * 2;
            team.run(parts, [&](unsigned part) { ++done[part]; });
        }
        for (unsigned part = 0; part < 40; ++part) REQUIRE(done[part] == 20 - part / 2);
    }
}
