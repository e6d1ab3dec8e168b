// Conversions between integers and floating-point formats.
#include <algorithm>
#include <cmath>
#include <limits>

#include "exec/alu/alu.hpp"

namespace gsu::exec {
namespace {

using ptx::Type;

bool isSignedType(Type t)
{
    return t == Type::S8 || t == Type::S16 || t == Type::S32 || t == Type::S64;
}
bool isFloatType(Type t)
{
    return t == Type::F16 || t == Type::BF16 || t == Type::F32 || t == Type::F64 || t == Type::TF32;
}

std::uint64_t extend(std::uint64_t v, unsigned bits, bool isSigned)
{
    if (bits >= 64) return v;
    const unsigned keep = 64 - bits;
    return isSigned ? static_cast<std::uint64_t>(static_cast<std::int64_t>(v << keep) >> keep)
                    : v << keep >> keep;
}

std::uint64_t toWidth(std::uint64_t v, unsigned bytes)
{
    return bytes >= 8 ? v : v & ((1ull << bytes * 8) - 1);
}

double widen(Type t, std::uint64_t v)
{
    switch (t) {
        case Type::F16: return floatOfHalf(static_cast<std::uint16_t>(v));
        case Type::BF16: return floatOfBfloat(static_cast<std::uint16_t>(v));
        case Type::F64: return as<double>(v);
        default: return as<float>(v);
    }
}

double toIntegral(double v, Round r)
{
    switch (r) {
        case Round::Rn: return std::nearbyint(v);
        case Round::Rz: return std::trunc(v);
        case Round::Rm: return std::floor(v);
        case Round::Rp: return std::ceil(v);
        case Round::Rna: return std::round(v);
    }
    return v;
}

std::uint64_t roundBits(Type to, double v, Round r)
{
    switch (to) {
        case Type::F16: return std::isnan(v) ? 0x7fffu : roundTo(v, 5, 10, r);
        case Type::BF16: return std::isnan(v) ? 0x7fffu : roundTo(v, 8, 7, r);
        case Type::F32: return std::isnan(v) ? 0x7fff'ffffu : roundTo(v, 8, 23, r);
        case Type::TF32:
            return std::isnan(v) ? 0x7fff'ffffu : std::uint64_t{roundTo(v, 8, 10, r)} << 13;
        default: return std::bit_cast<std::uint64_t>(v);
    }
}

/// A 64-bit integer as a double whose last bit is odd when bits were lost, so that one rounding decides.
double oddDouble(std::uint64_t magnitude)
{
    if (magnitude >> 53 == 0) return static_cast<double>(magnitude);
    const unsigned shift = 11 - static_cast<unsigned>(std::countl_zero(magnitude));
    const bool lost = (magnitude & ((1ull << shift) - 1)) != 0;
    return std::ldexp(static_cast<double>((magnitude >> shift) | (lost ? 1 : 0)),
                      static_cast<int>(shift));
}

std::uint64_t integerToFloat(Type from, Type to, std::uint64_t v, Round r)
{
    const std::uint64_t wide = extend(v, sizeOf(from) * 8, isSignedType(from));
    const bool negative = isSignedType(from) && (wide >> 63) != 0;
    const std::uint64_t magnitude = negative ? 0 - wide : wide;
    if (to == Type::F64) {
        double d = oddDouble(magnitude);
        if (magnitude >> 53 != 0) {
            // 64 to 53 bits: the exact integer decides.
            const unsigned shift = 11 - static_cast<unsigned>(std::countl_zero(magnitude));
            std::uint64_t kept = magnitude >> shift;
            const std::uint64_t rest = magnitude & ((1ull << shift) - 1),
                                half = 1ull << (shift - 1);
            const bool up = r == Round::Rn   ? rest > half || (rest == half && (kept & 1) != 0)
                            : r == Round::Rp ? rest != 0 && !negative
                            : r == Round::Rm ? rest != 0 && negative
                                             : false;
            kept += up ? 1 : 0;
            d = std::ldexp(static_cast<double>(kept), static_cast<int>(shift));
        }
        return std::bit_cast<std::uint64_t>(negative ? -d : d);
    }
    const double d = oddDouble(magnitude);
    return roundBits(to, negative ? -d : d, r);
}

std::uint64_t floatToInteger(Type to, double v, Round r)
{
    if (std::isnan(v)) return 0;
    const unsigned bits = sizeOf(to) * 8;
    v = toIntegral(v, r);
    if (isSignedType(to)) {
        const double top = std::ldexp(1.0, static_cast<int>(bits) - 1);
        if (v >= top) return (1ull << (bits - 1)) - 1;
        if (v < -top) return ~0ull << (bits - 1);
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(v));
    }
    if (v <= 0) return 0;
    if (v >= std::ldexp(1.0, static_cast<int>(bits)))
        return bits == 64 ? ~0ull : (1ull << bits) - 1;
    return static_cast<std::uint64_t>(v);
}

std::uint64_t floatToFloat(Type from, Type to, std::uint64_t bits, const MicroOp& o)
{
    double v = widen(from, bits);
    if ((o.convert.flags & kFtz) != 0 && (from == Type::F32)) v = flush(as<float>(bits));
    const auto r = o.convert.round;
    if (o.convert.integral) v = toIntegral(v, r);
    if ((o.convert.flags & kSat) != 0) v = std::isnan(v) || v <= 0 ? 0 : std::min(v, 1.0);
    if ((o.convert.flags & kRelu) != 0 && !std::isnan(v) && std::signbit(v)) v = 0;
    std::uint64_t out = roundBits(to, v, r);
    if ((o.convert.flags & kSatFinite) != 0 && std::isinf(widen(to, out)))
        out -= to == Type::TF32 ? 1u << 13 : 1u;
    if ((o.convert.flags & kFtz) != 0 && to == Type::F32)
        out = std::bit_cast<std::uint32_t>(flush(as<float>(out)));
    return out;
}

std::uint64_t saturate(Type from, Type to, std::uint64_t wide)
{
    const unsigned bits = sizeOf(to) * 8;
    const bool negative = isSignedType(from) && (wide >> 63) != 0;
    if (isSignedType(to)) {
        const std::int64_t top = bits == 64 ? INT64_MAX : (1ll << (bits - 1)) - 1;
        if (!negative && wide > static_cast<std::uint64_t>(top))
            return static_cast<std::uint64_t>(top);
        if (negative && static_cast<std::int64_t>(wide) < -top - 1)
            return static_cast<std::uint64_t>(-top - 1);
        return wide;
    }
    if (negative) return 0;
    const std::uint64_t top = bits == 64 ? ~0ull : (1ull << bits) - 1;
    return std::min(wide, top);
}

void generic(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const auto from = static_cast<Type>(o.extra & 0xff),
               to = static_cast<Type>(o.extra >> 8 & 0xff);
    const auto r = o.convert.round;
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t* a = x.src(o.a);
    eachLane(lanes, [&](unsigned l) {
        if (isFloatType(from) && isFloatType(to)) {
            d[l] = floatToFloat(from, to, a[l], o);
        } else if (isFloatType(from)) {
            double v = widen(from, a[l]);
            if ((o.convert.flags & kFtz) != 0 && from == Type::F32) v = flush(as<float>(a[l]));
            d[l] = toWidth(extend(floatToInteger(to, v, r), sizeOf(to) * 8, isSignedType(to)),
                           o.convert.width);
        } else if (isFloatType(to)) {
            const std::uint64_t bits = integerToFloat(from, to, a[l], r);
            d[l] = (o.convert.flags & kSat) != 0
                       ? roundBits(to, std::clamp(widen(to, bits), 0.0, 1.0), Round::Rn)
                       : bits;
        } else {
            std::uint64_t v = extend(a[l], sizeOf(from) * 8, isSignedType(from));
            if ((o.convert.flags & kSat) != 0) v = saturate(from, to, v);
            d[l] = toWidth(extend(v, sizeOf(to) * 8, isSignedType(to)), o.convert.width);
        }
    });
}

/// Two f32 into one register: a gives the upper half, b the lower.
void pack(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const Type to = static_cast<Type>(o.extra >> 8 & 0xff) == Type::BF16x2 ? Type::BF16 : Type::F16;
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b);
    eachLane(lanes, [&](unsigned l) {
        const std::uint64_t high = floatToFloat(Type::F32, to, a[l], o),
                            low = floatToFloat(Type::F32, to, b[l], o);
        d[l] = high << 16 | low;
    });
}

}  // namespace

ExecFn convertOp(Type to, Type from, const CvtMods&)
{
    const auto plain = [](Type t) {
        return isFloatType(t) ||
               (sizeOf(t) >= 1 && sizeOf(t) <= 8 && t >= Type::U8 && t <= Type::S64);
    };
    if ((to == Type::F16x2 || to == Type::BF16x2) && from == Type::F32) return pack;
    return plain(to) && plain(from) ? generic : nullptr;
}

}  // namespace gsu::exec
