// Instructions that came with newer targets or are rare: packed singles, mixed precision, three operands, set, video, cvt.pack.
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
using s32 = std::int32_t;
using s64 = std::int64_t;

struct Row {
    const char* text;
    std::array<unsigned, 4> widths;
    bool floating;
    std::function<u64(u64, u64, u64)> host;
};

const std::array<unsigned, 4> w4{4, 4, 4, 4}, w8{8, 8, 8, 8}, w2{2, 2, 2, 2}, d2{2, 4, 4, 4},
    h4{4, 2, 2, 4}, mixed{4, 2, 4, 4};

float f(u64 v) { return floatOf(v); }
u64 single(float v) { return std::isnan(v) ? 0x7fffffff : bitsOf(v); }
float ftz(float v) { return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v; }
float halfValue(u64 v)
{
    const int e = int(v >> 10 & 31);
    const float m = float(v & 0x3ff);
    const float r = e == 31  ? (m != 0 ? NAN : HUGE_VALF)
                    : e == 0 ? std::ldexp(m, -24)
                             : std::ldexp(m + 1024, e - 25);
    return (v & 0x8000) != 0 ? -r : r;
}
volatile float x, y, z;  // at run time, in the rounding mode
template <class F> float rounded(int mode, F&& op)
{
    std::fesetround(mode);
    const volatile float r = op();
    std::fesetround(FE_TONEAREST);
    return r;
}
u64 both(u64 a, u64 b, u64 c, u64 (*op)(u64, u64, u64))
{
    const u64 low = op(a & 0xffffffff, b & 0xffffffff, c & 0xffffffff);
    return op(a >> 32, b >> 32, c >> 32) << 32 | low;
}
float least(float a, float b)
{
    if (std::isnan(a)) return b;
    return a == b ? (std::signbit(a) ? a : b) : b < a ? b : a;
}
float most(float a, float b)
{
    if (std::isnan(a)) return b;
    return a == b ? (std::signbit(a) ? b : a) : b > a ? b : a;
}
bool anyNan(u64 a, u64 b, u64 c)
{
    return std::isnan(f(a)) || std::isnan(f(b)) || std::isnan(f(c));
}

template <class Part> u64 parts(unsigned bits, u64 a, u64 b, Part&& op)
{
    u64 r = 0;
    for (unsigned at = 0; at < 32; at += bits) {
        const u64 mask = (1u << bits) - 1;
        r |= (u64(op(s64(a >> at & mask), s64(b >> at & mask))) & mask) << at;
    }
    return r;
}
s64 asSigned(s64 v, unsigned bits) { return v >> (bits - 1) != 0 ? v - (s64(1) << bits) : v; }

const Row kRows[]{
    {"add.rn.f32x2 %d, %a, %b;", w8, true,
     [](u64 a, u64 b, u64 c) {
         return both(a, b, c, [](u64 p, u64 q, u64) { return single(f(p) + f(q)); });
     }},
    {"sub.rn.ftz.f32x2 %d, %a, %b;", w8, true,
     [](u64 a, u64 b, u64 c) {
         return both(a, b, c, [](u64 p, u64 q, u64) { return single(ftz(ftz(f(p)) - ftz(f(q)))); });
     }},
    {"mul.rz.f32x2 %d, %a, %b;", w8, true,
     [](u64 a, u64 b, u64 c) {
         return both(a, b, c, [](u64 p, u64 q, u64) {
             x = f(p);
             y = f(q);
             return single(rounded(FE_TOWARDZERO, [] { return x * y; }));
         });
     }},
    {"fma.rp.f32x2 %d, %a, %b, %c;", w8, true,
     [](u64 a, u64 b, u64 c) {
         return both(a, b, c, [](u64 p, u64 q, u64 r) {
             x = f(p);
             y = f(q);
             z = f(r);
             return single(rounded(FE_UPWARD, [] { return std::fma(x, y, z); }));
         });
     }},
    {"add.f32.f16 %d, %a, %b;", mixed, true,
     [](u64 a, u64 b, u64) { return single(halfValue(a) + f(b)); }},
    {"sub.rm.f32.bf16 %d, %a, %b;", mixed, true,
     [](u64 a, u64 b, u64) {
         x = f(a << 16);
         y = f(b);
         return single(rounded(FE_DOWNWARD, [] { return x - y; }));
     }},
    {"fma.rn.f32.f16 %d, %a, %b, %c;", h4, true,
     [](u64 a, u64 b, u64 c) { return single(std::fma(halfValue(a), halfValue(b), f(c))); }},
    {"fma.rn.sat.f32.bf16 %d, %a, %b, %c;", h4, true,
     [](u64 a, u64 b, u64 c) {
         const float r = std::fma(f(a << 16), f(b << 16), f(c));
         return u64(bitsOf(std::isnan(r) || r <= 0 ? 0.0f : std::min(r, 1.0f)));
     }},
    {"min.f32 %d, %a, %b, %c;", w4, true,
     [](u64 a, u64 b, u64 c) { return single(least(least(f(a), f(b)), f(c))); }},
    {"max.ftz.f32 %d, %a, %b, %c;", w4, true,
     [](u64 a, u64 b, u64 c) { return single(most(most(ftz(f(a)), ftz(f(b))), ftz(f(c)))); }},
    {"max.NaN.abs.f32 %d, %a, %b, %c;", w4, true,
     [](u64 a, u64 b, u64 c) {
         if (anyNan(a, b, c)) return u64(0x7fffffff);
         return single(most(most(std::fabs(f(a)), std::fabs(f(b))), std::fabs(f(c))));
     }},
    {"min.xorsign.abs.f32 %d, %a, %b;", w4, true,
     [](u64 a, u64 b, u64) {
         const float r = least(std::fabs(f(a)), std::fabs(f(b)));
         const bool minus = std::signbit(f(a)) != std::signbit(f(b));
         return single(std::copysign(r, minus ? -1.0f : 1.0f));
     }},
    {"set.lt.u32.f32 %d, %a, %b;", w4, true,
     [](u64 a, u64 b, u64) { return u64(f(a) < f(b) ? 0xffffffff : 0); }},
    {"set.ge.f32.s32 %d, %a, %b;", w4, false,
     [](u64 a, u64 b, u64) { return u64(s32(a) >= s32(b) ? 0x3f800000 : 0); }},
    {"set.gt.f16.f16 %d, %a, %b;", w2, true,
     [](u64 a, u64 b, u64) { return u64(halfValue(a) > halfValue(b) ? 0x3c00 : 0); }},
    {"set.neu.u16.f16 %d, %a, %b;", w2, true,
     [](u64 a, u64 b, u64) { return u64(halfValue(a) != halfValue(b) ? 0xffff : 0); }},
    {"set.gt.bf16.bf16 %d, %a, %b;", w2, true,
     [](u64 a, u64 b, u64) { return u64(f(a << 16) > f(b << 16) ? 0x3f80 : 0); }},
    {"set.le.f16x2.f16x2 %d, %a, %b;", w4, true,
     [](u64 a, u64 b, u64) {
         const auto one = [&](unsigned s) {
             return u64(halfValue(a >> s & 0xffff) <= halfValue(b >> s & 0xffff) ? 0x3c00 : 0) << s;
         };
         return one(0) | one(16);
     }},
    {"set.lt.f16.u32 %d, %a, %b;", d2, false,
     [](u64 a, u64 b, u64) { return u64(a < b ? 0x3c00 : 0); }},
    {"mad24.hi.sat.s32 %d, %a, %b, %c;", w4, false,
     [](u64 a, u64 b, u64 c) {
         const s64 p =
             (s64(asSigned(s64(a & 0xffffff), 24)) * asSigned(s64(b & 0xffffff), 24)) >> 16;
         return u64(u32(std::clamp<s64>(s32(p) + s64(s32(c)), INT32_MIN, INT32_MAX)));
     }},
    {"min.relu.s16x2 %d, %a, %b;", w4, false,
     [](u64 a, u64 b, u64) {
         return parts(16, a, b, [](s64 p, s64 q) {
             return std::max<s64>(0, std::min(asSigned(p, 16), asSigned(q, 16)));
         });
     }},
    {"max.u16x2 %d, %a, %b;", w4, false,
     [](u64 a, u64 b, u64) {
         return parts(16, a, b, [](s64 p, s64 q) { return std::max(p, q); });
     }},
    {"cvt.pack.sat.s16.s32 %d, %a, %b;", w4, false,
     [](u64 a, u64 b, u64) {
         const auto one = [](u64 v) { return u64(std::clamp(s32(v), -32768, 32767)) & 0xffff; };
         return one(a) << 16 | one(b);
     }},
    {"cvt.pack.sat.u8.s32.b32 %d, %a, %b, %c;", w4, false,
     [](u64 a, u64 b, u64 c) {
         const auto one = [](u64 v) { return u64(std::clamp(s32(v), 0, 255)); };
         return (c << 16 | one(a) << 8 | one(b)) & 0xffffffff;
     }},
    {"cvt.pack.sat.s4.s32.b32 %d, %a, %b, %c;", w4, false,
     [](u64 a, u64 b, u64 c) {
         const auto one = [](u64 v) { return u64(std::clamp(s32(v), -8, 7)) & 15; };
         return (c << 8 | one(a) << 4 | one(b)) & 0xffffffff;
     }},
    {"vabsdiff4.u32.u32.u32 %d, %a, %b, %c;", w4, false,
     [](u64 a, u64 b, u64) {
         return parts(8, a, b, [](s64 p, s64 q) { return std::abs(p - q); });
     }},
    {"vabsdiff4.u32.u32.u32.add %d, %a, %b, %c;", w4, false,
     [](u64 a, u64 b, u64 c) {
         u64 sum = c;
         for (unsigned i = 0; i < 32; i += 8)
             sum += u64(std::abs(s64(a >> i & 255) - s64(b >> i & 255)));
         return sum & 0xffffffff;
     }},
    {"vadd2.s32.s32.s32.sat %d, %a, %b, %c;", w4, false,
     [](u64 a, u64 b, u64) {
         return parts(16, a, b, [](s64 p, s64 q) {
             return std::clamp<s64>(asSigned(p, 16) + asSigned(q, 16), -32768, 32767);
         });
     }},
    {"vavrg4.u32.u32.u32 %d, %a, %b, %c;", w4, false,
     [](u64 a, u64 b, u64) {
         return parts(8, a, b, [](s64 p, s64 q) { return (p + q + 1) / 2; });
     }},
    {"vmin4.s32.s32.s32 %d, %a, %b, %c;", w4, false,
     [](u64 a, u64 b, u64) {
         return parts(8, a, b,
                      [](s64 p, s64 q) { return std::min(asSigned(p, 8), asSigned(q, 8)); });
     }},
    {"vset4.u32.u32.ge %d, %a, %b, %c;", w4, false,
     [](u64 a, u64 b, u64) { return parts(8, a, b, [](s64 p, s64 q) { return s64(p >= q); }); }},
    {"vadd.s32.u32.s32 %d, %a.b3, %b.h1;", w4, false,
     [](u64 a, u64 b, u64) { return u64(u32(s64(a >> 24) + asSigned(s64(b >> 16), 16))); }},
    {"vsub.u32.u32.u32.sat %d, %a, %b;", w4, false,
     [](u64 a, u64 b, u64) { return a < b ? 0 : a - b; }},
    {"vmax.s32.s32.s32.min %d, %a, %b, %c;", w4, false,
     [](u64 a, u64 b, u64 c) { return u64(u32(std::min(std::max(s32(a), s32(b)), s32(c)))); }},
    {"vshl.u32.u32.u32.clamp %d, %a, %b;", w4, false,
     [](u64 a, u64 b, u64) { return b > 31 ? 0 : a << b & 0xffffffff; }},
    {"vshl.s32.u32.u32.sat.clamp %d, %a, %b;", w4, false,
     [](u64 a, u64 b, u64) {
         const unsigned __int128 r = static_cast<unsigned __int128>(a) << std::min<u64>(b, 32);
         return r > INT32_MAX ? u64(INT32_MAX) : u64(r);
     }},
    {"vmad.u32.u32.u32.sat %d, %a, %b, %c;", w4, false,
     [](u64 a, u64 b, u64 c) {
         const unsigned __int128 r = static_cast<unsigned __int128>(a) * b + c;
         return r > UINT32_MAX ? u64(UINT32_MAX) : u64(r);
     }},
    {"vmad.s32.s32.s32.sat %d, %a, %b, %c;", w4, false,
     [](u64 a, u64 b, u64 c) {
         const __int128 r = __int128(s64(s32(a)) * s32(b)) + s32(c);
         return u64(u32(s64(r < INT32_MIN ? INT32_MIN : r > INT32_MAX ? INT32_MAX : s64(r))));
     }},
};

}  // namespace

TEST_CASE("newer and rare instructions agree with the host", "[isa]")
{
    for (const Row& row : kRows) {
        const u64 seed = 4242;
        CAPTURE(row.text, seed);
        std::array<Column, 3> in;
        for (unsigned i = 0; i < 3; ++i)
            in[i] =
                operands(seed + i, row.floating, row.widths[i + 1] == 2 ? 4 : row.widths[i + 1])[i];
        for (unsigned i = 0; i < 3; ++i) {
            if (row.floating && row.widths[i + 1] == 8) {  // singles in both halves
                const Column low = operands(seed + 5 + i, true, 4)[0],
                             high = operands(seed + 9 + i, true, 4)[1];
                for (std::size_t k = 0; k < in[i].size(); ++k) in[i][k] = high[k] << 32 | low[k];
            }
            for (u64& v : in[i]) v &= row.widths[i + 1] == 2 ? 0xffff : ~0ull;
        }
        const Column out = evaluate(row.text, row.widths, in);
        for (std::size_t i = 0; i < out.size(); ++i) {
            CAPTURE(in[0][i], in[1][i], in[2][i]);
            REQUIRE(out[i] == row.host(in[0][i], in[1][i], in[2][i]));
        }
    }
}

TEST_CASE("approximate seeds of double precision have no lower half", "[isa]")
{
    const auto in = operands(7, true, 8);
    const Column r = evaluate("rcp.approx.ftz.f64 %d, %a;", w8, in);
    for (std::size_t i = 0; i < r.size(); ++i) {
        const double a = doubleOf(in[0][i]), got = doubleOf(r[i]);
        const double exact = 1.0 / (std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0, a) : a);
        CAPTURE(a, got);
        if (std::isnan(exact)) {
            CHECK(std::isnan(got));
            continue;
        }
        CHECK((r[i] & 0xffffffff) == 0);
        CHECK((got == exact || std::fabs(got - exact) <= std::fabs(exact) * 0x1p-19));
    }
}

TEST_CASE("special registers as vectors and predicates; those nothing drives are zero", "[isa]")
{
    const Kernel k{".param .u64 out", R"(
        ld.param.u64 %rd1, [out]; mov.v4.u32 {%r1, %r2, %r3, %r4}, %tid; mov.u32 %r5, %envreg7; mov.u32 %r6, %pm3;
        mov.pred %p1, %is_explicit_cluster; selp.u32 %r7, 1, 0, %p1; mov.u64 %rd3, %current_graph_exec; cvt.u32.u64 %r8, %rd3;
        mad.lo.u32 %r9, %r2, 8, %r1; mul.wide.u32 %rd2, %r9, 32; add.u64 %rd1, %rd1, %rd2;
        st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4}; st.global.v4.u32 [%rd1+16], {%r5, %r6, %r7, %r8}; ret;)"};
    const auto v = run(k, {8, 4, 1}, {buffer(std::vector<u32>(256))}).as<u32>(0);
    for (u32 i = 0; i < 32; ++i) {
        const std::vector<u32> want{i % 8, i / 8, 0, 0, 0, 0, 0, 0};
        REQUIRE(std::vector<u32>(v.begin() + i * 8, v.begin() + i * 8 + 8) == want);
    }
}

TEST_CASE("alloca: lanes have stacks of their own, a function gives back what it took", "[isa]")
{
    const std::string callee = R"(
.func (.param .b32 r) take(.param .b32 n)
{
    .reg .b64 %a, %b, %c, %g; .reg .b32 %n, %v; .reg .pred %p;
    ld.param.u32 %n, [n]; cvt.u64.u32 %b, %n; shl.b64 %b, %b, 2;
    alloca.u64 %a, %b, 16; cvta.local.u64 %g, %a;
    mov.u32 %v, 0;
L:  setp.ge.u32 %p, %v, %n; @%p bra D; mul.wide.u32 %c, %v, 4; add.u64 %c, %c, %g; st.u32 [%c], %v; add.u32 %v, %v, 1; bra L;
D:  sub.u32 %v, %v, 1; mul.wide.u32 %c, %v, 4; add.u64 %c, %c, %a; ld.local.u32 %v, [%c];
    st.param.b32 [r], %v; ret;
}
)";
    const Kernel k{".param .u64 out", R"(
        .reg .b64 %s1, %s2, %x; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; add.u32 %r2, %r1, 1; mov.u32 %r9, 0;
        stacksave.u64 %s1;
    A:  { .param .b32 p; .param .b32 q; st.param.b32 [p], %r2; call (q), take, (p); ld.param.b32 %r3, [q]; }
        add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 600; @%p1 bra A;
        stacksave.u64 %s2; sub.u64 %x, %s2, %s1; cvt.u32.u64 %r4, %x;
        alloca.u64 %x, 64, 64; and.b64 %x, %x, 63; cvt.u32.u64 %r5, %x; stackrestore.u64 %s1; stacksave.u64 %s2;
        sub.u64 %x, %s2, %s1; cvt.u32.u64 %r6, %x;
        mul.wide.u32 %rd2, %r1, 16; add.u64 %rd1, %rd1, %rd2; st.global.v4.u32 [%rd1], {%r3, %r4, %r5, %r6}; ret;)",
                   callee};
    const Outcome o = run(k, {32, 1, 1}, {buffer(std::vector<u32>(128))});
    INFO(o.result.trap);
    REQUIRE(o.result.verdict == Verdict::Pass);
    const auto v = o.as<u32>(0);
    for (u32 i = 0; i < 32; ++i) {
        CHECK(v[4 * i] == i);
        CHECK(v[4 * i + 1] == 0);
        CHECK(v[4 * i + 2] == 0);
        CHECK(v[4 * i + 3] == 0);
    }
}

TEST_CASE("st.bulk zeroes shared memory; wgmma's fence and groups order nothing that is here",
          "[isa]")
{
    const Kernel k{".param .u64 out", R"(
        .shared .align 16 .b8 s[512]; ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 4, %r2;
        st.shared.u32 [%r3], %r1; bar.sync 0; setp.eq.u32 %p1, %r1, 0; @%p1 st.bulk.weak.shared::cta [%r2+16], 32, 0;
        wgmma.fence.sync.aligned; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; bar.sync 0;
        ld.shared.u32 %r4, [%r3]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r4; ret;)"};
    const Outcome o = run(k, {32, 1, 1}, {buffer(std::vector<u32>(32))});
    REQUIRE(o.result.verdict == Verdict::Pass);
    const auto v = o.as<u32>(0);
    for (u32 i = 0; i < 32; ++i) REQUIRE(v[i] == (i >= 4 && i < 12 ? 0 : i));
}

TEST_CASE("a kernel may end with copies under way", "[isa]")
{
    // The same copy is awaited, or not even looked at: it takes time, and the kernel that does not wait ends before it.
    const auto copied = [](const std::string& then) {
        std::vector<u32> in(32);
        for (u32 i = 0; i < 32; ++i) in[i] = 77 + i;
        const Kernel k{".param .u64 in, .param .u64 out", R"(
            .shared .align 16 .b8 s[512]; ld.param.u64 %rd1, [in]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; mad.lo.u32 %r2, %r1, 4, %r2;
            ld.param.u64 %rd3, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; add.u64 %rd3, %rd3, %rd2;
            mov.u32 %r3, 5; st.shared.u32 [%r2], %r3; cp.async.ca.shared.global [%r2], [%rd1], 4;)" +
                                                              then +
                                                              "ld.shared.u32 %r3, [%r2]; "
                                                              "st.global.u32 [%rd3], %r3; ret;"};
        Outcome o = run(k, {32, 1, 1}, {buffer(in), buffer(std::vector<u32>(32))});
        REQUIRE(o.result.verdict == Verdict::Pass);
        return o;
    };
    const Outcome waits = copied("cp.async.wait_all;"), ends = copied("");
    for (u32 i = 0; i < 32; ++i) {
        REQUIRE(waits.as<u32>(1)[i] == 77 + i);
        REQUIRE(ends.as<u32>(1)[i] == 5);
    }
    CHECK(waits.result.cycles > ends.result.cycles);
}
