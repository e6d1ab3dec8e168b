// Directed tests of gsu_lane_join through the ports of gsu_sm: which lanes meet, what goes out, who is answered.
#include "testbench.hpp"

using namespace testbench;

namespace {
constexpr Lanes kLow = 0x0000'ffff, kHigh = 0xffff'0000;
}

TEST_CASE("a diverged warp arrives when its last lane does", "[BAR-010][BAR-032][D-12]")
{
    Testbench b;
    b.launch(64);
    b.present(Op::BarSync, 0, kLow, 3);
    b.run();
    CHECK(b.seen.of(Unit::Named).empty());
    const auto tag = b.present(Op::BarSync, 0, kHigh, 3);
    b.run();
    REQUIRE(b.seen.of(Unit::Named).size() == 1);
    CHECK(b.seen.of(Unit::Named)[0].lanes == kAll);
    CHECK(b.seen.of(Unit::Named)[0].tag == tag);
    CHECK(b.seen.releases.empty());
    b.present(Op::BarSync, 1, kAll, 3);
    b.run();
    REQUIRE(b.seen.releases.size() == 1);
    CHECK(b.seen.releases[0].warps == 3);
}

TEST_CASE("lanes at different ids never meet, at equal effective counts they do",
          "[BAR-032][D-08][D-12]")
{
    Testbench b;
    b.launch(64);
    b.present(Op::BarSync, 0, kLow, 1);
    b.present(Op::BarSync, 0, kHigh & ~(1u << 31), 2);
    b.run();
    CHECK(b.seen.of(Unit::Named).empty());
    b.present(Op::BarSync, 1, kLow, 1, 0);
    b.present(Op::BarSync, 1, kHigh, 1, 64);  // 0 means 32 x 2 warps
    b.run();
    REQUIRE(b.seen.of(Unit::Named).size() == 1);
    CHECK(b.seen.of(Unit::Named)[0].at.warp == 1);
    b.present(Op::BarSync, 0, 1u << 31, 1);  // joins the first group, not the second
    b.run();
    CHECK(b.seen.of(Unit::Named).size() == 1);
}

TEST_CASE("the exit of the last missing lane completes the join", "[BAR-010][D-12]")
{
    Testbench b;
    b.launch(32);
    b.present(Op::BarSync, 0, kAll & ~2u, 0);
    b.run();
    CHECK(b.seen.of(Unit::Named).empty());
    b.exit(0, 2);
    b.run();
    REQUIRE(b.seen.of(Unit::Named).size() == 1);
    CHECK(b.seen.of(Unit::Named)[0].lanes == (kAll & ~2u));
    CHECK(b.seen.of(Unit::Named)[0].src == Src::Exit);
    REQUIRE(b.seen.releases.size() == 1);
}

TEST_CASE("arrive lanes resume at the warp's arrival, sync lanes at the release", "[BAR-012][D-12]")
{
    Testbench b;
    b.launch(64);
    b.present(Op::BarArrive, 0, kLow, 5, 64);
    b.run();
    CHECK(b.seen.responses.empty());
    b.present(Op::BarSync, 0, kHigh, 5, 64);
    b.run();
    REQUIRE(b.seen.responses.size() == 1);
    CHECK(b.seen.responses[0].lanes == kLow);
    CHECK(b.seen.releases.empty());
    b.present(Op::BarSync, 1, kAll, 5, 64);
    b.run();
    REQUIRE(b.seen.releases.size() == 2);  // whole warps together, what waits of a warp by itself
    CHECK(b.seen.releases[0].warps == 2);
    CHECK(b.seen.releases[0].lanes == kAll);
    CHECK(b.seen.releases[1].warps == 1);
    CHECK(b.seen.releases[1].lanes == kHigh);
}

TEST_CASE("reduction predicates of all parts of a warp are folded", "[BAR-017][BAR-018][D-14]")
{
    Testbench b;
    b.launch(32);
    b.present(Op::BarRedPopc, 0, 0xff, 0, 0, false, 0x0f);
    b.present(Op::BarRedPopc, 0, 0xff00, 0, 0, false, 0x0100);
    b.present(Op::BarRedPopc, 0, kHigh, 0, 0, false, kAll);
    b.run();
    REQUIRE(b.seen.releases.size() == 1);
    CHECK(b.seen.releases[0].popc == 4 + 1 + 16);
}

TEST_CASE("an aligned form by a part of the warp is reported and arrives at once",
          "[BAR-031][D-13]")
{
    Testbench b;
    b.launch(64);
    b.present(Op::BarSync, 0, kLow, 0, 0, true);
    b.run();
    const auto named = b.seen.of(Unit::Named);
    REQUIRE(named.size() == 1);
    CHECK(named[0].lanes == kLow);
    CHECK((named[0].errs & 1u << kNbErrDiverged) != 0);
    CHECK_FALSE(named[0].refused);
}

TEST_CASE("operands out of range are refused at once, without waiting for other lanes",
          "[BAR-002][BAR-006][BAR-007][D-16]")
{
    Testbench b;
    b.launch(64);
    b.present(Op::BarSync, 0, kLow, 16);
    b.present(Op::BarSync, 0, kHigh, 1, 33);
    b.run();
    b.present(Op::BarArrive, 1, kLow, 1, 0);
    b.run();
    const auto named = b.seen.of(Unit::Named);
    REQUIRE(named.size() == 3);
    CHECK(named[0].errs == 1u << kNbErrId);
    CHECK(named[1].errs == 1u << kNbErrCount);
    CHECK(named[2].errs == 1u << kNbErrArriveZero);
    REQUIRE(b.seen.responses.size() == 3);
    for (const SyncResponse& response : b.seen.responses) {
        CHECK(response.cause == Cause::Refused);
    }
}

TEST_CASE("warp sync: parts with the same mask meet, disjoint masks do not disturb each other",
          "[BWS-004][BWS-005][D-18]")
{
    Testbench b;
    b.launch(32);
    b.present(Op::WarpSync, 0, 0x1, 0x3);
    b.present(Op::WarpSync, 0, 0x4, 0xc);
    b.run();
    CHECK(b.seen.responses.empty());
    const auto tag = b.present(Op::WarpSync, 0, 0x8, 0xc);
    b.run();
    REQUIRE(b.seen.responses.size() == 1);
    CHECK(b.seen.responses[0].lanes == 0xc);
    CHECK(b.seen.responses[0].tag == tag);
    b.present(Op::WarpSync, 0, 0x2, 0x3);
    b.run();
    REQUIRE(b.seen.responses.size() == 2);
    CHECK(b.seen.responses[1].lanes == 0x3);
    for (const Commit& commit : b.seen.of(Unit::WarpSync)) {
        CHECK(commit.errs == 0);
    }
}

TEST_CASE("warp sync: overlapping unequal masks never meet", "[BWS-011]")
{
    Testbench b;
    b.launch(32);
    b.present(Op::WarpSync, 0, 0x1, 0x3);
    b.present(Op::WarpSync, 0, 0x2, 0x7);
    b.run();
    CHECK(b.seen.responses.empty());
    CHECK(b.seen.of(Unit::WarpSync).empty());
}

TEST_CASE("warp sync: a lane outside its own mask is refused, the others go on", "[BWS-003][D-03]")
{
    Testbench b;
    b.launch(32);
    b.present(Op::WarpSync, 0, 0x7, 0x0b);  // lane 2 is outside, lane 3 is missing
    b.run();
    REQUIRE(b.seen.responses.size() == 1);
    CHECK(b.seen.responses[0].lanes == 0x4);
    CHECK(b.seen.responses[0].cause == Cause::Refused);
    CHECK_FALSE(b.seen.responses[0].last);
    REQUIRE(b.seen.of(Unit::WarpSync).size() == 1);
    CHECK(b.seen.of(Unit::WarpSync)[0].errs == 1u << kWsErrOutside);
    b.present(Op::WarpSync, 0, 0x8, 0x0b);
    b.run();
    REQUIRE(b.seen.responses.size() == 2);
    CHECK(b.seen.responses[1].lanes == 0xb);
}

TEST_CASE("warp sync: lanes that never existed are silent, exited ones reported",
          "[BWS-010][D-19][D-20]")
{
    Testbench b;
    b.launch(40);
    b.present(Op::WarpSync, 1, 0xff, kAll);  // 8 threads in the second warp
    b.run();
    REQUIRE(b.seen.of(Unit::WarpSync).size() == 1);
    CHECK(b.seen.of(Unit::WarpSync)[0].errs == 0);
    b.present(Op::WarpSync, 1, 0x7f, kAll);
    b.run();
    CHECK(b.seen.of(Unit::WarpSync).size() == 1);
    b.exit(1, 0x80);
    b.run();
    REQUIRE(b.seen.of(Unit::WarpSync).size() == 2);
    CHECK(b.seen.of(Unit::WarpSync)[1].errs == 1u << kWsErrExited);
    CHECK(b.seen.of(Unit::WarpSync)[1].src == Src::Exit);
    CHECK(b.seen.responses.size() == 2);
}

TEST_CASE("warp sync answers after its latency, refusals at once", "[BWS-004]")
{
    Config config = configOf(Preset::Hopper);
    REQUIRE(setParameter(config, "warp_sync_lat=100").empty());
    Testbench b(config);
    b.launch(32);
    b.present(Op::WarpSync, 0, 0x3, 0x1);
    b.run();
    REQUIRE(b.seen.responses.size() == 2);
    CHECK(b.seen.responses[0].cause == Cause::Refused);
    CHECK(b.seen.responses[1].cause == Cause::Done);
    CHECK(b.seen.responses[1].cycle - b.seen.of(Unit::WarpSync)[1].cycle == 100);
}

TEST_CASE("cluster arrive and wait are joined apart, an aligned part is refused",
          "[CLU-008][CLU-015][D-51]")
{
    Testbench b;
    b.launch(32);
    b.present(Op::ClusterArrive, 0, kLow, 0, 0, true);
    b.run();
    REQUIRE(b.seen.of(Unit::Cluster).size() >= 1);
    CHECK(b.seen.of(Unit::Cluster).back().refused);
    b.seen.clear();
    b.present(Op::ClusterArrive, 0, kLow);
    b.run();
    CHECK(b.seen.of(Unit::Cluster).empty());
    b.present(Op::ClusterArrive, 0, kHigh);
    b.run();
    REQUIRE(b.seen.responses.size() == 1);
    CHECK(b.seen.responses[0].lanes == kAll);
    b.present(Op::ClusterWait, 0, kHigh);
    b.run();
    CHECK(b.seen.releases.empty());
    b.present(Op::ClusterWait, 0, kLow);
    b.run();
    REQUIRE(b.seen.releases.size() == 1);
    CHECK(b.seen.releases[0].cluster);
}

TEST_CASE("32 groups of one warp wait at once and each is found again", "[D-12][D-70]")
{
    Testbench b;
    b.launch(32);
    for (unsigned lane = 0; lane < 31; ++lane) {
        b.present(Op::WarpSync, 0, 1u << lane, 1u << lane | 1u << 31);
    }
    b.run(2000);
    CHECK(b.seen.responses.empty());
    b.exit(0, 1u << 31);  // completes every group
    b.run(2000);
    CHECK(b.seen.responses.size() == 31);
    Lanes answered = 0;
    for (const SyncResponse& response : b.seen.responses) {
        CHECK((answered & response.lanes) == 0);
        answered |= response.lanes;
    }
    CHECK(answered == kAll >> 1);
}
