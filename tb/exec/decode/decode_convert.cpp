// Comparison and conversion.
#include "exec/decode/decoder.hpp"

namespace gsu::exec {
namespace {

using ptx::Type;

bool isFloat(Type t)
{
    return t == Type::F16 || t == Type::BF16 || t == Type::F32 || t == Type::TF32 || t == Type::F64;
}

/// The value that `set` writes for true.
std::optional<std::int64_t> truth(Type t)
{
    switch (t) {
        case Type::U16:
        case Type::S16: return 0xffff;
        case Type::U32:
        case Type::S32: return 0xffff'ffff;
        case Type::F32: return 0x3f80'0000;
        case Type::F16: return 0x3c00;
        case Type::F16x2: return 0x3c00'3c00;
        case Type::BF16: return 0x3f80;
        case Type::BF16x2: return 0x3f80'3f80;
        default: return std::nullopt;  // set has no other destination
    }
}

}  // namespace

void Decoder::setpOp()
{
    static const std::map<std::string_view, CompareOp> ops{
        {"eq", CompareOp::Eq},   {"ne", CompareOp::Ne},   {"lt", CompareOp::Lt},
        {"le", CompareOp::Le},   {"gt", CompareOp::Gt},   {"ge", CompareOp::Ge},
        {"lo", CompareOp::Lo},   {"ls", CompareOp::Ls},   {"hi", CompareOp::Hi},
        {"hs", CompareOp::Hs},   {"equ", CompareOp::Equ}, {"neu", CompareOp::Neu},
        {"ltu", CompareOp::Ltu}, {"leu", CompareOp::Leu}, {"gtu", CompareOp::Gtu},
        {"geu", CompareOp::Geu}, {"num", CompareOp::Num}, {"nan", CompareOp::Nan}};
    const bool set = in_->opcode == "set";
    const auto op = ops.find(mod(0));
    if (op == ops.end()) unsupported();
    const Type t = type();
    const Row a = source(1, t), b = source(2, t);
    const ExecFn fn = compareOp(t);
    if (fn == nullptr) unsupported();
    BoolOp combine = has("and")   ? BoolOp::And
                     : has("or")  ? BoolOp::Or
                     : has("xor") ? BoolOp::Xor
                                  : BoolOp::None;
    MicroOp& out = emit(Kind::Exec, fn);
    out.a = a;
    out.b = b;
    using Result = CompareOperands::Result;
    out.compare = {op->second, has("ftz") ? kFtz : std::uint8_t{0}, combine, Result::Predicates};
    if (combine != BoolOp::None) out.pa = predicate(operand(3));
    if (set) {
        const auto one = truth(type(1));
        if (!one) unsupported();
        out.compare.result = t == Type::F16x2 || t == Type::BF16x2 ? Result::Halves : Result::Value;
        out.offset = *one;
        out.d = destination(0);
        return;
    }
    const Operand& d = operand(0);
    if (d.kind == Operand::Kind::Pair) {
        out.pd = predicateDst(part(d, 0));
        out.pq = predicateDst(part(d, 1));
    } else {
        out.pd = predicateDst(d);
    }
}

void Decoder::cvt()
{
    if (has("pack")) return cvtPack();
    if (has("rs")) return cvtStochastic();
    const Type from = type(0), to = type(1);
    if (to == Type::None) unsupported();
    const bool pair = to == Type::F16x2 || to == Type::BF16x2;
    const bool floats = isFloat(from);
    const bool toInteger = floats && !isFloat(to) && to >= Type::U8 && to <= Type::S64;
    CvtMods mods;
    mods.round = roundOf(toInteger ? Round::Rz : Round::Rn);
    mods.integral = hasAny({"rni", "rzi", "rmi", "rpi"}) && !toInteger;
    ExecFn fn = smallConvertOp(to, from);
    if (fn == nullptr) fn = convertOp(to, from, mods);
    const bool packs = from == Type::F32 && (pair || smallConvertOp(to, from) != nullptr);
    if (fn == nullptr || (operands() > 2) != packs) unsupported();
    const Row a = source(1, from), b = packs ? source(2, from) : kNoRow;
    MicroOp& op = emit(Kind::Exec, fn);
    op.d = destination(0);
    op.a = a;
    op.b = b;
    const auto flags =
        static_cast<std::uint8_t>((has("ftz") ? kFtz : 0) | (has("sat") ? kSat : 0) |
                                  (has("relu") ? kRelu : 0) | (has("satfinite") ? kSatFinite : 0));
    op.convert = {mods.round, flags, mods.integral,
                  static_cast<std::uint8_t>(registerBytes(operand(0)))};
    op.extra = static_cast<std::uint32_t>(from) | static_cast<std::uint32_t>(to) << 8;
}

/// Two f32, or a vector of four that is always saturated, and the random bits.
void Decoder::cvtStochastic()
{
    const Type to = type(1);
    const bool pair = to == Type::F16x2 || to == Type::BF16x2,
               four = to >= Type::E4M3x4 && to <= Type::E2M1x4;
    if (type() != Type::F32 || (!pair && !four) || (four && !has("satfinite"))) unsupported();
    MicroOp op;
    std::vector<Row> rows;
    if (four) {
        if (operand(1).kind != Operand::Kind::Vector) unsupported("operand form");
        rows = vectorRows(operand(1), Type::F32, false);
    } else {
        rows = {source(1, Type::F32), source(2, Type::F32)};
    }
    if (rows.size() != (four ? 4u : 2u) || operands() != (four ? 3u : 4u))
        unsupported("number of operands");
    op.c = source(four ? 2 : 3, Type::B32);
    op.d = destination(0);
    op.list = rowList(rows);
    op.count = static_cast<std::uint32_t>(rows.size());
    op.extra = static_cast<std::uint32_t>(to);
    const auto flags =
        static_cast<std::uint8_t>((has("relu") ? kRelu : 0) | (has("satfinite") ? kSatFinite : 0));
    op.convert = {Round::Rn, flags, false, 0};
    MicroOp& out = emit(Kind::Exec, stochasticOp);
    op.fn = out.fn;
    op.guard = out.guard;
    op.line = out.line;
    out = op;
}

/// Two s32 saturate, a above b; then c above both.
void Decoder::cvtPack()
{
    static constexpr std::array<std::pair<std::string_view, unsigned>, 4> widths{
        {{"16", 16}, {"8", 8}, {"4", 4}, {"2", 2}}};
    MicroOp op;
    if (mod(2).empty()) unsupported();
    op.pack = {0, mod(2)[0] == 's'};
    for (const auto& [digits, bits] : widths) {
        if (mod(2).substr(1) == digits) op.pack.bits = static_cast<std::uint8_t>(bits);
    }
    if (op.pack.bits == 0 || !has("sat")) unsupported();
    op.a = source(1, Type::S32);
    op.b = source(2, Type::S32);
    op.c = operands() > 3 ? source(3, Type::B32) : constant(0);
    op.fn = [](Ctx& x, const MicroOp& o, Lanes lanes) {
        std::uint64_t* d = x.row(o.d);
        const std::uint64_t *a = x.src(o.a), *b = x.src(o.b), *c = x.src(o.c);
        const unsigned bits = o.pack.bits;
        const std::int64_t top = (1ll << (bits - (o.pack.isSigned ? 1 : 0))) - 1;
        const std::int64_t bottom = o.pack.isSigned ? -top - 1 : 0;
        const auto field = [&](std::uint64_t v) {
            const std::int64_t n = std::clamp<std::int64_t>(as<std::int32_t>(v), bottom, top);
            return static_cast<std::uint64_t>(n) & ((1ull << bits) - 1);
        };
        eachLane(lanes, [&](unsigned l) {
            d[l] = (c[l] << 2 * bits | field(a[l]) << bits | field(b[l])) & 0xffff'ffff;
        });
    };
    op.d = destination(0);
    MicroOp& out = emit(Kind::Exec);
    op.guard = out.guard;
    op.line = out.line;
    out = op;
}

}  // namespace gsu::exec
