// wgmma: operands of wgmma.mma_async, its fence and groups, and the registers that other instructions of its function touch.
#include <algorithm>

#include "exec/async/matrix_engine.hpp"
#include "exec/decode/decoder.hpp"

namespace gsu::exec {

using tensor::Elem;

void Decoder::wgmma()
{
    if (has("mma_async")) return wgmmaAsync();
    MicroOp op;
    if (has("wait_group")) {
        if (operand(0).kind != Operand::Kind::Integer) unsupported("count of groups");
        op.offset = operand(0).integer;
        place(op, Kind::Collective, wgmmaWaitOp);
    } else {
        place(op, Kind::Collective, has("fence") ? wgmmaFenceOp : wgmmaCommitOp);
    }
}

/// One warp's part: 16 rows of the 64.
tensor::Form Decoder::wgmmaForm() const
{
    tensor::Form f;
    std::vector<Elem> types;
    for (const std::string& word : in_->modifiers) {
        int end = 0;
        if (std::sscanf(word.c_str(), "m64n%uk%u%n", &f.n, &f.k, &end) == 2 &&
            static_cast<std::size_t>(end) == word.size())
            continue;
        if (const auto elem = tensor::elemOf(word)) types.push_back(*elem);
    }
    if (types.size() != 3 || f.n == 0 || f.n > 256 || f.n % 8 != 0) unsupported("types or shape");
    f.m = 16;
    f.c = f.d = types[0];
    f.a = types[1];
    f.b = types[2];
    f.sparse = has("sp");
    f.satfinite = has("satfinite");
    f.bitOp = tensor::BitOp::And;
    if (f.k * tensor::bitsOf(f.a) != (f.sparse ? 512u : 256u)) unsupported("shape of these types");
    return f;
}

/// d, a (descriptor or registers), b, [metadata, selector,] scale-d, [scale-a, scale-b, [transpose-a,] transpose-b]
void Decoder::wgmmaAsync()
{
    WgmmaInfo info;
    const tensor::Form f = info.form = wgmmaForm();
    std::vector<Row> rows;
    MicroOp op;
    const bool registers = operand(1).kind == Operand::Kind::Vector;
    if (registers)
        info.a = fragment(rows, operand(1), Elem::S32, 4, false);
    else
        op.a = source(1, Type::B64);
    info.d = fragment(rows, operand(0), f.d, f.accumulatorRegisters(f.d), true);
    op.b = source(2, Type::B64);
    std::size_t next = 3;
    if (f.sparse) {
        info.metadata = source(next++, Type::B32);
        info.selector = static_cast<unsigned>(operand(next++).integer);
        if (info.selector >= f.selectors()) unsupported("sparsity selector");
    }
    info.scaleD = predicate(operand(next++));
    const auto literal = [&]() { return next < operands() ? operand(next++).integer : 0; };
    if (next < operands()) {
        info.negateA = literal() == -1;
        info.negateB = literal() == -1;
        if (!registers) info.transposeA = literal() == 1;
        info.transposeB = literal() == 1;
    }
    op.list = rowList(rows);
    op.extra = static_cast<std::uint32_t>(p_.wgmmas.size());
    op.cls = Class::Alu;
    p_.wgmmas.push_back(info);
    place(op, Kind::Collective, wgmmaOp);
}

void Decoder::addTouched(std::vector<Row>& rows, const Operand& o, bool write) const
{
    if (o.kind == Operand::Kind::Register && !isPredicate(o)) {
        const Row row = slot_[o.index];
        for (unsigned i = 0; i < (registerBytes(o) > 8 ? 2u : 1u); ++i)
            rows.push_back(row + static_cast<Row>(i) + (write ? kWrites : 0));
    }
    // Registers in brackets are read, even if the instruction writes.
    for (const Operand& part : o.elements)
        addTouched(rows, part, write && o.kind != Operand::Kind::Address);
}

/// Notes the registers that every instruction touches, in a function with late register writes.
void Decoder::watchRegisters(const ptx::Instruction& in)
{
    if (&in == f_->body.data()) {
        const auto isUsed = [&](const char* opcode, const char* what) {
            return std::any_of(f_->body.begin(), f_->body.end(), [&](const ptx::Instruction& i) {
                return i.opcode == opcode && !i.modifiers.empty() && i.modifiers[0] == what;
            });
        };
        loads_ = isUsed("tcgen05", "ld");
        watches_ = loads_ || isUsed("wgmma", "mma_async");
    }
    if (!watches_) return;
    std::vector<Row> rows;
    if (in.opcode != "wgmma") {
        for (std::size_t i = 0; i < in.operands.size(); ++i)
            addTouched(rows, in.operands[i],
                       i == 0 && in.operands[i].kind != Operand::Kind::Address);
    }
    code_->touched.resize(code_->ops.size());
    // A wgmma checks after its instruction; a tcgen05.ld is waited for before its instruction.
    if (first_ < code_->ops.size())
        (loads_ ? code_->touched[first_] : code_->touched.back()) = std::move(rows);
}

}  // namespace gsu::exec
