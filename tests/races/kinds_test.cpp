// A bad and a good kernel for each kind of race and each word of what is missing.
#include "race_case.hpp"

using namespace gsu;
using namespace racetests;

namespace {

const std::vector<Case> kCases{
    {"barrier of the CTA", "race-read-write", {"barrier"}, "cta", R"(
st.shared.u32 [%r4], %r6; //A
GOOD bar.sync 0;
xor.b32 %r9, %r4, 128; ld.shared.u32 %r10, [%r9]; //B
)"},
    {"barrier of the warp", "race-read-write", {"barrier"}, "warp", R"(
st.shared.u32 [%r4], %r6; //A
GOOD bar.warp.sync -1;
xor.b32 %r9, %r4, 4; ld.shared.u32 %r10, [%r9]; //B
)"},
    {"two warps write", "race-write-write", {"barrier"}, "cta", R"(
@!%p3 bra L;
st.shared.u32 [%r4], %r6; //A
L:
GOOD bar.sync 0;
@%p3 bra D;
add.u32 %r9, %r4, -128; st.shared.u32 [%r9], %r7; //B
D:
)"},
    {"a store beside an atomic", "race-write-write", {"barrier"}, "cta", R"(
@%p3 st.shared.u32 [%r4], %r6; //A
GOOD bar.sync 0;
@%p3 bra D;
add.u32 %r9, %r4, -128; red.shared.add.u32 [%r9], %r6; //B
D:
)"},
    {"a flag without release",
     "race-read-write",
     {"release"},
     "gpu",
     R"(
@!%p1 ret;
@!%p2 bra R;
st.global.u32 [%rd1], %r6; //A
BAD st.relaxed.gpu.global.u32 [%rd1+64], 1;
GOOD st.release.gpu.global.u32 [%rd1+64], 1;
ret;
R: ld.acquire.gpu.global.u32 %r9, [%rd1+64]; setp.eq.u32 %p4, %r9, 0; @%p4 bra R;
ld.global.u32 %r10, [%rd1]; //B
)",
     64,
     2},
    {"a flag without acquire",
     "race-read-write",
     {"acquire"},
     "gpu",
     R"(
@!%p1 ret;
@!%p2 bra R;
st.global.u32 [%rd1], %r6; //A
fence.acq_rel.gpu;
st.relaxed.gpu.global.u32 [%rd1+64], 1;
ret;
R: ld.relaxed.gpu.global.u32 %r9, [%rd1+64]; setp.eq.u32 %p4, %r9, 0; @%p4 bra R;
GOOD fence.acq_rel.gpu;
ld.global.u32 %r10, [%rd1]; //B
)",
     64,
     2},
    {"a release of too narrow scope",
     "race-read-write",
     {"release"},
     "gpu",
     R"(
@!%p1 ret;
@!%p2 bra R;
st.global.u32 [%rd1], %r6; //A
BAD fence.acq_rel.cta;
GOOD fence.acq_rel.gpu;
st.relaxed.gpu.global.u32 [%rd1+64], 1;
ret;
R: ld.acquire.gpu.global.u32 %r9, [%rd1+64]; setp.eq.u32 %p4, %r9, 0; @%p4 bra R;
ld.global.u32 %r10, [%rd1]; //B
)",
     64,
     2},
    {"two CTAs without a flag",
     "race-read-write",
     {"release", "acquire"},
     "gpu",
     R"(
@!%p1 ret;
BAD @%p2 st.global.u32 [%rd1], %r6; //A
BAD @!%p2 ld.global.u32 %r10, [%rd1]; //B
GOOD @%p2 st.relaxed.gpu.global.u32 [%rd1], %r6;
GOOD @!%p2 ld.relaxed.gpu.global.u32 %r10, [%rd1];
)",
     64,
     2},
    {"a relaxed arrival", "race-read-write", {"release"}, "cta", R"(
@%p1 mbarrier.init.shared::cta.b64 [%r8], 32;
bar.sync 0;
@!%p3 bra W;
st.shared.u32 [%r4], %r6; //A
BAD mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r8];
GOOD mbarrier.arrive.release.cta.shared::cta.b64 _, [%r8];
ret;
W: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p4, [%r8], 0; @!%p4 bra W;
add.u32 %r9, %r4, -128; ld.shared.u32 %r10, [%r9]; //B
)"},
    {"a relaxed wait", "race-read-write", {"acquire"}, "cta", R"(
@%p1 mbarrier.init.shared::cta.b64 [%r8], 32;
bar.sync 0;
@!%p3 bra W;
st.shared.u32 [%r4], %r6; //A
mbarrier.arrive.release.cta.shared::cta.b64 _, [%r8];
ret;
BAD W: mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p4, [%r8], 0; @!%p4 bra W;
GOOD W: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p4, [%r8], 0; @!%p4 bra W;
add.u32 %r9, %r4, -128; ld.shared.u32 %r10, [%r9]; //B
)"},
    {"no barrier behind the init", "race-lifetime", {"barrier"}, "cta", R"(
@%p1 mbarrier.init.shared::cta.b64 [%r8], 64; //A
GOOD bar.sync 0;
@!%p3 nanosleep.u32 500;
mbarrier.arrive.shared::cta.b64 _, [%r8]; //B
)"},
    {"an init that is not published",
     "race-lifetime",
     {"fence"},
     "cluster",
     R"(
@%p1 mbarrier.init.shared::cta.b64 [%r8], 1; //A
GOOD fence.mbarrier_init.release.cluster;
barrier.cluster.arrive.relaxed;
barrier.cluster.wait;
@!%p1 bra E;
@!%p2 bra E;
mapa.shared::cluster.u32 %r9, %r8, 1;
mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r9]; //B
E: barrier.cluster.arrive;
barrier.cluster.wait;
)",
     32,
     2,
     2},
    {"a CTA that may not have started",
     "race-lifetime",
     {"cluster-barrier"},
     "cluster",
     R"(
GOOD barrier.cluster.arrive;
GOOD barrier.cluster.wait;
@!%p2 bra E;
BAD nanosleep.u32 2000;
mapa.shared::cluster.u32 %r9, %r4, 1;
st.shared::cluster.u32 [%r9], %r6; //B
E: barrier.cluster.arrive;
barrier.cluster.wait;
)",
     32,
     2,
     2},
    {"a CTA that may have ended",
     "race-lifetime",
     {"cluster-barrier"},
     "cluster",
     R"(
barrier.cluster.arrive;
barrier.cluster.wait;
BAD @!%p2 nanosleep.u32 4000;
@!%p2 bra E;
mapa.shared::cluster.u32 %r9, %r4, 1;
st.shared::cluster.u32 [%r9], %r6; //B
E:
GOOD barrier.cluster.arrive;
GOOD barrier.cluster.wait;
)",
     32,
     2,
     2},
    {"another CTA's shared memory",
     "race-read-write",
     {"cluster-barrier"},
     "cluster",
     R"(
barrier.cluster.arrive;
barrier.cluster.wait;
@!%p2 bra R;
mapa.shared::cluster.u32 %r9, %r4, 1;
st.shared::cluster.u32 [%r9], %r6; //A
R:
GOOD barrier.cluster.arrive;
GOOD barrier.cluster.wait;
BAD @!%p2 nanosleep.u32 3000;
@!%p2 ld.shared.u32 %r10, [%r4]; //B
barrier.cluster.arrive;
barrier.cluster.wait;
)",
     32,
     2,
     2},
    {"a store in a copy's source without proxy fence", "race-async", {"proxy-fence"}, "cta", R"(
st.shared.u32 [%r4], %r6; //A
GOOD fence.proxy.async.shared::cta;
bar.sync 0;
@!%p1 ret;
cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 256; //B
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
)"},
    {"a copy's source is overwritten", "race-async", {"wait-group"}, "cta", R"(
@!%p1 ret;
st.shared.u32 [%r4], %r6;
fence.proxy.async.shared::cta;
cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], 256; //A
cp.async.bulk.commit_group;
GOOD cp.async.bulk.wait_group.read 0;
st.shared.u32 [%r4], %r5; //B
)"},
    {"cp.async without a wait", "race-async", {"wait-group"}, "cta", R"(
cvt.u64.u32 %rd3, %r2; add.u64 %rd2, %rd1, %rd3;
cp.async.ca.shared.global [%r4], [%rd2], 4; //A
cp.async.commit_group;
GOOD cp.async.wait_group 0;
ld.shared.u32 %r10, [%r4]; //B
)"},
    {"cp.async for another lane without a barrier",
     "race-async",
     {"wait-group", "barrier"},
     "cta",
     R"(
cvt.u64.u32 %rd3, %r2; add.u64 %rd2, %rd1, %rd3;
cp.async.ca.shared.global [%r4], [%rd2], 4; //A
cp.async.wait_all;
GOOD bar.sync 0;
xor.b32 %r9, %r4, 4; ld.shared.u32 %r10, [%r9]; //B
)"},
    {"a copy whose phase nobody waits for", "race-async", {"mbarrier-wait"}, "cta", R"(
@!%p1 ret;
mbarrier.init.shared::cta.b64 [%r8], 1;
fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 256, [%r8]; //A
GOOD W: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r8], 0; @!%p4 bra W;
BAD nanosleep.u32 4000;
ld.shared.u32 %r10, [%r3]; //B
)"},
    {"a copy whose phase nobody waits for, of an mbarrier that had another life",
     "race-async",
     {"mbarrier-wait"},
     "cta",
     R"(
@!%p1 ret;
mbarrier.init.shared::cta.b64 [%r8], 1;
mbarrier.arrive.shared::cta.b64 _, [%r8];
V: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r8], 0; @!%p4 bra V;
mbarrier.arrive.shared::cta.b64 _, [%r8];
U: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r8], 1; @!%p4 bra U;
mbarrier.inval.shared::cta.b64 [%r8];
mbarrier.init.shared::cta.b64 [%r8], 1;
fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 256, [%r8]; //A
GOOD W: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r8], 0; @!%p4 bra W;
BAD nanosleep.u32 4000;
ld.shared.u32 %r10, [%r3]; //B
)"},
    {"wgmma's operand is overwritten",
     "race-async",
     {"wait-group"},
     "cta",
     R"(
shr.u32 %r11, %r3, 4; cvt.u64.u32 %rd4, %r11; or.b64 %rd4, %rd4, 0x0000000800010000;
add.u64 %rd5, %rd4, 128; mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd4, %rd5, 1, 1, 1, 0, 0; //A
wgmma.commit_group.sync.aligned;
GOOD wgmma.wait_group.sync.aligned 0;
GOOD bar.sync 0;
st.shared.u32 [%r4], %r6; //B
BAD wgmma.wait_group.sync.aligned 0;
)",
     128},
};

}  // namespace

TEST_CASE(
    "each kind of race is found, with its lines and what is missing; the repaired kernel has none",
    "[races][MBAR-023]")
{
    for (const Case& c : kCases) checkCase(c);
}

TEST_CASE("a finding has the memory, the lanes and the number of times of its race", "[races]")
{
    checkFindings("kinds.tsv", kCases);
}
