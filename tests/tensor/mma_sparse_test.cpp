// mma.sp: metadata by the manual's figures, against a reference that goes from the metadata to the dense matrix.
#include <iostream>

#include "catch.hpp"
#include "reference.hpp"

using namespace gsu::tensor;
using namespace reference;

namespace {

struct Case {
    Elem a, b, d;
    unsigned k;
};

}  // namespace

TEST_CASE("mma.sp: every shape and type, every selector, random metadata", "[tensor]")
{
    const unsigned seed = 5;
    std::mt19937_64 random(seed);
    std::vector<Case> cases;
    for (const Elem d : {Elem::F16, Elem::F32}) {
        for (const unsigned k : {16u, 32u}) cases.push_back({Elem::F16, Elem::F16, d, k});
        for (const Elem a : {Elem::E4M3, Elem::E5M2})
            for (const Elem b : {Elem::E4M3, Elem::E5M2}) cases.push_back({a, b, d, 64});
    }
    for (const unsigned k : {16u, 32u}) cases.push_back({Elem::BF16, Elem::BF16, Elem::F32, k});
    for (const unsigned k : {8u, 16u}) cases.push_back({Elem::TF32, Elem::TF32, Elem::F32, k});
    for (const Elem a : {Elem::S8, Elem::U8})
        for (const Elem b : {Elem::S8, Elem::U8})
            for (const unsigned k : {32u, 64u}) cases.push_back({a, b, Elem::S32, k});
    for (const Elem a : {Elem::S4, Elem::U4})
        for (const Elem b : {Elem::S4, Elem::U4})
            for (const unsigned k : {64u, 128u}) cases.push_back({a, b, Elem::S32, k});
    unsigned ran = 0;
    for (const Case& one : cases) {
        Form f;
        f.m = 16, f.n = 8, f.k = one.k, f.a = one.a, f.b = one.b, f.c = f.d = one.d,
        f.sparse = f.ordered = true;
        INFO("k " << f.k << " " << nameOf(f.a) << " " << nameOf(f.b) << " " << nameOf(f.d)
                  << " seed " << seed);
        REQUIRE(problemOf(f) == "");
        const unsigned slot = f.slot(f.a),
                       perChunk = slot == 4           ? 8
                                  : f.a == Elem::TF32 ? 2
                                                      : 4,
                       chunks = f.k / perChunk;
        for (unsigned selector = 0; selector < f.selectors(); ++selector) {
            // The dense matrix, its stored elements, and the metadata, from one drawing.
            std::vector<std::vector<u32>> stored(16, std::vector<u32>(f.k / 2)), column = stored;
            std::vector<std::vector<u32>> b(f.k, std::vector<u32>(8));
            std::vector<Cell> metadata(32);
            for (Cell& cell : metadata) cell = u32(random());  // other lanes do not matter
            for (unsigned row = 0; row < 16; ++row)
                for (unsigned chunk = 0; chunk < chunks; ++chunk) {
                    unsigned first = unsigned(random() % 4), second = unsigned(random() % 4);
                    if (f.a == Elem::TF32) first = first / 2 * 2, second = first + 1;
                    while (first == second) second = unsigned(random() % 4);
                    if (first > second) std::swap(first, second);
                    const Giver g = giverOf(slot, chunks, selector, row, chunk);
                    metadata[g.lane] = (metadata[g.lane] & ~(Cell{15} << g.bit)) |
                                       Cell{first | second << 2} << g.bit;
                    const unsigned base = chunk * perChunk;
                    if (f.a == Elem::TF32) {
                        column[row][chunk] = base + first / 2;
                    } else if (slot == 4) {
                        for (unsigned i = 0; i < 4; ++i)
                            column[row][4 * chunk + i] =
                                base + 2 * (i < 2 ? first : second) + i % 2;
                    } else {
                        column[row][2 * chunk] = base + first,
                                        column[row][2 * chunk + 1] = base + second;
                    }
                }
            REQUIRE(metadataOrdered(f, metadata.data(), selector));
            for (auto& row : stored)
                for (u32& x : row)
                    x = u32(draw(random, f.a)) & (slot == 32 ? ~0u : (1u << slot) - 1);
            for (auto& row : b)
                for (u32& x : row)
                    x = u32(draw(random, f.b)) & (slot == 32 ? ~0u : (1u << slot) - 1);
            // Fragments: A as a dense matrix of k / 2, B as one of k, 4 lanes of a register after the other.
            Registers ra(f.aRegisters(), std::vector<Cell>(32)),
                rb(f.bRegisters(), std::vector<Cell>(32));
            const unsigned per = 32 / slot;
            for (unsigned lane = 0; lane < 32; ++lane) {
                for (unsigned i = 0; i < per * ra.size(); ++i) {
                    const unsigned r = i / per, row = lane / 4 + (r % 2 == 0 ? 0 : 8),
                                   j = r / 2 * 4 * per + lane % 4 * per + i % per;
                    ra[r][lane] |= Cell{stored[row][j]} << (i % per * slot);
                }
                for (unsigned i = 0; i < per * rb.size(); ++i) {
                    const unsigned r = i / per, k = r * 4 * per + lane % 4 * per + i % per;
                    rb[r][lane] |= Cell{b[k][lane / 4]} << (i % per * slot);
                }
            }
            Registers c(f.accumulatorRegisters(f.c), std::vector<Cell>(32)), d = c;
            for (auto& r : c)
                for (Cell& cell : r)
                    cell = f.c == Elem::F16
                               ? draw(random, Elem::F16) | draw(random, Elem::F16) << 16
                               : draw(random, Elem::F32);
            const auto pa = sources(ra), pb = sources(rb), pc = sources(c);
            const auto pd = targets(d);
            Fragments x;
            x.a = pa.data(), x.b = pb.data(), x.c = pc.data(), x.d = pd.data(),
            x.metadata = metadata.data(), x.selector = selector;
            mma(f, x);
            ++ran;
            for (unsigned lane = 0; lane < 32; ++lane)
                for (unsigned i = 0; i < 4; ++i) {
                    const unsigned row = lane / 4 + (i < 2 ? 0 : 8), n = lane % 4 * 2 + i % 2;
                    INFO("selector " << selector << " lane " << lane << " element " << i);
                    if (f.d == Elem::S32) {
                        long sum = int(u32(c[i][lane]));
                        for (unsigned j = 0; j < f.k / 2; ++j)
                            sum +=
                                integer(f.a, stored[row][j]) * integer(f.b, b[column[row][j]][n]);
                        REQUIRE(u32(d[i][lane]) == u32(sum));
                        continue;
                    }
                    float sum = f.c == Elem::F16
                                    ? float(value(Elem::F16, elementBits(c, 16, lane, i)))
                                    : float(value(Elem::F32, c[i][lane]));
                    for (unsigned j = 0; j < f.k / 2; ++j)
                        sum = std::fmaf(float(value(f.a, stored[row][j])),
                                        float(value(f.b, b[column[row][j]][n])), sum);
                    if (f.d == Elem::F16)
                        REQUIRE(elementBits(d, 16, lane, i) == toHalf(sum));
                    else
                        REQUIRE(u32(d[i][lane]) == single(sum));
                }
        }
    }
    std::cout << "sparse forms with selectors: " << ran << ", seed " << seed << "\n";
    REQUIRE(ran >= 50);
}

TEST_CASE("metadata out of order are noticed", "[tensor]")
{
    Form f;
    f.m = 16, f.n = 8, f.k = 16, f.a = f.b = Elem::F16, f.c = f.d = Elem::F32,
    f.sparse = f.ordered = true;
    std::vector<Cell> metadata(32, 0x4444'4444);  // 0, 1
    REQUIRE(metadataOrdered(f, metadata.data(), 0));
    metadata[4 * 3 + 1] = 0x4444'1444;  // 1, 0 in row 3
    REQUIRE(metadataOrdered(f, metadata.data(), 0));
    REQUIRE_FALSE(metadataOrdered(f, metadata.data(), 1));
}
