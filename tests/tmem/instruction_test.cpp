// Instruction descriptors: public values, every shape of the table, every type, reserved bits.
#include <set>

#include "problem.hpp"

using namespace tmemtest;

namespace {

constexpr std::array<Kind, 7> kKinds{Kind::F16,      Kind::Tf32, Kind::F8f6f4,  Kind::I8,
                                     Kind::Mxf8f6f4, Kind::Mxf4, Kind::Mxf4nvf4};

Modifiers modifiersOf(Kind kind, unsigned group = 1, bool ws = false, bool sparse = false)
{
    Modifiers x;
    x.kind = kind;
    x.group = group;
    x.weightStationary = ws;
    x.sparse = sparse;
    x.scaleVector = kind == Kind::Mxf8f6f4 ? 1 : isScaled(kind) ? 2 : 0;
    return x;
}

/// A descriptor that is legal except for the shape.
Fields fieldsOf(Kind kind, unsigned m = 128, unsigned n = 64)
{
    Fields f{.m = m, .n = n};
    if (kind == Kind::I8) f.d = 2;
    if (kind == Kind::Tf32) f.a = f.b = 2;
    if (isPackedFp4(kind)) f.a = f.b = 1;
    return f;
}

bool accepted(const Modifiers& x, const Fields& f) { return bool(instructionOf(f.bits(x), x)); }
Rule refused(const Modifiers& x, std::uint32_t bits)
{
    const auto judged = instructionOf(bits, x);
    REQUIRE_FALSE(judged);
    return judged.refusal().rule;
}

/// Table 39 of the manual, row by row.
std::set<unsigned> columns(Kind kind, unsigned group, bool ws, bool sparse)
{
    if (ws) return sparse ? std::set<unsigned>{64, 128} : std::set<unsigned>{64, 128, 256};
    std::set<unsigned> n;
    if (kind == Kind::I8 && group == 1) n = {8, 16, 24, 32};
    const unsigned step = kind == Kind::I8 ? 16 * group : 8 * group;
    for (unsigned x = kind == Kind::I8 && group == 1 ? 48 : step; x <= 256; x += step) n.insert(x);
    return n;
}
std::set<unsigned> rows(Kind kind, unsigned group, bool ws, bool sparse)
{
    if (ws) return {32, 64, 128};
    if (isScaled(kind)) return group == 1 ? std::set<unsigned>{128} : std::set<unsigned>{256};
    if (group == 1) return {64, 128};
    return sparse ? std::set<unsigned>{256} : std::set<unsigned>{128, 256};  // 128: layout C
}

}  // namespace

TEST_CASE("descriptors of public kernels", "[tmem]")
{
    const auto triton = instructionOf(0x08410010, modifiersOf(Kind::F16));
    REQUIRE(triton);
    CHECK((triton->m == 128 && triton->n == 256 && triton->k == 16 && triton->d == Elem::F32 &&
           triton->a == Elem::F16 && triton->b == Elem::F16));
    CHECK((triton->transposeB && !triton->transposeA && triton->layout == Layout::D));
    const auto probe = instructionOf(0x04020490, modifiersOf(Kind::F16));
    REQUIRE(probe);
    CHECK((probe->m == 64 && probe->n == 8 && probe->a == Elem::BF16 && probe->b == Elem::BF16 &&
           probe->d == Elem::F32 && probe->layout == Layout::F));
}

TEST_CASE("every shape of the table and no other", "[tmem]")
{
    unsigned legal = 0;
    for (const Kind kind : kKinds) {
        for (const unsigned group : {1u, 2u}) {
            for (const bool ws : {false, true}) {
                if (ws && (group == 2 || isScaled(kind))) continue;
                for (const bool sparse : {false, true}) {
                    const auto ms = rows(kind, group, ws, sparse),
                               ns = columns(kind, group, ws, sparse);
                    for (unsigned m = 0; m < 512; m += isScaled(kind) ? 128 : 16) {
                        for (unsigned n = 0; n < 512; n += 8) {
                            const Modifiers x = modifiersOf(kind, group, ws, sparse);
                            CAPTURE(nameOf(kind), group, ws, sparse, m, n);
                            const bool expected = ms.count(m) != 0 && ns.count(n) != 0;
                            REQUIRE(accepted(x, fieldsOf(kind, m, n)) == expected);
                            legal += expected;
                        }
                    }
                }
            }
        }
    }
    CHECK(legal == 972);
}

TEST_CASE("K follows from kind and sparsity", "[tmem]")
{
    constexpr std::array<unsigned, 7> kDense{16, 8, 32, 32, 32, 64, 64};
    for (std::size_t at = 0; at < kKinds.size(); ++at) {
        for (const bool sparse : {false, true}) {
            const Modifiers x = modifiersOf(kKinds[at], 1, false, sparse);
            const auto i = instructionOf(fieldsOf(kKinds[at]).bits(x), x);
            REQUIRE(i);
            CHECK(i->k == kDense[at] * (sparse ? 2 : 1));
            CHECK(i->storedK() == kDense[at]);
            CHECK(i->bytes(i->storedK()) == 32);  // a step is 32 bytes of a row, whatever the type
        }
    }
}

TEST_CASE("types by kind", "[tmem]")
{
    const auto legal = [](Kind kind, unsigned a, unsigned b, unsigned d) {
        Fields f = fieldsOf(kind);
        f.a = a, f.b = b, f.d = d;
        return accepted(modifiersOf(kind), f);
    };
    for (unsigned a = 0; a < 8; ++a) {
        for (unsigned b = 0; b < 8; ++b) {
            for (unsigned d = 0; d < 4; ++d) {
                CAPTURE(a, b, d);
                const auto narrow = [](unsigned t) {
                    return t == 0 || t == 1 || t == 3 || t == 4 || t == 5;
                };
                CHECK(legal(Kind::F16, a, b, d) ==
                      (a == b && a < 2 && (d == 1 || (d == 0 && a == 0))));
                CHECK(legal(Kind::Tf32, a, b, d) == (a == 2 && b == 2 && d == 1));
                CHECK(legal(Kind::F8f6f4, a, b, d) == (narrow(a) && narrow(b) && d < 2));
                CHECK(legal(Kind::I8, a, b, d) == (a < 2 && b < 2 && d == 2));
            }
            Fields f = fieldsOf(Kind::Mxf8f6f4);
            f.a = a, f.b = b;
            CHECK(accepted(modifiersOf(Kind::Mxf8f6f4), f) == (a != 2 && a < 6 && b != 2 && b < 6));
            f = fieldsOf(Kind::Mxf4);
            f.a = a, f.b = b;
            CHECK(accepted(modifiersOf(Kind::Mxf4), f) == (a == 1 && b == 1));
        }
    }
}

TEST_CASE("reserved bits", "[tmem]")
{
    for (const Kind kind : kKinds) {
        const Modifiers x = modifiersOf(kind);
        const std::uint32_t bits = fieldsOf(kind).bits(x);
        std::set<unsigned> reserved{6};
        if (!isScaled(kind))
            reserved.merge(std::set<unsigned>{23, 29});
        else
            reserved.merge(std::set<unsigned>{0, 1, 3, 24, 25, 26});
        if (isPackedFp4(kind)) reserved.merge(std::set<unsigned>{12, 15, 16});
        if (kind == Kind::Mxf8f6f4) reserved.insert(31);
        for (unsigned bit = 0; bit < 32; ++bit) {
            const auto judged = instructionOf(bits ^ 1u << bit, x);
            CAPTURE(nameOf(kind), bit);
            CHECK((!judged && judged.refusal().rule == Rule::InstructionReserved) ==
                  (reserved.count(bit) != 0));
        }
        CHECK(refused(x, bits ^ 4) == Rule::SparseBit);
    }
}

TEST_CASE("8-bit B transposed: N of 16, of a pair 32", "[tmem]")
{
    for (const unsigned group : {1u, 2u}) {
        for (unsigned n = 8 * group; n <= 256; n += 8 * group) {
            Fields f = fieldsOf(Kind::F8f6f4, 128 * group, n);
            f.transposeB = true;
            CHECK(accepted(modifiersOf(Kind::F8f6f4, group), f) == (n % (16 * group) == 0));
            Fields halves = fieldsOf(Kind::F16, 128 * group, n);
            halves.transposeB = true;
            CHECK(accepted(modifiersOf(Kind::F16, group), halves));
        }
    }
}

TEST_CASE("scale factor ids by the number of factors", "[tmem]")
{
    for (unsigned a = 0; a < 4; ++a) {
        for (unsigned b = 0; b < 4; ++b) {
            Fields f = fieldsOf(Kind::Mxf4nvf4);
            f.scaleA = a, f.scaleB = b;
            Modifiers x = modifiersOf(Kind::Mxf4nvf4);
            CHECK(accepted(x, f) == (a % 2 == 0 && b % 2 == 0));
            x.scaleVector = 4;
            CHECK(accepted(x, f) == (a == 0 && b == 0));
            Fields bytes = fieldsOf(Kind::Mxf8f6f4);
            bytes.scaleA = a, bytes.scaleB = b;
            CHECK(accepted(modifiersOf(Kind::Mxf8f6f4), bytes));
        }
    }
}
