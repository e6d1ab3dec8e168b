// atom and red: lanes in ascending order, each one atomic step (D-61); those on other CTAs' shared memory are left to the port. Rules: ATOM-005, ATOM-008, ATOM-014..019, ATOM-025,
// ATOM-031..033, RED-008..010.
#include <bit>

#include "exec/memory/access.hpp"
#include "exec/ops/mem_ops.hpp"

namespace gsu::exec {
namespace {

using ptx::Type;

/// 128 bits: two words compared or exchanged together.
void atom128(Ctx& x, const MicroOp& o, const Place& p, unsigned l)
{
    const Row* in = x.parts->program.rows.data() + o.list;
    const Row* out = x.parts->program.rows.data() + o.target;
    const bool cas = o.atom.kind == AtomOp::Cas;
    std::array<std::uint64_t, 4> operands{};
    for (unsigned i = 0; i < (cas ? 4u : 2u); ++i) operands[i] = x.src(in[i])[l];
    AtomStep step = atomStep(o, p.bytes, operands);
    for (unsigned i = 0; i < 2; ++i) {
        if (o.count != 0 && out[i] != kNoRow) x.row(out[i])[l] = step.old[i];
    }
    x.parts->memory.write(p, step.next.data(), 16);
}

constexpr unsigned kMaxVectorAtomic = 32;  ///< elements: 32 bytes at most

/// Elements of a lane, one after the other.
void atomElements(Ctx& x, const MicroOp& o, const Place& p, unsigned l)
{
    const Row* in = x.parts->program.rows.data() + o.list;
    const Row* out = x.parts->program.rows.data() + o.target;
    const auto type = o.atom.type;
    const auto kind = o.atom.kind;
    std::uint64_t before[kMaxVectorAtomic];
    for (unsigned i = 0; i < o.lanesOf; ++i) {
        Place at = p;
        at.bytes += i * o.bytes;
        before[i] = 0;
        std::memcpy(&before[i], at.bytes, o.bytes);
        const std::uint64_t b = x.src(in[i])[l];
        const std::uint64_t c = kind == AtomOp::Cas ? x.src(in[i + 1])[l] : 0;
        const std::uint64_t next =
            atomValue(kind, type, before[i], b, c, p.where == Place::Where::Global);
        x.parts->memory.write(at, &next, o.bytes);
    }
    // Results last: a destination may be the source of a later element.
    for (unsigned i = 0; o.count != 0 && i < o.lanesOf; ++i) {
        if (out[i] != kNoRow) x.row(out[i])[l] = before[i];
    }
}

/// Whether every lane acts at once on memory where nobody else has to be asked.
bool isSimple(const Ctx& x, const MicroOp& o, const WarpAccess& access)
{
    if (access.span() == 0 || o.lanesOf != 1 || o.bytes > sizeof(std::uint64_t)) return false;
    const Place& all = access.all();
    const bool global = all.where == Place::Where::Global;
    if (!global && (all.owner != x.cta || o.atom.hinted)) return false;
    LateMemory& late = x.parts->memory.late();
    const bool delays = o.atom.red && late.mayDelay(o.space) && late.delays(*x.cta, all);
    return !delays && !late.pending() && !late.watchesWrites();
}

/// One element a lane, in such memory.
void atomSimple(Ctx& x, const MicroOp& o, const WarpAccess& access, Lanes lanes, StoreRun& run)
{
    const Row* in = x.parts->program.rows.data() + o.list;
    const Row out = o.count != 0 ? x.parts->program.rows[o.target] : kNoRow;
    const std::uint64_t* b = x.src(in[0]);
    const std::uint64_t* c = o.atom.kind == AtomOp::Cas ? x.src(in[1]) : nullptr;
    std::uint64_t* d = out != kNoRow ? x.row(out) : nullptr;
    const bool global = access.all().where == Place::Where::Global;
    const std::uint64_t kept = ~std::uint64_t{0} >> (64 - 8 * o.bytes);
    Place place = access.all();
    eachLane(lanes, [&](unsigned l) {
        place.bytes = access.all().bytes + access.offset(l);
        place.offset = access.all().offset + access.offset(l);
        std::uint64_t before = 0;
        std::memcpy(&before, place.bytes, o.bytes);
        const std::uint64_t next =
            atomValue(o.atom.kind, o.atom.type, before, b[l], c != nullptr ? c[l] : 0, global);
        if (((next ^ before) & kept) != 0) {
            std::memcpy(place.bytes, &next, o.bytes);
            x.parts->state.progress.changed();
        }
        if (d != nullptr) d[l] = before;
        run.add(place, o.bytes);
    });
}

/// Whether it may take a number from a counter: one lane that makes it larger and uses what it was.
bool takes(const MicroOp& o, Lanes lanes)
{
    const bool grows = o.atom.kind == AtomOp::Add || o.atom.kind == AtomOp::Inc;
    return grows && !o.atom.red && o.lanesOf == 1 && std::has_single_bit(lanes);
}

/// A lane has taken a number; CTAs that are not simulated take theirs.
void othersTake(Ctx& x, const MicroOp& o, const Place& p, unsigned l)
{
    const std::uint64_t step = x.src(x.parts->program.rows[o.list])[l];
    std::uint64_t value = 0;
    std::memcpy(&value, p.bytes, o.bytes);
    for (std::uint64_t left = x.parts->state.workCounter.others(); left != 0; --left)
        value = atomValue(o.atom.kind, o.atom.type, value, step, 0, true);
    x.parts->memory.write(p, &value, o.bytes);
}

/// Every lane by itself.
void atomLanes(Ctx& x, const MicroOp& o, WarpAccess& access, Lanes lanes, StoreRun& run)
{
    const unsigned total = o.bytes * o.lanesOf;
    LateMemory& late = x.parts->memory.late();
    eachLane(lanes, [&](unsigned l) {
        const std::uint64_t address = access.address(l);
        const Place p = access.place(l);
        if (p.bytes == nullptr) return;
        if (p.where != Place::Where::Global && p.where != Place::Where::Shared) {
            return faultLane(x, l, "ATOM-003",
                             "atomic on an address that is neither global nor shared",
                             TrapKind::AddressSpace);
        }
        if (o.lanesOf > 1 && p.where != Place::Where::Global) {
            return faultLane(x, l, "ATOM-004", "vector atomic on an address outside global memory",
                             TrapKind::AddressSpace);
        }
        if (o.atom.hinted && p.where != Place::Where::Global) {
            return faultLane(x, l, "ATOM-021", "cache hint on an atomic outside global memory",
                             TrapKind::AddressSpace);
        }
        const bool onlyWrites = o.atom.red && o.lanesOf == 1 && o.bytes <= 8;
        if (p.owner != nullptr && p.owner != x.cta && !(onlyWrites && late.timed(o.line))) {
            x.away |= Lanes{1} << l;
            return;
        }
        if (onlyWrites && late.mayDelay(o.space) && late.delays(*x.cta, p))
            return late.reduce(x, l, p, address, x.src(x.parts->program.rows[o.list])[l], o);
        late.settle(x, l, p, address, total);
        late.beforeWrite(*x.cta, p, address, total);
        if (o.bytes == 16) {
            atom128(x, o, p, l);
            return run.add(p, 16);
        }
        atomElements(x, o, p, l);
        run.add(p, total);
    });
}

}  // namespace

void atomOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    StoreRun run(x, o, lanes);
    WarpAccess access(x, o, lanes, o.bytes * o.lanesOf, o.atom.red ? "red" : "atom", "ATOM-009");
    if (isSimple(x, o, access))
        atomSimple(x, o, access, lanes, run);
    else
        atomLanes(x, o, access, lanes, run);
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    if (takes(o, lanes) && x.parts->state.workCounter.isAt(access.address(lane)) &&
        x.fault.lanes == 0)
        othersTake(x, o, access.place(lane), lane);
}

}  // namespace gsu::exec
