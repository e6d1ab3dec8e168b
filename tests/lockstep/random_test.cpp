#include "catch.hpp"
#include "golden/golden_port.hpp"
#include "lively.hpp"
#include "lockstep/lockstep_port.hpp"
#include "traffic/barrier_traffic.hpp"

using namespace gsu;
using namespace gsu::test;
using namespace gsu::traffic;

TEST_CASE("random traffic through the golden port in lockstep with itself", "[D-01][D-70]")
{
    const auto seed = GENERATE(range(1u, 9u));
    CAPTURE(seed);
    GoldenPort device(4);
    LockstepPort port(device);
    BarrierTraffic stimulus(port, {.seed = seed, .sms = 4, .requests = 20'000});
    const BarrierStats& s = stimulus.run();
    requireInStep(port, s);
    requireLively(s);
    CHECK(port.follower().debts() == 0);
    CHECK(port.follower().commits() == s.commits);
    for (const Unit unit : {Unit::Named, Unit::Null}) CHECK(s.findings.missed(unit) == "");
}

TEST_CASE("random warp-wide operations through the golden port in lockstep with itself",
          "[D-01][D-18][D-20]")
{
    const auto seed = GENERATE(range(1u, 5u));
    CAPTURE(seed);
    GoldenPort device(2);
    LockstepPort port(device);
    BarrierTraffic stimulus(port, {.seed = seed, .sms = 2, .requests = 20'000, .warpOps = 80});
    const BarrierStats& s = stimulus.run();
    requireInStep(port, s);
    CHECK(port.follower().debts() == 0);
    requireWarpWide(s);
    CHECK(s.findings.missed(Unit::WarpSync) == "");
    for (unsigned bit = 0; bit <= kWsErrExited; ++bit) CHECK(s.warp[bit] > 0);
}
