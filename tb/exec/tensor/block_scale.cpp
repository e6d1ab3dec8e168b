// Scaled blocks of sm_120: the sum of a block is a chain in f32 from zero; times the two factors, exact in f64, it is added in
// f64 to the sum so far, and rounded to f32.
#include <cmath>

#include "exec/tensor/mma.hpp"

namespace gsu::tensor::detail {
namespace {

double factor(const Form& f, const Cell* data, unsigned lane, unsigned byte) noexcept
{
    return valueOf(f.scale, static_cast<std::uint32_t>(data[lane] >> (8 * byte)) & 0xffu);
}

}  // namespace

void multiplyScaled(const Form& f, const Fragments& x, const float* a, const float* b,
                    const std::uint16_t* columns, float* c) noexcept
{
    const unsigned stored = f.storedK();
    for (unsigned row = 0; row < f.m; ++row) {
        // Two lanes of a quad give A's factors; the second has the lower half of the rows.
        const unsigned laneA = 4 * (row % 8) + 2 * x.scaleA.lane + row / 8;
        for (unsigned column = 0; column < f.n; ++column) {
            const unsigned laneB = 4 * column + x.scaleB.lane;
            float& sum = c[std::size_t{row} * f.n + column];
            unsigned j = 0;
            for (unsigned v = 0; v < f.scaleVec; ++v) {
                float block = 0;
                for (; j < stored * (v + 1) / f.scaleVec; ++j) {
                    const std::size_t at = std::size_t{row} * stored + j;
                    const unsigned k = columns != nullptr ? columns[at] : j;
                    block += a[at] * b[std::size_t{k} * f.n + column];  // the product is exact
                }
                const double scale = factor(f, x.scaleA.data, laneA, x.scaleA.byte + v) *
                                     factor(f, x.scaleB.data, laneB, x.scaleB.byte + v);
                sum = static_cast<float>(double{sum} + double{block} * scale);
            }
        }
    }
}

}  // namespace gsu::tensor::detail
