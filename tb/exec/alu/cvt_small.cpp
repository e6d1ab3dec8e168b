// Conversions with the 8-, 6- and 4-bit floating-point formats. Two elements at a time; the first source gives the upper one.
#include <cmath>
#include <optional>

#include "exec/alu/alu.hpp"

namespace gsu::exec {
namespace {

using ptx::Type;

/// `specials`: the top exponent holds infinity and NaN as in IEEE 754. `nan`: 0, or the code of the only kept NaN.
struct Format {
    int mantissa, bias;
    double max;
    std::uint32_t maxCode, nan;
    bool specials;
    unsigned bits;  ///< between the two elements
};

std::optional<Format> formatOf(Type t)
{
    switch (t) {
        case Type::E4M3x2: return Format{3, 7, 448, 0x7e, 0x7f, false, 8};
        case Type::E5M2x2: return Format{2, 15, 57344, 0x7b, 0x7f, true, 8};
        case Type::E2M3x2: return Format{3, 1, 7.5, 0x1f, 0, false, 8};
        case Type::E3M2x2: return Format{2, 3, 28, 0x1f, 0, false, 8};
        case Type::E2M1x2: return Format{1, 1, 6, 0x7, 0, false, 4};
        default: return std::nullopt;  // not one of these formats
    }
}

std::uint32_t signBit(const Format& f)
{
    return f.maxCode < 8 ? 8 : f.maxCode < 0x20 ? 0x20 : 0x80;
}

/// Rounds to nearest even, saturating: the instructions always do. A format without NaN takes its largest value for one.
std::uint32_t encode(double v, const Format& f, std::uint8_t flags)
{
    if (std::isnan(v)) return f.nan != 0 ? f.nan : f.maxCode;
    if ((flags & kRelu) != 0 && std::signbit(v)) return 0;
    const std::uint32_t sign = std::signbit(v) ? signBit(f) : 0;
    const double size = std::fabs(v);
    if (size >= f.max) return sign | f.maxCode;
    const int lowest = 1 - f.bias;
    const int e = size == 0 ? lowest : std::max(std::ilogb(size), lowest);
    const auto quanta =
        static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, f.mantissa - e)));
    return sign | ((static_cast<std::uint32_t>(e - lowest) << f.mantissa) + quanta);
}

double decode(std::uint32_t code, const Format& f)
{
    const std::uint32_t sign = signBit(f), size = code & (sign - 1);
    double v = 0;
    if (f.specials && size > f.maxCode) {
        v = size == f.maxCode + 1 ? HUGE_VAL : NAN;
    } else if (f.nan != 0 && size == f.nan) {
        v = NAN;
    } else {
        const auto exponent = static_cast<int>(size >> f.mantissa);
        const double fraction = size & ((1u << f.mantissa) - 1);
        v = exponent == 0
                ? std::ldexp(fraction, 1 - f.bias - f.mantissa)
                : std::ldexp(fraction + (1 << f.mantissa), exponent - f.bias - f.mantissa);
    }
    return (code & sign) != 0 ? -v : v;
}

/// A power of two without sign; up: toward larger sizes, where there is one. 0xff is NaN, also for infinity unless saturating.
std::uint32_t encodeScale(float v, bool up, std::uint8_t flags)
{
    const std::uint32_t size = std::bit_cast<std::uint32_t>(v) & 0x7fff'ffff;
    std::uint32_t code = size >> 23;
    if (up && (size & 0x7f'ffff) != 0 && size > 0x40'0000 && size < 0x7f80'0000) ++code;
    return code == 0xff && size <= 0x7f80'0000 && (flags & kSatFinite) != 0 ? 0xfe : code;
}

double half(Type t, std::uint64_t v)
{
    const auto bits = static_cast<std::uint16_t>(v);
    return t == Type::BF16x2 ? floatOfBfloat(bits) : floatOfHalf(bits);
}

void narrowOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const auto from = static_cast<Type>(o.extra & 0xff),
               to = static_cast<Type>(o.extra >> 8 & 0xff);
    const std::optional<Format> format = formatOf(to);
    const bool up = o.convert.round == Round::Rp;
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = o.b == kNoRow ? a : x.src(o.b);
    const auto code = [&](double v) {
        return format ? encode(v, *format, o.convert.flags)
                      : encodeScale(static_cast<float>(v), up, o.convert.flags);
    };
    eachLane(lanes, [&](unsigned l) {
        const bool wide = from == Type::F32;
        const std::uint64_t high = code(wide ? as<float>(a[l]) : half(from, a[l] >> 16)),
                            low = code(wide ? as<float>(b[l]) : half(from, a[l]));
        d[l] = high << (format ? format->bits : 8) | low;
    });
}

void widenOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const auto from = static_cast<Type>(o.extra & 0xff);
    const std::optional<Format> format = formatOf(from);
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t* a = x.src(o.a);
    const unsigned bits = format ? format->bits : 8;
    const auto value = [&](std::uint64_t v) -> std::uint32_t {
        const auto code = static_cast<std::uint32_t>(v & ((1u << bits) - 1));
        if (!format)  // a scale, to bf16
            return code == 0xff ? 0x7fff : code == 0 ? 0x0040 : code << 7;
        const double wide = decode(code, *format);
        if ((o.convert.flags & kRelu) != 0 && !std::isnan(wide) && std::signbit(wide)) return 0;
        return halfOf(wide);
    };
    eachLane(lanes, [&](unsigned l) { d[l] = value(a[l] >> bits) << 16 | value(a[l]); });
}

}  // namespace

ExecFn smallConvertOp(Type to, Type from)
{
    const bool scale = to == Type::UE8M0x2;
    if (formatOf(to) || scale) {
        const bool wide = from == Type::F32 || (scale ? from == Type::BF16x2 : from == Type::F16x2);
        return wide ? narrowOp : nullptr;
    }
    if (formatOf(from)) return to == Type::F16x2 ? widenOp : nullptr;
    return from == Type::UE8M0x2 && to == Type::BF16x2 ? widenOp : nullptr;
}

}  // namespace gsu::exec
