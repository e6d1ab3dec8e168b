// One step of an atomic operation on memory. Rules: ATOM-005, ATOM-008, ATOM-014..019, ATOM-025.
#include "exec/alu/atomic.hpp"

#include <cmath>
#include <cstring>

#include "exec/alu/alu.hpp"

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

std::optional<AtomOp> atomOf(ptx::SyncWord word) noexcept
{
    switch (word) {
        case ptx::SyncWord::And: return AtomOp::And;
        case ptx::SyncWord::Or: return AtomOp::Or;
        case ptx::SyncWord::Xor: return AtomOp::Xor;
        case ptx::SyncWord::Exch: return AtomOp::Exch;
        case ptx::SyncWord::Add: return AtomOp::Add;
        case ptx::SyncWord::Inc: return AtomOp::Inc;
        case ptx::SyncWord::Dec: return AtomOp::Dec;
        case ptx::SyncWord::Min: return AtomOp::Min;
        case ptx::SyncWord::Max: return AtomOp::Max;
        case ptx::SyncWord::Cas: return AtomOp::Cas;
        default: return std::nullopt;
    }
}

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
    const auto kind = o.atom.kind;
    AtomStep step;
    std::memcpy(step.old.data(), at, o.bytes);
    if (o.bytes != 16) {
        step.next[0] = atomValue(kind, o.atom.type, step.old[0], operands[0], operands[1], false);
        return step;
    }
    const bool hit = operands[0] == step.old[0] && operands[1] == step.old[1];
    for (unsigned i = 0; i < 2; ++i)
        step.next[i] = kind != AtomOp::Cas ? operands[i] : hit ? operands[i + 2] : step.old[i];
    return step;
}

}  // namespace gsu::exec
