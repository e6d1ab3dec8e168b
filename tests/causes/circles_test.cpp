// Waiters that wait for each other or for themselves.
#include "causes/hang_case.hpp"

namespace gsu::test {

TEST_CASE("diverged-lanes", "[causes]")
{
    // Both need all lanes of the warp.
    for (const std::string op : {"bar.warp.sync 0xffffffff;", "barrier.sync 1, 32;"})
        check({"lanes at " + op + " and lanes that wait for an arrival behind it",
               R"(@%p0 mbarrier.init.shared::cta.b64 [full], 16;
bar.sync 0;
setp.lt.u32 %p1, %r3, 16;
@%p1 bra A;
W:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [full], 0; //HERE
@!%p7 bra W;
)" + op + R"(
bra DONE;
A:
)" + op + R"( //HERE
mbarrier.arrive.shared::cta.b64 _, [full];
DONE:
)",
               "diverged-lanes",
               {{0, 0}},
               {"0x0000ffff", "0xffff0000"},
               {32, 1, 1}});
    check({"lanes of a vote and lanes that poll a word",
           R"(setp.lt.u32 %p1, %r3, 8;
@%p1 bra A;
S:
ld.volatile.shared.u32 %r5, [word]; //HERE
setp.eq.u32 %p2, %r5, 0;
@%p2 bra S;
vote.sync.any.pred %p3, %p2, 0xffffffff;
bra DONE;
A:
vote.sync.any.pred %p3, %p1, 0xffffffff; //HERE
mov.u32 %r6, 1;
st.volatile.shared.u32 [word], %r6;
DONE:
)",
           "diverged-lanes",
           {{0, 0}},
           {"0x000000ff", "0xffffff00"},
           {32, 1, 1}});
    check({"lanes of a warp at two barriers, of which each needs the whole warp",
           R"(and.b32 %r4, %r3, 1;
barrier.sync %r4, 32; //HERE
)",
           "diverged-lanes",
           {{0, 0}},
           {"0x55555555", "0xaaaaaaaa", "barrier 0", "barrier 1"},
           {32, 1, 1}});
}

TEST_CASE("self-wait", "[causes]")
{
    check({"wait, then arrive",
           R"(@%p0 mbarrier.init.shared::cta.b64 [full], 64;
bar.sync 0;
W:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [full], 0; //HERE
@!%p7 bra W;
mbarrier.arrive.shared::cta.b64 _, [full]; //HERE
)",
           "self-wait",
           {{0, 0}, {0, 1}},
           {"lacks 64 of 64"}});
    check({"one lane waits before it announces",
           R"(@%p0 mbarrier.init.shared::cta.b64 [full], 1;
mov.u32 %r12, full;
mov.u32 %r16, data;
bar.sync 0;
@!%p0 bra DONE;
W:
mbarrier.test_wait.parity.shared::cta.b64 %p7, [full], 0; //HERE
@!%p7 bra W;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 128; //HERE
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r16], [%rd1], 128, [%r12];
DONE:
)",
           "self-wait",
           {{0, 0}},
           {"lacks 1 of 1"}});
}

TEST_CASE("cyclic-wait", "[causes]")
{
    check({"two barriers in different order",
           R"(setp.eq.u32 %p1, %r2, 0;
@%p1 bra A;
barrier.sync 2, 64; //HERE
barrier.sync 1, 64; //HERE
bra DONE;
A:
barrier.sync 1, 64; //HERE
barrier.sync 2, 64; //HERE
DONE:
)",
           "cyclic-wait",
           {{0, 0}, {0, 1}},
           {"barrier 1", "barrier 2"}});
    check({"three warps in a circle of mbarriers",
           R"(@%p0 mbarrier.init.shared::cta.b64 [full], 32;
@%p0 mbarrier.init.shared::cta.b64 [full+8], 32;
@%p0 mbarrier.init.shared::cta.b64 [full+16], 32;
mov.u32 %r12, full;
shl.b32 %r13, %r2, 3;
add.u32 %r14, %r12, %r13;
add.u32 %r15, %r2, 1;
rem.u32 %r15, %r15, 3;
shl.b32 %r15, %r15, 3;
add.u32 %r15, %r15, %r12;
bar.sync 0;
W:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [%r14], 0; //HERE
@!%p7 bra W;
mbarrier.arrive.shared::cta.b64 _, [%r15]; //HERE
)",
           "cyclic-wait",
           {{0, 0}, {0, 1}, {0, 2}},
           {"full[0]", "full[1]", "full[2]"},
           {96, 1, 1}});
    check({"an mbarrier and a named barrier",
           R"(@%p0 mbarrier.init.shared::cta.b64 [full], 32;
bar.sync 0;
setp.eq.u32 %p1, %r2, 0;
@!%p1 bra OTHER;
barrier.sync 1, 64; //HERE
mbarrier.arrive.shared::cta.b64 _, [full]; //HERE
bra DONE;
OTHER:
W0:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [full], 0; //HERE
@!%p7 bra W0;
barrier.sync 1, 64; //HERE
DONE:
)",
           "cyclic-wait",
           {{0, 0}, {0, 1}},
           {"barrier 1", "full"}});
}

}  // namespace gsu::test
