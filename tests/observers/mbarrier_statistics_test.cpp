// Statistics of mbarriers, the pipelines that they form, and their words, on scripted events.
#include "observers/mbarrier_statistics.hpp"

#include <map>
#include <sstream>

#include "mbarrier_events.hpp"
#include "observers/mbar_word.hpp"
#include "observers/mbarrier_rings.hpp"
#include "observers/mbarrier_summary.hpp"

using namespace gsu;
using Kind = MbarrierArriver::Kind;

namespace {

const MbarrierRecord& recordAt(const MbarrierStatistics& s, std::uint32_t offset)
{
    for (const MbarrierRecord* r : s.records()) {
        if (r->offset == offset) return *r;
    }
    FAIL("no mbarrier at " << offset);
    return *s.records()[0];
}

}  // namespace

TEST_CASE("an mbarrier's phases, arrivals, bytes and waits are counted", "[observers][MBAR-010]")
{
    MbarrierStatistics s(1);
    events::ring(s);
    s.onEnd(9000);
    REQUIRE(s.records().size() == 4);
    const MbarrierRecord& full = recordAt(s, 0x100);
    CHECK(full.expected == 1);
    CHECK(full.inits == 1);
    CHECK(full.completions == 2);
    CHECK(full.arrivals == 2);
    CHECK(full.txBytes == 1024);
    CHECK(full.waits == 4);
    CHECK(full.blocked == 4 * 100);
    CHECK(full.longest == 100);
    CHECK(full.never == 0);
    std::uint64_t times = 0;
    REQUIRE(full.lastArriver(times) != nullptr);
    CHECK(full.lastArriver(times)->kind == Kind::BulkCopy);
    CHECK(times == 2);
    const MbarrierRecord& empty = recordAt(s, 0x110);
    CHECK(empty.completions == 2);
    CHECK(empty.arrivals == 4);
    CHECK(empty.txBytes == 0);
    CHECK(empty.blocked == 10);
    REQUIRE(empty.lastArriver(times) != nullptr);
    CHECK(*empty.lastArriver(times) == MbarrierArriver{Kind::Warp, 0, 2});
}

TEST_CASE("a wait lasts from its first poll to the answer true", "[observers][MBW-005]")
{
    MbarrierStatistics s(1);
    events::MbarrierScript script(s);
    s.onLaunch(0, events::launch(0, 64));
    script.init(8, 1);
    script.wait(100, 150, 8, 0, Cause::Timeout, false);
    script.wait(160, 210, 8, 0, Cause::Timeout, false);
    script.arrive(230, 8, 1);
    script.wait(220, 240, 8, 0);
    CHECK(recordAt(s, 8).waits == 1);
    CHECK(recordAt(s, 8).polls == 3);
    CHECK(recordAt(s, 8).blocked == 140);
    // True at once: no warp was blocked.
    script.wait(300, 320, 8, 1, Cause::AlreadyTrue);
    CHECK(recordAt(s, 8).waits == 2);
    CHECK(recordAt(s, 8).blocked == 140);
    script.open(400, 8, 1);
    s.onEnd(1000);
    CHECK(recordAt(s, 8).never == 1);
    CHECK(recordAt(s, 8).blocked == 140 + 600);
    CHECK(recordAt(s, 8).longestWarp == 1);
}

TEST_CASE("a poll given up by a CTA that ended is not a wait for ever", "[observers][MBW-005]")
{
    MbarrierStatistics s(1);
    events::MbarrierScript script(s);
    s.onLaunch(0, events::launch(0, 32));
    script.init(8, 1);
    script.wait(100, 120, 8, 0, Cause::Done, false);
    s.onCtaFree({0, 0, 200});
    s.onEnd(1000);
    CHECK(recordAt(s, 8).never == 0);
}

TEST_CASE("a remote arrival names the CTA that sent it", "[observers][MBAR-044]")
{
    MbarrierStatistics s(2);
    s.onRoute(0, {3, 0, 0, 0, 2});
    s.onRoute(0, {3, 1, 1, 4, 2});
    Launch owner = events::launch(0, 32, 2, 0), other = events::launch(4, 32, 2, 1);
    owner.cluster = other.cluster = 3;
    other.sm = 1;
    s.onPlace(owner, 20);
    s.onLaunch(0, owner);
    s.onPlace(other, 21);
    s.onLaunch(0, other);
    events::MbarrierScript script(s);
    script.init(0x40, 1);
    SyncRequest r = events::request(Op::MbarArrive, 5, 0, 12, 77, 1, 4);
    r.at.sm = 1;
    r.addr[0] = clusterAddress(0, 0x40);
    r.remote = true;
    s.onRequest(50, r);
    Commit c = events::commit(90, Unit::Mbarrier, Op::MbarArrive, 5, 0x40, true, Src::Remote);
    c.tag = 77;
    c.lanes = 1;
    c.oldWord = packMbar({.pending = 1, .expected = 1});
    c.newWord = packMbar({.phase = true, .pending = 1, .expected = 1});
    s.onCommit(c);
    const MbarrierRecord& m = recordAt(s, 0x40);
    CHECK(m.cta == 20);
    std::uint64_t times = 0;
    REQUIRE(m.lastArriver(times) != nullptr);
    CHECK(*m.lastArriver(times) == MbarrierArriver{Kind::RemoteWarp, 21, 5});
    CHECK(m.arrivers == std::set<GridWarp>{{21, 5}});
}

TEST_CASE("full and empty barriers are paired, and the late side is named", "[observers]")
{
    MbarrierStatistics s(1);
    events::ring(s);
    s.onEnd(9000);
    const auto rings = ringsOf(s);
    REQUIRE(rings.size() == 1);
    const MbarrierRing& ring = rings[0];
    CHECK(ring.unknown.empty());
    CHECK(ring.copies);
    CHECK(ring.stride == 8);
    CHECK(ring.producers == std::vector<GridWarp>{{0, 0}});
    CHECK(ring.consumers == std::vector<GridWarp>{{0, 1}, {0, 2}});
    REQUIRE(ring.stages.size() == 2);
    for (unsigned i = 0; i < 2; ++i) {
        CHECK(ring.stages[i].full == events::kFull[i]);
        CHECK(ring.stages[i].empty == events::kEmpty[i]);
        CHECK(ring.stages[i].rounds == 2);
        CHECK(ring.stages[i].consumers.blocked == 400);
        CHECK(ring.stages[i].producers.blocked == 10);
        CHECK(ring.stages[i].bound() == RingBound::Producer);
        CHECK(ring.stages[i].consumers.clocks == 2 * (ring.to - ring.from));
    }
    const std::string text = ringTable(s, {}) + mbarrierTable(s, {});
    CHECK(text.find("producer-bound") != std::string::npos);
    CHECK(text.find("bulk copy (2x)") != std::string::npos);
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) CHECK(line.size() <= 100);
}

TEST_CASE("who waits more decides what bounds a stage", "[observers]")
{
    CHECK(boundOf({100, 1000}, {300, 1000}) == RingBound::Consumer);
    CHECK(boundOf({300, 1000}, {100, 1000}) == RingBound::Producer);
    CHECK(boundOf({300, 3000}, {100, 1000}) == RingBound::Balanced);  // per warp
    CHECK(boundOf({}, {}) == RingBound::Balanced);
}

TEST_CASE("what cannot be told apart is unknown, what is no ring is none", "[observers]")
{
    SECTION("a barrier on which all arrive and all wait")
    {
        MbarrierStatistics s(1);
        events::MbarrierScript script(s);
        s.onLaunch(0, events::launch(0, 64));
        for (const std::uint32_t at : {0u, 8u}) {
            script.init(at, 2);
            script.arrive(10, at, 0);
            script.arrive(20, at, 1);
            script.wait(12, 25, at, 0);
            script.wait(21, 25, at, 1);
        }
        CHECK(ringsOf(s).empty());
    }
    SECTION("bytes on both sides")
    {
        MbarrierStatistics s(1);
        events::MbarrierScript script(s);
        s.onLaunch(0, events::launch(0, 64));
        for (const std::uint8_t side : {std::uint8_t{0}, std::uint8_t{1}}) {
            script.init(side * 8u, 1);
            script.expect(10, side * 8u, 16, side);
            script.copied(20, side * 8u, 16);
            script.wait(12, 25, side * 8u, std::uint8_t(1 - side));
        }
        REQUIRE(ringsOf(s).size() == 1);
        CHECK(ringsOf(s)[0].stages.empty());
        CHECK(!ringsOf(s)[0].unknown.empty());
        CHECK(ringTable(s, {}).find("unknown") != std::string::npos);
    }
    SECTION("more full than empty barriers")
    {
        MbarrierStatistics s(1);
        events::ring(s);
        events::MbarrierScript script(s);
        script.init(0x200, 1);
        script.expect(10, 0x200, 16, 0);
        script.copied(20, 0x200, 16);
        script.wait(12, 25, 0x200, 1);
        script.wait(12, 25, 0x200, 2);
        REQUIRE(ringsOf(s).size() == 1);
        CHECK(ringsOf(s)[0].unknown == "3 full and 2 empty barriers");
    }
}

TEST_CASE("a word is judged", "[observers][MBAR-002]")
{
    CHECK(stateOf(0) == MbarWordState::Uninitialised);
    const MbarState running{.pending = 3, .expected = 4, .tx = 512};
    CHECK(stateOf(packMbar(running)) == MbarWordState::Valid);
    CHECK(stateOf(packMbar(running), true) == MbarWordState::Inconsistent);
    CHECK(explainMbarWord(packMbar(running)).find("lacks 3, and 512 bytes") != std::string::npos);
    CHECK(stateOf(packMbar(running) | 1) == MbarWordState::Inconsistent);
    CHECK(stateOf(packMbar({.pending = 0, .expected = 4})) == MbarWordState::Inconsistent);
    CHECK(stateOf(packMbar({.pending = 0, .expected = 4, .tx = 1})) == MbarWordState::Valid);
    CHECK(stateOf(packMbar({.pending = 5, .expected = 4})) == MbarWordState::Doubtful);
    CHECK(stateOf(packMbar({.phase = true})) == MbarWordState::Retired);
    CHECK(stateOf(packMbar({.lock = true, .pending = 1, .expected = 1})) == MbarWordState::Locked);
}
