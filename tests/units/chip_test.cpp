// A chip of several networks with one port: numbers, time, and one grid table for all networks.
#include <iostream>

#include "catch.hpp"
#include "golden/chip_layout.hpp"
#include "golden/word_memory.hpp"
#include "traffic/grid_traffic.hpp"
#include "units/chip.hpp"

using namespace gsu;
using namespace gsu::traffic;

namespace {

std::vector<UnitKind> builtKinds()
{
    std::vector<UnitKind> kinds;
    for (const UnitKind kind : {UnitKind::Golden, UnitKind::Rtl, UnitKind::Lockstep}) {
        if (isBuilt(kind)) kinds.push_back(kind);
    }
    return kinds;
}

/// A chip, and what it reports.
struct Rig final : SyncSink {
    WordMemory memory;
    Chip chip;
    std::vector<Release> releases;
    std::vector<Commit> commits;

    Rig(UnitKind kind, unsigned sms)
        : memory(sms),
          chip({.kind = kind, .sms = sms, .onNote = {}, .structure = {}, .model = {}},
               configOf(Preset::Hopper), memory, Chip::Grids::Whole)
    {
        chip.setSink(*this);
    }
    void onResponse(const SyncResponse&) override {}
    void onRelease(const Release& r) override { releases.push_back(r); }
    void onCommit(const Commit& c) override { commits.push_back(c); }
    void onDelivered(const Delivered&) override {}
    void onCtaFree(const CtaFree&) override {}
    void step(unsigned clocks)
    {
        while (clocks-- != 0) chip.step();
    }
};

}  // namespace

TEST_CASE("the SMs of a chip lie in networks of 16", "[units]")
{
    CHECK(ChipLayout(16).networks() == 1);
    CHECK(ChipLayout(18).networks() == 1);
    CHECK(ChipLayout(17, 16).networks() == 2);
    CHECK(ChipLayout(19).networks() == 2);
    CHECK(ChipLayout(19).smsOf(0) == 16);
    CHECK(ChipLayout(132).networks() == 9);
    CHECK(ChipLayout(132).smsOf(7) == 16);
    CHECK(ChipLayout(132).smsOf(8) == 4);
    CHECK(ChipLayout(132).clusterOf(5, 7) != ChipLayout(132).clusterOf(16, 7));
    CHECK(ChipLayout(132).clustersHeld(1, 16) == 8);
    CHECK(ChipLayout(132).clustersHeld(1, 2) == 66);
    CHECK(ChipLayout(16).clustersHeld(32, 2) == kMaxClusters);
    CHECK(ChipLayout(16).clustersHeld(32, 1) == 512);
}

TEST_CASE("a set of SMs is walked in order, also while it gets empty", "[units]")
{
    SmSet set;
    CHECK(!set.any());
    for (const unsigned sm : {147u, 0u, 64u, 63u}) set.add(sm);
    SmSet more;
    more.add(100);
    std::vector<unsigned> seen;
    SmSet::eachOf(set, more, [&](unsigned sm) {
        seen.push_back(sm);
        set.remove(sm);
    });
    CHECK(seen == std::vector<unsigned>{0, 63, 64, 100, 147});
    CHECK(!set.any());
}

TEST_CASE("barriers on all SMs of a chip answer under its numbers and at one time", "[units]")
{
    for (const UnitKind kind : builtKinds()) {
        CAPTURE(nameOf(kind));
        Rig rig(kind, 132);
        REQUIRE(rig.chip.sms() == 132);
        for (unsigned sm = 0; sm < 132; ++sm)
            REQUIRE(rig.chip.launch({.sm = std::uint8_t(sm), .ctas = 1, .threads = 32}));
        rig.step(20);
        SyncRequest r{};
        r.op = Op::BarSync;
        r.lanes = ~Lanes{0};
        for (unsigned sm = 0; sm < 132; ++sm) {
            r.at.sm = std::uint8_t(sm);
            r.arg0 = 1;
            REQUIRE(rig.chip.canPresent(r.at.sm));
            rig.chip.present(r);
        }
        CHECK(rig.chip.quietUntil() == rig.chip.now());
        rig.step(60);
        REQUIRE(rig.releases.size() == 132);
        for (unsigned sm = 0; sm < 132; ++sm) {
            CHECK(rig.releases[sm].sm == sm);
            CHECK(rig.releases[sm].cycle == rig.releases[0].cycle);
        }
        for (std::size_t i = 0; i < rig.commits.size(); ++i) CHECK(rig.commits[i].seq == i);
        CHECK(rig.chip.quietUntil() == kNever);
        rig.chip.skipTo(rig.chip.now() + 1000);
        CHECK(!rig.chip.fault());
    }
}

TEST_CASE("one network that works does not hold up the others, nor they it", "[units]")
{
    for (const UnitKind kind : builtKinds()) {
        CAPTURE(nameOf(kind));
        // The same on SM 3 of a network and on SM 35 of a chip, whose other networks sleep.
        std::vector<Cycle> when;
        for (const unsigned sms : {16u, 40u}) {
            const auto sm = std::uint8_t(sms == 16 ? 3 : 35);
            Rig rig(kind, sms);
            REQUIRE(rig.chip.launch({.sm = sm, .ctas = 1, .threads = 32}));
            rig.step(50);
            SyncRequest r{};
            r.op = Op::BarSync;
            r.at.sm = sm;
            r.lanes = ~Lanes{0};
            r.arg0 = 1;
            rig.chip.present(r);
            rig.step(100);
            REQUIRE(rig.releases.size() == 1);
            CHECK(rig.releases[0].sm == sm);
            when.push_back(rig.releases[0].cycle);
        }
        CHECK(when[0] == when[1]);
    }
}

TEST_CASE("random grids over the networks of a chip",
          "[units][GDC-002][GDC-003][GDC-005][GDC-006][GDC-008][D-58]")
{
    const auto seed = GENERATE(range(1u, 6u));
    for (const UnitKind kind : builtKinds()) {
        CAPTURE(nameOf(kind), seed);
        Config config = configOf(seed % 3 == 0 ? Preset::Ideal : Preset::Hopper);
        if (seed == 2) config.grid_up_lat = 0;
        if (seed == 4) config.grid_down_lat = 300;
        if (seed == 5) config.grid_up_lat = 500, config.grid_down_lat = 0;
        constexpr unsigned kSms = 36;
        WordMemory memory(kSms);
        Chip chip({.kind = kind, .sms = kSms, .onNote = {}, .structure = {}, .model = {}}, config,
                  memory, Chip::Grids::Whole);
        GridTraffic stimulus(
            chip,
            {.seed = seed, .sms = kSms, .slots = kChipGrids, .grids = 150, .skip = seed % 2 != 0});
        const GridStats& s = stimulus.run();
        if (chip.fault()) FAIL(chip.fault()->message);
        CHECK(s.wrong == "");
        CHECK(!s.hung);
        CHECK(s.parked > 10);
        CHECK(s.atOnce > 10);
        CHECK(s.repeats > 10);
        CHECK(s.silent > 10);
        CHECK(s.elsewhere > 5);
        CHECK(s.reused > 50);
        CHECK(s.cancelled > 5);
        CHECK(s.lateMemory > 10);
        std::cout << "chip grids, " << nameOf(kind) << ": seed " << seed << ", " << s.grids
                  << " grids, " << s.ctas << " CTAs, " << s.waits << " waits (" << s.parked
                  << " parked), " << s.cycles << " cycles\n";
    }
}
