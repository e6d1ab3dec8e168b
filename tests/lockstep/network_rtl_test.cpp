// Networks of more than 16 SMs: clusters, packets, reports and grids of the SMs that need the fifth bit of an SM's number.
#include <iostream>

#include "catch.hpp"
#include "golden/word_memory.hpp"
#include "lively.hpp"
#include "lockstep/lockstep_port.hpp"
#include "moved.hpp"
#include "observers/tap_port.hpp"
#include "traffic/barrier_traffic.hpp"
#include "traffic/grid_traffic.hpp"
#include "traffic/mbar_traffic.hpp"
#include "verilated/rtl_port.hpp"

using namespace gsu;
using namespace gsu::test;
using namespace gsu::traffic;

namespace {

constexpr unsigned kLow = 16;  ///< SMs below have four bits

/// Events on the SMs from 16 on, and their effects elsewhere.
struct HighSms final : PortObserver {
    std::uint64_t commits{}, clusterFlips{}, arrived{}, sent{}, acks{};
    void onCommit(const Commit& c) override
    {
        const bool high = c.at.sm >= kLow, fromHigh = c.srcSm >= kLow;
        const bool remote = c.src == Src::Remote;
        commits += high;
        clusterFlips += high && c.op == Op::EvClusterFlip;
        arrived += high && remote && !fromHigh;
        sent += !high && remote && fromHigh;
        acks += high && c.op == Op::EvAck && !fromHigh;
    }
};

}  // namespace

TEST_CASE("mbarriers of a cluster that reaches beyond SM 15, in lockstep",
          "[D-01][D-38][D-66][CLU-005]")
{
    const unsigned sms = GENERATE(17u, 18u);
    for (const std::uint64_t seed : {1u, 2u}) {
        CAPTURE(sms, seed);
        WordMemory memory{sms};
        RtlPort device(sms, configOf(seed == 1 ? Preset::Hopper : Preset::Ideal), true);
        device.setMemory(memory);
        LockstepOptions options;
        options.waitLimit = configOf(seed == 1 ? Preset::Hopper : Preset::Ideal).trywait_limit;
        LockstepPort port(device, options);
        HighSms high;
        TapPort watched(port);
        watched.add(high);
        Places places;
        places.firstSm = static_cast<std::uint8_t>(sms - 16);  // SMs 1 to 16, or 2 to 17
        Moved above(watched, places);
        MbarTraffic stimulus(above,
                             {.seed = seed, .sms = 16, .requests = 6'000, .spread = seed % 2 == 0});
        const MbarStats& s = stimulus.run();
        requireInStep(port, s);
        CHECK(s.freed == 32);
        CHECK(port.follower().debts() == 0);
        CHECK(s.remoteCommits > 300);
        CHECK(high.arrived > 20);
        CHECK(high.sent > 20);
        CHECK(high.acks > 20);
        std::cout << "rtl mbarriers on " << sms << " SMs: " << s.requests << " requests, "
                  << high.arrived << " remote commits from below 16 above it, " << high.sent
                  << " from there, " << high.acks << " acknowledgements there\n";
    }
}

TEST_CASE("barriers of clusters on 17 and 18 SMs, in lockstep", "[D-01][CLU-005][CLU-009][D-46]")
{
    const unsigned sms = GENERATE(17u, 18u);
    CAPTURE(sms);
    RtlPort device(sms, configOf(sms == 17 ? Preset::Hopper : Preset::Ideal), true);
    LockstepPort port(device);
    HighSms high;
    TapPort watched(port);
    watched.add(high);
    BarrierTraffic stimulus(watched, {.seed = sms, .sms = sms, .requests = 20'000});
    const BarrierStats& s = stimulus.run();
    requireInStep(port, s);
    CHECK(s.clusterFlips > 20);
    CHECK(high.commits > 300);
    CHECK(high.clusterFlips > 2);
}

TEST_CASE("grids over 18 SMs of one network, in lockstep", "[GDC-002][GDC-005][D-58]")
{
    RtlPort device(18, configOf(Preset::Hopper), true);
    LockstepPort port(device);
    HighSms high;
    TapPort watched(port);
    watched.add(high);
    GridTraffic stimulus(watched, {.seed = 3, .sms = 18, .grids = 200});
    const GridStats& s = stimulus.run();
    INFO((port.fault() ? port.fault()->message : std::string()));
    REQUIRE(!port.fault());
    CHECK(s.wrong == "");
    CHECK(!s.hung);
    CHECK(s.parked > 20);
    CHECK(s.reused > 50);
    CHECK(high.commits > 300);
}
