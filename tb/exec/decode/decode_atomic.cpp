// Atomics, reductions without a result, fences: chapter instructions that are memory operations or only time.
#include "exec/async/async_ops.hpp"
#include "exec/decode/decoder.hpp"
#include "exec/machine/mem_ops.hpp"

namespace gsu::exec {

using Field = ptx::SyncField;
using Word = ptx::SyncWord;

std::optional<AtomOp> atomOf(ptx::SyncWord word) noexcept
{
    switch (word) {
        case Word::And: return AtomOp::And;
        case Word::Or: return AtomOp::Or;
        case Word::Xor: return AtomOp::Xor;
        case Word::Exch: return AtomOp::Exch;
        case Word::Add: return AtomOp::Add;
        case Word::Inc: return AtomOp::Inc;
        case Word::Dec: return AtomOp::Dec;
        case Word::Min: return AtomOp::Min;
        case Word::Max: return AtomOp::Max;
        case Word::Cas: return AtomOp::Cas;
        default: return std::nullopt;
    }
}

std::optional<AtomOp> Decoder::namedReduction() const
{
    for (const std::string& m : in_->modifiers) {
        if (const auto kind = atomOf(ptx::syncWordOf(m))) return kind;
    }
    return std::nullopt;
}

AtomOp Decoder::reduction() const
{
    const auto kind = atomOf(sync_->word);
    if (!kind) unsupported();
    return *kind;
}

void Decoder::atomic()
{
    constexpr unsigned kMaxVector = 32;  // bytes of one lane
    const Type t = sync_->type;
    const AtomOp kind = reduction();
    if (sizeOf(t) == 0 || t == Type::Pred) unsupported();
    MicroOp op;
    op.space = sync_->space;
    address(op, needed(Field::Address));
    std::vector<Row> in = vectorRows(needed(Field::Data), t, false);
    const std::size_t elements = sizeOf(t) == 16 ? 1 : in.size();
    if (in.empty() || in.size() * sizeOf(t) > kMaxVector || (elements & (elements - 1)) != 0 ||
        (sizeOf(t) == 16 && (in.size() != 2 || (kind != AtomOp::Cas && kind != AtomOp::Exch))))
        unsupported("vector length");
    if (kind == AtomOp::Cas) {
        const std::vector<Row> swap = vectorRows(needed(Field::Swap), t, false);
        if (elements != 1 || swap.size() != in.size()) unsupported("vector length");
        in.insert(in.end(), swap.begin(), swap.end());
    }
    const Operand* result = written(Field::Result);
    if (result != nullptr && result->kind != Operand::Kind::Sink) {
        const std::vector<Row> out = vectorRows(*result, t, true);
        if (out.size() != elements * (sizeOf(t) == 16 ? 2 : 1)) unsupported("vector length");
        op.target = rowList(out);
        op.count = static_cast<std::uint32_t>(out.size());
    }
    op.list = rowList(in);
    op.cls = Class::Atomic;
    op.bytes = static_cast<std::uint8_t>(sizeOf(t));
    op.lanesOf = static_cast<std::uint8_t>(elements);
    op.aux[0] = static_cast<std::uint8_t>(kind);
    op.aux[1] = static_cast<std::uint8_t>(t);
    op.aux[2] = sync_->op == Op::Red;
    op.aux[3] = sync_->cacheHint;
    place(op, Kind::Exec, atomOp);
}

/// Fences order nothing here that is not in order already: memory is one, instructions take effect in issue order. Only time.
void Decoder::fence()
{
    MicroOp& op = emit(Kind::Exec, [](Ctx&, const MicroOp&, Lanes) {});
    op.visible = true;
    const Scope scope = requestScope(Scope::Cta);
    const bool near = sync_->op == Op::FenceProxy || sync_->op == Op::FenceMbarrierInit;
    op.cls = near || scope == Scope::Cta ? Class::FenceCta
             : scope == Scope::Sys       ? Class::FenceSys
                                         : Class::FenceGpu;
}

/// red.async.release and st.async.release: performed when everything before it is.
void Decoder::releaseData()
{
    const Type t = sync_->type;
    if (sync_->word == Word::None || sync_->word == Word::Async) unsupported();
    MicroOp op;
    op.space = sync_->space;
    address(op, needed(Field::Target));
    if (sizeOf(t) != 4 && sizeOf(t) != 8 && sizeOf(t) != 2) unsupported("type");
    op.list = rowList({source(needed(Field::Data), t)});
    op.bytes = static_cast<std::uint8_t>(sizeOf(t));
    op.aux[0] = static_cast<std::uint8_t>(reduction());
    op.aux[1] = static_cast<std::uint8_t>(t);
    place(op, Kind::Exec, redReleaseOp);
}

}  // namespace gsu::exec
