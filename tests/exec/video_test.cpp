// Video instructions: selectors, masks, merging and accumulation, by hand and against a reference of their own.
#include <algorithm>

#include "catch.hpp"
#include "exec/isa.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

using u32 = std::uint32_t;
using s64 = std::int64_t;

const std::array<unsigned, 4> kWords{4, 4, 4, 4};

/// One evaluation of `text`, as a 32-bit number.
u32 once(const std::string& text, u32 a, u32 b, u32 c)
{
    return static_cast<u32>(evaluate(text, kWords, {Column{a}, Column{b}, Column{c}})[0]);
}

int pick(std::mt19937_64& random, int below)
{
    return static_cast<int>(random() % unsigned(below));
}

/// A SIMD form with everything spelt as lists, lowest lane first.
struct Simd {
    std::string op;  ///< without the number of lanes
    int lanes{};
    bool dSigned{}, aSigned{}, bSigned{}, sat{}, add{};
    std::vector<int> aParts, bParts;
    std::vector<bool> mask;
    std::string compare;
    bool spellsMask{}, spellsA{}, spellsB{};

    [[nodiscard]] std::string text() const
    {
        const char letter = lanes == 2 ? 'h' : 'b';
        const auto digits = [&](bool spelt, const std::vector<int>& parts) {
            if (!spelt) return std::string();
            std::string s = std::string(".") + letter;
            for (auto i = parts.rbegin(); i != parts.rend(); ++i) s += char('0' + *i);
            return s;
        };
        std::vector<int> written;
        for (int i = 0; i < lanes; ++i)
            if (mask[std::size_t(i)]) written.push_back(i);
        const auto type = [](bool isSigned) { return isSigned ? ".s32" : ".u32"; };
        return op + std::to_string(lanes) + (op == "vset" ? "" : type(dSigned)) + type(aSigned) +
               type(bSigned) + (op == "vset" ? "." + compare : "") + (sat ? ".sat" : "") +
               (add ? ".add" : "") + " %d" + digits(spellsMask, written) + ", %a" +
               digits(spellsA, aParts) + ", %b" + digits(spellsB, bParts) + ", %c;";
    }

    /// Parts 0, 1, .. of a and, after them, those of b.
    [[nodiscard]] s64 part(int which, bool isSigned, u32 a, u32 b) const
    {
        const u32 word = which < lanes ? a : b;
        const int at = which % lanes;
        if (lanes == 2) {
            const auto half = static_cast<std::uint16_t>(word >> 16 * at);
            return isSigned ? s64(static_cast<std::int16_t>(half)) : s64(half);
        }
        const auto byte = static_cast<std::uint8_t>(word >> 8 * at);
        return isSigned ? s64(static_cast<std::int8_t>(byte)) : s64(byte);
    }

    [[nodiscard]] s64 lane(s64 a, s64 b) const
    {
        if (op == "vadd") return a + b;
        if (op == "vsub") return a - b;
        if (op == "vabsdiff") return a > b ? a - b : b - a;
        if (op == "vmin") return a < b ? a : b;
        if (op == "vmax") return a < b ? b : a;
        if (op == "vavrg") {  // halves of sums go up where the sum is not negative, else down
            const s64 sum = a + b;
            return sum >= 0 ? (sum + 1) / 2 : -((-sum + 1) / 2);
        }
        if (compare == "eq") return a == b;
        if (compare == "ne") return a != b;
        if (compare == "lt") return a < b;
        if (compare == "le") return a <= b;
        return compare == "gt" ? a > b : a >= b;
    }

    [[nodiscard]] u32 result(u32 a, u32 b, u32 c) const
    {
        const s64 span = lanes == 2 ? 65536 : 256;
        const s64 low = dSigned ? -span / 2 : 0, high = low + span - 1;
        u32 sum = c, packed = 0;
        for (int i = lanes; i-- > 0;) {
            const auto k = std::size_t(i);
            s64 v = lane(part(aParts[k], aSigned, a, b), part(bParts[k], bSigned, a, b));
            if (sat) v = v < low ? low : v > high ? high : v;
            if (!mask[k])
                v = part(i, false, c, 0);
            else
                sum += static_cast<u32>(v);
            packed = packed * static_cast<u32>(span) + static_cast<u32>(((v % span) + span) % span);
        }
        return add ? sum : packed;
    }
};

Simd randomSimd(std::mt19937_64& random)
{
    static const char* const ops[]{"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg", "vset"};
    static const char* const compares[]{"eq", "ne", "lt", "le", "gt", "ge"};
    Simd s;
    s.op = ops[pick(random, 7)];
    s.compare = compares[pick(random, 6)];
    s.lanes = pick(random, 2) != 0 ? 2 : 4;
    s.aSigned = pick(random, 2) != 0;
    s.bSigned = pick(random, 2) != 0;
    s.dSigned = s.op != "vset" && pick(random, 2) != 0;
    s.add = pick(random, 3) == 0;
    s.sat = s.op != "vset" && !s.add && pick(random, 2) != 0;
    s.spellsMask = pick(random, 4) != 0;
    s.spellsA = pick(random, 4) != 0;
    s.spellsB = pick(random, 4) != 0;
    for (int i = 0; i < s.lanes; ++i) {
        s.aParts.push_back(s.spellsA ? pick(random, 2 * s.lanes) : i);
        s.bParts.push_back(s.spellsB ? pick(random, 2 * s.lanes) : s.lanes + i);
        s.mask.push_back(!s.spellsMask || pick(random, 2) != 0);
    }
    if (std::find(s.mask.begin(), s.mask.end(), true) == s.mask.end()) s.mask[0] = true;
    return s;
}

}  // namespace

TEST_CASE("SIMD video instructions by hand: which parts, where they go", "[isa]")
{
    const u32 a = 0x80ff7f01, b = 0x01027ffe, c = 0xaabbccdd;
    // Bytes 0..7 are 01 7f ff 80 fe 7f 02 01; the first digit of a selector is the highest lane.
    CHECK(once("vmax4.u32.u32.u32 %d, %a.b7531, %b.b7531, %c;", a, b, c) == 0x017f807f);
    CHECK(once("vmax4.u32.u32.u32 %d.b210, %a.b7531, %b.b7531, %c;", a, b, c) == 0xaa7f807f);
    CHECK(once("vadd4.s32.s32.s32.sat %d.b30, %a.b3000, %b.b2221, %c;", a, b, c) == 0x80bbcc7f);
    CHECK(once("vsub4.u32.u32.u32.add %d.b20, %a, %b, %c;", a, b, 1) == 1u + 0xfd - 0xfd);
    CHECK(once("vset4.s32.u32.lt %d.b2, %a, %b, %c;", a, b, c) == 0xaa01ccdd);
    CHECK(once("vset4.u32.u32.lt.add %d.b2, %a, %b, %c;", a, b, c) == 0xaabbccdd);
    // Halves 0..3 are 7f01 80ff 7ffe 0102.
    CHECK(once("vadd2.u32.u32.u32 %d, %a, %b, %c;", a, b, c) == 0x8201feff);
    CHECK(once("vadd2.u32.u32.u32 %d.h1, %a.h10, %b.h32, %c;", a, b, c) == 0x8201ccdd);
    CHECK(once("vadd2.s32.s32.s32.sat %d.h0, %a.h02, %b.h30, %c;", a, b, c) == 0xaabb7fff);
    CHECK(once("vabsdiff2.u32.s32.u32.add %d.h1, %a, %b, %c;", a, b, 5) == 5 + 0x7f01 + 0x102);
    CHECK(once("vavrg2.s32.s32.s32 %d, %a.h11, %b.h13, %c;", a, b, c) == 0x80ffc100);
    // The destination may be a source.
    CHECK(once("mov.b32 %d, %c; vmin2.u32.u32.u32 %d.h0, %d.h00, %b.h22, %d;", a, b, c) ==
          0xaabb7ffe);
}

TEST_CASE("SIMD video instructions agree with a reference", "[isa]")
{
    const std::uint64_t seed = 20;
    std::mt19937_64 random(seed);
    unsigned masked = 0, crossed = 0;
    for (int i = 0; i < 400; ++i) {
        const Simd s = randomSimd(random);
        const auto in = operands(seed + unsigned(i), false, 4, 32);
        const std::string text = s.text();
        CAPTURE(seed, text);
        masked += std::find(s.mask.begin(), s.mask.end(), false) != s.mask.end();
        crossed += *std::max_element(s.aParts.begin(), s.aParts.end()) >= s.lanes;
        const Column out = evaluate(text, kWords, in);
        for (std::size_t k = 0; k < out.size(); ++k) {
            CAPTURE(in[0][k], in[1][k], in[2][k]);
            REQUIRE(out[k] == s.result(u32(in[0][k]), u32(in[1][k]), u32(in[2][k])));
        }
    }
    CHECK(masked > 50);
    CHECK(crossed > 50);
}

TEST_CASE("scalar video instructions merge a byte or a half into the third source", "[isa]")
{
    const u32 a = 0x80ff7f01, b = 0x01027ffe, c = 0xaabbccdd;
    CHECK(once("vadd.u32.u32.u32 %d.b0, %a.b0, %b.b0, %c;", a, b, c) == 0xaabbccff);
    CHECK(once("vadd.u32.u32.u32 %d.b3, %a.b1, %b.b1, %c;", a, b, c) == 0xfebbccdd);
    CHECK(once("vadd.s32.u32.u32.sat %d.b3, %a.b1, %b.b1, %c;", a, b, c) == 0x7fbbccdd);
    CHECK(once("vsub.s32.s32.s32.sat %d.b1, %a, %b, %c;", a, b, c) == 0xaabb80dd);
    CHECK(once("vsub.u32.s32.s32.sat %d.h1, %a.h1, %b.h0, %c;", a, b, c) == 0x0000ccdd);
    CHECK(once("vabsdiff.u32.s32.s32 %d.h0, %a.h1, %b.h0, %c;", a, b, c) == 0xaabbfeff);
    CHECK(once("vmin.s32.s32.u32 %d.b2, %a.b2, 7, %c;", a, b, c) == 0xaaffccdd);
    CHECK(once("vmax.u32.u32.u32 %d.h1, 3, %b.b0, 0x12345678;", a, b, c) == 0x00fe5678);
    CHECK(once("vset.s32.u32.lt %d.b1, %a.h1, %b.h1, %c;", a, b, c) == 0xaabb01dd);
    CHECK(once("vshl.u32.u32.u32.clamp %d.h0, %a.b1, 4, %c;", a, b, c) == 0xaabb07f0);
    CHECK(once("vshr.s32.s32.u32.wrap %d.b0, %a, 36, %c;", a, b, c) == 0xaabbccf0);
    // Nothing to merge and nothing to do with it: the third source is not used.
    CHECK(once("vadd.u32.u32.u32 %d, %a.b0, %b.b3, %c;", a, b, c) == 2);
}

TEST_CASE("vmad: negated operands, plus one, and the sign of the sum", "[isa]")
{
    const u32 big = 0xffffffff;
    CHECK(once("vmad.u32.u32.u32.po %d, %a, %b, %c;", 3, 4, 5) == 18);
    CHECK(once("vmad.s32.u32.u32 %d, -%a, %b, %c;", 3, 4, 5) == u32(-7));
    CHECK(once("vmad.s32.u32.u32 %d, %a, -%b, %c;", 3, 4, 5) == u32(-7));
    CHECK(once("vmad.s32.u32.u32 %d, -%a, -%b, %c;", 3, 4, 5) == 17);
    CHECK(once("vmad.s32.u32.u32 %d, %a, %b, -%c;", 3, 4, 50) == u32(-38));
    CHECK(once("vmad.s32.s32.s32.sat %d, -%a, %b, %c;", big, big, 0) == big);
    CHECK(once("vmad.s32.u32.u32.sat %d, -%a, %b, %c;", big, big, 0) == 0x80000000);
    CHECK(once("vmad.u32.u32.u32.sat.shr7 %d, %a.h0, -%b.b1, %c;", 0x100, 0x200, 0) == u32(-4));
    // The types of the sources say how the sum saturates, not that of the destination.
    CHECK(once("vmad.u32.s32.s32.sat %d, %a, %b, %c;", big, 1, 0) == big);
    CHECK(once("vmad.s32.u32.u32.sat %d, %a, %b, %c;", big, 2, 0) == big);
    CHECK(once("vmad.u32.s32.s32.sat %d, %a, %b, %c;", 0x10000, 0x10000, 0) == 0x7fffffff);
}

TEST_CASE("video instructions that are none stop the launch with the reason", "[isa]")
{
    const auto reason = [](const std::string& body) -> std::string {
        const Kernel k{".param .u64 out", "mov.u32 %r1, 1; mov.u32 %r2, 2;\n" + body + "\nret;"};
        try {
            run(k, {32, 1, 1}, {buffer(std::vector<u32>(32))});
        } catch (const std::exception& e) {
            return e.what();
        }
        return {};
    };
    CHECK(reason("vadd2.u32.u32.u32 %r3.h01, %r1, %r2, %r1;").find("no mask") != std::string::npos);
    CHECK(reason("vadd4.u32.u32.u32 %r3, %r1.h10, %r2, %r1;").find("0 to 7") != std::string::npos);
    CHECK(reason("vadd.u32.u32.u32 %r3.b0, %r1, %r2;").find("merge") != std::string::npos);
    CHECK(reason("mov.b64 %rd1, {%r1.b0, %r2};").find("selector") != std::string::npos);
}
