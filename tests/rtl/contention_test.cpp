// What shows only under pressure: reports that wait for the network, a launch and an exit in the clock in which a slot becomes free, exits behind
// an arrival in every clock, packets that queue for a link. (Each is a line that random changes of the RTL found without a test.)
#include <algorithm>
#include <array>
#include <functional>

#include "golden/word_memory.hpp"
#include "testbench.hpp"

using namespace testbench;

namespace {

/// Cycles of the commits of one operation of a unit.
std::vector<Cycle> cyclesOf(const Recorder& seen, Unit unit, Op op)
{
    std::vector<Cycle> cycles;
    for (const Commit& c : seen.of(unit))
        if (c.op == op) cycles.push_back(c.cycle);
    return cycles;
}

}  // namespace

TEST_CASE("64 clusters of two CTAs on four SMs report at once: no report is lost while the network "
          "is busy with others",
          "[D-70][CLU-007][CLU-010]")
{
    constexpr unsigned kSms = 4, kCtas = 32;
    Config config = configOf(Preset::Hopper);
    config.cbar_up_lat =
        1000;  // reports of launches are under way still when those of arrivals come: more than the way holds
    RtlPort port(kSms, config, true);
    Recorder seen;
    port.setSink(seen);
    const auto clusterOf = [](unsigned sm, unsigned cta) {
        return std::uint8_t(sm * 16 + cta / 2);
    };
    for (unsigned sm = 0; sm < kSms; ++sm) {
        for (unsigned cta = 0; cta < kCtas; ++cta) {
            port.route({clusterOf(sm, cta), std::uint8_t(cta % 2), std::uint8_t(sm),
                        std::uint8_t(cta), 2});
            port.step();
        }
    }
    for (unsigned cta = 0; cta < kCtas; ++cta) {
        for (unsigned sm = 0; sm < kSms; ++sm) {
            const Launch l{.sm = std::uint8_t(sm),
                           .cta = std::uint8_t(cta),
                           .wbase = std::uint8_t(cta),
                           .cluster = clusterOf(sm, cta),
                           .rank = std::uint8_t(cta % 2),
                           .ctas = 2,
                           .threads = 32,
                           .size = 0};
            while (!port.launch(l)) port.step();
        }
    }
    const auto run = [&](unsigned clocks) {
        for (unsigned i = 0; i < clocks; ++i) port.step();
        REQUIRE_FALSE(port.fault().has_value());
    };
    const auto everyWarp = [&](Op op, std::uint16_t tag) {
        for (unsigned cta = 0; cta < kCtas; ++cta) {
            for (unsigned sm = 0; sm < kSms; ++sm) {
                SyncRequest r;
                r.op = op;
                r.at = {std::uint8_t(sm), std::uint8_t(cta), 0};
                r.lanes = kAll;
                r.tag = std::uint16_t(tag + cta);
                while (!port.canPresent(r.at.sm)) port.step();
                port.present(r);
            }
            port.step();
        }
    };
    everyWarp(Op::ClusterArrive, 0);
    everyWarp(Op::ClusterWait, 100);
    run(6000);
    std::array<unsigned, kSms * kCtas> released{};
    for (const Release& r : seen.releases) ++released[r.sm * kCtas + r.cta];
    CHECK(std::count(released.begin(), released.end(), 1u) == kSms * kCtas);
    seen.clear();
    for (unsigned cta = 0; cta < kCtas; ++cta)
        for (unsigned sm = 0; sm < kSms; ++sm)
            port.exit({{std::uint8_t(sm), std::uint8_t(cta), 0}, kAll, false});
    run(6000);
    CHECK(seen.frees.size() == kSms * kCtas);
}

TEST_CASE(
    "a launch and an exit that come while a slot becomes free are committed after it, one a clock",
    "[D-04][D-70]")
{
    bool together = false;
    for (unsigned offset = 0; offset < 40; ++offset) {
        CAPTURE(offset);
        Testbench b;
        b.launch(32, 0, 0);
        b.launch(64, 1, 2);
        b.run();
        b.seen.clear();
        b.exit(0, kAll, 0);
        b.run(offset);
        Launch l;
        l.cta = 2;
        l.wbase = 8;
        l.threads = 32;
        l.size = 1024;
        REQUIRE(b.port.launch(l));
        b.exit(1, 0xff, 1);
        b.run();
        const auto free = cyclesOf(b.seen, Unit::Cta, Op::EvCtaFree);
        const auto launch = cyclesOf(b.seen, Unit::Cta, Op::EvLaunch);
        const auto exit = cyclesOf(b.seen, Unit::Cta, Op::EvLaneExit);
        REQUIRE(free.size() == 1);
        REQUIRE(launch.size() == 1);
        REQUIRE(exit.size() == 1);
        CHECK(launch[0] != free[0]);
        CHECK(exit[0] != free[0]);
        CHECK(exit[0] != launch[0]);
        together |= launch[0] == free[0] + 1 && exit[0] == free[0] + 2;
    }
    CHECK(together);  // both waited for the clock of the other
}

namespace {

/// 31 warps arrive without a pause, 300 times, and one exits among them: its exit is committed within two arrivals.
void checkExitAmongArrivals(Unit unit, Op op,
                            const std::function<void(Testbench&, unsigned warp)>& present)
{
    constexpr unsigned kWarps = 32;
    Testbench b;
    b.launch(32 * kWarps);
    b.run();
    unsigned warp = 0;
    const auto arrive = [&] { present(b, 1 + warp++ % (kWarps - 1)); };
    for (unsigned i = 0; i < 100; ++i) arrive();
    const std::size_t before = cyclesOf(b.seen, unit, op).size();
    b.exit(0, kAll);
    for (unsigned i = 0; i < 200; ++i) arrive();
    b.run();
    const auto left = cyclesOf(b.seen, Unit::Cta, Op::EvWarpExit);
    const auto exits = cyclesOf(b.seen, unit, Op::EvWarpExit);
    const auto arrivals = cyclesOf(b.seen, unit, op);
    REQUIRE(left.size() == 1);
    REQUIRE(exits.size() == 1);
    CHECK(arrivals.size() > before + 150);  // they came without a pause
    CHECK(std::count_if(arrivals.begin(), arrivals.end(),
                        [&](Cycle c) { return c > left[0] && c < exits[0]; }) <= 2);
    CHECK(arrivals.back() > exits[0]);
}

}  // namespace

TEST_CASE("an exit is committed by the named barriers within two arrivals, however many come",
          "[D-70][BAR-039]")
{
    unsigned made = 0;
    checkExitAmongArrivals(Unit::Named, Op::BarArrive, [&](Testbench& b, unsigned warp) {
        b.present(Op::BarArrive, warp, kAll, 1 + ++made % 15, 32 * 32);
    });
}

TEST_CASE("an exit is committed by the cluster barrier within two arrivals, however many come",
          "[D-70][CLU-010]")
{
    checkExitAmongArrivals(Unit::Cluster, Op::ClusterArrive, [](Testbench& b, unsigned warp) {
        b.present(Op::ClusterArrive, warp, kAll);
    });
}

TEST_CASE("a CTA that leaves sixteen barriers open is free when the last of them has been reported",
          "[BAR-004][D-17][D-41]")
{
    struct Case {
        unsigned open;
        std::uint8_t cta;
    };
    for (const auto& [open, cta] :
         {Case{0, 0}, {1, 0}, {5, 0}, {16, 0}, {16, 1}, {16, 6}, {16, 31}}) {
        CAPTURE(open, int(cta));
        Testbench b;
        b.launch(64, cta, 2 * cta);
        b.run();
        SyncRequest arrive;
        arrive.op = Op::BarArrive;
        arrive.at = {0, cta, 0};
        arrive.lanes = kAll;
        arrive.arg1 = 64;
        for (unsigned bar = 0; bar < open; ++bar) {
            arrive.arg0 = arrive.tag = std::uint16_t(bar);
            b.present(arrive);
        }
        b.run();
        b.seen.clear();
        b.exit(0, kAll, cta);
        b.exit(1, kAll, cta);
        b.run();
        std::vector<Cycle> left;
        for (const Commit& c : b.seen.of(Unit::Named))
            if (c.errs != 0) left.push_back(c.cycle);
        REQUIRE(left.size() == open);
        const auto free = cyclesOf(b.seen, Unit::Cta, Op::EvCtaFree);
        REQUIRE(free.size() == 1);
        UNSCOPED_INFO("free " << free[0] << " last " << (left.empty() ? 0 : left.back()));
        for (std::size_t i = 1; i < left.size(); ++i) CHECK(left[i] == left[i - 1] + 1);
        if (open == 16) CHECK(free[0] == left.back() + 2);
    }
}

TEST_CASE("a link is busy for a packet's header and for the data that it carries", "[D-54]")
{
    const auto spacing = [](Op op, std::uint64_t bytes = 1) {
        Config config = configOf(Preset::Hopper);
        config.net_bytes = 1;
        WordMemory memory{2};
        RtlPort port(2, config, true);
        Recorder seen;
        port.setMemory(memory);
        port.setSink(seen);
        for (std::uint8_t i = 0; i < 2; ++i) port.route({3, i, i, 0, 2});
        for (std::uint8_t i = 0; i < 2; ++i) {
            const Launch l{
                .sm = i, .cluster = 3, .rank = i, .ctas = 2, .threads = 128, .size = 1024};
            while (!port.launch(l)) port.step();
        }
        std::uint16_t tag = 0;
        const auto give = [&](std::uint8_t sm, std::uint8_t warp, Op what, std::uint64_t data) {
            SyncRequest r;
            r.op = what;
            r.at = {sm, 0, warp};
            r.lanes = 1;
            r.tag = tag++;
            r.remote = sm != 0;
            r.data.fill(data);
            while (!port.canPresent(sm)) port.step();
            port.present(r);
            for (int i = 0; i < 4; ++i) port.step();
        };
        for (int i = 0; i < 100; ++i) port.step();
        give(0, 0, Op::MbarInit, 1000);
        for (int i = 0; i < 400; ++i) port.step();
        for (std::uint8_t warp = 0; warp < 4; ++warp) give(1, warp, op, bytes);
        for (int i = 0; i < 1000; ++i) port.step();
        REQUIRE_FALSE(port.fault().has_value());
        std::vector<Cycle> cycles;
        for (const Commit& c : seen.of(Unit::Mbarrier))
            if (c.src == Src::Remote) cycles.push_back(c.cycle);
        REQUIRE(cycles.size() == 4);
        CHECK(cycles[2] - cycles[1] == cycles[1] - cycles[0]);
        CHECK(cycles[3] - cycles[2] == cycles[1] - cycles[0]);
        return cycles[1] - cycles[0];
    };
    CHECK(spacing(Op::MbarArrive) == 16);
    CHECK(spacing(Op::StAsync, 8) == 16 + 8);
    CHECK(spacing(Op::StAsync, 16) == 16 + 16);
    CHECK(spacing(Op::StAsync, 100) == 16 + 63);  // more than 63 bytes count as 63
}

TEST_CASE("reports that waited for the network leave an SM one a clock", "[CLU-007][D-53]")
{
    constexpr std::uint8_t kCtas = 32;
    Config config = configOf(Preset::Hopper);
    config.cbar_up_lat = 1000;  // the way up is full of launches when arrivals come
    RtlPort port(1, config, true);
    Recorder seen;
    port.setSink(seen);
    const auto run = [&](unsigned clocks) {
        for (unsigned i = 0; i < clocks; ++i) port.step();
        REQUIRE_FALSE(port.fault().has_value());
    };
    for (std::uint8_t cta = 0; cta < kCtas; ++cta) {
        port.route({std::uint8_t(cta / 2), std::uint8_t(cta % 2), 0, cta, 2});
        run(1);
    }
    for (std::uint8_t cta = 0; cta < kCtas; ++cta) {
        const Launch l{.cta = cta,
                       .wbase = cta,
                       .cluster = std::uint8_t(cta / 2),
                       .rank = std::uint8_t(cta % 2),
                       .ctas = 2,
                       .threads = 32,
                       .size = 0};
        while (!port.launch(l)) run(1);
    }
    for (std::uint8_t i = 0; i < kCtas; ++i) {
        SyncRequest r;
        r.op = Op::ClusterArrive;
        r.at = {0, std::uint8_t((i + 5) % kCtas), 0};  // the report of the first waits at the port
        r.lanes = kAll;
        r.tag = i;
        while (!port.canPresent(0)) run(1);
        port.present(r);
        run(1);
    }
    run(4000);
    const auto flips = cyclesOf(seen, Unit::Network, Op::EvClusterFlip);
    REQUIRE(flips.size() == kCtas / 2);
    CHECK(flips.back() - flips.front() == kCtas - 3);  // from the third report on: one a clock
    unsigned at = 0;
    for (const Commit& c : seen.of(Unit::Network))
        if (c.op == Op::EvClusterFlip) CHECK(c.object == (3 + at++) % 16);  // in turn
}
