// With AVX-512: sixteen columns at once; eight that are left are for AVX2.
#include "exec/tmem/aligned_kernel.hpp"

namespace gsu::tmem::detail {

void sumAvx512(const AlignedSum& s) noexcept
{
    tilesOf(s);
    if ((s.n - s.first) % kWide == 0) return;
    AlignedSum rest = s;
    rest.first = s.n - (s.n - s.first) % kWide;
    sumAvx2(rest);
}

}  // namespace gsu::tmem::detail
