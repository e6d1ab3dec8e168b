// Tensor copies: boxes of a tensor between global and shared memory by a tensor map, and changes of tensor maps.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "exec/memory/access.hpp"
#include "exec/ops/async_ops.hpp"
#include "exec/ops/mem_ops.hpp"
#include "exec/ops/tensor_ops.hpp"

namespace gsu::exec {
namespace {

constexpr unsigned kSharedAlign = 128, kMapAlign = 64;

std::uint64_t at(const Ctx& x, const Row* rows, std::size_t i, unsigned lane)
{
    return (rows[i] == kNoRow ? 0 : x.src(rows[i])[lane]) + x.src(rows[i + 1])[lane];
}

/// The place of a map; without bytes after a fault.
Place mapPlace(Ctx& x, ptx::Space space, std::uint64_t address, unsigned lane)
{
    Place p = x.parts->memory.locate(x, space, address, TensorMap::kBytes, lane);
    const char* why = p.bytes == nullptr         ? p.why
                      : address % kMapAlign != 0 ? "not aligned to 64 bytes"
                      : p.where == Place::Where::Local || p.where == Place::Where::Stack
                          ? "a tensor map lies in global, constant, parameter or shared memory"
                          : nullptr;
    if (why == nullptr) return p;
    const bool odd = p.bytes != nullptr && address % kMapAlign != 0;
    faultLane(x, lane, "GEN-002",
              x.parts->memory.text("tensor map", address, TensorMap::kBytes, why),
              odd ? TrapKind::Misaligned : TrapKind::Access);
    p.bytes = nullptr;
    return p;
}

/// The bytes of a map as a copy reads them: through the tensormap proxy, which needs fences where the kernel has written it (FENCE-028, FENCE-029).
std::array<std::uint8_t, TensorMap::kBytes> mapAsSeen(Ctx& x, const MicroOp& o, const Place& p,
                                                      std::uint64_t address, unsigned lane)
{
    std::array<std::uint8_t, TensorMap::kBytes> bytes;
    std::memcpy(bytes.data(), p.bytes, bytes.size());
    if (p.where != Place::Where::Global || o.fn == tensorPrefetchOp) return bytes;  // a hint
    if (ParallelPart* part = x.parts->state.part) part->touch(address, bytes.size(), false);
    using Missing = visibility::MapLog::Missing;
    const Missing missing =
        x.parts->memory.late().asMapSees(*x.cta, address, bytes.data(), bytes.size());
    if (missing == Missing::Release) {
        report(x, o, "FENCE-028", Severity::Error,
               "a copy uses a tensor map that this kernel has written: no release towards the "
               "tensormap proxy followed the write",
               1u << lane);
    } else if (missing == Missing::Acquire) {
        report(x, o, "FENCE-029", Severity::Error,
               "a copy uses a tensor map that this kernel has written: this CTA has not acquired "
               "its 128 bytes by fence.proxy.tensormap since",
               1u << lane);
    }
    return bytes;
}

/// im2colInfo of a lane; stores have none.
PixelInfo pixelsOf(const Ctx& x, const MicroOp& o, unsigned lane)
{
    PixelInfo info;
    if (o.tensor.mode == MapMode::Tile || o.tensor.stores) return info;
    const Row* rows = x.parts->program.rows.data() + o.list + 5 + o.tensor.coordinates;
    const auto value = [&](unsigned i) { return static_cast<std::uint16_t>(x.src(rows[i])[lane]); };
    if (o.tensor.mode != MapMode::Im2col) {
        info.halo = value(0);
        info.wOffset = value(1);
        return info;
    }
    for (unsigned d = 0; d + 2u < o.tensor.coordinates; ++d) info.offset[d] = value(d);
    return info;
}

/// The map of a copy, or nullopt after a fault.
std::optional<TensorMap> mapOf(Ctx& x, const MicroOp& o, std::uint64_t address, unsigned lane)
{
    const Place p = mapPlace(x, static_cast<ptx::Space>(o.extra), address, lane);
    if (p.bytes == nullptr) return std::nullopt;
    const std::optional<TensorMap> map =
        TensorMap::decoded(mapAsSeen(x, o, p, address, lane).data());
    const unsigned rank = o.tensor.rows ? 2 : o.tensor.coordinates;
    std::string why = map ? map->problem() : "these 128 bytes are not a tensor map";
    if (why.empty() && map->rank != rank) {
        why = fmt::format("the map has rank {}, the copy {}", map->rank, rank);
    }
    if (why.empty() && o.tensor.rows && map->box[1] != 1)
        why = "gather4 and scatter4 want a box of one row";
    if (why.empty() && map->mode != o.tensor.mode)
        why = fmt::format("the map is for {}, the copy for {}", nameOf(map->mode),
                          nameOf(o.tensor.mode));
    if (why.empty() && map->mode != MapMode::Tile) why = pixelsOf(x, o, lane).problem(*map);
    if (why.empty()) return map;
    faultLane(x, lane, "GEN-002", "tensor map: " + why);
    return std::nullopt;
}

/// Every element of the box that is in the tensor must lie in an allocation.
bool reachable(Ctx& x, const Tile& tile, unsigned lane)
{
    for (const TileRun& r : tile.runs) {
        if (r.global == 0 || x.parts->device.global.find(r.global, r.bytes) != nullptr) continue;
        faultLane(x, lane, "GEN-002",
                  x.parts->memory.text("tensor copy", r.global, r.bytes,
                                       "the tensor reaches outside every allocation"));
        return false;
    }
    return true;
}

std::string problemOfCopy(const TensorMap& map, std::int32_t column, bool store)
{
    if (store && map.padded()) return "elements with gaps go to shared memory only";
    return map.problemOfColumn(column);
}

void setFill(Tile& tile, const TensorMap& map)
{
    if (map.fill == 0) return;
    const unsigned size = map.elementBytes();
    for (unsigned i = 0; i < tile.fill.size(); ++i)
        tile.fill[i] = i % size == size - 1 ? 0x7f : 0xff;  // the quiet NaN of all formats
}

/// inc, dec, and, or, xor are for unsigned integers only; the rest for the types of atomics.
bool reducible(AtomOp op, ptx::Type t)
{
    using ptx::Type;
    const bool unsignedWord = t == Type::U32 || t == Type::U64;
    if (op == AtomOp::Inc || op == AtomOp::Dec) return t == Type::U32;
    if (op == AtomOp::And || op == AtomOp::Or || op == AtomOp::Xor)
        return unsignedWord || t == Type::S32 || t == Type::S64;
    if (t == Type::F32 || t == Type::F64) return op == AtomOp::Add;
    return unsignedWord || t == Type::S32 || t == Type::S64 || t == Type::F16 || t == Type::BF16;
}

}  // namespace

/// a: shared memory; rows[list..]: map, offset, mbarrier, offset, multicast mask, coordinates; extra: space of the map;
/// then im2colInfo.
// long: what a lane's copy is, field by field
void tensorCopyOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const RunParts& m = *x.parts;
    const Row* rows = m.program.rows.data() + o.list;
    const bool store = o.tensor.stores, gathers = o.tensor.rows;
    eachLane(lanes, [&](unsigned l) {
        const std::optional<TensorMap> map = mapOf(x, o, at(x, rows, 0, l), l);
        if (!map) return;
        Copy c;
        const PixelInfo pixels = pixelsOf(x, o, l);
        const std::uint32_t rowBytes = map->rowBytes();
        c.bytes = c.valid = gathers ? 4 * rowBytes
                            : map->mode != MapMode::Tile
                                ? pixelCount(*map, pixels) * rowBytes
                                : static_cast<std::uint32_t>(map->boxBytes());
        const Packing packing = map->packing();
        CopyEnd here, bar;
        if (!resolveEnd(x, o.space, addressOf(x, o, l), c.bytes / packing.global * packing.shared,
                        kSharedAlign, l, "tensor copy", here))
            return;
        if (store) checkSourceFenced(x, o, l, here.at, c.bytes);
        const auto tile = std::make_shared<Tile>();
        std::array<std::int32_t, 5> origin{};
        for (unsigned d = 0; d < o.tensor.coordinates; ++d)
            origin[d] = static_cast<std::int32_t>(x.src(rows[5 + d])[l]);
        if (const std::string why = problemOfCopy(*map, origin[0], store); !why.empty())
            return faultLane(x, l, "GEN-002", "tensor map: " + why);
        const auto place = static_cast<std::uint32_t>(here.at);
        tile->runs = map->mode != MapMode::Tile ? pixelRuns(*map, origin, place, pixels)
                                                : tileRuns(*map, origin, place, gathers);
        tile->store = store;
        tile->map = at(x, rows, 0, l);
        tile->rows = c.bytes / rowBytes;
        if (!store) tile->sharers = m.async.sharersOf(*x.cta, tile->map, *map, origin);
        setFill(*tile, *map);
        if (!reachable(x, *tile, l)) return;
        c.tile = tile;
        c.reduces = o.tensor.reduces != 0;
        c.op = static_cast<std::uint8_t>(o.tensor.reduces - 1);
        c.type = static_cast<std::uint8_t>(map->element());
        if (c.reduces && !reducible(static_cast<AtomOp>(c.op), map->element())) {
            return faultLane(x, l, "GEN-002",
                             "the reduction does not exist for the tensor's element type");
        }
        c.completes = o.tensor.completes;
        (store ? c.from : c.to) = here.cta;
        (store ? c.to : c.from) = CtaKey{kNoSm, 0, 0};
        issueFrom(x, o, l, c);
        if (store) {
            const LaneGroups& g = m.async.groupsOf(*x.warp, l, true);
            c.performed = g.current;
            c.read = g.currentReads;
            return m.async.start(std::move(c));
        }
        if (!resolveEnd(x, o.space, at(x, rows, 2, l), 8, 8, l, "tensor copy mbarrier", bar))
            return;
        c.performed = std::make_shared<std::uint32_t>(0);
        c.read = std::make_shared<std::uint32_t>(0);
        c.mbarrier = static_cast<std::uint32_t>(bar.at);
        c.mbarrierOwner = bar.cta;
        std::optional<std::uint64_t> mask;
        if (rows[4] != kNoRow) mask = x.src(rows[4])[l] & 0xffff;
        std::optional<unsigned> pairBit;
        if (o.tensor.pair) pairBit = bar.owner->launch.rank & 1u;
        startCopies(x, l, c, mask, pairBit);
    });
}

/// A hint for a cache that does not exist here; the map is checked all the same.
void tensorPrefetchOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const Row* rows = x.parts->program.rows.data() + o.list;
    eachLane(lanes, [&](unsigned l) { (void)mapOf(x, o, at(x, rows, 0, l), l); });
}

/// tensormap.replace: a: the map, b: the value, c: the dimension.
void tensorReplaceOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const std::uint64_t *value = x.src(o.b), *ordinal = x.src(o.c);
    eachLane(lanes, [&](unsigned l) {
        const std::uint64_t address = addressOf(x, o, l), v = value[l], d = ordinal[l];
        const Place p = mapPlace(x, o.space, address, l);
        const std::uint8_t* bytes = p.bytes;
        if (bytes == nullptr) return;
        std::optional<TensorMap> map = TensorMap::decoded(bytes);
        // Zeros are a map whose fields are still to be set: compilers build maps this way on the device.
        if (std::all_of(bytes, bytes + TensorMap::kBytes, [](std::uint8_t b) { return b == 0; }))
            map.emplace();
        const auto field = o.field;
        if (!map || d >= (field == TensorField::Stride ? 4u : 5u)) {
            return faultLane(x, l, "GEN-002",
                             map ? "tensormap.replace of a dimension that no tensor has"
                                 : "tensormap.replace of 128 bytes that are not a tensor map");
        }
        const auto byte = static_cast<std::uint8_t>(v);
        switch (field) {
            case TensorField::Address: map->address = v; break;
            case TensorField::Rank: map->rank = static_cast<std::uint8_t>(v + 1); break;
            case TensorField::Box: map->box[d] = static_cast<std::uint16_t>(v); break;
            case TensorField::Size: map->size[d] = v == 0 ? 1ull << 32 : v; break;
            case TensorField::Stride: map->stride[d] = v; break;
            case TensorField::Step: map->step[d] = byte; break;
            case TensorField::Type: map->type = byte; break;
            case TensorField::Interleave: map->interleave = byte; break;
            case TensorField::Swizzle: map->swizzle = byte; break;
            case TensorField::Atomicity: map->atomicity = byte; break;
            case TensorField::Fill: map->fill = byte; break;
        }
        const auto encoded = map->encoded();
        x.parts->memory.late().beforeWrite(*x.cta, p, address, TensorMap::kBytes);
        x.parts->memory.write(p, encoded.data(), TensorMap::kBytes);
        if (p.owner == nullptr) return;
        x.parts->memory.stored(*p.owner, p.offset, TensorMap::kBytes, doneBy(x, o, Lanes{1} << l));
    });
}

/// tensormap.cp_fenceproxy: 128 bytes from shared (rows[list..]) to global memory (a); TMAP-002.
void tensorPublishOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const Row* rows = x.parts->program.rows.data() + o.list;
    if (lanes != x.warp->live)
        x.parts->state.findings.add({"TMAP-008", Severity::Error,
                                     "tensormap.cp_fenceproxy is executed by a part of the warp",
                                     x.cta->linear, x.warp->index, lanes, o.line,
                                     x.parts->state.now()});
    eachLane(lanes, [&](unsigned l) {
        const std::uint64_t to = addressOf(x, o, l);
        const Place from = mapPlace(x, ptx::Space::SharedCta, at(x, rows, 0, l), l);
        if (from.bytes == nullptr) return;
        const Place p = mapPlace(x, ptx::Space::Global, to, l);
        if (p.bytes == nullptr) return;
        x.parts->memory.late().beforeWrite(*x.cta, p, to, TensorMap::kBytes);
        x.parts->memory.write(p, from.bytes, TensorMap::kBytes);
    });
}

}  // namespace gsu::exec
