// Mistakes of kernels around wgmma, and bad descriptors.
#include "catch.hpp"
#include "exec/tensor.hpp"
#include "kernels.hpp"

using namespace gsu;
using namespace gsu::test;
using u64 = std::uint64_t;

namespace {

constexpr const char* kMma = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, "
                             "%rd5, %rd6, 1, 1, 1, 0, 0;";
constexpr const char* kMmaRegisters = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                                      "{%f0,%f1,%f2,%f3}, {%r20,%r21,%r22,%r23}, %rd6, 1, 1, 1, 0;";

Outcome around(const std::string& body, unsigned threads = 128,
               std::uint64_t descriptor = std::uint64_t{8} << 16 | std::uint64_t{8} << 32,
               std::uint64_t seed = 1, const char* memory = "default")
{
    std::string start;
    for (unsigned i = 0; i < 8; ++i)
        start += "mov.f32 %f" + std::to_string(i) + ", 0f00000000; mov.b32 %r" +
                 std::to_string(20 + i) + ", 0;";
    const Kernel k{
        ".param .u64 d, .param .u64 out",
        ".reg .f32 %f<16>; .shared .align 1024 .b8 s[9216]; ld.param.u64 %rd5, [d]; mov.b64 %rd6, "
        "%rd5; ld.param.u64 %rd7, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, s;"
        "setp.lt.u32 %p1, %r1, 32; mad.lo.u32 %r3, %r1, 4, %r2;" +
            start + "bar.sync 0;\n" + body + "\nret;"};
    LaunchSpec spec;
    spec.file = "test.launch.json";
    spec.block = {threads, 1, 1};
    spec.params = {scalar(descriptor), buffer(std::vector<float>(1024))};
    RunOptions options;
    options.seed = seed;
    REQUIRE(setExecParameter(options.params, std::string("exec.memory=") + memory).empty());
    return runTensor(k, spec, options);
}

std::string rules(const Outcome& o)
{
    std::string all;
    for (const Finding& f : o.result.findings) all += f.rule + " ";
    return all;
}

const std::string kFence = "wgmma.fence.sync.aligned;\n",
                  kEnd = "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n";

}  // namespace

TEST_CASE("wgmma as it should be used has no findings", "[tensor]")
{
    const Outcome o = around(kFence + kMma + kMma + kEnd +
                             "mov.f32 %f8, %f0; bar.sync 0; st.shared.f32 [%r3], %f8;");
    CHECK(rules(o) == "");
    CHECK(o.result.verdict == Verdict::Pass);
}

TEST_CASE("accumulators and A's registers before the wait", "[tensor][TEN-010]")
{
    CHECK(rules(around(kFence + kMma + "mov.f32 %f8, %f0;" + kEnd)) == "TEN-010 ");
    CHECK(rules(around(kFence + kMma + "add.f32 %f1, %f8, %f9;" + kEnd)) == "TEN-010 ");
    CHECK(rules(around(kFence + kMmaRegisters + "mov.b32 %r21, %r1;" + kEnd)) == "TEN-010 ");
    CHECK(rules(around(kFence + kMmaRegisters + "mov.b32 %r9, %r21;" + kEnd)) == "");
    // A group that may still be in flight is not covered.
    CHECK(rules(around(kFence + kMma + "wgmma.commit_group.sync.aligned;" +
                       "wgmma.wait_group.sync.aligned 1; mov.f32 %f8, %f0;" +
                       "wgmma.wait_group.sync.aligned 0;")) == "TEN-010 ");
    // The same register in another accumulator.
    CHECK(rules(around(kFence + kMma +
                       "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f3,%f4,%f5,%f6}, %rd5, "
                       "%rd6, 1, 1, 1, 0, 0;" +
                       kEnd)) == "TEN-010 ");
}

TEST_CASE("a poisoned accumulator is seen by who reads it too early", "[tensor]")
{
    const Outcome o = around(kFence + kMma + "st.global.f32 [%rd7], %f0;" + kEnd);
    CHECK(o.as<std::uint32_t>(1)[0] == 0x7fff7fff);
}

TEST_CASE("a missing fence, a wait for nothing, uncommitted work", "[tensor][TEN-013][TEN-016]")
{
    CHECK(rules(around(kMma + kEnd)) == "TEN-013 ");
    CHECK(rules(around(kFence + kMma + kEnd + "mov.f32 %f2, %f9;" + kMma + kEnd)) == "TEN-013 ");
    CHECK(rules(around(kFence + kMma + kEnd + "mov.f32 %f2, %f9;" + kFence + kMma + kEnd)) == "");
    CHECK(rules(around(kFence + "wgmma.wait_group.sync.aligned 0;")) == "TEN-016 ");
    CHECK(rules(around(kFence + kMma + "wgmma.wait_group.sync.aligned 0;" + kEnd)) == "TEN-016 ");
}

TEST_CASE("shared memory overwritten before it is read", "[tensor][TEN-017]")
{
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        CHECK(rules(around(kFence + kMma + "st.shared.u32 [%r3], %r1;" + kEnd, 128,
                           std::uint64_t{8} << 16 | std::uint64_t{8} << 32, seed))
                  .substr(0, 7) == "TEN-017");
        CHECK(rules(around(kFence + kMma + "st.shared.u32 [%r3+4096], %r1;" + kEnd, 128,
                           std::uint64_t{8} << 16 | std::uint64_t{8} << 32, seed)) == "");
    }
}

TEST_CASE("what lies beside the bytes that a wgmma reads may be overwritten", "[tensor][TEN-017]")
{
    // A begins 32 bytes behind a line of 128, as an operand's second step of k in a swizzled tile does; B lies at 4096.
    const auto beside = [](unsigned from) {
        return rules(around("add.s64 %rd6, %rd5, 254; setp.lt.u32 %p2, %r1, 16;" + kFence + kMma +
                                "@%p2 st.shared.u32 [%r3+" + std::to_string(from) + "], %r1;" +
                                kEnd,
                            128, 2 | std::uint64_t{8} << 16 | std::uint64_t{16} << 32));
    };
    CHECK(beside(4096 - 64) == "");
    CHECK(beside(4096 + 256) == "");
    CHECK(beside(4096).substr(0, 7) == "TEN-017");
    CHECK(beside(4096 + 192).substr(0, 7) == "TEN-017");
}

TEST_CASE("ordinary stores that wgmma reads need a proxy fence", "[tensor][TEN-018][FENCE-026]")
{
    const u64 place = u64{8} << 16 | u64{8} << 32;
    const std::string store = "st.shared.u32 [%r3], %r1; ", barrier = "bar.sync 1;\n",
                      multiply = kFence + kMma + kEnd;
    const auto found = [&](const std::string& body, const char* memory = "default") {
        return rules(around(body, 128, place, 1, memory));
    };
    for (const char* memory : {"immediate", "default", "weak"}) {
        CAPTURE(memory);
        CHECK(found(store + barrier + multiply, memory) == "TEN-018 ");
        CHECK(found(store + "fence.proxy.async;" + barrier + multiply, memory) == "");
        CHECK(found(store + "fence.proxy.async.shared::cta;" + barrier + multiply, memory) == "");
        // One thread's fence after the barrier is enough, too.
        CHECK(found(store + barrier + "fence.proxy.async;" + multiply, memory) == "");
        CHECK(found(store + "fence.proxy.async.global;" + barrier + multiply, memory) ==
              "TEN-018 ");
        CHECK(found(store + "membar.cta;" + barrier + multiply, memory) == "TEN-018 ");
        // A store after the fence.
        CHECK(found("fence.proxy.async;" + store + barrier + multiply, memory) == "TEN-018 ");
        // Another place, or where nothing was stored.
        CHECK(found("st.shared.u32 [%r3+4096], %r1;" + barrier + multiply, memory) == "");
    }
    // Atomics and matrices are ordinary stores as well.
    CHECK(found("atom.shared.add.u32 %r9, [%r3], 1;" + barrier + multiply) == "TEN-018 ");
    CHECK(found("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r1};" + barrier + multiply) ==
          "TEN-018 ");
    // A copy writes over what was stored; cp.async is left out, as published kernels have no fence there.
    const std::string bulk =
        "setp.eq.u32 %p4, %r1, 0; add.u32 %r9, %r2, 8000; @%p4 mbarrier.init.shared.b64 [%r9], "
        "1; " +
        barrier +
        "@%p4 mbarrier.arrive.expect_tx.shared.b64 _, [%r9], 2048; @%p4 "
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd7], 2048, "
        "[%r9];\nW: mbarrier.try_wait.parity.shared.b64 %p5, [%r9], 0; @!%p5 bra W;\n";
    CHECK(found(store + bulk + multiply) == "");
    CHECK(found("cp.async.ca.shared.global [%r3], [%rd7], 4; cp.async.wait_all;" + barrier +
                multiply) == "");
}

TEST_CASE("warps of a warpgroup that differ; too few warps; threads that differ",
          "[tensor][TEN-011][TEN-012]")
{
    CHECK(rules(around(kFence + "@%p1 add.u64 %rd6, %rd6, 1;\n" + kMma + kEnd)).find("TEN-012") !=
          std::string::npos);
    CHECK(rules(around(kFence + "@%p1 bra S;" + kMma + "S: " + kMma + kEnd)).find("TEN-012") !=
          std::string::npos);
    CHECK(rules(around(kFence + kMma + kEnd, 96)).find("TEN-012") != std::string::npos);
    CHECK(rules(around("setp.eq.u32 %p2, %r1, 5; @%p2 add.u64 %rd6, %rd6, 1;\n" + kFence + kMma +
                       kEnd))
              .find("TEN-011") != std::string::npos);
}

TEST_CASE("a wgmma is complete when it is for the whole warpgroup", "[tensor]")
{
    // Warp 0 comes long before the others, and stores to what they read as soon as its wait is over.
    const std::string late = "setp.ge.u32 %p3, %r1, 32; @%p3 nanosleep.u32 2000;\n";
    const std::string early = "@%p1 st.shared.u32 [%r3], %r1;";
    for (std::uint64_t seed = 1; seed <= 5; ++seed)
        CHECK(rules(around(late + kFence + kMma + kEnd + early, 128,
                           std::uint64_t{8} << 16 | std::uint64_t{8} << 32, seed)) == "");
}

TEST_CASE("without a base offset a matrix begins at any line of the swizzle pattern",
          "[tensor][TEN-015]")
{
    // Dynamic shared memory that is aligned to 128 bytes: copies and products take the pattern from the address.
    for (unsigned line = 0; line < 8; ++line) {
        CAPTURE(line);
        const std::uint64_t swizzle = std::uint64_t{1} << 62 | std::uint64_t{64} << 32;
        CHECK(rules(around(kFence + kMma + kEnd, 128, swizzle | line * 8)) == "");
        CHECK(rules(around(kFence + kMma + kEnd, 128,
                           swizzle | std::uint64_t{line} << 49 | line * 8)) == "");
    }
}

TEST_CASE("descriptors of any content end in a finding or a result", "[tensor][TEN-014][TEN-015]")
{
    CHECK(rules(around(kFence + kMma + kEnd, 128, 0x3fff)).find("TEN-014") != std::string::npos);
    // A pattern that begins at line 1, and a matrix that begins at line 0.
    CHECK(rules(around(kFence + kMma + kEnd, 128,
                       std::uint64_t{1} << 62 | std::uint64_t{1} << 49 | std::uint64_t{8} << 32))
              .find("TEN-015") != std::string::npos);
    CHECK(rules(around(kFence + kMma + kEnd, 128, std::uint64_t{1} << 60 | std::uint64_t{8} << 32))
              .find("TEN-015") != std::string::npos);
    std::mt19937_64 random(9);
    unsigned traps = 0;
    for (unsigned i = 0; i < 60; ++i) {
        const std::uint64_t bits = random() & (i % 2 == 0 ? ~0ull : 0xc000'003f'003f'003full);
        const Outcome o = around(kFence + kMma + kEnd, 128, bits);
        traps += o.result.verdict == Verdict::Misuse ? 1 : 0;
        CHECK((o.result.verdict == Verdict::Misuse || o.result.verdict == Verdict::Pass));
    }
    CHECK(traps > 10);
    CHECK(traps < 60);
}
