// Tensor copies and tensor maps: decoding.
#include "exec/decode/decoder.hpp"
#include "exec/ops/async_ops.hpp"
#include "exec/ops/mem_ops.hpp"
#include "exec/ops/tensor_ops.hpp"
#include "exec/tensormap/tensor_map.hpp"

namespace gsu::exec {

namespace {

MapMode mapModeOf(std::string_view word, bool noOffsets)
{
    return word == "im2col" || noOffsets ? MapMode::Im2col
           : word == "im2col::w"         ? MapMode::Im2colW
           : word == "im2col::w::128"    ? MapMode::Im2colW128
                                         : MapMode::Tile;
}

}  // namespace

/// Decodes a tensor copy. With the mode tile::gather4 or tile::scatter4 it names rows in place of a box, with im2col a pixel.
void Decoder::cpTensor()
{
    const Operand &map = *role("[map,coordinates]"), *barrier = role("[mbar]");
    const Operand *target = role("[dst]"), *from = role("[src]"), *ctas = role("ctaMask");
    const bool load = barrier != nullptr, prefetch = target == nullptr && from == nullptr;
    const Operand* pixels = role("im2colInfo");
    const bool rows = word("mode").starts_with("tile::");
    const MapMode mode = mapModeOf(word("mode"), has("im2col_no_offs"));
    MicroOp op;
    // The shared side is the operation's own address, the map and its coordinates are the other one.
    MicroOp where;
    where.space = Space::Generic;
    address(where, map);
    if (where.frame) unsupported("tensor map in local memory");
    op.extra = static_cast<std::uint32_t>(where.space);
    std::vector<Row> list{where.a, constant(static_cast<std::uint64_t>(where.offset)), kNoRow,
                          kNoRow, kNoRow};
    if (!prefetch) {
        op.space = has("shared::cluster") ? Space::SharedCluster : Space::SharedCta;
        address(op, load ? *target : *from);
    }
    if (load) {
        const auto bar = addressRows(*barrier, op.space);
        list[2] = bar[0];
        list[3] = bar[1];
        if (ctas != nullptr) list[4] = source(*ctas, Type::U16);
    }
    for (const Operand& c : map.elements[1].elements) list.push_back(source(c, Type::S32));
    if (pixels != nullptr) {
        for (const Operand& i : pixels->elements) list.push_back(source(i, Type::U16));
    }
    op.list = rowList(list);
    op.tensor.completes = load;
    op.tensor.stores = !load && !prefetch;
    op.tensor.rows = rows;
    op.tensor.pair = word("pair").ends_with('2');
    op.tensor.mode = mode;
    op.tensor.coordinates = static_cast<std::uint8_t>(map.elements[1].elements.size());
    if (const std::optional<AtomOp> kind = namedReduction())
        op.tensor.reduces = static_cast<std::uint8_t>(1 + static_cast<unsigned>(*kind));
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
    SyncInfo s = request();
    s.sem = Sem::Release;
    s.scope = requestScope(Scope::Gpu);
    s.aligned = false;  // the warp is together already
    emitRequest(s);
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
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const auto& entry) {
        return word(entry.first) == entry.first || word("field") == entry.first;
    });
    if (field == fields.end()) unsupported();
    op.field = field->second;
    op.space = spaceOf(Space::Generic);
    address(op, operand(0));
    const bool ordinal = operands() > 2;
    op.b = source(ordinal ? 2 : 1, has("b64") ? Type::B64 : Type::B32);
    op.c = ordinal ? source(1, Type::B32) : constant(0);
    op.cls = op.space == Space::Global ? Class::Global : Class::Shared;
    place(op, Kind::Exec, tensorReplaceOp);
}

}  // namespace gsu::exec
