// Products of a pair of CTAs: each has half of A's rows and half of B's columns.
#include "problem.hpp"

using namespace tmemtest;

TEST_CASE("a pair of CTAs makes one product", "[tmem]")
{
    struct Case {
        Kind kind;
        Fields fields;
        bool sparse, inside;
        unsigned swizzle;
    };
    const std::vector<Case> cases{
        {Kind::F16, {.m = 256, .n = 32}, false, false, 2},
        {Kind::F16, {.m = 256, .n = 64, .transposeA = true, .transposeB = true}, false, false, 4},
        {Kind::F16, {.m = 128, .n = 16}, false, false, 0},
        {Kind::F16, {.m = 128, .n = 64, .d = 0}, false, true, 2},
        {Kind::F16, {.m = 256, .n = 32, .selector = 1}, true, true, 2},
        {Kind::Tf32, {.m = 256, .n = 16, .a = 2, .b = 2}, false, true, 2},
        {Kind::F8f6f4, {.m = 256, .n = 32, .a = 5, .b = 4}, false, false, 2},
        {Kind::Mxf8f6f4,
         {.m = 256, .n = 48, .a = 0, .b = 1, .scaleA = 1, .scaleB = 3},
         false,
         false,
         2},
        {Kind::Mxf8f6f4, {.m = 256, .n = 32, .a = 5, .b = 0}, true, false, 2},
        {Kind::Mxf4nvf4, {.m = 256, .n = 32, .a = 1, .b = 1, .ue4m3 = true}, false, false, 2},
    };
    for (std::size_t at = 0; at < cases.size(); ++at) {
        const Case& c = cases[at];
        const unsigned seed = 500 + static_cast<unsigned>(at);
        std::mt19937_64 random(seed);
        Modifiers x;
        x.kind = c.kind;
        x.group = 2;
        x.sparse = c.sparse;
        x.aInside = c.inside;
        x.scaleVector = c.kind == Kind::Mxf8f6f4 ? 1 : c.kind == Kind::Mxf4nvf4 ? 4 : 0;
        x.disableWords = isScaled(c.kind) ? 0 : 8;
        Problem p(x, c.fields, c.swizzle);
        if (!isScaled(c.kind)) p.o.disabled = {1, 0, 0x80, 0, 0, 2, 0, 0x8000'0000};
        p.fill(random, [&](Elem e) { return usual(e, random); });
        const Verdict refusal = p.run(true);
        CAPTURE(seed, at);
        if (refusal) FAIL(refusal->line());
        unsigned kept = 0;
        for (unsigned row = 0; row < p.i.m; ++row) {
            for (unsigned column = 0; column < p.i.n; ++column) {
                const Place d = placeOfD(p.i.layout, p.i.n, row, column);
                const bool disabled =
                    (p.o.disabled[4 * d.cta + d.lane / 32] >> d.lane % 32 & 1) != 0;
                CAPTURE(row, column, d.cta, d.lane);
                const std::uint32_t old =
                    p.c[row * p.i.n + column] | (p.i.d == Elem::F16 ? 0xabcd'0000u : 0);
                REQUIRE(p.cell(row, column) == (disabled ? old : p.expected(row, column)));
                kept += disabled;
            }
        }
        CHECK(kept == (isScaled(c.kind) ? 0 : 4 * p.i.n / p.i.path().banks));
    }
}

TEST_CASE("a pair clamps integers as one CTA does", "[tmem]")
{
    const unsigned seed = 7;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    for (const unsigned m : {128u, 256u}) {
        Modifiers x;
        x.kind = Kind::I8;
        x.group = 2;
        Problem p(x, {.m = m, .n = 64, .d = 2, .a = 1, .b = 0, .saturate = true}, 2);
        p.fill(random, [&](Elem e) {
            return e == Elem::S32 ? 0x7fff'f000u : static_cast<std::uint32_t>(random() & 0xff);
        });
        REQUIRE_FALSE(p.run().has_value());
        unsigned clamped = 0;
        for (unsigned row = 0; row < m; ++row) {
            for (unsigned column = 0; column < 64; ++column) {
                std::int64_t sum = 0x7fff'f000;
                for (unsigned k = 0; k < 32; ++k)
                    sum += std::int64_t{static_cast<std::int8_t>(p.a[row * 32 + k])} *
                           p.b[k * 64 + column];
                clamped += sum > INT32_MAX;
                REQUIRE(p.cell(row, column) ==
                        static_cast<std::uint32_t>(std::min<std::int64_t>(sum, INT32_MAX)));
            }
        }
        CHECK(clamped > 100);
    }
}
