// Descriptors: addresses of the canonical layouts, written out from the manual's figures.
#include <set>

#include "catch.hpp"
#include "exec/tensor/descriptor.hpp"

using gsu::tensor::Descriptor;

namespace {

std::uint64_t bitsOf(std::uint64_t start, std::uint64_t leading, std::uint64_t stride,
                     std::uint64_t mode, std::uint64_t base = 0)
{
    return start >> 4 | (leading >> 4) << 16 | (stride >> 4) << 32 | base << 49 | mode << 62;
}

}  // namespace

TEST_CASE("a descriptor's fields", "[tensor]")
{
    const Descriptor d = Descriptor::of(bitsOf(0x3fff0, 0x3fff0, 0x100, 2, 5));
    CHECK(d.start == 0x3fff0);
    CHECK(d.leading == 0x3fff0);
    CHECK(d.stride == 0x100);
    CHECK(d.base == 5);
    CHECK(d.width == 64);
    CHECK(gsu::tensor::problemOfDescriptor(1ull << 14) != "");
    CHECK(gsu::tensor::problemOfDescriptor(bitsOf(0x3fff0, 16, 16, 3, 7)) == "");
}

TEST_CASE("K-major without swizzle: core matrices of 8 lines by 16 bytes", "[tensor]")
{
    const Descriptor d = Descriptor::of(bitsOf(0x1000, 0x400, 0x80, 0));
    CHECK(d.kMajor(0, 0) == 0x1000);
    CHECK(d.kMajor(7, 0) == 0x1070);
    CHECK(d.kMajor(8, 0) == 0x1080);
    CHECK(d.kMajor(8, 1) == 0x1480);
}

TEST_CASE("swizzles exchange 16-byte units by the line of 128 bytes", "[tensor]")
{
    // 128 bytes: line r of eight, unit u lies at u ^ r.
    const Descriptor wide = Descriptor::of(bitsOf(0x400, 16, 1024, 1));
    for (unsigned r = 0; r < 16; ++r) {
        for (unsigned u = 0; u < 8; ++u)
            REQUIRE(wide.kMajor(r, u) == 0x400 + r * 128 + ((u ^ r % 8) * 16));
    }
    // 64 bytes: two lines share 128 bytes; 32 bytes: four do.
    const Descriptor half = Descriptor::of(bitsOf(0x400, 16, 512, 2)),
                     quarter = Descriptor::of(bitsOf(0x400, 16, 256, 3));
    for (unsigned r = 0; r < 8; ++r) {
        for (unsigned u = 0; u < 4; ++u)
            REQUIRE(half.kMajor(r, u) == 0x400 + r * 64 + ((u ^ r / 2) * 16));
        for (unsigned u = 0; u < 2; ++u)
            REQUIRE(quarter.kMajor(r, u) == 0x400 + r * 32 + ((u ^ r / 4) * 16));
    }
    // Advancing along K inside the swizzled row: the start address moves, the pattern stays.
    const Descriptor next = Descriptor::of(bitsOf(0x420, 16, 1024, 1));
    for (unsigned r = 0; r < 8; ++r) REQUIRE(next.kMajor(r, 0) == wide.kMajor(r, 2));
    // A pattern that begins at 0x480 (line 1 of the aligned one) has base offset 1.
    const Descriptor moved = Descriptor::of(bitsOf(0x480, 16, 1024, 1, 1));
    for (unsigned r = 0; r < 7; ++r)
        REQUIRE(moved.kMajor(r, 3) == 0x480 + r * 128 + ((3 ^ r) * 16));
}

TEST_CASE("MN-major: 8 lines of k per atom, atoms along M or N a leading offset apart", "[tensor]")
{
    const Descriptor d = Descriptor::of(bitsOf(0, 0x2000, 0x400, 1));
    CHECK(d.mnMajor(0, 0) == 0);
    CHECK(d.mnMajor(0, 8) == 0x2000);
    CHECK(d.mnMajor(3, 1) == 3 * 128 + (1 ^ 3) * 16);
    CHECK(d.mnMajor(8, 0) == 0x400);
    const Descriptor plain = Descriptor::of(bitsOf(0, 0x2000, 0x400, 0));
    CHECK(plain.mnMajor(1, 0) == 16);
    CHECK(plain.mnMajor(0, 1) == 0x400);
    CHECK(plain.mnMajor(8, 1) == 0x2400);
    // No two units of a tile coincide, whatever the swizzle.
    for (unsigned mode = 0; mode < 4; ++mode) {
        const unsigned width = mode == 0 ? 16 : 256 >> mode;
        const Descriptor t = mode == 0 ? Descriptor::of(bitsOf(0, 128, 256, 0))
                                       : Descriptor::of(bitsOf(0, width * 16, width * 8, mode));
        std::set<std::uint32_t> seen;
        for (unsigned k = 0; k < 16; ++k) {
            for (unsigned u = 0; u < (mode == 0 ? 4u : 2 * width / 16); ++u)
                seen.insert(t.mnMajor(k, u));
        }
        REQUIRE(seen.size() == 16 * (mode == 0 ? 4u : 2 * width / 16));
    }
}
