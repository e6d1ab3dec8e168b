// The same causes in other shapes, and what a report says beside them.
#include "causes/hang_case.hpp"

namespace gsu::test {
namespace {

/// A barrier of all CTAs in a global word, in rounds; %r10 counts them. `leave`: what a CTA does before a round.
std::string gridBarrier(const std::string& leave, const std::string& rounds = "4")
{
    return R"(@!%p0 bra DONE;
mov.u32 %r10, 0;
mov.u32 %r7, %nctaid.x;
L:
)" + leave +
           R"(
atom.add.release.gpu.global.u32 %r5, [%rd1], 1;
add.u32 %r10, %r10, 1;
mul.lo.u32 %r8, %r10, %r7;
S:
ld.acquire.gpu.global.u32 %r6, [%rd1]; //POLL
setp.lt.u32 %p1, %r6, %r8;
@%p1 bra S;
setp.lt.u32 %p2, %r10, )" +
           rounds + R"(;
@%p2 bra L;
DONE:
)";
}

}  // namespace

TEST_CASE("a CTA leaves a grid barrier", "[causes]")
{
    check({"before its first arrival",
           gridBarrier("setp.eq.u32 %p3, %r61, 1;\n@%p3 ret; //HERE"),
           "exited-arriver",
           {{1, 0}},
           {"holds 2"},
           {32, 1, 1},
           {3, 1, 1}});
    check({"after two rounds",
           gridBarrier("setp.eq.u32 %p3, %r61, 1;\nsetp.eq.u32 %p4, %r10, 2;\nand.pred %p3, %p3, "
                       "%p4;\n@%p3 bra DONE; //HERE"),
           "left-loop-early",
           {{1, 0}},
           {"after 2 rounds"},
           {32, 1, 1},
           {3, 1, 1}});
}

TEST_CASE("rings with wrong counts", "[causes]")
{
    Ring two;
    two.emptyCount = "2";
    check({"empty barriers for two consumers, one there",
           replaced(two.text(), "[empty+0], 2;", "[empty+0], 2; //HERE"),
           "count-too-large",
           {},
           {"lacks 1 of 2", "empty[0]"}});
    Ring lanes;
    lanes.emptyCount = "32";
    lanes.release = "@%p15 mbarrier.arrive.shared::cta.b64 _, [%r13]; //HERE";
    check({"a count of lanes, and one lane that arrives",
           lanes.text(),
           "missing-arrival",
           {{0, 1}},
           {"lacks 31 of 32", "31 lanes"}});
}

TEST_CASE("a producer whose parity flips too often", "[causes]")
{
    Ring often;
    often.stages = 3;
    often.producerWait = " //HERE";
    check({"with each stage, not with each round of the ring",
           replaced(often.text(), "xor.b32 %r14, %r14, 1;",
                    "and.b32 %r14, %r10, 1;\nxor.b32 %r14, %r14, 1;"),
           "wrong-phase",
           {{0, 0}},
           {"phase 0", "empty[1]"}});
}

TEST_CASE("elected lanes", "[causes]")
{
    Ring ring;
    ring.release =
        "elect.sync _|%p6, 0xffffffff;\nsetp.lt.u32 %p5, %r10, 3;\nand.pred %p6, %p6, %p5;\n"
        "@%p6 mbarrier.arrive.shared::cta.b64 _, [%r13]; //HERE";
    ring.producerRounds = ring.consumerRounds = "12";
    check({"an elected lane that stops to release",
           ring.text(),
           "missing-arrival",
           {{0, 1}},
           {"empty[1]", "warp 1"}});
    Ring left;
    left.producerRounds = "3";
    left.consumerRounds = "5";
    left.leaveProducer = "@%p3 bra PL; //HERE";
    check({"an elected producer that stops",
           replaced(left.text(), "@!%p15 bra DONE;",
                    "elect.sync _|%p6, 0xffffffff;\n@!%p6 bra DONE;"),
           "left-loop-early",
           {{0, 0}},
           {"after 3 rounds", "full[1]"}});
}

TEST_CASE("a remote arrival goes to the wrong CTA of four", "[causes]")
{
    check({"rank 2 for rank 1",
           R"(@%p0 mbarrier.init.shared::cta.b64 [full], 1;
fence.mbarrier_init.release.cluster;
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
setp.eq.u32 %p1, %r60, 0;
@!%p1 bra W;
mov.u32 %r4, full;
mov.u32 %r10, 1;
SEND:
max.u32 %r6, %r10, 2; //HERE
mapa.shared::cluster.u32 %r5, %r4, %r6; //HERE
@%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5]; //HERE
add.u32 %r10, %r10, 1;
setp.lt.u32 %p2, %r10, 4;
@%p2 bra SEND;
bra DONE;
W:
mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p7, [full], 0;
@!%p7 bra W;
DONE:
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
)",
           "other-cta",
           {{0, 0}},
           {"CTA 1", "CTA 2"},
           {32, 1, 1},
           {4, 1, 1},
           {4, 1, 1},
           0,
           1,
           true});
}

TEST_CASE("an arrival from another CTA is told with its line and its warp", "[causes][MBAR-003]")
{
    const HangCase c{"more arrivals than are pending",
                     R"(@%p0 mbarrier.init.shared::cta.b64 [full], 2;
fence.mbarrier_init.release.cluster;
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
setp.eq.u32 %p1, %r60, 1;
setp.eq.u32 %p2, %r1, 32;
and.pred %p1, %p1, %p2;
mov.u32 %r6, 0;
mov.u32 %r4, full;
mapa.shared::cluster.u32 %r5, %r4, %r6;
@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5], 3; //HERE
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
)",
                     "",
                     {},
                     {},
                     {64, 1, 1},
                     {2, 1, 1},
                     {2, 1, 1}};
    std::string text;
    const RunResult r = hangOf(c, text);
    CAPTURE(text);
    REQUIRE(r.findings.size() == 1);
    CHECK(r.findings[0].rule == "MBAR-003");
    CHECK(marked(text).contains(r.findings[0].line));
    CHECK(r.findings[0].cta == 1);
    CHECK(r.findings[0].warp == 1);
}

TEST_CASE("missing names neither who has arrived nor who has nothing to do with it", "[causes]")
{
    const HangCase c{"three of four roles",
                     R"(@%p0 mbarrier.init.shared::cta.b64 [full], 2;
bar.sync 0;
setp.eq.u32 %p1, %r2, 0;
@%p1 bra W;
setp.eq.u32 %p2, %r2, 3;
@%p2 bra SPARE;
setp.eq.u32 %p3, %r2, 2;
@%p3 ret; //HERE
@%p15 mbarrier.arrive.shared::cta.b64 _, [full];
bra DONE;
W:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [full], 0;
@!%p7 bra W;
bra DONE;
SPARE:
mov.u32 %r9, 1;
DONE:
)",
                     "exited-arriver",
                     {{0, 2}},
                     {"lacks 1 of 2"},
                     {128, 1, 1}};
    std::string text;
    const RunResult r = hangOf(c, text);
    CAPTURE(text);
    REQUIRE(r.hang);
    for (const auto& m : r.hang->missing) {
        CAPTURE(m.warp, m.why);
        CHECK(m.warp != 1);
        CHECK(m.warp != 3);
    }
}

TEST_CASE("the line of a spin is that of the load that polls", "[causes]")
{
    std::string text;
    const RunResult r = hangOf({"a long loop", R"(S:
add.u32 %r9, %r9, 0;
ld.acquire.gpu.global.u32 %r4, [%rd1]; //HERE
mul.lo.u32 %r8, %r4, 3;
setp.eq.u32 %p2, %r8, 0;
@%p2 bra S;
)",
                                "flag-not-set"},
                               text);
    CAPTURE(text);
    REQUIRE(r.hang);
    for (const auto& w : r.hang->waiting) CHECK(marked(text).contains(w.line));
}

TEST_CASE("causes that do not depend on each other are told apart", "[causes]")
{
    std::string text;
    const RunResult r = hangOf({"two CTAs, two bugs",
                                R"(@%p0 mbarrier.init.shared::cta.b64 [full], 1;
bar.sync 0;
setp.eq.u32 %p1, %r61, 1;
@%p1 bra OTHER;
barrier.sync 1, 128;
bra DONE;
OTHER:
@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 64;
W:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [full], 0;
@!%p7 bra W;
DONE:
)",
                                "",
                                {},
                                {},
                                {64, 1, 1},
                                {2, 1, 1}},
                               text);
    CAPTURE(text);
    REQUIRE(r.hang);
    REQUIRE(r.hang->cause);
    REQUIRE(r.hang->cause->others.size() == 1);
    CHECK(std::set<std::string>{r.hang->cause->kind, r.hang->cause->others[0].kind} ==
          std::set<std::string>{"count-too-large", "missing-bytes"});
}

}  // namespace gsu::test
