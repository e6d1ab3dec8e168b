/// The plain reference for matrix instructions: values bit by bit, fragments by the tables of the manual, one element of the result
/// after the other. Shares nothing with tb/exec/tensor but the names of types and forms.
#pragma once
#include <cfenv>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "exec/tensor/mma.hpp"

namespace reference {

using gsu::tensor::Cell;
using gsu::tensor::Elem;
using gsu::tensor::Form;
using u32 = std::uint32_t;
using Index = std::pair<unsigned, unsigned>;  ///< row and column

/// Value of a floating type, from its fields.
inline double value(Elem e, std::uint64_t bits)
{
    struct Fields {
        int exponent, mantissa, bias;
        bool infinities;
    };
    Fields f{};
    switch (e) {
        case Elem::F64: {
            double d;
            __builtin_memcpy(&d, &bits, 8);
            return d;
        }
        case Elem::F32: f = {8, 23, 127, true}; break;
        case Elem::TF32:
            f = {8, 10, 127, true};
            bits >>= 13;
            break;
        case Elem::BF16: f = {8, 7, 127, true}; break;
        case Elem::F16: f = {5, 10, 15, true}; break;
        case Elem::E5M2: f = {5, 2, 15, true}; break;
        case Elem::E4M3: f = {4, 3, 7, false}; break;
        case Elem::E3M2: f = {3, 2, 3, false}; break;
        case Elem::E2M3: f = {2, 3, 1, false}; break;
        case Elem::E2M1: f = {2, 1, 1, false}; break;
        default: return 0;
    }
    const int field = int(bits >> f.mantissa) & ((1 << f.exponent) - 1);
    const auto fraction = double(bits & ((1u << f.mantissa) - 1)) / double(1u << f.mantissa);
    const double sign = (bits >> (f.exponent + f.mantissa) & 1) != 0 ? -1 : 1;
    if (e == Elem::E4M3 && (bits & 0x7f) == 0x7f) return std::nan("");
    if (f.infinities && field == (1 << f.exponent) - 1)
        return fraction != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
    if (field == 0) return sign * fraction * std::pow(2.0, 1 - f.bias);
    return sign * (1 + fraction) * std::pow(2.0, field - f.bias);
}

/// f16 nearest to x, by looking at its neighbours.
inline u32 toHalf(float x)
{
    if (std::isnan(x)) return 0x7fff;
    const u32 sign = std::signbit(x) ? 0x8000 : 0;
    const double magnitude = std::fabs(double{x});
    if (magnitude >= 65520) return sign | 0x7c00;
    u32 low = 0, high = 0x7bff;
    while (low < high) {  // the largest half not above
        const u32 mid = (low + high + 1) / 2;
        (value(Elem::F16, mid) <= magnitude ? low : high) =
            value(Elem::F16, mid) <= magnitude ? mid : mid - 1;
    }
    const double below = magnitude - value(Elem::F16, low);
    const double above = (low == 0x7bff ? 65536 : value(Elem::F16, low + 1)) - magnitude;
    if (below > above || (below == above && (low & 1) != 0)) ++low;
    return sign | low;
}

inline long integer(Elem e, u32 bits)
{
    switch (e) {
        case Elem::S8: return long(bits & 0xff) - ((bits & 0x80) != 0 ? 256 : 0);
        case Elem::U8: return long(bits & 0xff);
        case Elem::S4: return long(bits & 0xf) - ((bits & 8) != 0 ? 16 : 0);
        default: return long(bits & 0xf);
    }
}

/// Bits of an element; `slot`: what it takes in its register.
inline u32 elementBits(const std::vector<std::vector<Cell>>& r, unsigned slot, unsigned lane,
                       unsigned i)
{
    const unsigned per = 32 / slot;
    return u32(r[i / per][lane] >> (i % per * slot)) & (slot == 32 ? ~0u : (1u << slot) - 1);
}

using Registers = std::vector<std::vector<Cell>>;

inline std::vector<const Cell*> sources(const Registers& r)
{
    std::vector<const Cell*> p;
    for (const auto& one : r) p.push_back(one.data());
    return p;
}
inline std::vector<Cell*> targets(Registers& r)
{
    std::vector<Cell*> p;
    for (auto& one : r) p.push_back(one.data());
    return p;
}

/// Random bits of an element, special values among them.
inline std::uint64_t draw(std::mt19937_64& random, Elem e)
{
    const std::uint64_t raw = random();
    const bool special = raw >> 60 == 0;
    const auto pick = [&](std::initializer_list<std::uint64_t> list) {
        return list.begin()[(raw >> 32) % list.size()];
    };
    switch (e) {
        case Elem::F16:
            if (special)
                return pick({0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
                             0x7c01, 0xfe00});
            return 0x2c00 + (raw & 0x1fff) + (raw >> 20 & 0x8000);
        case Elem::BF16:
            if (special)
                return pick({0, 0x8000, 1, 0x8001, 0x7f, 0x80, 0x7f7f, 0xff7f, 0x7f80, 0xff80,
                             0x7f81, 0xffc0, 0x1f80, 0x2000});
            return 0x3e00 + (raw & 0x1ff) + (raw >> 20 & 0x8000);
        case Elem::TF32:
        case Elem::F32:
            if (special)
                return pick({0, 0x80000000, 1, 0x80002000, 0x7fffff, 0x800000, 0x7f7fe000,
                             0xff7fffff, 0x7f800000, 0xff800000, 0x7f802000, 0xffc00000, 0x1f800000,
                             0x20012000});
            return 0x3e000000 + (raw & 0x1ffffff) + (raw >> 20 & 0x80000000);
        case Elem::F64:
            if (special)
                return pick({0, 1ull << 63, 1, 0x7ff0000000000000, 0xfff0000000000000,
                             0x7ff8000000000001, 0x7fefffffffffffff});
            return 0x3fd0000000000000 + (raw & 0x3fffffffffffff) + (raw << 5 & 1ull << 63);
        case Elem::E4M3:
        case Elem::E5M2: return special ? raw & 0xff : 0x28 + (raw & 0x1f) + (raw >> 20 & 0x80);
        case Elem::E2M1: return raw & 0xf;
        default: return raw & 0xff;
    }
}

/// Registers full of such elements; `slot`: bits of a register that one takes.
inline Registers fill(std::mt19937_64& random, Elem e, unsigned slot, unsigned registers)
{
    Registers r(registers, std::vector<Cell>(32));
    for (auto& one : r) {
        for (Cell& cell : one) {
            if (slot == 64) {
                cell = draw(random, e);
                continue;
            }
            const unsigned up = e == Elem::E2M1 && slot == 8 ? 2 : 0;  // in the middle of its byte
            for (unsigned i = 0; i < 32 / slot; ++i)
                cell |= (draw(random, e) << up & (slot == 32 ? ~0u : (1u << slot) - 1))
                        << (i * slot);
            if (slot == 32 && e == Elem::TF32) cell |= random() & 0x1fff;  // ignored
        }
    }
    return r;
}

/// Bits of sparse metadata that chunk `chunk` of row `row` of an A with 16 rows has, and the lane that gives them. 16-bit elements and tf32,
/// k with four chunks: lane `selector` of each quad, rows g and g + 8 in its halves; eight chunks: lanes 2 * selector and the next, four
/// chunks each. 8 and 4 bits, eight chunks: lanes 2 * selector (row g) and the next (row g + 8); sixteen chunks: two lanes for row g, two
/// for row g + 8.
struct Giver {
    unsigned lane, bit;
};
inline Giver giverOf(unsigned slot, unsigned chunks, unsigned selector, unsigned row,
                     unsigned chunk)
{
    const unsigned quad = row % 8 * 4;
    if (slot >= 16) {
        if (chunks == 4) return {quad + selector, (row < 8 ? 0 : 16) + 4 * chunk};
        return {quad + 2 * selector + (chunk < 4 ? 0 : 1), (row < 8 ? 0 : 16) + chunk % 4 * 4};
    }
    if (chunks == 8) return {quad + 2 * selector + (row < 8 ? 0 : 1), 4 * chunk};
    return {quad + (row < 8 ? 0 : 2) + (chunk < 8 ? 0 : 1), chunk % 8 * 4};
}

/// A result, and a NaN in the one form that results have.
inline u32 single(float x)
{
    if (std::isnan(x)) return 0x7fffffff;
    u32 bits;
    __builtin_memcpy(&bits, &x, 4);
    return bits;
}

}  // namespace reference
