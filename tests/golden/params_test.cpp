#include <set>
#include <string>

#include "catch.hpp"
#include "golden/params.hpp"

using namespace gsu;

TEST_CASE("every preset lies in the range of every parameter and reads back", "[params]")
{
    std::set<std::string> keys;
    for (const Parameter& p : parameters()) {
        INFO(p.key);
        CHECK(keys.insert(p.key).second);
        CHECK(p.min <= p.max);
        CHECK(std::string(p.unit).size() > 0);
        CHECK(std::string(p.evidence).size() > 10);
        for (const Preset preset :
             {Preset::Hopper, Preset::Ampere, Preset::Blackwell, Preset::Ideal}) {
            const std::uint32_t value = p.preset[static_cast<std::size_t>(preset)];
            CHECK(value >= p.min);
            CHECK(value <= p.max);
            CHECK(p.get(configOf(preset)) == value);
        }
    }
}

TEST_CASE("a parameter table row exists for every field of cfg_t", "[params]")
{
    // Each row set to its maximum, packed: every bit outside the reserved word must be reachable.
    Config config{};
    for (const Parameter& p : parameters()) p.set(config, ~0u);
    std::uint32_t words[raw::Cfg::kWords]{};
    raw::pack(config, words);
    for (unsigned w = 1; w < raw::Cfg::kWords; ++w) CHECK(words[w] == ~0u);
}

TEST_CASE("preset names", "[params]")
{
    Preset preset{};
    for (const Preset p : {Preset::Hopper, Preset::Ampere, Preset::Blackwell, Preset::Ideal}) {
        REQUIRE(presetOf(nameOf(p), preset));
        CHECK(preset == p);
    }
    CHECK_FALSE(presetOf("volta", preset));
    CHECK_FALSE(presetOf({}, preset));
}

TEST_CASE("setting a parameter, and what is said when it cannot be set", "[params]")
{
    Config config = configOf(Preset::Hopper);
    CHECK(setParameter(config, "bar_interval=7").empty());
    CHECK(config.bar_interval == 7);
    CHECK(setParameter(config, "trywait_limit=0xffffffff").empty());
    CHECK(config.trywait_limit == 0xffffffffu);
    const Config before = config;
    CHECK(setParameter(config, "bar_intervall=7").find("did you mean 'bar_interval'") !=
          std::string::npos);
    CHECK(setParameter(config, "trywait_slot=7").find("'trywait_slots'") != std::string::npos);
    CHECK(setParameter(config, "foo=1") == "unknown parameter 'foo' (gsu params lists them)");
    CHECK(setParameter(config, "bar_interval=0").find("outside 1..65535 clocks") !=
          std::string::npos);
    CHECK(setParameter(config, "bar_interval=65536").find("outside") != std::string::npos);
    CHECK(setParameter(config, "bar_interval=-1").find("not a number") != std::string::npos);
    CHECK(setParameter(config, "bar_interval=").find("not a number") != std::string::npos);
    CHECK(setParameter(config, "bar_interval=0x").find("not a number") != std::string::npos);
    CHECK(setParameter(config, "bar_interval=4294967296").find("4294967296 is outside") !=
          std::string::npos);
    CHECK(setParameter(config, "bar_interval").find("KEY=VALUE") != std::string::npos);
    CHECK(config == before);
}

TEST_CASE("the ideal preset adds no time", "[params]")
{
    for (const Parameter& p : parameters()) {
        INFO(p.key);
        const std::uint32_t ideal = p.preset[static_cast<std::size_t>(Preset::Ideal)];
        if (std::string(p.unit) == "clocks" && std::string(p.key) != "trywait_limit")
            CHECK(ideal == p.min);
    }
    const Config ideal = configOf(Preset::Ideal);
    CHECK(ideal.net_bytes == 0);  // unlimited
    CHECK(ideal.mbar_policy == configOf(Preset::Hopper).mbar_policy);
    CHECK(ideal.trywait_slots == configOf(Preset::Hopper).trywait_slots);
    CHECK(ideal.trywait_limit == configOf(Preset::Hopper).trywait_limit);
}

TEST_CASE("Ampere and Blackwell are Hopper but for what is known to differ", "[params]")
{
    const auto apart = [](Preset other) {
        std::set<std::string> keys;
        for (const Parameter& p : parameters())
            if (p.get(configOf(other)) != p.get(configOf(Preset::Hopper))) keys.insert(p.key);
        return keys;
    };
    CHECK(apart(Preset::Ampere) == std::set<std::string>{"mbar_interval", "mbar_lat", "mbar_policy",
                                                         "trywait_lat", "trywait_slots"});
    CHECK(apart(Preset::Blackwell) == std::set<std::string>{"redux_minmax_lat"});
}
