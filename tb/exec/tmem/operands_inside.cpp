// Operands of matrix instructions in tensor memory besides A and D: metadata and scale factors.
#include <fmt/format.h>

#include "exec/tmem/aligned_sum.hpp"
#include "exec/tmem/operands.hpp"

namespace gsu::tmem::detail {
namespace {

/// The codes of the list, two indices below four each: all that ascend, and 0x6. Of tf32 one index below two, twice.
bool isCode(Kind kind, unsigned bits) noexcept
{
    constexpr unsigned kCodes =
        1u << 0x4 | 1u << 0x8 | 1u << 0xc | 1u << 0x9 | 1u << 0xd | 1u << 0x6 | 1u << 0xe;
    return ((kind == Kind::Tf32 ? 1u << 0x4 | 1u << 0xe : kCodes) >> bits & 1) != 0;
}

/// Columns of B that the stored elements of a chunk belong to, one after the other.
void columnsOfChunk(Kind kind, unsigned chunk, unsigned bits, std::uint16_t* out) noexcept
{
    if (kind == Kind::Tf32) {
        out[0] = static_cast<std::uint16_t>(2 * chunk + (bits == 0xe ? 1 : 0));
        return;
    }
    const unsigned group = isPackedFp4(kind) ? 2 : 1;  // pairs stay together
    for (unsigned i = 0; i < 2 * group; ++i) {
        const unsigned index = bits >> (2 * (i / group)) & 3;
        out[i] = static_cast<std::uint16_t>((4 * chunk + index) * group + i % group);
    }
}

struct ScaleRead {
    std::uint32_t address{};
    unsigned lines{}, vector{}, id{};
    char name{};
};

std::uint8_t byteAt(const TensorMemory& memory, Address at, const BytePlace& p,
                    unsigned quarter) noexcept
{
    return static_cast<std::uint8_t>(
        memory.at(at.lane + p.lane + kQuarter * quarter, at.column + p.column) >> (8 * p.byte));
}

Verdict problemOfCopies(const TensorMemory& memory, Address at, const BytePlace& p,
                        const ScaleRead& r, unsigned line)
{
    for (unsigned quarter = 1; at.lane + kQuarter * (quarter + 1) <= kLanes; ++quarter) {
        if (byteAt(memory, at, p, quarter) != byteAt(memory, at, p, 0))
            return Refusal{Rule::ScaleCopies,
                           fmt::format("factor of {} {} of {} in lane {}",
                                       r.name == 'A' ? "row" : "column", line, r.name,
                                       at.lane + p.lane + kQuarter * quarter)};
    }
    return std::nullopt;
}

/// Calls use(line, index, byte) for each factor.
template <class F>
Verdict eachScale(const TensorMemory& memory, const ScaleRead& r, bool strict, F&& use)
{
    const Address at = Address::of(r.address & 0x3fff'ffffu);  // software keeps the id above
    if (auto problem = problemOf(Window{at, kQuarter, (r.lines + 31) / 32})) return problem;
    for (unsigned line = 0; line < r.lines; ++line) {
        for (unsigned index = 0; index < r.vector; ++index) {
            const BytePlace p = placeOfScale(line, index, r.id);
            if (strict) {
                if (auto problem = problemOfCopies(memory, at, p, r, line)) return problem;
            }
            use(line, index, byteAt(memory, at, p, 0));
        }
    }
    return std::nullopt;
}

Verdict readExponents(const TensorMemory& memory, const ScaleRead& r, bool strict,
                      std::vector<std::int16_t>& out)
{
    out.resize(r.lines);
    return eachScale(memory, r, strict, [&](unsigned line, unsigned, std::uint8_t byte) {
        out[line] = byte == 0xff ? kSpecialExponent : static_cast<std::int16_t>(byte - 127);
    });
}

Verdict readFactors(const TensorMemory& memory, const ScaleRead& r, Elem type, bool strict,
                    std::vector<float>& out)
{
    out.resize(std::size_t{r.lines} * r.vector);
    return eachScale(memory, r, strict, [&](unsigned line, unsigned index, std::uint8_t byte) {
        out[std::size_t{line} * r.vector + index] = tensor::valueOf(type, byte);
    });
}

}  // namespace

/// Reads the columns. Codes that are not listed count as their bits: CUTLASS writes 0 where all stored elements are zero.
Verdict readColumns(const Instruction& i, const Operands& o, const Side& side, bool strict,
                    Scratch::OfSide& to)
{
    const Kind kind = i.modifiers.kind;
    const Address at = Address::of(o.metadata);
    const DataPath path = i.path();
    const unsigned chunks = i.k / i.chunk(), stored = i.storedK(), each = stored / chunks;
    const unsigned columns =
        i.metadataFormat() == MetadataFormat::Wide ? i.selector + 1 : (chunks + 7) / 8;
    if (auto problem = problemOfLane(i.layout, at.lane)) return problem;
    if (auto problem = problemOf(Window{at, path.lanes(), columns})) return problem;
    to.columns.resize(path.banks);
    for (unsigned bank = 0; bank < path.banks; ++bank) {
        to.columns[bank].resize(std::size_t{path.rows} * stored);
        for (unsigned row = 0; row < path.rows; ++row) {
            for (unsigned chunk = 0; chunk < chunks; ++chunk) {
                const BitPlace p =
                    placeOfMetadata(i.metadataFormat(), path.lane(row, bank), chunk, i.selector);
                const unsigned bits =
                    side.memory->at(at.lane + p.lane, at.column + p.column) >> p.bit & 0xf;
                if (strict && !isCode(kind, bits))
                    return Refusal{Rule::MetadataCode,
                                   fmt::format("0x{:x} of row {}, chunk {}", bits, row, chunk)};
                columnsOfChunk(kind, chunk, bits,
                               to.columns[bank].data() + std::size_t{row} * stored +
                                   std::size_t{chunk} * each);
            }
        }
    }
    return std::nullopt;
}

Verdict readScales(const Instruction& i, const Operands& o, const Side& side, bool strict,
                   Scratch::OfSide& to)
{
    const ScaleRead a{o.scaleA, i.path().rows, i.modifiers.scaleVector, i.scaleA, 'A'},
        b{o.scaleB, i.n, i.modifiers.scaleVector, i.scaleB, 'B'};
    if (isPackedFp4(i.modifiers.kind)) {
        if (auto problem = readFactors(*side.memory, a, i.scale, strict, to.factorsA))
            return problem;
        return readFactors(*side.memory, b, i.scale, strict, to.factorsB);
    }
    if (auto problem = readExponents(*side.memory, a, strict, to.scalesA)) return problem;
    return readExponents(*side.memory, b, strict, to.scalesB);
}

}  // namespace gsu::tmem::detail
