#include "exec/tmem/product.hpp"

#include <algorithm>
#include <limits>

#include "exec/tensor/multiply.hpp"
#include "exec/tmem/aligned_sum.hpp"

namespace gsu::tmem {
namespace {

using detail::Bank;

AlignedSum sumOf(const Instruction& i, const Operands& o, const Scratch::OfSide& side,
                 const Bank& bank, const Scratch& scratch)
{
    const Values& a = side.a[std::min<std::size_t>(bank.index, side.a.size() - 1)];
    const std::size_t first = std::size_t{bank.index} * bank.n;
    AlignedSum s;
    s.m = i.path().rows;
    s.n = bank.n;
    s.k = i.storedK();
    s.a = a.floats.data();
    s.aExponents = a.exponents.data();
    s.b = scratch.b.floats.data() + first;
    s.bExponents = scratch.b.exponents.data() + first;
    s.bStride = i.n;
    if (i.modifiers.sparse) s.columns = side.columns[bank.index].data();
    if (isScaled(i.modifiers.kind)) {
        s.rowScales = side.scalesA.data();
        s.columnScales = side.scalesB.data() + first;
    }
    s.accumulate = o.accumulate;
    s.scaleInputD = static_cast<int>(i.modifiers.scaleInputD.value_or(0));
    s.forHalf = i.d == Elem::F16;
    return s;
}

void multiplyFloats(const Instruction& i, const Operands& o, const Scratch::OfSide& side,
                    const Bank& bank, Scratch& scratch)
{
    AlignedSum s = sumOf(i, o, side, bank, scratch);
    s.cells = bank.rows;
    sum(s);
}

/// D of f16: widened, summed, rounded.
void multiplyToHalves(const Instruction& i, const Operands& o, const Scratch::OfSide& side,
                      const Bank& bank, Scratch& scratch)
{
    AlignedSum s = sumOf(i, o, side, bank, scratch);
    std::vector<std::uint32_t>& wide = scratch.cells;
    wide.resize(std::size_t{s.m} * s.n);
    std::vector<std::uint32_t*> rows(s.m);
    scratch.halves.resize(s.n);
    for (unsigned row = 0; row < s.m; ++row) {
        rows[row] = wide.data() + std::size_t{row} * s.n;
        if (!o.accumulate) continue;
        std::transform(bank.rows[row], bank.rows[row] + s.n, scratch.halves.begin(),
                       [](std::uint32_t cell) { return static_cast<std::uint16_t>(cell); });
        tensor::decodeHalves(scratch.halves.data(), s.n, reinterpret_cast<float*>(rows[row]));
    }
    s.cells = rows.data();
    sum(s);
    for (unsigned row = 0; row < s.m; ++row)
        std::transform(rows[row], rows[row] + s.n, bank.rows[row], [](std::uint32_t bits) {
            return std::uint32_t{tensor::halfOf(std::bit_cast<float>(bits))};
        });
}

void multiplyIntegers(const Instruction& i, const Operands& o, const Scratch::OfSide& side,
                      const Bank& bank, Scratch& scratch)
{
    constexpr std::int64_t lowest = std::numeric_limits<std::int32_t>::min(),
                           highest = std::numeric_limits<std::int32_t>::max();
    const Values& a = side.a[std::min<std::size_t>(bank.index, side.a.size() - 1)];
    const unsigned rows = i.path().rows;
    scratch.wholes.assign(std::size_t{rows} * i.n, 0);
    // All columns for each bank, of which it takes its own: only .ws and pairs of 64 rows have several.
    tensor::multiply(tensor::Product<std::int32_t>{
        rows, i.n, i.storedK(), a.integers.data(), scratch.b.integers.data(), scratch.wholes.data(),
        i.modifiers.sparse ? side.columns[bank.index].data() : nullptr, true});
    for (unsigned row = 0; row < rows; ++row) {
        const std::int32_t* sums =
            scratch.wholes.data() + std::size_t{row} * i.n + std::size_t{bank.index} * bank.n;
        for (unsigned column = 0; column < bank.n; ++column) {
            std::uint32_t& cell = bank.rows[row][column];
            const std::int64_t exact =
                std::int64_t{sums[column]} + (o.accumulate ? static_cast<std::int32_t>(cell) : 0);
            cell =
                static_cast<std::uint32_t>(i.saturate ? std::clamp(exact, lowest, highest) : exact);
        }
    }
}

bool isDisabled(const Operands& o, unsigned cta, unsigned lane) noexcept
{
    return (o.disabled[4 * cta + lane / 32] >> (lane % 32) & 1) != 0;
}

/// One CTA's part of D.
void multiplySide(const Instruction& i, const Operands& o, unsigned cta, const Side& side,
                  Scratch& scratch)
{
    const DataPath path = i.path();
    const Address d = Address::of(o.d);
    const unsigned n = i.n / path.banks;
    std::vector<std::uint32_t> nowhere(n);
    std::vector<std::uint32_t*> rows(path.rows);
    for (unsigned bank = 0; bank < path.banks; ++bank) {
        for (unsigned row = 0; row < path.rows; ++row) {
            const unsigned lane = d.lane + path.lane(row, bank);
            const bool disabled = i.modifiers.disableWords != 0 && isDisabled(o, cta, lane);
            rows[row] = disabled ? nowhere.data() : side.memory->lane(lane) + d.column;
        }
        const Bank b{bank, n, rows.data()};
        const auto how = isPackedFp4(i.modifiers.kind) ? detail::multiplyFp4
                         : i.d == Elem::S32            ? multiplyIntegers
                         : i.d == Elem::F16            ? multiplyToHalves
                                                       : multiplyFloats;
        how(i, o, scratch.sides[cta], b, scratch);
    }
}

}  // namespace

Verdict multiply(const Instruction& i, const Operands& o, std::span<const Side> sides,
                 Scratch& scratch, bool strict)
{
    const Address d = Address::of(o.d);
    if (auto problem = problemOfLane(i.layout, d.lane)) return problem;
    if (auto problem = problemOf(Window{d, i.path().lanes(), i.n / i.path().banks})) return problem;
    if (auto problem = readB(i, o, sides, scratch)) return problem;
    for (unsigned cta = 0; cta < i.modifiers.group; ++cta) {
        if (auto problem = readSide(i, o, sides[cta], strict, scratch, scratch.sides[cta]))
            return problem;
    }
    for (unsigned cta = 0; cta < i.modifiers.group; ++cta)
        multiplySide(i, o, cta, sides[cta], scratch);
    if (i.modifiers.shiftA)
        shiftDown(*sides[0].memory, {{0, Address::of(o.aInside).column}, kLanes});
    return std::nullopt;
}

}  // namespace gsu::tmem
