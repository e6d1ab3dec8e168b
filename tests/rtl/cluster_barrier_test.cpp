// Directed tests of the cluster barrier through the ports of several SMs and the network, and the published latency.
#include "testbench.hpp"

using namespace testbench;

namespace {

/// One CTA of `warps` warps per SM, all of one cluster.
class Cluster {
public:
    explicit Cluster(unsigned ctas, unsigned warps = 1, Config config = configOf(Preset::Hopper))
        : port(ctas, config, true), ctas_(ctas)
    {
        port.setSink(seen);
        for (unsigned cta = 0; cta < ctas && ctas > 1; ++cta) {
            ClusterRoute route;
            route.cluster = 5;
            route.rank = std::uint8_t(cta);
            route.sm = std::uint8_t(cta);
            route.ctas = std::uint8_t(ctas);
            port.route(route);
        }
        for (unsigned cta = 0; cta < ctas; ++cta) {
            Launch start;
            start.sm = std::uint8_t(cta);
            start.cluster = 5;
            start.rank = std::uint8_t(cta);
            start.ctas = std::uint8_t(ctas);
            start.threads = std::uint16_t(32 * warps);
            start.size = 1024;
            while (!port.launch(start)) {
                port.step();
            }
        }
        run(300);
    }
    void present(unsigned sm, unsigned warp, Op op)
    {
        SyncRequest request;
        request.op = op;
        request.at = {std::uint8_t(sm), 0, std::uint8_t(warp)};
        request.lanes = kAll;
        request.tag = nextTag_++ % 4096;
        while (!port.canPresent(std::uint8_t(sm))) {
            run(1);
        }
        port.present(request);
    }
    void exit(unsigned sm, unsigned warp)
    {
        port.exit({{std::uint8_t(sm), 0, std::uint8_t(warp)}, kAll, false});
    }
    void run(unsigned cycles = 400)
    {
        for (unsigned i = 0; i < cycles; ++i) {
            port.step();
        }
        REQUIRE_FALSE(port.fault().has_value());
    }
    [[nodiscard]] unsigned ctas() const { return ctas_; }

    RtlPort port;
    Recorder seen;

private:
    unsigned ctas_;
    std::uint16_t nextTag_{1};
};

/// The figures of rtl/doc/calibration.md.
Config calibrated()
{
    Config config = configOf(Preset::Hopper);
    config.cbar_up_lat = 36;
    config.cbar_down_lat = 36;
    config.cbar_wait_lat = 21;
    return config;
}

/// Clocks from presenting the arrive in every CTA at once to the last release of the wait.
Cycle roundTrip(unsigned ctas)
{
    Cluster c(ctas, 1, calibrated());
    const Cycle start = c.port.now();
    for (unsigned sm = 0; sm < ctas; ++sm) {
        c.present(sm, 0, Op::ClusterArrive);
    }
    c.run(20);
    for (unsigned sm = 0; sm < ctas; ++sm) {
        c.present(sm, 0, Op::ClusterWait);
    }
    c.run();
    REQUIRE(c.seen.releases.size() == ctas);
    return c.seen.releases.back().cycle - start;
}

}  // namespace

TEST_CASE("relaxed arrive and wait: 102 clocks for two CTAs, one more per further CTA",
          "[D-53][CLU-007]")
{
    CHECK(roundTrip(2) == 102);
    for (const unsigned ctas : {3u, 4u, 8u}) {
        CAPTURE(ctas);
        CHECK(roundTrip(ctas) == 100 + ctas);
    }
}

TEST_CASE("a cluster of one completes by itself in comparable time", "[CLU-024][D-52]")
{
    CHECK(roundTrip(1) >= 95);
    CHECK(roundTrip(1) <= 102);
}

TEST_CASE("all four CTAs are needed", "[CLU-005][CLU-007]")
{
    Cluster c(4);
    for (unsigned sm = 0; sm < 3; ++sm) {
        c.present(sm, 0, Op::ClusterArrive);
        c.run(20);
        c.present(sm, 0, Op::ClusterWait);
    }
    c.run();
    CHECK(c.seen.releases.empty());
    c.present(3, 0, Op::ClusterArrive);
    c.run();
    CHECK(c.seen.releases.size() == 3);
}

TEST_CASE("the exit of a CTA that never arrives completes the generation", "[CLU-010][D-48]")
{
    Cluster c(2, 2);
    for (unsigned warp = 0; warp < 2; ++warp) {
        c.present(0, warp, Op::ClusterArrive);
        c.run(20);
        c.present(0, warp, Op::ClusterWait);
        c.run(20);
    }
    c.exit(1, 0);
    c.run();
    CHECK(c.seen.releases.empty());
    c.exit(1, 1);
    c.run();
    REQUIRE(c.seen.releases.size() == 1);
    CHECK(c.seen.releases[0].warps == 3);
    CHECK(c.seen.releases[0].cluster);
    CHECK(c.seen.frees.empty());  // exit gate: the other CTA is still there
    c.exit(0, 0);
    c.exit(0, 1);
    c.run();
    CHECK(c.seen.frees.size() == 2);
}

TEST_CASE("double arrive, wait without arrive, exit without wait are reported",
          "[CLU-012][CLU-013][CLU-014][D-50]")
{
    Cluster c(2);
    c.present(0, 0, Op::ClusterWait);
    c.run(50);
    REQUIRE(c.seen.responses.size() == 1);
    CHECK(c.seen.responses[0].cause == Cause::Refused);
    CHECK(c.seen.of(Unit::Cluster).back().errs == 1u << kCbErrNoArrive);
    c.present(0, 0, Op::ClusterArrive);
    c.run(50);
    c.present(0, 0, Op::ClusterArrive);
    c.run(50);
    CHECK(c.seen.of(Unit::Cluster).back().errs == 1u << kCbErrDouble);
    c.exit(0, 0);
    c.run(50);
    CHECK(c.seen.of(Unit::Cluster).back().errs == 1u << kCbErrUnwaited);
}

TEST_CASE("a fast CTA arrives again before a slow one waits: generations stay distinct",
          "[CLU-011][D-49][D-53]")
{
    Cluster c(2);
    c.present(0, 0, Op::ClusterArrive);
    c.present(1, 0, Op::ClusterArrive);
    c.run(20);
    c.present(0, 0, Op::ClusterWait);
    c.run();
    CHECK(c.seen.releases.size() == 1);
    c.present(0, 0, Op::ClusterArrive);
    c.run(20);
    c.present(0, 0, Op::ClusterWait);
    c.run();
    CHECK(c.seen.releases.size() == 1);
    c.present(
        1, 0,
        Op::ClusterWait);  // its own generation is complete: passes, without touching the next
    c.run();
    REQUIRE(c.seen.releases.size() == 2);
    CHECK(c.seen.releases[1].sm == 1);
    c.present(1, 0, Op::ClusterArrive);
    c.run();
    CHECK(c.seen.releases.size() == 3);
}

TEST_CASE(
    "a CTA alone in its cluster that ends while its completion is under way is freed after it",
    "[CLU-010][CLU-024][D-41]")
{
    Cluster c(1);
    c.present(0, 0, Op::ClusterArrive);
    c.run(4);
    c.exit(0, 0);
    c.run();
    CHECK(c.seen.of(Unit::Cluster).back().op == Op::EvWarpExit);
    REQUIRE(c.seen.frees.size() == 1);
    Cycle arrived = 0;
    for (const Commit& commit : c.seen.of(Unit::Cluster))
        if (commit.op == Op::ClusterArrive) arrived = commit.cycle;
    const Config config = calibrated();
    CHECK(c.seen.frees[0].cycle > arrived + config.cbar_up_lat + config.cbar_down_lat);
}

TEST_CASE("a CTA alone in its cluster leaves nothing to a cluster that has the same number later",
          "[CLU-024][D-41][D-48]")
{
    RtlPort port(1, configOf(Preset::Hopper), true);
    Recorder seen;
    port.setSink(seen);
    const auto run = [&] {
        for (unsigned i = 0; i < 600; ++i) port.step();
        const auto fault = port.fault();
        INFO((fault ? fault->message : std::string{}));
        REQUIRE_FALSE(fault.has_value());
    };
    const auto launch = [&](std::uint8_t cta, std::uint8_t rank, std::uint8_t ctas) {
        if (ctas > 1) port.route({5, rank, 0, cta, ctas});
        port.step();
        const Launch l{.cta = cta,
                       .wbase = cta,
                       .cluster = 5,
                       .rank = rank,
                       .ctas = ctas,
                       .threads = 32,
                       .size = 64};
        while (!port.launch(l)) port.step();
    };
    launch(0, 0, 2);
    launch(1, 1, 2);
    run();
    for (const std::uint8_t cta : {std::uint8_t(0), std::uint8_t(1)})
        port.exit({{0, cta, 0}, kAll, false});
    run();
    REQUIRE(seen.frees.size() == 2);
    launch(0, 0, 1);  // alone, in a slot of that cluster
    run();
    launch(2, 0, 2);
    launch(3, 1, 2);
    run();
    seen.clear();
    for (const std::uint8_t cta : {std::uint8_t(2), std::uint8_t(3)}) {
        SyncRequest r;
        r.op = Op::ClusterArrive;
        r.at = {0, cta, 0};
        r.lanes = kAll;
        port.present(r);
        port.step();
    }
    run();
    for (const Commit& c : seen.of(Unit::Cluster)) CHECK(c.at.cta >= 2);
    CHECK(seen.of(Unit::Cluster).size() == 4);  // two arrive, two are told
}

TEST_CASE("a thousand generations with changing order", "[CLU-009]")
{
    Cluster c(3);
    for (unsigned generation = 0; generation < 1000; ++generation) {
        CAPTURE(generation);
        c.seen.clear();
        for (unsigned k = 0; k < 3; ++k) {
            c.present((k + generation) % 3, 0, Op::ClusterArrive);
            c.run(1 + (generation * 7 + k * 5) % 11);
        }
        c.run(20);
        for (unsigned k = 0; k < 3; ++k) {
            c.present((2 * k + generation) % 3, 0, Op::ClusterWait);
            c.run(1);
        }
        c.run(120);
        REQUIRE(c.seen.releases.size() == 3);
    }
}
