// EX-MBW: waits by state and by parity, polling and suspended, with and without ordering.
#include "catch.hpp"
#include "scenarios/scenario.hpp"

using namespace gsu;
using namespace scenario;

namespace {

/// 64 threads store, arrive, wait with `wait` on %rd6 and read the value of the thread after the next 32.
std::string exchange(const std::string& wait)
{
    return R"(
    @%p0 mbarrier.init.shared::cta.b64 [smem], 64;
    shl.b32 %r10, %r0, 2;
    add.u32 %r10, %r10, %r1;
    add.u32 %r11, %r0, 300;
    bar.sync 0;
    st.shared.u32 [%r10+64], %r11;
    mbarrier.arrive.shared::cta.b64 %rd6, [smem];
)" + wait + R"(
    xor.b32 %r12, %r0, 32;
    shl.b32 %r12, %r12, 2;
    add.u32 %r12, %r12, %r1;
    ld.shared.u32 %r13, [%r12+64];
    st.global.u32 [%rd2], %r13;
)";
}

std::vector<std::uint32_t> exchanged()
{
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < 64; ++i) out.push_back((i ^ 32) + 300);
    return out;
}

}  // namespace

TEST_CASE("EX-MBW-01: all threads arrive and poll; all leave after the last arrival, and see what "
          "was stored before",
          "[MBW-004][MBAR-019]")
{
    check({.body = exchange(R"(
    bar.sync 1;                                  // other work between arrival and wait, all of it after all arrivals
W:  mbarrier.test_wait.shared::cta.b64 %p3, [smem], %rd6;
    @%p3 bra GO;
    nanosleep.u32 20;
    bra W;
GO:)"),
           .expected = {.out = exchanged(), .last = {{{0, 0}, {{64, 64, 0, 1}, 1}}}},
           .threads = 64});
}

TEST_CASE("EX-MBW-02: a relaxed try_wait loop at cluster scope leaves in the same phase",
          "[MBW-006][MBW-017]")
{
    check({.body = exchange(R"(
W:  mbarrier.try_wait.relaxed.cluster.shared::cta.b64 %p3, [smem], %rd6;
    @!%p3 bra W;
    fence.acq_rel.cluster;)"),
           .expected = {.out = exchanged(), .last = {{{0, 0}, {{64, 64, 0, 1}, 1}}}},
           .threads = 64});
}

TEST_CASE("EX-MBW-03: a loop over phases by parity i & 1: every turn waits for its own phase",
          "[MBW-012][MBAR-012][MBAR-047]")
{
    // Each turn both warps store turn * 100 + tid and read the other's slot: a missed phase would show an older turn.
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < 64; ++i) {
        std::uint32_t sum = 0;
        for (std::uint32_t turn = 0; turn < 6; ++turn) sum = sum * 3 + turn * 100 + (i ^ 32);
        out.push_back(sum);
    }
    check({.body = R"(
    @%p0 mbarrier.init.shared::cta.b64 [smem], 64;
    shl.b32 %r10, %r0, 2;
    add.u32 %r10, %r10, %r1;
    xor.b32 %r12, %r0, 32;
    shl.b32 %r12, %r12, 2;
    add.u32 %r12, %r12, %r1;
    bar.sync 0;
    mov.u32 %r14, 0;                             // i
    mov.u32 %r15, 0;                             // sum
L:  mad.lo.u32 %r11, %r14, 100, %r0;
    and.b32 %r16, %r14, 1;
    shl.b32 %r17, %r16, 8;                       // two slots, so that a turn does not overwrite what is being read
    add.u32 %r18, %r10, %r17;
    add.u32 %r19, %r12, %r17;
    st.shared.u32 [%r18+64], %r11;
    mbarrier.arrive.shared::cta.b64 _, [smem];
W:  mbarrier.try_wait.parity.shared::cta.b64 %p3, [smem], %r16;
    @!%p3 bra W;
    ld.shared.u32 %r13, [%r19+64];
    mad.lo.u32 %r15, %r15, 3, %r13;
    add.u32 %r14, %r14, 1;
    setp.lt.u32 %p4, %r14, 6;
    @%p4 bra L;
    st.global.u32 [%rd2], %r15;)",
           .expected = {.out = out, .last = {{{0, 0}, {{64, 64, 0, 0}, 6}}}},
           .threads = 64});
}

TEST_CASE("EX-MBW-05: the whole cluster arrives at rank 0, whose threads wait and see what all "
          "stored before",
          "[MBARR-019]")
{
    std::vector<std::uint32_t> out(128);
    for (std::uint32_t i = 0; i < 32; ++i) {
        for (std::uint32_t rank = 0; rank < 4; ++rank) out[i] += 1000 * rank + i + 1;
    }
    check({.body = R"(
    and.pred %p2, %p0, %p1;
    @%p2 mbarrier.init.shared::cta.b64 [smem], 128;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.release.aligned;
    barrier.cluster.wait.acquire.aligned;
    mov.u32 %r5, 0;
    mapa.shared::cluster.u32 %r20, %r1, %r5;
    shl.b32 %r10, %r4, 2;                        // slot of this thread in rank 0
    add.u32 %r10, %r10, %r20;
    mad.lo.u32 %r11, %r2, 1000, %r0;
    add.u32 %r11, %r11, 1;
    st.shared::cluster.u32 [%r10+64], %r11;
    mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r20];
    @!%p1 bra DONE;
W:  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [smem], 0;
    @!%p3 bra W;
    shl.b32 %r12, %r0, 2;
    add.u32 %r12, %r12, %r1;
    ld.shared.u32 %r13, [%r12+64];
    ld.shared.u32 %r14, [%r12+192];
    ld.shared.u32 %r15, [%r12+320];
    ld.shared.u32 %r16, [%r12+448];
    add.u32 %r13, %r13, %r14;
    add.u32 %r15, %r15, %r16;
    add.u32 %r13, %r13, %r15;
    st.global.u32 [%rd2], %r13;
DONE:
    barrier.cluster.arrive.release.aligned;
    barrier.cluster.wait.acquire.aligned;)",
           .expected = {.out = out, .last = {{{0, 0}, {{128, 128, 0, 1}, 1}}}},
           .ctas = 4});
}

TEST_CASE("MBAR-020: a wait on the object of another CTA is reported", "[MBAR-020]")
{
    const Scenario s{.body = R"(
    @%p0 mbarrier.init.shared::cta.b64 [smem], 1;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.release.aligned;
    barrier.cluster.wait.acquire.aligned;
    xor.b32 %r5, %r2, 1;
    mapa.u64 %rd20, %rd3, %r5;
    @%p0 mbarrier.test_wait.parity.b64 %p3, [%rd20], 0;
    barrier.cluster.arrive.release;
    barrier.cluster.wait.acquire;)",
                     .expected = {.findings = {"MBAR-020"}, .verdict = Verdict::Misuse},
                     .ctas = 2};
    check(s);
}

TEST_CASE("FlashGPU-Sim (issue 16): a try_wait with a short limit gives false and may be tried "
          "again: the arrival still "
          "releases it",
          "[MBW-006][MBW-007][MBW-009]")
{
    check({.body = R"(
    @%p0 mbarrier.init.shared::cta.b64 [smem], 1;
    bar.sync 0;
    setp.ge.u32 %p4, %r0, 32;
    @%p4 bra LATE;
    mov.u32 %r10, 0;
W:  mbarrier.try_wait.parity.shared::cta.b64 %p3, [smem], 0, 100;
    @%p3 bra GO;
    mov.u32 %r10, 1;
    bra W;
GO: st.global.u32 [%rd2], %r10;
    bra DONE;
LATE:
    nanosleep.u32 4000;
    setp.eq.u32 %p5, %r0, 32;
    @%p5 mbarrier.arrive.shared::cta.b64 _, [smem];
DONE:)",
           .expected = {.out = std::vector<std::uint32_t>(32, 1),
                        .last = {{{0, 0}, {{1, 1, 0, 1}, 1}}}},
           .threads = 64});
}
