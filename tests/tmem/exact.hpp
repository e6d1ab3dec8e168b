/// Sums of tcgen05 in whole numbers: elements by their fields, terms aligned and cut as integers of 128 bits. Shares nothing with tb/exec/tmem.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "exec/tensor/element.hpp"

namespace exact {

using gsu::tensor::Elem;
__extension__ typedef __int128 Wide;

/// The value sig * 2^lsb. Terms are aligned by `exponent`.
struct Number {
    Wide sig{};
    int lsb{}, exponent{};
    bool nan{}, infinite{};
};

struct Fields {
    int exponentBits, mantissa, bias;
    bool ieee;  ///< the largest exponent is for infinities and NaN
};

inline Fields fieldsOf(Elem e)
{
    switch (e) {
        case Elem::F32: return {8, 23, 127, true};
        case Elem::TF32: return {8, 10, 127, true};
        case Elem::BF16: return {8, 7, 127, true};
        case Elem::F16: return {5, 10, 15, true};
        case Elem::E5M2: return {5, 2, 15, true};
        case Elem::E4M3:
        case Elem::UE4M3: return {4, 3, 7, false};
        case Elem::E3M2: return {3, 2, 3, false};
        case Elem::E2M3: return {2, 3, 1, false};
        default: return {2, 1, 1, false};  // e2m1
    }
}

inline Number numberOf(Elem e, std::uint32_t bits)
{
    if (e == Elem::UE8M0) {
        const int field = static_cast<int>(bits & 0xff);
        return {1, field - 127, field - 127, field == 255, false};
    }
    if (e == Elem::TF32) bits >>= 13;
    const Fields f = fieldsOf(e);
    const int field = static_cast<int>(bits >> f.mantissa) & ((1 << f.exponentBits) - 1);
    const auto fraction = static_cast<int>(bits & ((1u << f.mantissa) - 1));
    const bool negative = e != Elem::UE4M3 && (bits >> (f.exponentBits + f.mantissa) & 1) != 0;
    Number n;
    if (f.ieee && field == (1 << f.exponentBits) - 1) {
        n.nan = fraction != 0;
        n.infinite = !n.nan;
        n.sig = negative ? -1 : 1;
        return n;
    }
    if ((e == Elem::E4M3 || e == Elem::UE4M3) && (bits & 0x7f) == 0x7f) n.nan = true;
    n.exponent = (field == 0 ? 1 : field) - f.bias;
    n.lsb = n.exponent - f.mantissa;
    n.sig = field == 0 ? fraction : fraction + (1 << f.mantissa);
    if (e == Elem::E2M1 && field == 0 && n.sig != 0) --n.exponent;  // 0.5 counts as a half
    if (negative) n.sig = -n.sig;
    return n;
}

inline Number product(const Number& a, const Number& b)
{
    Number n{a.sig * b.sig, a.lsb + b.lsb, a.exponent + b.exponent, a.nan || b.nan, false};
    if (a.infinite || b.infinite) {
        n.infinite = true;
        n.nan |= n.sig == 0;
        n.sig = n.sig < 0 ? -1 : 1;
    }
    return n;
}

inline Wide magnitudeOf(Wide x) { return x < 0 ? -x : x; }
inline int lengthOf(Wide x)
{
    int length = 0;
    for (x = magnitudeOf(x); x != 0; x >>= 1) ++length;
    return length;
}
/// x * 2^by, toward zero.
inline Wide moved(Wide x, int by)
{
    if (x == 0) return x;
    if (by >= 0) return x * (Wide{1} << by);
    return by < -120 ? Wide{0} : x / (Wide{1} << -by);
}

/// The sum in units of 2^lsb, or nan, infinite with the sign of sig. `zerosCount`: exponents of zeros, too.
inline Number sumOf(const std::vector<Number>& terms, int fraction, bool zerosCount = false)
{
    Number sum;
    int top = -126;
    bool up = false, down = false;
    for (const Number& t : terms) {
        sum.nan |= t.nan;
        up |= t.infinite && t.sig > 0;
        down |= t.infinite && t.sig < 0;
        if (t.sig != 0 || zerosCount) top = std::max(top, t.exponent);
    }
    sum.nan |= up && down;
    sum.infinite = up || down;
    sum.sig = up ? 1 : -1;
    if (sum.nan || sum.infinite) return sum;
    sum.sig = 0;
    sum.lsb = top - fraction;
    for (const Number& t : terms) sum.sig += moved(t.sig, t.lsb - sum.lsb);
    return sum;
}

/// f32, toward zero.
inline std::uint32_t single(const Number& n)
{
    const std::uint32_t sign = n.sig < 0 ? 0x8000'0000u : 0;
    if (n.nan) return 0x7fff'ffff;
    if (n.infinite) return sign | 0x7f80'0000u;
    if (n.sig == 0) return 0;
    const int top = n.lsb + lengthOf(n.sig) - 1;
    const int lsb = std::max(top, -126) - 23;
    const auto kept = static_cast<std::uint32_t>(moved(magnitudeOf(n.sig), n.lsb - lsb));
    if (kept == 0) return 0;
    if (top > 127) return sign | 0x7f80'0000u;
    return sign |
           (top < -126 ? kept : static_cast<std::uint32_t>(top + 127) << 23 | (kept & 0x7f'ffffu));
}

/// f16, nearest even.
inline std::uint32_t half(const Number& n)
{
    const std::uint32_t sign = n.sig < 0 ? 0x8000u : 0;
    if (n.nan) return 0x7fff;
    if (n.infinite) return sign | 0x7c00u;
    if (n.sig == 0) return 0;
    const Wide size = magnitudeOf(n.sig);
    const int lsb = std::max(n.lsb + lengthOf(size) - 1, -14) - 10, by = n.lsb - lsb;
    Wide kept = moved(size, by);
    if (by < 0 && by >= -120) {
        const Wide rest = size - (kept << -by), middle = Wide{1} << (-by - 1);
        if (rest > middle || (rest == middle && (kept & 1) != 0)) ++kept;
    }
    const auto bits = static_cast<std::uint32_t>(kept);
    if (bits == 0) return 0;
    // A carry out of the mantissa goes to the exponent by itself.
    const std::uint32_t result =
        bits < 0x400 ? bits : static_cast<std::uint32_t>(lsb + 24) * 0x400u + bits;
    return sign | std::min(result, 0x7c00u);
}

}  // namespace exact
