// multimem: decoding.
#include "exec/decode/decoder.hpp"
#include "exec/ops/mem_ops.hpp"

namespace gsu::exec {
/// Decodes a row: only loads have a result, only stores no operation; types and lengths are those of the table.
void Decoder::multimem()
{
    const Operand* result = role("d");
    const bool loads = result != nullptr, stores = word("op").empty();
    const Type t = type();
    const auto kind = stores ? std::optional(AtomOp::Exch) : namedReduction();
    if (!kind) unsupported();
    MicroOp op;
    op.space = Space::Global;
    address(op, *role("[a]"));
    const std::vector<Row> rows = vectorRows(loads ? *result : *role("b"), t, loads);
    op.list = rowList(rows);
    op.bytes = static_cast<std::uint8_t>(sizeOf(t));
    op.lanesOf = static_cast<std::uint8_t>(rows.size());
    op.multimem = {*kind, t, !word("acc::f32").empty()};
    op.cls = loads || stores ? Class::Global : Class::Atomic;
    op.order = writtenStrength();
    op.order.strong = op.order.strong || (!loads && !stores);
    if (has("release")) fenceBefore(writtenScope());
    place(op, Kind::Exec, loads ? multimemLoadOp : stores ? multimemStoreOp : multimemReduceOp);
}

}  // namespace gsu::exec
