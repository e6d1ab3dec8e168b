// mma, mma.sp, wmma: modifiers to tensor::Form, operands to rows.
#include <cstdio>

#include "exec/decode/decoder.hpp"
#include "exec/ops/mma_ops.hpp"

namespace gsu::exec {
namespace {

using tensor::BlockKind;
using tensor::Elem;
using tensor::Form;

ptx::Type registerType(Elem elem)
{
    return elem == Elem::F64 ? ptx::Type::F64 : elem == Elem::F32 ? ptx::Type::F32 : ptx::Type::B32;
}

/// "m16n8k16"
bool shapeOf(const std::string& word, Form& f)
{
    int end = 0;
    return std::sscanf(word.c_str(), "m%un%uk%u%n", &f.m, &f.n, &f.k, &end) == 3 &&
           static_cast<std::size_t>(end) == word.size();
}

}  // namespace

/// Types: d, a, b, c, then that of the scales; the old wmma.mma names d and c only.
Form Decoder::tensorForm() const
{
    Form f;
    std::vector<Elem> types;
    for (const std::string& word : in_->modifiers) {
        if (shapeOf(word, f)) continue;
        if (const auto elem = tensor::elemOf(word)) types.push_back(*elem);
    }
    if (types.size() == 2 && in_->opcode == "wmma")
        types = {types[0], Elem::F16, Elem::F16, types[1]};
    if (types.size() < 4) unsupported("types");
    f.d = types[0];
    f.a = types[1];
    f.b = types[2];
    f.c = types[3];
    if (types.size() > 4) f.scale = types[4];
    f.wmma = in_->opcode == "wmma";
    f.ordered = has("sp::ordered_metadata");
    f.sparse = f.ordered || has("sp");
    f.satfinite = has("satfinite");
    f.bitOp = has("and") ? tensor::BitOp::And : tensor::BitOp::Xor;
    f.rounding = has("rz")   ? tensor::Rounding::Rz
                 : has("rm") ? tensor::Rounding::Rm
                 : has("rp") ? tensor::Rounding::Rp
                             : tensor::Rounding::Rn;
    f.kind = has("kind::f8f6f4")     ? BlockKind::F8f6f4
             : has("kind::mxf8f6f4") ? BlockKind::Mxf8f6f4
             : has("kind::mxf4")     ? BlockKind::Mxf4
             : has("kind::mxf4nvf4") ? BlockKind::Mxf4nvf4
                                     : BlockKind::None;
    if (has("block_scale"))
        f.scaleVec = has("scale_vec::4X")                                    ? 4
                     : has("scale_vec::1X") || f.kind == BlockKind::Mxf8f6f4 ? 1
                                                                             : 2;
    if (f.quadPairs() || f.wmma) layouts(f);
    return f;
}

/// The layouts of A and B where the text chooses them.
void Decoder::layouts(Form& f) const
{
    std::vector<std::string_view> words;
    for (const std::string& word : in_->modifiers) {
        if (word == "row" || word == "col") words.push_back(word);
    }
    if (words.size() != 2) unsupported("layouts");
    f.aColumn = words[0] == "col";
    f.bRow = words[1] == "row";
}

/// Appends the registers of a fragment, as many as it must have.
unsigned Decoder::fragment(std::vector<Row>& rows, const Operand& o, tensor::Elem elem,
                           unsigned count, bool write)
{
    const std::vector<Row> own = vectorRows(o, registerType(elem), write);
    if (own.size() != count) unsupported("registers of a fragment");
    rows.insert(rows.end(), own.begin(), own.end());
    return count;
}

void Decoder::mma()
{
    MmaInfo info;
    Form& f = info.form;
    f = tensorForm();
    if (const std::string problem = tensor::problemOf(f); !problem.empty()) unsupported(problem);
    std::vector<Row> rows;
    info.a =
        fragment(rows, operand(1), f.a == Elem::F64 ? Elem::F64 : Elem::S32, f.aRegisters(), false);
    info.b =
        fragment(rows, operand(2), f.b == Elem::F64 ? Elem::F64 : Elem::S32, f.bRegisters(), false);
    info.c = fragment(rows, operand(3), f.c, f.accumulatorRegisters(f.c), false);
    info.d = fragment(rows, operand(0), f.d, f.accumulatorRegisters(f.d), true);
    std::size_t next = 4;
    if (f.sparse) {
        info.metadata = source(next++, Type::B32);
        const Operand& selector = operand(next++);
        if (selector.kind != Operand::Kind::Integer || selector.integer < 0 ||
            selector.integer >= static_cast<std::int64_t>(f.selectors()))
            unsupported("sparsity selector");
        info.selector = static_cast<unsigned>(selector.integer);
    }
    if (f.scaleVec != 0) {
        const auto pair = [&](Row& data, Row& byte, Row& lane) {
            data = source(next++, Type::B32);
            byte = source(part(operand(next), 0), Type::U16);
            lane = source(part(operand(next++), 1), Type::U16);
        };
        pair(info.scaleA, info.byteA, info.laneA);
        pair(info.scaleB, info.byteB, info.laneB);
    }
    MicroOp op;
    op.list = rowList(rows);
    op.extra = static_cast<std::uint32_t>(p_.mmas.size());
    op.cls = Class::Mma;
    p_.mmas.push_back(info);
    place(op, Kind::Collective, mmaOp);
}

void Decoder::wmma()
{
    if (mod(0) == "mma") return mma();
    WmmaInfo info;
    Form& f = info.form;
    f.wmma = true;
    const bool storing = mod(0) == "store";
    info.which = mod(1) == "d" ? 'c' : mod(1).empty() ? '?' : mod(1)[0];
    Elem elem{};
    for (const std::string& word : in_->modifiers) {
        if (shapeOf(word, f)) continue;
        if (const auto named = tensor::elemOf(word)) elem = *named;
    }
    f.a = f.b = f.c = f.d = elem;
    info.columns = has("col");
    info.registers = info.which == 'a'   ? f.aRegisters()
                     : info.which == 'b' ? f.bRegisters()
                                         : f.accumulatorRegisters(elem);
    MicroOp op;
    op.space = spaceOf(Space::Generic);
    address(op, operand(storing ? 0 : 1));
    std::vector<Row> rows;
    fragment(rows, operand(storing ? 1 : 0), elem, info.registers, !storing);
    if (operands() > 2) info.stride = source(2, Type::U32);
    op.list = rowList(rows);
    op.extra = static_cast<std::uint32_t>(p_.wmmas.size());
    op.cls = classOf(op.space);
    op.visible = true;
    p_.wmmas.push_back(info);
    place(op, Kind::Collective, storing ? wmmaStoreOp : wmmaLoadOp);
}

/// ldmatrix and stmatrix of 8-bit elements, ldmatrix of narrower ones that become bytes.
void Decoder::matrixMoveBytes()
{
    const bool storing = in_->opcode == "stmatrix";
    MicroOp op;
    op.space = spaceOf(Space::Generic);
    address(op, operand(storing ? 0 : 1));
    const bool tall = has("m16n16"), six = has("b6x16_p32"), four = has("b4x16_p64");
    op.matrix.count = has("x4") ? 4 : has("x2") ? 2 : 1;
    op.cls = Class::Shared;
    op.visible = true;
    if (storing) {
        std::vector<Row> from;
        fragment(from, operand(1), Elem::S32, op.matrix.count, false);
        op.list = rowList(from);
        return void(place(op, Kind::Collective, stmatrixBytesOp));
    }
    op.matrix.form = tall  ? six    ? MatrixForm::M16n16B6
                             : four ? MatrixForm::M16n16B4
                                    : MatrixForm::M16n16
                     : six ? MatrixForm::M8n16B6
                           : MatrixForm::M8n16B4;
    std::vector<Row> rows;
    fragment(rows, operand(0), Elem::S32, op.matrix.count * (tall ? 2u : 1u), true);
    op.list = rowList(rows);
    place(op, Kind::Collective, ldmatrixBytesOp);
}

}  // namespace gsu::exec
