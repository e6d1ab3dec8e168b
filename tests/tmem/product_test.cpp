// The product of tcgen05.mma, dense and sparse, by one CTA: every kind, type, layout of operands and shape of D, bit by bit against whole numbers.
#include "problem.hpp"

using namespace tmemtest;

namespace {

struct Case {
    Kind kind;
    Fields fields;
    bool ws, sparse, inside;
    unsigned swizzle;
};

Modifiers modifiersOf(const Case& x)
{
    Modifiers m;
    m.kind = x.kind;
    m.weightStationary = x.ws;
    m.sparse = x.sparse;
    m.aInside = x.inside;
    return m;
}

const std::vector<Case> kCases{
    {Kind::F16, {.m = 128, .n = 64}, false, false, false, 2},
    {Kind::F16, {.m = 128, .n = 8}, false, false, false, 0},
    {Kind::F16, {.m = 64, .n = 24}, false, false, false, 4},
    {Kind::F16, {.m = 128, .n = 40, .a = 1, .b = 1}, false, false, true, 6},
    {Kind::F16,
     {.m = 64, .n = 64, .a = 1, .b = 1, .transposeA = true, .transposeB = true},
     false,
     false,
     false,
     2},
    {Kind::F16, {.m = 128, .n = 64, .transposeA = true}, false, false, false, 0},
    {Kind::F16, {.m = 128, .n = 64, .transposeB = true, .negateA = true}, false, false, false, 4},
    {Kind::F16, {.m = 128, .n = 32, .d = 0}, false, false, false, 2},
    {Kind::F16, {.m = 64, .n = 64, .d = 0, .negateB = true}, true, false, true, 6},
    {Kind::F16, {.m = 32, .n = 64}, true, false, false, 2},
    {Kind::F16, {.m = 32, .n = 128}, true, false, true, 0},
    {Kind::F16, {.m = 128, .n = 64}, true, false, false, 2},
    {Kind::F16, {.m = 128, .n = 16, .selector = 1}, false, true, false, 2},
    {Kind::F16, {.m = 64, .n = 16}, false, true, true, 4},
    {Kind::F16, {.m = 32, .n = 64, .selector = 1}, true, true, false, 2},
    {Kind::F16, {.m = 64, .n = 64}, true, true, true, 2},
    {Kind::Tf32, {.m = 128, .n = 48, .a = 2, .b = 2}, false, false, false, 2},
    {Kind::Tf32,
     {.m = 64, .n = 32, .a = 2, .b = 2, .transposeA = true, .transposeB = true},
     false,
     false,
     false,
     0},
    {Kind::Tf32, {.m = 128, .n = 16, .a = 2, .b = 2}, false, true, true, 4},
    {Kind::Tf32, {.m = 64, .n = 64, .a = 2, .b = 2}, true, false, true, 6},
    {Kind::F8f6f4, {.m = 128, .n = 32, .a = 0, .b = 1}, false, false, false, 2},
    {Kind::F8f6f4, {.m = 64, .n = 16, .a = 3, .b = 4}, false, false, false, 2},
    {Kind::F8f6f4, {.m = 128, .n = 16, .a = 5, .b = 0}, false, false, true, 4},
    {Kind::F8f6f4, {.m = 128, .n = 16, .d = 0, .a = 4, .b = 5}, false, false, false, 6},
    {Kind::F8f6f4,
     {.m = 128, .n = 32, .a = 1, .b = 1, .transposeA = true, .transposeB = true},
     false,
     false,
     false,
     2},
    {Kind::F8f6f4, {.m = 128, .n = 8, .a = 5, .b = 3}, false, true, false, 2},
    {Kind::F8f6f4, {.m = 32, .n = 64, .a = 0, .b = 0}, true, true, false, 4},
    {Kind::F8f6f4, {.m = 64, .n = 64, .a = 5, .b = 5}, true, true, true, 2},
};

}  // namespace

TEST_CASE("D of every kind of floats is the sum in whole numbers", "[tmem]")
{
    const auto at = GENERATE(range(std::size_t{0}, kCases.size()));
    const Case& x = kCases[at];
    const unsigned seed = 100 + static_cast<unsigned>(at);
    std::mt19937_64 random(seed);
    Problem p(modifiersOf(x), x.fields, x.swizzle);
    if (p.i.layout == Layout::F)
        p.o.d |= 16u << 16, p.o.aInside |= 16u << 16, p.o.metadata |= 16u << 16;
    p.o.accumulate = at % 4 != 1;
    p.fill(random, [&](Elem e) { return usual(e, random); });
    const std::array<TensorMemory, 2> before = p.memory;
    const Verdict refusal = p.run(true);
    CAPTURE(seed, at, nameOf(x.kind), p.i.m, p.i.n);
    if (refusal) FAIL(refusal->line());
    unsigned changed = 0;
    for (unsigned row = 0; row < p.i.m; ++row) {
        for (unsigned column = 0; column < p.i.n; ++column) {
            CAPTURE(row, column);
            REQUIRE(p.cell(row, column) == p.expected(row, column));
            changed += p.cell(row, column) != p.c[row * p.i.n + column];
            p.cell(row, column) = 0;
        }
    }
    CHECK(changed > p.i.m * p.i.n * 3 / 4);
    // Nothing but D has changed.
    std::array<TensorMemory, 2> rest = before;
    rest.swap(p.memory);
    for (unsigned row = 0; row < p.i.m; ++row)
        for (unsigned column = 0; column < p.i.n; ++column) p.cell(row, column) = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane)
        for (unsigned column = 0; column < kColumns; ++column)
            REQUIRE(p.memory[0].at(lane, column) == rest[0].at(lane, column));
}

TEST_CASE("whole numbers make the same product in any arithmetic", "[tmem]")
{
    const unsigned seed = 3;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    Modifiers x;
    x.kind = Kind::F16;
    Problem p(x, {.m = 128, .n = 256, .a = 0, .b = 0}, 2);
    p.fill(random, [&](Elem e) {
        const auto value = static_cast<float>(static_cast<int>(random() % 33) - 16);
        return e == Elem::F32 ? std::bit_cast<std::uint32_t>(value) : gsu::tensor::halfOf(value);
    });
    REQUIRE_FALSE(p.run().has_value());
    for (unsigned row = 0; row < 128; ++row) {
        for (unsigned column = 0; column < 256; ++column) {
            double sum = std::bit_cast<float>(p.c[row * 256 + column]);
            for (unsigned k = 0; k < 16; ++k)
                sum += double{gsu::tensor::valueOf(Elem::F16, p.a[row * 16 + k])} *
                       double{gsu::tensor::valueOf(Elem::F16, p.b[k * 256 + column])};
            REQUIRE(double{std::bit_cast<float>(p.cell(row, column))} == sum);
        }
    }
}

TEST_CASE("integers: wrapped, or clamped once", "[tmem]")
{
    struct Integers {
        unsigned m, n, a, b;
        bool ws, sparse, saturate, inside, transposed;
    };
    unsigned clamped = 0;
    for (const Integers& c : {Integers{128, 48, 0, 0, false, false, false, false, false},
                              {128, 16, 1, 0, false, false, true, true, false},
                              {64, 24, 0, 1, false, true, true, false, false},
                              {64, 64, 1, 1, true, false, true, true, false},
                              {32, 128, 1, 1, true, true, false, false, false},
                              {128, 32, 1, 1, false, false, true, false, true}}) {
        const unsigned seed = c.m + c.n;
        CAPTURE(seed, c.m, c.n, c.sparse, c.saturate);
        std::mt19937_64 random(seed);
        Modifiers x;
        x.kind = Kind::I8;
        x.weightStationary = c.ws;
        x.sparse = c.sparse;
        x.aInside = c.inside;
        Problem p(x,
                  {.m = c.m,
                   .n = c.n,
                   .d = 2,
                   .a = c.a,
                   .b = c.b,
                   .transposeA = c.transposed,
                   .transposeB = c.transposed,
                   .saturate = c.saturate},
                  2);
        p.fill(random, [&](Elem e) {
            const auto raw = static_cast<std::uint32_t>(random());
            if (e != Elem::S32) return raw & 0xff;
            return raw % 4 == 0 ? 0x7fff'ff00u : raw % 4 == 1 ? 0x8000'0010u : raw;
        });
        REQUIRE_FALSE(p.run().has_value());
        const auto value = [](unsigned isSigned, std::uint32_t byte) {
            return isSigned != 0 ? std::int64_t{static_cast<std::int8_t>(byte)}
                                 : std::int64_t{byte};
        };
        for (unsigned row = 0; row < c.m; ++row) {
            for (unsigned column = 0; column < c.n; ++column) {
                std::int64_t sum = static_cast<std::int32_t>(p.c[row * c.n + column]);
                for (unsigned j = 0; j < p.i.storedK(); ++j)
                    sum += value(c.a, p.a[row * p.i.storedK() + j]) *
                           value(c.b, p.b[p.columnOf(row, j) * c.n + column]);
                const std::int64_t kept = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
                clamped += c.saturate && kept != sum;
                REQUIRE(p.cell(row, column) == static_cast<std::uint32_t>(c.saturate ? kept : sum));
            }
        }
    }
    CHECK(clamped > 100);
}

TEST_CASE("disabled lanes keep D, scale-input-d halves it, infinities and NaN go through", "[tmem]")
{
    const unsigned seed = 17;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    for (const unsigned shift : {0u, 1u, 15u}) {
        for (const unsigned m : {64u, 128u}) {
            Modifiers x;
            x.kind = Kind::F16;
            x.disableWords = 4;
            x.scaleInputD = shift;
            Problem p(x, {.m = m, .n = 24}, 2);
            for (std::uint32_t& word : p.o.disabled) word = static_cast<std::uint32_t>(random());
            p.fill(random, [&](Elem e) {
                const bool special = random() % 64 == 0;
                return special
                           ? (e == Elem::F16 ? 0x7c00u + static_cast<std::uint32_t>(random() % 2)
                                             : 0xff80'0000u)
                           : usual(e, random);
            });
            REQUIRE_FALSE(p.run().has_value());
            unsigned kept = 0, special = 0;
            for (unsigned row = 0; row < m; ++row) {
                const unsigned lane = m == 64 ? row / 16 * 32 + row % 16 : row;
                const bool disabled = (p.o.disabled[lane / 32] >> lane % 32 & 1) != 0;
                for (unsigned column = 0; column < 24; ++column) {
                    const std::uint32_t want =
                        disabled ? p.c[row * 24 + column] : p.expected(row, column);
                    CAPTURE(shift, m, row, column);
                    REQUIRE(p.cell(row, column) == want);
                    kept += disabled;
                    special += !disabled && (want & 0x7f80'0000u) == 0x7f80'0000u;
                }
            }
            CHECK((kept > 24 && special > 24));
        }
    }
}

TEST_CASE("a zero-column mask: zeroed columns keep D, shifted ones read further on", "[tmem]")
{
    const unsigned seed = 23;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    for (const bool transposed : {false, true}) {
        Modifiers x;
        x.kind = Kind::F16;
        x.weightStationary = true;
        x.zeroColumnMask = true;
        Problem wide(x, {.m = 64, .n = 128, .transposeB = transposed, .maxShift = 2}, 2),
            p(x, {.m = 64, .n = 64, .transposeB = transposed, .maxShift = 2}, 2);
        wide.fill(random, [&](Elem e) { return usual(e, random); });
        // The same B in memory, of which the instruction with N = 64 has the first columns and, shifted, those behind.
        p.a = wide.a;
        for (unsigned n = 0; n < 64 * 64; ++n) p.c.push_back(usual(Elem::F32, random));
        for (unsigned k = 0; k < 16; ++k)
            for (unsigned column = 0; column < 64; ++column)
                p.b.push_back(wide.b[k * 128 + column + 5]);
        const auto b = p.b;
        for (unsigned k = 0; k < 16; ++k)
            for (unsigned column = 0; column < 64; ++column)
                p.b[k * 64 + column] = wide.b[k * 128 + column];
        p.place();
        p.shared[0] = wide.shared[0];
        p.b = b;
        p.o.zeroColumns = 1ull << 39 | 1ull << 33 | 2ull << 40 | 4ull << 48 |
                          5ull << 56;  // zero 3, use 5; the second half begins with zeros
        REQUIRE_FALSE(p.run().has_value());
        unsigned zeroed = 0;
        for (unsigned row = 0; row < 64; ++row) {
            for (unsigned column = 0; column < 64; ++column) {
                const unsigned at = column % 32 % 8;
                const bool zero = column < 32 ? at >= 5 : at < 3;
                CAPTURE(transposed, row, column);
                REQUIRE(p.cell(row, column) == p.expected(row, column, zero));
                zeroed += zero;
            }
        }
        CHECK(zeroed == 64 * 24);
    }
}

TEST_CASE(".ashift moves A behind the product", "[tmem]")
{
    const unsigned seed = 29;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    Modifiers x;
    x.kind = Kind::Tf32;
    x.aInside = x.shiftA = true;
    Problem p(x, {.m = 128, .n = 8, .a = 2, .b = 2});
    p.fill(random, [&](Elem e) { return usual(e, random); });
    const TensorMemory before = p.memory[0];
    REQUIRE_FALSE(p.run().has_value());
    for (unsigned row = 0; row < 128; ++row) {
        for (unsigned column = 0; column < 8; ++column)
            REQUIRE(p.cell(row, column) == p.expected(row, column));
        for (unsigned c = 0; c < 8; ++c)
            REQUIRE(p.memory[0].at(row, kColumnA + c) ==
                    before.at(row % 32 == 31 ? row : row + 1, kColumnA + c));
    }
}
