// Arithmetic, logic, selection.
#include "exec/decode/decoder.hpp"

namespace gsu::exec {
namespace {

using ptx::Type;

bool isFloating(Type t)
{
    return t == Type::F16 || t == Type::F16x2 || t == Type::BF16 || t == Type::BF16x2 ||
           t == Type::F32 || t == Type::F32x2 || t == Type::F64;
}

}  // namespace

/// add, sub and fma with f16 or bf16 factors and an f32 sum: the narrow operands widen exactly.
Row Decoder::widened(const Operand& o, Type t)
{
    const Row from = source(o, t), to = temp();
    MicroOp& op = emit(Kind::Exec, convertOp(Type::F32, t, {}));
    op.d = to;
    op.a = from;
    op.convert = {Round::Rn, 0, false, 4};
    op.extra = static_cast<std::uint32_t>(t) | static_cast<std::uint32_t>(Type::F32) << 8;
    return to;
}

void Decoder::floatArith(const std::string& name)
{
    const Type narrow = type();
    const bool mixed = (narrow == Type::F16 || narrow == Type::BF16) && type(1) == Type::F32;
    const Type t = mixed ? Type::F32 : narrow;
    FloatMods mods;
    mods.round = roundOf();
    mods.ftz = has("ftz");
    mods.sat = has("sat");
    mods.nan = has("NaN");
    mods.abs = has("abs");
    mods.xorsign = has("xorsign");
    mods.relu = has("relu");
    mods.approx = has("approx");
    mods.full = has("full");
    const bool halves = t == Type::F16 || t == Type::F16x2 || t == Type::BF16 || t == Type::BF16x2;
    if (has("oob") && (name != "fma" || !halves || mods.ftz || mods.sat)) unsupported();
    const ExecFn fn = floatOp(name, t, mods);
    if (fn == nullptr) unsupported();
    const std::size_t n = operands();
    const auto operandRow = [&](std::size_t i) {
        if (i >= n) return kNoRow;
        return mixed && i + 1 < n ? widened(operand(i), narrow) : source(i, t);
    };
    const Row a = operandRow(1), b = operandRow(2), c = operandRow(3);
    const bool extreme = name == "min" || name == "max";
    if (n > 4 || (n == 4 && name != "fma" && !(extreme && t == Type::F32)))
        unsupported("three operands");
    MicroOp& op = emit(Kind::Exec, fn);
    op.d = destination(0);
    op.a = a;
    op.b = b;
    op.c = c;
    const std::uint8_t variant = name == "max" || name == "neg" ? 1 : name == "copysign" ? 2 : 0;
    op.real = {mods.round, static_cast<std::uint8_t>(flagsOf(mods) | (has("oob") ? kOob : 0)),
               variant};
    const bool slow = name == "div" || name == "rcp" || name == "sqrt" || name == "rsqrt" ||
                      name == "sin" || name == "cos" || name == "lg2" || name == "ex2" ||
                      name == "tanh";
    op.cls = slow ? Class::Sfu : t == Type::F64 ? Class::Wide : Class::Alu;
}

void Decoder::arith()
{
    std::string name = in_->opcode;
    const Type t = type();
    if (isFloating(t)) return floatArith(name);
    const bool carryIn = name == "addc" || name == "subc", carryOut = has("cc");
    if (carryIn || carryOut)
        name = "carry." + name.substr(0, 3);
    else if (hasAny({"u16x2", "s16x2"}))
        name += std::string(has("relu") ? ".relu" : "") + (has("u16x2") ? ".u16x2" : ".s16x2");
    else if (has("sat"))
        name += ".sat";
    else if (has("relu"))
        name += ".relu";
    const ExecFn fn = integerOp(name, t);
    if (fn == nullptr) unsupported();
    const Type operandType = hasAny({"u16x2", "s16x2"}) ? Type::B32 : t;
    const Row a = source(1, operandType);
    const Row b = operands() > 2 ? source(2, operandType) : kNoRow;
    const Row c = operands() > 3 ? source(3, operandType) : kNoRow;
    if (operands() == 4 && name != "sad") unsupported("three operands");
    if ((carryIn || carryOut) && carry_ < 0) carry_ = static_cast<std::int32_t>(code_->preds++);
    MicroOp& op = emit(Kind::Exec, fn);
    op.d = destination(0);
    op.a = a;
    op.b = b;
    op.c = c;
    if (carryIn) op.pa = {carry_, false};
    if (carryOut) op.pd = carry_;
    op.cls = name == "div" || name == "rem" ? Class::Sfu : Class::Alu;
}

void Decoder::multiply()
{
    const Type t = type();
    const bool mad = in_->opcode.substr(0, 3) == "mad";
    if (isFloating(t)) return floatArith(mad ? "fma" : "mul");
    std::string name = in_->opcode;
    const bool carryIn = name == "madc", carryOut = has("cc");
    const std::string part = has("hi") ? ".hi" : has("wide") ? ".wide" : ".lo";
    if (carryIn || carryOut)
        name = "carry.mad" + part;
    else
        name += part + (has("sat") ? ".sat" : "");
    const ExecFn fn = integerOp(name, t);
    if (fn == nullptr) unsupported();
    const Type wide = !has("wide") ? t : sizeOf(t) == 2 ? Type::U32 : Type::U64;
    const Row a = source(1, t), b = source(2, t);
    const Row c = operands() > 3 ? source(3, wide) : kNoRow;
    if ((carryIn || carryOut) && carry_ < 0) carry_ = static_cast<std::int32_t>(code_->preds++);
    MicroOp& op = emit(Kind::Exec, fn);
    op.d = destination(0);
    op.a = a;
    op.b = b;
    op.c = c;
    if (carryIn) op.pa = {carry_, false};
    if (carryOut) op.pd = carry_;
    op.signedCarry = t == Type::S32 || t == Type::S64;
    op.cls = sizeOf(t) == 8 || has("hi") ? Class::Wide : Class::Alu;
}

void Decoder::predicateLogic()
{
    if (operand(1).kind == Operand::Kind::Special) {  // %is_explicit_cluster
        const Row value = source(1, Type::U32);
        MicroOp& op = emit(Kind::Exec, [](Ctx& x, const MicroOp& o, Lanes lanes) {
            const std::uint64_t* a = x.src(o.a);
            Lanes set = 0;
            eachLane(lanes, [&](unsigned l) { set |= a[l] != 0 ? 1u << l : 0; });
            x.setPred(o.pd, lanes, set);
        });
        op.a = value;
        op.pd = predicateDst(operand(0));
        return;
    }
    const PredRef a = predicate(operand(1));
    const bool unary = in_->opcode == "not" || in_->opcode == "mov";
    const PredRef b = unary ? PredRef{} : predicate(operand(2));
    const std::int32_t d = predicateDst(operand(0));
    MicroOp& op = emit(Kind::Exec, [](Ctx& x, const MicroOp& o, Lanes lanes) {
        const Lanes p = x.pred(o.pa), q = x.pred(o.pb);
        const Lanes r = o.logic == PredicateLogic::And   ? p & q
                        : o.logic == PredicateLogic::Or  ? p | q
                        : o.logic == PredicateLogic::Xor ? p ^ q
                        : o.logic == PredicateLogic::Not ? ~p
                                                         : p;
        x.setPred(o.pd, lanes, r);
    });
    op.pd = d;
    op.pa = a;
    op.pb = b;
    op.logic = in_->opcode == "and"   ? PredicateLogic::And
               : in_->opcode == "or"  ? PredicateLogic::Or
               : in_->opcode == "xor" ? PredicateLogic::Xor
               : in_->opcode == "not" ? PredicateLogic::Not
                                      : PredicateLogic::Copy;
}

void Decoder::logic()
{
    if (has("pred")) return predicateLogic();
    const Type t = type();
    std::string name = in_->opcode;
    if (has("shiftamt")) name += ".shiftamt";
    const bool shifts = name == "shl" || name == "shr";
    const Row a = source(1, t);
    const Row b = operands() > 2 ? source(2, shifts ? Type::U32 : t) : kNoRow;
    const ExecFn fn = bitOp(name, t);
    if (fn == nullptr) unsupported();
    MicroOp& op = emit(Kind::Exec, fn);
    op.d = destination(0);
    op.a = a;
    op.b = b;
}

/// Sources 1 to 3 and the destination of a bit operation of 32 bits.
void Decoder::bitOperands(MicroOp& op)
{
    op.a = source(1, Type::B32);
    op.b = source(2, Type::B32);
    op.c = source(3, Type::B32);
    op.d = destination(0);
}

/// lop3, with or without a predicate.
void Decoder::lookUp(MicroOp& op)
{
    const Operand& d = operand(0);
    op.fn = bitOp("lop3", Type::B32);
    op.a = source(1, Type::B32);
    op.b = source(2, Type::B32);
    op.c = source(3, Type::B32);
    op.lookUp = {static_cast<std::uint8_t>(operand(4).integer), BoolOp::None};
    if (!hasAny({"or", "and"})) {
        op.d = destination(0);
        return;
    }
    op.d = d.kind == Operand::Kind::Pair ? destinationOrSink(part(d, 0)) : kNoRow;
    op.pd = predicateDst(d.kind == Operand::Kind::Pair ? part(d, 1) : d);
    op.pa = predicate(operand(5));
    op.lookUp.combine = has("or") ? BoolOp::Or : BoolOp::And;
}

void Decoder::bitField()
{
    static constexpr std::array<std::string_view, 7> modes{"",    "f4e", "b4e", "rc8",
                                                           "ecl", "ecr", "rc16"};
    const std::string& opcode = in_->opcode;
    const Type t = type();
    MicroOp op;
    if (opcode == "bfe" || opcode == "bfi") {
        op.fn = bitOp(opcode, t);
        const bool insert = opcode == "bfi";
        op.a = source(1, t);
        op.b = source(2, insert ? t : Type::U32);
        op.c = source(3, Type::U32);
        if (insert) op.e = source(4, Type::U32);
        op.d = destination(0);
    } else if (opcode == "lop3") {
        lookUp(op);
    } else if (opcode == "prmt") {
        op.fn = bitOp("prmt", Type::B32);
        for (std::size_t i = 1; i < modes.size(); ++i)
            if (has(modes[i])) op.permute = static_cast<PermuteMode>(i);
        bitOperands(op);
    } else if (opcode == "szext" || opcode == "bmsk") {
        op.fn = bitOp("mask", Type::B32);
        op.mask = {opcode == "bmsk", has("wrap"), t == Type::S32};
        op.a = source(1, Type::B32);
        op.b = source(2, Type::B32);
        op.d = destination(0);
    } else {
        dotOrSet(op);
    }
    if (op.fn == nullptr) unsupported();
    MicroOp& out = emit(Kind::Exec);
    op.guard = out.guard;
    op.line = out.line;
    out = op;
}

/// dp4a, dp2a, fns.
void Decoder::dotOrSet(MicroOp& op)
{
    const bool dot = in_->opcode != "fns";
    op.fn = bitOp(dot ? "dot" : "fns", Type::B32);
    using Parts = DotOperands::Parts;
    if (dot)
        op.dot = {type(1) == Type::S32, type(0) == Type::S32,
                  in_->opcode != "dp2a" ? Parts::Bytes
                  : has("hi")           ? Parts::High
                                        : Parts::Low};
    bitOperands(op);
}

void Decoder::shiftFunnel()
{
    const Row a = source(1, Type::B32), b = source(2, Type::B32), c = source(3, Type::U32);
    MicroOp& op = emit(Kind::Exec, bitOp("shf", Type::B32));
    op.d = destination(0);
    op.a = a;
    op.b = b;
    op.c = c;
    op.funnel = {has("l"), has("clamp")};
}

void Decoder::selectOp()
{
    const bool slct = in_->opcode == "slct";
    const Type t = slct ? type(1) : type();
    const Row a = source(1, t), b = source(2, t);
    if (slct) {
        const Type ct = type(0);
        const Row c = source(3, ct);
        MicroOp& op = emit(Kind::Exec, [](Ctx& x, const MicroOp& o, Lanes lanes) {
            std::uint64_t* d = x.row(o.d);
            const std::uint64_t *p = x.src(o.a), *q = x.src(o.b), *s = x.src(o.c);
            eachLane(lanes, [&](unsigned l) {
                float f = as<float>(s[l]);
                if (o.select.flushes) f = flush(f);
                const bool first = o.select.real ? f >= 0 : as<std::int32_t>(s[l]) >= 0;
                d[l] = first ? p[l] : q[l];
            });
        });
        op.d = destination(0);
        op.a = a;
        op.b = b;
        op.c = c;
        op.select = {ct == Type::F32, has("ftz")};
        return;
    }
    const PredRef c = predicate(operand(3));
    MicroOp& op = emit(Kind::Exec, [](Ctx& x, const MicroOp& o, Lanes lanes) {
        std::uint64_t* d = x.row(o.d);
        const std::uint64_t *p = x.src(o.a), *q = x.src(o.b);
        const Lanes which = x.pred(o.pa);
        eachLane(lanes, [&](unsigned l) { d[l] = (which >> l & 1) != 0 ? p[l] : q[l]; });
    });
    op.d = destination(0);
    op.a = a;
    op.b = b;
    op.pa = c;
}

void Decoder::testp()
{
    static constexpr std::array<std::string_view, 6> kinds{"finite",     "infinite", "number",
                                                           "notanumber", "normal",   "subnormal"};
    const Type t = type();
    const Row a = source(1, t);
    MicroOp& op = emit(Kind::Exec, [](Ctx& x, const MicroOp& o, Lanes lanes) {
        const std::uint64_t* s = x.src(o.a);
        Lanes yes = 0;
        eachLane(lanes, [&](unsigned l) {
            const double v = o.test.wide ? as<double>(s[l]) : as<float>(s[l]);
            const std::uint64_t exponent = o.test.wide ? s[l] >> 52 & 0x7ff : s[l] >> 23 & 0xff;
            const bool special = exponent == (o.test.wide ? 0x7ffu : 0xffu), nan = v != v;
            const bool r[]{!special, special && !nan,           !nan,
                           nan,      !special && exponent != 0, exponent == 0 && v != 0};
            yes |= r[static_cast<std::size_t>(o.test.kind)] ? 1u << l : 0;
        });
        x.setPred(o.pd, lanes, yes);
    });
    op.a = a;
    op.pd = predicateDst(operand(0));
    op.test = {NumberKind::Finite, t == Type::F64};
    for (std::size_t i = 0; i < kinds.size(); ++i)
        if (has(kinds[i])) op.test.kind = static_cast<NumberKind>(i);
}

}  // namespace gsu::exec
