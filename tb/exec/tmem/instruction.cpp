#include "exec/tmem/instruction.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>

namespace gsu::tmem {
namespace {

struct Bits {
    std::uint32_t bits;
    [[nodiscard]] unsigned of(unsigned high, unsigned low) const noexcept
    {
        return bits >> low & ((1u << (high - low + 1)) - 1);
    }
    [[nodiscard]] bool at(unsigned bit) const noexcept { return (bits >> bit & 1) != 0; }
};

constexpr Elem kNo = Elem::None;
using Types = std::array<Elem, 8>;  ///< by the field of the descriptor
constexpr Types kNarrow{Elem::E4M3, Elem::E5M2, kNo, Elem::E2M3, Elem::E3M2, Elem::E2M1, kNo, kNo};

Types typesOf(Kind kind) noexcept
{
    switch (kind) {
        case Kind::F16: return {Elem::F16, Elem::BF16, kNo, kNo, kNo, kNo, kNo, kNo};
        case Kind::Tf32: return {kNo, kNo, Elem::TF32, kNo, kNo, kNo, kNo, kNo};
        case Kind::I8: return {Elem::U8, Elem::S8, kNo, kNo, kNo, kNo, kNo, kNo};
        case Kind::F8f6f4:
        case Kind::Mxf8f6f4: return kNarrow;
        default: return {kNo, Elem::E2M1, kNo, kNo, kNo, kNo, kNo, kNo};
    }
}

Elem resultOf(Kind kind, unsigned field) noexcept
{
    constexpr std::array<Elem, 4> kTypes{Elem::F16, Elem::F32, Elem::S32, kNo};
    const Elem d = kTypes[field];
    if (kind == Kind::I8) return d == Elem::S32 ? d : kNo;
    if (kind == Kind::Tf32) return d == Elem::F32 ? d : kNo;
    return d == Elem::S32 ? kNo : d;
}

/// Ignored bits; software that meant another layout may set them.
constexpr std::uint32_t kPlainReserved = 1u << 6 | 1u << 23 | 1u << 29,
                        kByteScaledReserved = 0xbu | 1u << 6 | 7u << 24 | 1u << 31,
                        kFp4Reserved = 0xbu | 1u << 6 | 1u << 12 | 3u << 15 | 7u << 24;

std::uint32_t reservedOf(Kind kind) noexcept
{
    if (isPackedFp4(kind)) return kFp4Reserved;
    return isScaled(kind) ? kByteScaledReserved : kPlainReserved;
}

void readPlain(Bits d, Instruction& i) noexcept
{
    constexpr std::array<unsigned, 4> kShifts{0, 8, 16, 32};
    i.selector = d.of(1, 0);
    i.saturate = d.at(3);
    i.d = resultOf(i.modifiers.kind, d.of(5, 4));
    i.m = d.of(28, 24) << 4;
    i.maxShift = kShifts[d.of(31, 30)];
}

void readScaled(Bits d, Instruction& i) noexcept
{
    i.d = Elem::F32;
    i.scaleB = d.of(5, 4);
    i.scaleA = d.of(30, 29);
    i.scale = d.at(23) ? Elem::UE8M0 : Elem::UE4M3;
    i.m = d.of(28, 27) << 7;
}

Instruction read(Bits d, const Modifiers& modifiers) noexcept
{
    Instruction i;
    i.modifiers = modifiers;
    const bool fp4 = isPackedFp4(modifiers.kind);
    const Types types = typesOf(modifiers.kind);
    i.a = types[d.of(9, 7)];
    i.b = types[fp4 ? d.of(11, 10) : d.of(12, 10)];
    i.negateA = d.at(13);
    i.negateB = d.at(14);
    i.transposeA = !fp4 && d.at(15);
    i.transposeB = !fp4 && d.at(16);
    i.n = d.of(22, 17) << 3;
    isScaled(modifiers.kind) ? readScaled(d, i) : readPlain(d, i);
    const unsigned width = modifiers.kind == Kind::Tf32  ? 32
                           : modifiers.kind == Kind::F16 ? 16
                           : fp4                         ? 4
                                                         : 8;
    i.k = 256 / width * (modifiers.sparse ? 2 : 1);
    return i;
}

Verdict problemOfTypes(const Instruction& i)
{
    const char* kind = nameOf(i.modifiers.kind);
    if (i.a == kNo || i.b == kNo)
        return Refusal{Rule::TypesOfKind,
                       fmt::format("type of {} with .kind::{}", i.a == kNo ? 'A' : 'B', kind)};
    if (i.d == kNo)
        return Refusal{Rule::TypesOfKind, fmt::format("type of D with .kind::{}", kind)};
    const bool halves = i.a == Elem::F16 && i.b == Elem::F16;
    if (i.modifiers.kind == Kind::F16 && i.d == Elem::F16 && !halves)
        return Refusal{Rule::TypesOfKind, "D of f16 from bf16"};
    if (i.modifiers.kind == Kind::F16 && i.a != i.b)
        return Refusal{Rule::MixedHalves, fmt::format("{} times {}", nameOf(i.a), nameOf(i.b))};
    if (i.modifiers.aInside && tensor::bitsOf(i.a) == 6)
        return Refusal{Rule::SixBitsInside, fmt::format("A of {} in tensor memory", nameOf(i.a))};
    return std::nullopt;
}

Verdict problemOfScales(const Instruction& i)
{
    const unsigned v = i.modifiers.scaleVector;
    if (v == 0) return std::nullopt;
    const auto fits = [v](unsigned id) { return v == 1 || (v == 2 && id % 2 == 0) || id == 0; };
    if (!fits(i.scaleA) || !fits(i.scaleB))
        return Refusal{Rule::ScaleIds,
                       fmt::format("ids {} of A, {} of B with {} factors", i.scaleA, i.scaleB, v)};
    const bool fine = i.modifiers.kind == Kind::Mxf4nvf4 && v == 4;
    if (i.scale == Elem::UE4M3 && !fine)
        return Refusal{Rule::ScaleType, fmt::format("ue4m3 with .kind::{} and {} factors",
                                                    nameOf(i.modifiers.kind), v)};
    return std::nullopt;
}

Verdict problemOfFlags(const Instruction& i)
{
    const Modifiers& x = i.modifiers;
    const bool integers = x.kind == Kind::I8;
    if (integers ? i.negateA || i.negateB : i.saturate)
        return Refusal{
            Rule::Saturate,
            fmt::format("{} with .kind::{}", integers ? "negation" : "saturation", nameOf(x.kind))};
    if (i.transposeA && x.aInside)
        return Refusal{Rule::Transposed, "a transposed A in tensor memory"};
    for (const auto& [transposed, type] : {std::pair{i.transposeA, i.a}, {i.transposeB, i.b}}) {
        if (transposed && tensor::bitsOf(type) < 8)
            return Refusal{Rule::Transposed,
                           fmt::format("a transposed operand of {}", nameOf(type))};
    }
    const bool selects = x.sparse && (x.kind == Kind::F16 || x.kind == Kind::Tf32);
    if (i.selector != 0 && !selects)
        return Refusal{Rule::Selector, fmt::format("selector {} with .kind::{}{}", i.selector,
                                                   nameOf(x.kind), x.sparse ? "" : ", not sparse")};
    if (i.selector > 1) return Refusal{Rule::FarSelector, fmt::format("selector {}", i.selector)};
    if (i.maxShift != 0 && !x.weightStationary)
        return Refusal{Rule::MaxShift,
                       fmt::format("a maximum shift of {} without .ws", i.maxShift)};
    return std::nullopt;
}

}  // namespace

unsigned Instruction::bytes(unsigned elements) const noexcept
{
    if (isPackedFp4(modifiers.kind)) return elements / 2;
    return elements * std::max(tensor::bitsOf(a), 8u) / 8;
}

MetadataFormat Instruction::metadataFormat() const noexcept
{
    return tensor::bitsOf(a) >= 16 ? MetadataFormat::Wide : MetadataFormat::Narrow;
}

unsigned Instruction::chunk() const noexcept
{
    return isPackedFp4(modifiers.kind) ? 8 : modifiers.kind == Kind::Tf32 ? 2 : 4;
}

Judged<Instruction> instructionOf(std::uint32_t descriptor, const Modifiers& modifiers)
{
    if (auto problem = problemOf(modifiers)) return *problem;
    const Bits d{descriptor};
    if (isPackedFp4(modifiers.kind) && d.at(31))
        return Refusal{Rule::K96, "bit 31 of the instruction descriptor"};
    if (const std::uint32_t set = descriptor & reservedOf(modifiers.kind); set != 0)
        return Refusal{Rule::InstructionReserved,
                       fmt::format("bit {} of 0x{:08x} with .kind::{}", std::countr_zero(set),
                                   descriptor, nameOf(modifiers.kind))};
    if (d.at(2) != modifiers.sparse)
        return Refusal{Rule::SparseBit,
                       modifiers.sparse ? "bit 2 is 0 with .sp" : "bit 2 is 1 without .sp"};
    Instruction i = read(d, modifiers);
    for (const auto& judge :
         {problemOfTypes, problemOfScales, problemOfFlags, detail::problemOfShape}) {
        if (auto problem = judge(i)) return *problem;
    }
    const Judged<Layout> layout =
        layoutOf(i.m, modifiers.group, modifiers.weightStationary, modifiers.sparse);
    if (!layout) return layout.refusal();
    i.layout = *layout;
    if (modifiers.shiftA && i.m != 128)
        return Refusal{Rule::ShiftedA, fmt::format(".ashift with M = {}", i.m)};
    return i;
}

}  // namespace gsu::tmem
