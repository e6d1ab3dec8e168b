// bar.warp.sync (BWS) and the cluster barrier (CLU) on the golden port.
#include "testbench.hpp"

using namespace gsu;
using namespace gsu::test;

TEST_CASE("lanes wait for every lane of the mask", "[BWS-004][D-18][EX-BWS-01]")
{
    Testbench b;
    b.launch(0, 0, 32);
    b.run(Op::WarpSync, warp(0), 1, 0b11);
    CHECK(b.silent());
    const auto tag = b.run(Op::WarpSync, warp(0), 2, 0b11);
    REQUIRE(b.responses.size() == 1);
    CHECK(b.responses[0].lanes == 3);
    CHECK(b.responses[0].tag == tag);
    CHECK(b.only(Unit::WarpSync).object == 3);
}

TEST_CASE("disjoint masks are independent", "[BWS-005]")
{
    Testbench b;
    b.launch(0, 0, 32);
    b.run(Op::WarpSync, warp(0), 0x00ff, 0xffff);
    b.run(Op::WarpSync, warp(0), 0xffff0000, 0xffff0000);
    REQUIRE(b.responses.size() == 1);
    CHECK(b.responses[0].lanes == 0xffff0000);
    b.run(Op::WarpSync, warp(0), 0xff00, 0xffff);
    REQUIRE(b.responses.size() == 1);
    CHECK(b.responses[0].lanes == 0xffff);
}

TEST_CASE("overlapping unequal masks never match", "[BWS-011]")
{
    Testbench b;
    b.launch(0, 0, 32);
    b.run(Op::WarpSync, warp(0), 1, 0x3);
    b.run(Op::WarpSync, warp(0), 2, 0x7);
    CHECK(b.silent());
}

TEST_CASE("a lane outside its own mask is refused", "[BWS-003][D-03]")
{
    Testbench b;
    b.launch(0, 0, 32);
    b.run(Op::WarpSync, warp(0), 1u << 5, 0xf);
    CHECK(b.only(Unit::WarpSync).errs == 1u << kWsErrOutside);
    CHECK(b.only(Unit::WarpSync).refused);
    REQUIRE(b.responses.size() == 1);
    CHECK(b.responses[0].cause == Cause::Refused);
}

TEST_CASE("of a request only the lanes outside the mask are refused", "[BWS-003][D-03]")
{
    Testbench b;
    b.launch(0, 0, 32);
    const auto tag =
        b.run(Op::WarpSync, warp(0), 0x7, 0x0b);  // lane 2 is outside, lane 3 is missing
    const Commit refused = b.only(Unit::WarpSync);
    CHECK(refused.lanes == 0x4);
    CHECK(refused.object == 0x0b);
    CHECK(refused.errs == 1u << kWsErrOutside);
    CHECK(refused.refused);
    REQUIRE(b.responses.size() == 1);
    CHECK(b.responses[0].tag == tag);
    CHECK(b.responses[0].lanes == 0x4);
    CHECK(b.responses[0].cause == Cause::Refused);
    CHECK_FALSE(b.responses[0].last);
    b.run(Op::WarpSync, warp(0), 0x8, 0x0b);
    CHECK(b.only(Unit::WarpSync).errs == 0);
    REQUIRE(b.responses.size() == 1);
    CHECK(b.responses[0].lanes == 0x0b);
    CHECK(b.responses[0].cause == Cause::Done);
    CHECK(b.responses[0].last);
}

TEST_CASE("lanes outside their mask do not hold up a complete rendezvous", "[BWS-003]")
{
    Testbench b;
    b.launch(0, 0, 32);
    b.run(Op::WarpSync, warp(0), kAll, 0xffff);
    const auto commits = b.of(Unit::WarpSync);
    REQUIRE(commits.size() == 2);
    REQUIRE(b.responses.size() == 2);
    CHECK(b.responses[0].lanes == 0xffff0000);
    CHECK(b.responses[0].cause == Cause::Refused);
    CHECK(b.responses[1].lanes == 0xffff);
    CHECK(b.responses[1].cause == Cause::Done);
}

TEST_CASE("lanes that never existed are silently absent", "[BWS-010][D-19]")
{
    Testbench b;
    b.launch(0, 0, 40);
    b.run(Op::WarpSync, warp(1), 0xff, kAll);
    REQUIRE(b.responses.size() == 1);
    CHECK(b.only(Unit::WarpSync).errs == 0);
}

TEST_CASE("an exited lane counts as arrived and is reported", "[BWS-010][D-20][A-03]")
{
    Testbench b;
    b.launch(0, 0, 32);
    b.run(Op::WarpSync, warp(0), 0x1, 0x7);
    b.run(Op::WarpSync, warp(0), 0x2, 0x7);
    b.exit(warp(0), 0x4);
    CHECK(b.only(Unit::WarpSync).src == Src::Exit);
    CHECK(b.only(Unit::WarpSync).errs == 1u << kWsErrExited);
    REQUIRE(b.responses.size() == 1);
    CHECK(b.responses[0].lanes == 3);
    b.run(Op::WarpSync, warp(0), 0x3, 0x7);
    CHECK(b.only(Unit::WarpSync).errs == 1u << kWsErrExited);
}

TEST_CASE("warp sync, named and cluster barriers do not release each other", "[D-71]")
{
    Testbench b;
    b.launch(0, 0, 64);
    b.run(Op::WarpSync, warp(0), 0xff, 0xffff);
    b.run(Op::BarSync, warp(1), kAll, 0);
    b.run(Op::WarpSync, warp(0), 0xff00, 0xffff);
    CHECK(b.releases.empty());
    CHECK(b.responses.size() == 1);
}

TEST_CASE("the cluster completes when every warp of every CTA has arrived",
          "[CLU-005][CLU-006][CLU-007][EX-CLU-01]")
{
    const unsigned ctas = GENERATE(1u, 2u, 4u, 8u, 16u);
    const unsigned last = GENERATE(0u, 1u, 7u) % ctas;
    CAPTURE(ctas, last);
    Testbench b(ctas);
    if (ctas == 1)
        b.launch(0, 0, 32);
    else
        b.launchCluster(ctas, 32);
    for (unsigned r = 0; r < ctas; ++r) {
        if (r == last) continue;
        b.run(Op::ClusterArrive, warp(0, 0, r));
        CHECK(b.responses.size() == 1);
        b.run(Op::ClusterWait, warp(0, 0, r));
        CHECK(b.responses.empty());
    }
    b.run(Op::ClusterArrive, warp(0, 0, last));
    b.settle();
    CHECK(b.releases.size() == ctas - 1);
    for (const Release& r : b.releases) {
        CHECK(r.cluster);
        CHECK(r.warps == 1);
    }
    unsigned flips = 0;  // of each CTA one, and of the network where there is one
    for (const Commit& c : b.commits) {
        CHECK(c.flip == (c.op == Op::EvClusterFlip));
        flips += c.flip;
    }
    CHECK(flips == (ctas > 1 ? ctas + 1 : 1));
    b.run(Op::ClusterWait, warp(0, 0, last));
    REQUIRE(b.responses.size() == 1);  // after the completion: at once
    CHECK(b.only(Unit::Cluster).errs == 0);
}

TEST_CASE("two clusters run independently", "[CLU-005][HS-023]")
{
    Testbench b(2);
    for (unsigned c = 0; c < 2; ++c)
        for (unsigned r = 0; r < 2; ++r)
            b.port.route({std::uint8_t(c), std::uint8_t(r), std::uint8_t(r), std::uint8_t(c), 2});
    for (unsigned c = 0; c < 2; ++c)
        for (unsigned r = 0; r < 2; ++r) {
            Launch l{};
            l.sm = l.rank = std::uint8_t(r);
            l.cta = l.cluster = std::uint8_t(c);
            l.ctas = 2;
            l.threads = 32;
            b.start(l);
        }
    b.run(Op::ClusterArrive, warp(0, 0, 0));
    b.run(Op::ClusterArrive, warp(0, 1, 1));
    b.settle();
    for (const Commit& c : b.commits) CHECK(c.op != Op::EvClusterFlip);
    b.run(Op::ClusterArrive, warp(0, 0, 1));
    b.settle();
    CHECK(b.of(Unit::Network).size() == 1);
    CHECK(b.of(Unit::Network)[0].object == 0);
}

TEST_CASE("a thousand generations", "[CLU-009]")
{
    Testbench b(2);
    b.launchCluster(2, 64);
    for (unsigned g = 0; g < 1000; ++g) {
        for (unsigned i = 0; i < 4; ++i) {
            const unsigned k = (i + g) % 4;
            b.run(Op::ClusterArrive, warp(k / 2, 0, k % 2));
            REQUIRE(b.only(Unit::Cluster).errs == 0);
        }
        b.settle();
        for (unsigned k = 0; k < 4; ++k) {
            b.run(Op::ClusterWait, warp(k / 2, 0, k % 2));
            REQUIRE(b.responses.size() == 1);
        }
    }
}

TEST_CASE("a diverged warp arrives with its last lane; arrive lanes are held", "[CLU-008][D-51]")
{
    Testbench b;
    b.launch(0, 0, 32);
    b.run(Op::ClusterArrive, warp(0), 0xffff);
    CHECK(b.silent());
    b.run(Op::ClusterArrive, warp(0), 0xff0000);
    CHECK(b.silent());
    b.exit(warp(0), 0xff000000);
    CHECK(b.of(Unit::Cluster)[0].src == Src::Exit);
    REQUIRE(b.responses.size() == 1);
    CHECK(b.responses[0].lanes == 0xffffff);
}

TEST_CASE("lanes split between arrive and wait never meet", "[D-51]")
{
    Testbench b;
    b.launch(0, 0, 32);
    b.run(Op::ClusterArrive, warp(0));
    b.settle();
    b.run(Op::ClusterWait, warp(0), 0xffff);
    b.run(Op::ClusterArrive, warp(0), 0xffff0000);
    CHECK(b.silent());
}

TEST_CASE("exits shrink the expectation and can complete the generation", "[CLU-010][D-48]")
{
    Testbench b(2);
    b.launchCluster(2, 32);
    b.run(Op::ClusterArrive, warp(0, 0, 0));
    b.run(Op::ClusterWait, warp(0, 0, 0));
    b.exit(warp(0, 0, 1));
    b.settle();
    REQUIRE(b.releases.size() == 1);
    CHECK(b.releases[0].sm == 0);
}

TEST_CASE("arrive then exit: the arrival stays, the missing wait is reported", "[CLU-014][D-48]")
{
    Testbench b(2);
    b.launchCluster(2, 64);
    b.run(Op::ClusterArrive, warp(0, 0, 0));
    b.exit(warp(0, 0, 0));
    CHECK(b.only(Unit::Cluster).errs == 1u << kCbErrUnwaited);
    b.run(Op::ClusterArrive, warp(1, 0, 0));
    b.run(Op::ClusterArrive, warp(0, 0, 1));
    b.run(Op::ClusterArrive, warp(1, 0, 1));
    b.settle();
    CHECK(b.of(Unit::Network).size() == 1);
}

TEST_CASE("a fast CTA may arrive again before a slow one resumes", "[CLU-011][D-49][D-53]")
{
    Testbench b(2);
    b.launchCluster(2, 32);
    b.run(Op::ClusterArrive, warp(0, 0, 1));
    b.run(Op::ClusterArrive, warp(0, 0, 0));
    b.settle();
    b.run(Op::ClusterWait, warp(0, 0, 0));
    b.run(Op::ClusterArrive, warp(0, 0, 0));  // next generation
    b.run(Op::ClusterWait, warp(0, 0, 1));
    CHECK(b.responses.size() == 1);  // the slow one still sees its own generation complete
    b.run(Op::ClusterWait, warp(0, 0, 0));
    CHECK(b.responses.empty());
    b.run(Op::ClusterArrive, warp(0, 0, 1));
    b.settle();
    CHECK(b.releases.size() == 1);
}

TEST_CASE("second arrive, wait without arrive, skipped wait",
          "[CLU-012][CLU-013][CLU-025][A-04][D-50]")
{
    Testbench b(2);
    b.launchCluster(2, 32);
    b.run(Op::ClusterWait, warp(0, 0, 0));
    CHECK(b.only(Unit::Cluster).errs == 1u << kCbErrNoArrive);
    CHECK(b.responses.size() == 1);
    b.run(Op::ClusterArrive, warp(0, 0, 0));
    b.run(Op::ClusterArrive, warp(0, 0, 0));
    CHECK(b.only(Unit::Cluster).errs == 1u << kCbErrDouble);
    CHECK(b.only(Unit::Cluster).oldWord == b.only(Unit::Cluster).newWord);
    CHECK(b.responses.size() == 1);
    b.run(Op::ClusterArrive, warp(0, 0, 1));
    b.settle();
    b.run(Op::ClusterArrive, warp(0, 0, 1));
    CHECK(b.only(Unit::Cluster).errs == 1u << kCbErrUnwaited);
}

TEST_CASE("an aligned form by a part of the warp is refused; two warps may diverge",
          "[CLU-015][D-03]")
{
    Testbench b;
    b.launch(0, 0, 64);
    b.aligned(Op::ClusterArrive, warp(0), 0xff);
    CHECK(b.only(Unit::Cluster).errs == 1u << kCbErrDiverged);
    CHECK(b.only(Unit::Cluster).refused);
    REQUIRE(b.responses.size() == 1);
    CHECK(b.responses[0].cause == Cause::Refused);
    b.aligned(Op::ClusterArrive, warp(0));
    CHECK(b.only(Unit::Cluster).errs == 0);
    // The other warp takes another way, and its own time: unaligned, lane by lane.
    b.run(Op::ClusterArrive, warp(1), 0xffff);
    b.aligned(Op::ClusterWait, warp(0));
    CHECK(b.only(Unit::Cluster).errs == 0);
    CHECK(b.releases.empty());
    b.run(Op::ClusterArrive, warp(1), 0xffff'0000);
    CHECK(b.only(Unit::Cluster).errs == 0);
    b.settle();
    REQUIRE(b.releases.size() == 1);
    CHECK(b.releases[0].warps == 1);
}

TEST_CASE("no generation completes before every CTA is launched", "[D-47]")
{
    Testbench b(2);
    for (unsigned r = 0; r < 2; ++r) b.port.route({3, std::uint8_t(r), std::uint8_t(r), 0, 2});
    Launch l{};
    l.cluster = 3;
    l.ctas = 2;
    l.threads = 32;
    b.start(l);
    b.run(Op::ClusterArrive, warp(0, 0, 0));
    b.settle();
    CHECK(b.of(Unit::Network).empty());
    l.sm = l.rank = 1;
    b.start(l);
    b.run(Op::ClusterArrive, warp(0, 0, 1));
    b.settle();
    CHECK(b.of(Unit::Network).size() == 1);
}

TEST_CASE("slots are freed together once the whole cluster has gone", "[D-04][D-48]")
{
    Testbench b(2);
    b.launchCluster(2, 32);
    b.run(Op::ClusterArrive, warp(0, 0, 0));
    b.exit(warp(0, 0, 0));
    b.settle();
    CHECK(b.frees.empty());
    b.exit(warp(0, 0, 1));
    b.settle();
    CHECK(b.frees.size() == 2);
    for (const Commit& c : b.commits) CHECK(c.op != Op::EvClusterFlip);  // nobody is left to see it
    b.launchCluster(2, 32);  // and the cluster slot is as new
    b.run(Op::ClusterArrive, warp(0, 0, 0));
    CHECK(b.only(Unit::Cluster).errs == 0);
}

TEST_CASE("an operation without a unit is refused by name", "[D-03]")
{
    Testbench b;
    b.launch(0, 0, 32);
    b.run(Op::MbarPendingCount, warp(0), 0xff);
    CHECK(b.only(Unit::Null).refused);
    CHECK(b.only(Unit::Null).errs == 1u << kNullErrNoUnit);
    REQUIRE(b.responses.size() == 1);
    CHECK(b.responses[0].cause == Cause::Refused);
}
