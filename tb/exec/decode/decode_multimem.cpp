// multimem: decoding.
#include "exec/decode/decoder.hpp"
#include "exec/machine/mem_ops.hpp"

namespace gsu::exec {
namespace {

using ptx::Type;

bool isHalf(Type t)
{
    return t == Type::F16 || t == Type::BF16 || t == Type::F16x2 || t == Type::BF16x2;
}

/// add, min, max for integers and halves, add for f32 and f64, the logic for bits.
bool reduces(AtomOp op, Type t)
{
    switch (op) {
        case AtomOp::Add:
            return t == Type::U32 || t == Type::S32 || t == Type::U64 || t == Type::F32 ||
                   t == Type::F64 || isHalf(t);
        case AtomOp::Min:
        case AtomOp::Max:
            return t == Type::U32 || t == Type::S32 || t == Type::U64 || t == Type::S64 ||
                   isHalf(t);
        case AtomOp::And:
        case AtomOp::Or:
        case AtomOp::Xor: return t == Type::B32 || t == Type::B64;
        case AtomOp::Exch:
        case AtomOp::Inc:
        case AtomOp::Dec:
        case AtomOp::Cas: break;
    }
    return false;
}

}  // namespace

void Decoder::multimem()
{
    const std::string_view what = mod(0);
    const bool loads = what == "ld_reduce", stores = what == "st";
    if (!loads && !stores && what != "red") unsupported();
    const Type t = type();
    const auto kind = stores ? std::optional(AtomOp::Exch) : namedReduction();
    if (!kind || (!stores && !reduces(*kind, t)) || sizeOf(t) == 0 || sizeOf(t) > 8 ||
        (sizeOf(t) < 4 && !isHalf(t)))
        unsupported("type");
    if (has("acc::f16")) unsupported("8-bit elements");
    MicroOp op;
    op.space = Space::Global;
    address(op, operand(loads ? 1 : 0));
    const std::vector<Row> rows = vectorRows(operand(loads ? 0 : 1), t, loads);
    const unsigned n = has("v8") ? 8 : has("v4") ? 4 : has("v2") ? 2 : 1;
    if (rows.size() != n || n * sizeOf(t) > 16 || (sizeOf(t) == 2 && n == 1))
        unsupported("vector length");
    if (operands() != 2) unsupported("number of operands");
    op.list = rowList(rows);
    op.bytes = static_cast<std::uint8_t>(sizeOf(t));
    op.lanesOf = static_cast<std::uint8_t>(n);
    op.aux[0] = static_cast<std::uint8_t>(*kind);
    op.aux[1] = static_cast<std::uint8_t>(t);
    op.aux[2] = has("acc::f32");
    op.cls = what == "red" ? Class::Atomic : Class::Global;
    place(op, Kind::Exec, loads ? multimemLoadOp : stores ? multimemStoreOp : multimemReduceOp);
}

}  // namespace gsu::exec
