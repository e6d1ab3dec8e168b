// Phases that go by unseen.
#include "causes/hang_case.hpp"

namespace gsu::test {

TEST_CASE("wrong-phase", "[causes]")
{
    Ring empty;
    empty.producerParity = "0";
    empty.producerWait = " //HERE";
    check({"a producer that begins with the empty barrier's phase 0",
           empty.text(),
           "wrong-phase",
           {{0, 0}},
           {"phase 0", "empty[0]"}});
    check({"the parity is not flipped",
           R"(@%p0 mbarrier.init.shared::cta.b64 [full], 64;
bar.sync 0;
mbarrier.arrive.shared::cta.b64 _, [full];
W0:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [full], 0;
@!%p7 bra W0;
mbarrier.arrive.shared::cta.b64 _, [full];
bar.sync 0;
W1:
mbarrier.test_wait.parity.shared::cta.b64 %p7, [full], 0; //HERE
@!%p7 bra W1;
)",
           "wrong-phase",
           {{0, 0}},
           {"parity 0"}});
    check({"a late waiter that asks for the phase behind the one that has come",
           R"(@%p0 mbarrier.init.shared::cta.b64 [full], 1;
bar.sync 0;
setp.eq.u32 %p1, %r2, 1;
@%p1 bra C;
@%p15 mbarrier.arrive.shared::cta.b64 _, [full];
bra DONE;
C:
nanosleep.u32 4000;
mov.u32 %r10, 1;
W:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [full], %r10; //HERE
@!%p7 bra W;
DONE:
)",
           "wrong-phase",
           {{0, 1}},
           {"parity 1", "phase 0"}});
}

TEST_CASE("extra-arrival", "[causes]")
{
    check({"arrive.expect_tx and arrive",
           R"(@%p0 mbarrier.init.shared::cta.b64 [full], 1;
bar.sync 0;
setp.eq.u32 %p1, %r2, 1;
@%p1 bra C;
@!%p15 bra DONE;
mbarrier.arrive.shared::cta.b64 _, [full]; //HERE
mbarrier.arrive.shared::cta.b64 _, [full]; //HERE
barrier.arrive 3, 64;
bra DONE;
C:
barrier.sync 3, 64;
W:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [full], 0;
@!%p7 bra W;
DONE:
)",
           "extra-arrival",
           {{0, 0}},
           {"twice", "count 1"},
           {64, 1, 1},
           {1, 1, 1},
           {1, 1, 1},
           0,
           1,
           true});
    check({"an arrival that counts two",
           R"(@%p0 mbarrier.init.shared::cta.b64 [full], 2;
@%p0 mbarrier.init.shared::cta.b64 [empty], 1;
bar.sync 0;
setp.eq.u32 %p1, %r2, 2;
@%p1 bra C;
@!%p15 bra DONE;
mov.u32 %r10, 1;
setp.eq.u32 %p2, %r2, 1;
@%p2 mov.u32 %r10, 2;
@!%p2 bra FIRST;
E:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [empty], 0;
@!%p7 bra E;
FIRST:
mbarrier.arrive.shared::cta.b64 _, [full], %r10; //HERE
@!%p2 mbarrier.arrive.shared::cta.b64 _, [full]; //HERE
@!%p2 mbarrier.arrive.shared::cta.b64 _, [empty];
bra DONE;
C:
bar.warp.sync -1;
nanosleep.u32 2000;
W:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [full], 0;
@!%p7 bra W;
DONE:
)",
           "extra-arrival",
           {{0, 0}},
           {"twice"},
           {96, 1, 1},
           {1, 1, 1},
           {1, 1, 1},
           0,
           1,
           true});
}

TEST_CASE("count-too-small", "[causes]")
{
    check({"elect forgotten: 32 arrive, the count is 1",
           R"(@%p0 mbarrier.init.shared::cta.b64 [full], 1; //HERE
bar.sync 0;
setp.eq.u32 %p1, %r2, 1;
@%p1 bra C;
mbarrier.arrive.shared::cta.b64 _, [full]; //HERE
barrier.arrive 3, 64;
bra DONE;
C:
barrier.sync 3, 64;
W:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [full], 0;
@!%p7 bra W;
DONE:
)",
           "count-too-small",
           {{0, 0}},
           {"1", "32"},
           {64, 1, 1},
           {1, 1, 1},
           {1, 1, 1},
           0,
           1,
           true});
    check({"a barrier of 64 that 96 threads come to",
           "barrier.sync 3, 64; //HERE\n",
           "count-too-small",
           {{0, 0}, {0, 1}, {0, 2}},
           {"96", "64"},
           {96, 1, 1}});
}

}  // namespace gsu::test
