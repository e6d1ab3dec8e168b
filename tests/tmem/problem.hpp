/// A matrix product for the tests: operands as element bits, brought to memory by the maps that the other tests have checked, and the expected D in
/// whole numbers.
#pragma once
#include <random>

#include "catch.hpp"
#include "exact.hpp"
#include "exec/tmem/product.hpp"

namespace tmemtest {

using namespace gsu::tmem;
using gsu::tensor::Elem;

/// Fields of an instruction descriptor.
struct Fields {
    unsigned m{}, n{}, d{1}, a{}, b{};
    bool transposeA{}, transposeB{}, negateA{}, negateB{}, saturate{};
    unsigned selector{}, scaleA{}, scaleB{}, maxShift{};
    bool ue4m3{};

    [[nodiscard]] std::uint32_t bits(const Modifiers& x) const
    {
        const std::uint32_t common = unsigned{x.sparse} << 2 | a << 7 | b << 10 |
                                     unsigned{negateA} << 13 | unsigned{negateB} << 14 |
                                     unsigned{transposeA} << 15 | unsigned{transposeB} << 16 |
                                     n / 8 << 17;
        if (isScaled(x.kind))
            return common | scaleB << 4 | unsigned{!ue4m3} << 23 | m / 128 << 27 | scaleA << 29;
        return common | selector | unsigned{saturate} << 3 | d << 4 | m / 16 << 24 | maxShift << 30;
    }
};

inline std::uint64_t descriptorOf(std::uint64_t start, std::uint64_t leading, std::uint64_t stride,
                                  unsigned swizzle)
{
    return start >> 4 | (leading >> 4) << 16 | (stride >> 4) << 32 | 1ull << 46 |
           std::uint64_t{swizzle} << 61;
}

/// Where operands lie: A from 0, B from 64 Ki on, each with room for any tile.
inline constexpr unsigned kStartB = 1u << 16, kShared = 3u << 16;
inline constexpr unsigned kColumnD = 0, kColumnA = 300, kColumnMeta = 310, kColumnScaleA = 320,
                          kColumnScaleB = 330;

struct Problem {
    Instruction i;
    Operands o;
    unsigned swizzle{};                                    ///< of both operands
    std::vector<std::uint32_t> a, b, c, scalesA, scalesB;  ///< a: m x stored k; b: k x n
    std::vector<unsigned> codes;                           ///< m x chunks
    std::array<std::vector<std::uint8_t>, 2> shared;
    std::array<TensorMemory, 2> memory;
    Scratch scratch;

    Problem(const Modifiers& x, const Fields& f, unsigned swizzled = 0)
        : i(decoded(x, f)), swizzle(swizzled)
    {
        for (auto& bytes : shared) bytes.resize(kShared);
        o.d = kColumnD;
        o.aInside = kColumnA;
        o.metadata = kColumnMeta;
        o.scaleA = kColumnScaleA;
        o.scaleB = kColumnScaleB;
        o.accumulate = true;
        o.a = descriptor(0, i.a, i.transposeA);
        o.b = descriptor(kStartB, i.b, i.transposeB);
    }

    static Instruction decoded(const Modifiers& x, const Fields& f)
    {
        const auto judged = instructionOf(f.bits(x), x);
        if (!judged) FAIL(judged.refusal().line());
        return *judged;
    }

    [[nodiscard]] std::uint64_t descriptor(std::uint64_t start, Elem e, bool transposed) const
    {
        const unsigned width = swizzle == 0 ? 0 : swizzle == 6 ? 32 : swizzle == 4 ? 64 : 128;
        if (transposed && gsu::tensor::bitsOf(e) == 32) return descriptorOf(start, 4096, 512, 1);
        if (transposed)
            return width == 0 ? descriptorOf(start, 8192, 128, 0)
                              : descriptorOf(start, std::uint64_t{width} * 64,
                                             std::uint64_t{width} * 8, swizzle);
        return width == 0 ? descriptorOf(start, 8192, 128, 0)
                          : descriptorOf(start, 0, std::uint64_t{width} * 8, swizzle);
    }

    /// Bits of an element of shared memory: bit address of element (line, k) of an operand.
    void put(std::vector<std::uint8_t>& to, const SharedDescriptor& d, Elem e, bool transposed,
             unsigned line, unsigned k, std::uint32_t bits) const
    {
        const unsigned size = gsu::tensor::bitsOf(e);
        const bool padded = size < 8 && !isPackedFp4(i.modifiers.kind);
        const unsigned bit = transposed ? line * size
                             : padded   ? k / 16 * 128 + k % 16 * size
                                        : k * size;
        for (unsigned n = 0; n < size; ++n) {
            const unsigned at = bit + n;
            std::uint8_t& byte = to[transposed ? d.mnMajor(k, at / 8) : d.kMajor(line, at / 8)];
            byte = static_cast<std::uint8_t>((byte & ~(1u << at % 8)) | (bits >> n & 1) << at % 8);
        }
    }

    [[nodiscard]] unsigned chunks() const { return i.k / i.chunk(); }
    /// Columns of A that are stored, by the codes.
    [[nodiscard]] unsigned columnOf(unsigned row, unsigned stored) const
    {
        if (!i.modifiers.sparse) return stored;
        const unsigned each = i.storedK() / chunks(), chunk = stored / each,
                       code = codes[row * chunks() + chunk], at = stored % each;
        if (each == 1) return 2 * chunk + (code == 0xe ? 1 : 0);
        if (each == 2) return 4 * chunk + (code >> (2 * at) & 3);
        return 8 * chunk + 2 * (code >> (2 * (at / 2)) & 3) + at % 2;
    }

    template <class Draw> void fill(std::mt19937_64& random, Draw&& draw)
    {
        for (unsigned x = 0; x < i.m * i.storedK(); ++x) a.push_back(draw(i.a));
        for (unsigned x = 0; x < i.k * i.n; ++x) b.push_back(draw(i.b));
        for (unsigned x = 0; x < i.m * i.n; ++x) c.push_back(draw(i.d));
        for (unsigned x = 0; i.modifiers.sparse && x < i.m * chunks(); ++x) {
            constexpr std::array<unsigned, 7> kCodes{0x4, 0xe, 0x8, 0xc, 0x9, 0xd, 0x6};
            codes.push_back(kCodes[random() % (i.modifiers.kind == Kind::Tf32 ? 2 : 7)]);
        }
        const unsigned v = i.modifiers.scaleVector;
        const auto scale = [&] {
            return static_cast<std::uint32_t>(i.scale == Elem::UE8M0 ? 120 + random() % 16
                                                                     : random() % 127);
        };
        for (unsigned x = 0; x < i.m * v; ++x) scalesA.push_back(scale());
        for (unsigned x = 0; x < i.n * v; ++x) scalesB.push_back(scale());
        place();
    }

    void place()
    {
        placeA();
        placeB();
        for (unsigned row = 0; row < i.m; ++row) {
            for (unsigned column = 0; column < i.n; ++column)
                cell(row, column) = c[row * i.n + column] | (i.d == Elem::F16 ? 0xabcd'0000u : 0);
        }
        const unsigned v = i.modifiers.scaleVector, rows = i.path().rows;
        for (unsigned x = 0; x < i.m * v; ++x)
            placeScale(memory[x / v / rows], kColumnScaleA,
                       placeOfScale(x / v % rows, x % v, i.scaleA), scalesA[x]);
        for (unsigned x = 0; x < i.n * v; ++x) {
            for (auto& m : memory)
                placeScale(m, kColumnScaleB, placeOfScale(x / v, x % v, i.scaleB), scalesB[x]);
        }
    }

    static void placeScale(TensorMemory& m, unsigned column, const BytePlace& p, std::uint32_t byte)
    {
        for (unsigned quarter = 0; quarter < 4; ++quarter) {
            std::uint32_t& to = m.at(p.lane + 32 * quarter, column + p.column);
            to = (to & ~(0xffu << 8 * p.byte)) | byte << 8 * p.byte;
        }
    }

    void placeA()
    {
        const auto d = SharedDescriptor::of(o.a);
        REQUIRE(d);
        for (unsigned row = 0; row < i.m; ++row) {
            const unsigned cta = row / i.path().rows;
            for (unsigned k = 0; k < i.storedK(); ++k) {
                const std::uint32_t bits = a[row * i.storedK() + k];
                if (!i.modifiers.aInside)
                    put(shared[cta], *d, i.a, i.transposeA, row % i.path().rows, k, bits);
                else
                    placeInside(row, k, bits);
            }
            for (unsigned chunk = 0; i.modifiers.sparse && chunk < chunks(); ++chunk)
                placeCode(row, chunk, codes[row * chunks() + chunk]);
        }
    }

    /// A in tensor memory: cells of 32 bits, elements of 4 bits of the f8f6f4 kinds in bits 5:2 of a byte.
    void placeInside(unsigned row, unsigned k, std::uint32_t bits)
    {
        const bool contained = i.a == Elem::E2M1 && !isPackedFp4(i.modifiers.kind);
        const unsigned size = contained ? 8 : gsu::tensor::bitsOf(i.a), per = 32 / size;
        const std::uint32_t mask = size == 32 ? ~0u : (1u << size) - 1;
        for (unsigned bank = 0; bank < i.path().banks; ++bank) {
            const Place p = placeOfA(i.layout, row, bank);
            std::uint32_t& to = memory[p.cta].at(p.lane + Address::of(o.aInside).lane,
                                                 Address::of(o.aInside).column + k / per);
            to = (to & ~(mask << k % per * size)) | ((contained ? bits << 2 : bits) & mask)
                                                        << k % per * size;
        }
    }

    void placeCode(unsigned row, unsigned chunk, unsigned code)
    {
        const Address at = Address::of(o.metadata);
        for (unsigned bank = 0; bank < i.path().banks; ++bank) {
            const Place r = placeOfA(i.layout, row, bank);
            const BitPlace p = placeOfMetadata(i.metadataFormat(), r.lane, chunk, i.selector);
            std::uint32_t& to = memory[r.cta].at(at.lane + p.lane, at.column + p.column);
            to = (to & ~(0xfu << p.bit)) | code << p.bit;
        }
    }

    void placeB()
    {
        const auto d = SharedDescriptor::of(o.b);
        REQUIRE(d);
        const unsigned own = i.n / i.modifiers.group;
        for (unsigned k = 0; k < i.k; ++k) {
            for (unsigned column = 0; column < i.n; ++column)
                put(shared[column / own], *d, i.b, i.transposeB, column % own, k,
                    b[k * i.n + column]);
        }
    }

    std::uint32_t& cell(unsigned row, unsigned column)
    {
        const Place p = placeOfD(i.layout, i.n, row, column);
        return memory[p.cta].at(p.lane + Address::of(o.d).lane, Address::of(o.d).column + p.column);
    }

    Verdict run(bool strict = false)
    {
        const std::array<Side, 2> sides{Side{&memory[0], shared[0]}, Side{&memory[1], shared[1]}};
        return multiply(i, o, std::span(sides).first(i.modifiers.group), scratch, strict);
    }

    [[nodiscard]] exact::Number term(unsigned row, unsigned column, unsigned stored,
                                     bool zeroB = false) const
    {
        exact::Number x = exact::numberOf(i.a, a[row * i.storedK() + stored]);
        exact::Number y =
            zeroB ? exact::Number{} : exact::numberOf(i.b, b[columnOf(row, stored) * i.n + column]);
        if (i.negateA) x.sig = -x.sig;
        if (i.negateB) y.sig = -y.sig;
        return exact::product(x, y);
    }

    [[nodiscard]] exact::Number accumulator(unsigned row, unsigned column) const
    {
        exact::Number n = exact::numberOf(i.d, c[row * i.n + column]);
        if (!o.accumulate) return {};
        n.lsb -= static_cast<int>(i.modifiers.scaleInputD.value_or(0));
        n.exponent -= static_cast<int>(i.modifiers.scaleInputD.value_or(0));
        return n;
    }

    /// D of the kinds of floats.
    [[nodiscard]] std::uint32_t expected(unsigned row, unsigned column, bool zeroB = false) const
    {
        std::vector<exact::Number> terms{accumulator(row, column)};
        for (unsigned j = 0; j < i.storedK(); ++j) terms.push_back(term(row, column, j, zeroB));
        if (i.modifiers.kind == Kind::Mxf8f6f4) {
            for (unsigned j = 1; j < terms.size(); ++j)
                terms[j] = exact::product(
                    terms[j], exact::product(factor('A', row, 0), factor('B', column, 0)));
        }
        if (isPackedFp4(i.modifiers.kind))
            return exact::single(exact::sumOf(grouped(terms, row, column), 35, true));
        const exact::Number sum = exact::sumOf(terms, 25);
        return i.d == Elem::F16 ? exact::half(sum) : exact::single(sum);
    }

    [[nodiscard]] exact::Number factor(char of, unsigned line, unsigned index) const
    {
        const unsigned v = i.modifiers.scaleVector;
        exact::Number n =
            exact::numberOf(i.scale, (of == 'A' ? scalesA : scalesB)[line * v + index]);
        if (n.sig == 0) n.exponent = -126;
        return n;
    }

    /// Sixteen products make one number; its exponent is that of the factors, also when they cancel.
    [[nodiscard]] std::vector<exact::Number> grouped(const std::vector<exact::Number>& terms,
                                                     unsigned row, unsigned column) const
    {
        std::vector<exact::Number> groups{terms[0]};
        const unsigned count = i.storedK() / 16;
        for (unsigned g = 0; g < count; ++g) {
            const unsigned index = g * i.modifiers.scaleVector / count;
            exact::Number n = exact::product(factor('A', row, index), factor('B', column, index));
            exact::Wide sum = 0;
            for (unsigned j = 0; j < 16; ++j)
                sum += exact::moved(terms[1 + 16 * g + j].sig, terms[1 + 16 * g + j].lsb + 2);
            n.sig *= sum;
            n.lsb -= 2;
            groups.push_back(n);
        }
        return groups;
    }
};

/// Usual numbers of a type.
inline std::uint32_t usual(Elem e, std::mt19937_64& random)
{
    const auto raw = static_cast<std::uint32_t>(random());
    switch (e) {
        case Elem::F32: return (raw & 0x807f'ffffu) | (115u + raw % 20) << 23;
        case Elem::TF32: return (raw & 0x807f'ffffu) | (118u + raw % 15) << 23;
        case Elem::BF16: return (raw & 0x807fu) | (118u + (raw >> 16) % 15) << 7;
        case Elem::F16: return (raw & 0x83ffu) | (8u + (raw >> 16) % 12) << 10;
        case Elem::E5M2: return (raw & 0x83u) | (8u + (raw >> 16) % 14) << 2;
        case Elem::E4M3: return (raw & 0x7f) == 0x7f ? 0x3c : raw & 0xff;
        case Elem::S32: return raw;
        default: return raw & ((1u << gsu::tensor::bitsOf(e)) - 1);
    }
}

}  // namespace tmemtest
