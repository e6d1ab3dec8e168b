// Data-path layouts: by the tables, and every position of every layout once.
#include <set>

#include "catch.hpp"
#include "exec/tmem/layout.hpp"

using namespace gsu::tmem;

namespace {

struct Case {
    Layout layout;
    unsigned m, group;
    bool ws;
    unsigned lanes;  ///< of 128 that hold something in each CTA
};
const std::vector<Case> kCases{{Layout::A, 256, 2, false, 128}, {Layout::B, 128, 2, false, 128},
                               {Layout::D, 128, 1, false, 128}, {Layout::D, 128, 1, true, 128},
                               {Layout::E, 64, 1, true, 128},   {Layout::F, 64, 1, false, 64},
                               {Layout::G, 32, 1, true, 128}};

/// The manual's table, written out again.
Place expected(Layout l, unsigned n, unsigned i, unsigned j)
{
    switch (l) {
        case Layout::A: return {i / 128, i % 128, j};
        case Layout::B: return {i / 64, i % 64 + 64 * (j / (n / 2)), j % (n / 2)};
        case Layout::D: return {0, i, j};
        case Layout::E: return {0, i + 64 * (j / (n / 2)), j % (n / 2)};
        case Layout::F: return {0, 32 * (i / 16) + i % 16, j};
        case Layout::G: return {0, i + 32 * (j / (n / 4)), j % (n / 4)};
        case Layout::C: break;
    }
    return {9, 9, 9};
}

}  // namespace

TEST_CASE("every position of D has its own cell", "[tmem]")
{
    for (const Case& c : kCases) {
        REQUIRE(*layoutOf(c.m, c.group, c.ws, false) == c.layout);
        for (unsigned n = c.ws ? 64 : 8 * c.group; n <= 256; n += c.ws ? 64 : 8 * c.group) {
            if (n == 192 && c.ws) continue;
            CAPTURE(nameOf(c.layout), n);
            std::set<Place> seen;
            std::set<unsigned> lanes;
            for (unsigned i = 0; i < c.m; ++i) {
                for (unsigned j = 0; j < n; ++j) {
                    const Place p = placeOfD(c.layout, n, i, j);
                    REQUIRE(p == expected(c.layout, n, i, j));
                    REQUIRE(
                        (p.cta < c.group && p.lane < dataPathOf(c.layout).lanes() && p.column < n));
                    REQUIRE(seen.insert(p).second);
                    lanes.insert(p.lane);
                    // A is in the lane of its row, in the copy for the bank of the column.
                    const Place a = placeOfA(c.layout, i, bankOf(c.layout, n, j));
                    REQUIRE((a.cta == p.cta && a.lane == p.lane && a.column == 0));
                }
            }
            REQUIRE(lanes.size() == c.lanes);
        }
    }
}

TEST_CASE("layout C is refused by name, and lanes that do not fit a layout", "[tmem]")
{
    CHECK(layoutOf(128, 2, false, true).refusal().rule == Rule::LayoutC);
    CHECK(*layoutOf(256, 2, false, true) == Layout::A);
    CHECK(layoutOf(64, 2, false, false).refusal().rule == Rule::Shape);
    CHECK(layoutOf(32, 1, false, false).refusal().rule == Rule::Shape);
    for (const Case& c : kCases) {
        for (unsigned lane = 0; lane < 128; ++lane)
            REQUIRE(problemOfLane(c.layout, lane).has_value() ==
                    !(lane == 0 || (c.layout == Layout::F && lane == 16)));
    }
    CHECK(problemOfLane(Layout::D, 16)->line() == "TC5-014: lane 16 with data-path layout D");
}

TEST_CASE("scale factors: a block of 32 lanes, four rows to the columns", "[tmem]")
{
    std::set<BytePlace> seen;
    for (unsigned line = 0; line < 256; ++line) {
        for (unsigned index = 0; index < 4; ++index) {
            const BytePlace p = placeOfScale(line, index, 0);
            REQUIRE((p.lane < 32 && p.column < 8 && p.byte < 4));
            REQUIRE(seen.insert(p).second);
            // In the 512 bytes that tcgen05.cp.32x128b.warpx4 brings: 16 a row, four for each 32 lines.
            const unsigned block = line / 128, byte = line % 32 * 16 + line % 128 / 32 * 4 + index;
            REQUIRE(512 * block + byte ==
                    512 * (p.column / 4) + p.lane * 16 + p.column % 4 * 4 + p.byte);
        }
    }
    CHECK(placeOfScale(70, 0, 3) == BytePlace{6, 2, 3});
    CHECK(placeOfScale(70, 1, 2) == BytePlace{6, 2, 3});
}

TEST_CASE("metadata: four bits for each chunk of each row, none twice", "[tmem]")
{
    for (const bool wide : {true, false}) {
        const MetadataFormat format = wide ? MetadataFormat::Wide : MetadataFormat::Narrow;
        std::set<BitPlace> seen;
        for (unsigned selector = 0; selector < (wide ? 2u : 1u); ++selector) {
            for (unsigned row = 0; row < 128; ++row) {
                for (unsigned chunk = 0; chunk < (wide ? 8u : 16u); ++chunk) {
                    const BitPlace p = placeOfMetadata(format, row, chunk, selector);
                    REQUIRE((p.lane < 128 && p.column < 2 && p.bit < 32 && p.bit % 4 == 0));
                    REQUIRE(seen.insert(p).second);
                    if (wide)
                        REQUIRE(p == BitPlace{row % 8 + 16 * (row / 16) + 8 * (chunk / 4), selector,
                                              16 * (row / 8 % 2) + 4 * (chunk % 4)});
                    else
                        REQUIRE(p == BitPlace{row, chunk / 8, 4 * (chunk % 8)});
                }
            }
        }
        REQUIRE(seen.size() == 128 * 16);
    }
}
