// Whole kernels from PTX to verdict: one with a CTA barrier, and the simplest hangs and misuse.
#include "catch.hpp"
#include "exec/harness.hpp"

using namespace gsu;
using namespace gsu::test;

TEST_CASE("a block exchanges values through shared memory across bar.sync", "[BAR-013][BAR-014]")
{
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    const Kernel k{".param .u64 out", R"(
        .shared .align 4 .b8 s[1024];
        ld.param.u64 %rd1, [out];
        mov.u32 %r1, %tid.x;
        shl.b32 %r2, %r1, 2;
        mov.u32 %r3, s;
        add.u32 %r4, %r3, %r2;
        mul.lo.u32 %r5, %r1, 7;
        st.shared.u32 [%r4], %r5;
        bar.sync 0;
        xor.b32 %r6, %r1, 129;
        shl.b32 %r6, %r6, 2;
        add.u32 %r6, %r6, %r3;
        ld.shared.u32 %r7, [%r6];
        cvt.u64.u32 %rd2, %r2;
        add.u64 %rd3, %rd1, %rd2;
        st.global.u32 [%rd3], %r7;
        ret;)"};
    const Outcome o = run(k, {256, 1, 1}, {buffer(std::vector<std::uint32_t>(256))}, seed);
    REQUIRE(o.result.findings.empty());
    REQUIRE(o.result.verdict == Verdict::Pass);
    const auto out = o.as<std::uint32_t>(0);
    for (std::uint32_t i = 0; i < 256; ++i) REQUIRE(out[i] == (i ^ 129) * 7);
    REQUIRE(o.result.syncRequests == 8);
}
