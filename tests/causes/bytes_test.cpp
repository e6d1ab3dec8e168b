// Bytes that do not come, or come elsewhere; objects begun anew.
#include "causes/hang_case.hpp"

namespace gsu::test {
namespace {

const std::string kCopy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes ";

/// Thread 0 announces and copies, everybody waits.
std::string tile(const std::string& announce, const std::string& copies)
{
    return "@%p0 mbarrier.init.shared::cta.b64 [full], 1;\nmov.u32 %r12, full;\nmov.u32 %r16, "
           "data;\n"
           "add.u32 %r17, %r16, 1024;\nbar.sync 0;\n@!%p0 bra W;\n" +
           announce + copies +
           "W:\nmbarrier.try_wait.parity.shared::cta.b64 %p7, [full], 0;\n@!%p7 bra W;\n";
}

}  // namespace

TEST_CASE("missing-bytes", "[causes]")
{
    check({"the second tile is too short",
           tile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 512; //HERE\n",
                kCopy + "[%r16], [%rd1], 256, [%r12];\n" + kCopy +
                    "[%r17], [%rd1], 128, [%r12]; //HERE\n"),
           "missing-bytes",
           {{0, 0}},
           {"128 bytes outstanding", "512", "384"}});
    check({"no copy at all",
           tile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 128; //HERE\n", ""),
           "missing-bytes",
           {{0, 0}},
           {"128 bytes outstanding"}});
    Ring guard;
    guard.copy = "setp.ne.u32 %p5, %r10, 3;\n@%p5 " + kCopy + "[%r16], [%rd1], 256, [%r12]; //HERE";
    guard.expect += " //HERE";
    check({"the copy of one round is guarded off",
           guard.text(),
           "missing-bytes",
           {{0, 0}},
           {"256 bytes outstanding", "full[1]"}});
}

TEST_CASE("surplus-bytes", "[causes]")
{
    check({"more comes than was announced",
           tile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 384; //HERE\n",
                kCopy + "[%r16], [%rd1], 512, [%r12]; //HERE\n"),
           "surplus-bytes",
           {{0, 0}},
           {"384", "512"}});
    check({"two copies, one announced",
           tile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 384; //HERE\n",
                kCopy + "[%r16], [%rd1], 256, [%r12]; //HERE\n" + kCopy +
                    "[%r17], [%rd1], 256, [%r12]; //HERE\n"),
           "surplus-bytes",
           {{0, 0}},
           {"384", "512"}});
}

TEST_CASE("double-expect", "[causes]")
{
    check({"expect_tx and arrive.expect_tx of one tile",
           tile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [full], 256; //HERE\n",
                kCopy + "[%r16], [%rd1], 256, [%r12];\nmbarrier.arrive.expect_tx.shared::cta.b64 "
                        "_, [full], 256; //HERE\n"),
           "double-expect",
           {{0, 0}},
           {"256", "512"}});
    Ring ring;
    ring.expect = "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r12], 256; //HERE\n"
                  "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r12], 256; //HERE";
    check({"both in a ring", ring.text(), "double-expect", {{0, 0}}, {"256", "512"}});
}

TEST_CASE("other-barrier", "[causes]")
{
    Ring aim;
    aim.copy = "mov.u32 %r18, full;\n" + kCopy + "[%r16], [%rd1], 256, [%r18]; //HERE";
    check({"every copy completes on the barrier of stage 0",
           aim.text(),
           "other-barrier",
           {{0, 0}},
           {"full[0]", "full[1]"}});
    Ring release;
    release.release =
        "mov.u32 %r18, empty;\n@%p15 mbarrier.arrive.shared::cta.b64 _, [%r18]; //HERE";
    check({"every release is of stage 0",
           release.text(),
           "other-barrier",
           {{0, 1}},
           {"empty[0]", "empty[1]"}});
    check({"an arrival at a barrier that nobody looks at",
           R"(@%p0 mbarrier.init.shared::cta.b64 [full], 32;
@%p0 mbarrier.init.shared::cta.b64 [full+8], 32;
bar.sync 0;
setp.eq.u32 %p1, %r2, 0;
@%p1 bra A;
W:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [full], 0; //HERE
@!%p7 bra W;
bra DONE;
A:
mbarrier.arrive.shared::cta.b64 _, [full+8]; //HERE
DONE:
)",
           "other-barrier",
           {{0, 1}},
           {"full[0]", "full[1]"}});
    check({"bar.arrive on another id",
           R"(setp.eq.u32 %p1, %r2, 0;
@%p1 bra A;
barrier.sync 1, 64;
bra DONE;
A:
barrier.arrive 2, 64; //HERE
DONE:
)",
           "other-barrier",
           {{0, 0}},
           {"barrier 1", "barrier 2"}});
}

TEST_CASE("reinitialised", "[causes]")
{
    check({"initialised again after the arrivals",
           R"(@%p0 mbarrier.init.shared::cta.b64 [full], 32;
bar.sync 0;
setp.eq.u32 %p1, %r2, 0;
@!%p1 bra B;
mbarrier.arrive.shared::cta.b64 _, [full];
bar.warp.sync -1;
@%p0 mbarrier.init.shared::cta.b64 [full], 32; //HERE
B:
bar.sync 0;
W:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [full], 0;
@!%p7 bra W;
)",
           "reinitialised",
           {{0, 0}},
           {"phase 0", "cycle"},
           {64, 1, 1},
           {1, 1, 1},
           {1, 1, 1},
           0,
           1,
           true});
    check({"half of the arrivals are lost",
           R"(@%p0 mbarrier.init.shared::cta.b64 [full], 64;
bar.sync 0;
setp.eq.u32 %p1, %r2, 0;
@!%p1 bra B;
mbarrier.arrive.shared::cta.b64 _, [full];
bar.warp.sync -1;
@%p0 mbarrier.inval.shared::cta.b64 [full]; //HERE
bar.warp.sync -1;
@%p0 mbarrier.init.shared::cta.b64 [full], 64; //HERE
bar.warp.sync -1;
barrier.sync 5, 64;
bra W;
B:
barrier.sync 5, 64;
mbarrier.arrive.shared::cta.b64 _, [full];
W:
mbarrier.try_wait.parity.shared::cta.b64 %p7, [full], 0;
@!%p7 bra W;
)",
           "reinitialised",
           {{0, 0}},
           {"cycle"},
           {64, 1, 1},
           {1, 1, 1},
           {1, 1, 1},
           0,
           1,
           true});
}

}  // namespace gsu::test
