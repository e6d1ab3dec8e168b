// Directed tests of gsu_named_barrier through the ports of gsu_sm: what peers get wrong, and the published latency.
#include "testbench.hpp"

using namespace testbench;

namespace {

/// The figures of rtl/doc/calibration.md.
Config calibrated()
{
    Config config = configOf(Preset::Hopper);
    config.bar_interval = 2;
    config.bar_release_lat = 22;
    return config;
}

/// Clocks from presenting the first of `warps` bar.sync, one per clock, to the release.
Cycle syncLatency(unsigned warps)
{
    Testbench b(calibrated());
    b.launch(std::uint16_t(32 * warps));
    b.run(20);
    const Cycle first = b.port.now();
    for (unsigned warp = 0; warp < warps; ++warp) {
        b.present(Op::BarSync, warp, kAll, 0, 0, true);
    }
    b.run(300);
    REQUIRE(b.seen.releases.size() == 1);
    return b.seen.releases[0].cycle - first;
}

}  // namespace

TEST_CASE("bar.sync of W warps is released 22 + 2 W clocks after the first request",
          "[D-11][BAR-013]")
{
    for (const unsigned warps : {1u, 2u, 4u, 8u, 16u, 32u}) {
        CAPTURE(warps);
        CHECK(syncLatency(warps) == 22 + 2 * warps);
    }
}

TEST_CASE("a second arrive of one warp is counted, not lost", "[D-15][BAR-027]")
{
    Testbench b;
    b.launch(96);
    b.present(Op::BarArrive, 0, kAll, 3, 96);
    b.run();
    b.present(Op::BarArrive, 0, kAll, 3, 96);
    b.run();
    CHECK(b.seen.of(Unit::Named).back().errs == 1u << kNbErrRearrive);
    b.present(Op::BarSync, 1, kAll, 3, 96);
    b.run();
    REQUIRE(b.seen.releases.size() == 1);
    CHECK(b.seen.releases[0].warps == 2);
}

TEST_CASE("exits shrink a count-less barrier and leave an explicit count alone",
          "[BAR-039][BAR-040][D-06]")
{
    for (const bool counted : {false, true}) {
        CAPTURE(counted);
        Testbench b;
        b.launch(96);
        b.present(Op::BarSync, 0, kAll, 1, counted ? 96 : 0);
        b.present(Op::BarSync, 1, kAll, 1, counted ? 96 : 0);
        b.run();
        CHECK(b.seen.releases.empty());
        b.exit(2, kAll);
        b.run();
        CHECK(b.seen.releases.size() == (counted ? 0u : 1u));
    }
}

TEST_CASE("a reduction completed by an exit reaches all waiters", "[BAR-017][BAR-039][BAR-042]")
{
    Testbench b;
    b.launch(96);
    b.present(Op::BarRedPopc, 0, kAll, 2, 0, false, 0xff);
    b.present(Op::BarRedPopc, 1, kAll, 2, 0, false, 0xf);
    b.run();
    b.exit(2, kAll);
    b.run();
    REQUIRE(b.seen.releases.size() == 1);
    CHECK(b.seen.releases[0].warps == 3);
    CHECK(b.seen.releases[0].popc == 12);
    CHECK(b.seen.releases[0].any);
    CHECK_FALSE(b.seen.releases[0].all);
}

TEST_CASE("the sixteen barriers of two CTAs are all different", "[BAR-004][D-71]")
{
    Testbench b;
    b.launch(64, 0, 0);
    b.launch(64, 1, 2);
    auto one = [&](unsigned cta, unsigned warp, unsigned id, Op op) {
        SyncRequest request;
        request.op = op;
        request.at = {0, std::uint8_t(cta), std::uint8_t(warp)};
        request.lanes = kAll;
        request.arg0 = id;
        request.arg1 = 64;
        request.tag = std::uint16_t(cta * 64 + warp * 32 + id);
        b.present(request);
        b.run(60);
    };
    for (unsigned id = 0; id < 16; ++id) {
        one(0, 0, id, Op::BarArrive);
        one(1, 0, id, Op::BarArrive);
    }
    CHECK(b.seen.releases.empty());
    for (unsigned id = 0; id < 16; ++id) {
        const unsigned cta = id % 2;
        b.seen.clear();
        one(cta, 1, id, Op::BarSync);
        REQUIRE(b.seen.releases.size() == 1);
        CHECK(b.seen.releases[0].cta == cta);
        CHECK(b.seen.releases[0].id == id);
        CHECK(b.seen.releases[0].warps == 2);
    }
}

TEST_CASE("register operands out of range are refused with all 32 bits compared",
          "[D-16][BAR-002][BAR-006][BAR-007]")
{
    struct Case {
        Op op;
        std::uint32_t id, count, errs;
    };
    const Case cases[] = {
        {Op::BarSync, 16, 0, 1u << kNbErrId},
        {Op::BarSync, 0x8000'0000, 0, 1u << kNbErrId},
        {Op::BarSync, 1, 33, 1u << kNbErrCount},
        {Op::BarSync, 1, 48, 1u << kNbErrCount},
        {Op::BarSync, 1, 0x8000'0001, 1u << kNbErrCount},
        {Op::BarArrive, 1, 0, 1u << kNbErrArriveZero},
    };
    for (const Case& c : cases) {
        CAPTURE(c.id, c.count);
        Testbench b;
        b.launch(32);
        const auto tag = b.present(c.op, 0, kAll, c.id, c.count);
        b.run();
        REQUIRE(b.seen.responses.size() == 1);
        CHECK(b.seen.responses[0].tag == tag);
        CHECK(b.seen.responses[0].cause == Cause::Refused);
        CHECK(b.seen.responses[0].lanes == kAll);
        const auto commit = b.seen.of(Unit::Named).back();
        CHECK(commit.errs == c.errs);
        CHECK(commit.refused);
        CHECK(commit.object == c.id);
        CHECK(b.seen.releases.empty());
    }
}

TEST_CASE("a count no CTA can reach never completes by truncation", "[D-16][BAR-038]")
{
    Testbench b;
    b.launch(32);
    b.present(Op::BarSync, 0, kAll, 0, 4096 + 32);  // 32 in the low 12 bits
    b.run(2000);
    CHECK(b.seen.releases.empty());
}

TEST_CASE("different counts and mixed forms are applied and reported",
          "[BAR-025][BAR-026][D-07][D-14]")
{
    Testbench b;
    b.launch(96);
    b.present(Op::BarRedOr, 0, kAll, 2, 64, false, 1);
    b.run();
    b.present(Op::BarSync, 1, kAll, 2, 96);
    b.run();
    const auto commit = b.seen.of(Unit::Named).back();
    CHECK(commit.errs == (1u << kNbErrCountsDiffer | 1u << kNbErrMixed));
    CHECK(commit.flip);
    REQUIRE(b.seen.releases.size() == 1);
    CHECK(b.seen.releases[0].warps == 3);
    CHECK(b.seen.releases[0].any);
}

TEST_CASE("a reduction that joins a plain barrier is mixed as well, and the next generation is not",
          "[BAR-025][D-14]")
{
    Testbench b;
    b.launch(64);
    for (const bool mixed : {true, false}) {
        b.present(mixed ? Op::BarSync : Op::BarRedOr, 0, kAll, 2, 0, false, 1);
        b.run();
        b.present(Op::BarRedOr, 1, kAll, 2, 0, false, 1);
        b.run();
        CHECK(b.seen.of(Unit::Named).back().errs == (mixed ? 1u << kNbErrMixed : 0u));
    }
    REQUIRE(b.seen.releases.size() == 2);
    CHECK(b.seen.releases[0].warps == 3);
}

TEST_CASE("a thousand generations back to back: none lost, none doubled", "[BAR-013][BAR-042]")
{
    Testbench b;
    b.launch(128);
    for (unsigned generation = 0; generation < 1000; ++generation) {
        CAPTURE(generation);
        b.seen.clear();
        for (unsigned warp = 0; warp < 4; ++warp) {
            b.present(Op::BarRedPopc, (warp + generation) % 4, kAll, generation % 16, 0, false,
                      (1u << (generation % 32)) - 1);
        }
        b.run(60);
        REQUIRE(b.seen.releases.size() == 1);
        REQUIRE(b.seen.releases[0].popc == 4 * (generation % 32));
        REQUIRE(b.seen.releases[0].warps == 0xf);
    }
}

TEST_CASE("parts of all 32 warps wait, the others have arrived: each warp is released with its own",
          "[BAR-012][BAR-042][D-12]")
{
    for (const Lanes waiting : {Lanes{1}, Lanes{1u << 31}, Lanes{0x0000'ffff}}) {
        Testbench b;
        b.launch(1024);
        for (unsigned warp = 0; warp < 32; ++warp) {
            b.present(Op::BarArrive, warp, ~waiting, 5, 1024);
            b.present(Op::BarSync, warp, waiting, 5, 1024);
        }
        b.run(400);
        REQUIRE(b.seen.releases.size() == 32);
        for (unsigned warp = 0; warp < 32; ++warp) {
            CHECK(b.seen.releases[warp].warps == 1u << warp);
            CHECK(b.seen.releases[warp].lanes == waiting);
        }
    }
}
