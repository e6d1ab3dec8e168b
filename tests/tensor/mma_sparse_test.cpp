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

using Matrix = std::vector<std::vector<u32>>;

/// Elements of metadata in a chunk, and chunks in a row.
unsigned perChunk(const Form& f)
{
    if (f.slot(f.a) == 4) return 8;
    return f.a == Elem::TF32 ? 2 : 4;
}
unsigned chunks(const Form& f) { return f.k / perChunk(f); }

/// Operands of one instruction: the stored elements of A, and the column of the dense matrix of each.
struct Operands {
    Matrix stored, column, b;
    std::vector<Cell> metadata;
};

/// Which two of the four (of eight: pairs; TF32: halves) of a chunk are stored: columns and metadata from one drawing.
void drawChunk(Operands& o, const Form& f, unsigned selector, unsigned row, unsigned chunk,
               std::mt19937_64& random)
{
    const unsigned slot = f.slot(f.a);
    unsigned first = unsigned(random() % 4), second = unsigned(random() % 4);
    if (f.a == Elem::TF32) first = first / 2 * 2, second = first + 1;
    while (first == second) second = unsigned(random() % 4);
    if (first > second) std::swap(first, second);
    const Giver g = giverOf(slot, chunks(f), selector, row, chunk);
    o.metadata[g.lane] = (o.metadata[g.lane] & ~(Cell{15} << g.bit)) | Cell{first | second << 2}
                                                                           << g.bit;
    const unsigned base = chunk * perChunk(f);
    std::vector<u32>& column = o.column[row];
    if (f.a == Elem::TF32) {
        column[chunk] = base + first / 2;
    } else if (slot == 4) {
        for (unsigned i = 0; i < 4; ++i)
            column[4 * chunk + i] = base + 2 * (i < 2 ? first : second) + i % 2;
    } else {
        column[2 * chunk] = base + first;
        column[2 * chunk + 1] = base + second;
    }
}

Operands draw(const Form& f, unsigned selector, std::mt19937_64& random)
{
    const unsigned slot = f.slot(f.a);
    const auto fill = [&](Matrix& matrix, Elem element) {
        for (auto& row : matrix)
            for (u32& x : row)
                x = u32(reference::draw(random, element)) & (slot == 32 ? ~0u : (1u << slot) - 1);
    };
    Operands o;
    o.stored = o.column = Matrix(16, std::vector<u32>(f.k / 2));
    o.b = Matrix(f.k, std::vector<u32>(8));
    o.metadata.resize(32);
    for (Cell& cell : o.metadata) cell = u32(random());  // other lanes do not matter
    for (unsigned row = 0; row < 16; ++row)
        for (unsigned chunk = 0; chunk < chunks(f); ++chunk)
            drawChunk(o, f, selector, row, chunk, random);
    fill(o.stored, f.a);
    fill(o.b, f.b);
    return o;
}

/// Fragments: A as a dense matrix of k / 2, B as one of k, 4 lanes of a register after the other.
std::pair<Registers, Registers> fragmentsOf(const Operands& o, const Form& f)
{
    Registers a(f.aRegisters(), std::vector<Cell>(32)), b(f.bRegisters(), std::vector<Cell>(32));
    const unsigned slot = f.slot(f.a), per = 32 / slot;
    for (unsigned lane = 0; lane < 32; ++lane) {
        for (unsigned i = 0; i < per * a.size(); ++i) {
            const unsigned r = i / per, row = lane / 4 + (r % 2 == 0 ? 0 : 8),
                           j = r / 2 * 4 * per + lane % 4 * per + i % per;
            a[r][lane] |= Cell{o.stored[row][j]} << (i % per * slot);
        }
        for (unsigned i = 0; i < per * b.size(); ++i) {
            const unsigned r = i / per, k = r * 4 * per + lane % 4 * per + i % per;
            b[r][lane] |= Cell{o.b[k][lane / 4]} << (i % per * slot);
        }
    }
    return {a, b};
}

/// Element i of a lane's result.
void checkElement(const Operands& o, const Form& f, const Registers& c, const Registers& d,
                  unsigned lane, unsigned i)
{
    const unsigned row = lane / 4 + (i < 2 ? 0 : 8), n = lane % 4 * 2 + i % 2;
    if (f.d == Elem::S32) {
        long sum = int(u32(c[i][lane]));
        for (unsigned j = 0; j < f.k / 2; ++j)
            sum += integer(f.a, o.stored[row][j]) * integer(f.b, o.b[o.column[row][j]][n]);
        REQUIRE(u32(d[i][lane]) == u32(sum));
        return;
    }
    float sum = f.c == Elem::F16 ? float(value(Elem::F16, elementBits(c, 16, lane, i)))
                                 : float(value(Elem::F32, c[i][lane]));
    for (unsigned j = 0; j < f.k / 2; ++j)
        sum = std::fmaf(float(value(f.a, o.stored[row][j])),
                        float(value(f.b, o.b[o.column[row][j]][n])), sum);
    if (f.d == Elem::F16)
        REQUIRE(elementBits(d, 16, lane, i) == toHalf(sum));
    else
        REQUIRE(u32(d[i][lane]) == single(sum));
}

void check(const Form& f, unsigned selector, std::mt19937_64& random)
{
    const Operands o = draw(f, selector, random);
    REQUIRE(metadataOrdered(f, o.metadata.data(), selector));
    const auto [ra, rb] = fragmentsOf(o, f);
    Registers c(f.accumulatorRegisters(f.c), std::vector<Cell>(32)), d = c;
    for (auto& r : c)
        for (Cell& cell : r)
            cell = f.c == Elem::F16 ? reference::draw(random, Elem::F16) |
                                          reference::draw(random, Elem::F16) << 16
                                    : reference::draw(random, Elem::F32);
    const auto pa = sources(ra), pb = sources(rb), pc = sources(c);
    const auto pd = targets(d);
    Fragments x;
    x.a = pa.data(), x.b = pb.data(), x.c = pc.data(), x.d = pd.data();
    x.metadata = o.metadata.data(), x.selector = selector;
    mma(f, x);
    for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < 4; ++i) {
            INFO("selector " << selector << " lane " << lane << " element " << i);
            checkElement(o, f, c, d, lane, i);
        }
}

std::vector<Case> allCases()
{
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
    return cases;
}

}  // namespace

TEST_CASE("mma.sp: every shape and type, every selector, random metadata", "[tensor]")
{
    const unsigned seed = 5;
    std::mt19937_64 random(seed);
    unsigned ran = 0;
    for (const Case& one : allCases()) {
        Form f;
        f.m = 16, f.n = 8, f.k = one.k, f.a = one.a, f.b = one.b, f.c = f.d = one.d,
        f.sparse = f.ordered = true;
        INFO("k " << f.k << " " << nameOf(f.a) << " " << nameOf(f.b) << " " << nameOf(f.d)
                  << " seed " << seed);
        REQUIRE(problemOf(f) == "");
        for (unsigned selector = 0; selector < f.selectors(); ++selector, ++ran)
            check(f, selector, random);
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
