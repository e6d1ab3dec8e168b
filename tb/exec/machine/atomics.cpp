// atom and red: lanes in ascending order, each one atomic step (D-61); those on other CTAs' shared memory are left to the port. Rules: ATOM-005, ATOM-008, ATOM-014..019, ATOM-025,
// ATOM-031..033, RED-008..010.
#include <cmath>

#include "exec/machine/access.hpp"
#include "exec/machine/mem_ops.hpp"

namespace gsu::exec {
namespace {

using ptx::Type;

template <class T> T integer(AtomOp op, T old, T b, T c)
{
    using V = std::make_unsigned_t<T>;
    switch (op) {
        case AtomOp::And: return old & b;
        case AtomOp::Or: return old | b;
        case AtomOp::Xor: return old ^ b;
        case AtomOp::Exch: return b;
        case AtomOp::Add: return static_cast<T>(V(old) + V(b));
        case AtomOp::Inc: return old >= b ? T(0) : static_cast<T>(old + 1);
        case AtomOp::Dec: return old == 0 || old > b ? b : static_cast<T>(old - 1);
        case AtomOp::Min: return b < old ? b : old;
        case AtomOp::Max: return old < b ? b : old;
        case AtomOp::Cas: return old == b ? c : old;
    }
    return old;
}

/// A NaN operand yields the other value.
double extreme(AtomOp op, double a, double b)
{
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    if (a == b) return std::signbit(a) == (op == AtomOp::Min) ? a : b;
    return (op == AtomOp::Min) == (a < b) ? a : b;
}

std::uint16_t half(AtomOp op, bool brain, std::uint16_t old, std::uint16_t b)
{
    if (op == AtomOp::Exch) return b;
    const double x = brain ? floatOfBfloat(old) : floatOfHalf(old);
    const double y = brain ? floatOfBfloat(b) : floatOfHalf(b);
    const double r = op == AtomOp::Add ? x + y : extreme(op, x, y);
    return brain ? bfloatOf(r) : halfOf(r);
}

}  // namespace

// long: one case for each type
std::uint64_t atomValue(AtomOp op, Type type, std::uint64_t old, std::uint64_t b, std::uint64_t c,
                        bool flushes)
{
    switch (type) {
        case Type::S32:
            return cell(
                integer(op, as<std::int32_t>(old), as<std::int32_t>(b), as<std::int32_t>(c)));
        case Type::S64:
            return cell(
                integer(op, as<std::int64_t>(old), as<std::int64_t>(b), as<std::int64_t>(c)));
        case Type::U64:
        case Type::B64: return integer<std::uint64_t>(op, old, b, c);
        case Type::B16:
            return cell(
                integer(op, as<std::uint16_t>(old), as<std::uint16_t>(b), as<std::uint16_t>(c)));
        case Type::F32: {
            if (op == AtomOp::Exch) return b & 0xffff'ffff;
            float x = as<float>(old), y = as<float>(b);
            if (op != AtomOp::Add) return cell(static_cast<float>(extreme(op, x, y)));
            if (flushes) x = flush(x), y = flush(y);
            const float sum = x + y;
            return cell(flushes ? flush(sum) : sum);
        }
        case Type::F64: {
            if (op == AtomOp::Exch) return b;
            const double x = as<double>(old), y = as<double>(b);
            return cell(op == AtomOp::Add ? x + y : extreme(op, x, y));
        }
        case Type::F16:
        case Type::BF16:
            return half(op, type == Type::BF16, static_cast<std::uint16_t>(old),
                        static_cast<std::uint16_t>(b));
        case Type::F16x2:
        case Type::BF16x2: {
            const bool brain = type == Type::BF16x2;
            const std::uint32_t low =
                half(op, brain, static_cast<std::uint16_t>(old), static_cast<std::uint16_t>(b));
            const std::uint32_t high = half(op, brain, static_cast<std::uint16_t>(old >> 16),
                                            static_cast<std::uint16_t>(b >> 16));
            return high << 16 | low;
        }
        default:  // u32 and b32; the decoder lets nothing else through
            return cell(
                integer(op, as<std::uint32_t>(old), as<std::uint32_t>(b), as<std::uint32_t>(c)));
    }
}

AtomStep atomStep(const MicroOp& o, const std::uint8_t* at,
                  const std::array<std::uint64_t, 4>& operands)
{
    const auto kind = static_cast<AtomOp>(o.aux[0]);
    AtomStep step;
    std::memcpy(step.old.data(), at, o.bytes);
    if (o.bytes != 16) {
        step.next[0] = atomValue(kind, static_cast<Type>(o.aux[1]), step.old[0], operands[0],
                                 operands[1], false);
        return step;
    }
    const bool hit = operands[0] == step.old[0] && operands[1] == step.old[1];
    for (unsigned i = 0; i < 2; ++i)
        step.next[i] = kind != AtomOp::Cas ? operands[i] : hit ? operands[i + 2] : step.old[i];
    return step;
}

namespace {

/// 128 bits: two words compared or exchanged together.
void atom128(Ctx& x, const MicroOp& o, const Place& p, unsigned l)
{
    const Row* in = x.machine->program.rows.data() + o.list;
    const Row* out = x.machine->program.rows.data() + o.target;
    const bool cas = static_cast<AtomOp>(o.aux[0]) == AtomOp::Cas;
    std::array<std::uint64_t, 4> operands{};
    for (unsigned i = 0; i < (cas ? 4u : 2u); ++i) operands[i] = x.src(in[i])[l];
    AtomStep step = atomStep(o, p.bytes, operands);
    for (unsigned i = 0; i < 2; ++i) {
        if (o.count != 0 && out[i] != kNoRow) x.row(out[i])[l] = step.old[i];
    }
    x.machine->memory.write(p, step.next.data(), 16);
}

constexpr unsigned kMaxVectorAtomic = 32;  ///< elements: 32 bytes at most

/// Elements of a lane, one after the other.
void atomElements(Ctx& x, const MicroOp& o, const Place& p, unsigned l)
{
    const Row* in = x.machine->program.rows.data() + o.list;
    const Row* out = x.machine->program.rows.data() + o.target;
    const auto type = static_cast<Type>(o.aux[1]);
    const auto kind = static_cast<AtomOp>(o.aux[0]);
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
        x.machine->memory.write(at, &next, o.bytes);
    }
    // Results last: a destination may be the source of a later element.
    for (unsigned i = 0; o.count != 0 && i < o.lanesOf; ++i) {
        if (out[i] != kNoRow) x.row(out[i])[l] = before[i];
    }
}

}  // namespace

void atomOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const unsigned total = o.bytes * o.lanesOf;
    LateMemory& late = x.machine->memory.late();
    StoreRun run(x.machine->memory);
    eachLane(lanes, [&](unsigned l) {
        const std::uint64_t address = addressOf(x, o, l);
        const Place p =
            access(x, o.space, address, total, l, o.aux[2] != 0 ? "red" : "atom", "ATOM-009");
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
        if (o.aux[3] != 0 && p.where != Place::Where::Global) {
            return faultLane(x, l, "ATOM-021", "cache hint on an atomic outside global memory",
                             TrapKind::AddressSpace);
        }
        const bool onlyWrites = o.aux[2] != 0 && o.lanesOf == 1 && o.bytes <= 8;
        if (p.owner != nullptr && p.owner != x.cta && !(onlyWrites && late.timed(o.line))) {
            x.away |= Lanes{1} << l;
            return;
        }
        if (onlyWrites && late.mayDelay(o.space) && late.delays(*x.cta, p))
            return late.reduce(x, l, p, address, x.src(x.machine->program.rows[o.list])[l], o);
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

}  // namespace gsu::exec
