// Floating-point instructions against the host: rounding modes, flushing, saturation, NaN, conversions.
#include <cfenv>
#include <cmath>
#include <functional>

#include "catch.hpp"
#include "exec/isa.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

u64 single(float f) { return std::isnan(f) ? 0x7fffffff : bitsOf(f); }
float ftz(float f) { return std::fpclassify(f) == FP_SUBNORMAL ? std::copysign(0.0f, f) : f; }
float sat(float f) { return std::isnan(f) || f <= 0 ? 0.0f : std::min(f, 1.0f); }

template <class F> auto rounded(int mode, F&& f)
{
    std::fesetround(mode);
    const volatile auto r = f();  // done before the mode goes back
    std::fesetround(FE_TONEAREST);
    return std::remove_cv_t<decltype(r)>(r);
}

struct Row {
    const char* text;
    std::array<unsigned, 4> widths;
    std::function<u64(u64, u64, u64)> host;
};

const std::array<unsigned, 4> w4{4, 4, 4, 4}, w8{8, 8, 8, 8}, d8{8, 4, 4, 4}, d4{4, 8, 8, 8},
    d2{2, 4, 4, 4}, a2{4, 2, 2, 2};

float f(u64 v) { return floatOf(v); }
double g(u64 v) { return doubleOf(v); }
volatile float x, y;  // keep the host's arithmetic at run time, in the rounding mode
volatile double p, q;

const Row kRows[]{
    {"add.f32 %d, %a, %b;", w4, [](u64 a, u64 b, u64) { return single(f(a) + f(b)); }},
    {"sub.rn.f32 %d, %a, %b;", w4, [](u64 a, u64 b, u64) { return single(f(a) - f(b)); }},
    {"add.rz.f32 %d, %a, %b;", w4,
     [](u64 a, u64 b, u64) {
         x = f(a);
         y = f(b);
         return single(rounded(FE_TOWARDZERO, [] { return x + y; }));
     }},
    {"mul.rm.f32 %d, %a, %b;", w4,
     [](u64 a, u64 b, u64) {
         x = f(a);
         y = f(b);
         return single(rounded(FE_DOWNWARD, [] { return x * y; }));
     }},
    {"add.rp.f64 %d, %a, %b;", w8,
     [](u64 a, u64 b, u64) {
         p = g(a);
         q = g(b);
         return bitsOf(rounded(FE_UPWARD, [] { return p + q; }));
     }},
    {"mul.ftz.f32 %d, %a, %b;", w4,
     [](u64 a, u64 b, u64) { return single(ftz(ftz(f(a)) * ftz(f(b)))); }},
    {"add.sat.f32 %d, %a, %b;", w4, [](u64 a, u64 b, u64) { return single(sat(f(a) + f(b))); }},
    {"fma.rn.f32 %d, %a, %b, %c;", w4,
     [](u64 a, u64 b, u64 c) { return single(std::fma(f(a), f(b), f(c))); }},
    {"fma.rn.ftz.f32 %d, %a, %b, %c;", w4,
     [](u64 a, u64 b, u64 c) { return single(ftz(std::fma(ftz(f(a)), ftz(f(b)), ftz(f(c))))); }},
    {"mul.f64 %d, %a, %b;", w8, [](u64 a, u64 b, u64) { return bitsOf(g(a) * g(b)); }},
    {"div.rn.f32 %d, %a, %b;", w4, [](u64 a, u64 b, u64) { return single(f(a) / f(b)); }},
    {"div.rz.f64 %d, %a, %b;", w8,
     [](u64 a, u64 b, u64) {
         p = g(a);
         q = g(b);
         return bitsOf(rounded(FE_TOWARDZERO, [] { return p / q; }));
     }},
    {"abs.f32 %a, %a; sqrt.rn.f32 %d, %a;", w4,
     [](u64 a, u64, u64) { return single(std::sqrt(std::fabs(f(a)))); }},
    {"rcp.rn.f32 %d, %a;", w4, [](u64 a, u64, u64) { return single(1.0f / f(a)); }},
    {"min.f32 %d, %a, %b;", w4,
     [](u64 a, u64 b, u64) {
         const float m = f(a), n = f(b);
         return single(m == n ? (std::signbit(m) ? m : n) : std::fmin(m, n));
     }},
    {"max.NaN.f32 %d, %a, %b;", w4,
     [](u64 a, u64 b, u64) {
         const float m = f(a), n = f(b);
         return single(std::isnan(m) || std::isnan(n) ? NAN
                       : m == n                       ? (std::signbit(m) ? n : m)
                                                      : std::fmax(m, n));
     }},
    {"abs.f32 %d, %a;", w4, [](u64 a, u64, u64) { return a & 0x7fffffff; }},
    {"neg.f64 %d, %a;", w8, [](u64 a, u64, u64) { return a ^ 1ull << 63; }},
    {"copysign.f32 %d, %a, %b;", w4,
     [](u64 a, u64 b, u64) { return (a & 0x80000000) | (b & 0x7fffffff); }},
    {"setp.ltu.f32 %p1, %a, %b; selp.b32 %d, 1, 0, %p1;", w4,
     [](u64 a, u64 b, u64) { return u64(!(f(a) >= f(b))); }},
    {"setp.gt.ftz.f32 %p1, %a, %b; selp.b32 %d, 1, 0, %p1;", w4,
     [](u64 a, u64 b, u64) { return u64(ftz(f(a)) > ftz(f(b))); }},
    {"setp.nan.f64 %p1, %a, %b; selp.b32 %d, 1, 0, %p1;",
     {4, 8, 8, 8},
     [](u64 a, u64 b, u64) { return u64(std::isnan(g(a)) || std::isnan(g(b))); }},
    {"testp.subnormal.f32 %p1, %a; selp.b32 %d, 1, 0, %p1;", w4,
     [](u64 a, u64, u64) { return u64(std::fpclassify(f(a)) == FP_SUBNORMAL); }},
    {"cvt.f64.f32 %d, %a;", d8,
     [](u64 a, u64, u64) {
         return std::isnan(f(a)) ? bitsOf(double(f(a))) & ~0ull : bitsOf(double(f(a)));
     }},
    {"cvt.rn.f32.f64 %d, %a;", d4, [](u64 a, u64, u64) { return single(float(g(a))); }},
    {"cvt.rz.f32.f64 %d, %a;", d4,
     [](u64 a, u64, u64) {
         p = g(a);
         return single(rounded(FE_TOWARDZERO, [] { return float(p); }));
     }},
    {"cvt.rzi.s32.f32 %d, %a;", w4,
     [](u64 a, u64, u64) {
         const float v = f(a);
         return u64(u32(std::isnan(v)        ? 0
                        : v >= 2147483648.0f ? INT32_MAX
                        : v < -2147483648.0f ? INT32_MIN
                                             : std::int32_t(v)));
     }},
    {"cvt.rni.u64.f32 %d, %a;", d8,
     [](u64 a, u64, u64) {
         const float v = std::nearbyint(f(a));
         return std::isnan(v) || v <= 0 ? 0 : v >= 0x1p64f ? ~0ull : u64(v);
     }},
    {"cvt.rmi.f32.f32 %d, %a;", w4, [](u64 a, u64, u64) { return single(std::floor(f(a))); }},
    {"cvt.rn.f32.s32 %d, %a;", w4, [](u64 a, u64, u64) { return single(float(std::int32_t(a))); }},
    {"cvt.rp.f32.u64 %d, %a;", d4,
     [](u64 a, u64, u64) {
         static volatile u64 v;
         v = a;
         return single(rounded(FE_UPWARD, [] { return float(v); }));
     }},
    {"cvt.rn.f64.s64 %d, %a;", w8, [](u64 a, u64, u64) { return bitsOf(double(std::int64_t(a))); }},
    {"cvt.sat.f32.f32 %d, %a;", w4, [](u64 a, u64, u64) { return single(sat(f(a))); }},
    {"ex2.approx.ftz.f32 %d, %a;", w4,
     [](u64 a, u64, u64) { return single(ftz(float(std::exp2(double(ftz(f(a))))))); }},
};

}  // namespace

TEST_CASE("floating-point instructions agree with the host", "[isa]")
{
    for (const Row& row : kRows) {
        const std::uint64_t seed = 5;
        CAPTURE(row.text, seed);
        const auto in = operands(seed, true, row.widths[1]);
        const Column d = evaluate(row.text, row.widths, in);
        for (std::size_t i = 0; i < d.size(); ++i) {
            const u64 want = row.host(in[0][i], in[1][i], in[2][i]);
            const bool bothNan =
                row.widths[0] == 8 && std::isnan(doubleOf(d[i])) && std::isnan(doubleOf(want));
            if (d[i] == want || bothNan) continue;
            CAPTURE(i, in[0][i], in[1][i], in[2][i]);
            CHECK(d[i] == want);
            break;
        }
    }
}

TEST_CASE("half precision: every f16 value survives the way through f32, and products round once",
          "[isa]")
{
    Column all(65536), zero(65536);
    for (u32 i = 0; i < 65536; ++i) all[i] = i;
    const Column d = evaluate("cvt.f32.f16 %d, %a;", a2, {all, zero, zero});
    const Column back = evaluate("cvt.rn.f16.f32 %d, %a;", d2, {d, zero, zero});
    unsigned nans = 0;
    for (u32 i = 0; i < 65536; ++i) {
        const bool nan = (i & 0x7fff) > 0x7c00;
        nans += nan;
        if (back[i] != (nan ? 0x7fff : i)) {
            CAPTURE(i, d[i]);
            REQUIRE(back[i] == (nan ? 0x7fff : i));
        }
    }
    REQUIRE(nans == 2046);
    // f16 products fit a float exactly, so the host's float product rounded once more is the reference.
    std::mt19937_64 random(3);
    Column a(2048), b(2048), c(2048), wide(2048);
    for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = random() & 0x7bff, b[i] = random() & 0x7bff, c[i] = random() & 0xfbff;
    const Column product = evaluate("mul.f16 %d, %a, %b;", {2, 2, 2, 2}, {a, b, c});
    const Column fa = evaluate("cvt.f32.f16 %d, %a;", a2, {a, b, c}),
                 fb = evaluate("cvt.f32.f16 %d, %b;", a2, {a, b, c});
    for (std::size_t i = 0; i < a.size(); ++i) wide[i] = bitsOf(floatOf(fa[i]) * floatOf(fb[i]));
    REQUIRE(product == evaluate("cvt.rn.f16.f32 %d, %a;", d2, {wide, b, c}));
    // bf16: the upper half of a float, rounded to nearest even.
    const auto in = operands(9, true, 4);
    const Column brain = evaluate("cvt.rn.bf16.f32 %d, %a;", d2, in);
    for (std::size_t i = 0; i < brain.size(); ++i) {
        const u32 v = u32(in[0][i]);
        const u64 want = std::isnan(floatOf(v)) ? 0x7fff : (v + 0x7fff + (v >> 16 & 1)) >> 16;
        CAPTURE(v);
        REQUIRE(brain[i] == want);
    }
    const Column packed = evaluate("cvt.rn.bf16x2.f32 %d, %a, %b;", w4, in);
    const Column low = evaluate("cvt.rn.bf16.f32 %d, %b;", d2, in);
    for (std::size_t i = 0; i < packed.size(); ++i) REQUIRE(packed[i] == (brain[i] << 16 | low[i]));
}
