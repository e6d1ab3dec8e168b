// Aligned sums against whole numbers: every type, every way through the kernels.
#include <bit>
#include <random>

#include "catch.hpp"
#include "exact.hpp"
#include "exec/tensor/multiply.hpp"
#include "exec/tmem/aligned_sum.hpp"

using gsu::tensor::Elem;
using namespace gsu::tmem;

namespace {

/// Bits of an element: usual ones, or any with zeros, subnormals, infinities and NaN among them.
std::uint32_t draw(std::mt19937_64& random, Elem e, bool any)
{
    const auto raw = static_cast<std::uint32_t>(random());
    const exact::Fields f = exact::fieldsOf(e);
    const unsigned bits = 1u + f.exponentBits + f.mantissa;
    std::uint32_t x = raw & static_cast<std::uint32_t>((1ull << bits) - 1);
    if (any && raw >> 29 == 0) x &= 1u << (bits - 1) | ((1u << f.mantissa) - 1);  // zero, subnormal
    if (any && raw >> 26 == 8)
        x |= ((1u << f.exponentBits) - 1) << f.mantissa;  // the largest exponent
    if (any && raw >> 28 == 15) x &= 1u << (bits - 1);    // zero
    if (!any && f.exponentBits == 8)
        x = (x & ~(0xffu << f.mantissa)) | (120u + raw % 11) << f.mantissa;
    if (!any && f.exponentBits == 5)
        x = (x & ~(0x1fu << f.mantissa)) | (10u + raw % 8) << f.mantissa;
    if (!any && e == Elem::E4M3 && (x & 0x7f) == 0x7f) x ^= 1;
    if (e == Elem::TF32) x = x << 13 | (raw & 0x1fff);
    return x;
}

int leastOf(Elem e) { return e == Elem::E2M1 ? -126 : 1 - exact::fieldsOf(e).bias; }

struct Case {
    Elem a, b;
    unsigned k;
    bool any, sparse, scaled, half;
    int shift;
};

struct Run {
    unsigned m = 3, n = 56;  // whole vectors of each width, and some that are left
    std::vector<std::uint32_t> a, b, c;
    std::vector<std::uint16_t> columns;
    std::vector<std::int16_t> rowScales, columnScales;

    Run(const Case& x, std::mt19937_64& random)
    {
        const unsigned rows = x.sparse ? 2 * x.k : x.k;
        for (unsigned i = 0; i < m * x.k; ++i) a.push_back(draw(random, x.a, x.any));
        for (unsigned i = 0; i < rows * n; ++i) b.push_back(draw(random, x.b, x.any));
        for (unsigned i = 0; i < m * n; ++i)
            c.push_back(draw(random, x.half ? Elem::F16 : Elem::F32, x.any));
        for (unsigned i = 0; x.sparse && i < m * x.k; ++i)
            columns.push_back(static_cast<std::uint16_t>(2 * (i % x.k) + random() % 2));
        const int spread = x.any ? 127 : 4;
        const auto scale = [&] {
            const int s = static_cast<int>(random() % (2 * spread + 1)) - spread;
            return static_cast<std::int16_t>(x.any && random() % 16 == 0 ? kSpecialExponent : s);
        };
        for (unsigned i = 0; x.scaled && i < m; ++i) rowScales.push_back(scale());
        for (unsigned i = 0; x.scaled && i < n; ++i) columnScales.push_back(scale());
    }

    [[nodiscard]] std::uint32_t expected(const Case& x, unsigned row, unsigned column) const
    {
        std::vector<exact::Number> terms;
        exact::Number c0 = exact::numberOf(x.half ? Elem::F16 : Elem::F32, c[row * n + column]);
        c0.lsb -= x.shift;
        c0.exponent -= x.shift;
        terms.push_back(c0);
        exact::Number factor{1, 0, 0, false, false};
        if (x.scaled) {
            factor.lsb = factor.exponent = rowScales[row] + columnScales[column];
            factor.nan = factor.lsb > 4000;
        }
        for (unsigned j = 0; j < x.k; ++j) {
            const unsigned other = x.sparse ? columns[row * x.k + j] : j;
            terms.push_back(
                exact::product(exact::product(exact::numberOf(x.a, a[row * x.k + j]),
                                              exact::numberOf(x.b, b[other * n + column])),
                               factor));
        }
        const exact::Number sum = exact::sumOf(terms, 25);
        return x.half ? exact::half(sum) : exact::single(sum);
    }
};

using Sum = void (*)(const AlignedSum&) noexcept;

/// The kernels that this processor can run.
std::vector<std::pair<std::string, Sum>> ways()
{
    std::vector<std::pair<std::string, Sum>> list{{"any processor", detail::sumPlain}};
#ifdef __x86_64__
    if (gsu::tensor::detail::hasAvx2()) list.emplace_back("AVX2", detail::sumAvx2);
    if (detail::hasAvx512()) list.emplace_back("AVX-512", detail::sumAvx512);
#endif
    return list;
}

std::vector<std::uint32_t> computed(const Case& x, const Run& run, Sum add)
{
    std::vector<float> a, b;
    for (const std::uint32_t bits : run.a) a.push_back(gsu::tensor::valueOf(x.a, bits));
    for (const std::uint32_t bits : run.b) b.push_back(gsu::tensor::valueOf(x.b, bits));
    std::vector<std::int16_t> ea(a.size()), eb(b.size());
    exponentsOf(a.data(), a.size(), leastOf(x.a), ea.data());
    exponentsOf(b.data(), b.size(), leastOf(x.b), eb.data());
    std::vector<std::uint32_t> cells = run.c;
    if (x.half)
        for (std::uint32_t& cell : cells)
            cell = std::bit_cast<std::uint32_t>(gsu::tensor::valueOf(Elem::F16, cell));
    std::vector<std::uint32_t*> rows;
    for (unsigned i = 0; i < run.m; ++i) rows.push_back(cells.data() + i * run.n);
    AlignedSum s{run.m, run.n, x.k, a.data(), ea.data(), b.data(), eb.data(), run.n};
    if (x.sparse) s.columns = run.columns.data();
    if (x.scaled) {
        s.rowScales = run.rowScales.data();
        s.columnScales = run.columnScales.data();
    }
    s.cells = rows.data();
    s.accumulate = true;
    s.scaleInputD = x.shift;
    s.forHalf = x.half;
    add(s);
    if (x.half)
        for (std::uint32_t& cell : cells) cell = gsu::tensor::halfOf(std::bit_cast<float>(cell));
    return cells;
}

const std::vector<Case> kCases{
    {Elem::F16, Elem::F16, 16, false, false, false, false, 0},
    {Elem::F16, Elem::F16, 16, true, false, false, false, 0},
    {Elem::BF16, Elem::BF16, 16, false, false, false, false, 0},
    {Elem::BF16, Elem::BF16, 16, true, false, false, false, 0},
    {Elem::TF32, Elem::TF32, 8, false, false, false, false, 0},
    {Elem::TF32, Elem::TF32, 8, true, false, false, false, 0},
    {Elem::E4M3, Elem::E5M2, 32, false, false, false, false, 0},
    {Elem::E4M3, Elem::E5M2, 32, true, false, false, false, 0},
    {Elem::E3M2, Elem::E2M3, 32, true, false, false, false, 0},
    {Elem::E2M1, Elem::E4M3, 32, true, false, false, false, 0},
    {Elem::E2M1, Elem::E2M1, 32, true, false, true, false, 0},
    {Elem::E4M3, Elem::E4M3, 32, true, false, true, false, 0},
    {Elem::F16, Elem::F16, 16, false, true, false, false, 0},
    {Elem::TF32, Elem::TF32, 8, true, true, false, false, 0},
    {Elem::F16, Elem::F16, 16, false, false, false, true, 0},
    {Elem::F16, Elem::F16, 16, true, false, false, true, 0},
    {Elem::E5M2, Elem::E5M2, 32, true, false, false, true, 0},
    {Elem::F16, Elem::F16, 16, true, false, false, false, 7},
    {Elem::F16, Elem::F16, 16, true, false, false, true, 15},
    {Elem::TF32, Elem::TF32, 8, false, false, false, false, 15},
};

}  // namespace

TEST_CASE("aligned sums are those of whole numbers cut off", "[tmem]")
{
    const Case x = GENERATE(from_range(kCases));
    const unsigned seed = 20261123;
    std::mt19937_64 random(seed);
    unsigned other = 0, special = 0, count = 0;
    for (unsigned round = 0; round < 60; ++round) {
        const Run run(x, random);
        for (const auto& [how, add] : ways()) {
            const auto cells = computed(x, run, add);
            for (unsigned i = 0; i < cells.size(); ++i) {
                CAPTURE(seed, round, i, how, nameOf(x.a), nameOf(x.b), x.k, x.any, x.half, x.shift);
                const std::uint32_t expected = run.expected(x, i / run.n, i % run.n);
                REQUIRE(cells[i] == expected);
                special += (expected & (x.half ? 0x7c00u : 0x7f80'0000u)) ==
                           (x.half ? 0x7c00u : 0x7f80'0000u);
                other += expected != run.c[i];
                ++count;
            }
        }
    }
    CHECK(other > count / 2);
    if (x.any && x.a != Elem::E3M2) CHECK(special > 0);
}

namespace {

/// a . b + c, of f16 values; `forHalf`: to be rounded to f16.
float dot(std::vector<float> a, std::vector<float> b, float c, bool forHalf = false)
{
    const auto k = static_cast<unsigned>(a.size());
    std::vector<float> wide(k * 8);
    for (unsigned j = 0; j < k; ++j) wide[j * 8] = b[j];
    std::vector<std::int16_t> ea(k), eb(k * 8);
    exponentsOf(a.data(), k, -14, ea.data());
    exponentsOf(wide.data(), wide.size(), -14, eb.data());
    std::vector<std::uint32_t> cells(8, std::bit_cast<std::uint32_t>(c));
    std::uint32_t* row = cells.data();
    AlignedSum s{1, 8, k, a.data(), ea.data(), wide.data(), eb.data(), 8};
    s.cells = &row;
    s.accumulate = true;
    s.forHalf = forHalf;
    sum(s);
    return std::bit_cast<float>(cells[0]);
}

}  // namespace

TEST_CASE("aligned sums, cases by hand", "[tmem]")
{
    CHECK(dot({3, -5}, {7, 2}, 100) == 111);
    // 25 bits below the largest exponent: what is smaller is lost at once, also where many would add up.
    CHECK(dot({1, 0x1p-13f, 0x1p-13f}, {1, 0x1p-13f, 0x1p-13f}, 0) == 1);
    CHECK(dot({0x1p-12f, 0x1p-12f}, {0x1p-12f, 0x1p-12f}, 1) == 1.0f + 0x1p-23f);
    CHECK(dot({-0x1p-13f}, {0x1p-12f}, 1) == 1.0f - 0x1p-24f);
    CHECK(dot({-0x1p-13f}, {0x1p-13f}, 1) == 1);
    // The exponent of a product is the sum of its factors' exponents, 1.5 * 1.5 counts as 2^0: one bit more is kept than below 2^1.
    CHECK(dot({1.5f, -1.5f, 0x1p-12f}, {1.5f, 1.5f, 0x1p-13f}, 0) == 0x1p-25f);
    CHECK(dot({2, -2, 0x1p-12f}, {1, 1, 0x1p-13f}, 0) == 0);
    // Subnormals of f16 count with its least exponent.
    CHECK(dot({0x1p-24f, 0x1p-14f}, {1, 0}, 0) == 0x1p-24f);
    // The result is cut, never rounded up; zeros are positive.
    CHECK(dot({1, 1}, {1, 0x1p-24f}, 0) == 1);
    CHECK(dot({1, 1, 1}, {1, 1, 1}, 16777216) == 16777218);
    CHECK(!std::signbit(dot({-1}, {0}, -0.0f)));
    CHECK(!std::signbit(dot({-1}, {1}, 1)));
    CHECK(dot({65504, 65504}, {65504, 65504}, INFINITY) == INFINITY);
    CHECK(std::isnan(dot({INFINITY}, {0}, 1)));
    CHECK(std::isnan(dot({INFINITY}, {1}, -INFINITY)));
    CHECK(dot({1}, {1}, std::numeric_limits<float>::max()) == std::numeric_limits<float>::max());
    CHECK(dot({65504}, {65504}, 0x1p-149f) == 65504.0f * 65504.0f);
    CHECK(dot({0}, {0}, 0x1p-149f) == 0x1p-149f);
}

TEST_CASE("f16 is rounded once: what f32 has no room for still decides a tie", "[tmem]")
{
    const auto half = [](float last) {
        return gsu::tensor::halfOf(dot({1, 0x1p-6f, last}, {1, 0x1p-5f, 0x1p-13f}, 0, true));
    };
    CHECK(half(0) == 0x3c00);         // half way between 1 and the next: to the even one
    CHECK(half(0x1p-12f) == 0x3c01);  // 2^-25 more
    CHECK(half(-0x1p-12f) == 0x3c00);
    CHECK(half(0x1p-14f) == 0x3c00);  // 2^-27 is cut before
}
