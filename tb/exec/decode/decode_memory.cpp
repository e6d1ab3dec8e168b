// Loads, stores, matrix moves and cache hints.
#include "exec/decode/decoder.hpp"
#include "exec/ops/mem_ops.hpp"

namespace gsu::exec {
namespace {

constexpr unsigned kMaxVector = 32;  ///< bytes of one lane

unsigned vectorOf(const ptx::Instruction& in)
{
    for (const std::string& m : in.modifiers) {
        if (m == "v2") return 2;
        if (m == "v4") return 4;
        if (m == "v8") return 8;
    }
    return 1;
}

}  // namespace

void Decoder::load()
{
    const Type t = type();
    const unsigned n = vectorOf(*in_);
    MicroOp op;
    op.space = spaceOf(Space::Generic);
    address(op, operand(1));
    std::vector<Row> rows = vectorRows(operand(0), t, true);
    const Operand& first =
        operand(0).kind == Operand::Kind::Vector ? part(operand(0), 0) : operand(0);
    unsigned bytes = sizeOf(t), width = registerBytes(first);
    if (bytes == 16) bytes = width = 8;
    if (bytes == 0 || rows.size() * bytes != n * sizeOf(t) || n * sizeOf(t) > kMaxVector)
        unsupported("vector length");
    MicroOp& out = emit(Kind::Exec, loadOp);
    op.guard = out.guard;
    op.line = out.line;
    op.fn = loadOp;
    op.cls = classOf(op.space);
    op.visible = op.cls != Class::Alu;
    op.order = writtenStrength();
    op.strong = op.order.strong;
    op.bytes = static_cast<std::uint8_t>(bytes);
    op.lanesOf = static_cast<std::uint8_t>(rows.size());
    op.list = rowList(rows);
    op.load = {t == Type::S8 || t == Type::S16 || t == Type::S32,
               static_cast<std::uint8_t>(std::max(width, bytes))};
    out = op;
}

void Decoder::store()
{
    if (!isa_->form->stem.empty()) return bulkZero();  // the one store of several words
    const Type t = type();
    const unsigned n = vectorOf(*in_);
    MicroOp op;
    op.space = spaceOf(Space::Generic);
    address(op, operand(0));
    const std::vector<Row> rows = vectorRows(operand(1), t, false);
    const unsigned bytes = std::min(sizeOf(t), 8u);
    if (bytes == 0 || rows.size() * bytes != n * sizeOf(t) || n * sizeOf(t) > kMaxVector)
        unsupported("vector length");
    if (has("release")) fenceBefore(writtenScope());
    MicroOp& out = emit(Kind::Exec, storeOp);
    op.guard = out.guard;
    op.line = out.line;
    op.fn = storeOp;
    op.cls = op.space == Space::Param || op.space == Space::Local ? Class::Alu : classOf(op.space);
    op.visible = op.cls != Class::Alu;
    op.order = writtenStrength();
    op.bytes = static_cast<std::uint8_t>(bytes);
    op.lanesOf = static_cast<std::uint8_t>(rows.size());
    op.list = rowList(rows);
    out = op;
}

/// st.bulk: zeroes shared memory, multiples of 8 bytes.
void Decoder::bulkZero()
{
    MicroOp op;
    op.space = spaceOf(Space::Generic);
    address(op, operand(0));
    op.b = source(1, Type::U64);
    if (operand(2).kind != Operand::Kind::Integer || operand(2).integer != 0) unsupported("value");
    op.cls = Class::Shared;
    place(op, Kind::Exec, bulkZeroOp);
}

void Decoder::matrixMove()
{
    const std::string& name = in_->opcode;
    if (!has("m8n8") || !has("b16")) return matrixMoveBytes();
    if (name == "movmatrix") {
        const Row a = source(1, Type::B32);
        MicroOp& op = emit(Kind::Collective, movmatrixOp);
        op.d = destination(0);
        op.a = a;
        return;
    }
    const bool storing = name == "stmatrix";
    MicroOp op;
    op.space = spaceOf(Space::Generic);
    address(op, operand(storing ? 0 : 1));
    const std::vector<Row> rows = vectorRows(operand(storing ? 1 : 0), Type::B32, !storing);
    const unsigned n = has("x4") ? 4 : has("x2") ? 2 : 1;
    if (rows.size() != n) unsupported("vector length");
    op.list = rowList(rows);
    MicroOp& out = emit(Kind::Collective);
    op.kind = out.kind;
    op.guard = out.guard;
    op.line = out.line;
    op.fn = storing ? stmatrixOp : ldmatrixOp;
    op.cls = Class::Shared;
    op.visible = true;
    op.matrix = {static_cast<std::uint8_t>(n), has("trans"), {}};
    out = op;
}

/// prefetch, applypriority and discard only touch caches, which this model does not have; createpolicy gives an opaque policy.
void Decoder::hint()
{
    if (in_->opcode == "createpolicy") {
        const Row zero = constant(0);
        MicroOp& out = emit(Kind::Exec, moveOp);
        out.d = destination(0);
        out.a = zero;
        return;
    }
    emit(Kind::Exec, [](Ctx&, const MicroOp&, Lanes) {});
}

}  // namespace gsu::exec
