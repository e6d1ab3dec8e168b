// mxf4 and mxf4nvf4: sixteen products make an exact sum, and with their factors one term; the terms and the accumulator are aligned and cut.
#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include "exec/tensor/multiply.hpp"
#include "exec/tmem/aligned_sum.hpp"
#include "exec/tmem/product.hpp"

namespace gsu::tmem::detail {
namespace {

constexpr unsigned kGroup = 16, kMostGroups = std::tuple_size_v<decltype(Scratch::groups)>;

constexpr int kLeastExponent = -126;  // of zeros

/// A scale factor as significand times 2^exponent; the significand of subnormals is below 1.
struct Factor {
    float significand{};
    int exponent{};
};

Factor factorOf(Elem type, float value) noexcept
{
    if (!std::isfinite(value)) return {value, 0};
    const int least = type == Elem::UE4M3 ? -6 : -127;
    const int exponent = value == 0 ? kLeastExponent : std::max(std::ilogb(value), least);
    return {std::ldexp(value, -exponent), exponent};
}

struct Term {
    double significand{};
    int exponent{};
};

double powerOfTwo(int exponent) noexcept
{
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// Where exponents leave the usual range, or terms are infinite or no numbers.
std::uint32_t carefulSum(const Term* terms, unsigned count, int most) noexcept
{
    double plain = 0, total = 0;
    for (unsigned t = 0; t < count; ++t) {
        plain += terms[t].significand;
        total += std::trunc(
            std::ldexp(terms[t].significand, terms[t].exponent - most + kAlignedBitsFp4));
    }
    if (!std::isfinite(plain)) return tensor::singleBits(static_cast<float>(plain));
    return roundedSum(total, most - kAlignedBitsFp4, false);
}

/// All terms, aligned to the largest exponent, cut, added, and cut to f32.
std::uint32_t sumOf(const Term* terms, unsigned count) noexcept
{
    constexpr int kLeast = -90, kMost = 126;  // sums are normal numbers of f32
    int most = kLeastExponent;
    bool numbers = true;
    for (unsigned t = 0; t < count; ++t) {
        most = std::max(most, terms[t].exponent);  // that of the factors, also where a sum is zero
        numbers &= std::fabs(terms[t].significand) < 0x1p20;
    }
    if (!numbers || most < kLeast || most > kMost) return carefulSum(terms, count, most);
    std::int64_t total = 0;
    for (unsigned t = 0; t < count; ++t)
        total += static_cast<std::int64_t>(terms[t].significand *
                                           powerOfTwo(terms[t].exponent - most + kAlignedBitsFp4));
    const double exact = static_cast<double>(total) * powerOfTwo(most - kAlignedBitsFp4);
    constexpr std::uint64_t kCut = (1ull << 29) - 1;  // a double has so many bits more than f32
    return std::bit_cast<std::uint32_t>(
        static_cast<float>(std::bit_cast<double>(std::bit_cast<std::uint64_t>(exact) & ~kCut)));
}

Term accumulator(bool accumulate, std::uint32_t cell) noexcept
{
    const float c = accumulate ? std::bit_cast<float>(cell) : 0;
    if (!std::isfinite(c)) return {c, 0};
    if (c == 0) return {0, kLeastExponent};
    const int exponent = std::max(static_cast<int>(cell >> 23 & 0xff) - 127, -126);
    return {static_cast<double>(c) * powerOfTwo(-exponent), exponent};
}

/// Sums of group `group` of all rows and columns: exact, as products of two 4-bit floats are multiples of 1/4 below 2^6.
void sumGroup(const Instruction& i, const Scratch::OfSide& side, unsigned bank, unsigned group,
              const AlignedVector<float>& b, std::vector<float>& sums)
{
    const unsigned rows = i.path().rows, stored = i.storedK();
    const Values& from = side.a[std::min<std::size_t>(bank, side.a.size() - 1)];
    std::vector<float> a(std::size_t{rows} * kGroup);
    std::vector<std::uint16_t> columns(a.size());
    for (unsigned row = 0; row < rows; ++row) {
        const std::size_t at = std::size_t{row} * stored + std::size_t{group} * kGroup,
                          to = std::size_t{row} * kGroup;
        std::copy_n(from.floats.data() + at, kGroup, a.data() + to);
        for (unsigned j = 0; j < kGroup; ++j)
            columns[to + j] = i.modifiers.sparse ? side.columns[bank][at + j]
                                                 : static_cast<std::uint16_t>(group * kGroup + j);
    }
    sums.assign(std::size_t{rows} * i.n, 0);
    tensor::multiply(tensor::Product<float>{rows, i.n, kGroup, a.data(), b.data(), sums.data(),
                                            columns.data(), true});
}

}  // namespace

void multiplyFp4(const Instruction& i, const Operands& o, const Scratch::OfSide& side,
                 const Bank& bank, Scratch& scratch)
{
    const unsigned rows = i.path().rows, groups = i.storedK() / kGroup,
                   vector = i.modifiers.scaleVector;
    auto& sums = scratch.groups;
    for (unsigned g = 0; g < groups; ++g)
        sumGroup(i, side, bank.index, g, scratch.b.floats, sums[g]);
    std::vector<Factor> a(side.factorsA.size()), b(side.factorsB.size());
    std::transform(side.factorsA.begin(), side.factorsA.end(), a.begin(),
                   [&](float f) { return factorOf(i.scale, f); });
    std::transform(side.factorsB.begin(), side.factorsB.end(), b.begin(),
                   [&](float f) { return factorOf(i.scale, f); });
    for (unsigned row = 0; row < rows; ++row) {
        for (unsigned c = 0; c < bank.n; ++c) {
            const unsigned column = bank.index * bank.n + c;
            Term terms[kMostGroups + 1];
            for (unsigned g = 0; g < groups; ++g) {
                const unsigned v = g * vector / groups;
                const Factor &x = a[std::size_t{row} * vector + v],
                             &y = b[std::size_t{column} * vector + v];
                const double group = sums[g][std::size_t{row} * i.n + column];
                terms[g] = {group * static_cast<double>(x.significand) *
                                static_cast<double>(y.significand),
                            x.exponent + y.exponent};
            }
            std::uint32_t& cell = bank.rows[row][c];
            terms[groups] = accumulator(o.accumulate, cell);
            cell = sumOf(terms, groups + 1);
        }
    }
}

}  // namespace gsu::tmem::detail
