// Bytes and arrivals that look like one cause and are another one.
#include "causes/hang_case.hpp"

namespace gsu::test {
namespace {

const std::string kCopy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes ";
const std::string kExpect = "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [full], 256;";
const std::string kArriveExpect = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 256;";
const std::string kCopy0 = kCopy + "[%r16], [%rd1], 256, [%r12];";
const std::string kCopy1 = kCopy + "[%r17], [%rd1], 256, [%r12];";
const std::string kWait =
    "W:\nmbarrier.try_wait.parity.shared::cta.b64 %p7, [full], 0;\n@!%p7 bra W;\n";

/// Thread 0 does this, everybody waits for full[0]. %p5 is false.
std::string byOne(const std::string& text)
{
    return "@%p0 mbarrier.init.shared::cta.b64 [full], 1;\n@%p0 mbarrier.init.shared::cta.b64 "
           "[full+8], 1;\nmov.u32 %r12, full;\n"
           "add.u32 %r13, %r12, 8;\nmov.u32 %r16, data;\nadd.u32 %r17, %r16, 1024;\nsetp.ne.u32 "
           "%p5, %r1, %r1;\nbar.sync 0;\n"
           "@!%p0 bra W;\n" +
           text + kWait;
}

}  // namespace

TEST_CASE("bytes that nobody announced", "[causes]")
{
    check({"a copy without expect_tx",
           byOne(kCopy0 +
                 " //HERE\nnanosleep.u32 9000;\nmbarrier.arrive.shared::cta.b64 _, [full];\n"),
           "surplus-bytes",
           {{0, 0}},
           {"0 bytes were announced", "256 came"},
           {64, 1, 1},
           {1, 1, 1},
           {1, 1, 1},
           0,
           1,
           true,
           true});
}

TEST_CASE("a copy that was passed with its guard false", "[causes]")
{
    check({"of two announced copies, the second",
           byOne(kExpect + " //HERE\n" + kArriveExpect + " //HERE\n" + kCopy0 + "\n@%p5 " + kCopy1 +
                 " //HERE\n"),
           "missing-bytes",
           {{0, 0}},
           {"announced 512 bytes", "256 came", "was passed with its guard false"},
           {64, 1, 1},
           {1, 1, 1},
           {1, 1, 1},
           0,
           1,
           false,
           true});
    check({"the only one",
           byOne(kArriveExpect + " //HERE\n@%p5 " + kCopy0 + " //HERE\n"),
           "missing-bytes",
           {{0, 0}},
           {"no copy brought any, the copy at line", "was passed with its guard false"}});
}

TEST_CASE("what is announced twice is not always one time too often", "[causes]")
{
    check({"three announcements for two copies",
           byOne(kExpect + "\n" + kExpect + "\n" + kArriveExpect + " //HERE\n" + kCopy0 + "\n" +
                 kCopy1 + "\n"),
           "missing-bytes",
           {{0, 0}},
           {"announced 768 bytes", "512 came"}});
    Ring ring;
    ring.expect = "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r12], 128;\n"
                  "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r12], 128; //HERE";
    ring.copy = kCopy +
                "[%r16], [%rd1], 128, [%r12];\nsetp.eq.u32 %p6, %r10, 4;\n@%p6 bra SKIP;\n" +
                kCopy + "[%r16], [%rd1], 128, [%r12];\nSKIP:\n";
    check({"a ring whose earlier rounds had both",
           ring.text(),
           "missing-bytes",
           {{0, 0}},
           {"announced 256 bytes", "128 came"}});
}

TEST_CASE("bytes at another barrier of the CTA", "[causes]")
{
    const std::string other = kCopy + "[%r16], [%rd1], 256, [%r13];";
    check({"which nobody looks at",
           byOne(kArriveExpect + "\n" + other + " //HERE\n"),
           "other-barrier",
           {{0, 0}},
           {"256 bytes of warp 0", "reached full[1]"}});
    check({"which has announced bytes itself and is looked at",
           byOne(kArriveExpect +
                 " //HERE\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [full+8], 256;\n" + other +
                 "\n"
                 "V:\nmbarrier.try_wait.parity.shared::cta.b64 %p7, [full+8], 0;\n@!%p7 bra V;\n"),
           "missing-bytes",
           {{0, 0}},
           {"no copy brought any"}});
    check({"two copies for the one, none for the other",
           byOne(kArriveExpect + "\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [full+8], 256;\n" +
                 other + " //HERE\n" + other + " //HERE\n"),
           "other-barrier",
           {{0, 0}},
           {"reached full[1]"}});
}

TEST_CASE("an arrival at another barrier that needs it is no stray", "[causes]")
{
    check({"it has a waiter and lacks one more",
           R"(@%p0 mbarrier.init.shared::cta.b64 [full], 1;
@%p0 mbarrier.init.shared::cta.b64 [full+8], 2;
bar.sync 0;
setp.eq.u32 %p1, %r2, 0;
@%p1 bra W;
setp.eq.u32 %p1, %r2, 1;
@%p1 bra V;
@%p15 mbarrier.arrive.shared::cta.b64 _, [full+8];
bra DONE;
V:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [full+8], 0;
@!%p7 bra V;
bra DONE;
W:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [full], 0; //HERE
@!%p7 bra W;
DONE:
)",
           "missing-arrival",
           {},
           {"nobody has ever arrived there"},
           {96, 1, 1}});
    check({"two warps at one barrier, one at the other",
           R"(setp.eq.u32 %p1, %r2, 2;
@%p1 bra B;
barrier.sync 1, 96;
bra DONE;
B:
barrier.sync 2, 96; //HERE
DONE:
)",
           "other-barrier",
           {{0, 2}},
           {"barrier 1 of CTA 0 is not complete (64 of 96", "warp 2 came to barrier 2"},
           {96, 1, 1}});
}

TEST_CASE("an init after everybody has seen the phases is no cause", "[causes]")
{
    check({"inval and init between two uses, and an arrival too few in the second",
           R"(@%p0 mbarrier.init.shared::cta.b64 [full], 64;
bar.sync 0;
mbarrier.arrive.shared::cta.b64 _, [full];
V:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [full], 0;
@!%p7 bra V;
bar.sync 0;
@%p0 mbarrier.inval.shared::cta.b64 [full];
@%p0 mbarrier.init.shared::cta.b64 [full], 64;
bar.sync 0;
setp.eq.u32 %p1, %r2, 1;
@%p1 ret; //HERE
mbarrier.arrive.shared::cta.b64 _, [full];
)" + kWait,
           "exited-arriver",
           {{0, 1}},
           {"lacks 32 of 64 arrivals of phase 0"}});
}

TEST_CASE("arrivals by a count of its own", "[causes]")
{
    check({"one lane arrives for two in each of two rounds",
           R"(@%p0 mbarrier.init.shared::cta.b64 [full], 2;
bar.sync 0;
setp.eq.u32 %p1, %r2, 1;
@%p1 bra C;
mov.u32 %r10, 0;
R:
@%p15 mbarrier.arrive.release.cta.shared::cta.b64 _, [full], 2; //HERE
add.u32 %r10, %r10, 1;
setp.lt.u32 %p3, %r10, 2;
@%p3 bra R;
barrier.arrive 3, 64;
bra DONE;
C:
barrier.sync 3, 64;
)" + kWait + "DONE:\n",
           "extra-arrival",
           {{0, 0}},
           {"(count 2)"},
           {64, 1, 1},
           {1, 1, 1},
           {1, 1, 1},
           0,
           1,
           true});
}

TEST_CASE("a wait by a state token asks for the phase of the token", "[causes]")
{
    check({"the token of an arrival whose phase lacks another one",
           R"(@%p0 mbarrier.init.shared::cta.b64 [full], 65; //HERE
bar.sync 0;
mbarrier.arrive.shared::cta.b64 %rd5, [full];
T:
mbarrier.test_wait.shared::cta.b64 %p7, [full], %rd5;
@!%p7 bra T;
)",
           "count-too-large",
           {},
           {"lacks 1 of 65"}});
    check({"in phase 1, by try_wait",
           R"(@%p0 mbarrier.init.shared::cta.b64 [full], 64; //HERE
bar.sync 0;
mbarrier.arrive.shared::cta.b64 %rd5, [full];
T:
mbarrier.try_wait.shared::cta.b64 %p7, [full], %rd5;
@!%p7 bra T;
setp.eq.u32 %p1, %r2, 1;
@%p1 ret; //HERE
mbarrier.arrive.shared::cta.b64 %rd5, [full];
U:
mbarrier.test_wait.shared::cta.b64 %p7, [full], %rd5;
@!%p7 bra U;
)",
           "exited-arriver",
           {{0, 1}},
           {"lacks 32 of 64 arrivals of phase 1"}});
}

TEST_CASE("two stages that copy for each other, and each waits first", "[causes]")
{
    const auto stage = [](const std::string& label, const std::string& mine,
                          const std::string& theirs) {
        return label + "L:\n" + label + "W:\nmbarrier.try_wait.parity.shared::cta.b64 %p7, [" +
               mine + "], 0; //HERE\n@!%p7 bra " + label +
               "W;\n@%p15 mbarrier.arrive.expect_tx.shared::cta.b64 _, [" + theirs +
               "], 256;\n@%p15 " + kCopy + "[%r16], [%rd1], 256, [" +
               (theirs == "full" ? "%r12" : "%r13") +
               "];\nadd.u32 %r10, %r10, 1;\nsetp.lt.u32 %p3, %r10, 4;\n@%p3 bra " + label +
               "L;\nbra DONE;\n";
    };
    check({"equal outputs",
           "@%p0 mbarrier.init.shared::cta.b64 [full], 1;\n@%p0 mbarrier.init.shared::cta.b64 "
           "[full+8], 1;\nmov.u32 %r12, full;\n"
           "add.u32 %r13, %r12, 8;\nmov.u32 %r16, data;\nmov.u32 %r10, 0;\nbar.sync "
           "0;\nsetp.eq.u32 %p1, %r2, 1;\n@%p1 bra BL;\n" +
               stage("A", "full", "full+8") + stage("B", "full+8", "full") + "DONE:\n",
           "cyclic-wait",
           {{0, 0}, {0, 1}},
           {"would give at"}});
}

}  // namespace gsu::test
