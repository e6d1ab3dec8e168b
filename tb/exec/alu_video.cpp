// Video instructions: integer operations on whole registers, selected bytes or halves, or on all bytes or halves at once.
#include <algorithm>

#include "exec/decoder.hpp"

namespace gsu::exec {
namespace {

enum class Video : std::uint8_t { Add, Sub, AbsDiff, Min, Max, Avrg, Set, Shl, Shr, Mad };
enum class Second : std::uint8_t { None, Add, Min, Max };

/// Holds a product or a shifted value of 32 bits exactly.
__extension__ typedef __int128 Wide;

/// MicroOp::aux: [0] Video, [1] flags below, [2] Second, [3] lanes of a register (1, 2, 4); extra: selectors of a and b, target:
/// comparison of Set, right shift of Mad.
constexpr std::uint8_t kSignedD = 1, kSignedA = 2, kSignedB = 4, kClampResult = 8, kWrapShift = 16;

/// Selectors: 0 the register, 1..4 a byte, 5 and 6 a half.
std::int64_t selected(std::uint64_t cell, unsigned selector, bool isSigned)
{
    const unsigned bits = selector == 0 ? 32 : selector < 5 ? 8 : 16;
    const unsigned at = selector == 0 ? 0 : selector < 5 ? 8 * (selector - 1) : 16 * (selector - 5);
    const auto v = static_cast<std::int64_t>(cell >> at & ((1ull << bits) - 1));
    return isSigned && v >> (bits - 1) != 0 ? v - (1ll << bits) : v;
}

Wide clampTo(Wide v, unsigned bits, bool isSigned)
{
    const Wide top = (1ll << (bits - (isSigned ? 1 : 0))) - 1;
    return std::clamp(v, isSigned ? -top - 1 : Wide{0}, top);
}

bool compared(std::uint32_t how, std::int64_t a, std::int64_t b)
{
    switch (static_cast<CompareOp>(how)) {
        case CompareOp::Eq: return a == b;
        case CompareOp::Ne: return a != b;
        case CompareOp::Lt: return a < b;
        case CompareOp::Le: return a <= b;
        case CompareOp::Gt: return a > b;
        default: return a >= b;  // the decoder gives these six
    }
}

Wide compute(const MicroOp& o, std::int64_t a, std::int64_t b, std::int64_t c)
{
    const bool wraps = (o.aux[1] & kWrapShift) != 0;
    const auto shift = [&] {
        const auto n = static_cast<std::uint32_t>(b);
        return wraps ? n & 31 : std::min(n, 32u);
    };
    switch (static_cast<Video>(o.aux[0])) {
        case Video::Add: return a + b;
        case Video::Sub: return a - b;
        case Video::AbsDiff: return a < b ? b - a : a - b;
        case Video::Min: return std::min(a, b);
        case Video::Max: return std::max(a, b);
        case Video::Avrg: return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
        case Video::Set: return compared(o.target, a, b) ? 1 : 0;
        case Video::Shl: return Wide{a} * (1ll << shift());
        case Video::Shr: return a >> shift();
        case Video::Mad: return (Wide{a} * b + c) >> o.target;
    }
    return 0;
}

std::uint32_t second(const MicroOp& o, Wide r, std::uint64_t cell)
{
    const bool isSigned = (o.aux[1] & kSignedD) != 0;
    const std::int64_t v = selected(static_cast<std::uint32_t>(r), 0, isSigned);
    const std::int64_t c = selected(cell, 0, isSigned);
    switch (static_cast<Second>(o.aux[2])) {
        case Second::None: return static_cast<std::uint32_t>(v);
        case Second::Add: return static_cast<std::uint32_t>(v + c);
        case Second::Min: return static_cast<std::uint32_t>(std::min(v, c));
        case Second::Max: return static_cast<std::uint32_t>(std::max(v, c));
    }
    return 0;
}

void videoExec(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b), *c = x.src(o.c);
    const bool sa = (o.aux[1] & kSignedA) != 0, sb = (o.aux[1] & kSignedB) != 0,
               sd = (o.aux[1] & kSignedD) != 0, clamps = (o.aux[1] & kClampResult) != 0;
    const unsigned parts = o.aux[3], bits = 32 / parts;
    eachLane(lanes, [&](unsigned l) {
        if (parts == 1) {
            const Wide r = compute(o, selected(a[l], o.extra & 15, sa),
                                   selected(b[l], o.extra >> 4 & 15, sb), selected(c[l], 0, sd));
            d[l] = static_cast<Video>(o.aux[0]) == Video::Mad
                       ? static_cast<std::uint32_t>(clamps ? clampTo(r, 32, sd) : r)
                       : second(o, clamps ? clampTo(r, 32, sd) : r, c[l]);
            return;
        }
        std::uint32_t packed = 0, sum = static_cast<std::uint32_t>(c[l]);
        for (unsigned i = 0; i < parts; ++i) {
            const unsigned selector = parts == 4 ? 1 + i : 5 + i;
            Wide r = compute(o, selected(a[l], selector, sa), selected(b[l], selector, sb), 0);
            if (clamps) r = clampTo(r, bits, sd);
            packed |= (static_cast<std::uint32_t>(r) & ((1u << bits) - 1)) << (i * bits);
            sum += static_cast<std::uint32_t>(r);
        }
        d[l] = static_cast<Second>(o.aux[2]) == Second::Add ? sum : packed;
    });
}

}  // namespace

void Decoder::videoOp()
{
    static const std::map<std::string_view, Video> kinds{
        {"vadd", Video::Add}, {"vsub", Video::Sub}, {"vabsdiff", Video::AbsDiff},
        {"vmin", Video::Min}, {"vmax", Video::Max}, {"vavrg", Video::Avrg},
        {"vset", Video::Set}, {"vshl", Video::Shl}, {"vshr", Video::Shr},
        {"vmad", Video::Mad}};
    static constexpr std::array<std::string_view, 6> compares{"eq", "ne", "lt", "le", "gt", "ge"};
    static constexpr std::array<std::string_view, 7> selectors{"",   "b0", "b1", "b2",
                                                               "b3", "h0", "h1"};
    std::string name = in_->opcode;
    const char last = name.back();
    const bool simd = last == '2' || last == '4';
    if (simd) name.pop_back();
    MicroOp op;
    const auto kind = kinds.find(name);
    if (kind == kinds.end() || has("po")) unsupported();
    op.aux[0] = static_cast<std::uint8_t>(kind->second);
    op.aux[3] = static_cast<std::uint8_t>(simd ? last - '0' : 1);
    const bool set = kind->second == Video::Set, mad = kind->second == Video::Mad;
    const std::size_t types = set ? 0 : 1;  // vset names no destination type
    const auto isSigned = [&](std::size_t i) { return mod(i)[0] == 's'; };
    if (mod(0).empty() || mod(types).empty() || mod(types + 1).size() != 3) unsupported();
    op.aux[1] = static_cast<std::uint8_t>(
        (isSigned(0) && !set ? kSignedD : 0) | (isSigned(types) ? kSignedA : 0) |
        (isSigned(types + 1) ? kSignedB : 0) | (has("sat") ? kClampResult : 0) |
        (has("wrap") ? kWrapShift : 0));
    op.aux[2] = static_cast<std::uint8_t>(has("add")   ? Second::Add
                                          : has("min") ? Second::Min
                                          : has("max") ? Second::Max
                                                       : Second::None);
    for (std::size_t i = 0; i < compares.size(); ++i)
        if (has(compares[i])) op.target = static_cast<std::uint32_t>(i);
    if (mad) op.target = has("shr7") ? 7 : has("shr15") ? 15 : 0;
    const auto operandRow = [&](std::size_t i, unsigned shift) {
        Operand o = operand(i);
        const auto found = std::find(selectors.begin(), selectors.end(), o.name);
        if (o.kind == Operand::Kind::Register && !o.name.empty()) {
            if (simd || found == selectors.end()) unsupported("sub-register selector");
            op.extra |= static_cast<std::uint32_t>(found - selectors.begin()) << shift;
            o.name.clear();
        }
        return source(o, Type::B32);
    };
    op.a = operandRow(1, 0);
    op.b = operandRow(2, 4);
    op.c = operands() > 3 ? source(3, Type::B32) : constant(0);
    if (operands() > 3 && !simd && !mad && static_cast<Second>(op.aux[2]) == Second::None)
        unsupported("merge into a part of a register");
    op.d = destination(0);
    op.fn = videoExec;
    MicroOp& out = emit(Kind::Exec);
    op.guard = out.guard;
    op.line = out.line;
    out = op;
}

}  // namespace gsu::exec
