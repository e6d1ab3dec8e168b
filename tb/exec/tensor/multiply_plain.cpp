// For any processor. Where products are not exact, each step calls the library's fused multiply-add.
#include "exec/tensor/multiply_kernel.hpp"

namespace gsu::tensor::detail {

void decodeHalvesPlain(const std::uint16_t* halves, std::size_t count, float* out) noexcept
{
    decodeEach(halves, count, out);
}

void multiplyPlain(const Product<float>& p) noexcept
{
    if (p.columns != nullptr)
        return p.exact ? blocks<float, true, false>(p) : blocks<float, true, true>(p);
    return p.exact ? blocks<float, false, false>(p) : blocks<float, false, true>(p);
}

void multiplyPlain(const Product<std::int32_t>& p) noexcept
{
    return p.columns != nullptr ? blocks<std::int32_t, true, false>(p)
                                : blocks<std::int32_t, false, false>(p);
}

}  // namespace gsu::tensor::detail
