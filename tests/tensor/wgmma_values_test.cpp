// The product of a wgmma on random and special values: every type, A from registers or shared memory, both major-nesses, sparse or not, negated
// or not, with and without scale-d, against a chain written from tensor.md. Where operands lie under swizzles is wgmma_test.cpp's.
#include <iostream>
#include <map>

#include "catch.hpp"
#include "exec/async/matrix_engine.hpp"
#include "reference.hpp"

using namespace gsu::tensor;
using namespace reference;
namespace exec = gsu::exec;
using u64 = std::uint64_t;

namespace {

constexpr unsigned kN = 16, kLines = 64, kRow = 16;  // the second warp's rows
constexpr u32 kB = 16384;                            ///< where B begins

struct Window final : exec::WgmmaOperands {
    std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(32768);
    const std::uint8_t* unit(u32 address) override { return bytes.data() + address; }
};

struct Options {
    Elem a{}, b{}, d{};
    bool registersA{}, transA{}, transB{}, sparse{}, negA{}, negB{}, scaleD{}, satfinite{};
};

using Matrix = std::vector<std::vector<u32>>;

/// Bytes from one core matrix (8 lines of 16 bytes) to the next: along K, along the lines; `k` elements of `bits`, no swizzle.
struct Steps {
    u32 leading, stride;
    Steps(bool trans, unsigned bits, unsigned lines, unsigned k)
        : leading(trans ? 128 : lines / 8 * 128), stride(trans ? k * bits / 16 / 8 * 128 : 128)
    {
    }
};

u64 put(Window& w, u32 base, const Matrix& m, bool trans, unsigned bits)
{
    const auto lines = unsigned(m.size()), depth = unsigned(m[0].size());
    const Steps s(trans, bits, lines, depth);
    for (unsigned line = 0; line < lines; ++line) {
        for (unsigned k = 0; k < depth; ++k) {
            const u32 inside =
                trans ? k % 8 * 16 + line % 8 * 2 : line % 8 * 16 + k * bits / 8 % 16;
            const u32 along = trans ? k / 8 : k * bits / 128;
            std::memcpy(&w.bytes[base + line / 8 * s.stride + along * s.leading + inside],
                        &m[line][k], bits / 8);
        }
    }
    return base >> 4 | u64{s.leading >> 4} << 16 | u64{s.stride >> 4} << 32;
}

u32 drawn(std::mt19937_64& random, Elem e)
{
    const unsigned bits = bitsOf(e);
    return u32(draw(random, e)) & (bits == 32 ? ~0u : (1u << bits) - 1);
}

Matrix drawn(std::mt19937_64& random, Elem e, unsigned lines, unsigned k)
{
    Matrix m(lines, std::vector<u32>(k));
    for (auto& line : m)
        for (u32& x : line) x = drawn(random, e);
    return m;
}

/// Columns of the 16 rows' stored elements, and the metadata that say so.
Matrix sparseColumns(std::mt19937_64& random, Elem e, unsigned stored, std::vector<Cell>& metadata)
{
    const bool pairs = e == Elem::TF32;  // one of two, else two of four
    const unsigned chunks = pairs ? stored : stored / 2;
    Matrix columns(16, std::vector<u32>(stored));
    for (unsigned row = 0; row < 16; ++row) {
        for (unsigned chunk = 0; chunk < chunks; ++chunk) {
            unsigned first = unsigned(random() % 3), second = first + 1;
            if (pairs)
                first = first / 2 * 2, second = first + 1;
            else
                second += unsigned(random() % (4 - second));
            const Giver g = giverOf(bitsOf(e), chunks, 0, row, chunk);
            metadata[g.lane] = (metadata[g.lane] & ~(Cell{15} << g.bit)) | Cell{first | second << 2}
                                                                               << g.bit;
            if (pairs) {
                columns[row][chunk] = 2 * chunk + first / 2;
            } else {
                columns[row][2 * chunk] = 4 * chunk + first;
                columns[row][2 * chunk + 1] = 4 * chunk + second;
            }
        }
    }
    return columns;
}

/// A's 16 rows as the four registers of a warp hold them.
Registers registersOf(const Matrix& a, unsigned bits)
{
    Registers r(4, std::vector<Cell>(32));
    const unsigned per = 32 / bits;
    for (unsigned row = 0; row < 16; ++row)
        for (unsigned k = 0; k < a[0].size(); ++k)
            r[row / 8 + k / per / 4 * 2][row % 8 * 4 + k / per % 4] |= Cell{a[kRow + row][k]}
                                                                       << (k % per * bits);
    return r;
}

/// Counts of the cases that were reached, to show that each was.
std::map<std::string, unsigned> seen;

u32 expected(const Options& o, const Matrix& a, const Matrix& b, const Matrix& columns,
             unsigned row, unsigned n, u32 c)
{
    const auto partner = [&](unsigned k) { return b[n][o.sparse ? columns[row][k] : k]; };
    const std::vector<u32>& mine = a[kRow + row];
    if (o.d == Elem::S32) {
        long sum = o.scaleD ? int(c) : 0;
        for (unsigned k = 0; k < mine.size(); ++k)
            sum += integer(o.a, mine[k]) * integer(o.b, partner(k));
        if (o.satfinite && (sum > 2147483647l || sum < -2147483648l)) ++seen["clamped"];
        if (o.satfinite) sum = std::min(std::max(sum, -2147483648l), 2147483647l);
        return u32(sum);
    }
    float sum = o.scaleD ? float(value(o.d, c)) : 0.0f;
    for (unsigned k = 0; k < mine.size(); ++k)
        sum = std::fmaf(float(value(o.a, mine[k])) * (o.negA ? -1.0f : 1.0f),
                        float(value(o.b, partner(k))) * (o.negB ? -1.0f : 1.0f), sum);
    if (std::isnan(sum)) ++seen["NaN"];
    if (std::isinf(sum)) ++seen[sum < 0 ? "-infinity" : "infinity"];
    if (sum == 0 && std::signbit(sum)) ++seen["-0"];
    const u32 bits = o.d == Elem::F16 ? toHalf(sum) : single(sum);
    if (o.d == Elem::F16 ? (bits & 0x7c00) == 0 && (bits & 0x3ff) != 0
                         : (bits & 0x7f800000) == 0 && (bits & 0x7fffff) != 0)
        ++seen[o.d == Elem::F16 ? "subnormal f16" : "subnormal f32"];
    return bits;
}

u32 drawnSum(std::mt19937_64& random, const Options& o)
{
    if (o.d != Elem::S32) return drawn(random, o.d);
    return random() % 3 == 0 ? 0x7ffffff0u + u32(random() % 32) : u32(random());
}

void compare(const Options& o, std::mt19937_64& random)
{
    const unsigned bits = bitsOf(o.a), stored = 256 / bits, depth = stored * (o.sparse ? 2 : 1);
    exec::WgmmaInfo info;
    info.form.m = 16, info.form.n = kN, info.form.k = depth, info.form.a = o.a, info.form.b = o.b;
    info.form.c = info.form.d = o.d, info.form.sparse = o.sparse, info.form.satfinite = o.satfinite;
    info.a = o.registersA ? 4 : 0, info.transposeA = o.transA, info.transposeB = o.transB;
    info.negateA = o.negA, info.negateB = o.negB;
    INFO(nameOf(o.d) << "." << nameOf(o.a) << "." << nameOf(o.b) << " sparse " << o.sparse
                     << " registers " << o.registersA << " transposed " << o.transA << o.transB
                     << " negated " << o.negA << o.negB << " scale-d " << o.scaleD);
    Matrix a = drawn(random, o.a, kLines, stored), b = drawn(random, o.b, kN, depth);
    const bool zeros =
        random() % 4 == 0;  // a row of +0, a column of -0; and a row of smallest values
    if (zeros) {
        for (u32& x : a[kRow + 3]) x = 0;
        for (u32& x : b[5]) x = 1u << (bits - 1);
        for (u32& x : a[kRow + 9])
            x = (u32(random() % 2) << (bits - 1)) | (o.a == Elem::TF32 ? 1u << 13 : 1);
    }
    Window window;
    const u64 atA = put(window, 0, a, o.transA, bits), atB = put(window, kB, b, o.transB, bits);
    std::vector<Cell> metadata(32);
    const Matrix columns = o.sparse ? sparseColumns(random, o.a, stored, metadata) : Matrix{};
    const Registers registers = registersOf(a, bits);
    const auto pointers = sources(registers);
    std::vector<u32> c(16 * kN), want;
    for (u32& x : c) x = drawnSum(random, o);
    if (zeros && o.d != Elem::S32) c[3 * kN + 5] = o.d == Elem::F16 ? 0x8000 : 0x80000000;
    for (unsigned i = 0; i < 16 * kN; ++i)
        want.push_back(expected(o, a, b, columns, i / kN, i % kN, c[i]));
    exec::wgmmaProduct(info, atA, exec::wgmmaFactor(info, atB, window), kRow,
                       o.registersA ? pointers.data() : nullptr,
                       o.sparse ? metadata.data() : nullptr, o.scaleD, false, window, c.data());
    for (unsigned i = 0; i < 16 * kN; ++i) {
        INFO("row " << i / kN << " column " << i % kN);
        REQUIRE(c[i] == want[i]);
    }
}

/// All options that the text allows for these types.
std::vector<Options> allOf(Elem a, Elem b, Elem d)
{
    std::vector<Options> all;
    const bool sixteen = bitsOf(a) == 16, whole = d == Elem::S32;
    for (unsigned bits = 0; bits < 256; ++bits) {
        const auto flag = [&](unsigned i) { return (bits >> i & 1) != 0; };
        const Options o{a,       b,       d,       flag(0), flag(1), flag(2),
                        flag(3), flag(4), flag(5), flag(6), flag(7)};
        if ((o.transA && (!sixteen || o.registersA)) || (o.transB && !sixteen)) continue;
        if ((whole && (o.negA || o.negB)) || (!whole && o.satfinite)) continue;
        all.push_back(o);
    }
    return all;
}

}  // namespace

TEST_CASE("wgmma on random and special values: every type, layout, negation, scale, sparse or not",
          "[tensor]")
{
    const unsigned seed = 20261123;
    std::mt19937_64 random(seed);
    std::vector<std::array<Elem, 3>> types{{Elem::F16, Elem::F16, Elem::F16},
                                           {Elem::F16, Elem::F16, Elem::F32},
                                           {Elem::BF16, Elem::BF16, Elem::F32},
                                           {Elem::TF32, Elem::TF32, Elem::F32}};
    for (const Elem a : {Elem::E4M3, Elem::E5M2})
        for (const Elem b : {Elem::E4M3, Elem::E5M2})
            for (const Elem d : {Elem::F16, Elem::F32}) types.push_back({a, b, d});
    for (const Elem a : {Elem::S8, Elem::U8})
        for (const Elem b : {Elem::S8, Elem::U8}) types.push_back({a, b, Elem::S32});
    std::map<std::string, unsigned> forms;
    for (const auto& [a, b, d] : types) {
        for (const Options& o : allOf(a, b, d)) {
            for (unsigned i = 0; i < 8; ++i) compare(o, random);
            ++forms["all"];
            forms["negated A"] += o.negA, forms["negated B"] += o.negB, forms["sparse"] += o.sparse;
            forms["without scale-d"] += !o.scaleD, forms["A in registers"] += o.registersA;
            forms["A along M"] += o.transA, forms["B along N"] += o.transB;
            forms["saturating"] += o.satfinite;
        }
    }
    std::cout << "wgmma values, seed " << seed << "; forms:";
    for (const auto& [name, count] : forms) std::cout << " " << name << " " << count << ",";
    std::cout << " results:";
    for (const auto& [name, count] : seen) std::cout << " " << name << " " << count << ",";
    std::cout << "\n";
    CHECK(forms["all"] == 3 * 96 + 9 * 32 + 4 * 16);
    for (const char* name : {"NaN", "infinity", "-infinity", "-0", "subnormal f16", "clamped"})
        CHECK(seen[name] > 20);
}
