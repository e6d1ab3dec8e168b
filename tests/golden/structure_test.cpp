// Structures as texts: names, ranges, one text for one structure, and what a preset gives on them.
#include "catch.hpp"
#include "golden/structure.hpp"

using namespace gsu;

TEST_CASE("a structure as text", "[structure]")
{
    Structure s;
    CHECK(textOf(s) == "");
    CHECK(setStructure(s, "Waits=64,Ctas=8") == "");
    CHECK(s.waits == 64);
    CHECK(s.ctas == 8);
    CHECK(textOf(s) == "Ctas=8,Waits=64");  // in the order of the list
    Structure again;
    CHECK(setStructure(again, textOf(s)) == "");
    CHECK(again == s);
    CHECK(setStructure(again, "Waits=32,Ctas=0x20") != "");  // decimal
    CHECK(setStructure(again, "Waits=32,Ctas=32") == "");
    CHECK(textOf(again) == "");
}

TEST_CASE("what no structure can be is said by name", "[structure]")
{
    const auto [text, reason] = GENERATE(table<const char*, const char*>(
        {{"Ctas", "expected NAME=VALUE, got 'Ctas'"},
         {"Wait=64",
          "no 'Wait' in the structure, did you mean 'Waits'? (gsu params --structure lists them)"},
         {"Foo=3", "no 'Foo' in the structure (gsu params --structure lists them)"},
         {"Ctas=33", "Ctas: 33 is outside 2..32 (5 bits in every port struct)"},
         {"Ctas=1", "Ctas: 1 is outside 2..32 (5 bits in every port struct)"},
         {"Bars=7", "Bars: 7 is outside 8..64 (PTX names 16; 6 bits in release_t)"},
         {"Waits=129", "Waits: 129 is outside 2..128 (8 bits in cfg_t)"},
         {"Sends=6", "Sends: 6 is no power of two"},
         {"Lines=many", "Lines: 'many' is not a number of 2..64"},
         {"Lines=-1", "Lines: '-1' is not a number of 2..64"},
         {"Ctas=8,Ctas=9", "Ctas is given twice"},
         {"Ctas=8,", "nothing after the last comma"},
         {",Ctas=8", "expected NAME=VALUE, got ''"}}));
    Structure s;
    CHECK(setStructure(s, text) == reason);
    CHECK(s == defaultStructure());  // nothing of it is taken
}

TEST_CASE("every member of a structure has its ends", "[structure]")
{
    for (const StructureItem& item : structureItems()) {
        CAPTURE(item.key);
        for (const unsigned value : {item.min, item.max}) {
            Structure s;
            CHECK(setStructure(s, std::string(item.key) + "=" + std::to_string(value)) == "");
            CHECK(s.*item.field == value);
        }
        const unsigned usual = defaultStructure().*item.field;
        CHECK(item.min <= usual);
        CHECK(usual <= item.max);
    }
}

TEST_CASE("parameters on a structure", "[structure]")
{
    Structure s;
    REQUIRE(setStructure(s, "Waits=64") == "");
    CHECK(configOf(Preset::Hopper, s).trywait_slots == 64);
    CHECK(configOf(Preset::Ampere, s).trywait_slots == 0);
    Config config = configOf(Preset::Hopper);
    CHECK(setParameter(config, "trywait_slots=33") ==
          "parameter 'trywait_slots': 33 is outside 0..32 slots");
    CHECK(setParameter(config, "trywait_slots=33", s) == "");
    CHECK(config.trywait_slots == 33);
    REQUIRE(setStructure(s, "Waits=8") == "");
    CHECK(configOf(Preset::Hopper, s).trywait_slots == 8);
    CHECK(setParameter(config, "trywait_slots=9", s) ==
          "parameter 'trywait_slots': 9 is outside 0..8 slots");
}
