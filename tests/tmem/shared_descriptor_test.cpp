// Descriptors of shared memory: fields, addresses of the canonical layouts, and the worked values of the manual.
#include <set>

#include "catch.hpp"
#include "exec/tmem/shared_descriptor.hpp"

using namespace gsu::tmem;

namespace {

std::uint64_t bitsOf(std::uint64_t start, std::uint64_t leading, std::uint64_t stride,
                     std::uint64_t swizzle)
{
    return start >> 4 | (leading >> 4) << 16 | (stride >> 4) << 32 | 1ull << 46 | swizzle << 61;
}
SharedDescriptor of(std::uint64_t bits)
{
    const auto d = SharedDescriptor::of(bits);
    REQUIRE(d);
    return *d;
}

/// Exclusive or of address bits, as the text has it.
std::uint32_t swizzled(std::uint32_t a, unsigned mode)
{
    switch (mode) {
        case 1: return a ^ (a >> 7 & 3) << 5;
        case 2: return a ^ (a >> 7 & 7) << 4;
        case 4: return a ^ (a >> 7 & 3) << 4;
        case 6: return a ^ (a >> 7 & 1) << 4;
        default: return a;
    }
}
unsigned widthOf(unsigned mode) { return mode == 6 ? 32 : mode == 4 ? 64 : 128; }

}  // namespace

TEST_CASE("a tcgen05 descriptor's fields", "[tmem]")
{
    CHECK(of(0x4000404000000000).swizzle() == Swizzle::Bytes128);  // of public kernels
    const SharedDescriptor d = of(0x4000404002000000);
    CHECK(d.kMajor(8, 0) == 1024);
    CHECK(d.mnMajor(0, 128) == 8192);
    CHECK(of(bitsOf(0x3fff0, 16, 16, 6)).start() == 0x3fff0);
}

TEST_CASE("K-major addresses", "[tmem]")
{
    const SharedDescriptor plain = of(bitsOf(0x1230, 0x400, 0x880, 0));
    for (unsigned row = 0; row < 256; ++row)
        for (unsigned byte = 0; byte < 64; ++byte)
            REQUIRE(plain.kMajor(row, byte) ==
                    0x1230 + row % 8 * 16 + row / 8 * 0x880 + byte / 16 * 0x400 + byte % 16);
    for (const unsigned mode : {2u, 4u, 6u}) {
        const unsigned width = widthOf(mode);
        for (unsigned step = 0; step < width; step += 32) {
            const SharedDescriptor d = of(bitsOf(0x2000 + step, 16, 8 * width, mode));
            CHECK_FALSE(d.problemFor(Elem::F16, false, 32).has_value());
            for (unsigned row = 0; row < 64; ++row)
                for (unsigned byte = 0; byte < 32; ++byte)
                    REQUIRE(d.kMajor(row, byte) ==
                            swizzled(0x2000 + step + row % 8 * width + row / 8 * 8 * width + byte,
                                     mode));
        }
        CHECK(of(bitsOf(0x2000 + width - 16, 16, 1024, mode))
                  .problemFor(Elem::F16, false, 32)
                  ->rule == Rule::LeavesRow);
    }
}

TEST_CASE("transposed addresses", "[tmem]")
{
    for (const unsigned size : {1u, 2u}) {  // bytes of an element
        const unsigned t = 16 / size;
        const SharedDescriptor plain = of(bitsOf(0x400, 0x800, 0x100, 0));
        for (unsigned k = 0; k < 32; ++k)
            for (unsigned mn = 0; mn < 128; ++mn)
                REQUIRE(plain.mnMajor(k, mn * size) ==
                        0x400 + mn % t * size + mn / t * 0x100 + k % 8 * 16 + k / 8 * 0x800);
        for (const unsigned mode : {2u, 4u, 6u}) {
            const unsigned width = widthOf(mode), e = width / size;
            const SharedDescriptor d = of(bitsOf(0x4000, 0x2000, 8 * width, mode));
            for (unsigned k = 0; k < 32; ++k)
                for (unsigned mn = 0; mn < 128; ++mn)
                    REQUIRE(d.mnMajor(k, mn * size) ==
                            swizzled(0x4000 + mn % e * size + mn / e * 0x2000 + k % 8 * width +
                                         k / 8 * 8 * width,
                                     mode));
        }
    }
    const SharedDescriptor atoms = of(bitsOf(0x4000, 0x2000, 0x200, 1));
    std::set<std::uint32_t> seen;
    for (unsigned k = 0; k < 8; ++k) {
        for (unsigned mn = 0; mn < 64; ++mn) {
            REQUIRE(
                atoms.mnMajor(k, mn * 4) ==
                swizzled(0x4000 + mn % 32 * 4 + mn / 32 * 0x2000 + k % 4 * 128 + k / 4 * 0x200, 1));
            REQUIRE(seen.insert(atoms.mnMajor(k, mn * 4)).second);
        }
    }
}

TEST_CASE("worked values of the manual: tiles lie without gaps", "[tmem]")
{
    struct Tile {
        std::uint64_t leading, stride, mode;
        bool transposed;
        unsigned lines, bytes;  ///< 64 rows by K = 32 bytes, or K = 16 by 64 columns of bf16
    };
    // tf32 K-major without swizzle (16, 8 units) of 16 rows, K-major 32B (stride 16), bf16 transposed: none (16, 8), 32B (16, 32), 64B (32, 64).
    for (const Tile& t : {Tile{256, 128, 0, false, 16, 32}, Tile{0, 256, 6, false, 64, 32},
                          Tile{256, 128, 0, true, 16, 32}, Tile{256, 512, 6, true, 16, 64},
                          Tile{512, 1024, 4, true, 16, 128}}) {
        const SharedDescriptor d = of(bitsOf(0, t.leading, t.stride, t.mode));
        std::set<std::uint32_t> seen;
        for (unsigned line = 0; line < t.lines; ++line)
            for (unsigned byte = 0; byte < t.bytes; ++byte)
                seen.insert(t.transposed ? d.mnMajor(line, byte) : d.kMajor(line, byte));
        REQUIRE(seen.size() == t.lines * t.bytes);
        REQUIRE(*seen.rbegin() == t.lines * t.bytes - 1);
    }
}

TEST_CASE("which swizzle fits which operand", "[tmem]")
{
    for (const unsigned mode : {0u, 1u, 2u, 4u, 6u}) {
        const SharedDescriptor d = of(bitsOf(0, 128, 1024, mode));
        for (const Elem e : {Elem::F16, Elem::E4M3, Elem::TF32}) {
            CAPTURE(mode, nameOf(e));
            CHECK(d.problemFor(e, false, 32).has_value() == (mode == 1));
            CHECK(d.problemFor(e, true, 32).has_value() == ((mode == 1) != (e == Elem::TF32)));
        }
    }
}
