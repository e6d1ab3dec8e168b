// Values of elements: every bit pattern of the narrow types.
#include "catch.hpp"
#include "reference.hpp"

using namespace gsu::tensor;

namespace {

bool same(float a, double b)
{
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return double{a} == b && std::signbit(a) == std::signbit(b);
}

}  // namespace

TEST_CASE("every bit pattern of a narrow float has its value", "[tensor]")
{
    for (const Elem e :
         {Elem::F16, Elem::BF16, Elem::E4M3, Elem::E5M2, Elem::E3M2, Elem::E2M3, Elem::E2M1}) {
        for (std::uint32_t bits = 0; bits < 1u << bitsOf(e); ++bits) {
            INFO(nameOf(e) << " " << bits);
            REQUIRE(same(valueOf(e, bits), reference::value(e, bits)));
        }
    }
    for (std::uint32_t x = 0; x < 255; ++x)
        REQUIRE(double{valueOf(Elem::UE8M0, x)} == std::pow(2.0, int(x) - 127));
    REQUIRE(std::isnan(valueOf(Elem::UE8M0, 255)));
    REQUIRE(valueOf(Elem::UE4M3, 0xb8) == 1.0f);
    REQUIRE(std::isnan(valueOf(Elem::UE4M3, 0x7f)));
}

TEST_CASE("sums are rounded to f16 as the nearest even", "[tensor]")
{
    for (std::uint32_t bits = 0; bits < 0x8000;
         ++bits) {  // every half, and the middle to its neighbour
        const double here = reference::value(Elem::F16, bits);
        if (std::isnan(here)) continue;
        REQUIRE(halfOf(float(here)) == bits);
        REQUIRE(halfOf(-float(here)) == (bits | 0x8000));
        if (bits >= 0x7bff) continue;
        const float middle = float((here + reference::value(Elem::F16, bits + 1)) / 2);
        REQUIRE(halfOf(middle) == reference::toHalf(middle));
        REQUIRE(halfOf(std::nextafter(middle, 1e9f)) == bits + 1);
        REQUIRE(halfOf(std::nextafter(middle, -1.0f)) == bits);
    }
    REQUIRE(halfOf(65519.9f) == 0x7bff);
    REQUIRE(halfOf(65520.0f) == 0x7c00);
    REQUIRE(halfOf(1e-45f) == 0);
    REQUIRE(halfOf(NAN) == 0x7fff);
}
