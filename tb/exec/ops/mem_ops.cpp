#include "exec/ops/mem_ops.hpp"

#include <type_traits>

#include "exec/alu/wide_host.hpp"
#include "exec/async/async_engines.hpp"

#include "exec/memory/access.hpp"

namespace gsu::exec {

namespace {

/// A value of 1, 2, 4 or 8 bytes.
std::uint64_t readValue(const std::uint8_t* from, unsigned bytes) noexcept
{
    const auto read = [from](auto value) {
        std::memcpy(&value, from, sizeof value);
        return std::uint64_t{value};
    };
    switch (bytes) {
        case 1: return *from;
        case 2: return read(std::uint16_t{});
        case 4: return read(std::uint32_t{});
        default: return read(std::uint64_t{});
    }
}

/// Whether a live mbarrier is among the bytes of a place.
bool onObject(const Place& p, std::uint32_t bytes) noexcept
{
    return p.owner != nullptr && p.owner->words.holdsObject(p.offset, bytes);
}

/// Loads values from memory without observers. `mask`: bits that the registers of signed values keep.
template <class T>
void loadValues(Ctx& x, const MicroOp& o, const WarpAccess& access, Lanes lanes, std::uint64_t mask)
{
    const Row* rows = x.parts->program.rows.data() + o.list;
    const auto value = [=](const std::uint8_t* from) {
        T v;
        std::memcpy(&v, from, sizeof v);
        if constexpr (std::is_signed_v<T>)
            return static_cast<std::uint64_t>(std::int64_t{v}) & mask;
        return static_cast<std::uint64_t>(v);
    };
    for (unsigned i = 0; i < o.lanesOf; ++i) {
        if (rows[i] == kNoRow) continue;
        std::uint64_t* d = x.row(rows[i]);
        const std::uint8_t* from = access.all().bytes + i * sizeof(T);
        if (access.pattern() == WarpAccess::Pattern::One) {
            std::fill_n(d, 32, value(from));
        } else if (access.pattern() == WarpAccess::Pattern::Behind && o.lanesOf == 1) {
            widely([=] {
                for (unsigned l = 0; l < 32; ++l) d[l] = value(from + l * sizeof(T));
            });
        } else {
            eachLane(lanes, [&](unsigned l) { d[l] = value(from + access.offset(l)); });
        }
    }
}

void plainLoad(Ctx& x, const MicroOp& o, const WarpAccess& access, Lanes lanes)
{
    const bool isSigned = o.load.isSigned;
    const std::uint64_t mask = isSigned ? ~std::uint64_t{0} >> (64 - 8 * o.load.width) : 0;
    switch (o.bytes) {
        case 1:
            return isSigned ? loadValues<std::int8_t>(x, o, access, lanes, mask)
                            : loadValues<std::uint8_t>(x, o, access, lanes, mask);
        case 2:
            return isSigned ? loadValues<std::int16_t>(x, o, access, lanes, mask)
                            : loadValues<std::uint16_t>(x, o, access, lanes, mask);
        case 4:
            return isSigned ? loadValues<std::int32_t>(x, o, access, lanes, mask)
                            : loadValues<std::uint32_t>(x, o, access, lanes, mask);
        default: return loadValues<std::uint64_t>(x, o, access, lanes, 0);
    }
}

/// Whether ordinary stores of this CTA to the place are performed at once.
bool isPlain(const Ctx& x, const Place& p) noexcept
{
    return p.owner != nullptr ? p.owner == x.cta : p.where == Place::Where::Global;
}

/// Stores a row of values. Returns how many lanes change memory.
template <class T> unsigned storeRow(std::uint8_t* to, const std::uint64_t* from)
{
    return widely([=] {
        std::array<T, 32> old, next;
        std::memcpy(old.data(), to, sizeof old);
        unsigned changes = 0;
        for (unsigned l = 0; l < 32; ++l) {
            next[l] = static_cast<T>(from[l]);
            changes += next[l] != old[l] ? 1 : 0;
        }
        if (changes != 0) std::memcpy(to, next.data(), sizeof next);
        return changes;
    });
}

/// Stores to memory without delay and without observers.
template <class T>
void storeValues(Ctx& x, const MicroOp& o, const WarpAccess& access, Lanes lanes, StoreRun& run)
{
    const Row* rows = x.parts->program.rows.data() + o.list;
    const Place& all = access.all();
    Progress& progress = x.parts->state.progress;
    if (access.pattern() == WarpAccess::Pattern::Behind && o.lanesOf == 1) {
        if (const unsigned changes = storeRow<T>(all.bytes, x.src(rows[0])); changes != 0)
            progress.changed(changes);
        return run.add(all, 32 * sizeof(T));
    }
    std::array<const std::uint64_t*, 8> from;
    for (unsigned i = 0; i < o.lanesOf; ++i) from[i] = x.src(rows[i]);
    Place place = all;
    eachLane(lanes, [&](unsigned l) {
        std::uint8_t* to = all.bytes + access.offset(l);
        bool changes = false;
        for (unsigned i = 0; i < o.lanesOf; ++i, to += sizeof(T)) {
            const T next = static_cast<T>(from[i][l]);
            T old;
            std::memcpy(&old, to, sizeof old);
            changes = changes || old != next;
            std::memcpy(to, &next, sizeof next);
        }
        if (changes) progress.changed();
        place.offset = all.offset + access.offset(l);
        run.add(place, o.lanesOf * sizeof(T));
    });
}

void plainStore(Ctx& x, const MicroOp& o, const WarpAccess& access, Lanes lanes, StoreRun& run)
{
    switch (o.bytes) {
        case 1: return storeValues<std::uint8_t>(x, o, access, lanes, run);
        case 2: return storeValues<std::uint16_t>(x, o, access, lanes, run);
        case 4: return storeValues<std::uint32_t>(x, o, access, lanes, run);
        default: return storeValues<std::uint64_t>(x, o, access, lanes, run);
    }
}

/// Loads a kernel parameter or constant at an address that the instruction has. False, and does nothing: it is not simple enough.
bool loadFromBank(Ctx& x, const MicroOp& o, Lanes lanes)
{
    if (o.a != kNoRow || o.frame || o.lanesOf != 1 || o.load.isSigned || lanes != ~Lanes{0})
        return false;
    if (o.space != ptx::Space::Param && o.space != ptx::Space::Const) return false;
    Memory& memory = x.parts->memory;
    const auto address = static_cast<std::uint64_t>(o.offset);
    if ((address & (o.bytes - 1u)) != 0 || memory.late().pending()) return false;
    const std::uint8_t* bytes = memory.bankAt(o.space, address, o.bytes);
    const Row row = x.parts->program.rows[o.list];
    if (bytes == nullptr || row == kNoRow) return false;
    widely([d = x.row(row), value = readValue(bytes, o.bytes)] { std::fill_n(d, 32, value); });
    return true;
}

}  // namespace

void loadOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    if (loadFromBank(x, o, lanes)) return;
    const Row* rows = x.parts->program.rows.data() + o.list;
    const unsigned total = o.bytes * o.lanesOf;
    const unsigned keep = 64 - 8 * o.bytes, width = 64 - 8 * o.load.width;
    LateMemory& late = x.parts->memory.late();
    AsyncEngines& async = x.parts->async;
    WarpAccess access(x, o, lanes, total, "load");
    const bool lands = access.span() == 0 || async.landsIn(access.all(), access.span());
    const bool objects = access.span() == 0 || onObject(access.all(), access.span());
    if (!lands && !objects && !late.pendingAt(access.all(), access.least(), access.span()))
        return plainLoad(x, o, access, lanes);
    Lanes onObjects = 0;
    eachLane(lanes, [&](unsigned l) {
        const Place p = access.place(l);
        if (p.bytes == nullptr) return;
        if (lands && p.owner != nullptr && p.owner->landing != 0)
            async.readsLanding(x, o, p, total, l);
        if (objects && onObject(p, total)) onObjects |= Lanes{1} << l;
        const std::uint8_t* bytes = p.bytes;
        std::uint8_t seen[64];
        if (late.pending()) {
            std::memcpy(seen, p.bytes, total);
            late.read(x, l, p, access.address(l), seen, total);
            bytes = seen;
        }
        for (unsigned i = 0; i < o.lanesOf; ++i) {
            if (rows[i] == kNoRow) continue;
            std::uint64_t value = readValue(bytes + i * o.bytes, o.bytes);
            if (o.load.isSigned) {
                value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value << keep) >> keep)
                            << width >>
                        width;
            }
            x.row(rows[i])[l] = value;
        }
    });
    if (onObjects != 0)
        report(x, o, "MBAR-007", Severity::Warning,
               "an ordinary load of a live mbarrier: what it gives is neither data nor a state",
               onObjects);
}

void storeOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const Row* rows = x.parts->program.rows.data() + o.list;
    const unsigned total = o.bytes * o.lanesOf;
    StoreRun run(x, o, lanes);
    LateMemory& late = x.parts->memory.late();
    const bool mayDelay = late.mayDelay(o.space);
    WarpAccess access(x, o, lanes, total, "store");
    if (access.span() != 0 && isPlain(x, access.all()) && !late.watchesWrites() &&
        !(mayDelay && late.delays(*x.cta, access.all())))
        return plainStore(x, o, access, lanes, run);
    eachLane(lanes, [&](unsigned l) {
        const Place p = access.place(l);
        if (p.bytes == nullptr) return;
        if (p.where == Place::Where::Const || p.where == Place::Where::Param) {
            return faultLane(x, l, "GEN-002", "store to read-only memory");
        }
        std::uint8_t bytes[64];
        for (unsigned i = 0; i < o.lanesOf; ++i) {
            const std::uint64_t value = x.src(rows[i])[l];
            std::memcpy(bytes + i * o.bytes, &value, o.bytes);
        }
        if (mayDelay && late.delays(*x.cta, p))
            return late.store(x, l, p, access.address(l), bytes, total, o.bytes);
        if (p.owner != nullptr && p.owner != x.cta)
            late.settle(x, l, p, access.address(l), total);  // its pending reductions
        late.beforeWrite(*x.cta, p, access.address(l), total);
        x.parts->memory.write(p, bytes, total);
        run.add(p, total);
    });
}

void bulkZeroOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const std::uint64_t* size = x.src(o.b);
    eachLane(lanes, [&](unsigned l) {
        const std::uint64_t bytes = size[l], address = addressOf(x, o, l);
        if (bytes == 0) return;
        const bool odd = ((bytes | address) & 7) != 0 || bytes > SharedBytes::kBytesPerSm;
        const auto n = static_cast<unsigned>(odd ? 8 : bytes);
        const Place p = x.parts->memory.locate(x, o.space, address, n, l);
        if (odd || p.bytes == nullptr || p.owner == nullptr) {
            return faultLane(x, l, "GEN-002",
                             x.parts->memory.text("st.bulk", address, n,
                                                  p.bytes == nullptr ? p.why
                                                  : odd ? "address and size must be multiples of 8"
                                                        : "not shared memory"),
                             p.bytes != nullptr && odd ? TrapKind::Misaligned : TrapKind::Access);
        }
        x.parts->memory.late().settle(x, l, p, address, n);
        x.parts->memory.late().beforeWrite(*x.cta, p, address, n);
        const std::vector<std::uint8_t> zeros(n);
        x.parts->memory.write(p, zeros.data(), n);
        x.parts->memory.stored(*p.owner, p.offset, n, doneBy(x, o, Lanes{1} << l));
    });
}

void moveOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t* a = x.src(o.a);
    eachCell(lanes, [=](unsigned l) { d[l] = a[l]; });
}

void frameAddressOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t at = x.group->localBase + static_cast<std::uint64_t>(o.offset);
    eachLane(lanes, [&](unsigned l) { d[l] = at; });
}

namespace {

/// The 16 bytes whose address a lane gives.
template <bool Store> Place matrixRow(Ctx& x, const MicroOp& o, unsigned l)
{
    const Place p = access(x, o.space, addressOf(x, o, l), 16, l, Store ? "stmatrix" : "ldmatrix");
    if (p.bytes == nullptr) return p;
    if (Store) x.parts->memory.late().beforeWrite(*x.cta, p, addressOf(x, o, l), 16);
    if (!Store && p.owner != nullptr && p.owner->landing != 0)
        x.parts->async.readsLanding(x, o, p, 16, l);
    return p;
}

/// Row r of matrix m is 16 bytes at the address of lane 8 m + r; lane l holds elements 2 (l % 4), + 1 of row l / 4.
template <bool Store> void matrix(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const Row* rows = x.parts->program.rows.data() + o.list;
    StoreRun run(x, o, lanes);
    x.parts->memory.late().settleWarp(
        *x.warp);  // the rows of a matrix belong to other lanes than its elements
    // All addresses before any result: the address register may be among the destinations.
    Place places[32];
    eachLane(lanes & static_cast<Lanes>((1ull << 8 * o.matrix.count) - 1),
             [&](unsigned l) { places[l] = matrixRow<Store>(x, o, l); });
    if (x.fault.lanes != 0) return;
    for (unsigned m = 0; m < o.matrix.count; ++m) {
        if (!Store && rows[m] == kNoRow) continue;
        const Place* place = places + std::size_t{8} * m;
        eachLane(lanes, [&](unsigned l) {
            std::uint64_t* cellOf = Store ? nullptr : x.row(rows[m]);
            const std::uint64_t value = Store ? x.src(rows[m])[l] : 0;
            std::uint32_t got = 0;
            for (unsigned e = 0; e < 2; ++e) {
                unsigned r = l / 4, c = 2 * (l % 4) + e;
                if (o.matrix.transposed) std::swap(r, c);
                if (place[r].bytes == nullptr) continue;
                std::uint16_t half = 0;
                if constexpr (Store) {
                    half = static_cast<std::uint16_t>(value >> (16 * e));
                    Place at = place[r];
                    at.bytes += 2 * c;
                    x.parts->memory.write(at, &half, 2);
                } else {
                    std::memcpy(&half, place[r].bytes + 2 * c, 2);
                    got |= std::uint32_t{half} << (16 * e);
                }
            }
            if constexpr (!Store) cellOf[l] = got;
        });
        for (unsigned r = 0; Store && r < 8; ++r) {
            if (place[r].bytes != nullptr) run.add(place[r], 16);
        }
    }
}

}  // namespace

void ldmatrixOp(Ctx& x, const MicroOp& o, Lanes lanes) { matrix<false>(x, o, lanes); }
void stmatrixOp(Ctx& x, const MicroOp& o, Lanes lanes) { matrix<true>(x, o, lanes); }

void movmatrixOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t from[32];
    std::memcpy(from, x.src(o.a), sizeof from);
    std::uint64_t* d = x.row(o.d);
    eachLane(lanes, [&](unsigned l) {
        std::uint32_t value = 0;
        for (unsigned e = 0; e < 2; ++e) {
            const unsigned r = 2 * (l % 4) + e, c = l / 4;  // transposed position
            const auto half =
                static_cast<std::uint32_t>(from[4 * r + c / 2] >> (16 * (c % 2))) & 0xffff;
            value |= half << (16 * e);
        }
        d[l] = value;
    });
}

}  // namespace gsu::exec
