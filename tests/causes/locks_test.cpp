// Locks and flags in ordinary memory.
#include "causes/hang_case.hpp"

namespace gsu::test {
namespace {

const std::string kTake = R"(TAKE:
atom.cas.acquire.gpu.global.b32 %r5, [%rd1], 0, 1; //HERE
setp.ne.u32 %p1, %r5, 0;
@%p1 bra TAKE;
)";
const std::string kGive = "atom.exch.release.gpu.global.b32 %r6, [%rd1], 0;\n";

}  // namespace

TEST_CASE("lock-across-barrier", "[causes]")
{
    check({"the holder waits at a barrier",
           "@!%p15 bra DONE;\n" + kTake + "barrier.sync 1, 64; //HERE\n" + kGive + "DONE:\n",
           "lock-across-barrier",
           {{0, 0}},
           {"lock", "barrier 1"}});
    check({"a lock in shared memory, held at an mbarrier",
           R"(@%p0 mbarrier.init.shared::cta.b64 [full], 2;
bar.sync 0;
@!%p15 bra DONE;
TAKE:
atom.exch.acquire.cta.shared.b32 %r5, [word], 1; //HERE
setp.ne.u32 %p1, %r5, 0;
@%p1 bra TAKE;
mbarrier.arrive.shared::cta.b64 _, [full];
W:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [full], 0; //HERE
@!%p7 bra W;
mov.u32 %r6, 0;
st.release.cta.shared.u32 [word], %r6; //HERE
DONE:
)",
           "lock-across-barrier",
           {{0, 0}},
           {"word"}});
}

TEST_CASE("lock-not-released", "[causes]")
{
    check({"an error path returns with the lock",
           "@!%p15 bra DONE;\n" + kTake +
               "ld.global.u32 %r7, [%rd1+64];\nsetp.eq.u32 %p2, %r7, 0;\n@%p2 ret; //HERE\n" +
               kGive + "DONE:\n",
           "lock-not-released",
           {{0, 0}},
           {"lock", "exited"}});
    check({"the holder has passed its release",
           "@!%p15 bra DONE;\n" + kTake + R"(setp.eq.u32 %p2, %r2, 1;
@%p2 atom.exch.release.gpu.global.b32 %r6, [%rd1], 0;
TAKE2:
ld.relaxed.gpu.global.u32 %r8, [%rd1];
setp.ne.u32 %p3, %r8, 0;
@%p3 bra TAKE2;
DONE:
)",
           "lock-not-released",
           {{0, 0}},
           {"lock"}});
}

TEST_CASE("locks in different order are a circle", "[causes]")
{
    check({"two locks",
           R"(@!%p15 bra DONE;
shl.b32 %r10, %r2, 6;
cvt.u64.u32 %rd2, %r10;
add.u64 %rd2, %rd1, %rd2;
xor.b32 %r11, %r10, 64;
cvt.u64.u32 %rd3, %r11;
add.u64 %rd3, %rd1, %rd3;
A:
atom.cas.acquire.gpu.global.b32 %r5, [%rd2], 0, 1; //HERE
setp.ne.u32 %p1, %r5, 0;
@%p1 bra A;
nanosleep.u32 4000;
B:
atom.cas.acquire.gpu.global.b32 %r5, [%rd3], 0, 1; //HERE
setp.ne.u32 %p1, %r5, 0;
@%p1 bra B;
atom.exch.release.gpu.global.b32 %r6, [%rd3], 0; //HERE
atom.exch.release.gpu.global.b32 %r6, [%rd2], 0; //HERE
DONE:
)",
           "cyclic-wait",
           {{0, 0}, {0, 1}},
           {"wait for each other"}});
}

TEST_CASE("flag-not-set", "[causes]")
{
    check({"nobody ever writes",
           R"(setp.eq.u32 %p1, %r2, 0;
@%p1 bra DONE;
S:
ld.acquire.gpu.global.u32 %r4, [%rd1]; //HERE
setp.ne.u32 %p2, %r4, 1;
@%p2 bra S;
DONE:
barrier.sync 0;
)",
           "flag-not-set",
           {{0, 1}},
           {"holds 0"}});
    check({"set to 1, polled for 2",
           R"(setp.eq.u32 %p1, %r2, 0;
@%p1 bra SET;
S:
ld.acquire.gpu.global.u32 %r4, [%rd1]; //HERE
setp.ne.u32 %p2, %r4, 2;
@%p2 bra S;
bra DONE;
SET:
mov.u32 %r8, 1;
@%p15 st.release.gpu.global.u32 [%rd1], %r8; //HERE
DONE:
)",
           "flag-not-set",
           {{0, 0}},
           {"holds 1", "wrote 1"}});
    check({"set next to it",
           R"(setp.eq.u32 %p1, %r2, 0;
@%p1 bra SET;
S:
ld.volatile.shared.u32 %r4, [word]; //HERE
setp.eq.u32 %p2, %r4, 0;
@%p2 bra S;
bra DONE;
SET:
mov.u32 %r8, 1;
@%p15 st.volatile.shared.u32 [word+4], %r8; //HERE
DONE:
)",
           "flag-not-set",
           {{0, 0}},
           {"holds 0"}});
}

TEST_CASE("lanes at an aligned barrier behind a spin are a hang, not a misuse", "[causes][BAR-031]")
{
    check({"thread 0 spins for a partner that never comes, the others are at the barrier",
           R"(@!%p0 bra JOIN;
S:
ld.volatile.global.u32 %r4, [%rd1]; //HERE
setp.eq.u32 %p2, %r4, 0;
@%p2 bra S;
JOIN:
bar.sync 0;
)",
           "flag-not-set",
           {{0, 0}},
           {"holds 0"},
           {32, 1, 1}});
}

}  // namespace gsu::test
