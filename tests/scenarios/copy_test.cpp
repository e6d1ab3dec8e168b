// EX-CPA and EX-RASYNC-01: arrivals and bytes by asynchronous operations.
#include "catch.hpp"
#include "scenarios/scenario.hpp"

using namespace gsu;
using namespace scenario;

namespace {

constexpr std::uint32_t kBias = 1000;  // src[i] = i + 1000

/// Two copies per thread, one arrival for both, then what the neighbour copied. `poll`: the wait loop on %rd6.
std::string twoCopies(const std::string& poll)
{
    return R"(
    @%p0 mbarrier.init.shared::cta.b64 [smem], 32;
    mul.wide.u32 %rd10, %r0, 4;
    add.s64 %rd10, %rd10, %rd1;
    cvta.to.global.u64 %rd10, %rd10;
    shl.b32 %r10, %r0, 2;
    add.u32 %r10, %r10, %r1;
    bar.sync 0;
    cp.async.ca.shared.global [%r10+128], [%rd10], 4;
    cp.async.ca.shared.global [%r10+256], [%rd10+128], 4;
    cp.async.mbarrier.arrive.shared.b64 [smem];
    mbarrier.arrive.shared.b64 %rd6, [smem];
)" + poll + R"(
    xor.b32 %r11, %r0, 1;
    shl.b32 %r11, %r11, 2;
    add.u32 %r11, %r11, %r1;
    ld.shared.u32 %r12, [%r11+128];
    ld.shared.u32 %r13, [%r11+256];
    add.u32 %r12, %r12, %r13;
    st.global.u32 [%rd2], %r12;
)";
}

std::vector<std::uint32_t> bothOfNeighbour()
{
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < 32; ++i) out.push_back(2 * ((i ^ 1) + kBias) + 32);
    return out;
}

}  // namespace

TEST_CASE("EX-CPA-01, EX-MBW-04: the phase completes only after the copies that were under way; "
          "their data are visible to all",
          "[CPA-003][MBW-019][CPA-002][MBAR-049][MBAR-050]")
{
    const Scenario s{
        .body = twoCopies(R"(
W:  mbarrier.test_wait.shared.b64 %p3, [smem], %rd6;
    @!%p3 bra W;)"),
        .expected = {.out = bothOfNeighbour(), .last = {{{0, 0}, {{32, 32, 0, 1}, 1}}}}};
    check(s);
    // The arrivals of the copies are commits of their own, the last of them completes the phase.
    const Observed o = run(s, {});
    CHECK(o.words.at({0, 0}).ops.back() == "EvAsyncArrive");
}

TEST_CASE("EX-CPA-02: three noinc arrivals per thread, counted by init", "[CPA-004]")
{
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < 32; ++i) {
        const std::uint32_t n = i ^ 1;
        out.push_back((n + kBias) + (4 * n + 2 + kBias) + (4 * n + 3 + kBias));
    }
    check({.body = R"(
    @%p0 mbarrier.init.shared::cta.b64 [smem], 128;    // 32 + 3 * 32
    mul.wide.u32 %rd10, %r0, 4;
    add.s64 %rd10, %rd10, %rd1;
    mul.wide.u32 %rd11, %r0, 16;
    add.s64 %rd11, %rd11, %rd1;
    shl.b32 %r10, %r0, 2;
    add.u32 %r10, %r10, %r1;
    shl.b32 %r11, %r0, 4;
    add.u32 %r11, %r11, %r1;
    bar.sync 0;
    cp.async.ca.shared.global [%r10+128], [%rd10], 4;
    cp.async.mbarrier.arrive.noinc.shared.b64 [smem];
    cp.async.ca.shared.global [%r10+256], [%rd10], 4;
    cp.async.mbarrier.arrive.noinc.shared.b64 [smem];
    cp.async.ca.shared.global [%r11+384], [%rd11], 16;
    cp.async.mbarrier.arrive.noinc.shared.b64 [smem];
    mbarrier.arrive.shared.b64 %rd6, [smem];
W:  mbarrier.test_wait.shared.b64 %p3, [smem], %rd6;
    @!%p3 bra W;
    xor.b32 %r11, %r0, 1;
    shl.b32 %r12, %r11, 2;
    add.u32 %r12, %r12, %r1;
    shl.b32 %r13, %r11, 4;
    add.u32 %r13, %r13, %r1;
    ld.shared.u32 %r14, [%r12+128];
    ld.shared.v2.u32 {%r15, %r16}, [%r13+392];
    add.u32 %r14, %r14, %r15;
    add.u32 %r14, %r14, %r16;
    st.global.u32 [%rd2], %r14;)",
           .expected = {.out = out, .last = {{{0, 0}, {{128, 128, 0, 1}, 1}}}}});
}

TEST_CASE("CPA-010: an arrival tracks the copies of its own thread, not those of others",
          "[CPA-010][CPA-006]")
{
    // Lane 0 has no copies; its arrival must come although lane 1 copies and never arrives.
    check({.body = R"(
    @%p0 mbarrier.init.shared::cta.b64 [smem], 1;
    setp.eq.u32 %p4, %r0, 1;
    bar.sync 0;
    @%p4 cp.async.ca.shared.global [smem+128], [%rd1], 16;
    @%p0 cp.async.mbarrier.arrive.noinc.shared.b64 [smem];
W:  mbarrier.try_wait.parity.shared.b64 %p3, [smem], 0;
    @!%p3 bra W;
    st.global.u32 [%rd2], 4;
    cp.async.wait_all;)",
           .expected = {.out = std::vector<std::uint32_t>(32, 4),
                        .steps = {{{0, 0}, {{1, 1, 0, 0}, {1, 1, 0, 0}, {1, 1, 0, 1}}}}}});
}

TEST_CASE("MBAR-046: bytes of a bulk copy are counted by its mbarrier; another thread than the "
          "issuer reads them",
          "[MBAR-046][MBAR-050][MBAR-036]")
{
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < 64; ++i) out.push_back(i + kBias);
    check({.body = R"(
    @%p0 mbarrier.init.shared::cta.b64 [smem], 1;
    @%p0 fence.proxy.async.shared::cta;
    bar.sync 0;
    @!%p0 bra W;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [smem], 256;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem+256], [%rd1], 128, [smem];
    add.s64 %rd10, %rd1, 128;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem+384], [%rd10], 128, [smem];
W:  mbarrier.try_wait.parity.shared::cta.b64 %p3, [smem], 0;
    @!%p3 bra W;
    shl.b32 %r10, %r0, 2;
    add.u32 %r10, %r10, %r1;
    ld.shared.u32 %r11, [%r10+256];
    st.global.u32 [%rd2], %r11;)",
           .expected = {.out = out, .last = {{{0, 0}, {{1, 1, 0, 1}, 1}}}},
           .threads = 64});
}

TEST_CASE("EX-RASYNC-01: an asynchronous minimum in another CTA counts four bytes; its value is "
          "there after the wait",
          "[RASYNC-012][RASYNC-014][MBAR-044]")
{
    check({.body = R"(
    and.pred %p2, %p0, %p1;
    @%p2 mbarrier.init.shared::cta.b64 [smem], 1;
    mov.u32 %r10, 700;
    @%p2 st.shared.u32 [smem+64], %r10;
    fence.mbarrier_init.release.cluster;
    barrier.cluster.arrive.release.aligned;
    barrier.cluster.wait.acquire.aligned;
    mov.u32 %r5, 0;
    mapa.shared::cluster.u32 %r20, %r1, %r5;
    @%p1 bra OWNER;
    add.u32 %r21, %r20, 64;
    mov.u32 %r11, 55;
    @%p0 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.u32 [%r21], %r11, [%r20];
    bra DONE;
OWNER:
    @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [smem], 4;
W:  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [smem], 0;
    @!%p3 bra W;
    ld.shared.u32 %r12, [smem+64];
    st.global.u32 [%rd2], %r12;
DONE:
    barrier.cluster.arrive.release;
    barrier.cluster.wait.acquire;)",
           .expected = {.out = std::vector<std::uint32_t>(32, 55),
                        .last = {{{0, 0}, {{1, 1, 0, 1}, 1}}}},
           .ctas = 2});
}
