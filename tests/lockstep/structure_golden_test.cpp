// Other structures of the SM in the golden model: traffic in lockstep with itself, and what a structure does not have. The RTL of such structures:
// models_test.cpp, in the slower tier.
#include "catch.hpp"
#include "golden/golden_port.hpp"
#include "golden/limits.hpp"
#include "lively.hpp"
#include "lockstep/lockstep_port.hpp"
#include "structures.hpp"
#include "traffic/barrier_traffic.hpp"

using namespace gsu;
using namespace gsu::test;
using namespace gsu::traffic;

TEST_CASE("random traffic through golden ports of other structures in lockstep", "[D-01][D-70]")
{
    const std::string with = GENERATE(from_range(kStructures));
    const auto seed = GENERATE(range(1u, 3u));
    CAPTURE(with, seed);
    GoldenOptions options;
    options.structure = structureOf(with);
    GoldenPort device(2, options);
    LockstepPort port(device);
    CHECK(textOf(port.structure()) == with);
    BarrierTraffic stimulus(port, {.seed = seed, .sms = 2, .requests = 10'000, .warpOps = 30});
    const BarrierStats& s = stimulus.run();
    requireInStep(port, s);
    CHECK(port.follower().debts() == 0);
    CHECK(s.generations > 20);
    CHECK(s.named[kNbErrId] > 5);
    CHECK(s.warpSyncs > 50);
    CHECK(s.findings.wrong == "");
}

namespace {

/// One warp that arrives alone at a barrier: the answers and commits that follow.
struct OneArrival final : SyncSink {
    std::vector<Commit> commits;
    std::vector<Release> releases;
    void onResponse(const SyncResponse&) override {}
    void onRelease(const Release& r) override { releases.push_back(r); }
    void onCommit(const Commit& c) override
    {
        if (c.unit == Unit::Named) commits.push_back(c);
    }
    void onDelivered(const Delivered&) override {}
    void onCtaFree(const CtaFree&) override {}
    OneArrival(const char* with, std::uint32_t id)
    {
        GoldenOptions options;
        options.structure = structureOf(with);
        GoldenPort port(1, options);
        port.setSink(*this);
        REQUIRE(port.launch({.threads = 32}));
        for (int i = 0; i < 4; ++i) port.step();
        SyncRequest r;
        r.op = Op::BarSync;
        r.lanes = ~Lanes{0};
        r.arg0 = id;
        r.aligned = true;
        port.present(r);
        for (int i = 0; i < 4; ++i) port.step();
    }
};

}  // namespace

TEST_CASE("barriers that a structure has and has not", "[BAR-002]")
{
    const auto [with, id, there] =
        GENERATE(table<const char*, std::uint32_t, bool>({{"", 15, true},
                                                          {"", 16, false},
                                                          {"Bars=8", 7, true},
                                                          {"Bars=8", 8, false},
                                                          {"Bars=64", 16, true},
                                                          {"Bars=64", 63, true},
                                                          {"Bars=64", 64, false}}));
    CAPTURE(with, id);
    const OneArrival one(with, id);
    REQUIRE(one.commits.size() == 1);
    CHECK(one.commits[0].refused != there);
    CHECK((one.commits[0].errs >> kNbErrId & 1) == (there ? 0 : 1));
    REQUIRE(one.releases.size() == (there ? 1 : 0));
    if (there) CHECK(one.releases[0].id == id);
}

TEST_CASE("slots that a structure has not are named", "[D-04]")
{
    const Structure small = structureOf("Ctas=5,WarpSlots=48");
    CHECK(problemOf(Launch{.cta = 4, .wbase = 47, .threads = 32}, 1, small) == "");
    CHECK(problemOf(Launch{.cta = 5, .threads = 32}, 1, small) == "CTA slot 5 of 5");
    CHECK(problemOf(Launch{.cta = 0, .wbase = 47, .threads = 64}, 1, small) ==
          "warp slots above 48");
    GoldenOptions options;
    options.structure = small;
    GoldenPort port(1, options);
    CHECK_FALSE(port.launch({.cta = 5, .threads = 32}));
    CHECK_FALSE(port.launch({.cta = 0, .wbase = 47, .threads = 64}));
    CHECK(port.launch({.cta = 4, .wbase = 47, .threads = 32}));
}
