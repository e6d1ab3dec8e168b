// The parts of the RTL that --waves names.
#include "golden/wave_scopes.hpp"

#include "catch.hpp"

using namespace gsu;

TEST_CASE("parts for waves: SMs, units of one or all SMs, the network", "[waves]")
{
    std::vector<WaveScope> scopes;
    REQUIRE(setWaveScopes(scopes, "sm3,mbar,sm0.named,net,sm15", 16) == "");
    REQUIRE(scopes.size() == 5);
    CHECK(scopes[0].sm == 3);
    CHECK(scopes[0].unit == "");
    CHECK_FALSE(scopes[0].net);
    CHECK(scopes[1].sm == -1);
    CHECK(scopes[1].unit == "u_mbar");
    CHECK(scopes[2].sm == 0);
    CHECK(scopes[2].unit == "u_core u_named_barrier");
    CHECK(scopes[3].sm == -1);
    CHECK(scopes[3].net);
    CHECK(scopes[4].sm == 15);
}

TEST_CASE("what is no part for waves is said by name", "[waves]")
{
    const std::string no = " is no part of the RTL: net, smN, UNIT or smN.UNIT, with UNIT one of ";
    const std::string units = "ctas, join, named, cluster, mbar, order, waiting, fence, grid";
    CHECK(waveUnits() == units);
    const auto problem = [](std::string_view text, unsigned sms) {
        std::vector<WaveScope> scopes;
        return setWaveScopes(scopes, text, sms);
    };
    CHECK(problem("sm2", 2) == "'sm2': there are SMs 0 to 1");
    CHECK(problem("sm7.mbar", 4) == "'sm7.mbar': there are SMs 0 to 3");
    CHECK(problem("sm", 2) == "'sm'" + no + units);
    CHECK(problem("sm1x", 2) == "'sm1x'" + no + units);
    CHECK(problem("sm1.", 2) == "'sm1.'" + no + units);
    CHECK(problem("sm0.bar", 2) == "'sm0.bar'" + no + units);
    CHECK(problem("mbar,,net", 2) == "''" + no + units);
    CHECK(problem("net", 2) == "");
    CHECK(problem("net", 1) == "net: one SM alone has no network");
}
