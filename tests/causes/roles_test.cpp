// Who owes an arrival or a store, and who only looks as if.
#include "causes/hang_case.hpp"

namespace gsu::test {

TEST_CASE("a store that a branch passed is named", "[causes]")
{
    check({"warp 1 ends without the store",
           R"(setp.eq.u32 %p1, %r2, 1;
@%p1 bra SET;
S:
ld.volatile.global.u32 %r4, [%rd1];
setp.eq.u32 %p2, %r4, 0;
@%p2 bra S;
bra DONE;
SET:
ld.global.u32 %r5, [%rd1+64];
setp.eq.u32 %p3, %r5, 0;
@%p3 bra DONE;
mov.u32 %r6, 1;
st.volatile.global.u32 [%rd1], %r6; //HERE
DONE:
)",
           "flag-not-set",
           {{0, 1}},
           {"passed the store at line", "and ended at line"}});
}

TEST_CASE("a hand-made barrier whose count is beyond all sense is a flag that nobody sets",
          "[causes]")
{
    check({"polled for 9999, two add one",
           R"(@!%p15 bra DONE;
atom.add.release.gpu.global.u32 %r5, [%rd1], 1; //HERE
S:
ld.acquire.gpu.global.u32 %r6, [%rd1];
setp.lt.u32 %p1, %r6, 9999;
@%p1 bra S;
DONE:
)",
           "flag-not-set",
           {{0, 1}},
           {"holds 2", "wrote"}});
}

TEST_CASE("a round that was passed after the first one", "[causes]")
{
    Ring once;
    once.release = "setp.ne.u32 %p5, %r10, 1;\nand.pred %p5, %p5, %p15;\n@%p5 "
                   "mbarrier.arrive.shared::cta.b64 _, [%r13]; //HERE";
    once.stages = 1;
    check({"a ring of one stage, its second round is not released",
           once.text(),
           "missing-arrival",
           {{0, 1}},
           {"empty[0]"}});
}

TEST_CASE("arrivals at the same place of another CTA that needs them itself", "[causes]")
{
    check({"CTA 1 gets what it is sent, CTA 0 lacks its own warp",
           R"(@%p0 mbarrier.init.shared::cta.b64 [full], 2;
fence.mbarrier_init.release.cluster;
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
mov.u32 %r4, full;
setp.eq.u32 %p1, %r60, 2;
@!%p1 bra OTHERS;
mov.u32 %r6, 1;
mapa.shared::cluster.u32 %r5, %r4, %r6;
@%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];
bra DONE;
OTHERS:
setp.eq.u32 %p1, %r2, 1;
setp.eq.u32 %p2, %r60, 0;
and.pred %p3, %p1, %p2;
@%p3 bra DONE; //HERE
@%p15 mbarrier.arrive.shared::cta.b64 _, [full];
setp.eq.u32 %p1, %r2, 0;
@!%p1 bra DONE;
W:
mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p7, [full], 0;
@!%p7 bra W;
DONE:
ret; //HERE
)",
           "exited-arriver",
           {{0, 1}},
           {"lacks 1 of 2"},
           {64, 1, 1},
           {3, 1, 1},
           {3, 1, 1},
           0,
           1,
           true,
           true});
}

}  // namespace gsu::test
