// Cover points are hit by what they describe and by nothing else.
#include <algorithm>

#include "events.hpp"
#include "golden/mbarrier.hpp"
#include "observers/coverage.hpp"
#include "observers/mbar_word.hpp"

using namespace gsu;

namespace {

std::uint64_t hits(const Coverage& c, const std::string& point, const std::string& bin)
{
    for (const CoverPoint& p : c.points()) {
        if (point != p.id) continue;
        for (const CoverBin& b : p.bins) {
            if (b.name == bin) return b.hits;
        }
    }
    FAIL("no bin " + point + " " + bin);
    return 0;
}

}  // namespace

TEST_CASE("cover points count what happened", "[observers]")
{
    Coverage c(1);
    events::play(c);
    CHECK(hits(c, "CP-BAR-01", "id 3") == 2);
    CHECK(hits(c, "CP-BAR-01", "id 5") == 1);
    CHECK(hits(c, "CP-BAR-01", "id 4") == 0);
    CHECK(hits(c, "CP-BAR-02", "sync x unaligned") == 3);
    CHECK(hits(c, "CP-BAR-03", "absent") == 3);
    CHECK(hits(c, "CP-BAR-05", "unaligned x converged") == 3);
    CHECK(hits(c, "CP-BAR-06", "first") == 2);
    CHECK(hits(c, "CP-BAR-06", "last") == 1);
    CHECK(hits(c, "CP-BAR-07", "sync") == 1);
    CHECK(hits(c, "CP-BAR-07", "exit") == 0);
    CHECK(hits(c, "CP-BWS-01", "32") == 1);
    CHECK(hits(c, "CP-BWS-02", "1 group") == 1);
    CHECK(hits(c, "X-BAR-01", "sync x sync") == 1);
    CHECK(hits(c, "X-BAR-02", "absent x all warps live") == 3);
}

TEST_CASE("an exit that completes a barrier is seen as such", "[observers][BAR-039]")
{
    Coverage c(1);
    c.onLaunch(0, events::launch(0, 64));
    c.onRequest(5, events::request(Op::BarSync, 0, 0, 1, 1));
    c.onCommit(events::commit(6, Unit::Named, Op::BarSync, 0, 0));
    c.onExit(9, {{0, 0, 1}, ~Lanes{0}, false});
    c.onCommit(events::commit(10, Unit::Named, Op::EvWarpExit, 1, 0, true, Src::Exit));
    CHECK(hits(c, "CP-BAR-07", "exit") == 1);
    CHECK(hits(c, "X-BAR-01", "sync x exit") == 1);
}

TEST_CASE("every cover point is named once and has bins", "[observers]")
{
    const Coverage c(1);
    std::vector<std::string> names;
    for (const CoverPoint& p : c.points()) {
        names.emplace_back(p.id);
        CHECK(!p.bins.empty());
        CHECK(p.reached() == 0);
    }
    std::sort(names.begin(), names.end());
    CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
    CHECK(names.size() == 28);
}

TEST_CASE("an mbarrier word is explained", "[observers][MBAR-002]")
{
    CHECK(explainMbarWord(
              packMbar({.phase = false, .lock = false, .pending = 2, .expected = 4, .tx = 256})) ==
          "A wait for parity 1 succeeds, a wait for parity 0 does not. The phase under way was "
          "opened for 4 arrivals and lacks 2, "
          "and 256 bytes.");
    CHECK(explainMbarWord(
              packMbar({.phase = true, .lock = true, .pending = 0, .expected = 1, .tx = -8}))
              .find("lock bit") != std::string::npos);
    CHECK(explainMbarWord(0).find("not initialised") != std::string::npos);
    CHECK(explainMbarWord(
              packMbar({.phase = false, .lock = false, .pending = 5, .expected = 4, .tx = 0}))
              .find("damaged") != std::string::npos);
}
