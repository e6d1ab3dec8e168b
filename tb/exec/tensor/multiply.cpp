#include "exec/tensor/multiply.hpp"

#include <cfenv>
#include <cmath>

namespace gsu::tensor {

bool detail::hasAvx2() noexcept
{
#ifdef GSU_TENSOR_AVX2
    static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return has;
#else
    return false;
#endif
}

namespace {

template <class T> void dispatch(const Product<T>& p) noexcept
{
#ifdef GSU_TENSOR_AVX2
    if (detail::hasAvx2()) return detail::multiplyAvx2(p);
#endif
    static_cast<void>(detail::hasAvx2);
    detail::multiplyPlain(p);
}

int modeOf(Rounding rounding) noexcept
{
    switch (rounding) {
        case Rounding::Rn: return FE_TONEAREST;
        case Rounding::Rz: return FE_TOWARDZERO;
        case Rounding::Rm: return FE_DOWNWARD;
        case Rounding::Rp: return FE_UPWARD;
    }
    return FE_TONEAREST;
}

}  // namespace

void decodeHalves(const std::uint16_t* halves, std::size_t count, float* out) noexcept
{
#ifdef GSU_TENSOR_AVX2
    if (detail::hasAvx2()) return detail::decodeHalvesAvx2(halves, count, out);
#endif
    detail::decodeHalvesPlain(halves, count, out);
}

void multiply(const Product<float>& p) noexcept { dispatch(p); }
void multiply(const Product<std::int32_t>& p) noexcept { dispatch(p); }

void multiply(const Product<double>& p, Rounding rounding) noexcept
{
    const int before = std::fegetround();
    std::fesetround(modeOf(rounding));
    for (unsigned r = 0; r < p.m; ++r) {
        for (unsigned j = 0; j < p.k; ++j) {
            const double a = p.a[std::size_t{r} * p.k + j];
            const double* b = p.b + std::size_t{j} * p.n;
            double* c = p.c + std::size_t{r} * p.n;
            for (unsigned i = 0; i < p.n; ++i) c[i] = std::fma(a, b[i], c[i]);
        }
    }
    std::fesetround(before);
}

}  // namespace gsu::tensor
