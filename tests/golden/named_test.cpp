// Named barriers: BAR-004..BAR-042 and the decisions D-05..D-17, on the golden port.
#include "testbench.hpp"

using namespace gsu;
using namespace gsu::test;

TEST_CASE("sixteen barriers per CTA, none disturbs another, nor another CTA", "[BAR-004][D-71]")
{
    Testbench b;
    b.launch(0, 0, 64);
    b.launch(0, 1, 64);
    for (unsigned cta = 0; cta < 2; ++cta)
        for (unsigned id = 0; id < 16; ++id) {
            b.run(Op::BarArrive, warp(0, cta), kAll, id, 64);
            CHECK(b.responses.size() == 1);
            CHECK(b.only(Unit::Named).oldWord == 0);
        }
    for (unsigned id = 16; id-- > 0;) {
        b.run(Op::BarSync, warp(1, 1), kAll, id, 64);
        REQUIRE(b.releases.size() == 1);
        CHECK(b.releases[0].id == id);
        CHECK(b.releases[0].cta == 1);
        CHECK(b.releases[0].warps == 2);
    }
    b.run(Op::BarSync, warp(1, 0), kAll, 5, 64);
    CHECK(b.releases.size() == 1);
}

TEST_CASE("omitted count waits for every warp, the partial one included", "[BAR-005][EX-BAR-01]")
{
    Testbench b;
    b.launch(0, 0, 80);
    b.run(Op::BarSync, warp(0), kAll, 1);
    CHECK(b.releases.empty());
    b.run(Op::BarSync, warp(2), 0xffff, 1);
    CHECK(b.releases.empty());
    b.run(Op::BarSync, warp(1), kAll, 1);
    REQUIRE(b.releases.size() == 1);
    CHECK(b.releases[0].warps == 7);
    CHECK(b.only(Unit::Named).flip);
    CHECK(b.only(Unit::Named).newWord == 0);
}

TEST_CASE("count zero is the omitted count", "[BAR-008][A-01][D-08]")
{
    Testbench b;
    b.launch(0, 0, 80);
    b.run(Op::BarSync, warp(0), kAll, 1, 0);
    b.run(Op::BarSync, warp(1), kAll, 1, 96);  // equal effective count: no report
    CHECK(b.only(Unit::Named).errs == 0);
    b.run(Op::BarSync, warp(2), 0xffff, 1, 0);
    CHECK(b.releases.size() == 1);
}

TEST_CASE("an arriving warp counts 32 whatever lanes it has left", "[BAR-009][T-01]")
{
    Testbench b;
    b.launch(0, 0, 96);
    b.exit(warp(1), 0x1f);
    b.run(Op::BarSync, warp(0), kAll, 2, 64);
    b.run(Op::BarSync, warp(1), ~0x1fu, 2, 64);
    REQUIRE(b.releases.size() == 1);
    CHECK(b.releases[0].warps == 3);
}

TEST_CASE("the warp arrives when its last live lane has come",
          "[BAR-010][BAR-032][D-12][EX-BAR-05]")
{
    Testbench b;
    b.launch(0, 0, 32);
    b.run(Op::BarSync, warp(0), 0x0000ffff, 3);
    CHECK(b.silent());
    b.run(Op::BarSync, warp(0), 0x00ff0000, 3);
    CHECK(b.silent());
    const auto tag = b.run(Op::BarSync, warp(0), 0xff000000, 3);
    CHECK(b.only(Unit::Named).lanes == kAll);
    CHECK(b.only(Unit::Named).tag == tag);
    CHECK(b.releases.size() == 1);
}

TEST_CASE("lanes that arrive at different forms meet; arrive lanes go on, sync lanes wait",
          "[BAR-032][D-12]")
{
    Testbench b;
    b.launch(0, 0, 64);
    b.run(Op::BarArrive, warp(0), 0xff, 3, 64);
    b.run(Op::BarSync, warp(0), ~0xffu, 3, 64);
    CHECK(b.only(Unit::Named).op == Op::BarSync);
    REQUIRE(b.responses.size() == 1);
    CHECK(b.responses[0].lanes == 0xff);
    CHECK(b.releases.empty());
    b.run(Op::BarArrive, warp(1), kAll, 3, 64);
    REQUIRE(b.releases.size() == 1);
    CHECK(b.releases[0].warps == 1);
}

TEST_CASE("lanes on different barriers or counts never meet", "[D-12]")
{
    Testbench b;
    b.launch(0, 0, 64);
    b.run(Op::BarSync, warp(0), 0xffff, 3);
    b.run(Op::BarSync, warp(0), 0xff0000, 4);
    CHECK(b.silent());
    b.run(Op::BarSync, warp(0), 0xff000000, 3, 32);
    CHECK(b.silent());
}

TEST_CASE("the exit of the last missing lane is the warp's arrival", "[D-12][BAR-010]")
{
    Testbench b;
    b.launch(0, 0, 32);
    b.run(Op::BarSync, warp(0), 0x7fffffff, 0);
    CHECK(b.silent());
    b.exit(warp(0), 0x80000000);
    CHECK(b.only(Unit::Named).src == Src::Exit);
    CHECK(b.only(Unit::Named).lanes == 0x7fffffff);
    CHECK(b.releases.size() == 1);
}

TEST_CASE("sync blocks until every participant has come, arrive does not",
          "[BAR-011][BAR-012][BAR-024][EX-BAR-02]")
{
    Testbench b;
    b.launch(0, 0, 160);
    b.run(Op::BarSync, warp(4), kAll, 1, 96);
    b.run(Op::BarArrive, warp(2), kAll, 1, 96);
    CHECK(b.responses.size() == 1);
    CHECK(b.releases.empty());
    b.run(Op::BarSync, warp(0), kAll, 1, 96);
    REQUIRE(b.releases.size() == 1);
    CHECK(b.releases[0].warps == 0b10001);
}

TEST_CASE("producer and consumer over two barriers, a thousand times",
          "[BAR-013][BAR-024][EX-BAR-06]")
{
    Testbench b;
    b.launch(0, 0, 64);
    for (unsigned i = 0; i < 1000; ++i) {
        b.run(Op::BarArrive, warp(0), kAll, 0, 64);
        CHECK(b.responses.size() == 1);
        b.run(Op::BarSync, warp(1), kAll, 0, 64);
        REQUIRE(b.releases.size() == 1);
        CHECK(b.releases[0].warps == 2);
        b.run(Op::BarArrive, warp(1), kAll, 1, 64);
        b.run(Op::BarSync, warp(0), kAll, 1, 64);
        REQUIRE(b.releases.size() == 1);
        CHECK(b.releases[0].warps == 1);
        CHECK(b.only(Unit::Named).errs == 0);
    }
}

TEST_CASE("reductions over the arriving lanes",
          "[BAR-017][BAR-018][BAR-019][BAR-023][A-26][A-27][EX-BAR-03][EX-BAR-04]")
{
    Testbench b;
    b.launch(0, 0, 40);
    const Op op = GENERATE(Op::BarRedPopc, Op::BarRedAnd, Op::BarRedOr);
    const Lanes p0 = GENERATE(kAll, 0u, 0x80000001u);
    const Lanes p1 = GENERATE(0xffu, 0x0u, 0x10u);
    b.red(op, warp(0), p0, 0);
    b.red(op, warp(1), p1 | 0xffffff00, 0, 0, 0xff);  // bits of missing lanes must not count
    REQUIRE(b.releases.size() == 1);
    const Release& r = b.releases[0];
    CHECK(r.popc == __builtin_popcount(p0) + __builtin_popcount(p1));
    CHECK(r.all == (p0 == kAll && p1 == 0xff));
    CHECK(r.any == ((p0 | p1) != 0));
}

TEST_CASE("each generation keeps its own result", "[BAR-042][D-11]")
{
    Testbench b;
    b.launch(0, 0, 64);
    for (unsigned i = 0; i < 33; ++i) {
        const Lanes pred = i == 32 ? kAll : (Lanes{1} << i) - 1;
        b.red(Op::BarRedPopc, warp(i & 1), pred, 7);
        b.red(Op::BarRedPopc, warp(~i & 1), 0, 7);
        REQUIRE(b.releases.size() == 1);
        CHECK(b.releases[0].popc == i);
        CHECK(b.releases[0].any == (i != 0));
    }
}

TEST_CASE("mixing red with sync, and two operators, is reported and applied",
          "[BAR-026][A-40][D-14]")
{
    Testbench b;
    b.launch(0, 0, 128);
    b.red(Op::BarRedPopc, warp(0), kAll, 0);
    CHECK(b.only(Unit::Named).errs == 0);
    b.run(Op::BarSync, warp(1), kAll, 0);
    CHECK(b.only(Unit::Named).errs == 1u << kNbErrMixed);
    b.red(Op::BarRedAnd, warp(2), 1, 0);
    CHECK(b.only(Unit::Named).errs ==
          (1u << kNbErrRedOps | 1u << kNbErrMixed));  // it meets the sync, too
    b.red(Op::BarRedPopc, warp(3), 3, 0);
    REQUIRE(b.releases.size() == 1);
    CHECK(b.releases[0].popc == 35);
    CHECK_FALSE(b.releases[0].all);
    CHECK(b.releases[0].warps == 15);
}

TEST_CASE("the opening count governs, another one is reported", "[BAR-025][D-07]")
{
    Testbench b;
    b.launch(0, 0, 128);
    b.run(Op::BarSync, warp(0), kAll, 2, 64);
    b.run(Op::BarSync, warp(1), kAll, 2, 96);
    CHECK(b.only(Unit::Named).errs == 1u << kNbErrCountsDiffer);
    CHECK(b.only(Unit::Named).flip);
    CHECK(b.releases.size() == 1);
}

TEST_CASE("a second arrival of a warp is reported and counted", "[BAR-027][D-15]")
{
    Testbench b;
    b.launch(0, 0, 64);
    b.run(Op::BarArrive, warp(0), kAll, 3, 64);
    b.run(Op::BarSync, warp(0), kAll, 3, 64);
    CHECK(b.only(Unit::Named).errs == 1u << kNbErrRearrive);
    REQUIRE(b.releases.size() == 1);  // GPGPU-Sim loses it
    CHECK(b.releases[0].warps == 1);
}

TEST_CASE("an aligned form by a part of the warp arrives for the whole and is reported",
          "[BAR-031][D-13]")
{
    Testbench b;
    b.launch(0, 0, 32);
    SyncRequest r = b.request(Op::BarRedPopc, warp(0), 0xf, 0);
    r.aligned = true;
    r.pred = kAll;
    b.run(r);
    CHECK(b.only(Unit::Named).errs == 1u << kNbErrDiverged);
    REQUIRE(b.releases.size() == 1);
    CHECK(b.releases[0].popc == 4);
    b.exit(warp(0), ~0xfu);
    b.aligned(Op::BarSync, warp(0), 0xf, 0);  // now it is the whole warp
    CHECK(b.only(Unit::Named).errs == 0);
}

TEST_CASE("an aligned form by a part of the warp that is refused, too, tells both",
          "[BAR-031][BAR-002][D-13]")
{
    Testbench b;
    b.launch(0, 0, 32);
    SyncRequest r = b.request(Op::BarSync, warp(0), 0xf, 16, 32);
    r.aligned = true;
    b.run(r);
    CHECK(b.only(Unit::Named).errs == (1u << kNbErrDiverged | 1u << kNbErrId));
    CHECK(b.only(Unit::Named).refused);
    CHECK(b.releases.empty());
}

TEST_CASE("operands out of range are refused: no arrival, no blocking",
          "[BAR-002][BAR-006][BAR-007][D-16][D-03]")
{
    Testbench b;
    b.launch(0, 0, 64);
    struct Case {
        Op op;
        std::uint32_t id, count;
        unsigned err;
    };
    const auto c = GENERATE(
        Case{Op::BarSync, 16, 0, kNbErrId}, Case{Op::BarSync, 0xffffffff, 64, kNbErrId},
        Case{Op::BarSync, 0x10000001, 64, kNbErrId}, Case{Op::BarRedOr, 1, 33, kNbErrCount},
        Case{Op::BarSync, 1, 0x80000001, kNbErrCount}, Case{Op::BarArrive, 1, 0, kNbErrArriveZero});
    b.run(c.op, warp(0), 0xffff, c.id, c.count);
    const Commit commit = b.only(Unit::Named);
    CHECK(commit.refused);
    CHECK(commit.errs == 1u << c.err);
    CHECK(commit.object == c.id);
    CHECK(commit.newWord == 0);
    REQUIRE(b.responses.size() == 1);
    CHECK(b.responses[0].cause == Cause::Refused);
    CHECK(b.responses[0].lanes == 0xffff);
    b.run(Op::BarSync, warp(0), kAll, 1, 64);
    CHECK(b.only(Unit::Named).oldWord == 0);
}

TEST_CASE("a count that cannot be reached never completes and is not truncated",
          "[BAR-038][D-16][T-27]")
{
    Testbench b;
    b.launch(0, 0, 64);
    const std::uint32_t count = GENERATE(96u, 2048u, 4096u, 4096u + 32u, 0x80000000u);
    b.run(Op::BarSync, warp(0), kAll, 1, count);
    b.run(Op::BarSync, warp(1), kAll, 1, count);
    CHECK(b.releases.empty());
    CHECK_FALSE(b.only(Unit::Named).flip);
}

// Found by gsu fuzz --requests: the RTL counts arrivals to 127 and stays there, the golden model completed at 4096 threads.
TEST_CASE("a count that no CTA has is not reached by warps that arrive again and again",
          "[BAR-038][D-05][D-16]")
{
    Testbench b;
    b.launch(0, 0, 64);
    const auto arrivals = [&](unsigned id, unsigned count) {
        unsigned flips = 0;
        for (unsigned i = 0; i < 300; ++i) {
            b.run(Op::BarArrive, warp(0), kAll, id, count);
            flips += b.only(Unit::Named).flip;
        }
        return flips;
    };
    CHECK(arrivals(1, 127 * 32) == 2);
    CHECK(arrivals(2, 128 * 32) == 0);
    CHECK(arrivals(3, 0x8000'0000) == 0);
}

TEST_CASE("exits shrink the implicit expectation, not an explicit one",
          "[BAR-039][BAR-040][A-02][D-06]")
{
    Testbench b;
    b.launch(0, 0, 128);
    const bool counted = GENERATE(false, true);
    for (unsigned w = 0; w < 3; ++w) b.run(Op::BarSync, warp(w), kAll, 0, counted ? 128 : 0);
    b.exit(warp(3), 0xffff);
    CHECK(b.releases.empty());
    b.exit(warp(3), 0xffff0000);
    CHECK(b.releases.size() == (counted ? 0 : 1));
    if (counted) return;
    CHECK(b.releases[0].warps == 7);
    const auto commits = b.of(Unit::Named);
    REQUIRE(commits.size() == 2);
    CHECK_FALSE(commits[0].flip);
    CHECK(commits[1].flip);
    CHECK(commits[1].src == Src::Exit);
}

TEST_CASE("an exit can complete every barrier, and broadcasts the reduction", "[BAR-039][BAR-017]")
{
    Testbench b;
    b.launch(0, 0, 17 * 32);
    for (unsigned id = 0; id < 16; ++id) b.red(Op::BarRedPopc, warp(id), id, id);
    // Warp k waits at barrier k; each barrier still misses the others: let all of them arrive elsewhere first.
    CHECK(b.releases.empty());
    Testbench c;
    c.launch(0, 0, 64);
    for (unsigned id = 0; id < 16; ++id) {
        SyncRequest r = c.request(Op::BarArrive, warp(0), kAll, id, 64);
        c.run(r);
    }
    c.exit(warp(1));
    CHECK(c.releases.empty());  // explicit
    Testbench d;
    d.launch(0, 0, 64);
    d.red(Op::BarRedPopc, warp(0), 0xff, 9);
    d.exit(warp(1));
    REQUIRE(d.releases.size() == 1);
    CHECK(d.releases[0].popc == 8);  // GPGPU-Sim forgets to broadcast it
}

TEST_CASE("a warp that arrived and then exited is counted once", "[D-06][T-34]")
{
    Testbench b;
    b.launch(0, 0, 96);
    b.run(Op::BarSync, warp(1), kAll, 0);
    b.run(Op::BarArrive, warp(0), kAll, 0, 96);
    b.exit(warp(0));
    CHECK(b.releases.empty());
    b.run(Op::BarSync, warp(2), kAll, 0);
    REQUIRE(b.releases.size() == 1);
    CHECK(b.releases[0].warps == 6);
}

TEST_CASE("exits do nothing to an idle barrier", "[D-10]")
{
    Testbench b;
    b.launch(0, 0, 64);
    b.exit(warp(0));
    CHECK(b.of(Unit::Named).size() == 1);
    b.exit(warp(1));
    CHECK(b.of(Unit::Named).size() == 1);
    CHECK(b.releases.empty());
    b.settle();
    CHECK(b.frees.size() == 1);
}

TEST_CASE("an arrive-only generation completes without a waiter", "[D-11]")
{
    Testbench b;
    b.launch(0, 0, 64);
    b.run(Op::BarArrive, warp(0), kAll, 4, 64);
    b.run(Op::BarArrive, warp(1), kAll, 4, 64);
    CHECK(b.only(Unit::Named).flip);
    CHECK(b.releases.empty());
}

TEST_CASE("two barriers used in consecutive cycles do not flip each other", "[BAR-004]")
{
    Testbench b;  // the Vortex slot bug
    b.launch(0, 0, 64);
    b.run(Op::BarSync, warp(0), kAll, 0);
    b.run(Op::BarSync, warp(1), kAll, 1);
    CHECK(b.releases.empty());
}
