#include "exec/tmem/aligned_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "exec/tensor/element.hpp"
#include "exec/tensor/multiply.hpp"

namespace gsu::tmem {
namespace {

/// A term of a sum, and the exponent that it is aligned by.
struct Term {
    double value{};
    int exponent{};
};

/// Value cut toward zero to a multiple of 2^unit, in that unit. Below 2^31.
double cut(const Term& t, int unit) noexcept { return std::trunc(std::ldexp(t.value, -unit)); }

}  // namespace

void sum(const AlignedSum& s) noexcept
{
#ifdef GSU_TENSOR_AVX2
    if (detail::hasAvx512()) return detail::sumAvx512(s);
    if (tensor::detail::hasAvx2()) return detail::sumAvx2(s);
#endif
    detail::sumPlain(s);
}

#ifdef GSU_TENSOR_AVX2
bool detail::hasAvx512() noexcept
{
    static const bool has = __builtin_cpu_supports("avx512f") &&
                            __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512dq") &&
                            __builtin_cpu_supports("avx512vl") && tensor::detail::hasAvx2();
    return has;
}
#endif

void exponentsOf(const float* values, std::size_t count, int least, std::int16_t* out) noexcept
{
#ifdef GSU_TENSOR_AVX2
    if (tensor::detail::hasAvx2()) return detail::exponentsAvx2(values, count, least, out);
#endif
    detail::exponentsPlain(values, count, least, out);
}

std::uint32_t detail::roundedSum(double total, int exponent, bool forHalf) noexcept
{
    if (total == 0) return 0;
    const double exact = std::ldexp(total, exponent);  // f64 has room for every sum
    const int last = std::max(std::ilogb(exact), -126) - 23;
    const double units = std::ldexp(exact, -last);
    double kept = std::trunc(units);
    if (forHalf && kept != units && std::fmod(kept, 2) == 0) kept += std::copysign(1.0, units);
    const auto result = static_cast<float>(std::ldexp(kept, last));  // exact, or an infinity
    return result == 0 ? 0 : std::bit_cast<std::uint32_t>(result);
}

std::uint32_t detail::exactSum(const AlignedSum& s, unsigned row, unsigned column,
                               std::uint32_t c) noexcept
{
    constexpr unsigned kMostTerms = 64;
    Term terms[kMostTerms + 1];
    const int h = s.rowScales != nullptr ? s.rowScales[row] + s.columnScales[column] : 0;
    const double factor = h > 4000 ? std::nan("") : std::ldexp(1.0, h);
    const double accumulator =
        std::ldexp(static_cast<double>(std::bit_cast<float>(c)), -s.scaleInputD);
    const int field = static_cast<int>(c >> 23 & 0xff);
    terms[0] = {accumulator, std::max(field - 127, s.leastExponent()) - s.scaleInputD};
    double plain = accumulator;
    for (unsigned j = 0; j < s.k; ++j) {
        const std::size_t at = std::size_t{row} * s.k + j;
        const std::size_t other = (s.columns != nullptr ? s.columns[at] : j) * s.bStride + column;
        terms[j + 1] = {static_cast<double>(s.a[at]) * static_cast<double>(s.b[other]) * factor,
                        s.aExponents[at] + s.bExponents[other] + h};
        plain += terms[j + 1].value;
    }
    if (!std::isfinite(plain)) return tensor::singleBits(static_cast<float>(plain));
    int most = -126;  // that of a zero
    for (unsigned j = 0; j <= s.k; ++j)
        if (terms[j].value != 0) most = std::max(most, terms[j].exponent);
    double total = 0;
    for (unsigned j = 0; j <= s.k; ++j) total += cut(terms[j], most - kAlignedBits);
    return roundedSum(total, most - kAlignedBits, s.forHalf);
}

}  // namespace gsu::tmem
