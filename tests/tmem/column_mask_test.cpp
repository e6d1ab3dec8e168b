// The zero-column mask: the manual's rule, and columns counted one after the other.
#include "catch.hpp"
#include "exec/tmem/column_mask.hpp"

using namespace gsu::tmem;

namespace {

Instruction weightStationary(unsigned m, unsigned n, unsigned maxShift = 0)
{
    Modifiers x;
    x.kind = Kind::F16;
    x.weightStationary = true;
    x.zeroColumnMask = true;
    const unsigned shift = maxShift == 8 ? 1 : maxShift == 16 ? 2 : maxShift == 32 ? 3 : 0;
    const auto i = instructionOf(0x10u | n / 8 << 17 | m / 16 << 24 | shift << 30, x);
    REQUIRE(i);
    return *i;
}

struct Fields {
    std::array<unsigned, 4> start{};
    unsigned first{}, skip{}, use{}, shift{};
    [[nodiscard]] std::uint64_t bits() const
    {
        std::uint64_t b = 1ull << 39 | std::uint64_t{first} << 32 | std::uint64_t{skip} << 40 |
                          std::uint64_t{use} << 48 | std::uint64_t{shift} << 56;
        for (unsigned i = 0; i < 4; ++i) b |= std::uint64_t{start[i]} << (8 * i);
        return b;
    }
};

}  // namespace

TEST_CASE("runs of zeroed and used columns alternate in each part", "[tmem]")
{
    unsigned zeroed = 0;
    for (const auto& [m, parts] : {std::pair{128u, 1u}, {64u, 2u}, {32u, 4u}}) {
        const Instruction i = weightStationary(m, 256);
        for (const unsigned skip : {0u, 3u, 15u, 200u}) {
            for (const unsigned use : {0u, 7u, 100u}) {
                const Fields f{{0, 2, 5, 255}, 0b0110, skip, use, 0};
                const auto mask = ColumnMask::of(f.bits(), i);
                REQUIRE(mask);
                for (unsigned part = 0; part < parts; ++part) {
                    // Walk: the first run may have begun before the part.
                    bool zero = (0b0110 >> part & 1) != 0;
                    unsigned left = (zero ? skip : use) + 1;
                    left -= std::min(f.start[part], left - 1);
                    for (unsigned c = 0; c < 256 / parts; ++c) {
                        CAPTURE(m, skip, use, part, c);
                        REQUIRE(mask->isZero(part * 256 / parts + c) == zero);
                        zeroed += zero;
                        if (--left != 0) continue;
                        zero = !zero;
                        left = (zero ? skip : use) + 1;
                    }
                }
            }
        }
    }
    CHECK(zeroed > 1000);
}

TEST_CASE("masks: enabled by bit 39, shifts, reserved bits", "[tmem]")
{
    const Instruction i = weightStationary(64, 128, 16), narrow = weightStationary(32, 64, 32);
    Fields f{{}, 0xf, 255, 0, 0};
    const auto none = ColumnMask::of(f.bits() & ~(1ull << 39), i);
    for (unsigned c = 0; c < 128; ++c) REQUIRE_FALSE(none->isZero(c));
    f.shift = 16;
    CHECK(ColumnMask::of(f.bits(), i)->source(3) == 19);
    CHECK(ColumnMask::of(f.bits(), narrow)->shift() == 16);
    f.shift = 17;
    CHECK(ColumnMask::of(f.bits(), i).refusal().rule == Rule::MaskShift);
    CHECK(ColumnMask::of(f.bits(), narrow).refusal().rule == Rule::MaskShift);
    CHECK(ColumnMask::of(1ull << 36, i).refusal().rule == Rule::MaskReserved);
    CHECK(ColumnMask::of(1ull << 62, i).refusal().rule == Rule::MaskReserved);
}
