// Directed tests of gsu_cta_table through the ports of gsu_sm: launch, lane and warp exits, freeing of a slot.
#include "testbench.hpp"

using namespace testbench;

TEST_CASE("a launch is committed with its sizes", "[D-04]")
{
    Testbench b;
    b.launch(80);
    b.run(10);
    const auto commits = b.seen.of(Unit::Cta);
    REQUIRE(commits.size() == 1);
    CHECK(commits[0].op == Op::EvLaunch);
    CHECK(commits[0].object == 80);
    CHECK(commits[0].newWord == std::uint64_t{1024} << 32);
}

TEST_CASE("a warp exits with its last lane, the slot is free after the last warp", "[D-06][D-19]")
{
    Testbench b;
    b.launch(40);
    b.exit(1, 0x0f);
    b.exit(1, 0xf0);
    b.run();
    auto commits = b.seen.of(Unit::Cta);
    REQUIRE(commits.size() == 3);
    CHECK(commits[1].op == Op::EvLaneExit);
    CHECK_FALSE(commits[1].flip);
    CHECK(std::uint32_t(commits[1].oldWord) == 0xff);
    CHECK(std::uint32_t(commits[1].newWord) == 0xf0);
    CHECK(commits[2].op == Op::EvWarpExit);
    CHECK(commits[2].flip);
    CHECK(commits[2].newWord >> 32 == 1);
    CHECK(b.seen.frees.empty());
    b.exit(0, kAll);
    b.run();
    CHECK(b.seen.frees.size() == 1);
    CHECK(b.seen.of(Unit::Cta).back().op == Op::EvCtaFree);
}

TEST_CASE("a slot launched again starts fresh", "[D-04][BAR-004]")
{
    Testbench b;
    for (unsigned round = 0; round < 3; ++round) {
        CAPTURE(round);
        b.seen.clear();
        b.launch(64);
        b.exit(1, 0xffff);
        b.run();
        b.present(Op::BarSync, 1, 0xffff'0000, 0);
        b.run();
        b.exit(0, kAll);  // completes the count-less barrier
        b.run();
        REQUIRE(b.seen.releases.size() == 1);
        CHECK(b.seen.releases[0].warps == 2);
        b.exit(1, 0xffff'0000);
        b.run();
        REQUIRE(b.seen.frees.size() == 1);
    }
}

TEST_CASE("a request goes before an exit of the same cycle", "[D-10][BAR-039]")
{
    Testbench b;
    b.launch(64);
    b.run();
    SyncRequest request;
    request.op = Op::BarSync;
    request.at = {0, 0, 0};
    request.lanes = kAll;
    b.port.present(request);
    b.exit(1, kAll);
    b.run();
    REQUIRE(b.seen.releases.size() == 1);
    CHECK(b.seen.of(Unit::Named)[0].op == Op::BarSync);
    CHECK(b.seen.of(Unit::Named)[0].cycle <= b.seen.of(Unit::Cta)[1].cycle);
}

TEST_CASE("exits are served under a request in every cycle", "[D-70]")
{
    Testbench b;
    b.launch(64);
    b.run();
    b.exit(1, kAll);
    const auto start = b.port.now();
    unsigned warpSyncs = 0;
    while (b.seen.of(Unit::Cta).size() < 2 && b.port.now() < start + 100) {
        b.present(Op::WarpSync, 0, kAll, kAll);
        ++warpSyncs;
    }
    CHECK(warpSyncs < 20);
    CHECK(b.seen.of(Unit::Cta).size() == 2);
}

TEST_CASE("two CTAs share no warp state", "[BAR-004][D-71]")
{
    Testbench b;
    b.launch(40, 0, 0);
    b.launch(33, 7, 2);
    SyncRequest request;
    request.op = Op::WarpSync;
    request.at = {0, 7, 1};
    request.lanes = 1;
    request.arg0 = kAll;
    b.present(request);  // the second warp of CTA 7 has one lane
    b.run();
    REQUIRE(b.seen.responses.size() == 1);
    CHECK(b.seen.responses[0].at.cta == 7);
    b.exit(1, 0x0f, 0);
    b.run();
    request.tag = 1;
    b.present(request);
    b.run();
    CHECK(b.seen.responses.size() == 2);
    CHECK(b.seen.of(Unit::WarpSync).back().errs == 0);
}
