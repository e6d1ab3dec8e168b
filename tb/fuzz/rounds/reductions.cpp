#include "fuzz/rounds/reductions.hpp"

namespace gsu::fuzz {
namespace {

using U = std::uint32_t;
using S = std::int32_t;

constexpr Reduction kReductions[] = {
    {"add", "u32", [](U a, U b) { return a + b; }},
    {"add", "s32", [](U a, U b) { return a + b; }},
    {"min", "u32", [](U a, U b) { return a < b ? a : b; }, false, ~U{0}},
    {"max", "u32", [](U a, U b) { return a < b ? b : a; }},
    {"min", "s32", [](U a, U b) { return S(a) < S(b) ? a : b; }, false, 0x7fffffffu},
    {"max", "s32", [](U a, U b) { return S(a) < S(b) ? b : a; }, false, 0x80000000u},
    {"and", "b32", [](U a, U b) { return a & b; }, false, ~U{0}},
    {"or", "b32", [](U a, U b) { return a | b; }},
    {"xor", "b32", [](U a, U b) { return a ^ b; }},
    {"inc", "u32", [](U a, U b) { return a >= b ? 0 : a + 1; }, true, 3},
    {"dec", "u32", [](U a, U b) { return a == 0 || a > b ? b : a - 1; }, true, 5}};

}  // namespace

const Reduction& drawReduction(Random& random) { return random.pick(kReductions); }

}  // namespace gsu::fuzz
