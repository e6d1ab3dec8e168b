// Causes between CTAs: clusters, and grids whose CTAs wait for each other.
#include "causes/hang_case.hpp"

namespace gsu::test {
namespace {

const std::string kClusterInit = R"(@%p0 mbarrier.init.shared::cta.b64 [full], 1;
fence.mbarrier_init.release.cluster;
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
)";
const std::string kClusterEnd =
    "DONE:\nbarrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n";

}  // namespace

TEST_CASE("other-cta", "[causes]")
{
    check({"the sender maps its own rank",
           kClusterInit + R"(setp.eq.u32 %p1, %r60, 0;
@%p1 bra W;
mov.u32 %r4, full;
mapa.shared::cluster.u32 %r5, %r4, %r60; //HERE
@%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5]; //HERE
bra DONE;
W:
mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p7, [full], 0;
@!%p7 bra W;
)" + kClusterEnd,
           "other-cta",
           {{1, 0}},
           {"CTA 0", "CTA 1"},
           {32, 1, 1},
           {2, 1, 1},
           {2, 1, 1}});
    check({"a mask of three in a cluster of four",
           replaced(kClusterInit, "fence.mbarrier_init",
                    "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], "
                    "128;\nfence.mbarrier_init") +
               R"(setp.eq.u32 %p1, %r60, 0;
and.pred %p1, %p1, %p0;
mov.u32 %r12, full;
mov.u32 %r16, data;
mov.u16 %h1, 7; //HERE
@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r16], [%rd1], 128, [%r12], %h1; //HERE
W:
mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p7, [full], 0;
@!%p7 bra W;
)" + kClusterEnd,
           "other-cta",
           {{0, 0}},
           {"128 bytes outstanding", "CTA 3"},
           {32, 1, 1},
           {4, 1, 1},
           {4, 1, 1}});
}

TEST_CASE("a debtor in another CTA is named", "[causes]")
{
    const HangCase c{"a CTA of the cluster ends its role without the arrival",
                     kClusterInit + R"(setp.eq.u32 %p1, %r60, 0;
@%p1 bra W;
ld.global.u32 %r7, [%rd1];
setp.eq.u32 %p2, %r7, 0;
@%p2 bra DONE; //HERE
mov.u32 %r6, 0;
mov.u32 %r4, full;
mapa.shared::cluster.u32 %r5, %r4, %r6;
@%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5]; //HERE
bra DONE;
W:
mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p7, [full], 0;
@!%p7 bra W;
)" + kClusterEnd,
                     "missing-arrival",
                     {{1, 0}},
                     {"CTA 1 warp 0"},
                     {32, 1, 1},
                     {2, 1, 1},
                     {2, 1, 1}};
    check(c);
    std::string text;
    const RunResult r = hangOf(c, text);
    REQUIRE(r.hang);
    CHECK(std::any_of(r.hang->missing.begin(), r.hang->missing.end(),
                      [](const auto& m) { return m.cta == 1 && m.warp == 0; }));
}

TEST_CASE("not-resident", "[causes]")
{
    const std::string barrier = R"(@!%p0 bra DONE;
atom.add.release.gpu.global.u32 %r5, [%rd1], 1;
mov.u32 %r7, %nctaid.x;
S:
ld.acquire.gpu.global.u32 %r6, [%rd1]; //HERE
setp.lt.u32 %p1, %r6, %r7;
@%p1 bra S;
DONE:
)";
    check({"a grid barrier of three CTAs of which two fit",
           barrier,
           "not-resident",
           {},
           {"2", "3"},
           {1024, 1, 1},
           {3, 1, 1},
           {1, 1, 1},
           1});
    check({"the first CTA waits for the last",
           R"(@!%p0 bra DONE;
mov.u32 %r7, %nctaid.x;
sub.u32 %r7, %r7, 1;
setp.eq.u32 %p1, %r61, %r7;
@%p1 bra SET;
S:
ld.acquire.gpu.global.u32 %r6, [%rd1]; //HERE
setp.eq.u32 %p2, %r6, 0;
@%p2 bra S;
bra DONE;
SET:
mov.u32 %r8, 1;
st.release.gpu.global.u32 [%rd1], %r8;
DONE:
)",
           "not-resident",
           {},
           {"never started"},
           {1024, 1, 1},
           {5, 1, 1},
           {1, 1, 1},
           1});
}

TEST_CASE("a warp that waits in the cluster barrier while another waits for it", "[causes]")
{
    check({"cluster barrier and named barrier",
           R"(setp.eq.u32 %p1, %r2, 1;
@%p1 bra JOIN;
barrier.sync 2, 64; //HERE
barrier.cluster.arrive.release.aligned; //HERE
barrier.cluster.wait.acquire.aligned; //HERE
bra DONE;
JOIN:
barrier.cluster.arrive.release.aligned; //HERE
barrier.cluster.wait.acquire.aligned; //HERE
barrier.sync 2, 64; //HERE
DONE:
)",
           "cyclic-wait",
           {{0, 0}, {0, 1}, {1, 0}, {1, 1}},
           {"cluster barrier", "barrier 2"},
           {64, 1, 1},
           {2, 1, 1},
           {2, 1, 1}});
}

}  // namespace gsu::test
