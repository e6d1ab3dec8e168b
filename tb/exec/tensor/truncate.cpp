// Sums as published measurements of Hopper's tensor cores have them: blocks of products are aligned to the largest, cut off, and added at once.
#include <algorithm>
#include <cmath>
#include <limits>

#include "exec/tensor/multiply.hpp"

namespace gsu::tensor {
namespace {

/// The f32 nearest to zero; an overflow is an infinity.
float cut(double exact) noexcept
{
    const auto nearest = static_cast<float>(exact);
    if (std::isinf(nearest) || std::fabs(static_cast<double>(nearest)) <= std::fabs(exact))
        return nearest;
    return std::nextafterf(nearest, 0.0f);
}

/// The sum of `count` exact terms, at least one.
float sumOf(const double* terms, unsigned count, int fraction) noexcept
{
    double plain = 0;
    bool special = false;
    int top = std::numeric_limits<int>::min();
    for (unsigned i = 0; i < count; ++i) {
        plain = i == 0 ? terms[0] : plain + terms[i];
        if (!std::isfinite(terms[i])) special = true;
        if (terms[i] != 0) top = std::max(top, std::ilogb(terms[i]));
    }
    // Infinities and NaN as in any order; of zeros the sign as well.
    if (special || top == std::numeric_limits<int>::min()) return static_cast<float>(plain);
    std::int64_t sum = 0;
    for (unsigned i = 0; i < count; ++i)
        sum += static_cast<std::int64_t>(std::ldexp(terms[i], fraction - top));  // toward zero
    return cut(std::ldexp(static_cast<double>(sum), top - fraction));
}

}  // namespace

Truncation hopperTruncation(Elem a) noexcept
{
    constexpr unsigned kBits = 256, kWide = 25, kNarrow = 13;  // of f32 23 and two more
    const bool eight = a == Elem::E4M3 || a == Elem::E5M2;
    return {kBits / std::max(bitsOf(a), 8u), eight ? kNarrow : kWide};
}

void multiplyTruncated(const Product<float>& p, const Truncation& t) noexcept
{
    double terms[kMostTerms + 1];
    for (unsigned row = 0; row < p.m; ++row) {
        const float* a = p.a + std::size_t{row} * p.k;
        for (unsigned column = 0; column < p.n; ++column) {
            float& c = p.c[std::size_t{row} * p.n + column];
            for (unsigned first = 0; first < p.k; first += t.block) {
                unsigned count = 0;
                terms[count++] = static_cast<double>(c);
                for (unsigned j = first; j < std::min(first + t.block, p.k); ++j) {
                    const std::size_t line =
                        p.columns != nullptr ? p.columns[std::size_t{row} * p.k + j] : j;
                    terms[count++] =
                        static_cast<double>(a[j]) * static_cast<double>(p.b[line * p.n + column]);
                }
                c = sumOf(terms, count, static_cast<int>(t.fraction));
            }
        }
    }
}

}  // namespace gsu::tensor
