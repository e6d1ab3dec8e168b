// cvt.rs: f32 rounded away from zero with a probability that random bits of the instruction decide, the nearer the larger.
#include <cmath>

#include "exec/alu/alu.hpp"
#include "exec/state/run_parts.hpp"

namespace gsu::exec {
namespace {

using ptx::Type;

/// Codes of the absolute value: `top` is the largest finite one, `nan` the code of NaN.
struct Target {
    int exponent, mantissa;
    std::uint32_t top, nan;
    unsigned width;   ///< bits an element takes in the destination
    unsigned random;  ///< bits that decide
};

Target targetOf(Type type)
{
    switch (type) {
        case Type::F16x2: return {5, 10, 0x7bff, 0x7fff, 16, 13};
        case Type::BF16x2: return {8, 7, 0x7f7f, 0x7fff, 16, 16};
        case Type::E4M3x4: return {4, 3, 0x7e, 0x7f, 8, 16};
        case Type::E5M2x4: return {5, 2, 0x7b, 0x7f, 8, 16};
        case Type::E2M3x4: return {2, 3, 0x1f, 0x1f, 8, 16};
        case Type::E3M2x4: return {3, 2, 0x1f, 0x1f, 8, 16};
        default: return {2, 1, 0x7, 0x7, 4, 16};  // e2m1x4
    }
}

/// The size in units of the last place, plus random / 2^n, cut off.
std::uint32_t rounded(float value, const Target& t, std::uint32_t random, std::uint8_t flags)
{
    if (std::isnan(value)) return t.nan;
    if ((flags & kRelu) != 0 && std::signbit(value)) return 0;
    const std::uint32_t sign = std::signbit(value) ? 1u << (t.exponent + t.mantissa) : 0;
    const double size = std::fabs(double{value});
    const int lowest = 2 - (1 << (t.exponent - 1));
    std::uint32_t code = t.top + 1;
    if (std::isfinite(size)) {
        const int e = size == 0 ? lowest : std::max(std::ilogb(size), lowest);
        const double units = std::ldexp(size, t.mantissa - e), whole = std::floor(units);
        random &= (1u << t.random) - 1;
        const bool up = units - whole + std::ldexp(double(random), -int(t.random)) >= 1;
        const auto steps = static_cast<std::uint64_t>(e - lowest) << t.mantissa;
        code = static_cast<std::uint32_t>(std::min<std::uint64_t>(
            steps + static_cast<std::uint64_t>(whole) + (up ? 1 : 0), t.top + 1));
    }
    if (code > t.top && (flags & kSatFinite) != 0) code = t.top;
    return sign | code;
}

}  // namespace

void stochasticOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const Target target = targetOf(static_cast<Type>(o.extra));
    const Row* rows = x.parts->program.rows.data() + o.list;
    const std::uint64_t* random = x.src(o.c);
    std::uint64_t* d = x.row(o.d);
    eachLane(lanes, [&](unsigned l) {
        std::uint64_t packed = 0;
        for (std::uint32_t i = 0; i < o.count; ++i) {
            const bool upper = i < o.count / 2;
            const auto bits = static_cast<std::uint32_t>(random[l] >> (upper ? 16 : 0));
            packed = packed << target.width |
                     rounded(as<float>(x.src(rows[i])[l]), target, bits, o.convert.flags);
        }
        d[l] = packed;
    });
}

}  // namespace gsu::exec
