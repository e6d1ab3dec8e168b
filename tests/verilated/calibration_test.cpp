// The default preset against published figures, as exact cycle counts at the port (rtl/doc/calibration.md has the sources).
#include "catch.hpp"
#include "exec/timing/unit_values.hpp"
#include "golden/params.hpp"
#include "verilated/events.hpp"
#include "verilated/rtl_port.hpp"

using namespace gsu;

namespace {

void settle(SyncPort& port)
{
    for (int i = 0; i < 400; ++i) port.step();
}

void launch(SyncPort& port, Launch launch)
{
    while (!port.launch(launch)) port.step();
}

SyncRequest request(Op op, std::uint8_t sm, std::uint8_t warp, std::uint16_t tag)
{
    SyncRequest r;
    r.op = op;
    r.at = {sm, 0, warp};
    r.lanes = ~Lanes{0};
    r.tag = tag;
    r.aligned = true;
    return r;
}

SyncRequest arrive(std::uint8_t sm, Sem sem)
{
    SyncRequest r = request(Op::ClusterArrive, sm, 0, 1);
    r.sem = sem;
    r.scope = Scope::Cluster;
    return r;
}

/// Clocks from presenting the first bar.sync of `warps` to the release of all.
Cycle namedBarrier(unsigned warps, const Config& config = configOf(Preset::Hopper))
{
    RtlPort port(1, config);
    test::EventLog log;
    port.setSink(log);
    launch(port, {.threads = std::uint16_t(32 * warps), .size = 1024});
    settle(port);
    const Cycle start = port.now();
    for (unsigned next = 0; log.releases.empty() && port.now() < start + 1000;) {
        if (next < warps && port.canPresent(0))
            port.present(request(Op::BarSync, 0, std::uint8_t(next), std::uint16_t(next))), ++next;
        port.step();
    }
    REQUIRE(log.releases.size() == 1);
    return log.releases[0].cycle - start;
}

/// Clocks from presenting barrier.cluster.arrive in every CTA, each followed by its wait, to the last release.
Cycle clusterBarrier(unsigned ctas, Sem sem = Sem::Relaxed,
                     const Config& config = configOf(Preset::Hopper))
{
    RtlPort port(ctas, config);
    test::EventLog log;
    port.setSink(log);
    for (unsigned i = 0; ctas > 1 && i < ctas; ++i)
        port.route({.cluster = 3,
                    .rank = std::uint8_t(i),
                    .sm = std::uint8_t(i),
                    .cta = 0,
                    .ctas = std::uint8_t(ctas)});
    for (unsigned i = 0; i < ctas; ++i)
        launch(port, {.sm = std::uint8_t(i),
                      .cluster = 3,
                      .rank = std::uint8_t(i),
                      .ctas = std::uint8_t(ctas),
                      .threads = 32,
                      .size = 1024});
    settle(port);
    const Cycle start = port.now();
    for (unsigned i = 0; i < ctas; ++i) port.present(arrive(std::uint8_t(i), sem));
    std::vector<bool> waiting(ctas);
    while (log.releases.size() < ctas && port.now() < start + 2000) {
        port.step();
        for (const SyncResponse& r : log.responses) {
            if (waiting[r.at.sm]) continue;
            waiting[r.at.sm] = true;
            port.present(request(Op::ClusterWait, r.at.sm, 0, 2));
        }
    }
    REQUIRE(log.releases.size() == ctas);
    return log.releases.back().cycle - start;
}

}  // namespace

TEST_CASE("bar.sync of W warps takes the published 22 + 2 W clocks", "[BAR-013][calibration]")
{
    for (const unsigned warps : {1u, 2u, 4u, 8u, 16u, 32u}) {
        CAPTURE(warps);
        CHECK(namedBarrier(warps) == 22 + 2 * warps);
    }
}

TEST_CASE("relaxed barrier.cluster takes the published 102 clocks at size 2 and about a clock per "
          "further CTA",
          "[CLU-007][calibration]")
{
    const Cycle two = clusterBarrier(2);
    CHECK(two == 102);
    for (const unsigned ctas : {4u, 8u, 16u}) {
        CAPTURE(ctas);
        CHECK(clusterBarrier(ctas) == two + ctas - 2);
    }
    CHECK(clusterBarrier(1) <= two);
}

TEST_CASE("barrier.cluster with release and acquire: 373 clocks at size 2 as published, 376 and "
          "380 within a clock",
          "[CLU-016][calibration]")
{
    CHECK(clusterBarrier(2, Sem::Release) == 373);
    CHECK(clusterBarrier(4, Sem::Release) == 375);
    CHECK(clusterBarrier(8, Sem::Release) == 379);
}

TEST_CASE("with the values of the timing of Hopper barriers take what an H100 and an H200 take",
          "[verilated][calibration]")
{
    const Config config = timing::unitConfigOf(timing::Target::Hopper);
    for (const unsigned warps : {1u, 2u, 4u, 8u, 16u, 32u})
        CHECK(namedBarrier(warps, config) == 11 + 2 * warps);
    CHECK(clusterBarrier(2, Sem::Relaxed, config) == 74);
    CHECK(clusterBarrier(4, Sem::Relaxed, config) == 76);
}
