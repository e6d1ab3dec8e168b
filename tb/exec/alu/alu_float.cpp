// Single and double precision. Directed roundings set the host's rounding mode around the lanes of one instruction; this file
// is compiled with -frounding-math and without contraction. Subnormals are kept unless .ftz; f32 has one NaN result.
#include <cfenv>
#include <cmath>

#include "exec/alu/alu.hpp"

namespace gsu::exec {
namespace {

class RoundingGuard {
public:
    explicit RoundingGuard(Round r) noexcept : set_(r != Round::Rn)
    {
        if (!set_) return;
        std::fesetround(r == Round::Rz ? FE_TOWARDZERO : r == Round::Rm ? FE_DOWNWARD : FE_UPWARD);
    }
    ~RoundingGuard()
    {
        if (set_) std::fesetround(FE_TONEAREST);
    }
    RoundingGuard(const RoundingGuard&) = delete;
    RoundingGuard& operator=(const RoundingGuard&) = delete;

private:
    bool set_;
};

template <class T> struct FAdd {
    T operator()(T a, T b) const { return a + b; }
};
template <class T> struct FSub {
    T operator()(T a, T b) const { return a - b; }
};
template <class T> struct FMul {
    T operator()(T a, T b) const { return a * b; }
};
template <class T> struct FDiv {
    T operator()(T a, T b) const { return a / b; }
};
template <class T> struct FFma {
    T operator()(T a, T b, T c) const { return std::fma(a, b, c); }
};
template <class T> struct FRcp {
    T operator()(T a) const { return T(1) / a; }
};
template <class T> struct FSqrt {
    T operator()(T a) const { return std::sqrt(a); }
};
template <class T> struct FRsqrt {
    T operator()(T a) const { return static_cast<T>(1.0 / std::sqrt(static_cast<double>(a))); }
};
template <class T> struct FSin {
    T operator()(T a) const { return static_cast<T>(std::sin(static_cast<double>(a))); }
};
template <class T> struct FCos {
    T operator()(T a) const { return static_cast<T>(std::cos(static_cast<double>(a))); }
};
template <class T> struct FLg2 {
    T operator()(T a) const { return static_cast<T>(std::log2(static_cast<double>(a))); }
};
template <class T> struct FEx2 {
    T operator()(T a) const { return static_cast<T>(std::exp2(static_cast<double>(a))); }
};
template <class T> struct FTanh {
    T operator()(T a) const { return static_cast<T>(std::tanh(static_cast<double>(a))); }
};
/// The coarse double-precision seeds: subnormals count as zero, the lower half of the result is zero.
double coarse(double x, double (*exact)(double))
{
    if (std::fabs(x) < 0x1p-1022) x = std::copysign(0.0, x);
    const double r = exact(x);
    const std::uint64_t upper = std::bit_cast<std::uint64_t>(r) & ~0xffff'ffffull;
    return std::isnan(r) ? r : std::bit_cast<double>(upper);
}
struct FRcpCoarse {
    double operator()(double a) const
    {
        return coarse(a, [](double v) { return 1.0 / v; });
    }
};
struct FRsqrtCoarse {
    double operator()(double a) const
    {
        return coarse(a, [](double v) { return 1.0 / std::sqrt(v); });
    }
};
/// The approximate division gives 0 for divisors above 2^126.
template <class T> struct FDivApprox {
    T operator()(T a, T b) const
    {
        const T size = std::fabs(b);
        if (size > T(0x1p126) && !std::isinf(size) && !std::isnan(a)) {
            return std::isinf(a) ? std::numeric_limits<T>::quiet_NaN()
                                 : std::copysign(T(0), a * std::copysign(T(1), b));
        }
        return a / b;
    }
};

template <class T> T clean(T x, std::uint8_t flags)
{
    if constexpr (std::is_same_v<T, float>) {
        if ((flags & kFtz) != 0) return flush(x);
    }
    return x;
}

template <class T> T settle(T x, std::uint8_t flags)
{
    if ((flags & kSat) != 0) {
        if (std::isnan(x) || x <= 0) return 0;
        if (x > 1) return 1;
    }
    return clean(x, flags);
}

template <class T, class F> void full1(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const RoundingGuard guard(o.real.round);
    const std::uint8_t flags = o.real.flags;
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t* a = x.src(o.a);
    eachCell(lanes,
             [=](unsigned l) { d[l] = cell(settle(F{}(clean(as<T>(a[l]), flags)), flags)); });
}

template <class T, class F> void full2(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const RoundingGuard guard(o.real.round);
    const std::uint8_t flags = o.real.flags;
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b);
    eachCell(lanes, [=](unsigned l) {
        d[l] = cell(settle(F{}(clean(as<T>(a[l]), flags), clean(as<T>(b[l]), flags)), flags));
    });
}

template <class T, class F> void full3(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const RoundingGuard guard(o.real.round);
    const std::uint8_t flags = o.real.flags;
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b), *c = x.src(o.c);
    eachCell(lanes, [=](unsigned l) {
        const T r =
            F{}(clean(as<T>(a[l]), flags), clean(as<T>(b[l]), flags), clean(as<T>(c[l]), flags));
        d[l] = cell(settle(r, flags));
    });
}

/// min and max: -0 below +0; a NaN gives the other operand, or NaN with .NaN.
template <class T> T extreme(T p, T q, std::uint8_t flags, bool maximum)
{
    const bool sign = std::signbit(p) != std::signbit(q);
    if ((flags & kAbs) != 0) p = std::fabs(p), q = std::fabs(q);
    T r;
    if (std::isnan(p) || std::isnan(q)) {
        r = (flags & kNan) != 0 || (std::isnan(p) && std::isnan(q))
                ? std::numeric_limits<T>::quiet_NaN()
            : std::isnan(p) ? q
                            : p;
    } else if (p == q) {
        r = std::signbit(p) != maximum ? p : q;
    } else {
        r = (p < q) != maximum ? p : q;
    }
    if ((flags & kXorSign) != 0 && !std::isnan(r)) r = std::copysign(r, sign ? T(-1) : T(1));
    return r;
}

/// Minimum or maximum (variant 1) of two operands, or of three if `c` is present.
template <class T> void extremes(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b), *c = o.c == kNoRow ? nullptr : x.src(o.c);
    const std::uint8_t flags = o.real.flags;
    eachCell(lanes, [&](unsigned l) {
        const T p = clean(as<T>(a[l]), flags), q = clean(as<T>(b[l]), flags);
        T r = extreme(p, q, flags, o.real.variant != 0);
        if (c != nullptr) r = extreme(r, clean(as<T>(c[l]), flags), flags, o.real.variant != 0);
        d[l] = cell(r);
    });
}

/// Two single-precision operations in one 64-bit register.
template <class F> void pairs(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const RoundingGuard guard(o.real.round);
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b), *c = o.c == kNoRow ? nullptr : x.src(o.c);
    const std::uint8_t flags = o.real.flags;
    eachCell(lanes, [&](unsigned l) {
        std::uint64_t r = 0;
        for (unsigned half = 0; half < 64; half += 32) {
            const auto value = [&](const std::uint64_t* from) {
                return clean(as<float>(from[l] >> half), flags);
            };
            float v = 0;
            if constexpr (std::is_invocable_v<F, float, float, float>)
                v = F{}(value(a), value(b), value(c));
            else
                v = F{}(value(a), value(b));
            r |= cell(clean(v, flags)) << half;
        }
        d[l] = r;
    });
}

ExecFn pickPair(std::string_view n)
{
    if (n == "add") return pairs<FAdd<float>>;
    if (n == "sub") return pairs<FSub<float>>;
    if (n == "mul") return pairs<FMul<float>>;
    if (n == "fma") return pairs<FFma<float>>;
    return nullptr;
}

/// abs, neg and copysign move bits: NaN payloads stay.
template <class T> void signOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    constexpr unsigned top = sizeof(T) * 8 - 1;
    constexpr std::uint64_t sign = 1ull << top;
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = o.b == kNoRow ? nullptr : x.src(o.b);
    eachCell(lanes, [&](unsigned l) {
        std::uint64_t v = a[l];
        if constexpr (sizeof(T) == 4) {
            if ((o.real.flags & kFtz) != 0) v = std::bit_cast<std::uint32_t>(flush(as<float>(v)));
        }
        if (o.real.variant == 0) d[l] = v & (sign - 1);
        if (o.real.variant == 1) d[l] = v ^ sign;
        if (o.real.variant == 2) d[l] = (v & sign) | (b[l] & (sign - 1));
    });
}

template <class T> ExecFn pick(std::string_view n, const FloatMods& m)
{
    constexpr bool isDouble = std::is_same_v<T, double>;
    const bool plain = m.round == Round::Rn && !m.ftz && !m.sat;
    if (n == "add") return plain ? binaryOp<T, FAdd<T>> : full2<T, FAdd<T>>;
    if (n == "sub") return plain ? binaryOp<T, FSub<T>> : full2<T, FSub<T>>;
    if (n == "mul") return plain ? binaryOp<T, FMul<T>> : full2<T, FMul<T>>;
    if (n == "fma") return plain ? ternaryOp<T, FFma<T>> : full3<T, FFma<T>>;
    if (n == "div" && m.approx) return full2<T, FDivApprox<T>>;
    if (n == "div") return full2<T, FDiv<T>>;
    if constexpr (isDouble) {
        if (n == "rcp" && m.approx) return full1<T, FRcpCoarse>;
        if (n == "rsqrt" && m.approx && m.ftz) return full1<T, FRsqrtCoarse>;
    }
    if (n == "rcp") return full1<T, FRcp<T>>;
    if (n == "sqrt") return full1<T, FSqrt<T>>;
    if (n == "rsqrt") return full1<T, FRsqrt<T>>;
    if (n == "min" || n == "max") return extremes<T>;
    if (n == "abs" || n == "neg" || n == "copysign") return signOp<T>;
    if constexpr (!isDouble) {
        if (n == "sin") return full1<T, FSin<T>>;
        if (n == "cos") return full1<T, FCos<T>>;
        if (n == "lg2") return full1<T, FLg2<T>>;
        if (n == "ex2") return full1<T, FEx2<T>>;
        if (n == "tanh") return full1<T, FTanh<T>>;
    }
    return nullptr;
}

}  // namespace

std::uint8_t flagsOf(const FloatMods& m) noexcept
{
    return static_cast<std::uint8_t>((m.ftz ? kFtz : 0) | (m.sat ? kSat : 0) | (m.nan ? kNan : 0) |
                                     (m.abs ? kAbs : 0) | (m.xorsign ? kXorSign : 0) |
                                     (m.relu ? kRelu : 0));
}

ExecFn floatOp(std::string_view name, ptx::Type type, const FloatMods& mods)
{
    switch (type) {
        case ptx::Type::F32: return pick<float>(name, mods);
        case ptx::Type::F32x2: return pickPair(name);
        case ptx::Type::F64: return pick<double>(name, mods);
        case ptx::Type::F16:
        case ptx::Type::F16x2:
        case ptx::Type::BF16:
        case ptx::Type::BF16x2: return halfOp(name, type, mods);
        default: return nullptr;  // not a floating-point type of arithmetic
    }
}

}  // namespace gsu::exec
