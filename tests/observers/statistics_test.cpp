// Statistics and their tables on a scripted sequence of events.
#include <sstream>

#include "events.hpp"
#include "golden/cluster_names.hpp"
#include "observers/statistics.hpp"
#include "observers/summary.hpp"

using namespace gsu;

TEST_CASE("statistics count waits per barrier", "[observers][BAR-013]")
{
    Statistics s(1);
    events::play(s);
    const auto all = s.barriers();
    REQUIRE(all.size() == 3);
    const BarrierStatistics& three = all[0];
    CHECK(three.kind == BarrierKind::Named);
    CHECK(three.id == 3);
    CHECK(three.generations == 1);
    CHECK(three.requests == 2);
    CHECK(three.answered == 2);
    CHECK(three.stall == 70 + 20);
    CHECK(three.longest == 70);
    CHECK(three.longestAt == WarpRef{0, 0, 0});
    CHECK(three.longestFrom == 100);
    CHECK(three.never == 0);
    unsigned warp = 99;
    std::uint64_t times = 0;
    CHECK(three.lastArriver(warp, times));
    CHECK(warp == 1);
    CHECK(times == 1);
    const BarrierStatistics& five = all[1];
    CHECK(five.id == 5);
    CHECK(five.never == 1);
    CHECK(five.longest == 700);
    CHECK(!five.lastArriver(warp, times));
    CHECK(all[2].kind == BarrierKind::WarpSync);
    CHECK(all[2].stall == 7);
    CHECK(all[2].generations == 1);
    CHECK(s.requests() == 4);
    CHECK(s.commits() == 4);
    CHECK(s.ctas() == 1);
}

TEST_CASE("statistics count waits per line, the worst first", "[observers]")
{
    Statistics s(1);
    events::play(s);
    const auto lines = s.lines();
    REQUIRE(lines.size() == 3);
    CHECK(lines[0].line == 30);
    CHECK(lines[0].never == 1);
    CHECK(lines[1].line == 10);
    CHECK(lines[1].stall == 90);
    CHECK(lines[2].line == 20);
}

TEST_CASE("a cluster generation is counted once, whatever the number of CTAs",
          "[observers][CLU-009]")
{
    Statistics s(1);
    s.onLaunch(0, events::launch(0, 32, 2, 0));
    s.onLaunch(0, events::launch(1, 32, 2, 1));
    for (unsigned g = 0; g < 5; ++g) {
        s.onCommit(events::commit(10 + g, Unit::Cluster, Op::ClusterArrive, 0, 0));
        for (std::uint8_t cta = 0; cta < 2; ++cta) {
            auto flip =
                events::commit(20 + g, Unit::Cluster, Op::EvClusterFlip, 0, 0, true, Src::Network);
            flip.at.cta = cta;
            s.onCommit(flip);
        }
    }
    REQUIRE(s.barriers().size() == 1);
    CHECK(s.barriers()[0].generations == 5);
}

TEST_CASE("clusters of the last of many networks are told apart", "[observers][CLU-009]")
{
    // A trace may say networks of one SM: more cluster slots than those of the largest chip.
    const ChipLayout chip(kMaxChipSms, 1);
    CHECK(chip.clusterSlots() == std::size_t{kMaxChipSms} * kMaxClusters);
    Statistics s(chip);
    ClusterNames names(chip);
    for (std::uint8_t slot = 0; slot < 2; ++slot) {
        Launch launch = events::launch(slot, 32, 2, 0);
        launch.sm = kMaxChipSms - 1;
        launch.cluster = static_cast<std::uint8_t>(kMaxClusters - 1 - slot);
        s.onLaunch(0, launch);
        CHECK(names.of(launch) == slot);
        CHECK(names.of(launch) == slot);  // its second CTA
        auto arrive = events::commit(10, Unit::Cluster, Op::ClusterArrive, 0, 0);
        arrive.at = {launch.sm, launch.cta, static_cast<std::uint8_t>(3 + slot)};
        s.onCommit(arrive);
        auto flip = events::commit(20, Unit::Cluster, Op::EvClusterFlip, 0, 0, true, Src::Network);
        flip.at = {launch.sm, launch.cta, 0};
        s.onCommit(flip);
        unsigned warp = 0;
        std::uint64_t times = 0;
        REQUIRE(s.barriers().size() == 1);
        CHECK(s.barriers()[0].last[3 + slot] == 1);
        CHECK(s.barriers()[0].lastArriver(warp, times));
    }
}

TEST_CASE("the tables fit 120 columns and are plain without colour", "[observers]")
{
    Statistics s(1);
    s.onLaunch(0, events::launch(0, 1024));
    for (unsigned i = 0; i < 200; ++i) {
        const auto warp = std::uint8_t(i % 32);
        s.onRequest(i * 1'000'000'000ull,
                    events::request(Op::WarpSync, warp, 0xffff0000u + i, 1 + i, 1));
        s.onResponse(events::response(i * 1'000'000'000ull + 999'999'999, warp, 1));
    }
    events::play(s);
    const std::vector<std::string> source(50, std::string(300, 'x'));
    const std::string text = barrierTable(s, {}) + lineTable(s, {}, source);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find("and 191 more") != std::string::npos);
    std::istringstream in(text);
    std::size_t count = 0;
    for (std::string line; std::getline(in, line); ++count)
        CHECK(line.size() <= gsu::SummaryStyle{}.columns);
    CHECK(count > 20);
    CHECK(barrierTable(s, {.colour = true}).find("\x1b[") != std::string::npos);
}

TEST_CASE("a commit of an SM that is not there counts for no cluster", "[observers]")
{
    Statistics s(1);
    auto flip = events::commit(20, Unit::Cluster, Op::EvClusterFlip, 0, 0, true, Src::Network);
    flip.at.sm = 1;
    s.onCommit(flip);
    CHECK(s.barriers().empty());
    CHECK(s.commits() == 1);
}

TEST_CASE("a run without synchronization has no tables", "[observers]")
{
    const Statistics s(1);
    CHECK(barrierTable(s, {}).empty());
    CHECK(lineTable(s, {}, {}).empty());
}
