// Block-scaled products: factors of ue8m0 and ue4m3, groups of sixteen, NaN factors, copies that differ.
#include "problem.hpp"

using namespace tmemtest;

namespace {

struct Case {
    Kind kind;
    unsigned vector;
    Fields fields;
    bool sparse, inside;
};

const std::vector<Case> kCases{
    {Kind::Mxf8f6f4, 1, {.m = 128, .n = 32, .a = 0, .b = 0}, false, false},
    {Kind::Mxf8f6f4,
     1,
     {.m = 128, .n = 40, .a = 1, .b = 5, .negateA = true, .scaleA = 2, .scaleB = 1},
     false,
     false},
    {Kind::Mxf8f6f4, 1, {.m = 128, .n = 16, .a = 5, .b = 3, .scaleA = 3}, false, true},
    {Kind::Mxf8f6f4, 1, {.m = 128, .n = 32, .a = 4, .b = 1, .scaleB = 3}, true, false},
    {Kind::Mxf8f6f4,
     1,
     {.m = 128, .n = 32, .a = 0, .b = 1, .transposeA = true, .transposeB = true},
     false,
     false},
    {Kind::Mxf4, 2, {.m = 128, .n = 24, .a = 1, .b = 1, .scaleA = 2}, false, false},
    {Kind::Mxf4, 2, {.m = 128, .n = 16, .a = 1, .b = 1, .scaleB = 2}, true, true},
    {Kind::Mxf4nvf4,
     4,
     {.m = 128, .n = 40, .a = 1, .b = 1, .negateB = true, .ue4m3 = true},
     false,
     false},
    {Kind::Mxf4nvf4, 4, {.m = 128, .n = 16, .a = 1, .b = 1}, false, true},
    {Kind::Mxf4nvf4,
     2,
     {.m = 128, .n = 16, .a = 1, .b = 1, .scaleA = 2, .scaleB = 2},
     false,
     false},
    {Kind::Mxf4nvf4, 4, {.m = 128, .n = 16, .a = 1, .b = 1, .ue4m3 = true}, true, false},
};

Modifiers modifiersOf(const Case& c)
{
    Modifiers x;
    x.kind = c.kind;
    x.sparse = c.sparse;
    x.aInside = c.inside;
    x.scaleVector = c.vector;
    return x;
}

}  // namespace

TEST_CASE("D of every scaled kind is the sum in whole numbers", "[tmem]")
{
    const auto at = GENERATE(range(std::size_t{0}, kCases.size()));
    const Case& c = kCases[at];
    const unsigned seed = 900 + static_cast<unsigned>(at);
    CAPTURE(seed, at, nameOf(c.kind));
    for (const bool wild : {false, true}) {
        std::mt19937_64 random(seed);
        Problem p(modifiersOf(c), c.fields, 2);
        p.o.scaleA |= 3u << 30;  // as software keeps the id of the factors there
        p.fill(random, [&](Elem e) {
            return wild && e == Elem::F32 ? static_cast<std::uint32_t>(random()) & 0xbfff'ffffu
                                          : usual(e, random);
        });
        if (wild) {  // factors that push the sums out of every range, and some NaN
            for (std::uint32_t& s : p.scalesA) s = static_cast<std::uint32_t>(random() & 0xff);
            for (std::uint32_t& s : p.scalesB) s = static_cast<std::uint32_t>(random() & 0xff);
            p.place();
        }
        const Verdict refusal = p.run(true);
        if (refusal) FAIL(refusal->line());
        unsigned nan = 0, changed = 0;
        for (unsigned row = 0; row < p.i.m; ++row) {
            for (unsigned column = 0; column < p.i.n; ++column) {
                CAPTURE(wild, row, column);
                const std::uint32_t want = p.expected(row, column);
                REQUIRE(p.cell(row, column) == want);
                nan += want == 0x7fff'ffff;
                changed += want != p.c[row * p.i.n + column];
            }
        }
        CHECK(changed > p.i.m * p.i.n / 4);
        if (!wild) CHECK(nan == 0);
    }
}

TEST_CASE("copies of factors in the four quarters: the first counts, strictly all do", "[tmem]")
{
    const Case& c = kCases[0];
    std::mt19937_64 random(1);
    Problem p(modifiersOf(c), c.fields, 2);
    p.fill(random, [&](Elem e) { return usual(e, random); });
    p.memory[0].at(3 + 96, kColumnScaleB) ^= 1;
    const Verdict strict = p.run(true);
    REQUIRE(strict.has_value());
    CHECK(strict->line() == "TC5-063: factor of column 3 of B in lane 99");
    CHECK(p.cell(0, 0) == p.c[0]);
    REQUIRE_FALSE(p.run().has_value());
    for (unsigned row = 0; row < 128; ++row) REQUIRE(p.cell(row, 3) == p.expected(row, 3));
}
