// Integer and bit instructions against the host, one row per instruction.
#include <functional>

#include "catch.hpp"
#include "exec/isa.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

struct Row {
    const char* text;
    std::array<unsigned, 4> widths;
    std::function<u64(u64, u64, u64)> host;
};

const std::array<unsigned, 4> w2{2, 2, 2, 2}, w4{4, 4, 4, 4}, w8{8, 8, 8, 8}, wide{8, 4, 4, 8},
    to4{4, 8, 8, 8};

u32 shiftSat(u32 n, u32 width) { return n > width ? width : n; }

const Row kRows[]{
    {"add.u32 %d, %a, %b;", w4, [](u64 a, u64 b, u64) { return u32(a + b); }},
    {"sub.s64 %d, %a, %b;", w8, [](u64 a, u64 b, u64) { return a - b; }},
    {"add.s16 %d, %a, %b;", w2, [](u64 a, u64 b, u64) { return u16(a + b); }},
    {"add.sat.s32 %d, %a, %b;", w4,
     [](u64 a, u64 b, u64) {
         const s64 r = s64(s32(a)) + s32(b);
         return u32(s32(std::clamp<s64>(r, INT32_MIN, INT32_MAX)));
     }},
    {"sub.sat.s32 %d, %a, %b;", w4,
     [](u64 a, u64 b, u64) {
         const s64 r = s64(s32(a)) - s32(b);
         return u32(s32(std::clamp<s64>(r, INT32_MIN, INT32_MAX)));
     }},
    {"mul.lo.s32 %d, %a, %b;", w4, [](u64 a, u64 b, u64) { return u32(a * b); }},
    {"mul.lo.u16 %d, %a, %b;", w2, [](u64 a, u64 b, u64) { return u16(a * b); }},
    {"mul.hi.s32 %d, %a, %b;", w4,
     [](u64 a, u64 b, u64) { return u32(u64(s64(s32(a)) * s32(b)) >> 32); }},
    {"mul.hi.u32 %d, %a, %b;", w4, [](u64 a, u64 b, u64) { return (a * b) >> 32; }},
    {"mul.hi.u64 %d, %a, %b;", w8,
     [](u64 a, u64 b, u64) { return u64((unsigned __int128)(a)*b >> 64); }},
    {"mul.hi.s64 %d, %a, %b;", w8,
     [](u64 a, u64 b, u64) { return u64((__int128)(s64(a)) * s64(b) >> 64); }},
    {"mul.wide.s32 %d, %a, %b;", wide, [](u64 a, u64 b, u64) { return u64(s64(s32(a)) * s32(b)); }},
    {"mul.wide.u32 %d, %a, %b;", wide, [](u64 a, u64 b, u64) { return a * b; }},
    {"mad.lo.s32 %d, %a, %b, %c;", w4, [](u64 a, u64 b, u64 c) { return u32(a * b + c); }},
    {"mad.wide.s32 %d, %a, %b, %c;", wide,
     [](u64 a, u64 b, u64 c) { return u64(s64(s32(a)) * s32(b)) + c; }},
    {"mad.hi.u32 %d, %a, %b, %c;", w4, [](u64 a, u64 b, u64 c) { return u32((a * b >> 32) + c); }},
    {"mul24.lo.u32 %d, %a, %b;", w4,
     [](u64 a, u64 b, u64) { return u32((a & 0xffffff) * (b & 0xffffff)); }},
    {"mad24.hi.s32 %d, %a, %b, %c;", w4,
     [](u64 a, u64 b, u64 c) {
         return u32((s64(s32(a << 8) >> 8) * (s32(b << 8) >> 8) >> 16) + s64(c));
     }},
    {"sad.s32 %d, %a, %b, %c;", w4,
     [](u64 a, u64 b, u64 c) { return u32(c + u64(std::abs(s64(s32(a)) - s32(b)))); }},
    {"sad.u32 %d, %a, %b, %c;", w4,
     [](u64 a, u64 b, u64 c) { return u32(c + (a > b ? a - b : b - a)); }},
    {"setp.ne.u32 %p1, %b, 0; @%p1 div.u32 %d, %a, %b;", w4,
     [](u64 a, u64 b, u64) { return b ? a / b : 0; }},
    {"setp.ne.u32 %p1, %b, 0; @%p1 rem.s32 %d, %a, %b;", w4,
     [](u64 a, u64 b, u64) { return b ? u32(s64(s32(a)) % s32(b)) : 0; }},
    {"setp.ne.u64 %p1, %b, 0; @%p1 div.s64 %d, %a, %b;", w8,
     [](u64 a, u64 b, u64) { return b ? u64((__int128)s64(a) / s64(b)) : 0; }},
    {"min.s32 %d, %a, %b;", w4, [](u64 a, u64 b, u64) { return u32(std::min(s32(a), s32(b))); }},
    {"max.u64 %d, %a, %b;", w8, [](u64 a, u64 b, u64) { return std::max(a, b); }},
    {"max.s16 %d, %a, %b;", w2, [](u64 a, u64 b, u64) { return u16(std::max(s16(a), s16(b))); }},
    {"abs.s32 %d, %a;", w4, [](u64 a, u64, u64) { return u32(std::abs(s64(s32(a)))); }},
    {"neg.s64 %d, %a;", w8, [](u64 a, u64, u64) { return 0 - a; }},
    {"and.b32 %d, %a, %b;", w4, [](u64 a, u64 b, u64) { return a & b; }},
    {"xor.b64 %d, %a, %b;", w8, [](u64 a, u64 b, u64) { return a ^ b; }},
    {"not.b16 %d, %a;", w2, [](u64 a, u64, u64) { return u16(~a); }},
    {"cnot.b32 %d, %a;", w4, [](u64 a, u64, u64) { return u64(a == 0); }},
    {"shl.b32 %d, %a, %b;", w4, [](u64 a, u64 b, u64) { return u32(a << shiftSat(u32(b), 32)); }},
    {"shr.u32 %d, %a, %b;", w4, [](u64 a, u64 b, u64) { return a >> shiftSat(u32(b), 32); }},
    {"shr.s32 %d, %a, %b;", w4,
     [](u64 a, u64 b, u64) { return u32(s64(s32(a)) >> shiftSat(u32(b), 31)); }},
    {"shr.s64 %d, %a, %b;",
     {8, 8, 4, 8},
     [](u64 a, u64 b, u64) { return u64(s64(a) >> shiftSat(u32(b), 63)); }},
    {"shf.l.wrap.b32 %d, %a, %b, %c;", w4,
     [](u64 a, u64 b, u64 c) { return u32((b << 32 | a) << (c & 31) >> 32); }},
    {"shf.r.clamp.b32 %d, %a, %b, %c;", w4,
     [](u64 a, u64 b, u64 c) { return u32((b << 32 | a) >> shiftSat(u32(c), 32)); }},
    {"popc.b64 %d, %a;", to4, [](u64 a, u64, u64) { return u64(std::popcount(a)); }},
    {"clz.b32 %d, %a;", w4, [](u64 a, u64, u64) { return u64(std::countl_zero(u32(a))); }},
    {"brev.b32 %d, %a;", w4,
     [](u64 a, u64, u64) {
         u32 r = 0;
         for (int i = 0; i < 32; ++i) r |= u32(a >> i & 1) << (31 - i);
         return u64(r);
     }},
    {"bfind.u32 %d, %a;", w4,
     [](u64 a, u64, u64) { return a ? u64(31 - std::countl_zero(u32(a))) : 0xffffffff; }},
    {"bfind.shiftamt.s32 %d, %a;", w4,
     [](u64 a, u64, u64) {
         const u32 v = s32(a) < 0 ? ~u32(a) : u32(a);
         return v ? u64(std::countl_zero(v)) : 0xffffffff;
     }},
    {"and.b32 %b, %b, 63; and.b32 %c, %c, 63; bfe.u32 %d, %a, %b, %c;", w4,
     [](u64 a, u64 b, u64 c) {
         b &= 63, c &= 63;
         u64 r = 0;
         for (u64 i = 0; i < c && i < 32; ++i) r |= b + i < 32 ? (a >> (b + i) & 1) << i : 0;
         return r;
     }},
    {"and.b32 %b, %b, 63; and.b32 %c, %c, 63; bfe.s32 %d, %a, %b, %c;", w4,
     [](u64 a, u64 b, u64 c) {
         b &= 63, c &= 63;
         if (c == 0) return u64(0);
         const u64 sign = a >> std::min<u64>(b + c - 1, 31) & 1;
         u64 r = 0;
         for (u64 i = 0; i < 32; ++i) r |= (i < c && b + i < 32 ? a >> (b + i) & 1 : sign) << i;
         return r;
     }},
    {"and.b32 %c, %c, 31; bfi.b32 %d, %a, %b, %c, 7;", w4,
     [](u64 a, u64 b, u64 c) {
         c &= 31;
         u64 r = b;
         for (u64 i = 0; i < 7 && c + i < 32; ++i)
             r = (r & ~(1ull << (c + i))) | (a >> i & 1) << (c + i);
         return r;
     }},
    {"prmt.b32 %d, %a, %b, %c;", w4,
     [](u64 a, u64 b, u64 c) {
         const u64 v = b << 32 | a;
         u64 r = 0;
         for (int i = 0; i < 4; ++i) {
             const u64 s = c >> 4 * i & 15;
             u64 y = v >> 8 * (s & 7) & 255;
             if (s & 8) y = y & 128 ? 255 : 0;
             r |= y << 8 * i;
         }
         return r;
     }},
    {"lop3.b32 %d, %a, %b, %c, 0x96;", w4, [](u64 a, u64 b, u64 c) { return a ^ b ^ c; }},
    {"lop3.b32 %d, %a, %b, %c, 0xe8;", w4,
     [](u64 a, u64 b, u64 c) { return (a & b) | (a & c) | (b & c); }},
    {"szext.wrap.s32 %d, %a, %b;", w4,
     [](u64 a, u64 b, u64) {
         const int n = int(b & 31);
         return n ? u64(u32(s32(u32(a) << (32 - n)) >> (32 - n))) : 0;
     }},
    {"bmsk.clamp.b32 %d, %a, %b;", w4,
     [](u64 a, u64 b, u64) {
         u64 r = 0;
         for (u64 i = 0; i < b && i < 32; ++i) r |= a < 32 && a + i < 32 ? 1ull << (a + i) : 0;
         return r;
     }},
    {"dp4a.s32.u32 %d, %a, %b, %c;", w4,
     [](u64 a, u64 b, u64 c) {
         s64 r = s32(c);
         for (int i = 0; i < 4; ++i) r += s64(std::int8_t(a >> 8 * i)) * std::uint8_t(b >> 8 * i);
         return u32(r);
     }},
    {"add.cc.u32 %d, %a, %b; addc.u32 %d, %c, 0;", w4,
     [](u64 a, u64 b, u64 c) { return u32(c + ((a + b) >> 32)); }},
    {"sub.cc.u32 %d, %a, %b; subc.u32 %d, %c, 5;", w4,
     [](u64 a, u64 b, u64 c) { return u32(c - 5 - (a < b)); }},
    {"mad.lo.cc.u32 %d, %a, %b, %c; addc.u32 %d, 0, 0;", w4,
     [](u64 a, u64 b, u64 c) { return (u32(a * b) + c) >> 32; }},
    {"setp.lt.s32 %p1, %a, %b; selp.b32 %d, %a, %c, %p1;", w4,
     [](u64 a, u64 b, u64 c) { return s32(a) < s32(b) ? a : c; }},
    {"setp.hi.u32 %p1, %a, %b; setp.le.and.s32 %p2, %a, %c, %p1; selp.b32 %d, 1, 2, %p2;", w4,
     [](u64 a, u64 b, u64 c) { return u64(a > b && s32(a) <= s32(c) ? 1 : 2); }},
    {"set.ge.u32.s32 %d, %a, %b;", w4,
     [](u64 a, u64 b, u64) { return s32(a) >= s32(b) ? 0xffffffff : u64(0); }},
    {"slct.b32.s32 %d, %a, %b, %c;", w4, [](u64 a, u64 b, u64 c) { return s32(c) >= 0 ? a : b; }},
    {"cvt.s64.s32 %d, %a;", wide, [](u64 a, u64, u64) { return u64(s64(s32(a))); }},
    {"cvt.u64.u32 %d, %a;", wide, [](u64 a, u64, u64) { return a; }},
    {"cvt.s32.s8 %d, %a;", w4, [](u64 a, u64, u64) { return u64(u32(s32(std::int8_t(a)))); }},
    {"cvt.sat.u8.s32 %d, %a;", w4, [](u64 a, u64, u64) { return u64(std::clamp(s32(a), 0, 255)); }},
    {"cvt.u32.u64 %d, %a;", to4, [](u64 a, u64, u64) { return u64(u32(a)); }},
    {"{ .reg .b32 %x, %y; mov.b64 {%x, %y}, %a; mov.b64 %d, {%y, %x}; }", w8,
     [](u64 a, u64, u64) { return a >> 32 | a << 32; }},
};

}  // namespace

TEST_CASE("integer and bit instructions agree with the host", "[isa]")
{
    for (const Row& row : kRows) {
        const std::uint64_t seed = 11;
        CAPTURE(row.text, seed);
        auto in = operands(seed, false, 8);
        for (unsigned i = 0; i < 3; ++i) {
            const unsigned bytes = row.widths[i + 1];
            for (u64& v : in[i]) v = bytes == 8 ? v : v & ((1ull << bytes * 8) - 1);
        }
        const Column d = evaluate(row.text, row.widths, in);
        for (std::size_t i = 0; i < d.size(); ++i) {
            const u64 want = row.host(in[0][i], in[1][i], in[2][i]) &
                             (row.widths[0] == 8 ? ~0ull : (1ull << row.widths[0] * 8) - 1);
            if (d[i] == want) continue;
            CAPTURE(i, in[0][i], in[1][i], in[2][i]);
            CHECK(d[i] == want);
            break;
        }
    }
}
