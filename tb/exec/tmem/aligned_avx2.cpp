// With AVX2.
#include "exec/tmem/aligned_kernel.hpp"

namespace gsu::tmem::detail {

void sumAvx2(const AlignedSum& s) noexcept { tilesOf(s); }
void exponentsAvx2(const float* values, std::size_t count, int least, std::int16_t* out) noexcept
{
    eachExponent(values, count, least, out);
}

}  // namespace gsu::tmem::detail
