// EX-MBDROP: participants that leave.
#include "catch.hpp"
#include "scenarios/scenario.hpp"

using namespace gsu;
using namespace scenario;

TEST_CASE("EX-MBDROP-01: threads drop and exit, others drop two each without completing; the rest "
          "go on alone",
          "[MBDROP-003][MBDROP-018][MBDROP-004]")
{
    // Of 64 threads 8 drop one each (p), 8 drop two each (p2), 48 stay: 8 + 16 + 48 = 72.
    std::vector<std::uint32_t> out(64, 7);
    for (std::uint32_t i = 0; i < 8; ++i) out[i] = out[32 + i] = 0;
    check({.body = R"(
    @%p0 mbarrier.init.shared::cta.b64 [smem], 72;
    bar.sync 0;
    mov.u32 %r10, 2;
    and.b32 %r11, %r0, 31;
    setp.ge.u32 %p4, %r11, 8;
    @%p4 bra REST;
    setp.lt.u32 %p5, %r0, 8;
    @%p5 mbarrier.arrive_drop.shared::cta.b64 _, [smem];
    @!%p5 mbarrier.arrive_drop.noComplete.shared::cta.b64 %rd7, [smem], %r10;
    exit;
REST:
    barrier.sync 0;                              // those who leave have left
    mov.u32 %r12, 0;
P:  mbarrier.arrive.shared::cta.b64 %rd6, [smem];
W:  mbarrier.test_wait.shared::cta.b64 %p3, [smem], %rd6;
    @!%p3 bra W;
    add.u32 %r12, %r12, 1;
    setp.lt.u32 %p6, %r12, 3;
    @%p6 bra P;
    st.global.u32 [%rd2], 7;)",
           .expected = {.out = out, .last = {{{0, 0}, {{48, 48, 0, 1}, 3}}}},
           .threads = 64});
}

TEST_CASE("EX-MBDROP-02: a remote drop, and one with a count whose space stands first, shrink the "
          "owner's object",
          "[MBDROP-010][MBDROP-001][MBDROP-009]")
{
    check({.body = R"(
    and.pred %p2, %p0, %p1;
    @%p2 mbarrier.init.shared::cta.b64 [smem], 6;
    @%p2 mbarrier.init.shared::cta.b64 [smem+8], 1;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.release.aligned;
    barrier.cluster.wait.acquire.aligned;
    mov.u32 %r5, 0;
    mapa.shared::cluster.u32 %r20, %r1, %r5;
    not.pred %p6, %p1;
    and.pred %p6, %p6, %p0;
    @%p6 mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%r20];
    // A second object shows that the drop has arrived: updates of one source stay in order.
    @%p6 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r20+8];
    @!%p2 bra JOIN;
W:  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p7, [smem+8], 0;
    @!%p7 bra W;
    mov.u32 %r11, 2;
    mbarrier.arrive_drop.shared::cta.release.cluster.b64 %rd6, [smem], %r11;
    mbarrier.arrive.shared::cta.b64 _, [smem], 3;
    mbarrier.test_wait.shared::cta.b64 %p3, [smem], %rd6;
    selp.u32 %r12, 11, 10, %p3;
    st.global.u32 [%rd0], %r12;
JOIN:
    barrier.cluster.arrive.release;
    barrier.cluster.wait.acquire;)",
           .expected = {.out = {11},
                        .steps = {{{0, 0},
                                   {{6, 6, 0, 0}, {5, 5, 0, 0}, {3, 3, 0, 0}, {3, 3, 0, 1}}}}},
           .ctas = 2});
}

TEST_CASE("EX-MBDROP-03: drop.expect_tx: bytes expected, both counts less one, open until the "
          "bytes are in",
          "[MBDROP-005][MBW-024]")
{
    check({.body = R"(
    @!%p0 bra DONE;
    mbarrier.init.shared::cta.b64 [smem], 2;
    mbarrier.arrive_drop.expect_tx.shared::cta.relaxed.cluster.b64 %rd6, [smem], 32;
    mbarrier.arrive.shared::cta.b64 _, [smem];
    mbarrier.test_wait.shared::cta.b64 %p3, [smem], %rd6;
    selp.u32 %r10, 11, 10, %p3;
    mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [smem], 32;
    mbarrier.test_wait.shared::cta.b64 %p3, [smem], %rd6;
    selp.u32 %r11, 11, 10, %p3;
    st.global.v2.u32 [%rd0], {%r10, %r11};
DONE:)",
           .expected = {
               .out = {10, 11},
               .steps = {{{0, 0}, {{2, 2, 0, 0}, {1, 1, 32, 0}, {0, 1, 32, 0}, {1, 1, 0, 1}}}}}});
}

TEST_CASE("MBDROP-019: who exits without a drop is waited for, and the hang names the object",
          "[MBDROP-019]")
{
    check({.body = R"(
    @%p0 mbarrier.init.shared::cta.b64 [smem+16], 64;
    bar.sync 0;
    mbarrier.arrive.shared::cta.b64 %rd6, [smem+16];
W:  mbarrier.test_wait.shared::cta.b64 %p3, [smem+16], %rd6;
    @!%p3 bra W;
    setp.ge.u32 %p4, %r0, 32;
    @%p4 exit;
    mbarrier.arrive.shared::cta.b64 %rd6, [smem+16];
W2: mbarrier.try_wait.shared::cta.b64 %p3, [smem+16], %rd6;
    @!%p3 bra W2;
    st.global.u32 [%rd2], 1;)",
           .expected = {.verdict = Verdict::Hang,
                        .last = {{{0, 16}, {{32, 64, 0, 1}, 1}}},
                        .waitedOn = {{0, 16}}},
           .threads = 64});
}
