// With AVX2 and FMA: the compiler fuses every multiplication with its addition (-ffp-contract=fast), as the definition asks.
#include "exec/tensor/multiply_kernel.hpp"

namespace gsu::tensor::detail {

void decodeHalvesAvx2(const std::uint16_t* halves, std::size_t count, float* out) noexcept
{
    decodeEach(halves, count, out);
}

void multiplyAvx2(const Product<float>& p) noexcept
{
    return p.columns != nullptr ? blocks<float, true, false>(p) : blocks<float, false, false>(p);
}

void multiplyAvx2(const Product<std::int32_t>& p) noexcept
{
    return p.columns != nullptr ? blocks<std::int32_t, true, false>(p)
                                : blocks<std::int32_t, false, false>(p);
}

}  // namespace gsu::tensor::detail
