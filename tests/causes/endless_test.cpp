// Loops that wait for nothing, and mbarriers at which nobody arrives.
#include "causes/hang_case.hpp"

namespace gsu::test {

TEST_CASE("a loop without a way out is endless", "[causes]")
{
    check({"a branch to itself",
           "L:\nbra L; //HERE\n",
           "endless-loop",
           {{0, 0}, {0, 1}},
           {"has no way out", "warp 0 and warp 1 never leave it"}});
    check({"it works all the time, and others wait for it at the barrier",
           R"(setp.eq.u32 %p1, %r2, 0;
@%p1 bra DONE;
L:
st.shared.u32 [word], 5;
ld.volatile.global.u32 %r4, [%rd1];
nanosleep.u32 100;
bra L; //HERE
DONE:
barrier.sync 0;
)",
           "endless-loop",
           {{0, 1}},
           {"has no way out"}});
}

TEST_CASE("a loop that reads nothing and changes nothing is endless", "[causes]")
{
    check({"a condition that stays",
           R"(L:
add.u32 %r4, %r1, 1;
setp.ne.u32 %p1, %r4, 0;
@%p1 bra L; //HERE
)",
           "endless-loop",
           {{0, 0}, {0, 1}},
           {"reads no memory", "come back to the same values"}});
    check({"behind a load that is not repeated",
           R"(S:
ld.volatile.global.u32 %r4, [%rd1];
L:
setp.eq.u32 %p1, %r4, 0;
@%p1 bra L; //HERE
setp.eq.u32 %p2, %r4, 1;
@%p2 bra S;
)",
           "endless-loop",
           {{0, 0}, {0, 1}},
           {"reads no memory"}});
    check({"a parameter, which nobody writes",
           R"(L:
ld.param.u64 %rd2, [out];
setp.ne.u64 %p1, %rd2, 0;
@%p1 bra L; //HERE
)",
           "endless-loop",
           {{0, 0}, {0, 1}},
           {"reads no memory"}});
}

TEST_CASE("a loop that counts inside of one that polls is no endless one", "[causes]")
{
    check({"the flag of the outer loop",
           R"(S:
mov.u32 %r5, 0;
L:
add.u32 %r5, %r5, 1;
setp.lt.u32 %p1, %r5, 4;
@%p1 bra L;
ld.volatile.global.u32 %r4, [%rd1]; //HERE
setp.eq.u32 %p2, %r4, 0;
@%p2 bra S;
)",
           "flag-not-set",
           {{0, 0}},
           {"holds 0", "nobody writes it"},
           {32, 1, 1}});
}

TEST_CASE("an endless loop has no word, and its waits say so", "[causes]")
{
    std::string text;
    const RunResult r = hangOf({"itself", "L:\nbra L;\n", ""}, text);
    REQUIRE(r.hang);
    CHECK_FALSE(r.hang->cause->word);
    CHECK(r.hang->waiting.front().endless);
}

TEST_CASE("nobody ever arrives at an mbarrier", "[causes]")
{
    check({"init and wait, and no arrival",
           R"(@%p0 mbarrier.init.shared::cta.b64 [full], 1;
bar.sync 0;
W:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [full], 0; //HERE
@!%p7 bra W;
)",
           "missing-arrival",
           {},
           {"lacks 1 of 1 arrivals of phase 0", "nobody has ever arrived there"}});
}

}  // namespace gsu::test
