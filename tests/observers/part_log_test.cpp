// Events at the ports of parts, reported as those of one port.
#include "catch.hpp"
#include "golden/golden_port.hpp"
#include "observers/part_log.hpp"

using namespace gsu;

namespace {

/// Records the events that it gets.
struct Told final : PortObserver {
    std::vector<std::string> all;
    void add(const char* what, unsigned sm, Cycle at)
    {
        all.push_back(std::string(what) + ' ' + std::to_string(sm) + " at " + std::to_string(at));
    }
    void onPlace(const Launch& l, std::uint32_t) override { add("place", l.sm, 0); }
    void onLaunch(Cycle at, const Launch& l) override { add("launch", l.sm, at); }
    void onExit(Cycle at, const Exit& e) override { add("exit", e.at.sm, at); }
    void onStored(Cycle at, std::uint8_t sm, std::uint32_t, std::uint32_t) override
    {
        add("stored", sm, at);
    }
    void onAccesses(Cycle at, const Accesses& a, bool performed) override
    {
        add(performed ? "performed" : "announced", a.at.sm, at);
    }
    void onRelease(const Release& r) override { add("release", r.sm, r.cycle); }
    void onCtaFree(const CtaFree& f) override { add("free", f.sm, f.cycle); }
};

template <class Record> Record of(std::uint8_t sm, Cycle at)
{
    Record r;
    r.sm = sm;
    r.cycle = at;
    return r;
}

Launch launchOn(std::uint8_t sm)
{
    Launch l;
    l.sm = sm;
    return l;
}

}  // namespace

TEST_CASE("events of parts come by cycle, the drivers' before the ports', parts in their order",
          "[observers]")
{
    GoldenPort port(1);  // at cycle 0
    PartLog first(port), second(port);
    Accesses accesses;
    second.onPlace(launchOn(1), 0);
    second.onLaunch(0, launchOn(1));
    Exit exit;
    exit.at.sm = 1;
    second.onExit(3, exit);  // before what the port of the first part reports in this cycle
    second.onRelease(of<Release>(1, 3));
    second.onStored(7, 1, 0, 4);
    first.onPlace(launchOn(0), 1);
    first.onLaunch(2, launchOn(0));
    first.onAccesses(3, accesses, false);
    first.onAccesses(3, accesses, true);
    first.onRelease(of<Release>(0, 3));
    first.onCtaFree(of<CtaFree>(0, 3));
    Told told, also;
    PartLog::tell({&first, &second}, {&told, &also});
    REQUIRE(told.all == std::vector<std::string>{
                            "place 0 at 0", "place 1 at 0", "launch 1 at 0", "launch 0 at 2",
                            "announced 0 at 3", "performed 0 at 3", "exit 1 at 3", "release 0 at 3",
                            "free 0 at 3", "release 1 at 3", "stored 1 at 7"});
    REQUIRE(also.all == told.all);
    // The logs are empty, and recording continues.
    told.all.clear();
    first.onRelease(of<Release>(0, 9));
    PartLog::tell({&first, &second}, {&told});
    REQUIRE(told.all == std::vector<std::string>{"release 0 at 9"});
}
