// Activity: how busy a server was as time went by.
#include <numeric>

#include "catch.hpp"
#include "exec/timing/activity.hpp"
#include "exec/timing/priority_server.hpp"

using namespace gsu;
using namespace gsu::timing;

namespace {

Ticks clocks(Cycle count) { return ticksOf(count); }

}  // namespace

TEST_CASE("an activity spreads what a server did over its time", "[activity]")
{
    Activity a;
    a.add({clocks(0), clocks(0)}, 0);
    CHECK(a.bins().empty());
    a.add({clocks(100), clocks(200)}, clocks(100));
    CHECK(a.bins() == std::vector<Ticks>{clocks(100)});
    a.add({clocks(128), clocks(640)}, clocks(256));  // half of the time
    CHECK(a.bins() == std::vector<Ticks>{clocks(164), clocks(128), clocks(64)});
    a.add({1, 1000}, 7);
    CHECK(std::accumulate(a.bins().begin(), a.bins().end(), Ticks{0}) == clocks(356) + 7);
}

TEST_CASE("what ends with a bin begins no other", "[activity]")
{
    Activity a;
    a.add({clocks(0), clocks(256)}, clocks(8));
    CHECK(a.bins() == std::vector<Ticks>{clocks(8)});
    a.add({clocks(256), clocks(512)}, clocks(4));
    CHECK(a.bins() == std::vector<Ticks>{clocks(8), clocks(4)});
}

TEST_CASE("servers tell what they do, and nothing before they are watched", "[activity]")
{
    Activity a, b;
    Server s;
    s.take(0, clocks(10));
    s.watch(a);
    s.take(clocks(300), clocks(20));
    CHECK(a.bins() == std::vector<Ticks>{0, clocks(20)});
    PriorityServer p;
    p.watch(b);
    p.first(0, clocks(16));
    p.rest(0, clocks(16));
    CHECK(b.bins() == std::vector<Ticks>{clocks(32)});
}
