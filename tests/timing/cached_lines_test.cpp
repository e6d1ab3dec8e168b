// Lines that L2 holds, by the volume that the whole chip brings in.
#include "catch.hpp"
#include "exec/timing/cached_lines.hpp"

using namespace gsu::timing;

namespace {

constexpr std::uint64_t kKept = 64 * kLine;

/// Bytes that a pass over so many lines brings in.
std::uint64_t pass(CachedLines& c, std::uint64_t lines, double sharers = 1)
{
    std::uint64_t bytes = 0;
    for (std::uint64_t line = 0; line < lines; ++line)
        bytes += c.read(line * kLine, kLine, sharers);
    return bytes;
}

}  // namespace

TEST_CASE("a line is there until the chip has brought in as much as L2 keeps")
{
    CachedLines c(kKept, kTicks);
    CHECK(pass(c, 64) == kKept);
    CHECK(pass(c, 63) == 0);  // each has fewer than 64 after it
    CHECK(pass(c, 65) == kLine);
    CachedLines longer(kKept, kTicks);
    CHECK(pass(longer, 65) == 65 * kLine);
    CHECK(pass(longer, 65) == 65 * kLine);  // cyclic: each goes right before it is wanted
}

TEST_CASE("a miss of one SM of four stands for four")
{
    CachedLines c(kKept, 4 * kTicks);
    CHECK(pass(c, 16) == 16 * kLine);
    CHECK(c.volume() == kKept);
    CHECK(pass(c, 16) == 0);
    CHECK(pass(c, 17) == kLine);
    CachedLines longer(kKept, 4 * kTicks);
    CHECK(pass(longer, 17) == 17 * kLine);
    CHECK(pass(longer, 17) == 17 * kLine);
}

TEST_CASE("of lines that four read this one brings in one of four")
{
    CachedLines c(kKept, 4 * kTicks);
    CHECK(pass(c, 64, 4) == 16 * kLine);
    CHECK(c.volume() == kKept);
    CHECK(pass(c, 64, 4) == 0);
    CachedLines odd(1 << 20, kTicks);
    CHECK(pass(odd, 1000, 2.5) == 400 * kLine);
}

TEST_CASE("sectors come one by one, and are written back once")
{
    CachedLines c(kKept, kTicks);
    CHECK(c.read(32, 32, 1) == 32);
    CHECK(c.read(0, 128, 1) == 96);
    CHECK(c.read(64, 64, 1) == 0);
    CHECK(c.write(0, 64) == 64);
    CHECK(c.write(32, 64) == 32);
    CHECK(c.volume() == 128);  // it had been read
    CHECK(c.write(kLine, 64) == 64);
    CHECK(c.volume() == 192);
    CHECK(c.read(kLine, 64, 1) == 0);
}

TEST_CASE("a table that has grown keeps what it holds")
{
    CachedLines c(100'000 * kLine, kTicks);
    CHECK(pass(c, 50'000) == 50'000 * kLine);
    CHECK(pass(c, 50'000) == 0);
}
