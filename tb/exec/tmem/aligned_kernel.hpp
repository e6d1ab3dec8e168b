/// The body of sum(), compiled once for each instruction set: only aligned_*.cpp include it, and it includes nothing whose inline functions a
/// linker could take from the wrong one of them.
#pragma once
#include "exec/tmem/aligned_sum.hpp"

namespace gsu::tmem::detail {
namespace {

// As many columns at once as fit the widest vectors of the instruction set.
#ifdef __AVX512F__
#define GSU_LOW_HALF 0, 1, 2, 3, 4, 5, 6, 7
#define GSU_HIGH_HALF 8, 9, 10, 11, 12, 13, 14, 15
#define GSU_SECOND 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
constexpr unsigned kWide = 16;
#else
#define GSU_LOW_HALF 0, 1, 2, 3
#define GSU_HIGH_HALF 4, 5, 6, 7
#define GSU_SECOND 8, 9, 10, 11, 12, 13, 14, 15
constexpr unsigned kWide = 8;
#endif
using Floats = float __attribute__((vector_size(4 * kWide)));
using Ints = std::int32_t __attribute__((vector_size(4 * kWide)));
using Words = std::uint32_t __attribute__((vector_size(4 * kWide)));
using HalfInts = std::int32_t __attribute__((vector_size(2 * kWide)));
using HalfFloats = float __attribute__((vector_size(2 * kWide)));
using Doubles = double __attribute__((vector_size(4 * kWide)));  ///< half as many
using Longs = std::int64_t __attribute__((vector_size(4 * kWide)));
template <unsigned Columns> struct Shorts;  ///< exponents of so many vectors of columns
template <> struct Shorts<1> {
    using Row = std::int16_t __attribute__((vector_size(2 * kWide)));
};
template <> struct Shorts<2> {
    using Row = std::int16_t __attribute__((vector_size(4 * kWide)));
};

/// Exponents inside these bounds need no care: neither products nor powers of two leave the range of f32.
constexpr int kLeast = -100, kMost = 126;
/// Exponents below this belong to a sum of zeros.
constexpr int kNothing = -1000;
/// Number of aligned 24-bit products whose sum fits 32 bits.
constexpr unsigned kChunk = 16;

/// Addition that wraps: exactSum() sums lanes anew whose numbers no Int holds, and the wrapped values are never used.
[[gnu::always_inline]] inline Ints sum(Ints x, Ints y) noexcept
{
    return (Ints)((Words)x + (Words)y);
}
Ints greater(Ints x, Ints y) noexcept { return x > y ? x : y; }
Ints lesser(Ints x, Ints y) noexcept { return x < y ? x : y; }
Floats powerOfTwo(Ints exponent) noexcept { return (Floats)((exponent + 127) << 23); }

[[gnu::always_inline]] inline HalfInts lowOf(Ints x) noexcept
{
    return __builtin_shufflevector(x, x, GSU_LOW_HALF);
}
[[gnu::always_inline]] inline HalfInts highOf(Ints x) noexcept
{
    return __builtin_shufflevector(x, x, GSU_HIGH_HALF);
}
/// Whether a lane is set.
[[gnu::always_inline]] inline bool any(Ints lanes) noexcept
{
    std::int64_t all = 0;
    for (unsigned i = 0; i < kWide / 2; ++i) all |= ((Longs)lanes)[i];
    return all != 0;
}

/// Running sums of some columns of a row.
struct Part {
    Words c;           ///< accumulators
    Ints exponent;     ///< exponent of the last place of the sum
    Ints careful;      ///< all ones in lanes for exactSum()
    Ints sums;         ///< sums of one chunk
    Doubles total[2];  ///< sums of the chunks before, and the accumulator
};

/// Adds whole numbers to the totals.
[[gnu::always_inline]] inline void flush(Part& e, Ints numbers) noexcept
{
    e.total[0] += __builtin_convertvector(lowOf(numbers), Doubles);
    e.total[1] += __builtin_convertvector(highOf(numbers), Doubles);
}

Ints scalesOf(const AlignedSum& s, unsigned row, unsigned column) noexcept
{
    Ints h{};
    if (s.rowScales == nullptr) return h;
    for (unsigned i = 0; i < kWide; ++i) h[i] = s.rowScales[row] + s.columnScales[column + i];
    return h;
}

/// Begins a sum. `products`: the largest exponents of the products. Returns the factor that turns products into whole numbers.
[[gnu::always_inline]] inline Floats begin(Part& e, const AlignedSum& s, Ints products,
                                           unsigned row, unsigned column) noexcept
{
    e.c = Words{};
    if (s.accumulate) __builtin_memcpy(&e.c, s.cells[row] + column, sizeof e.c);
    const Ints magnitude = (Ints)(e.c & 0x7fff'ffffu), field = magnitude >> 23;
    Ints own = greater(field - 127, Ints{} + s.leastExponent());
    own = field == 255 ? Ints{} + kSpecialExponent : own;
    const Ints h = scalesOf(s, row, column);
    const Ints relative = magnitude == 0 ? Ints{} + kZeroExponent : own - s.scaleInputD - h;
    const Ints most = greater(products, relative), scaled = most + h;
    const Ints nothing = most < kNothing;
    e.careful =
        (~nothing & ((most < kLeast) | (most > kMost) | (scaled < kLeast) | (scaled > kMost))) |
        (h > 4000);
    const Ints used = lesser(greater(most, Ints{} + kLeast), Ints{} + kMost);
    e.exponent = lesser(greater(used + h, Ints{} + kLeast), Ints{} + kMost) - kAlignedBits;
    e.sums = Ints{};
    e.total[0] = e.total[1] = Doubles{};
    flush(e, __builtin_convertvector((Floats)e.c * powerOfTwo(-e.exponent - s.scaleInputD), Ints));
    return powerOfTwo(kAlignedBits - used);
}

[[gnu::always_inline]] inline HalfFloats narrowed(Doubles total, HalfInts exponent,
                                                  bool forHalf) noexcept
{
    const Longs wide = __builtin_convertvector(exponent, Longs);
    const Longs exact = (Longs)(total * (Doubles)((wide + 1023) << 52));
    constexpr std::int64_t kCut = (1ll << 29) - 1;  // a double has this many more bits
    Longs kept = exact & ~kCut;
    if (forHalf) kept |= ((exact & kCut) != 0) & (1ll << 29);
    return __builtin_convertvector((Doubles)kept, HalfFloats);
}

[[gnu::always_inline]] inline void end(Part& e, const AlignedSum& s, unsigned row,
                                       unsigned column) noexcept
{
    flush(e, e.sums);
    const HalfFloats left = narrowed(e.total[0], lowOf(e.exponent), s.forHalf),
                     right = narrowed(e.total[1], highOf(e.exponent), s.forHalf);
    __builtin_memcpy(s.cells[row] + column, &left, sizeof left);
    __builtin_memcpy(s.cells[row] + column + kWide / 2, &right, sizeof right);
    if (!any(e.careful)) return;
    for (unsigned i = 0; i < kWide; ++i) {
        if (e.careful[i] != 0) s.cells[row][column + i] = exactSum(s, row, column + i, e.c[i]);
    }
}

/// The largest exponents of the products of `Rows` rows by `Columns` vectors.
template <unsigned Rows, unsigned Columns, bool Sparse>
[[gnu::always_inline]] inline void largest(const AlignedSum& s, unsigned row, unsigned column,
                                           typename Shorts<Columns>::Row (&most)[Rows]) noexcept
{
    using Row = typename Shorts<Columns>::Row;
#pragma GCC unroll 2
    for (unsigned r = 0; r < Rows; ++r) most[r] = Row{} + std::int16_t{2 * kZeroExponent};
    for (unsigned j = 0; j < s.k; ++j) {
        Row b;
        if constexpr (!Sparse)
            __builtin_memcpy(&b, s.bExponents + j * s.bStride + column, sizeof b);
#pragma GCC unroll 2
        for (unsigned r = 0; r < Rows; ++r) {
            const std::size_t at = std::size_t{row + r} * s.k + j;
            if constexpr (Sparse)
                __builtin_memcpy(&b, s.bExponents + s.columns[at] * s.bStride + column, sizeof b);
            const Row sum = b + s.aExponents[at];
            most[r] = most[r] > sum ? most[r] : sum;
        }
    }
}

/// One vector of several.
[[gnu::always_inline]] inline Ints vectorOf(Shorts<1>::Row row, unsigned) noexcept
{
    return __builtin_convertvector(row, Ints);
}
[[gnu::always_inline]] inline Ints vectorOf(Shorts<2>::Row row, unsigned v) noexcept
{
    return v == 0 ? __builtin_convertvector(
                        __builtin_shufflevector(row, row, GSU_LOW_HALF, GSU_HIGH_HALF), Ints)
                  : __builtin_convertvector(__builtin_shufflevector(row, row, GSU_SECOND), Ints);
}

template <unsigned Columns> void read(Floats (&b)[Columns], const float* from) noexcept
{
    for (unsigned v = 0; v < Columns; ++v) __builtin_memcpy(&b[v], from + kWide * v, sizeof b[v]);
}

template <unsigned Rows, unsigned Columns, bool Sparse>
void tile(const AlignedSum& s, unsigned row, unsigned column) noexcept
{
    typename Shorts<Columns>::Row exponents[Rows];
    largest<Rows, Columns, Sparse>(s, row, column, exponents);
    Part parts[Rows][Columns];
    Floats scales[Rows][Columns];
    for (unsigned r = 0; r < Rows; ++r) {
        for (unsigned v = 0; v < Columns; ++v) {
            scales[r][v] =
                begin(parts[r][v], s, vectorOf(exponents[r], v), row + r, column + kWide * v);
        }
    }
    for (unsigned first = 0; first < s.k; first += kChunk) {
        const unsigned last = first + kChunk < s.k ? first + kChunk : s.k;
        Ints sums[Rows][Columns]{};
        for (unsigned j = first; j < last; ++j) {
            Floats b[Columns];
            if constexpr (!Sparse) read(b, s.b + j * s.bStride + column);
            for (unsigned r = 0; r < Rows; ++r) {
                const std::size_t at = std::size_t{row + r} * s.k + j;
                if constexpr (Sparse) read(b, s.b + s.columns[at] * s.bStride + column);
                for (unsigned v = 0; v < Columns; ++v)
                    sums[r][v] = sum(sums[r][v],
                                     __builtin_convertvector(s.a[at] * b[v] * scales[r][v], Ints));
            }
        }
        for (unsigned r = 0; r < Rows; ++r)
            for (unsigned v = 0; v < Columns; ++v)
                last == s.k ? static_cast<void>(parts[r][v].sums = sums[r][v])
                            : flush(parts[r][v], sums[r][v]);
    }
    for (unsigned r = 0; r < Rows; ++r)
        for (unsigned v = 0; v < Columns; ++v) end(parts[r][v], s, row + r, column + kWide * v);
}

/// Partial sums of columns of a row whose exponents are all inside the bounds, or with nothing to add: the usual case, without factors.
struct Usual {
    Floats scale;
    Ints first, second;  ///< sums over the halves of k
    Ints own;            ///< the accumulators
};

/// Returns the unusual lanes. `products`: the largest exponents of the products.
[[gnu::always_inline]] inline Ints beginUsual(Usual& u, const AlignedSum& s, Ints products,
                                              unsigned row, unsigned column) noexcept
{
    Words c{};
    if (s.accumulate) __builtin_memcpy(&c, s.cells[row] + column, sizeof c);
    const Words magnitude = c & 0x7fff'ffffu;
    constexpr std::uint32_t kTiny = (127u + kLeast) << 23;
    const Ints tiny = (Ints)(magnitude - 1 < kTiny - 1), huge = (Ints)magnitude >= (kMost + 128)
                                                                                       << 23;
    const Ints most = greater(greater(products, (Ints)(magnitude >> 23) - 127), Ints{} + kLeast);
    u.scale = powerOfTwo(kAlignedBits - most);
    u.own = __builtin_convertvector((Floats)c * u.scale, Ints);
    u.first = u.second = Ints{};
    return tiny | huge;
}

/// Adds the products of `first` .. `last` - 1.
template <bool Sparse, class Sums>
[[gnu::always_inline]] inline void addProducts(const AlignedSum& s, unsigned row, unsigned column,
                                               unsigned first, unsigned last, Usual (&u)[2][2],
                                               Sums sums) noexcept
{
    for (unsigned j = first; j < last; ++j) {
        Floats b[2];
        if constexpr (!Sparse) read(b, s.b + j * s.bStride + column);
#pragma GCC unroll 2
        for (unsigned r = 0; r < 2; ++r) {
            const std::size_t at = std::size_t{row + r} * s.k + j;
            if constexpr (Sparse) read(b, s.b + s.columns[at] * s.bStride + column);
#pragma GCC unroll 2
            for (unsigned v = 0; v < 2; ++v)
                u[r][v].*sums = sum(u[r][v].*sums,
                                    __builtin_convertvector(s.a[at] * b[v] * u[r][v].scale, Ints));
        }
    }
}

/// A sum, cut toward zero to the bits of f32.
[[gnu::always_inline]] inline HalfFloats cutOf(Doubles total) noexcept
{
    return __builtin_convertvector((Doubles)((Longs)total & ~((1ll << 29) - 1)), HalfFloats);
}

[[gnu::always_inline]] inline void endUsual(Usual& u, const AlignedSum& s, unsigned row,
                                            unsigned column) noexcept
{
    Doubles low{}, high{};
    if (s.k <= kChunk) {  // half of the products leaves room for the accumulator
        u.first = sum(u.first, u.own);
    } else {
        low = __builtin_convertvector(lowOf(u.own), Doubles);
        high = __builtin_convertvector(highOf(u.own), Doubles);
    }
    low += __builtin_convertvector(lowOf(u.first), Doubles) +
           __builtin_convertvector(lowOf(u.second), Doubles);
    high += __builtin_convertvector(highOf(u.first), Doubles) +
            __builtin_convertvector(highOf(u.second), Doubles);
    // The inverse of the scale: exponents of both add up to twice the bias.
    const Floats unit = (Floats)((254 << 23) - (Ints)u.scale);
    const Floats result =
        __builtin_shufflevector(cutOf(low), cutOf(high), GSU_LOW_HALF, GSU_HIGH_HALF) * unit;
    __builtin_memcpy(s.cells[row] + column, &result, sizeof result);
}

/// Computes two rows by two vectors; returns false, and does nothing, if some sum is not usual.
template <bool Sparse> bool usualTile(const AlignedSum& s, unsigned row, unsigned column) noexcept
{
    Shorts<2>::Row exponents[2];
    largest<2, 2, Sparse>(s, row, column, exponents);
    Usual u[2][2];
    Ints unusual{};
#pragma GCC unroll 2
    for (unsigned r = 0; r < 2; ++r) {
#pragma GCC unroll 2
        for (unsigned v = 0; v < 2; ++v) {
            const Ints products = vectorOf(exponents[r], v);
            unusual |= (products > kMost) | ((products < kLeast) & (products > kNothing));
            unusual |= beginUsual(u[r][v], s, products, row + r, column + kWide * v);
        }
    }
    if (any(unusual)) return false;
    const unsigned half = s.k / 2;  // at most a chunk
    addProducts<Sparse>(s, row, column, 0, half, u, &Usual::first);
    addProducts<Sparse>(s, row, column, half, s.k, u, &Usual::second);
#pragma GCC unroll 2
    for (unsigned r = 0; r < 2; ++r) {
#pragma GCC unroll 2
        for (unsigned v = 0; v < 2; ++v) endUsual(u[r][v], s, row + r, column + kWide * v);
    }
    return true;
}

/// Computes rows `row` and the next, columns `first` .. `last` - 1, in whole tiles.
template <bool Sparse>
void twoRows(const AlignedSum& s, bool plain, unsigned row, unsigned first, unsigned last) noexcept
{
    for (unsigned column = first; column < last; column += 2 * kWide) {
        if (!plain || !usualTile<Sparse>(s, row, column)) tile<2, 2, Sparse>(s, row, column);
    }
}

template <bool Sparse> void tiles(const AlignedSum& s) noexcept
{
    constexpr unsigned kPanel = 128;  // columns of b that stay in the nearest cache
    const bool plain =
        s.rowScales == nullptr && s.scaleInputD == 0 && !s.forHalf && s.k <= 2 * kChunk;
    const unsigned whole = s.first + (s.n - s.first) / (2 * kWide) * (2 * kWide);
    for (unsigned first = s.first; first < whole; first += kPanel) {
        const unsigned last = first + kPanel < whole ? first + kPanel : whole;
        unsigned row = 0;
        for (; row + 2 <= s.m; row += 2) twoRows<Sparse>(s, plain, row, first, last);
        for (unsigned column = first; row < s.m && column < last; column += 2 * kWide)
            tile<1, 2, Sparse>(s, row, column);
    }
    for (unsigned row = 0; whole + kWide <= s.n && row < s.m; ++row)
        tile<1, 1, Sparse>(s, row, whole);
}

/// Computes all columns except a remainder that is smaller than a vector.
void tilesOf(const AlignedSum& s) noexcept
{
    s.columns != nullptr ? tiles<true>(s) : tiles<false>(s);
}

void eachExponent(const float* values, std::size_t count, int least, std::int16_t* out) noexcept
{
    for (std::size_t i = 0; i < count; ++i) {
        const auto magnitude =
            static_cast<std::int32_t>(__builtin_bit_cast(std::uint32_t, values[i]) & 0x7fff'ffffu);
        const std::int32_t field = magnitude >> 23;
        std::int32_t exponent = field - 127 > least ? field - 127 : least;
        exponent = field == 255 ? kSpecialExponent : exponent;
        out[i] = static_cast<std::int16_t>(magnitude == 0 ? kZeroExponent : exponent);
    }
}

}  // namespace
}  // namespace gsu::tmem::detail
