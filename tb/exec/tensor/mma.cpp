#include "exec/tensor/mma.hpp"

#include <algorithm>
#include <limits>

#include "exec/tensor/multiply.hpp"

namespace gsu::tensor {
namespace {

constexpr unsigned kMaxAccumulator = 16 * 16;  // 32 x 8 is as much

void mmaFloats(const Form& f, const Fragments& x) noexcept
{
    alignas(32) float a[kMaxOperand], b[kMaxOperand], c[kMaxAccumulator];
    std::uint16_t columns[kMaxOperand];
    unpackA(f, x.a, a);
    unpackB(f, x.b, b);
    unpackC(f.c, f.m, f.n, x.c, c);
    if (f.sparse) sparseColumns(f, x.metadata, x.selector, columns);
    const std::uint16_t* table = f.sparse ? columns : nullptr;
    if (f.scaleVec != 0) {
        detail::multiplyScaled(f, x, a, b, table, c);
    } else {
        // Products of 8 exponent bits may leave the range of f32.
        const bool exact = f.a != Elem::BF16 && f.a != Elem::TF32;
        const Product<float> product{f.m, f.n, f.storedK(), a, b, c, table, exact};
        f.truncated ? multiplyTruncated(product, hopperTruncation(f.a)) : multiply(product);
    }
    if (f.satfinite) {
        const float most = f.d == Elem::F16 ? 65504.0f : std::numeric_limits<float>::max();
        for (unsigned i = 0; i < f.m * f.n; ++i)
            c[i] = c[i] != c[i] ? 0.0f : std::clamp(c[i], -most, most);
    }
    packD(f.d, f.m, f.n, c, x.d);
}

void mmaDoubles(const Form& f, const Fragments& x) noexcept
{
    double a[16 * 16], b[16 * 8], c[16 * 8];
    unpackA(f, x.a, a);
    unpackB(f, x.b, b);
    unpackC(f.m, f.n, x.c, c);
    multiply(Product<double>{f.m, f.n, f.k, a, b, c, nullptr, false}, f.rounding);
    packD(f.m, f.n, c, x.d);
}

/// c + sum modulo 2^32, or clamped.
void addTo(const Form& f, const std::int32_t* sums, std::int32_t* c) noexcept
{
    constexpr std::int64_t lowest = std::numeric_limits<std::int32_t>::min(),
                           highest = std::numeric_limits<std::int32_t>::max();
    for (unsigned i = 0; i < f.m * f.n; ++i) {
        const std::int64_t exact = std::int64_t{c[i]} + sums[i];
        c[i] = static_cast<std::int32_t>(f.satfinite ? std::clamp(exact, lowest, highest) : exact);
    }
}

void mmaIntegers(const Form& f, const Fragments& x) noexcept
{
    alignas(32) std::int32_t a[kMaxOperand], b[kMaxOperand], c[kMaxAccumulator];
    alignas(32) std::int32_t sums[kMaxAccumulator]{};
    std::uint16_t columns[kMaxOperand];
    unpackA(f, x.a, a);
    unpackB(f, x.b, b);
    unpackC(f.m, f.n, x.c, c);
    if (f.sparse) sparseColumns(f, x.metadata, x.selector, columns);
    multiply(Product<std::int32_t>{f.m, f.n, f.storedK(), a, b, sums, f.sparse ? columns : nullptr,
                                   true});
    addTo(f, sums, c);
    packD(f.m, f.n, c, x.d);
}

void mmaBits(const Form& f, const Fragments& x) noexcept
{
    std::int32_t c[kMaxAccumulator], sums[kMaxAccumulator]{};
    unpackC(f.m, f.n, x.c, c);
    const unsigned tiles = f.m / 8;
    for (unsigned row = 0; row < f.m; ++row) {
        for (unsigned column = 0; column < f.n; ++column) {
            for (unsigned w = 0; w < f.k / 32; ++w) {
                const unsigned block = w / 4, lane = w % 4;
                const auto a =
                    static_cast<std::uint32_t>(x.a[block * tiles + row / 8][4 * (row % 8) + lane]);
                const auto b = static_cast<std::uint32_t>(x.b[block][4 * column + lane]);
                sums[row * f.n + column] +=
                    __builtin_popcount(f.bitOp == BitOp::And ? a & b : a ^ b);
            }
        }
    }
    addTo(f, sums, c);
    packD(f.m, f.n, c, x.d);
}

}  // namespace

void mma(const Form& form, const Fragments& fragments) noexcept
{
    if (form.quadPairs() && !form.wmma) return detail::mmaQuadPairs(form, fragments);
    if (form.a == Elem::F64) return mmaDoubles(form, fragments);
    if (form.a == Elem::B1) return mmaBits(form, fragments);
    if (isInteger(form.a)) return mmaIntegers(form, fragments);
    return mmaFloats(form, fragments);
}

}  // namespace gsu::tensor
