// sm_120's scaled blocks.
#include "catch.hpp"
#include "reference.hpp"

using namespace gsu::tensor;
using namespace reference;

namespace {

double scaleOf(Elem e, u32 byte)
{
    if (e == Elem::UE8M0) return byte == 255 ? std::nan("") : std::pow(2.0, int(byte) - 127);
    return value(Elem::E4M3, byte & 0x7f);
}

void compare(Form f, std::mt19937_64& random)
{
    INFO("k " << f.k << " " << nameOf(f.a) << " " << nameOf(f.b) << " scale " << nameOf(f.scale));
    REQUIRE(problemOf(f) == "");
    Registers a(f.aRegisters(), std::vector<Cell>(32)), b(f.bRegisters(), std::vector<Cell>(32)),
        c(4, std::vector<Cell>(32)), d = c;
    const auto drawElement = [&](Elem e) {
        return (e == Elem::E2M1 && f.slot(e) == 8 ? (random() & 15) << 2 : draw(random, e)) &
               ((1u << f.slot(e)) - 1) & (e == Elem::E3M2 || e == Elem::E2M3 ? 0x3f : 0xff);
    };
    const unsigned slot = f.slot(f.a), per = 32 / slot;
    for (auto* r : {&a, &b})
        for (auto& one : *r)
            for (Cell& cell : one)
                for (unsigned i = 0; i < per; ++i)
                    cell |= Cell{drawElement(r == &a ? f.a : f.b)} << (i * slot);
    for (auto& one : c)
        for (Cell& cell : one) cell = draw(random, Elem::F32);
    std::vector<Cell> sa(32), sb(32);
    for (Cell& cell : sa)
        for (unsigned i = 0; i < 4; ++i)
            cell |= Cell{f.scale == Elem::UE8M0 ? 120 + random() % 16 : random() & 0xff} << (8 * i);
    for (Cell& cell : sb)
        for (unsigned i = 0; i < 4; ++i)
            cell |= Cell{f.scale == Elem::UE8M0 ? 120 + random() % 16 : random() & 0xff} << (8 * i);
    sa[1] = 0xff7f'ff7f;
    Fragments x;
    const auto pa = sources(a), pb = sources(b), pc = sources(c);
    const auto pd = targets(d);
    const unsigned bytes = 4 / f.scaleVec;
    x.a = pa.data(), x.b = pb.data(), x.c = pc.data(), x.d = pd.data();
    x.scaleA = {sa.data(), unsigned(random() % bytes) * f.scaleVec, unsigned(random() % 2)};
    x.scaleB = {sb.data(), unsigned(random() % bytes) * f.scaleVec, unsigned(random() % 4)};
    mma(f, x);
    const auto element = [&](const Registers& r, Elem e, unsigned line, unsigned k, bool isA) {
        const unsigned width = 4 * per, lane = 4 * (line % 8) + k % width / per;
        const unsigned reg = isA ? 2 * (k / width) + line / 8 : k / width;
        u32 bits = u32(r[reg][lane] >> (k % per * slot)) & ((1u << slot) - 1);
        if (e == Elem::E2M1 && slot == 8) bits >>= 2;
        return value(e, bits);
    };
    for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < 4; ++i) {
            const unsigned row = lane / 4 + (i < 2 ? 0 : 8), n = lane % 4 * 2 + i % 2;
            float sum = float(value(Elem::F32, c[i][lane]));
            for (unsigned v = 0; v < f.scaleVec; ++v) {
                float block = 0;
                for (unsigned k = f.k / f.scaleVec * v; k < f.k / f.scaleVec * (v + 1); ++k)
                    block = std::fmaf(float(element(a, f.a, row, k, true)),
                                      float(element(b, f.b, n, k, false)), block);
                const double ka =
                    scaleOf(f.scale, u32(sa[row % 8 * 4 + x.scaleA.lane * 2 + row / 8] >>
                                         (8 * (x.scaleA.byte + v))) &
                                         0xff);
                const double kb = scaleOf(
                    f.scale, u32(sb[n * 4 + x.scaleB.lane] >> (8 * (x.scaleB.byte + v))) & 0xff);
                sum = float(double(sum) + double(block) * (ka * kb));
            }
            INFO("lane " << lane << " element " << i);
            REQUIRE(u32(d[i][lane]) == single(sum));
        }
}

}  // namespace

TEST_CASE("block-scaled mma of sm_120: kinds, types, scale vectors, bytes and lanes of the factors",
          "[tensor]")
{
    std::mt19937_64 random(3);
    Form f;
    f.m = 16, f.n = 8, f.c = f.d = Elem::F32;
    for (unsigned round = 0; round < 8; ++round) {
        f.kind = BlockKind::Mxf8f6f4, f.k = 32, f.scaleVec = 1, f.scale = Elem::UE8M0;
        for (const Elem a : {Elem::E4M3, Elem::E5M2, Elem::E3M2, Elem::E2M3, Elem::E2M1})
            for (const Elem b : {Elem::E4M3, Elem::E5M2, Elem::E3M2, Elem::E2M3, Elem::E2M1}) {
                f.a = a, f.b = b;
                compare(f, random);
            }
        f.a = f.b = Elem::E2M1, f.k = 64, f.kind = BlockKind::Mxf4, f.scaleVec = 2;
        compare(f, random);
        f.kind = BlockKind::Mxf4nvf4;
        compare(f, random);
        f.scaleVec = 4, f.scale = Elem::UE4M3;
        compare(f, random);
    }
    f.scale = Elem::UE8M0;
    REQUIRE(problemOf(f) == "scale_vec");
}
