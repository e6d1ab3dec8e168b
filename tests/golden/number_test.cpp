// Numbers and names in text: what is taken, what is not.
#include <string>
#include <vector>

#include "base/counted.hpp"
#include "base/hash.hpp"
#include "base/nearest.hpp"
#include "base/number.hpp"
#include "catch.hpp"

using namespace gsu;

TEST_CASE("whole numbers are taken whole or not at all", "[base]")
{
    CHECK(wholeNumber("0") == 0);
    CHECK(wholeNumber("18446744073709551615") == ~std::uint64_t{0});
    CHECK(wholeNumber("255", 255) == 255);
    CHECK(wholeNumber("0xff", 255, Digits::Either) == 255);
    CHECK(wholeNumber("0XFF", 255, Digits::Hexadecimal) == 255);
    for (const char* bad : {"", " 1", "1 ", "-1", "+1", "1.5", "1e9", "0x10", "x", "256",
                            "18446744073709551616", "99999999999999999999999"})
        CHECK(!wholeNumber(bad, 255));
    for (const char* bad : {"", "0x", "0xg", "0x10000000000000000", "ff", "-0x1", "0x-1", "12"})
        CHECK(!wholeNumber(bad, ~std::uint64_t{0}, Digits::Hexadecimal));
    CHECK(leadingNumber("12/3").used == 2);
    CHECK(leadingNumber("99999999999999999999/3").large);
    CHECK(leadingNumber("/3").used == 0);
}

TEST_CASE("the hash is FNV-1a, names have distances", "[base]")
{
    CHECK(fnv1a("") == 0xcbf29ce484222325ull);
    CHECK(fnv1a("a") == 0xaf63dc4c8601ec8cull);
    CHECK(fnv1a("bar", fnv1a("foo")) == fnv1a("foobar"));
    CHECK(editDistance("run", "rnu") == 1);
    CHECK(editDistance("", "run") == 3);
    CHECK(editDistance("timeline", "timelne") == 1);
}

TEST_CASE("counted nouns", "[base]")
{
    CHECK(counted(0, "CTA") == "0 CTAs");
    CHECK(counted(std::uint64_t{1}, "CTA") == "1 CTA");
    CHECK(counted(std::uint8_t{2}, "sync request") == "2 sync requests");
    CHECK(counted(-1, "byte") == "-1 byte");
    CHECK(counted(11, "copy", "copies") == "11 copies");
    CHECK(counted(1, "does", "do") == "1 does");
}

TEST_CASE("a name is suggested where it is near, and none where nothing is", "[base]")
{
    const std::vector<std::string> names{"dsm_hop", "net_bytes", "bar_interval", "mma", "id"};
    CHECK(nearestName(names, "dsm_hpo") == "dsm_hop");
    CHECK(nearestName(names, "bar_intervall") == "bar_interval");
    CHECK(nearestName(names, "mna") == "mma");
    CHECK(nearestName(names, "bar") == "bar_interval");
    CHECK(nearestName(std::vector<std::string>{"out"}, "count").empty());
    for (const char* other : {"foo", "x", "", "ab", "hopper", "interval_of_bars"}) {
        CAPTURE(other);
        CHECK(nearestName(names, other).empty());
    }
    CHECK(nearestName(names, std::string(100'000, 'b')).empty());
    CHECK(nearestName(std::vector<std::string>{}, "dsm_hop").empty());
}
