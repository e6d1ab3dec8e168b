// Order by arrivals, chains of atomics and the phases of mbarriers: a bad and a good kernel for each, with all that is found in the bad one.
#include "race_case.hpp"

using namespace gsu;
using namespace racetests;

namespace {

/// Cases whose finding is a race.
const std::vector<Case> kRaces{
    {"an arrival that gives no state back shows a fence nothing",
     "race-read-write",
     {"barrier"},
     "cta",
     R"(
@%p1 mbarrier.init.shared::cta.b64 [%r8], 3;
bar.sync 0;
and.b32 %r11, %r1, 31; setp.ne.u32 %p5, %r11, 0;
@%p5 ret;
@!%p3 bra L;
st.shared.u32 [%r3], %r6; //A
mbarrier.arrive.release.cta.shared::cta.b64 _, [%r8];
ret;
L: nanosleep.u32 4000;
BAD mbarrier.arrive.release.cta.shared::cta.b64 _, [%r8];
GOOD mbarrier.arrive.release.cta.shared::cta.b64 %rd4, [%r8];
fence.acq_rel.cta;
ld.shared.u32 %r10, [%r3]; //B
)"},
    {"a write of narrow scope does not carry on what its fence released",
     "race-read-write",
     {"release"},
     "gpu",
     R"(
and.b32 %r11, %r1, 31; setp.ne.u32 %p5, %r11, 0;
@%p5 ret;
@!%p2 bra R;
@!%p3 bra S;
st.global.u32 [%rd1], %r6;
fence.acq_rel.gpu;
atom.relaxed.gpu.global.add.u32 %r9, [%rd1+64], 1;
ret;
S: nanosleep.u32 2000;
st.global.u32 [%rd1+4], %r6; //A
fence.acq_rel.gpu;
BAD atom.relaxed.cta.global.add.u32 %r9, [%rd1+64], 1;
GOOD atom.relaxed.gpu.global.add.u32 %r9, [%rd1+64], 1;
ret;
R: ld.acquire.gpu.global.u32 %r9, [%rd1+64]; setp.ne.u32 %p4, %r9, 2; @%p4 bra R;
ld.global.u32 %r10, [%rd1];
ld.global.u32 %r10, [%rd1+4]; //B
)",
     64,
     2},
    {"a race is told with the widest scope that it was met with",
     "race-read-write",
     {"release", "acquire"},
     "gpu",
     R"(
setp.eq.u32 %p4, %r5, 0; and.pred %p4, %p4, %p1;
@%p4 st.global.u32 [%rd1+16], %r6; //A
GOOD @%p4 bra E;
and.b32 %r11, %r1, 31; setp.eq.u32 %p5, %r11, 1;
shl.b32 %r12, %r5, 11; add.u32 %r12, %r12, 2000;
nanosleep.u32 %r12;
BAD @%p5 ld.global.u32 %r10, [%rd1+16]; //B
E: barrier.cluster.arrive; barrier.cluster.wait;
)",
     64,
     4,
     2},
    {"lanes that have ended count as arrived", "race-read-write", {"barrier"}, "cta", R"(
@!%p3 bra W;
st.shared.u32 [%r4], %r6; //A
BAD nanosleep.u32 3000;
ret;
W:
GOOD bar.sync 0;
BAD bar.sync 1, 32;
add.u32 %r9, %r4, -128; ld.shared.u32 %r10, [%r9]; //B
)"},
    {"an arrival at a named barrier does not wait", "race-read-write", {"barrier"}, "cta", R"(
@%p3 bra P;
GOOD bar.sync 1, 64;
BAD bar.arrive 1, 64;
add.u32 %r9, %r4, -128; ld.shared.u32 %r10, [%r9]; //B
ret;
P: st.shared.u32 [%r4], %r6; //A
GOOD bar.arrive 1, 64;
BAD bar.sync 1, 64;
)"},
    {"wait groups of one lane are those of no other", "race-async", {"wait-group"}, "cta", R"(
cvt.u64.u32 %rd3, %r2; add.u64 %rd2, %rd1, %rd3;
cp.async.ca.shared.global [%r4], [%rd2], 4; //A
cp.async.commit_group;
BAD @!%p1 bra M;
cp.async.wait_group 0;
M: bar.warp.sync -1;
nanosleep.u32 3000;
ld.shared.u32 %r10, [%r4]; //B
)"},
    {"an arrival of copies orders them, an arrival of their thread does not",
     "race-async",
     {"wait-group", "barrier"},
     "cta",
     R"(
@%p1 mbarrier.init.shared::cta.b64 [%r8], 32;
bar.sync 0;
@!%p3 bra W;
cvt.u64.u32 %rd3, %r2; add.u64 %rd2, %rd1, %rd3;
cp.async.ca.shared.global [%r4], [%rd2], 4; //A
GOOD cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r8];
BAD mbarrier.arrive.shared::cta.b64 _, [%r8];
ret;
W: mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p4, [%r8], 0; @!%p4 bra W;
add.u32 %r9, %r4, -128; ld.shared.u32 %r10, [%r9]; //B
)"},
    {"a relaxed cluster barrier passes on what fences released",
     "race-read-write",
     {"release"},
     "cluster",
     R"(
@%p2 st.global.u32 [%rd1], %r6; //A
GOOD fence.acq_rel.cluster;
BAD fence.acq_rel.cta;
barrier.cluster.arrive.relaxed;
barrier.cluster.wait;
@!%p2 ld.global.u32 %r10, [%rd1]; //B
)",
     1,
     2,
     2},
    {"st.async carries what a fence released",
     "race-read-write",
     {"cluster-barrier"},
     "cluster",
     R"(
@%p1 mbarrier.init.shared::cta.b64 [%r8], 1;
@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 4;
barrier.cluster.arrive; barrier.cluster.wait;
@!%p1 bra E;
@!%p2 bra R;
st.global.u32 [%rd1], %r6; //A
GOOD fence.acq_rel.cluster;
mapa.shared::cluster.u32 %r9, %r3, 1; mapa.shared::cluster.u32 %r10, %r8, 1;
st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r9], %r6, [%r10];
bra E;
R: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p4, [%r8], 0; @!%p4 bra R;
ld.global.u32 %r10, [%rd1]; //B
E: barrier.cluster.arrive; barrier.cluster.wait;
)",
     32,
     2,
     2},
};

/// Cases whose finding is a rule of mbarriers: all that is found is in the table.
const std::vector<Case> kRules{
    {"no arrival is ordered after an expect_tx", "HS-013", {}, "", R"(
@%p1 mbarrier.init.shared::cta.b64 [%r8], 1;
bar.sync 0;
@!%p1 bra L;
nanosleep.u32 3000;
BAD mbarrier.arrive.shared::cta.b64 _, [%r8];
GOOD mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 0;
L: setp.ne.u32 %p4, %r1, 32; @%p4 ret;
mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r8], 128;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 128, [%r8];
)"},
    {"an expect_tx that an arrival follows", "HS-013", {}, "", R"(
@%p1 mbarrier.init.shared::cta.b64 [%r8], 1;
bar.sync 0;
setp.eq.u32 %p4, %r1, 32;
@%p4 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r8], 128;
GOOD bar.sync 0;
BAD @%p1 nanosleep.u32 3000;
@%p1 mbarrier.arrive.shared::cta.b64 _, [%r8];
@%p4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 128, [%r8];
)"},
    {"an inval behind copies that nobody waited for", "MBAR-029", {}, "", R"(
@!%p1 ret;
mbarrier.init.shared::cta.b64 [%r8], 1;
fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 256, [%r8];
BAD nanosleep.u32 4000;
GOOD W: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r8], 0; @!%p4 bra W;
mbarrier.inval.shared::cta.b64 [%r8];
)"},
    {"an inval behind arrivals that nobody waited for", "MBAR-029", {}, "", R"(
@%p1 mbarrier.init.shared::cta.b64 [%r8], 64;
bar.sync 0;
mbarrier.arrive.shared::cta.b64 _, [%r8];
@!%p1 ret;
BAD nanosleep.u32 4000;
GOOD W: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r8], 0; @!%p4 bra W;
mbarrier.inval.shared::cta.b64 [%r8];
)"},
    {"a wait two phases late, of the other parity", "MBW-014", {}, "", R"(
@%p1 mbarrier.init.shared::cta.b64 [%r8], 1;
bar.sync 0;
@!%p3 bra L;
@!%p1 ret;
mov.u32 %r9, 0;
N: mbarrier.arrive.shared::cta.b64 _, [%r8];
and.b32 %r10, %r9, 1;
W: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r8], %r10; @!%p4 bra W;
GOOD setp.ge.u32 %p5, %r9, 1; @%p5 bra X;
add.u32 %r9, %r9, 1; setp.lt.u32 %p5, %r9, 4; @%p5 bra N;
X: ret;
L: nanosleep.u32 9000;
V: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r8], 1; @!%p4 bra V;
)"},
};

}  // namespace

TEST_CASE("order by arrivals, chains and groups", "[races]")
{
    for (const Case& c : kRaces) checkCase(c);
    checkFindings("order_races.tsv", kRaces);
}

TEST_CASE("rules of the phases of mbarriers that depend on order", "[races]")
{
    for (const Case& c : kRules) {
        INFO(c.name);
        for (const std::uint64_t seed : {1u, 2u, 3u}) {
            const std::vector<Finding> none = orderFindings(runCase(c, kernelOf(c, true), seed));
            INFO(textOf(none));
            CHECK(none.empty());
            const std::vector<Finding> bad = orderFindings(runCase(c, kernelOf(c, false), seed));
            INFO("bad:\n" << textOf(bad));
            CHECK(std::any_of(bad.begin(), bad.end(),
                              [&](const Finding& f) { return f.rule == c.rule; }));
        }
    }
    checkFindings("order_rules.tsv", kRules);
}
