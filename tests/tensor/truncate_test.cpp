// Sums that are cut off: against integers of 128 bits, and where the two modes must agree or differ.
#include <bit>
#include <cmath>
#include <iostream>
#include <random>

#include "catch.hpp"
#include "exec/tensor/mma.hpp"
#include "exec/tensor/multiply.hpp"

using namespace gsu::tensor;

namespace {

__extension__ typedef __int128 Wide;

/// Value of `bits` as mantissa times 2^exponent.
struct Parts {
    Wide mantissa{};
    int exponent{};
};
Parts partsOf(float x)
{
    int exponent = 0;
    const float fraction = std::frexp(x, &exponent);
    return {static_cast<Wide>(std::ldexp(fraction, 24)), exponent - 24};
}
int lengthOf(Wide x)
{
    int length = 0;
    for (x = x < 0 ? -x : x; x != 0; x /= 2) ++length;
    return length;
}
Wide shifted(Wide x, int by)  // toward zero
{
    if (by >= 0) return x * (Wide{1} << by);
    return -by > 120 ? Wide{0} : x / (Wide{1} << -by);
}

/// One block, in whole numbers: every term cut to `fraction` bits below the top, summed, cut to 24 bits.
float block(const std::vector<Parts>& terms, int fraction)
{
    int top = -10000;
    for (const Parts& t : terms)
        if (t.mantissa != 0) top = std::max(top, lengthOf(t.mantissa) + t.exponent);
    Wide sum = 0;
    const int unit = top - 1 - fraction;
    for (const Parts& t : terms)
        if (t.mantissa != 0) sum += shifted(t.mantissa, t.exponent - unit);
    const int excess = std::max(lengthOf(sum) - 24, -149 - unit);
    const Wide kept = excess > 0 ? shifted(sum, -excess) : sum;
    return std::ldexp(static_cast<float>(static_cast<long long>(kept)), unit + std::max(excess, 0));
}

}  // namespace

TEST_CASE("truncated sums are those of whole numbers cut off", "[tensor]")
{
    const unsigned seed = 20261122;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    unsigned differ = 0, compared = 0;
    for (const Elem elem : {Elem::F16, Elem::BF16, Elem::TF32, Elem::E4M3, Elem::E5M2}) {
        const Truncation t = hopperTruncation(elem);
        for (unsigned round = 0; round < 400; ++round) {
            const unsigned k = t.block * (1 + round % 3), n = 8, m = 2;
            std::vector<float> a(m * k), b(k * n), c(m * n), chain;
            const auto draw = [&] {
                for (;;) {
                    const auto bits = static_cast<std::uint32_t>(random());
                    const float v = valueOf(
                        elem, elem == Elem::TF32 ? bits : bits & ((1u << bitsOf(elem)) - 1));
                    if (std::isfinite(v) && std::fabs(v) < 1e6f && (v == 0 || std::fabs(v) > 1e-8f))
                        return v;
                }
            };
            for (float& v : a) v = draw();
            for (float& v : b) v = draw();
            for (float& v : c) v = draw();
            std::vector<float> expected = c;
            for (unsigned i = 0; i < m; ++i)
                for (unsigned j = 0; j < n; ++j)
                    for (unsigned first = 0; first < k; first += t.block) {
                        std::vector<Parts> terms{partsOf(expected[i * n + j])};
                        for (unsigned x = first; x < first + t.block; ++x) {
                            const Parts p = partsOf(a[i * k + x]), q = partsOf(b[x * n + j]);
                            terms.push_back({p.mantissa * q.mantissa, p.exponent + q.exponent});
                        }
                        expected[i * n + j] = block(terms, static_cast<int>(t.fraction));
                    }
            chain = c;
            multiplyTruncated({m, n, k, a.data(), b.data(), c.data(), nullptr, false}, t);
            multiply(Product<float>{m, n, k, a.data(), b.data(), chain.data(), nullptr, false});
            for (unsigned i = 0; i < c.size(); ++i) {
                CAPTURE(nameOf(elem), round, i);
                REQUIRE(std::bit_cast<std::uint32_t>(c[i]) ==
                        std::bit_cast<std::uint32_t>(expected[i]));
                differ += c[i] != chain[i];
                ++compared;
            }
        }
    }
    CHECK(differ > compared / 4);
    std::cout << "truncated sums: " << compared << ", other than the chain's " << differ << "\n";
}

TEST_CASE("truncation leaves whole numbers, infinities, NaN and zeros alone", "[tensor]")
{
    const Truncation t = hopperTruncation(Elem::F16);
    const auto sum = [&](std::vector<float> a, std::vector<float> b, float c) {
        std::vector<float> wide(a.size() * 8), sums(8, c);
        for (std::size_t i = 0; i < a.size(); ++i) wide[i * 8] = b[i];
        multiplyTruncated({1, 8, static_cast<unsigned>(a.size()), a.data(), wide.data(),
                           sums.data(), nullptr, true},
                          t);
        return sums[0];
    };
    const float inf = INFINITY;
    CHECK(sum({3, -5}, {7, 2}, 100) == 111);
    CHECK(sum({inf, 1}, {1, 1}, -4) == inf);
    CHECK(std::isnan(sum({inf, 1}, {1, 1}, -inf)));
    CHECK(std::isnan(sum({inf}, {0}, 1)));
    CHECK(std::signbit(sum({-0.0f}, {1}, -0.0f)));
    CHECK(!std::signbit(sum({0.0f}, {1}, -0.0f)));
    // Bits below the 25th are lost at once, even if many of them would add up.
    CHECK(sum({1, 0x1p-13f, 0x1p-13f}, {1, 0x1p-13f, 0x1p-13f}, 0) == 1);
    CHECK(sum({0x1p-12f, 0x1p-12f}, {0x1p-12f, 0x1p-12f}, 1) == 1.0f + 0x1p-23f);
    CHECK(sum({-0x1p-13f}, {0x1p-12f}, 1) == 1.0f - 0x1p-24f);
    CHECK(sum({-0x1p-13f}, {0x1p-13f}, 1) == 1.0f);
}
