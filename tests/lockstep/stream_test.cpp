// Random streams as gsu fuzz --requests draws them: golden beside golden, what they come to, and how they become small.
#include <iostream>

#include "catch.hpp"
#include "golden/golden_port.hpp"
#include "golden/word_memory.hpp"
#include "lockstep/lockstep_port.hpp"
#include "observers/tap_port.hpp"
#include "traffic/stream.hpp"

using namespace gsu;
using namespace gsu::traffic;

namespace {

const std::vector<Kind> kAll{Kind::Barriers, Kind::Warp, Kind::Mbarriers, Kind::Grids,
                             Kind::Orders};

Counts countsOf(const Stream& s)
{
    WordMemory memory(s.sms);
    GoldenPort device(s.sms);
    device.setMemory(memory);
    TapPort port(device);
    Counter counter(s.sms);
    port.add(counter);
    CHECK(drive(port, s).wrong == "");
    CHECK(!port.fault());
    return counter.counts;
}

}  // namespace

TEST_CASE("streams of all kinds come to requests of all units", "[D-01]")
{
    Counts total;
    for (std::uint64_t i = 0; i < 15; ++i) {
        const Stream s = streamOf(7, i, 4'000, kAll);
        CAPTURE(i, s.sms, s.legal);
        total.add(countsOf(s));
    }
    for (const auto& [name, field] : fieldsOf(total)) {
        CAPTURE(name);
        const std::string_view of = name;  // these three are counted by who runs the stream
        if (of != "streams" && of != "cycles" && of != "cut") CHECK(*field > 20);
    }
    std::cout << "streams: seed 7, " << total.requests << " requests, " << total.commits
              << " commits\n";
}

TEST_CASE("a stream is the same every time, and parameters are those of its command line")
{
    const Stream one = streamOf(3, 5, 1'000, kAll), two = streamOf(3, 5, 1'000, kAll);
    CHECK(one.sets == two.sets);
    CHECK(countsOf(one).commits == countsOf(two).commits);
    CHECK(streamOf(3, 6, 1'000, kAll).seed != one.seed);
    bool drawn = false;
    for (std::uint64_t i = 0; i < 8; ++i) {
        const Stream s = streamOf(3, i, 10, kAll);
        Config config = configOf(s.ideal ? Preset::Ideal : Preset::Hopper);
        for (const std::string& assignment : s.sets) CHECK(setParameter(config, assignment) == "");
        drawn = drawn || !s.sets.empty();
    }
    CHECK(drawn);
}

TEST_CASE("a stream that fails becomes the smallest that does")
{
    Stream s = streamOf(1, 2, 20'000, kAll);
    s.sms = 5;
    s.sets = {"dsm_hop=7", "smem_lat=3"};
    unsigned tries = 0;
    const Stream small = smaller(s, [&](const Stream& c) {
        ++tries;
        return c.requests >= 137 && c.sms >= 2 &&
               std::find(c.sets.begin(), c.sets.end(), "smem_lat=3") != c.sets.end();
    });
    CHECK(small.requests == 137);
    CHECK(small.sms == 2);
    CHECK(small.sets == std::vector<std::string>{"smem_lat=3"});
    CHECK(tries < 40);
}
