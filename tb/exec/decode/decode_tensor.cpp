// Tensor copies and tensor maps: decoding.
#include "exec/async/async_ops.hpp"
#include "exec/async/tensor_ops.hpp"
#include "exec/decode/decoder.hpp"
#include "exec/machine/mem_ops.hpp"

namespace gsu::exec {

void Decoder::cpTensor()
{
    const auto starts = [&](std::string_view text) {
        return std::any_of(in_->modifiers.begin(), in_->modifiers.end(),
                           [&](const std::string& m) { return m.substr(0, text.size()) == text; });
    };
    if (starts("im2col")) unsupported("im2col modes");
    MicroOp op;
    for (unsigned d = 1; d <= TensorMap::kMaxRank; ++d) {
        if (has(std::to_string(d) + "d")) op.aux[3] = static_cast<std::uint8_t>(d);
    }
    const bool rows = hasAny({"tile::gather4", "tile::scatter4"}), prefetch = has("prefetch");
    const bool load = has("mbarrier::complete_tx::bytes"), store = !load && !prefetch;
    if (rows) op.aux[3] = 5;
    // The shared side is the operation's own address, the map and its coordinates are the other one.
    const Operand& map = operand(load ? 1 : 0);
    if (map.kind != Operand::Kind::Address || map.elements.size() != 2 ||
        map.elements[1].elements.size() != op.aux[3])
        unsupported("coordinates");
    MicroOp where;
    where.space = Space::Generic;
    address(where, map);
    if (where.frame) unsupported("tensor map in local memory");
    op.extra = static_cast<std::uint32_t>(where.space);
    std::vector<Row> list{where.a, constant(static_cast<std::uint64_t>(where.offset)), kNoRow,
                          kNoRow, kNoRow};
    if (!prefetch) {
        op.space = has("shared::cluster") ? Space::SharedCluster : Space::SharedCta;
        address(op, operand(load ? 0 : 1));
    }
    if (load) {
        const auto bar = addressRows(operand(2), op.space);
        list[2] = bar[0];
        list[3] = bar[1];
        if (has("multicast::cluster")) list[4] = source(3, Type::U16);
    }
    for (const Operand& c : map.elements[1].elements) list.push_back(source(c, Type::S32));
    op.list = rowList(list);
    op.aux[0] = load;
    op.aux[1] = static_cast<std::uint8_t>((store ? kTensorStore : 0) | (rows ? kTensorRows : 0) |
                                          (has("cta_group::2") ? kTensorPair : 0));
    if (mod(0) == "reduce") {
        const std::optional<AtomOp> kind = namedReduction();
        if (!kind) unsupported();
        op.aux[2] = static_cast<std::uint8_t>(1 + static_cast<unsigned>(*kind));
    }
    place(op, Kind::Exec, prefetch ? tensorPrefetchOp : tensorCopyOp);
}

void Decoder::mapPublish()
{
    MicroOp op;
    op.space = sync_->to;
    address(op, needed(ptx::SyncField::Target));
    const auto from = addressRows(needed(ptx::SyncField::Source), sync_->from);
    op.list = rowList({from[0], from[1]});
    op.cls = Class::Global;
    place(op, Kind::Collective, tensorPublishOp);
}

void Decoder::tensormap()
{
    MicroOp op;
    static const std::map<std::string_view, TensorField> fields{
        {"global_address", TensorField::Address},
        {"rank", TensorField::Rank},
        {"box_dim", TensorField::Box},
        {"global_dim", TensorField::Size},
        {"global_stride", TensorField::Stride},
        {"element_stride", TensorField::Step},
        {"elemtype", TensorField::Type},
        {"interleave_layout", TensorField::Interleave},
        {"swizzle_mode", TensorField::Swizzle},
        {"swizzle_atomicity", TensorField::Atomicity},
        {"fill_mode", TensorField::Fill}};
    const auto field = fields.find(mod(2));
    if (mod(0) != "replace" || mod(1) != "tile" || field == fields.end()) unsupported();
    op.aux[0] = static_cast<std::uint8_t>(field->second);
    op.space = spaceOf(Space::Generic);
    address(op, operand(0));
    const bool ordinal = operands() > 2;
    op.b = source(ordinal ? 2 : 1, has("b64") ? Type::B64 : Type::B32);
    op.c = ordinal ? source(1, Type::B32) : constant(0);
    op.cls = op.space == Space::Global ? Class::Global : Class::Shared;
    place(op, Kind::Exec, tensorReplaceOp);
}

}  // namespace gsu::exec
