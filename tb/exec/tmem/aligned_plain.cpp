// For any processor.
#include "exec/tmem/aligned_kernel.hpp"

namespace gsu::tmem::detail {

void sumPlain(const AlignedSum& s) noexcept { tilesOf(s); }
void exponentsPlain(const float* values, std::size_t count, int least, std::int16_t* out) noexcept
{
    eachExponent(values, count, least, out);
}

}  // namespace gsu::tmem::detail
