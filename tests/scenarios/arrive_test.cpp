// EX-MBARR and EX-MBPC: arrivals, local and remote, and the content of a state.
#include "catch.hpp"
#include "scenarios/scenario.hpp"

using namespace gsu;
using namespace scenario;

namespace {

/// Two CTAs; rank 0 initialises smem with `count`, then both meet. %r20 and %rd20: smem of rank 0, in the shared::cluster
/// window and generic.
std::string pair(const std::string& count, const std::string& rank1, const std::string& rank0)
{
    return R"(
    and.pred %p2, %p0, %p1;
    @%p2 mbarrier.init.shared::cta.b64 [smem], )" +
           count + R"(;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.release.aligned;
    barrier.cluster.wait.acquire.aligned;
    mov.u32 %r5, 0;
    mapa.shared::cluster.u32 %r20, %r1, %r5;
    mapa.u64 %rd20, %rd3, %r5;
    @%p1 bra OWNER;
    @!%p0 bra JOIN;
)" + rank1 +
           R"(
    bra JOIN;
OWNER:
)" + rank0 +
           R"(
JOIN:
    barrier.cluster.arrive.release;
    barrier.cluster.wait.acquire;
)";
}

const std::string kWaitAndMark = R"(
W:  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [smem], 0;
    @!%p3 bra W;
    st.global.u32 [%rd2], 9;
)";
const std::vector<std::uint32_t> kMarked(32, 9);

}  // namespace

TEST_CASE("EX-MBARR-01: local arrivals give states of the running phase",
          "[MBARR-003][MBARR-011][MBAR-048]")
{
    check({.body = R"(
    @!%p0 bra DONE;
    mbarrier.init.shared::cta.b64 [smem], 3;
    mbarrier.arrive.shared.b64 %rd6, [smem];
    mbarrier.arrive.shared::cta.b64 %rd7, [smem];
    mbarrier.test_wait.shared::cta.b64 %p3, [smem], %rd6;
    mbarrier.test_wait.shared::cta.b64 %p4, [smem], %rd7;
    selp.u32 %r10, 11, 10, %p3;
    selp.u32 %r11, 11, 10, %p4;
    mbarrier.arrive.shared::cta.b64 %rd8, [smem];
    mbarrier.test_wait.shared::cta.b64 %p3, [smem], %rd6;
    mbarrier.test_wait.shared::cta.b64 %p4, [smem], %rd7;
    mbarrier.test_wait.shared::cta.b64 %p5, [smem], %rd8;
    selp.u32 %r12, 11, 10, %p3;
    selp.u32 %r13, 11, 10, %p4;
    selp.u32 %r14, 11, 10, %p5;
    st.global.v4.u32 [%rd0], {%r10, %r11, %r12, %r13};
    st.global.u32 [%rd0+16], %r14;
DONE:)",
           .expected = {
               .out = {10, 10, 11, 11, 11},
               .steps = {{{0, 0}, {{3, 3, 0, 0}, {2, 3, 0, 0}, {1, 3, 0, 0}, {3, 3, 0, 1}}}}}});
}

TEST_CASE("EX-MBARR-03: a remote arrive by a shared::cluster address counts on the owner's object",
          "[MBARR-019][MBARR-010]")
{
    check({.body = pair("2", R"(
    mbarrier.arrive.release.cta.shared::cluster.b64 _, [%r20];
    mbarrier.arrive.release.cta.shared::cluster.b64 _, [%r20];)",
                        kWaitAndMark),
           .expected = {.out = kMarked,
                        .steps = {{{0, 0}, {{2, 2, 0, 0}, {1, 2, 0, 0}, {2, 2, 0, 1}}}}},
           .ctas = 2});
}

TEST_CASE("EX-MBARR-04: a generic remote arrive with its count in a register",
          "[MBARR-018][MBARR-019]")
{
    check({.body = pair("5", R"(
    mov.u32 %r10, 4;
    mbarrier.arrive.release.cluster.b64 _, [%rd20], %r10;
    mbarrier.arrive.release.cluster.b64 _, [%rd20];)",
                        kWaitAndMark),
           .expected = {.out = kMarked,
                        .steps = {{{0, 0}, {{5, 5, 0, 0}, {1, 5, 0, 0}, {5, 5, 0, 1}}}}},
           .ctas = 2});
}

TEST_CASE("EX-MBARR-05: a remote arrive.expect_tx is one step; the phase stays open until the "
          "bytes are in",
          "[MBARR-004][MBAR-044]")
{
    check({.body = pair("1", R"(
    mbarrier.arrive.expect_tx.release.cluster.b64 _, [%rd20], 48;
    mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r20], 16;
    mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r20], 32;)",
                        kWaitAndMark),
           .expected = {.out = kMarked,
                        .steps = {{{0, 0},
                                   {{1, 1, 0, 0}, {0, 1, 48, 0}, {0, 1, 32, 0}, {1, 1, 0, 1}}}}},
           .ctas = 2});
}

TEST_CASE("EX-MBARR-06: a noComplete arrive counts and completes nothing", "[MBARR-017][MBARR-003]")
{
    check({.body = R"(
    @!%p0 bra DONE;
    mbarrier.init.shared::cta.b64 [smem], 5;
    mbarrier.arrive.noComplete.b64 %rd6, [%rd3], 2;
    mbarrier.test_wait.b64 %p3, [%rd3], %rd6;
    selp.u32 %r10, 11, 10, %p3;
    st.global.u32 [%rd0], %r10;
DONE:)",
           .expected = {.out = {10}, .steps = {{{0, 0}, {{5, 5, 0, 0}, {3, 5, 0, 0}}}}}});
}

TEST_CASE("EX-MBARR-06: one that completes is reported", "[MBARR-017]")
{
    check({.body = R"(
    @!%p0 bra DONE;
    mbarrier.init.shared::cta.b64 [smem], 2;
    mbarrier.arrive.noComplete.b64 %rd6, [%rd3], 2;
DONE:)",
           .expected = {.findings = {"MBARR-017"}, .verdict = Verdict::Misuse}});
}

TEST_CASE("EX-MBARR-07: a relaxed arrive with count 4, then one with its count in a register",
          "[MBARR-003][MBARR-009]")
{
    check({.body = R"(
    @!%p0 bra DONE;
    mov.u32 %r10, 6;
    mbarrier.init.shared::cta.b64 [smem], 10;
    mbarrier.arrive.relaxed.cta.shared::cta.b64 %rd6, [smem], 4;
    mbarrier.arrive.shared::cta.b64 _, [smem], %r10;
    mbarrier.test_wait.b64 %p3, [%rd3], %rd6;
    selp.u32 %r11, 11, 10, %p3;
    st.global.u32 [%rd0], %r11;
DONE:)",
           .expected = {.out = {11},
                        .steps = {{{0, 0}, {{10, 10, 0, 0}, {6, 10, 0, 0}, {10, 10, 0, 1}}}}}});
}

TEST_CASE("EX-MBPC-01: pending_count is what was pending before the arrive that gave the state",
          "[MBPC-002]")
{
    check({.body = R"(
    @!%p0 bra DONE;
    mbarrier.init.shared::cta.b64 [smem], 5;
    mbarrier.arrive.noComplete.shared::cta.b64 %rd6, [smem], 1;
    mbarrier.arrive.noComplete.shared::cta.b64 %rd7, [smem], 2;
    mbarrier.arrive_drop.noComplete.shared::cta.b64 %rd8, [smem], 1;
    mbarrier.pending_count.b64 %r10, %rd6;
    mbarrier.pending_count.b64 %r11, %rd7;
    mbarrier.pending_count.b64 %r12, %rd8;
    st.global.v2.u32 [%rd0], {%r10, %r11};
    st.global.u32 [%rd0+8], %r12;
DONE:)",
           .expected = {
               .out = {5, 4, 2},
               .steps = {{{0, 0}, {{5, 5, 0, 0}, {4, 5, 0, 0}, {2, 5, 0, 0}, {1, 4, 0, 0}}}}}});
}
