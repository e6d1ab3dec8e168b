// The table of parameters, and the proposed ones of the unit.
#include <algorithm>
#include <set>

#include "catch.hpp"
#include "exec/timing/calendar.hpp"
#include "exec/timing/unit_values.hpp"

using namespace gsu;
using namespace gsu::timing;

TEST_CASE("every parameter is in the table once, in its range, with a source and its mark")
{
    std::set<std::string> keys;
    for (const TimingParameter& p : timingParameters()) {
        INFO(p.key);
        CHECK(keys.insert(p.key).second);
        CHECK(std::string_view(p.key).substr(0, 7) == "timing.");
        for (const std::uint32_t value : {p.hopper, p.blackwell})
            CHECK((value >= p.min && value <= p.max));
        CHECK(p.low <= p.high);
        const std::string_view source = p.source;
        const bool marked = source.size() > 2 && (source[1] == ',' || source[1] == ':' ||
                                                  source.substr(1, 6) == " from ");
        CHECK(((marked && std::string_view("MFTDA").find(source[0]) != std::string_view::npos) ||
               source.find("data sheet") == 0 || source.find("H800") == 0));
        // What sources say includes what is taken.
        if (p.high != 0)
            CHECK((std::min(p.hopper, p.blackwell) >= p.low &&
                   std::max(p.hopper, p.blackwell) <= p.high));
    }
    // A field that no row names would be 0 for all.
    CHECK(keys.size() * sizeof(std::uint32_t) == sizeof(TimingParams));
}

TEST_CASE("values are set by key, and what is wrong is named")
{
    TimingParams p = timingParamsOf(Target::Hopper);
    CHECK(setTimingParameter(p, "timing.window=1").empty());
    CHECK(p.window == 1);
    CHECK(timingParamsOf(Target::Hopper).window == 16);
    CHECK(setTimingParameter(p, "timing.window") == "expected KEY=VALUE, found 'timing.window'");
    CHECK(setTimingParameter(p, "timing.windw=1") ==
          "unknown parameter 'timing.windw', did you mean 'timing.window'?");
    CHECK(setTimingParameter(p, "timing.window=65") ==
          "timing.window takes a whole number 1..64 (instructions), not '65'");
    CHECK(setTimingParameter(p, "timing.window=0") ==
          "timing.window takes a whole number 1..64 (instructions), not '0'");
    CHECK(p.window == 1);
    CHECK(timingParamsOf(Target::Blackwell).mma_rate == 2 * p.mma_rate);
    CHECK(std::string(nameOf(Target::Blackwell)) == "blackwell");
}

TEST_CASE("L2 and HBM keep their own clock where they have one")
{
    TimingParams p = timingParamsOf(Target::Blackwell);
    CHECK(atOwnClocks(p) == p);  // the figures are of the clock that the SMs have too
    p.clock_mhz = 1310;
    const TimingParams slow = atOwnClocks(p);
    CHECK((slow.l2_near == 200 && slow.l2_far == 400));
    CHECK((slow.hbm_near == 433 && slow.hbm_far == 633));
    CHECK(slow.l2_bytes == 15'360'000);
    CHECK(slow.sm_port == p.sm_port);
    TimingParams hopper = timingParamsOf(Target::Hopper);
    hopper.clock_mhz = 1000;
    CHECK(atOwnClocks(hopper) == hopper);
}

TEST_CASE("L2 moves bytes at any clock of its own")
{
    TimingParams p = timingParamsOf(Target::Blackwell);
    p.l2_mhz = 1;
    p.l2_bytes = 1000;
    CHECK(atOwnClocks(p).l2_bytes == 1);
    p.l2_mhz = 10'000;
    p.l2_bytes = 1u << 30;
    CHECK(atOwnClocks(p).l2_bytes == ~std::uint32_t{0});
}

TEST_CASE("no instruction takes its pipe for longer than a calendar can say, at any value of --set")
{
    TimingParams p = timingParamsOf(Target::Hopper);
    for (const TimingParameter& q : timingParameters()) p.*q.field = q.max;
    for (const auto& times : classTableOf(p)) CHECK(times.interval <= Calendar::kLongest);
}

TEST_CASE("proposed values are parameters of the unit, and differ from the preset")
{
    for (const UnitValue& v : unitValues()) {
        INFO(v.key);
        const auto p =
            std::find_if(parameters().begin(), parameters().end(),
                         [&](const Parameter& q) { return std::string_view(q.key) == v.key; });
        REQUIRE(p != parameters().end());
        CHECK((v.hopper >= p->min && v.hopper <= p->max));
        CHECK((v.blackwell >= p->min && v.blackwell <= p->max));
        CHECK(p->get(unitConfigOf(Target::Hopper)) == v.hopper);
        CHECK(p->get(unitConfigOf(Target::Blackwell)) == v.blackwell);
        CHECK(v.hopper != p->get(configOf(Preset::Hopper)));
    }
}

TEST_CASE("with the proposed values the sums give the published figures")
{
    for (const UnitFigure& f : unitFigures()) {
        INFO(f.name << ", " << nameOf(f.target) << ": " << f.source);
        const std::uint32_t sum = f.sum(unitConfigOf(f.target));
        CHECK(sum >= f.low);
        CHECK(sum <= f.high);
    }
    // The same sums give what calibration.md measures on the RTL with the preset.
    const Config preset = configOf(Preset::Hopper);
    const std::array<std::uint32_t, 8> want{36, 17, 54, 54, 137, 1'000'037, 24, 102};
    REQUIRE(unitFigures().size() == want.size());
    for (std::size_t i = 0; i < want.size(); ++i) CHECK(unitFigures()[i].sum(preset) == want[i]);
}
