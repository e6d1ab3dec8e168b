// VideoOp instructions: integer operations on whole registers, selected bytes or halves, or on all bytes or halves at once.
#include <algorithm>

#include "exec/decode/decoder.hpp"
#include "ptx/video.hpp"

namespace gsu::exec {
namespace {

/// Holds a product or a shifted value of 32 bits exactly.
__extension__ typedef __int128 Wide;

/// Bits of VideoOperands::flags.
constexpr std::uint8_t kSignedD = 1, kSignedA = 2, kSignedB = 4, kClampResult = 8, kWrapShift = 16;
/// Bits of Mad's flags; kSignedD is the sign of its sum.
constexpr std::uint8_t kNegateProduct = 32, kNegateAddend = 64, kPlusOne = 128;

/// A part of a register: `bits` from `at`.
struct Part {
    unsigned at, bits;
};

/// Selectors: 0 the register, 1..4 a byte, 5 and 6 a half.
constexpr Part partOf(unsigned selector)
{
    if (selector == 0) return {0, 32};
    return selector < 5 ? Part{8 * (selector - 1), 8} : Part{16 * (selector - 5), 16};
}

std::int64_t extract(std::uint64_t cell, Part part, bool isSigned)
{
    const auto v = static_cast<std::int64_t>(cell >> part.at & ((1ull << part.bits) - 1));
    return isSigned && v >> (part.bits - 1) != 0 ? v - (1ll << part.bits) : v;
}

/// `c` with the low bits of `v` in place of a part.
std::uint32_t merged(std::uint64_t c, Part part, Wide v)
{
    const std::uint64_t mask = ((1ull << part.bits) - 1) << part.at;
    return static_cast<std::uint32_t>((c & ~mask) |
                                      (static_cast<std::uint64_t>(v) << part.at & mask));
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

Wide compute(const MicroOp& o, std::int64_t a, std::int64_t b)
{
    const bool wraps = (o.video.flags & kWrapShift) != 0;
    const auto shift = [&] {
        const auto n = static_cast<std::uint32_t>(b);
        return wraps ? n & 31 : std::min(n, 32u);
    };
    switch (o.video.what) {
        case VideoOp::Add: return a + b;
        case VideoOp::Sub: return a - b;
        case VideoOp::AbsDiff: return a < b ? b - a : a - b;
        case VideoOp::Min: return std::min(a, b);
        case VideoOp::Max: return std::max(a, b);
        case VideoOp::Avrg: return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
        case VideoOp::Set: return compared(o.target, a, b) ? 1 : 0;
        case VideoOp::Shl: return Wide{a} * (1ll << shift());
        case VideoOp::Shr: return a >> shift();
        case VideoOp::Mad: break;  // has a sum of its own
    }
    return 0;
}

std::uint32_t second(const MicroOp& o, Wide r, std::uint64_t cell)
{
    const bool isSigned = (o.video.flags & kSignedD) != 0;
    const std::int64_t v = extract(static_cast<std::uint32_t>(r), partOf(0), isSigned);
    const std::int64_t c = extract(cell, partOf(0), isSigned);
    switch (o.video.second) {
        case VideoSecond::None: return static_cast<std::uint32_t>(v);
        case VideoSecond::Add: return static_cast<std::uint32_t>(v + c);
        case VideoSecond::Min: return static_cast<std::uint32_t>(std::min(v, c));
        case VideoSecond::Max: return static_cast<std::uint32_t>(std::max(v, c));
    }
    return 0;
}

void scalarExec(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b), *c = x.src(o.c);
    const bool sd = (o.video.flags & kSignedD) != 0, clamps = (o.video.flags & kClampResult) != 0;
    const Part pa = partOf(o.extra & 15), pb = partOf(o.extra >> 16 & 15);
    const Part pd = partOf(o.video.written);
    eachLane(lanes, [&](unsigned l) {
        Wide r = compute(o, extract(a[l], pa, (o.video.flags & kSignedA) != 0),
                         extract(b[l], pb, (o.video.flags & kSignedB) != 0));
        if (clamps) r = clampTo(r, pd.bits, sd);
        d[l] = pd.bits == 32 ? second(o, r, c[l]) : merged(c[l], pd, r);
    });
}

void madExec(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b), *c = x.src(o.c);
    const std::uint8_t flags = o.video.flags;
    const bool signedSum = (flags & kSignedD) != 0, negatesC = (flags & kNegateAddend) != 0;
    const Part pa = partOf(o.extra & 15), pb = partOf(o.extra >> 16 & 15);
    eachLane(lanes, [&](unsigned l) {
        const Wide product = Wide{extract(a[l], pa, (flags & kSignedA) != 0)} *
                             extract(b[l], pb, (flags & kSignedB) != 0);
        // The third source is complemented as 32 bits and then extended, with one added to the sum.
        const std::uint64_t addend = negatesC ? ~c[l] : c[l];
        const int one = negatesC || (flags & kPlusOne) != 0 ? 1 : 0;
        const Wide sum = ((flags & kNegateProduct) != 0 ? -product : product) +
                         extract(addend, partOf(0), signedSum) + one;
        const Wide r = sum >> o.target;
        d[l] =
            static_cast<std::uint32_t>((flags & kClampResult) != 0 ? clampTo(r, 32, signedSum) : r);
    });
}

void simdExec(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b), *c = x.src(o.c);
    const bool sa = (o.video.flags & kSignedA) != 0, sb = (o.video.flags & kSignedB) != 0,
               sd = (o.video.flags & kSignedD) != 0, clamps = (o.video.flags & kClampResult) != 0;
    const bool adds = o.video.second == VideoSecond::Add;
    const unsigned parts = o.video.parts, bits = 32 / parts, mask = o.video.written;
    eachLane(lanes, [&](unsigned l) {
        // Selectors number the parts of a and, above them, those of b.
        const std::uint64_t both = (b[l] & 0xffff'ffff) << 32 | (a[l] & 0xffff'ffff);
        auto result = static_cast<std::uint32_t>(c[l]);
        for (unsigned i = 0; i < parts; ++i) {
            if ((mask >> i & 1) == 0) continue;
            const Part pa{bits * (o.extra >> (4 * i) & 15), bits},
                pb{bits * (o.extra >> (16 + 4 * i) & 15), bits};
            Wide r = compute(o, extract(both, pa, sa), extract(both, pb, sb));
            if (clamps) r = clampTo(r, bits, sd);
            result =
                adds ? result + static_cast<std::uint32_t>(r) : merged(result, {bits * i, bits}, r);
        }
        d[l] = result;
    });
}

/// The digits of a selector as nibbles, the last one lowest.
std::uint32_t nibbles(std::string_view selector)
{
    std::uint32_t v = 0;
    for (const char digit : selector.substr(1))
        v = v << 4 | static_cast<std::uint32_t>(digit - '0');
    return v;
}

/// "b0" to "h1" as numbers for partOf().
std::uint32_t partNumber(std::string_view selector)
{
    if (selector.empty()) return 0;
    return static_cast<std::uint32_t>(selector[1] - '0') + (selector[0] == 'b' ? 1 : 5);
}

/// Selectors and masks of one instruction into MicroOp::extra and VideoOperands::written.
void encodeSelectors(MicroOp& op, const ptx::Instruction& in)
{
    const auto text = [&](std::size_t i) {
        const ptx::Operand& o = in.operands[i];
        return o.kind == ptx::Operand::Kind::Register ? std::string_view(o.name)
                                                      : std::string_view{};
    };
    const unsigned lanes = op.video.parts;
    if (lanes == 1) {
        op.extra = partNumber(text(1)) | partNumber(text(2)) << 16;
        op.video.written = partNumber(text(0)) & 15;
        return;
    }
    const std::string_view lower = lanes == 2 ? "h10" : "b3210",
                           upper = lanes == 2 ? "h32" : "b7654";
    op.extra = nibbles(text(1).empty() ? lower : text(1)) |
               nibbles(text(2).empty() ? upper : text(2)) << 16;
    unsigned mask = 0;
    for (const char digit : (text(0).empty() ? lower : text(0)).substr(1))
        mask |= 1u << (digit - '0');
    op.video.written = mask & 15;
}

/// The operation of that name without its number of lanes.
VideoOp kindOf(std::string_view name)
{
    static const std::map<std::string_view, VideoOp> kinds{
        {"vadd", VideoOp::Add}, {"vsub", VideoOp::Sub}, {"vabsdiff", VideoOp::AbsDiff},
        {"vmin", VideoOp::Min}, {"vmax", VideoOp::Max}, {"vavrg", VideoOp::Avrg},
        {"vset", VideoOp::Set}, {"vshl", VideoOp::Shl}, {"vshr", VideoOp::Shr},
        {"vmad", VideoOp::Mad}};
    return kinds.find(name)->second;
}

/// 's' or 'u' of destination and sources; vset names no destination type.
std::vector<char> typesOf(const ptx::Instruction& in)
{
    std::vector<char> types;
    for (const std::string& m : in.modifiers)
        if (m == "u32" || m == "s32") types.push_back(m[0]);
    if (types.size() == 2) types.insert(types.begin(), 'u');
    return types;
}

/// A register without selector and sign, which are encoded apart.
ptx::Operand plain(ptx::Operand o)
{
    if (o.kind != ptx::Operand::Kind::Register) return o;
    o.name.clear();
    o.negated = false;
    return o;
}

}  // namespace

void Decoder::videoOp()
{
    static constexpr std::array<std::string_view, 6> compares{"eq", "ne", "lt", "le", "gt", "ge"};
    if (const auto problem = ptx::videoProblem(*f_, *in_)) unsupported(problem->reason);
    std::string_view name = in_->opcode;
    const unsigned parts = ptx::videoLanes(name);
    if (parts > 1) name.remove_suffix(1);
    const std::vector<char> types = typesOf(*in_);
    MicroOp op;
    const VideoOp kind = kindOf(name);
    const bool mad = kind == VideoOp::Mad;
    const bool product = mad && operand(1).negated != operand(2).negated,
               addend = mad && operand(3).negated,
               signedSources = types[1] == 's' || types[2] == 's';
    const auto flag = [](bool on, std::uint8_t bit) { return on ? bit : std::uint8_t{0}; };
    op.video.what = kind;
    op.video.flags = static_cast<std::uint8_t>(
        flag(mad ? signedSources || product || addend : types[0] == 's', kSignedD) |
        flag(types[1] == 's', kSignedA) | flag(types[2] == 's', kSignedB) |
        flag(has("sat"), kClampResult) | flag(has("wrap"), kWrapShift) |
        flag(product, kNegateProduct) | flag(addend, kNegateAddend) | flag(has("po"), kPlusOne));
    op.video.second = has("add")   ? VideoSecond::Add
                      : has("min") ? VideoSecond::Min
                      : has("max") ? VideoSecond::Max
                                   : VideoSecond::None;
    op.video.parts = static_cast<std::uint8_t>(parts);
    for (std::size_t i = 0; i < compares.size(); ++i)
        if (has(compares[i])) op.target = static_cast<std::uint32_t>(i);
    if (mad) op.target = has("shr7") ? 7 : has("shr15") ? 15 : 0;
    encodeSelectors(op, *in_);
    op.a = source(plain(operand(1)), Type::B32);
    op.b = source(plain(operand(2)), Type::B32);
    op.c = operands() > 3 ? source(plain(operand(3)), Type::B32) : constant(0);
    op.d = destination(plain(operand(0)));
    op.fn = mad ? madExec : parts == 1 ? scalarExec : simdExec;
    MicroOp& out = emit(Kind::Exec);
    op.guard = out.guard;
    op.line = out.line;
    out = op;
}

}  // namespace gsu::exec
