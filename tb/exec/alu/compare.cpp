// Comparisons for setp and set, and testp.
#include <cmath>

#include "exec/alu/alu.hpp"

namespace gsu::exec {
namespace {

template <class T> bool compare(CompareOp op, T a, T b)
{
    const bool unordered = [&] {
        if constexpr (std::is_floating_point_v<T>) return std::isnan(a) || std::isnan(b);
        return false;
    }();
    switch (op) {
        case CompareOp::Eq: return a == b;
        case CompareOp::Ne: return !unordered && a != b;
        case CompareOp::Lt:
        case CompareOp::Lo: return a < b;
        case CompareOp::Le:
        case CompareOp::Ls: return a <= b;
        case CompareOp::Gt:
        case CompareOp::Hi: return a > b;
        case CompareOp::Ge:
        case CompareOp::Hs: return a >= b;
        case CompareOp::Equ: return unordered || a == b;
        case CompareOp::Neu: return a != b;
        case CompareOp::Ltu: return unordered || a < b;
        case CompareOp::Leu: return unordered || a <= b;
        case CompareOp::Gtu: return unordered || a > b;
        case CompareOp::Geu: return unordered || a >= b;
        case CompareOp::Num: return !unordered;
        case CompareOp::Nan: return unordered;
    }
    return false;
}

Lanes combine(const Ctx& x, const MicroOp& o, Lanes value)
{
    const Lanes c = x.pred(o.pa);
    switch (o.compare.combine) {
        case BoolOp::None: return value;
        case BoolOp::And: return value & c;
        case BoolOp::Or: return value | c;
        case BoolOp::Xor: return value ^ c;
    }
    return value;
}

void finish(Ctx& x, const MicroOp& o, Lanes lanes, Lanes yes, Lanes no)
{
    const Lanes value = combine(x, o, yes);
    if (o.compare.result != CompareOperands::Result::Predicates) {
        std::uint64_t* d = x.row(o.d);
        const auto one = static_cast<std::uint64_t>(o.offset);
        const Lanes high =
            o.compare.result == CompareOperands::Result::Halves ? combine(x, o, no) : value;
        return eachLane(lanes, [&](unsigned l) {
            d[l] = ((value >> l & 1) != 0 ? one & 0xffff : 0) |
                   ((high >> l & 1) != 0 ? one & 0xffff'0000 : 0);
        });
    }
    const Lanes second = combine(x, o, no);
    x.setPred(o.pd, lanes, value);
    x.setPred(o.pq, lanes, second);
}

/// Calls visit(op) with the operation as a constant, if it is one of Ops: the choice is made once, not once a lane.
template <CompareOp... Ops> void withOp(CompareOp op, auto&& visit)
{
    const bool known =
        ((op == Ops && (visit(std::integral_constant<CompareOp, Ops>{}), true)) || ...);
    if (!known) visit(op);
}

template <class T> void run(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b);
    const bool flushes = (o.compare.flags & kFtz) != 0;
    Lanes yes = 0;
    const auto each = [&](auto op) {
        const auto holds = [=](unsigned l) {
            T p = as<T>(a[l]), q = as<T>(b[l]);
            if constexpr (std::is_same_v<T, float>) {
                if (flushes) p = flush(p), q = flush(q);
            }
            return compare(op, p, q) ? 1u << l : 0;
        };
        if (lanes != ~Lanes{0}) return eachLane(lanes, [&](unsigned l) { yes |= holds(l); });
        yes = widely([holds] {
            Lanes all = 0;
            for (unsigned l = 0; l < 32; ++l) all |= holds(l);
            return all;
        });
    };
    using enum CompareOp;
    withOp<Eq, Ne, Lt, Le, Gt, Ge>(o.compare.how, each);
    finish(x, o, lanes, yes, ~yes);
}

template <bool Brain, bool Packed> void runHalf(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b);
    const auto op = o.compare.how;
    const auto value = [&](std::uint64_t v) {
        const float f = Brain ? floatOfBfloat(static_cast<std::uint16_t>(v))
                              : floatOfHalf(static_cast<std::uint16_t>(v));
        const bool tiny = (v & (Brain ? 0x7f80u : 0x7c00u)) == 0;
        return (o.compare.flags & kFtz) != 0 && tiny ? std::copysign(0.0f, f) : f;
    };
    Lanes low = 0, high = 0;
    eachLane(lanes, [&](unsigned l) {
        low |= compare(op, value(a[l]), value(b[l])) ? 1u << l : 0;
        if constexpr (Packed)
            high |= compare(op, value(a[l] >> 16), value(b[l] >> 16)) ? 1u << l : 0;
    });
    finish(x, o, lanes, low, Packed ? high : ~low);
}

}  // namespace

ExecFn compareOp(ptx::Type type)
{
    using ptx::Type;
    switch (type) {
        case Type::B16:
        case Type::U16: return run<std::uint16_t>;
        case Type::B32:
        case Type::U32: return run<std::uint32_t>;
        case Type::B64:
        case Type::U64: return run<std::uint64_t>;
        case Type::S16: return run<std::int16_t>;
        case Type::S32: return run<std::int32_t>;
        case Type::S64: return run<std::int64_t>;
        case Type::F32: return run<float>;
        case Type::F64: return run<double>;
        case Type::F16: return runHalf<false, false>;
        case Type::F16x2: return runHalf<false, true>;
        case Type::BF16: return runHalf<true, false>;
        case Type::BF16x2: return runHalf<true, true>;
        default: return nullptr;
    }
}

}  // namespace gsu::exec
