// cvt.rs against a table of all values of a format, fma.oob, and what of both is refused.
#include <algorithm>
#include <bit>
#include <cmath>
#include <iostream>
#include <random>

#include "catch.hpp"
#include "exec/harness.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

using u32 = std::uint32_t;

/// All finite absolute values of a binary format, ascending: the index is the code.
std::vector<double> valuesOf(int exponentBits, int mantissaBits, u32 finite)
{
    std::vector<double> values;
    const int bias = (1 << (exponentBits - 1)) - 1;
    for (u32 code = 0; code < finite; ++code) {
        const int field = int(code >> mantissaBits);
        const double fraction = double(code & ((1u << mantissaBits) - 1)) / (1 << mantissaBits);
        values.push_back(field == 0 ? std::ldexp(fraction, 1 - bias)
                                    : std::ldexp(1 + fraction, field - bias));
    }
    return values;
}

struct Format {
    const char* type;
    unsigned elements, width, random;  ///< bits of an element's place and of its random number
    unsigned bits;                     ///< of an element
    std::vector<double> values;
    u32 nan, infinity;  ///< infinity 0: there is none
};

std::vector<Format> formats()
{
    return {{"f16x2", 2, 16, 13, 16, valuesOf(5, 10, 0x7c00), 0x7fff, 0x7c00},
            {"bf16x2", 2, 16, 16, 16, valuesOf(8, 7, 0x7f80), 0x7fff, 0x7f80},
            {"e4m3x4", 4, 8, 16, 8, valuesOf(4, 3, 0x7f), 0x7f, 0},
            {"e5m2x4", 4, 8, 16, 8, valuesOf(5, 2, 0x7c), 0x7f, 0x7c},
            {"e2m3x4", 4, 8, 16, 6, valuesOf(2, 3, 0x20), 0x1f, 0},
            {"e3m2x4", 4, 8, 16, 6, valuesOf(3, 2, 0x20), 0x1f, 0},
            {"e2m1x4", 4, 4, 16, 4, valuesOf(2, 1, 0x8), 0x7, 0}};
}

/// Up exactly when the part above the lower neighbour, in units of their distance, and the random fraction reach 1.
u32 expected(const Format& f, float v, u32 random, bool relu, bool saturates)
{
    if (std::isnan(v)) return f.nan;
    if (relu && std::signbit(v)) return 0;
    const u32 sign = std::signbit(v) ? 1u << (f.bits - 1) : 0;
    const double size = std::fabs(double(v));
    const u32 top = u32(f.values.size()) - 1;
    const u32 over = saturates ? top : f.infinity;
    if (std::isinf(v)) return sign | over;
    const auto above = std::upper_bound(f.values.begin(), f.values.end(), size);
    const u32 low = u32(above - f.values.begin()) - 1;
    const double step =
        low == top ? f.values[top] - f.values[top - 1] : f.values[low + 1] - f.values[low];
    const double part = (size - f.values[low]) / step;
    if (part >= 1) return sign | over;
    const bool up = part + double(random) / double(1u << f.random) >= 1;
    return sign | (!up ? low : low == top ? over : low + 1);
}

/// One thread per row; the text uses %a, %b, %c and writes %d, all 32 bits wide.
std::vector<u32> evaluate(const std::string& text, const std::array<std::vector<u32>, 3>& in)
{
    Kernel k{".param .u64 d_, .param .u64 a_, .param .u64 b_, .param .u64 c_", ""};
    k.body = ".reg .b32 %a; .reg .b32 %b; .reg .b32 %c; .reg .b32 %d;\n"
             "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 64, %r1;\n"
             "mul.wide.u32 %rd9, %r1, 4;\n";
    for (const char* n : {"a", "b", "c"})
        k.body += std::string("ld.param.u64 %rd1, [") + n +
                  "_]; add.u64 %rd1, %rd1, %rd9; ld.global.b32 %" + n + ", [%rd1];\n";
    k.body += text +
              "\nld.param.u64 %rd1, [d_]; add.u64 %rd1, %rd1, %rd9; st.global.b32 [%rd1], %d; ret;";
    std::string ptx = k.text();
    const std::string old = ".version 8.6\n.target sm_90a";
    ptx.replace(ptx.find(old), old.size(), ".version 9.0\n.target sm_103a");
    LaunchSpec spec;
    spec.file = "test.launch.json";
    spec.block = {64, 1, 1};
    spec.grid = {u32((in[0].size() + 63) / 64), 1, 1};
    const std::size_t padded = std::size_t{spec.grid[0]} * 64;
    spec.params.push_back(buffer(std::vector<u32>(padded)));
    for (std::vector<u32> column : in) {
        column.resize(padded);
        spec.params.push_back(buffer(column));
    }
    const Outcome o = gsu::test::run(ptx, spec);
    INFO(o.result.trap);
    REQUIRE(o.result.verdict == Verdict::Pass);
    return o.as<u32>(0);
}

/// Random floats around the values of the format, their neighbours, and what is special.
u32 draw(std::mt19937_64& random, const Format& f)
{
    static constexpr u32 kSpecial[]{0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                    0x7f7fffff, 1,          0x80000001, 0x3f800000};
    switch (random() % 4) {
        case 0: return kSpecial[random() % std::size(kSpecial)];
        case 1: return u32(random());
        default: {
            const float v = float(f.values[random() % f.values.size()]);
            const u32 bits = std::bit_cast<u32>(v) + u32(random() % 5) - 2 +
                             (random() % 2 ? u32(random() % (1u << 21)) : 0);
            return bits ^ (random() % 2 ? 0x80000000u : 0);
        }
    }
}

}  // namespace

TEST_CASE("cvt.rs rounds up as often as its random bits say", "[exec]")
{
    constexpr std::uint64_t kSeed = 20260;
    std::mt19937_64 random(kSeed);
    unsigned compared = 0, ups = 0;
    for (const Format& f : formats()) {
        for (const char* mods : {"", ".relu", ".satfinite", ".relu.satfinite"}) {
            const std::string m = mods;
            const bool saturates = m.find("satfinite") != std::string::npos;
            if (f.elements == 4 && !saturates) continue;
            CAPTURE(f.type, m, kSeed);
            std::array<std::vector<u32>, 3> in;
            for (int i = 0; i < 1024; ++i) {
                in[0].push_back(draw(random, f));
                in[1].push_back(draw(random, f));
                in[2].push_back(u32(random()));
            }
            const bool narrow = f.width == 4;
            const std::string name = "cvt.rs" + m + "." + f.type + ".f32 ";
            const std::string text = f.elements == 2 ? name + "%d, %a, %b, %c;"
                                     : narrow
                                         ? name + "%h1, {%a, %b, %b, %a}, %c; cvt.u32.u16 %d, %h1;"
                                         : name + "%d, {%a, %b, %b, %a}, %c;";
            const std::vector<u32> got = evaluate(text, in);
            for (std::size_t i = 0; i < in[0].size(); ++i) {
                const auto a = std::bit_cast<float>(in[0][i]), b = std::bit_cast<float>(in[1][i]);
                const u32 mask = (1u << f.random) - 1, upper = in[2][i] >> 16 & mask,
                          lower = in[2][i] & mask;
                const bool relu = m.find("relu") != std::string::npos;
                u32 want = 0;
                if (f.elements == 2) {
                    want = expected(f, a, upper, relu, saturates) << 16 |
                           expected(f, b, lower, relu, saturates);
                } else {
                    for (const auto& [v, r] :
                         {std::pair{a, upper}, {b, upper}, {b, lower}, {a, lower}})
                        want = want << f.width | expected(f, v, r, relu, saturates);
                }
                ups += expected(f, a, upper, false, true) != expected(f, a, 0, false, true);
                CAPTURE(i, a, b, in[2][i]);
                REQUIRE(got[i] == want);
                ++compared;
            }
        }
    }
    std::cout << "cvt.rs: " << compared << " results, " << ups << " rounded up by chance\n";
    REQUIRE(compared == 18 * 1024);
    REQUIRE(ups > 1000);
}

TEST_CASE("fma.oob gives 0 where an operand lies outside the tensor", "[exec]")
{
    // Halves: 2 * 3 + 1; a NaN that is not the one of tensor copies stays NaN.
    const std::vector<u32> a{0x40004000, 0x7fff4000, 0x40004000,
                             0x40007fff, 0x7e004000, 0xc000c000};
    const std::vector<u32> b{0x42004200, 0x42004200, 0x42007fff,
                             0x42004200, 0x42004200, 0x42004200};
    const std::vector<u32> c{0x3c003c00, 0x3c003c00, 0x3c003c00,
                             0x7fff3c00, 0x3c003c00, 0x3c003c00};
    CHECK(evaluate("fma.rn.oob.f16x2 %d, %a, %b, %c;", {a, b, c})[0] == 0x47004700);
    const auto r = evaluate("fma.rn.oob.f16x2 %d, %a, %b, %c;", {a, b, c});
    CHECK(std::vector<u32>(r.begin(), r.begin() + 6) ==
          std::vector<u32>{0x47004700, 0x00004700, 0x47000000, 0x00000000, 0x7fff4700, 0xc500c500});
    const auto relu = evaluate("fma.rn.oob.relu.f16x2 %d, %a, %b, %c;", {a, b, c});
    CHECK(relu[5] == 0);
    CHECK(relu[1] == 0x00004700);
    // bf16: 2 * 3 + 1.
    const auto brain = evaluate("fma.rn.oob.bf16x2 %d, %a, %b, %c;",
                                {std::vector<u32>{0x40007fff}, {0x40404040}, {0x3f803f80}});
    CHECK(brain[0] == 0x40e00000);
    const auto single = evaluate("mov.b32 {%h1, %h2}, %a; fma.rn.oob.f16 %h3, %h1, %h1, %h2; "
                                 "fma.rn.oob.f16 %h4, %h2, %h2, %h1; mov.b32 %d, {%h3, %h4};",
                                 {std::vector<u32>{0x40007fff}, {0}, {0}});
    CHECK(single[0] == 0);
}
