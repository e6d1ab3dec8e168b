// f16, bf16 and their packed forms: computed in double precision, rounded once (fma through round-to-odd).
#include <cmath>

#include "exec/alu/alu.hpp"

namespace gsu::exec {
namespace {

enum class Half : std::uint8_t { Add, Sub, Mul, Fma, Min, Max, Abs, Neg, Ex2, Tanh };

template <bool Brain> double widen(std::uint16_t h)
{
    if constexpr (Brain) return floatOfBfloat(h);
    return floatOfHalf(h);
}

template <bool Brain> std::uint16_t narrow(double v)
{
    if constexpr (Brain) return bfloatOf(v);
    return halfOf(v);
}

/// a * b + c with the last bit odd when inexact, so that the next rounding is the only one that counts.
double fmaOdd(double a, double b, double c)
{
    const double product = a * b;  // exact: at most 22 significant bits
    const double sum = product + c;
    if (!std::isfinite(sum)) return sum;
    const double back = sum - product;
    const double error = (product - (sum - back)) + (c - back);
    auto bits = std::bit_cast<std::uint64_t>(sum);
    if (error == 0 || (bits & 1) != 0) return sum;
    const bool away = (error > 0) != std::signbit(sum);
    bits += away ? 1 : ~0ull;
    return std::bit_cast<double>(bits);
}

template <bool Brain> std::uint16_t subnormalToZero(std::uint16_t h)
{
    constexpr std::uint16_t exponent = Brain ? 0x7f80 : 0x7c00;
    return (h & exponent) == 0 ? static_cast<std::uint16_t>(h & 0x8000) : h;
}

double minMax(double x, double y, bool minimum, std::uint8_t flags)
{
    const bool negative = std::signbit(x) != std::signbit(y);
    if ((flags & kAbs) != 0) x = std::fabs(x), y = std::fabs(y);
    double r = 0;
    if (std::isnan(x) || std::isnan(y)) {
        const bool nan = (flags & kNan) != 0 || (std::isnan(x) && std::isnan(y));
        r = nan ? NAN : std::isnan(x) ? y : x;
    } else if (x == y) {
        r = std::signbit(x) == minimum ? x : y;
    } else {
        r = (x < y) == minimum ? x : y;
    }
    if ((flags & kXorSign) != 0 && !std::isnan(r)) r = std::copysign(r, negative ? -1.0 : 1.0);
    return r;
}

template <bool Brain>
std::uint16_t compute(Half op, std::uint8_t flags, std::uint16_t a, std::uint16_t b,
                      std::uint16_t c)
{
    if ((flags & kFtz) != 0) {
        a = subnormalToZero<Brain>(a);
        b = subnormalToZero<Brain>(b);
        c = subnormalToZero<Brain>(c);
    }
    // Value that a tensor copy with NaN fill writes for elements outside the tensor; fma.oob ignores it.
    constexpr std::uint16_t outside = 0x7fff;
    if ((flags & kOob) != 0 && (a == outside || b == outside || c == outside)) return 0;
    if (op == Half::Abs) return a & 0x7fff;
    if (op == Half::Neg) return a ^ 0x8000;
    const double x = widen<Brain>(a), y = widen<Brain>(b);
    double r = 0;
    switch (op) {
        case Half::Add: r = x + y; break;
        case Half::Sub: r = x - y; break;
        case Half::Mul: r = x * y; break;
        case Half::Fma: r = fmaOdd(x, y, widen<Brain>(c)); break;
        case Half::Ex2: r = std::exp2(x); break;
        case Half::Tanh: r = std::tanh(x); break;
        case Half::Min:
        case Half::Max: r = minMax(x, y, op == Half::Min, flags); break;
        case Half::Abs:
        case Half::Neg: break;
    }
    if ((flags & kSat) != 0) r = std::isnan(r) || r <= 0 ? 0 : std::min(r, 1.0);
    if ((flags & kRelu) != 0 && !std::isnan(r) && std::signbit(r)) r = 0;
    const std::uint16_t h = narrow<Brain>(r);
    return (flags & kFtz) != 0 ? subnormalToZero<Brain>(h) : h;
}

template <bool Brain, bool Packed, Half Which> void run(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t* a = x.src(o.a);
    const std::uint64_t* b = o.b == kNoRow ? a : x.src(o.b);
    const std::uint64_t* c = o.c == kNoRow ? a : x.src(o.c);
    eachLane(lanes, [&](unsigned l) {
        const auto part = [&](unsigned shift) {
            return std::uint32_t{compute<Brain>(Which, o.real.flags, std::uint16_t(a[l] >> shift),
                                                std::uint16_t(b[l] >> shift),
                                                std::uint16_t(c[l] >> shift))};
        };
        d[l] = Packed ? part(16) << 16 | part(0) : part(0);
    });
}

template <bool Brain, bool Packed> ExecFn pick(std::string_view n)
{
    if (n == "add") return run<Brain, Packed, Half::Add>;
    if (n == "sub") return run<Brain, Packed, Half::Sub>;
    if (n == "mul") return run<Brain, Packed, Half::Mul>;
    if (n == "fma") return run<Brain, Packed, Half::Fma>;
    if (n == "min") return run<Brain, Packed, Half::Min>;
    if (n == "max") return run<Brain, Packed, Half::Max>;
    if (n == "abs") return run<Brain, Packed, Half::Abs>;
    if (n == "neg") return run<Brain, Packed, Half::Neg>;
    if (n == "ex2") return run<Brain, Packed, Half::Ex2>;
    if (n == "tanh") return run<Brain, Packed, Half::Tanh>;
    return nullptr;
}

}  // namespace

ExecFn halfOp(std::string_view name, ptx::Type type, const FloatMods&)
{
    switch (type) {
        case ptx::Type::F16: return pick<false, false>(name);
        case ptx::Type::F16x2: return pick<false, true>(name);
        case ptx::Type::BF16: return pick<true, false>(name);
        case ptx::Type::BF16x2: return pick<true, true>(name);
        default: return nullptr;
    }
}

}  // namespace gsu::exec
