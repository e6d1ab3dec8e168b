// Cases that other simulators get wrong, as kernels on the RTL: GPGPU-Sim, Vortex, FlashGPU-Sim.
#include "catch.hpp"
#include "scenarios/scenario.hpp"

using namespace gsu;
using namespace scenario;

namespace {

std::vector<std::uint32_t> ones(std::size_t n) { return std::vector<std::uint32_t>(n, 1); }

}  // namespace

TEST_CASE("GPGPU-Sim: a second arrive of one warp before the release counts and is reported",
          "[BAR-027][BAR-024]")
{
    std::vector<std::uint32_t> out(64);
    for (std::uint32_t i = 32; i < 64; ++i) out[i] = 1;
    check({.body = R"(
    setp.lt.u32 %p4, %r0, 32;
    mov.u32 %r10, 1;
    @!%p4 bra WAIT;
    barrier.cta.arrive 1, 96;
    barrier.cta.arrive 1, 96;
    bra DONE;
WAIT:
    nanosleep.u32 2000;
    barrier.cta.sync 1, 96;
    st.global.u32 [%rd2], %r10;
DONE:)",
           .expected = {.out = out, .findings = {"BAR-027"}, .verdict = Verdict::Misuse},
           .threads = 64});
}

TEST_CASE("GPGPU-Sim: three arrivals of one thread are three arrivals of an mbarrier", "[MBAR-048]")
{
    check({.body = R"(
    @%p0 mbarrier.init.shared::cta.b64 [smem], 3;
    bar.sync 0;
    setp.eq.u32 %p4, %r0, 7;
    @%p4 mbarrier.arrive.shared::cta.b64 _, [smem];
    @%p4 mbarrier.arrive.shared::cta.b64 _, [smem];
    @%p4 mbarrier.arrive.shared::cta.b64 _, [smem];
W:  mbarrier.try_wait.parity.shared::cta.b64 %p3, [smem], 0;
    @!%p3 bra W;
    st.global.u32 [%rd2], 1;)",
           .expected = {.out = ones(64),
                        .steps = {{{0, 0},
                                   {{3, 3, 0, 0}, {2, 3, 0, 0}, {1, 3, 0, 0}, {3, 3, 0, 1}}}}},
           .threads = 64});
}

namespace {

/// Warps 0 and 1 meet at `barrier`, warp 2 exits instead.
Scenario leaver(const std::string& barrier)
{
    return {.body = R"(
    setp.ge.u32 %p4, %r0, 64;
    @!%p4 bra MEET;
    nanosleep.u32 3000;
    exit;
MEET:
    )" + barrier + R"(
    st.global.u32 [%rd2], 1;)",
            .expected = {},
            .threads = 96};
}

}  // namespace

TEST_CASE("GPGPU-Sim: an exit honours the count of a barrier", "[BAR-039][BAR-040]")
{
    Scenario counted = leaver("barrier.cta.sync 1, 96;");
    counted.expected.verdict = Verdict::Hang;
    counted.expected.last = {};
    const Observed o = run(counted, {});
    CHECK(o.result.verdict == Verdict::Hang);
    REQUIRE(o.result.hang);
    REQUIRE(o.result.hang->waiting.size() == 2);
    for (const HangReport::Waiting& w : o.result.hang->waiting) {
        CHECK(w.kind == HangReport::Kind::Named);
        CHECK(w.id == 1);
    }
    CHECK(o.out == std::vector<std::uint32_t>(128));

    Scenario whole = leaver("barrier.cta.sync 1;");
    whole.expected.out = ones(64);
    check(whole);
}

TEST_CASE("GPGPU-Sim: a reduction that an exit completes reaches every waiter",
          "[BAR-018][BAR-039][BAR-042]")
{
    Scenario s = leaver(R"(and.b32 %r10, %r0, 3;
    setp.eq.u32 %p5, %r10, 1;
    barrier.cta.red.popc.u32 %r11, 2, %p5;
    st.global.u32 [%rd2], %r11;
    bra DONE;)");
    s.body += "\nDONE:";
    s.expected.out = std::vector<std::uint32_t>(64, 16);
    check(s);
}

TEST_CASE("Vortex (issue 401): the phase of a cluster barrier advances with every completion",
          "[CLU-009][CLU-007]")
{
    // Round i: store i * 10 + rank, meet, read the next rank's word. A phase that stands still lets a later wait through early.
    constexpr std::uint32_t kRounds = 40;
    std::vector<std::uint32_t> out(128);
    for (std::uint32_t i = 0; i < 128; ++i) {
        for (std::uint32_t round = 0; round < kRounds; ++round)
            out[i] = out[i] * 7 + round * 10 + (i / 32 + 1) % 4;
    }
    check({.body = R"(
    mov.u32 %r10, 0;
    mov.u32 %r11, 0;
    add.u32 %r12, %r2, 1;
    and.b32 %r12, %r12, 3;
    mapa.shared::cluster.u32 %r13, %r1, %r12;
    setp.eq.u32 %p5, %r2, 2;
L:  and.b32 %r14, %r10, 1;
    shl.b32 %r14, %r14, 2;
    add.u32 %r15, %r14, %r1;
    add.u32 %r16, %r14, %r13;
    mad.lo.u32 %r17, %r10, 10, %r2;
    @%p5 nanosleep.u32 200;
    @%p0 st.shared.u32 [%r15], %r17;
    barrier.cluster.arrive.release.aligned;
    barrier.cluster.wait.acquire.aligned;
    ld.shared::cluster.u32 %r18, [%r16];
    mad.lo.u32 %r11, %r11, 7, %r18;
    add.u32 %r10, %r10, 1;
    setp.lt.u32 %p4, %r10, 40;
    @%p4 bra L;
    st.global.u32 [%rd2], %r11;
    barrier.cluster.arrive.release.aligned;
    barrier.cluster.wait.acquire.aligned;)",
           .expected = {.out = out},
           .ctas = 4});
}

TEST_CASE(
    "Vortex (issue 401): an mbarrier that remote arrivals complete advances its phase every time",
    "[MBARR-019][MBAR-011][MBW-012]")
{
    check({.body = R"(
    and.pred %p2, %p0, %p1;
    @%p0 mbarrier.init.shared::cta.b64 [smem], 1;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.release.aligned;
    barrier.cluster.wait.acquire.aligned;
    xor.b32 %r5, %r2, 1;
    mapa.shared::cluster.u32 %r20, %r1, %r5;
    @!%p0 bra DONE;
    mov.u32 %r10, 0;
    @!%p1 bra ANSWER;
L:  mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r20];   // ball over the net and back
ANSWER:
    and.b32 %r11, %r10, 1;
W:  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [smem], %r11;
    @!%p3 bra W;
    add.u32 %r10, %r10, 1;
    @!%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r20];
    setp.lt.u32 %p4, %r10, 25;
    @!%p4 bra OUT;
    @%p1 bra L;
    bra ANSWER;
OUT:
    st.global.u32 [%rd2], %r10;
DONE:
    barrier.cluster.arrive.release;
    barrier.cluster.wait.acquire;)",
           .expected = {.out = {25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                0,  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25},
                        .last = {{{0, 0}, {{1, 1, 0, 1}, 25}}, {{1, 0}, {{1, 1, 0, 1}, 25}}}},
           .ctas = 2});
}

TEST_CASE("Vortex: bytes that complete before they are expected, from another CTA",
          "[MBAR-033][MBAR-044]")
{
    check({.body = R"(
    and.pred %p2, %p0, %p1;
    @%p2 mbarrier.init.shared::cta.b64 [smem], 1;
    @%p2 mbarrier.init.shared::cta.b64 [smem+8], 1;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.release.aligned;
    barrier.cluster.wait.acquire.aligned;
    mov.u32 %r5, 0;
    mapa.shared::cluster.u32 %r20, %r1, %r5;
    @%p1 bra OWNER;
    @!%p0 bra DONE;
    mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r20], 64;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r20+8];
    bra DONE;
OWNER:
V:  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [smem+8], 0;
    @!%p3 bra V;
    @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [smem], 64;
W:  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [smem], 0;
    @!%p3 bra W;
    st.global.u32 [%rd2], 1;
DONE:
    barrier.cluster.arrive.release;
    barrier.cluster.wait.acquire;)",
           .expected = {.out = ones(32),
                        .steps = {{{0, 0}, {{1, 1, 0, 0}, {1, 1, -64, 0}, {1, 1, 0, 1}}}}},
           .ctas = 2});
}

TEST_CASE("FlashGPU-Sim: the bytes of a barrier are in shared memory", "[MBAR-001][MBAR-018]")
{
    // The word of init 32 as real hardware was seen to hold it, then 31 pending, then 9 bytes expected, then phase 1.
    const std::string read = R"(
    ld.shared.b64 %rd10, [smem];
    st.global.b64 [%rd0], %rd10;
    add.s64 %rd0, %rd0, 8;)";
    Scenario s{.body = "@!%p0 bra DONE;\nmbarrier.init.shared::cta.b64 [smem], 32;" + read +
                       "mbarrier.arrive.shared::cta.b64 _, [smem];" + read +
                       "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [smem], 9;" + read +
                       "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [smem], 9;\n"
                       "mbarrier.arrive.shared::cta.b64 _, [smem], 31;" +
                       read + "DONE:",
               .expected = {}};
    const Observed o = run(s, {});
    const auto word = [&](std::size_t i) {
        return std::uint64_t{o.out[2 * i + 1]} << 32 | o.out[2 * i];
    };
    CHECK(o.result.verdict == Verdict::Pass);
    CHECK(word(0) == 0x7fff0000'001fffc0);
    CHECK(word(1) == 0x7fff0800'001fffc0);
    CHECK(word(2) == (0x7fff0800'001fffc0 | (0x1ffff7ull << 21)));
    CHECK(word(3) == 0xffff0000'001fffc0);
    // Written back, they are there once the object is gone.
    Scenario back{
        .body =
            "@!%p0 bra DONE;\nmbarrier.init.shared::cta.b64 [smem], 32;\n"
            "mbarrier.arrive.shared::cta.b64 _, [smem];\nmbarrier.inval.shared::cta.b64 [smem];" +
            read + "DONE:",
        .expected = {}};
    const Observed b = run(back, {.policy = 1, .seed = 1});
    CHECK(b.out[0] == 0x001fffc0);
    CHECK(b.out[1] == 0x7fff0800);
}
