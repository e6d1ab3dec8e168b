// One warp's wgmma: operands from descriptors or registers, and the product.
#include <algorithm>
#include <limits>

#include "exec/async/matrix_engine.hpp"
#include "exec/tensor/descriptor.hpp"
#include "exec/tensor/fragment.hpp"
#include "exec/tensor/multiply.hpp"

namespace gsu::exec {
namespace {

using tensor::Descriptor;
using tensor::Elem;

constexpr unsigned kRows = 16;

void decode(Elem elem, const std::uint8_t* bytes, unsigned count, float* out)
{
    tensor::decodeFloats(elem, false, bytes, count, out);
}
void decode(Elem elem, const std::uint8_t* bytes, unsigned count, std::int32_t* out)
{
    tensor::decodeIntegers(elem, bytes, count, out);
}

/// Lines `first` .. of an operand, `lines` of them, `k` elements along K: out[line][k], or out[k][line] when `across`.
template <class T>
void gather(const Descriptor& d, Elem elem, bool transposed, unsigned first, unsigned lines,
            unsigned k, bool across, WgmmaOperands& memory, T* out)
{
    const unsigned perUnit = 128 / tensor::bitsOf(elem);
    const auto put = [&](unsigned line, unsigned at, T value) {
        out[across ? std::size_t{at} * lines + line : std::size_t{line} * k + at] = value;
    };
    T unit[16];
    if (transposed) {  // MN-major
        for (unsigned at = 0; at < k; ++at) {
            for (unsigned u = 0; u < lines / perUnit; ++u) {
                const unsigned place = first / perUnit + u;
                const std::uint8_t* bytes = memory.unit(d.mnMajor(at, place));
                if (bytes == nullptr) continue;
                decode(elem, bytes, perUnit, unit);
                for (unsigned i = 0; i < perUnit; ++i) put(u * perUnit + i, at, unit[i]);
            }
        }
        return;
    }
    for (unsigned line = 0; line < lines; ++line) {
        for (unsigned u = 0; u < k / perUnit; ++u) {
            const std::uint8_t* bytes = memory.unit(d.kMajor(first + line, u));
            if (bytes == nullptr) continue;
            decode(elem, bytes, perUnit, unit);
            for (unsigned i = 0; i < perUnit; ++i) put(line, u * perUnit + i, unit[i]);
        }
    }
}

/// One warp's rows of A, from registers or shared memory.
template <class T>
std::vector<T> rowsOfA(const WgmmaInfo& info, std::uint64_t a, unsigned row,
                       const std::uint64_t* const* registers, WgmmaOperands& memory)
{
    const tensor::Form& f = info.form;
    std::vector<T> values(std::size_t{kRows} * f.storedK());
    if (registers != nullptr)
        tensor::unpackA(f, registers, values.data());
    else
        gather(Descriptor::of(a), f.a, info.transposeA, row, kRows, f.storedK(), false, memory,
               values.data());
    return values;
}

/// Row of B for each element of a sparse A; else empty.
std::vector<std::uint16_t> columnsOf(const WgmmaInfo& info, const std::uint64_t* metadata)
{
    std::vector<std::uint16_t> columns;
    if (!info.form.sparse || metadata == nullptr) return columns;
    columns.resize(std::size_t{kRows} * info.form.storedK());
    tensor::sparseColumns(info.form, metadata, info.selector, columns.data());
    return columns;
}

void floats(const WgmmaInfo& info, std::vector<float> a, const std::vector<float>& b,
            const std::vector<std::uint16_t>& columns, bool scaleD, bool truncate, std::uint32_t* c)
{
    const tensor::Form& f = info.form;
    if (info.negateA) std::transform(a.begin(), a.end(), a.begin(), std::negate<>());
    std::vector<float> sums(std::size_t{kRows} * f.n);
    for (std::size_t i = 0; scaleD && i < sums.size(); ++i)
        sums[i] = tensor::valueOf(f.d == Elem::F16 ? Elem::F16 : Elem::F32, c[i]);
    const bool exact = f.a != Elem::BF16 && f.a != Elem::TF32;
    const tensor::Product<float> product{kRows,
                                         f.n,
                                         f.storedK(),
                                         a.data(),
                                         b.data(),
                                         sums.data(),
                                         columns.empty() ? nullptr : columns.data(),
                                         exact};
    truncate ? tensor::multiplyTruncated(product, tensor::hopperTruncation(f.a))
             : tensor::multiply(product);
    for (std::size_t i = 0; i < sums.size(); ++i)
        c[i] = f.d == Elem::F16 ? tensor::halfOf(sums[i]) : tensor::singleBits(sums[i]);
}

void addIntegers(const WgmmaInfo& info, const std::vector<std::int32_t>& sums, bool scaleD,
                 std::uint32_t* c)
{
    constexpr std::int64_t lowest = std::numeric_limits<std::int32_t>::min(),
                           highest = std::numeric_limits<std::int32_t>::max();
    for (std::size_t i = 0; i < sums.size(); ++i) {
        std::int64_t sum = std::int64_t{sums[i]} + (scaleD ? static_cast<std::int32_t>(c[i]) : 0);
        if (info.form.satfinite) sum = std::clamp(sum, lowest, highest);
        c[i] = static_cast<std::uint32_t>(sum);
    }
}

void integers(const WgmmaInfo& info, const std::vector<std::int32_t>& a,
              const std::vector<std::int32_t>& b, const std::vector<std::uint16_t>& columns,
              bool scaleD, std::uint32_t* c)
{
    const tensor::Form& f = info.form;
    std::vector<std::int32_t> sums(std::size_t{kRows} * f.n);
    tensor::multiply(
        tensor::Product<std::int32_t>{kRows, f.n, f.storedK(), a.data(), b.data(), sums.data(),
                                      columns.empty() ? nullptr : columns.data(), true});
    addIntegers(info, sums, scaleD, c);
}

/// 256 bits of a line are two units.
WgmmaFactor::Line lineOf(std::uint64_t descriptor, unsigned line, WgmmaOperands& memory)
{
    WgmmaFactor::Line words{};
    for (unsigned u = 0; u < 2; ++u) {
        const std::uint8_t* bytes = memory.unit(Descriptor::of(descriptor).kMajor(line, u));
        if (bytes != nullptr) std::memcpy(words.data() + std::size_t{4} * u, bytes, 16);
    }
    return words;
}

void bits(const WgmmaInfo& info, std::uint64_t a, unsigned row,
          const std::uint64_t* const* registers, const std::vector<WgmmaFactor::Line>& columns,
          bool scaleD, WgmmaOperands& memory, std::uint32_t* c)
{
    std::vector<WgmmaFactor::Line> rows(kRows);
    for (unsigned r = 0; r < kRows; ++r) {
        if (registers == nullptr) {
            rows[r] = lineOf(a, row + r, memory);
            continue;
        }
        for (unsigned w = 0; w < 8; ++w)
            rows[r][w] =
                static_cast<std::uint32_t>(registers[w / 4 * 2 + r / 8][4 * (r % 8) + w % 4]);
    }
    std::vector<std::int32_t> sums;
    for (const WgmmaFactor::Line& x : rows) {
        for (const WgmmaFactor::Line& y : columns) {
            int count = 0;
            for (unsigned w = 0; w < 8; ++w) count += __builtin_popcount(x[w] & y[w]);
            sums.push_back(count);
        }
    }
    addIntegers(info, sums, scaleD, c);
}

}  // namespace

WgmmaFactor wgmmaFactor(const WgmmaInfo& info, std::uint64_t b, WgmmaOperands& memory)
{
    const tensor::Form& f = info.form;
    WgmmaFactor factor;
    if (f.a == Elem::B1) {
        for (unsigned n = 0; n < f.n; ++n) factor.bits.push_back(lineOf(b, n, memory));
    } else if (tensor::isInteger(f.a)) {
        factor.integers.resize(std::size_t{f.k} * f.n);
        gather(Descriptor::of(b), f.b, info.transposeB, 0, f.n, f.k, true, memory,
               factor.integers.data());
    } else {
        std::vector<float>& m = factor.floats;
        m.resize(std::size_t{f.k} * f.n);
        gather(Descriptor::of(b), f.b, info.transposeB, 0, f.n, f.k, true, memory, m.data());
        if (info.negateB) std::transform(m.begin(), m.end(), m.begin(), std::negate<>());
    }
    return factor;
}

void wgmmaProduct(const WgmmaInfo& info, std::uint64_t a, const WgmmaFactor& b, unsigned row,
                  const std::uint64_t* const* registers, const std::uint64_t* metadata, bool scaleD,
                  bool truncate, WgmmaOperands& memory, std::uint32_t* c)
{
    if (info.form.a == Elem::B1) return bits(info, a, row, registers, b.bits, scaleD, memory, c);
    const std::vector<std::uint16_t> columns = columnsOf(info, metadata);
    if (tensor::isInteger(info.form.a))
        return integers(info, rowsOfA<std::int32_t>(info, a, row, registers, memory), b.integers,
                        columns, scaleD, c);
    floats(info, rowsOfA<float>(info, a, row, registers, memory), b.floats, columns, scaleD,
           truncate, c);
}

void wgmmaUnits(const WgmmaInfo& info, std::uint64_t a, std::uint64_t b, unsigned row,
                WgmmaOperands& memory)
{
    const tensor::Form& f = info.form;
    float* const nothing = nullptr;
    if (info.a == 0)
        gather(Descriptor::of(a), f.a, info.transposeA, row, kRows, f.storedK(), false, memory,
               nothing);
    gather(Descriptor::of(b), f.b, info.transposeB, 0, f.n, f.k, true, memory, nothing);
}

}  // namespace gsu::exec
