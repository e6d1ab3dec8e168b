// What is missing where several links are, and where one is there that is too weak.
#include "race_case.hpp"

using namespace gsu;
using namespace racetests;

namespace {

const std::vector<Case> kCases{
    {"a copy reads what another warp stores", "race-async", {"barrier", "proxy-fence"}, "cta", R"(
@%p3 bra C;
st.shared.u32 [%r4], %r6; //A
fence.proxy.async.shared::cta;
GOOD bar.sync 0;
ret;
C:
GOOD bar.sync 0;
@!%p1 ret;
nanosleep.u32 3000;
cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 256; //B
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
)"},
    {"a copy reads what was stored before a relaxed arrival",
     "race-async",
     {"release", "proxy-fence"},
     "cta",
     R"(
@%p1 mbarrier.init.shared::cta.b64 [%r8], 32;
bar.sync 0;
@%p3 bra C;
st.shared.u32 [%r4], %r6; //A
fence.proxy.async.shared::cta;
BAD mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r8];
GOOD mbarrier.arrive.release.cta.shared::cta.b64 _, [%r8];
ret;
C: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p4, [%r8], 0; @!%p4 bra C;
@!%p1 ret;
cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 256; //B
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
)"},
    {"a copy writes what was stored before a relaxed arrival", "race-async", {"release"}, "cta", R"(
@%p1 mbarrier.init.shared::cta.b64 [%r8], 32;
@%p1 mbarrier.init.shared::cta.b64 [%r8+-8], 1;
bar.sync 0;
@%p3 bra C;
st.shared.u32 [%r4], %r6; //A
BAD mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r8];
GOOD mbarrier.arrive.release.cta.shared::cta.b64 _, [%r8];
ret;
C: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p4, [%r8], 0; @!%p4 bra C;
@!%p1 ret;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8+-8], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 256, [%r8+-8]; //B
V: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r8+-8], 0; @!%p4 bra V;
)"},
    {"a copy's phase is waited for without acquire", "race-async", {"acquire"}, "cta", R"(
@!%p1 ret;
mbarrier.init.shared::cta.b64 [%r8], 1;
fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 256, [%r8]; //A
BAD W: mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p4, [%r8], 0; @!%p4 bra W;
GOOD W: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p4, [%r8], 0; @!%p4 bra W;
ld.shared.u32 %r10, [%r3]; //B
)"},
    {"a thread overwrites what another one's copy reads",
     "race-async",
     {"wait-group", "barrier"},
     "cta",
     R"(
st.shared.u32 [%r4], %r6;
fence.proxy.async.shared::cta;
bar.sync 0;
@!%p1 bra S;
cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 256; //A
cp.async.bulk.commit_group;
cp.async.bulk.wait_group.read 0;
S:
GOOD bar.sync 0;
@%p3 ret;
nanosleep.u32 4000;
st.shared.u32 [%r4], %r5; //B
)"},
    {"a reduction of a copy updates what was stored", "race-async", {"proxy-fence"}, "cta", R"(
@!%p1 ret;
st.global.u32 [%rd1], %r6; //A
st.shared.u32 [%r3], %r6;
st.shared.u32 [%r3+4], %r6;
st.shared.u32 [%r3+8], %r6;
st.shared.u32 [%r3+12], %r6;
BAD fence.proxy.async.shared::cta;
GOOD fence.proxy.async;
cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r3], 16; //B
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
)"},
    {"another warp overwrites an operand of wgmma",
     "race-async",
     {"wait-group", "barrier"},
     "cta",
     R"(
setp.ge.u32 %p5, %r1, 128; @%p5 bra S;
shr.u32 %r11, %r3, 4; cvt.u64.u32 %rd4, %r11; or.b64 %rd4, %rd4, 0x0000000800010000;
add.u64 %rd5, %rd4, 128; mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd4, %rd5, 1, 1, 1, 0, 0; //A
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
GOOD bar.sync 0;
ret;
S:
GOOD bar.sync 0;
nanosleep.u32 4000;
add.u32 %r9, %r4, -512; st.shared.u32 [%r9], %r6; //B
)",
     160},
    {"a cluster's flag with the scope of the CTA",
     "race-read-write",
     {"release"},
     "cluster",
     R"(
barrier.cluster.arrive; barrier.cluster.wait;
@!%p1 bra E;
@!%p2 bra R;
st.global.u32 [%rd1], %r6; //A
BAD st.release.cta.global.u32 [%rd1+64], 1;
GOOD st.release.cluster.global.u32 [%rd1+64], 1;
bra E;
R: ld.acquire.cluster.global.u32 %r9, [%rd1+64]; setp.eq.u32 %p4, %r9, 0; @%p4 bra R;
ld.global.u32 %r10, [%rd1]; //B
E: barrier.cluster.arrive; barrier.cluster.wait;
)",
     64,
     2,
     2},
};

}  // namespace

TEST_CASE("what is missing: several links, or one that is too weak", "[races]")
{
    for (const Case& c : kCases) checkCase(c);
    checkFindings("missing.tsv", kCases);
}
