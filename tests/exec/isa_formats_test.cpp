// Narrow floating-point formats against tables of their values that are built by counting: every code, every f16, ties, both
// infinities, NaN; and f16 and bf16 arithmetic against quadruple precision.
#include <cmath>

#include "catch.hpp"
#include "exec/isa.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
__extension__ typedef __float128 Quad;

/// Magnitudes in the order of their codes: the first 2 * 2^m are one quantum apart, then the quantum doubles every 2^m.
struct Grid {
    std::vector<double> size;
    u32 infinity;  ///< code, 0: none
    u32 nan;       ///< code, 0: none
    unsigned bits;

    Grid(unsigned exponent, unsigned mantissa, u32 firstSpecial, u32 infinityCode, u32 nanCode)
        : infinity(infinityCode), nan(nanCode), bits(exponent + mantissa + 1)
    {
        double quantum = std::ldexp(1.0, 2 - (1 << (exponent - 1)) - int(mantissa)), at = 0;
        const u32 octave = 1u << mantissa;
        for (u32 code = 0; code < firstSpecial; ++code) {
            size.push_back(at);
            at += quantum;
            if (code + 1 >= 2 * octave && (code + 1) % octave == 0) quantum *= 2;
        }
    }
    [[nodiscard]] u32 sign() const { return 1u << (bits - 1); }
    [[nodiscard]] double value(u32 code) const
    {
        const u32 magnitude = code & (sign() - 1);
        const double v = magnitude < size.size()                  ? size[magnitude]
                         : infinity != 0 && magnitude == infinity ? HUGE_VAL
                                                                  : NAN;
        return (code & sign()) != 0 ? -v : v;
    }
    /// mode: n nearest even, z toward zero, m down, p up, a ties away.
    template <class Real>
    [[nodiscard]] u32 code(Real v, bool negative, char mode, bool saturates) const
    {
        if (v != v) return nan != 0 ? nan : static_cast<u32>(size.size()) - 1;
        const Real magnitude = v < 0 ? -v : v;
        const u32 signBit = negative ? sign() : 0;
        const auto top = static_cast<u32>(size.size()) - 1;
        u32 low = 0, high = top;
        if (magnitude >= Real(size[top])) {
            const Real step = Real(size[top]) - Real(size[top - 1]);
            const bool exact = magnitude == Real(size[top]);
            const bool over = mode == 'p'   ? !negative && !exact
                              : mode == 'm' ? negative && !exact
                              : mode == 'z' ? false
                                            : magnitude >= Real(size[top]) + step / 2;
            const bool infinite = magnitude > Real(1e300) && magnitude * 2 == magnitude;
            return signBit | ((over || infinite) && !saturates ? infinity : top);
        }
        while (high - low > 1) {
            const u32 middle = (low + high) / 2;
            (Real(size[middle]) <= magnitude ? low : high) = middle;
        }
        const Real below = magnitude - Real(size[low]), above = Real(size[high]) - magnitude;
        bool up = false;
        if (below != 0) {
            up = mode == 'z'   ? false
                 : mode == 'm' ? negative
                 : mode == 'p' ? !negative
                 : mode == 'a' ? above <= below
                               : above < below || (above == below && low % 2 == 1);
        }
        return signBit | (up ? high : low);
    }
    [[nodiscard]] u32 code(double v, char mode = 'n', bool saturates = true) const
    {
        return code<double>(v, std::signbit(v), mode, saturates);
    }
};

const Grid& half()
{
    static const Grid g(5, 10, 0x7c00, 0x7c00, 0x7fff);
    return g;
}
const Grid& brain()
{
    static const Grid g(8, 7, 0x7f80, 0x7f80, 0x7fff);
    return g;
}

struct Small {
    const char* name;
    Grid grid;
    unsigned shift;  ///< between the elements of a pair
};
const std::vector<Small>& smalls()
{
    static const std::vector<Small> list{{"e4m3x2", Grid(4, 3, 0x7f, 0, 0x7f), 8},
                                         {"e5m2x2", Grid(5, 2, 0x7c, 0x7c, 0x7f), 8},
                                         {"e2m3x2", Grid(2, 3, 0x20, 0, 0), 8},
                                         {"e3m2x2", Grid(3, 2, 0x20, 0, 0), 8},
                                         {"e2m1x2", Grid(2, 1, 0x8, 0, 0), 4}};
    return list;
}

/// Singles around every value and every tie of a grid, and what no grid holds.
Column probes(const Grid& grid)
{
    std::vector<float> list{0.0f, NAN, HUGE_VALF, 1e-45f, 3.4e38f, 1e-20f};
    const std::size_t stride = grid.size.size() > 4096 ? 61 : 1;
    for (std::size_t i = 0; i + 1 < grid.size.size(); i += stride) {
        const auto low = static_cast<float>(grid.size[i]),
                   high = static_cast<float>(grid.size[i + 1]);
        const float middle = low + (high - low) / 2;
        for (const float v : {low, middle, std::nextafter(middle, 0.0f),
                              std::nextafter(middle, HUGE_VALF), std::nextafter(high, 0.0f)})
            list.push_back(v);
    }
    const auto top = static_cast<float>(grid.size.back());
    for (const float v : {top, top * 1.03f, top * 1.0625f, top * 1.1f, top * 2}) list.push_back(v);
    Column out;
    for (const float v : list) {
        out.push_back(bitsOf(v));
        out.push_back(bitsOf(-v));
    }
    return out;
}

Column reversed(Column c)
{
    std::reverse(c.begin(), c.end());
    return c;
}

double relu(double v) { return !std::isnan(v) && std::signbit(v) ? 0.0 : v; }

}  // namespace

TEST_CASE("small formats widen to f16x2: every code", "[isa]")
{
    for (const Small& s : smalls()) {
        INFO(s.name);
        const u32 mask = s.shift == 4 ? 15 : 255;
        Column in;
        for (u32 i = 0; i < 256; ++i)
            in.push_back(s.shift == 4 ? i
                                      : (i & (2 * s.grid.sign() - 1)) |
                                            ((255 - i) & (2 * s.grid.sign() - 1)) << 8);
        for (const bool positive : {false, true}) {
            const std::string text =
                std::string("{ .reg .b8 %t, %u; mov.b16 {%t, %u}, %a; cvt.rn") +
                (positive ? ".relu" : "") + ".f16x2." + s.name + " %d, " +
                (s.shift == 4 ? "%t" : "%a") + "; }";
            const Column out = evaluate(text, {4, 2, 4, 4}, {in, in, in});
            for (std::size_t i = 0; i < in.size(); ++i) {
                CAPTURE(in[i], positive);
                u64 want = 0;
                for (unsigned part = 0; part < 2; ++part) {
                    double v = s.grid.value(u32(in[i] >> (part * s.shift)) & mask);
                    if (positive) v = relu(v);
                    want |= u64{half().code(v, 'n', false)} << 16 * part;
                }
                REQUIRE(out[i] == want);
            }
        }
    }
}

TEST_CASE("small formats from f32 and from every f16", "[isa]")
{
    for (const Small& s : smalls()) {
        INFO(s.name);
        const Column a = probes(s.grid), b = reversed(a);
        const auto pair = [&](double high, double low, bool positive) {
            const auto one = [&](double v) { return s.grid.code(positive ? relu(v) : v); };
            const u64 v = one(high) << s.shift | one(low);
            return s.shift == 4 ? v | v << 8 : v;
        };
        const auto text = [&](const char* mods, const char* rest) {
            const std::string cvt = std::string("cvt.rn.satfinite") + mods + "." + s.name + rest;
            const bool byte = s.shift == 4;
            return byte ? "{ .reg .b8 %t; " + cvt.substr(0, cvt.find(' ')) + " %t" +
                              cvt.substr(cvt.find(',')) + " mov.b16 %d, {%t, %t}; }"
                        : cvt;
        };
        for (const bool positive : {false, true}) {
            const char* mods = positive ? ".relu" : "";
            const Column out = evaluate(text(mods, ".f32 %d, %a, %b;"), {2, 4, 4, 4}, {a, b, a});
            for (std::size_t i = 0; i < a.size(); ++i) {
                CAPTURE(floatOf(a[i]), floatOf(b[i]), positive);
                REQUIRE(out[i] == pair(floatOf(a[i]), floatOf(b[i]), positive));
            }
            // The reference takes f16x2 as a source for the two 8-bit formats of e4m3 and e5m2 only.
            if (s.name != std::string("e4m3x2") && s.name != std::string("e5m2x2")) continue;
            Column halves;
            for (u32 i = 0; i < 65536; i += s.shift == 4 ? 7 : 1)
                halves.push_back(i | (65535 - i) << 16);
            const Column narrow =
                evaluate(text(mods, ".f16x2 %d, %a;"), {2, 4, 4, 4}, {halves, halves, halves});
            for (std::size_t i = 0; i < halves.size(); ++i) {
                const double low = half().value(u32(halves[i] & 0xffff)),
                             high = half().value(u32(halves[i] >> 16));
                const u64 want = pair(high, low, positive);
                if (narrow[i] == want) continue;
                FAIL("halves " << high << " and " << low << (positive ? ", relu" : "") << ": "
                               << std::hex << narrow[i] << ", expected " << want);
            }
        }
    }
}

TEST_CASE("f32 and f64 to f16, bf16 and tf32: roundings, relu, saturation, pairs", "[isa]")
{
    struct Form {
        const char* text;
        const Grid* grid;
        char mode;
        bool positive, saturates;
    };
    const Form forms[]{{"cvt.rn.f16.f32 %d, %a;", &half(), 'n', false, false},
                       {"cvt.rz.f16.f32 %d, %a;", &half(), 'z', false, false},
                       {"cvt.rm.f16.f32 %d, %a;", &half(), 'm', false, false},
                       {"cvt.rp.f16.f32 %d, %a;", &half(), 'p', false, false},
                       {"cvt.rn.relu.f16.f32 %d, %a;", &half(), 'n', true, false},
                       {"cvt.rn.satfinite.f16.f32 %d, %a;", &half(), 'n', false, true},
                       {"cvt.rz.relu.satfinite.f16.f32 %d, %a;", &half(), 'z', true, true},
                       {"cvt.rn.bf16.f32 %d, %a;", &brain(), 'n', false, false},
                       {"cvt.rz.bf16.f32 %d, %a;", &brain(), 'z', false, false},
                       {"cvt.rm.bf16.f32 %d, %a;", &brain(), 'm', false, false},
                       {"cvt.rp.bf16.f32 %d, %a;", &brain(), 'p', false, false},
                       {"cvt.rn.relu.bf16.f32 %d, %a;", &brain(), 'n', true, false},
                       {"cvt.rn.satfinite.bf16.f32 %d, %a;", &brain(), 'n', false, true}};
    for (const Form& f : forms) {
        INFO(f.text);
        const Column a = probes(*f.grid);
        const Column out = evaluate(f.text, {2, 4, 4, 4}, {a, a, a});
        std::string packed = f.text;  // the same as a pair
        packed.insert(packed.find(".f32"), "x2");
        packed.replace(packed.find(" %a;"), 4, " %a, %b;");
        const bool both =
            packed.find(".rm") == std::string::npos && packed.find(".rp") == std::string::npos;
        const Column pairs = both ? evaluate(packed, {4, 4, 4, 4}, {a, reversed(a), a}) : Column{};
        for (std::size_t i = 0; i < a.size(); ++i) {
            const double v = floatOf(a[i]);
            CAPTURE(v);
            REQUIRE(out[i] == f.grid->code(f.positive ? relu(v) : v, f.mode, f.saturates));
            if (both) REQUIRE(pairs[i] == (out[i] << 16 | out[a.size() - 1 - i]));
        }
    }
    // tf32 is a single whose last 13 bits are zero.
    const Grid tf32(8, 10, 0xff << 10, 0xff << 10, 0);
    const Column a = probes(tf32);
    for (const auto& [text, mode, saturates] : std::vector<std::tuple<const char*, char, bool>>{
             {"cvt.rna.tf32.f32 %d, %a;", 'a', false},
             {"cvt.rn.tf32.f32 %d, %a;", 'n', false},
             {"cvt.rz.tf32.f32 %d, %a;", 'z', false},
             {"cvt.rna.satfinite.tf32.f32 %d, %a;", 'a', true}}) {
        const Column out = evaluate(text, {4, 4, 4, 4}, {a, a, a});
        for (std::size_t i = 0; i < a.size(); ++i) {
            const float v = floatOf(a[i]);
            CAPTURE(text, v);
            REQUIRE(out[i] ==
                    (std::isnan(v) ? 0x7fff'ffffu : tf32.code(double{v}, mode, saturates) << 13));
        }
    }
    // f64 directly: one rounding, not two.
    Column wide;
    for (const u64 v : probes(half())) wide.push_back(bitsOf(double{floatOf(v)} * (1 + 0x1p-50)));
    const Column out = evaluate("cvt.rn.f16.f64 %d, %a;", {2, 8, 4, 4}, {wide, wide, wide});
    for (std::size_t i = 0; i < wide.size(); ++i) {
        CAPTURE(doubleOf(wide[i]));
        REQUIRE(out[i] == half().code(doubleOf(wide[i]), 'n', false));
    }
}

TEST_CASE("scales of powers of two, both ways", "[isa]")
{
    Column codes, singles;
    for (u32 i = 0; i < 256; ++i) codes.push_back(i | (255 - i) << 8);
    const Column out =
        evaluate("cvt.rn.bf16x2.ue8m0x2 %d, %a;", {4, 2, 4, 4}, {codes, codes, codes});
    const auto scale = [](u64 code) {
        return code == 255 ? NAN : std::ldexp(1.0, int(code) - 127);
    };
    for (u32 i = 0; i < 256; ++i) {
        const u64 want = u64{brain().code(scale(255 - i))} << 16 | brain().code(scale(i));
        REQUIRE(out[i] == want);
    }
    for (int e = -126; e < 128; ++e) {
        for (const double m : {1.0, 1.25, 1.999})
            singles.push_back(bitsOf(float(std::ldexp(m, e))));
    }
    for (const char* mode : {"rz", "rp"}) {
        const Column got =
            evaluate(std::string("cvt.") + mode + ".satfinite.ue8m0x2.f32 %d, %a, %b;",
                     {2, 4, 4, 4}, {singles, singles, singles});
        for (std::size_t i = 0; i < singles.size(); ++i) {
            const double v = floatOf(singles[i]);
            int e = std::ilogb(v) + 127;
            if (mode[1] == 'p' && v != std::ldexp(1.0, e - 127)) ++e;
            CAPTURE(mode, v);
            REQUIRE(got[i] == u64(std::min(e, 254)) * 0x101);
        }
    }
}

TEST_CASE("f16 and bf16 arithmetic rounds once", "[isa]")
{
    struct Op {
        const char* name;
        Quad (*apply)(Quad, Quad, Quad);
    };
    const Op ops[]{{"add", [](Quad a, Quad b, Quad) { return a + b; }},
                   {"sub", [](Quad a, Quad b, Quad) { return a - b; }},
                   {"mul", [](Quad a, Quad b, Quad) { return a * b; }},
                   {"fma.rn", [](Quad a, Quad b, Quad c) { return a * b + c; }}};
    const u64 seed = 77;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::array<Column, 3> in;
    for (Column& c : in) {
        for (unsigned i = 0; i < 4096; ++i) {
            static const u32 special[]{0,      0x8000, 0x7c00, 0xfc00, 0x7e00,
                                       0x7f80, 1,      0x8001, 0x3c00, 0x3f80};
            const auto one = [&] {
                return u32(random() % 5 == 0 ? special[random() % std::size(special)]
                                             : random() & 0xffff);
            };
            c.push_back(one() | one() << 16);
        }
    }
    u32 checked = 0;
    for (const bool isBrain : {false, true}) {
        const Grid& g = isBrain ? brain() : half();
        for (const Op& op : ops) {
            for (const char* mod : {"", ".sat", ".relu"}) {
                const bool fused = op.name[0] == 'f';
                if ((mod[0] != 0 && mod[1] == 'r' && !fused) ||
                    (isBrain && mod[0] != 0 && mod[1] == 's'))
                    continue;  // relu comes with fma only, bf16 has no saturation
                const std::string text = std::string(op.name) + mod +
                                         (isBrain ? ".bf16x2" : ".f16x2") + " %d, %a, %b" +
                                         (fused ? ", %c;" : ";");
                INFO(text);
                const Column out = evaluate(text, {4, 4, 4, 4}, in);
                for (std::size_t i = 0; i < out.size(); ++i) {
                    for (unsigned part = 0; part < 32; part += 16) {
                        const auto value = [&](unsigned k) {
                            return Quad(g.value(u32(in[k][i] >> part) & 0xffff));
                        };
                        Quad r = op.apply(value(0), value(1), value(2));
                        const Quad product = value(0) * value(1), sum = fused ? value(2) : Quad(0);
                        // Quadruple precision itself rounds when the terms are too far apart.
                        if (fused && product != 0 && sum != 0 && r == r &&
                            (product / sum > Quad(1e24) || sum / product > Quad(1e24) ||
                             product / sum < Quad(-1e24) || sum / product < Quad(-1e24)))
                            continue;
                        bool negative = std::signbit(double(r));
                        if (mod[0] != 0 && mod[1] == 's')
                            r = r != r || r < 0 ? Quad(0) : r > 1 ? Quad(1) : r;
                        if (mod[0] != 0 && mod[1] == 'r' && negative && r == r) r = 0;
                        if (mod[0] != 0 && r == 0) negative = false;
                        CAPTURE(in[0][i], in[1][i], in[2][i], part);
                        REQUIRE((out[i] >> part & 0xffff) == g.code<Quad>(r, negative, 'n', false));
                        ++checked;
                    }
                }
            }
        }
    }
    REQUIRE(checked > 50000);
}
