// The old forms of mma: m8n8k4 of f16 by quad pairs, wmma.mma of halves with .satfinite.
#include "catch.hpp"
#include "reference.hpp"

using namespace gsu::tensor;
using namespace reference;

TEST_CASE("m8n8k4 of f16: four products of eight lanes, all layouts and accumulators", "[tensor]")
{
    std::mt19937_64 random(7);
    for (const auto& [dt, ct] :
         {std::pair{Elem::F16, Elem::F16}, {Elem::F32, Elem::F16}, {Elem::F32, Elem::F32}})
        for (unsigned layout = 0; layout < 4; ++layout)
            for (unsigned round = 0; round < 10; ++round) {
                Form f;
                f.m = f.n = 8, f.k = 4, f.a = f.b = Elem::F16, f.c = ct, f.d = dt;
                f.aColumn = (layout & 1) != 0, f.bRow = (layout & 2) != 0;
                REQUIRE(problemOf(f) == "");
                const Registers a = fill(random, f.a, 16, 2), b = fill(random, f.b, 16, 2);
                const Registers c =
                    fill(random, ct, ct == Elem::F16 ? 16 : 32, ct == Elem::F16 ? 4 : 8);
                Registers d(dt == Elem::F16 ? 4 : 8, std::vector<Cell>(32, 0xdeadbeef));
                const auto pa = sources(a), pb = sources(b), pc = sources(c);
                const auto pd = targets(d);
                Fragments x;
                x.a = pa.data(), x.b = pb.data(), x.c = pc.data(), x.d = pd.data();
                mma(f, x);
                // The manual's formulas, lane by lane; threads of one quad pair share lane % 16 / 4.
                const auto rowC = [](Elem e, unsigned lane, unsigned i) {
                    const unsigned low = e == Elem::F16 ? lane % 4 : (lane & 1) + (i & 2);
                    return lane < 16 ? low : low + 4;
                };
                const auto columnC = [](Elem e, unsigned lane, unsigned i) {
                    return e == Elem::F16 ? i : (i & 4) + (lane & 2) + (i & 1);
                };
                for (unsigned lane = 0; lane < 32; ++lane)
                    for (unsigned i = 0; i < 8; ++i) {
                        const unsigned row = rowC(dt, lane, i), column = columnC(dt, lane, i);
                        float sum = 0, terms[4]{};
                        for (unsigned other = 0; other < 32; ++other) {
                            if (other % 16 / 4 != lane % 16 / 4) continue;
                            for (unsigned j = 0; j < 8; ++j)
                                if (rowC(ct, other, j) == row && columnC(ct, other, j) == column)
                                    sum =
                                        ct == Elem::F16
                                            ? float(value(Elem::F16, elementBits(c, 16, other, j)))
                                            : float(value(Elem::F32, c[j][other]));
                        }
                        for (unsigned k = 0; k < 4; ++k) {
                            float av = 0, bv = 0;
                            for (unsigned other = 0; other < 32; ++other) {
                                if (other % 16 / 4 != lane % 16 / 4) continue;
                                for (unsigned j = 0; j < 4; ++j) {
                                    const unsigned high = other < 16 ? 0 : 4;
                                    const unsigned ra = f.aColumn ? j + high : other % 4 + high,
                                                   ca = f.aColumn ? other % 4 : j;
                                    const unsigned rb = f.bRow ? other % 4 : j,
                                                   cb = f.bRow ? j + high : other % 4 + high;
                                    if (ra == row && ca == k)
                                        av = float(value(Elem::F16, elementBits(a, 16, other, j)));
                                    if (rb == k && cb == column)
                                        bv = float(value(Elem::F16, elementBits(b, 16, other, j)));
                                }
                            }
                            terms[k] = av * bv;
                        }
                        for (const float t : terms) sum += t;
                        const u32 have =
                            dt == Elem::F16 ? elementBits(d, 16, lane, i) : u32(d[i][lane]);
                        INFO("layout " << layout << " lane " << lane << " element " << i);
                        REQUIRE(have == (dt == Elem::F16 ? toHalf(sum) : single(sum)));
                    }
            }
}

TEST_CASE("the old wmma.mma of halves with .satfinite: no NaN, no infinity", "[tensor]")
{
    Form f;
    f.wmma = f.satfinite = true;
    f.m = f.n = f.k = 16, f.a = f.b = Elem::F16, f.c = Elem::F32;
    for (const Elem d : {Elem::F16, Elem::F32}) {
        f.d = d;
        Registers a(8, std::vector<Cell>(32)), c(8, std::vector<Cell>(32)),
            r(8, std::vector<Cell>(32));
        for (Cell& cell : c[0]) cell = 0x7f800000;  // columns 0, 2, 4, 6 of the upper rows
        for (Cell& cell : c[1]) cell = 0xff800000;
        for (Cell& cell : c[2]) cell = 0x7fc00000;
        const auto pa = sources(a), pc = sources(c);
        const auto pd = targets(r);
        Fragments x;
        x.a = x.b = pa.data(), x.c = pc.data(), x.d = pd.data();
        mma(f, x);
        if (d == Elem::F16) {
            CHECK(r[0][5] == 0xfbff7bff);
            CHECK(r[1][5] == 0);
        } else {
            CHECK(r[0][5] == 0x7f7fffff);
            CHECK(r[1][5] == 0xff7fffff);
            CHECK(r[2][5] == 0);
        }
    }
}
