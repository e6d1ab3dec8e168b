// Every dense mma against the reference: fragments by the manual's tables, shape by shape.
#include <functional>
#include <iostream>

#include "catch.hpp"
#include "reference.hpp"

using namespace gsu::tensor;
using namespace reference;

namespace {

/// Row and column of element i of a lane; g = lane / 4, t = lane % 4.
using Map = std::function<Index(unsigned g, unsigned t, unsigned i)>;
struct Layout {
    unsigned m, k, bits;
    Map a, b;  ///< b: row (k), column
    unsigned aCount, bCount;
};

// The tables "matrix fragments for mma" of the manual, per shape and width of the elements.
// long: a table, one row for each shape and width
const std::vector<Layout>& layouts()
{
    static const std::vector<Layout> all{
        {16, 8, 16,
         [](unsigned g, unsigned t, unsigned i) {
             return Index{i < 2 ? g : g + 8, t * 2 + (i & 1)};
         },
         [](unsigned g, unsigned t, unsigned i) {
             return Index{t * 2 + i, g};
         },
         4, 2},
        {16, 16, 16,
         [](unsigned g, unsigned t, unsigned i) {
             return Index{i < 2 || (i >= 4 && i < 6) ? g : g + 8,
                          i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8};
         },
         [](unsigned g, unsigned t, unsigned i) {
             return Index{i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g};
         },
         8, 4},
        {16, 4, 32,
         [](unsigned g, unsigned t, unsigned i) {
             return Index{i == 0 ? g : g + 8, t};
         },
         [](unsigned g, unsigned t, unsigned) {
             return Index{t, g};
         },
         2, 1},
        {16, 8, 32,
         [](unsigned g, unsigned t, unsigned i) {
             return Index{i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
         },
         [](unsigned g, unsigned t, unsigned i) {
             return Index{i == 0 ? t : t + 4, g};
         },
         4, 2},
        {8, 4, 64,
         [](unsigned g, unsigned t, unsigned) {
             return Index{g, t};
         },
         [](unsigned g, unsigned t, unsigned) {
             return Index{t, g};
         },
         1, 1},
        {16, 4, 64,
         [](unsigned g, unsigned t, unsigned i) {
             return Index{i == 0 ? g : g + 8, t};
         },
         [](unsigned g, unsigned t, unsigned) {
             return Index{t, g};
         },
         2, 1},
        {16, 8, 64,
         [](unsigned g, unsigned t, unsigned i) {
             return Index{i % 2 == 0 ? g : g + 8, i < 2 ? t : t + 4};
         },
         [](unsigned g, unsigned t, unsigned i) {
             return Index{i == 0 ? t : t + 4, g};
         },
         4, 2},
        {16, 16, 64,
         [](unsigned g, unsigned t, unsigned i) {
             return Index{i % 2 == 0 ? g : g + 8, i % 2 == 0 ? i * 2 + t : i * 2 - 2 + t};
         },
         [](unsigned g, unsigned t, unsigned i) {
             return Index{t + i * 4, g};
         },
         8, 4},
        {8, 16, 8,
         [](unsigned g, unsigned t, unsigned i) {
             return Index{g, t * 4 + i};
         },
         [](unsigned g, unsigned t, unsigned i) {
             return Index{t * 4 + i, g};
         },
         4, 4},
        {16, 16, 8,
         [](unsigned g, unsigned t, unsigned i) {
             return Index{i < 4 ? g : g + 8, t * 4 + (i & 3)};
         },
         [](unsigned g, unsigned t, unsigned i) {
             return Index{t * 4 + i, g};
         },
         8, 4},
        {16, 32, 8,
         [](unsigned g, unsigned t, unsigned i) {
             return Index{i < 4 || (i >= 8 && i < 12) ? g : g + 8,
                          i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16};
         },
         [](unsigned g, unsigned t, unsigned i) {
             return Index{i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g};
         },
         16, 8},
        {8, 32, 4,
         [](unsigned g, unsigned t, unsigned i) {
             return Index{g, t * 8 + i};
         },
         [](unsigned g, unsigned t, unsigned i) {
             return Index{t * 8 + i, g};
         },
         8, 8},
        {16, 32, 4,
         [](unsigned g, unsigned t, unsigned i) {
             return Index{i < 8 ? g : g + 8, t * 8 + (i & 7)};
         },
         [](unsigned g, unsigned t, unsigned i) {
             return Index{t * 8 + i, g};
         },
         16, 8},
        {16, 64, 4,
         [](unsigned g, unsigned t, unsigned i) {
             return Index{i < 8 || (i >= 16 && i < 24) ? g : g + 8,
                          i < 16 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32};
         },
         [](unsigned g, unsigned t, unsigned i) {
             return Index{i < 8 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32, g};
         },
         32, 16},
        {8, 128, 1,
         [](unsigned g, unsigned t, unsigned i) {
             return Index{g, t * 32 + i};
         },
         [](unsigned g, unsigned t, unsigned i) {
             return Index{t * 32 + i, g};
         },
         32, 32},
        {16, 128, 1,
         [](unsigned g, unsigned t, unsigned i) {
             return Index{i < 32 ? g : g + 8, t * 32 + (i & 31)};
         },
         [](unsigned g, unsigned t, unsigned i) {
             return Index{t * 32 + i, g};
         },
         64, 32},
        {16, 256, 1,
         [](unsigned g, unsigned t, unsigned i) {
             return Index{i < 32 || (i >= 64 && i < 96) ? g : g + 8,
                          i < 64 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128};
         },
         [](unsigned g, unsigned t, unsigned i) {
             return Index{i < 32 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128, g};
         },
         128, 64},
    };
    return all;
}

Index accumulatorAt(unsigned g, unsigned t, unsigned i)
{
    return {i < 2 ? g : g + 8, t * 2 + (i & 1)};
}

/// The result registers of a dense form as the text has it.
Registers expected(const Form& f, const Registers& a, const Registers& b, const Registers& c)
{
    const unsigned slot = f.slot(f.a);
    const Layout* layout = nullptr;
    for (const Layout& l : layouts()) {
        if (l.m == f.m && l.k == f.k && l.bits == slot) layout = &l;
    }
    REQUIRE(layout != nullptr);
    std::vector<std::vector<std::uint64_t>> am(f.m, std::vector<std::uint64_t>(f.k)),
        bm(f.k, std::vector<std::uint64_t>(8));
    for (unsigned lane = 0; lane < 32; ++lane) {
        for (unsigned i = 0; i < layout->aCount; ++i) {
            const Index p = layout->a(lane / 4, lane % 4, i);
            am[p.first][p.second] = slot == 64 ? a[i][lane] : elementBits(a, slot, lane, i);
        }
        for (unsigned i = 0; i < layout->bCount; ++i) {
            const Index p = layout->b(lane / 4, lane % 4, i);
            bm[p.first][p.second] = slot == 64 ? b[i][lane] : elementBits(b, slot, lane, i);
        }
    }
    const auto single = [&](Elem e, std::uint64_t bits) {
        return float(value(e, e == Elem::E2M1 && slot == 8 ? bits >> 2 : bits));
    };
    Registers d(f.accumulatorRegisters(f.d), std::vector<Cell>(32));
    for (unsigned lane = 0; lane < 32; ++lane) {
        for (unsigned i = 0; i < (f.m == 8 ? 2u : 4u); ++i) {
            const auto [row, column] = accumulatorAt(lane / 4, lane % 4, i);
            if (f.d == Elem::F64) {
                static constexpr int modes[]{FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
                double sum = value(Elem::F64, c[i][lane]);
                std::fesetround(modes[unsigned(f.rounding)]);
                for (unsigned k = 0; k < f.k; ++k)
                    sum = std::fma(value(Elem::F64, am[row][k]), value(Elem::F64, bm[k][column]),
                                   sum);
                std::fesetround(FE_TONEAREST);
                __builtin_memcpy(&d[i][lane], &sum, 8);
            } else if (f.d == Elem::S32) {
                long sum = int(u32(c[i][lane]));
                for (unsigned k = 0; k < f.k; ++k) {
                    const auto x = u32(am[row][k]), y = u32(bm[k][column]);
                    sum += f.a == Elem::B1 ? long(f.bitOp == BitOp::And ? x & y : x ^ y)
                                           : integer(f.a, x) * integer(f.b, y);
                }
                if (f.satfinite) sum = std::min(std::max(sum, -2147483648l), 2147483647l);
                d[i][lane] = u32(sum);
            } else {
                float sum = f.c == Elem::F16 ? float(value(Elem::F16, elementBits(c, 16, lane, i)))
                                             : float(value(Elem::F32, c[i][lane]));
                for (unsigned k = 0; k < f.k; ++k)
                    sum = std::fmaf(single(f.a, am[row][k]), single(f.b, bm[k][column]), sum);
                if (f.d == Elem::F16)
                    d[i / 2][lane] |= Cell{toHalf(sum)} << (16 * (i % 2));
                else
                    d[i][lane] = reference::single(sum);
            }
        }
    }
    return d;
}

void compare(const Form& f, std::mt19937_64& random)
{
    INFO("m" << f.m << "n" << f.n << "k" << f.k << " " << nameOf(f.d) << "." << nameOf(f.a) << "."
             << nameOf(f.b) << "." << nameOf(f.c));
    REQUIRE(problemOf(f) == "");
    const Registers a = fill(random, f.a, f.slot(f.a), f.aRegisters()),
                    b = fill(random, f.b, f.slot(f.b), f.bRegisters());
    Registers c = fill(random, f.c == Elem::S32 ? Elem::U8 : f.c,
                       f.c == Elem::F16   ? 16
                       : f.c == Elem::F64 ? 64
                                          : 32,
                       f.accumulatorRegisters(f.c));
    if (f.c == Elem::S32) {
        for (auto& r : c) {
            for (Cell& cell : r)
                cell = random() % 3 == 0 ? 0x7ffffff0 + random() % 32 : u32(random());
        }
    }
    const Registers want = expected(f, a, b, c);
    Registers d(want.size(), std::vector<Cell>(32, 0xdeadbeef));
    const auto pa = sources(a), pb = sources(b), pc = sources(c);
    const auto pd = targets(d);
    Fragments x;
    x.a = pa.data(), x.b = pb.data(), x.c = pc.data(), x.d = pd.data();
    mma(f, x);
    for (unsigned r = 0; r < want.size(); ++r) {
        for (unsigned lane = 0; lane < 32; ++lane) {
            INFO("register " << r << " lane " << lane);
            if (f.d == Elem::F64 && std::isnan(value(Elem::F64, want[r][lane])))
                REQUIRE(std::isnan(value(Elem::F64, d[r][lane])));
            else
                REQUIRE(d[r][lane] == want[r][lane]);
        }
    }
}

/// Every dense form of m8n8 and m16n8 that there is, by asking for each combination.
std::vector<Form> allDense()
{
    std::vector<Form> forms;
    for (unsigned e = 1; e <= unsigned(Elem::B1); ++e)
        for (unsigned e2 = 1; e2 <= unsigned(Elem::B1); ++e2)
            for (const Elem d : {Elem::F16, Elem::F32, Elem::F64, Elem::S32})
                for (const unsigned m : {8u, 16u})
                    for (const unsigned k : {4u, 8u, 16u, 32u, 64u, 128u, 256u})
                        for (const BlockKind kind : {BlockKind::None, BlockKind::F8f6f4}) {
                            Form f;
                            f.m = m, f.n = 8, f.k = k, f.a = Elem(e), f.b = Elem(e2), f.c = f.d = d,
                            f.kind = kind;
                            if (problemOf(f).empty() && !f.quadPairs()) forms.push_back(f);
                        }
    return forms;
}

}  // namespace

TEST_CASE("every dense mma gives what the reference gives, on random and special values",
          "[tensor]")
{
    const unsigned seed = 20261122;
    std::mt19937_64 random(seed);
    INFO("seed " << seed);
    const std::vector<Form> forms = allDense();
    std::cout << "dense forms: " << forms.size() << ", seed " << seed << "\n";
    REQUIRE(forms.size() > 100);
    for (Form f : forms) {
        for (unsigned round = 0; round < 12; ++round) {
            f.satfinite = isInteger(f.a) && round % 2 != 0;
            f.bitOp = round % 2 != 0 ? BitOp::And : BitOp::Xor;
            f.rounding = f.a == Elem::F64 ? Rounding(round % 4) : Rounding::Rn;
            compare(f, random);
        }
    }
}

TEST_CASE("the fast kernel and the plain one agree bit for bit", "[tensor]")
{
    std::mt19937_64 random(11);
    Form f;
    f.m = 16, f.n = 8, f.k = 16, f.a = f.b = Elem::BF16, f.c = f.d = Elem::F32;
    for (unsigned round = 0; round < 200; ++round) compare(f, random);
}
