// Arrivals that do not come.
#include "causes/hang_case.hpp"

namespace gsu::test {
namespace {

const std::string kInit = "@%p0 mbarrier.init.shared::cta.b64 [full], ${N};\nbar.sync 0;\n";
std::string init(const std::string& n) { return replaced(kInit, "${N}", n); }
const std::string kWait0 =
    "W:\nmbarrier.try_wait.parity.shared::cta.b64 %p7, [full], 0;\n@!%p7 bra W;\n";

}  // namespace

TEST_CASE("left-loop-early", "[causes]")
{
    Ring fewer;
    fewer.producerRounds = "2";
    fewer.consumerRounds = "4";
    fewer.leaveProducer = "@%p3 bra PL; //HERE";
    check({"a producer of fewer rounds than the consumer wants",
           fewer.text(),
           "left-loop-early",
           {{0, 0}},
           {"lacks 1 of 1 arrivals of phase 1", "after 2 rounds", "round 3"}});
    Ring consumer;
    consumer.stages = 3;
    consumer.producerRounds = "9";
    consumer.consumerRounds = "4";
    consumer.leaveConsumer = "@%p3 bra CL; //HERE";
    check({"a consumer of fewer rounds",
           consumer.text(),
           "left-loop-early",
           {{0, 1}},
           {"after 4 rounds", "ring of 3 stages"}});
    Ring breaks;
    breaks.afterWait = "setp.eq.u32 %p4, %r10, 3;\n@%p4 bra DONE; //HERE";
    check({"a consumer that breaks out",
           breaks.text(),
           "left-loop-early",
           {{0, 1}},
           {"after 3 rounds"}});
    check({"a barrier of two warps of which one makes fewer rounds",
           R"(mov.u32 %r10, 0;
add.u32 %r11, %r2, 3;
L:
barrier.sync 4, 64;
add.u32 %r10, %r10, 1;
setp.lt.u32 %p1, %r10, %r11;
@%p1 bra L; //HERE
)",
           "left-loop-early",
           {{0, 0}},
           {"32 of 64", "after 3 rounds"}});
}

TEST_CASE("exited-arriver: lanes of a warp whose other lanes arrive", "[causes]")
{
    const std::string arrive = "mbarrier.arrive.shared::cta.b64 _, [full]; //ARRIVE\n";
    check({"one lane returns before its arrival",
           init("64") + "setp.eq.u32 %p1, %r1, 40;\n@%p1 ret; //HERE\n" + arrive + kWait0,
           "exited-arriver",
           {{0, 1}},
           {"lacks 1 of 64 arrivals of phase 0", "1 lane of warp 1 exited at"}});
    check({"lanes of both warps exit",
           init("64") + "setp.gt.u32 %p1, %r3, 28;\n@%p1 exit; //HERE\n" + arrive + kWait0,
           "exited-arriver",
           {{0, 0}, {0, 1}},
           {"lacks 6 of 64 arrivals of phase 0", "6 lanes of warp 0 and warp 1 exited"}});
    // With a count that is larger than all threads the lane that has exited is not the reason.
    check({"a lane exits, and the count is larger than that",
           "@%p0 mbarrier.init.shared::cta.b64 [full], 80; //HERE\nbar.sync 0;\n"
           "setp.eq.u32 %p1, %r1, 40;\n@%p1 ret;\n" +
               arrive + kWait0,
           "count-too-large",
           {},
           {"lacks 17 of 80"}});
}

TEST_CASE("exited-arriver", "[causes]")
{
    check({"a warp returns before its arrival",
           init("64") +
               "setp.eq.u32 %p1, %r2, 1;\n@%p1 ret; //HERE\nmbarrier.arrive.shared::cta.b64 _, "
               "[full];\n" +
               kWait0,
           "exited-arriver",
           {{0, 1}},
           {"lacks 32 of 64 arrivals of phase 0", "warp 1 exited"}});
    check({"an arriver leaves by a branch to the end",
           init("2") + R"(setp.eq.u32 %p1, %r2, 0;
@%p1 bra WAIT;
ld.global.u32 %r5, [%rd1];
setp.eq.u32 %p2, %r5, 0;
@%p2 bra END; //HERE
@%p15 mbarrier.arrive.shared::cta.b64 _, [full];
bra END;
WAIT:
@%p15 mbarrier.arrive.shared::cta.b64 _, [full];
)" + kWait0 + "END:\nret; //HERE\n",
           "exited-arriver",
           {{0, 1}},
           {"lacks 1 of 2 arrivals"}});
    check({"a warp returns before a barrier with a count",
           "setp.eq.u32 %p1, %r2, 2;\n@%p1 exit; //HERE\nbarrier.sync 3, 96;\n",
           "exited-arriver",
           {{0, 2}},
           {"64 of 96", "warp 2"},
           {96, 1, 1}});
}

TEST_CASE("missing-arrival", "[causes]")
{
    Ring guard;
    guard.stages = 4;
    guard.producerRounds = guard.consumerRounds = "12";
    guard.release = "setp.ne.u32 %p5, %r11, 3;\nand.pred %p5, %p5, %p15;\n@%p5 "
                    "mbarrier.arrive.shared::cta.b64 _, [%r13]; //HERE";
    check({"stage 3 is never released",
           guard.text(),
           "missing-arrival",
           {{0, 1}},
           {"empty[3]", "lacks 1 of 1 arrivals of phase 0", "warp 1"}});
    Ring once;
    once.release = "setp.ne.u32 %p5, %r10, 2;\nand.pred %p5, %p5, %p15;\n@%p5 "
                   "mbarrier.arrive.shared::cta.b64 _, [%r13]; //HERE";
    check({"the third round is not released",
           once.text(),
           "missing-arrival",
           {{0, 1}},
           {"empty[0]"}});
    check({"a branch around a counted barrier",
           R"(setp.eq.u32 %p1, %r2, 2;
@%p1 bra SKIP; //HERE
barrier.sync 3, 96;
SKIP:
barrier.sync 0;
)",
           "missing-arrival",
           {{0, 2}},
           {"64 of 96"},
           {96, 1, 1}});
    check(
        {"nobody's guard is true",
         init("1") +
             "setp.eq.u32 %p1, %r1, 99;\n@%p1 mbarrier.arrive.shared::cta.b64 _, [full]; //HERE\n" +
             kWait0,
         "missing-arrival",
         {{0, 0}, {0, 1}},
         {"lacks 1 of 1"}});
}

TEST_CASE("count-too-large", "[causes]")
{
    check({"one more than there are threads",
           "@%p0 mbarrier.init.shared::cta.b64 [full], 65; //HERE\nbar.sync "
           "0;\nmbarrier.arrive.shared::cta.b64 _, [full];\n" +
               kWait0,
           "count-too-large",
           {},
           {"lacks 1 of 65 arrivals", "64"}});
    check({"a barrier for 128 in a block of 96",
           "barrier.sync 1, 128; //HERE\n",
           "count-too-large",
           {},
           {"96", "128"},
           {96, 1, 1}});
    check({"a hand-made barrier of three where two take part",
           R"(@!%p15 bra DONE;
atom.add.release.gpu.global.u32 %r5, [%rd1], 1;
S:
ld.acquire.gpu.global.u32 %r6, [%rd1]; //HERE
setp.lt.u32 %p1, %r6, 3;
@%p1 bra S;
DONE:
)",
           "count-too-large",
           {},
           {"holds 2", "3"}});
}

}  // namespace gsu::test
