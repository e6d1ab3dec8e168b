#include "exec/tensor/half.hpp"

namespace gsu::exec {

namespace {

/// Dropped bits of a magnitude.
struct Dropped {
    bool half{};    ///< the highest of them
    bool sticky{};  ///< any of the others
};

bool roundsUp(Round round, Dropped bits, bool odd, bool negative) noexcept
{
    switch (round) {
        case Round::Rn: return bits.half && (bits.sticky || odd);
        case Round::Rna: return bits.half;
        case Round::Rz: return false;
        case Round::Rm: return (bits.half || bits.sticky) && negative;
        case Round::Rp: return (bits.half || bits.sticky) && !negative;
    }
    return false;
}

}  // namespace

std::uint32_t roundTo(double x, unsigned exponent, unsigned mantissa, Round round) noexcept
{
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const bool negative = bits >> 63;
    const std::uint32_t sign = static_cast<std::uint32_t>(negative) << (exponent + mantissa);
    const std::uint32_t maxExponent = (1u << exponent) - 1;
    const auto field = static_cast<int>(bits >> 52 & 0x7ff);
    const std::uint64_t fraction = bits & 0xf'ffff'ffff'ffffull;
    if (field == 0x7ff) {
        if (fraction != 0) return maxExponent << mantissa | ((1u << mantissa) - 1);
        return sign | maxExponent << mantissa;
    }
    if (field == 0 && fraction == 0) return sign;
    // Value = significand * 2^(e - 52), significand with the implicit bit; double subnormals are far below every target.
    const std::uint64_t significand = field == 0 ? fraction : fraction | 1ull << 52;
    const int e = (field == 0 ? 1 : field) - 1023;
    const int bias = static_cast<int>((1u << (exponent - 1)) - 1);
    int target = e + bias;
    int drop = 52 - static_cast<int>(mantissa);
    if (target <= 0) {  // subnormal result: more bits are dropped
        drop += 1 - target;
        target = 0;
    }
    std::uint64_t kept = drop > 63 ? 0 : significand >> drop;
    Dropped dropped{false, true};
    if (drop <= 63) {
        dropped.half = (significand >> (drop - 1) & 1) != 0;
        dropped.sticky = (significand & ((1ull << (drop - 1)) - 1)) != 0;
    }
    kept += roundsUp(round, dropped, (kept & 1) != 0, negative) ? 1 : 0;
    // The implicit bit of `kept` adds one to the exponent field; a carry out of the mantissa does the same.
    std::uint64_t value =
        target == 0 ? kept : (static_cast<std::uint64_t>(target - 1) << mantissa) + kept;
    const std::uint64_t infinity = std::uint64_t{maxExponent} << mantissa;
    if (value >= infinity) {
        const bool toInfinity = round == Round::Rn || round == Round::Rna ||
                                (round == Round::Rp && !negative) ||
                                (round == Round::Rm && negative);
        value = toInfinity ? infinity : infinity - 1;
    }
    return sign | static_cast<std::uint32_t>(value);
}

}  // namespace gsu::exec
