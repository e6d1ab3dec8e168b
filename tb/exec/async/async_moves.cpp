// The bytes of asynchronous copies, remote stores and reductions, when they are performed.
#include <algorithm>

#include "exec/alu/atomic.hpp"
#include "exec/async/async_engines.hpp"
#include "exec/async/matrix_engine.hpp"
#include "exec/memory/access.hpp"
#include "exec/storage/written_bytes.hpp"

namespace gsu::exec {

std::uint8_t* AsyncEngines::placeOf(const CtaKey& cta, std::uint64_t at, std::uint32_t bytes,
                                    bool writes)
{
    if (cta.sm == kNoSm) {
        if (s_.part != nullptr) s_.part->touch(at, bytes, writes);
        return memory_.global().find(at, bytes);
    }
    const Cta* owner = residents_.live(cta);
    return owner == nullptr ? nullptr : memory_.shared(*owner, static_cast<std::uint32_t>(at));
}

visibility::Where AsyncEngines::whereOf(const CtaKey& cta, std::uint64_t at) const
{
    if (cta.sm == kNoSm) return at;
    return LateMemory::whereShared(residents_.live(cta)->launch, static_cast<std::uint32_t>(at));
}

/// Notes bytes of a window that are no longer those of ordinary stores.
void AsyncEngines::arrived(const Cta& owner, std::uint32_t offset, std::uint32_t bytes)
{
    if (s_.windows != nullptr) s_.windows->arrived(owner, offset, bytes);
}

/// A copy reads global memory.
void AsyncEngines::watchRead(const Copy& c, std::uint64_t address, std::uint32_t bytes)
{
    const WrittenBytes* watched = memory_.global().watched();
    if (watched == nullptr) return;
    const auto at = watched->unwritten(address, bytes);
    if (!at) return;
    const Cta* issuer = residents_.live(c.issuer);
    s_.findings.add({"INIT-001", Severity::Error,
                     memory_.text("asynchronous copy", *at, bytes, "nobody has written it"),
                     issuer == nullptr ? 0 : issuer->linear, c.warp, 0, c.line, s_.now()});
}

void AsyncEngines::watchWrite(std::uint64_t address, std::uint32_t bytes)
{
    if (WrittenBytes* watched = memory_.global().watched()) watched->wrote(address, bytes);
}

/// Writes one piece.
void AsyncEngines::perform(const Copy& c, std::uint32_t at, std::uint8_t* data, std::uint32_t bytes)
{
    if (c.nowhere) return;
    std::uint8_t* to = placeOf(c.to, c.destination + at, bytes, true);
    if (to == nullptr) return lateCopy(c, "reaches");
    for (std::uint32_t i = 0; c.mask != 0xffff && i < bytes; ++i) {
        if ((c.mask >> i % 16 & 1) == 0) data[i] = to[i];
    }
    if (c.reduces) {
        reduceInto(c, to, data, bytes);
    } else if (std::memcmp(to, data, bytes) != 0) {
        std::memcpy(to, data, bytes);
        s_.progress.changed();
    }
    if (!c.generic) memory_.late().copyWrote(whereOf(c.to, c.destination + at), bytes);
    if (c.to.sm == kNoSm) return watchWrite(c.destination + at, bytes);
    const Cta& owner = *residents_.live(c.to);
    const std::uint32_t offset = static_cast<std::uint32_t>(c.destination) + at;
    memory_.stored(owner, offset, bytes, doneBy(c));
    arrived(owner, offset, bytes);
}

/// Completes a piece's bytes on the mbarrier.
void AsyncEngines::complete(const Copy& c, std::uint32_t bytes)
{
    if (!c.completes) return;
    const Cta* owner = residents_.live(c.mbarrierOwner);
    if (owner == nullptr) return lateCopy(c, "completes on the mbarrier of");
    const Launch& l = owner->launch;
    s_.history.copyTold(owner->serial, c.mbarrier, {{c.issuerLinear, c.warp}, c.line, false});
    if (s_.accesses != nullptr) s_.accesses->completes(c.name);
    client_.update({AsyncKind::CompleteTx, l.sm, l.cta, c.warp, clusterAddress(l.rank, c.mbarrier),
                    bytes, 0, l.era});
    s_.progress.changed();
}

void AsyncEngines::move(Copy& c, std::uint32_t at)
{
    const std::uint32_t bytes = std::min(kPieceBytes, c.bytes - at);
    c.moved = at + bytes;
    if (c.tile != nullptr) {
        moveTile(c, at, bytes);
    } else {
        piece_.assign(bytes, 0);
        const std::uint32_t have = c.valid > at ? std::min(bytes, c.valid - at) : 0;
        const std::uint8_t* from =
            have == 0 ? nullptr : placeOf(c.from, c.source + at, have, false);
        if (from != nullptr) std::memcpy(piece_.data(), from, have);
        if (from != nullptr && !c.generic)
            memory_.late().asCopySees(c.issuer, whereOf(c.from, c.source + at), piece_.data(),
                                      have);
        if (have != 0 && from == nullptr) lateCopy(c, "reads");
        if (from != nullptr && c.from.sm == kNoSm) watchRead(c, c.source + at, have);
        perform(c, at, piece_.data(), bytes);
    }
    complete(c, bytes);
}

/// Moves the runs of a tensor copy that lie in [from, from + bytes) of the box.
void AsyncEngines::moveTile(const Copy& c, std::uint32_t from, std::uint32_t bytes)
{
    const Tile& tile = *c.tile;
    Cta* owner = residents_.live(tile.store ? c.from : c.to);
    if (owner == nullptr) return lateCopy(c, tile.store ? "reads" : "reaches");
    auto run = std::lower_bound(tile.runs.begin(), tile.runs.end(), from,
                                [](const TileRun& r, std::uint32_t value) { return r.at < value; });
    StoreRun stored(memory_, doneBy(c));
    for (; run != tile.runs.end() && run->at < from + bytes; ++run) {
        Place place{memory_.shared(*owner, run->shared), owner, run->shared, Place::Where::Shared};
        std::uint8_t* global = run->global == 0
                                   ? nullptr
                                   : placeOf({kNoSm, 0, 0}, run->global, run->bytes, tile.store);
        const visibility::Where shared = LateMemory::whereShared(owner->launch, run->shared);
        std::uint8_t seen[256];  // a run has at most 255 bytes
        const std::uint8_t* source = tile.store ? place.bytes : global;
        if (source != nullptr) {
            std::memcpy(seen, source, run->bytes);
            memory_.late().asCopySees(c.issuer, tile.store ? shared : run->global, seen,
                                      run->bytes);
        }
        if (run->global != 0 && global == nullptr) {
            lateCopy(c, "uses memory that was freed, or reaches");
        } else if (!tile.store) {
            if (global != nullptr) watchRead(c, run->global, run->bytes);
            memory_.write(place, global == nullptr ? tile.fill.data() + run->at % 16 : seen,
                          run->bytes);
            memory_.late().copyWrote(shared, run->bytes);
            stored.add(place, run->bytes);
            arrived(*owner, run->shared, run->bytes);
        } else if (global != nullptr && c.reduces) {
            reduceInto(c, global, seen, run->bytes);
            memory_.late().copyWrote(run->global, run->bytes);
        } else if (global != nullptr) {
            place.where = Place::Where::Global;
            place.bytes = global;
            memory_.write(place, seen, run->bytes);
            memory_.late().copyWrote(run->global, run->bytes);
            watchWrite(run->global, run->bytes);
        }
    }
}

void AsyncEngines::reduceInto(const Copy& c, std::uint8_t* to, const std::uint8_t* from,
                              std::size_t bytes)
{
    const auto type = static_cast<ptx::Type>(c.type);
    const unsigned size = sizeOf(type);
    for (std::size_t i = 0; i + size <= bytes; i += size) {
        std::uint64_t old = 0, b = 0;
        std::memcpy(&old, to + i, size);
        std::memcpy(&b, from + i, size);
        const std::uint64_t next =
            atomValue(static_cast<AtomOp>(c.op), type, old, b, 0, c.to.sm == kNoSm);
        std::memcpy(to + i, &next, size);
    }
    s_.progress.changed();
}

void AsyncEngines::performAtomic(const LateAtomic& a)
{
    std::uint8_t* to = placeOf({kNoSm, 0, 0}, a.address, a.bytes, true);
    if (to == nullptr) return;
    std::uint64_t old = 0;
    std::memcpy(&old, to, a.bytes);
    const std::uint64_t next = atomValue(a.op, a.type, old, a.value, 0, true);
    std::memcpy(to, &next, a.bytes);
    s_.progress.changed();
}

void AsyncEngines::onDelivered(const Delivered& delivered)
{
    if (deliverCancel(delivered)) return;
    const std::uint32_t packet = s_.resources.chip().packetName(delivered.sm, delivered.tag);
    if (delivered.refused) return dropRemote(packet);
    const auto found = remote_.find(packet);
    if (found == remote_.end()) return;
    const RemoteData data = std::move(found->second);
    remote_.erase(found);
    ended();
    const Cta* owner = residents_.live(data.owner);
    if (owner == nullptr) return;
    std::uint8_t* to = memory_.shared(*owner, data.offset);
    for (const std::uint64_t value : data.values) {
        std::uint64_t next = value;
        if (data.reduces) {
            std::uint64_t old = 0;
            std::memcpy(&old, to, data.bytes);
            next = atomValue(static_cast<AtomOp>(data.op), static_cast<ptx::Type>(data.type), old,
                             value, 0, false);
        }
        std::memcpy(to, &next, data.bytes);
        to += data.bytes;
    }
    s_.progress.changed();
    const auto bytes = data.bytes * static_cast<std::uint32_t>(data.values.size());
    memory_.stored(*owner, data.offset, bytes, data.by);
    arrived(*owner, data.offset, bytes);
}

}  // namespace gsu::exec
