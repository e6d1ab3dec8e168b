// Named barriers: what a release names, and what a CTA leaves at its end, on the golden port.
#include "golden/findings.hpp"
#include "testbench.hpp"

using namespace gsu;
using namespace gsu::test;

TEST_CASE("a new CTA in the slot finds idle barriers", "[D-04][D-17]")
{
    Testbench b;
    b.launch(0, 0, 64);
    b.run(Op::BarArrive, warp(0), kAll, 4, 64);
    const std::uint64_t word = b.only(Unit::Named).newWord;
    b.exit(warp(0));
    b.exit(warp(1));
    b.settle();
    REQUIRE(b.frees.size() == 1);
    std::vector<Commit> left;
    for (const Commit& c : b.commits)
        if (c.unit == Unit::Named && c.errs != 0) left.push_back(c);
    REQUIRE(left.size() == 1);
    CHECK(left[0].op == Op::EvWarpExit);
    CHECK(left[0].errs == 1u << kNbErrLeft);
    CHECK(left[0].object == 4);
    CHECK(left[0].oldWord == word);
    CHECK(left[0].newWord == 0);
    CHECK_FALSE(left[0].flip);
    const auto findings = findingsOf(left[0]);
    REQUIRE(findings.size() == 1);
    CHECK(std::string(findings[0].rule) == "BAR-038");
    CHECK(findings[0].severity == Severity::Warning);
    b.launch(0, 0, 64);
    b.run(Op::BarSync, warp(0), kAll, 4, 64);
    CHECK(b.only(Unit::Named).oldWord == 0);
    CHECK(b.releases.empty());
}

TEST_CASE("a release names all whole warps in one record, each partial warp in its own",
          "[D-12][D-13]")
{
    Testbench b;
    b.launch(0, 0, 128);
    b.run(Op::BarArrive, warp(1), 0x0000'ffff, 2, 128);
    b.run(Op::BarSync, warp(1), 0xffff'0000, 2, 128);  // D-12: the halves of warp 1 meet
    b.aligned(Op::BarSync, warp(2), 0x00ff, 2, 128);   // D-13: a part of warp 2 counts alone
    b.run(Op::BarSync, warp(0), kAll, 2, 128);
    CHECK(b.releases.empty());
    b.run(Op::BarSync, warp(3), kAll, 2, 128);
    REQUIRE(b.releases.size() == 3);
    CHECK(b.releases[0].warps == 0b1001);
    CHECK(b.releases[0].lanes == kAll);
    CHECK(b.releases[1].warps == 0b0010);
    CHECK(b.releases[1].lanes == 0xffff'0000);
    CHECK(b.releases[2].warps == 0b0100);
    CHECK(b.releases[2].lanes == 0x00ff);
}
