#include "exec/tmem/operands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "exec/tmem/aligned_sum.hpp"

namespace gsu::tmem {
namespace {

constexpr unsigned kUnit = 16;  ///< bytes that lie together whatever the layout
constexpr unsigned kCellsOfA = 8;

/// The exponent of subnormals. e2m1 has one subnormal, 0.5, which counts with its own exponent.
int leastExponent(Elem elem) noexcept
{
    switch (elem) {
        case Elem::F16:
        case Elem::E5M2: return -14;
        case Elem::E4M3: return -6;
        case Elem::E3M2: return -2;
        case Elem::E2M3: return 0;
        default: return -126;
    }
}

/// Reads `lines` lines of `bytes` bytes each, one after the other. Transposed, a line is one k and its bytes go along M or N.
Verdict gather(const SharedDescriptor& d, bool transposed, unsigned first, unsigned lines,
               unsigned bytes, std::span<const std::uint8_t> shared, std::uint8_t* out)
{
    for (unsigned line = 0; line < lines; ++line) {
        for (unsigned byte = 0; byte < bytes; byte += kUnit) {
            const std::uint32_t at =
                transposed ? d.mnMajor(line, byte) : d.kMajor(first + line, byte);
            if (std::size_t{at} + kUnit > shared.size())
                return Refusal{Rule::OutsideShared,
                               fmt::format("byte 0x{:x} of {}", at, shared.size())};
            std::memcpy(out, shared.data() + at, kUnit);
            out += kUnit;
        }
    }
    return std::nullopt;
}

/// Elements of 6 bits, sixteen to twelve bytes and four of padding, to a byte each.
void spreadSixBits(const std::uint8_t* in, std::size_t units, std::vector<std::uint8_t>& out)
{
    out.resize(units * kUnit);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::size_t bit = i % kUnit * 6;
        const std::uint8_t* at = in + i / kUnit * kUnit + bit / 8;
        out[i] = static_cast<std::uint8_t>((at[0] | at[1] << 8) >> (bit % 8) & 0x3f);
    }
}

/// How elements lie in their bytes.
enum class Packing : std::uint8_t { Dense, Padded, Contained };

Packing packingOf(const Instruction& i, Elem elem, bool inside) noexcept
{
    if (tensor::bitsOf(elem) >= 8 || isPackedFp4(i.modifiers.kind)) return Packing::Dense;
    return inside ? Packing::Contained : Packing::Padded;
}

void decode(Elem elem, Packing packing, const std::uint8_t* bytes, std::size_t count, float* out)
{
    if (packing != Packing::Padded)
        return tensor::decodeFloats(elem, packing == Packing::Contained, bytes, count, out);
    if (tensor::bitsOf(elem) == 6) {
        std::vector<std::uint8_t> spread;
        spreadSixBits(bytes, count / kUnit, spread);
        return tensor::decodeFloats(elem, true, spread.data(), count, out);
    }
    for (std::size_t done = 0; done < count; done += kUnit)
        tensor::decodeFloats(elem, false, bytes + done, kUnit, out + done);
}

/// in: rows by columns.
template <class T>
void transpose(const T* in, std::size_t rows, std::size_t columns, T* out) noexcept
{
    constexpr std::size_t kBlock = 8;
    for (std::size_t row = 0; row < rows; row += kBlock) {
        for (std::size_t column = 0; column < columns; ++column) {
            for (std::size_t r = row; r < std::min(row + kBlock, rows); ++r)
                out[column * rows + r] = in[r * columns + column];
        }
    }
}

struct Size {
    std::size_t rows{}, columns{};
};

/// Decodes scratch.raw, of size `size`, to `out`, transposed if `turned`; also exponents, if the kind sums by them.
void decodeAll(const Instruction& i, Elem elem, Packing packing, bool negate, Size size,
               bool turned, Scratch& scratch, Values& out)
{
    const std::size_t count = size.rows * size.columns;
    Values& first = turned ? scratch.lines : out;
    if (tensor::isInteger(elem)) {
        first.integers.resize(count);
        tensor::decodeIntegers(elem, scratch.raw.data(), count, first.integers.data());
        if (!turned) return;
        out.integers.resize(count);
        return transpose(first.integers.data(), size.rows, size.columns, out.integers.data());
    }
    first.floats.resize(count);
    decode(elem, packing, scratch.raw.data(), count, first.floats.data());
    out.floats.resize(count);
    if (turned) transpose(first.floats.data(), size.rows, size.columns, out.floats.data());
    if (negate)
        std::transform(out.floats.begin(), out.floats.end(), out.floats.begin(), std::negate<>());
    if (isPackedFp4(i.modifiers.kind)) return;
    out.exponents.resize(count);
    exponentsOf(out.floats.data(), count, leastExponent(elem), out.exponents.data());
}

/// Columns of B as a mask has them: `width` of `k` rows become n.
template <class T, class Vector>
void pick(const ColumnMask& mask, unsigned k, unsigned width, unsigned n, T zero, Vector& values)
{
    if (values.empty()) return;
    Vector out(std::size_t{k} * n);
    for (unsigned column = 0; column < n; ++column) {
        for (unsigned row = 0; row < k; ++row)
            out[std::size_t{row} * n + column] =
                mask.isZero(column) ? zero : values[std::size_t{row} * width + mask.source(column)];
    }
    values.swap(out);
}

/// The part of B that one CTA has: `lines` columns.
Verdict gatherB(const Instruction& i, const SharedDescriptor& d, const Side& side, unsigned cta,
                unsigned lines, unsigned ctas, Scratch& scratch)
{
    const unsigned step = i.bytes(i.k);
    if (!i.transposeB)
        return gather(d, false, 0, lines, step, side.shared,
                      scratch.raw.data() + std::size_t{cta} * lines * step);
    // One k after the other: the halves of a pair side by side.
    const unsigned bytes = i.bytes(lines);
    std::vector<std::uint8_t> half(std::size_t{bytes} * i.k);
    if (auto problem = gather(d, true, 0, i.k, bytes, side.shared, half.data())) return problem;
    for (unsigned k = 0; k < i.k; ++k)
        std::memcpy(scratch.raw.data() + (std::size_t{k} * ctas + cta) * bytes,
                    half.data() + std::size_t{k} * bytes, bytes);
    return std::nullopt;
}

/// A in tensor memory: 32 bytes of each row.
Verdict readInside(const Instruction& i, const Operands& o, const Side& side, unsigned bank,
                   Scratch& scratch)
{
    const Address at = Address::of(o.aInside);
    const DataPath path = i.path();
    if (auto problem = problemOfLane(i.layout, at.lane)) return problem;
    if (auto problem = problemOf(Window{at, path.lanes(), kCellsOfA})) return problem;
    scratch.raw.resize(std::size_t{path.rows} * kCellsOfA * 4);
    for (unsigned row = 0; row < path.rows; ++row)
        std::memcpy(scratch.raw.data() + std::size_t{32} * row,
                    side.memory->lane(at.lane + path.lane(row, bank)) + at.column, 32);
    return std::nullopt;
}

Verdict readShared(const Instruction& i, const Operands& o, const Side& side, Scratch& scratch)
{
    const Judged<SharedDescriptor> d = SharedDescriptor::of(o.a);
    if (!d) return d.refusal();
    const unsigned rows = i.path().rows, step = i.bytes(i.storedK());
    if (auto problem = d->problemFor(i.a, i.transposeA, step)) return problem;
    scratch.raw.resize(std::size_t{rows} * step);
    return i.transposeA
               ? gather(*d, true, 0, i.storedK(), i.bytes(rows), side.shared, scratch.raw.data())
               : gather(*d, false, 0, rows, step, side.shared, scratch.raw.data());
}

}  // namespace

Verdict readB(const Instruction& i, const Operands& o, std::span<const Side> sides,
              Scratch& scratch)
{
    const Judged<SharedDescriptor> d = SharedDescriptor::of(o.b);
    if (!d) return d.refusal();
    const unsigned step = i.bytes(i.k);
    if (auto problem = d->problemFor(i.b, i.transposeB, step)) return problem;
    const Judged<ColumnMask> mask =
        ColumnMask::of(i.modifiers.zeroColumnMask ? o.zeroColumns : 0, i);
    if (!mask) return mask.refusal();
    const unsigned width = (i.n + mask->shift() + 15) / 16 * 16, ctas = i.modifiers.group;
    const unsigned lines = mask->shift() == 0 ? i.n : width;
    scratch.raw.resize(std::size_t{lines} * step);
    for (unsigned cta = 0; cta < ctas; ++cta) {
        if (auto problem = gatherB(i, *d, sides[cta], cta, lines / ctas, ctas, scratch))
            return problem;
    }
    const Size size = i.transposeB ? Size{i.k, lines} : Size{lines, i.k};
    decodeAll(i, i.b, packingOf(i, i.b, false), i.negateB, size, !i.transposeB, scratch, scratch.b);
    if (i.modifiers.zeroColumnMask && o.zeroColumns != 0) {
        pick(*mask, i.k, lines, i.n, 0.0f, scratch.b.floats);
        pick(*mask, i.k, lines, i.n, kZeroExponent, scratch.b.exponents);
        pick(*mask, i.k, lines, i.n, 0, scratch.b.integers);
    }
    return std::nullopt;
}

Verdict readSide(const Instruction& i, const Operands& o, const Side& side, bool strict,
                 Scratch& scratch, Scratch::OfSide& to)
{
    const bool inside = i.modifiers.aInside;
    const unsigned rows = i.path().rows, banks = inside ? i.path().banks : 1;
    to.a.resize(banks);
    for (unsigned bank = 0; bank < banks; ++bank) {
        if (auto problem =
                inside ? readInside(i, o, side, bank, scratch) : readShared(i, o, side, scratch))
            return problem;
        const Size size = i.transposeA ? Size{i.storedK(), rows} : Size{rows, i.storedK()};
        decodeAll(i, i.a, packingOf(i, i.a, inside), i.negateA, size, i.transposeA, scratch,
                  to.a[bank]);
    }
    if (i.modifiers.sparse) {
        if (auto problem = detail::readColumns(i, o, side, strict, to)) return problem;
    }
    return isScaled(i.modifiers.kind) ? detail::readScales(i, o, side, strict, to) : std::nullopt;
}

}  // namespace gsu::tmem
