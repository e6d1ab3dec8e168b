// The tensormap proxy's view of maps that a kernel writes: release, then acquire of the 128 bytes (FENCE-028, FENCE-029).
#include <array>

#include "catch.hpp"
#include "exec/visibility/map_log.hpp"

namespace {

using gsu::visibility::MapLog;
using Missing = MapLog::Missing;
constexpr gsu::visibility::Where kMap = 0x7000'0000'0080ull;
constexpr unsigned kBytes = 128, kBound = 4096;
using Bytes = std::array<std::uint8_t, kBytes>;

Bytes filled(std::uint8_t value)
{
    Bytes b;
    b.fill(value);
    return b;
}

std::uint8_t seen(const MapLog& log, std::uint8_t now, gsu::Cycle at,
                  gsu::visibility::Where map = kMap)
{
    Bytes b = filled(now);
    log.view(map, kBytes, b.data(), at);
    return b[5];
}

}  // namespace

TEST_CASE("a written map wants a release and an acquire, in that order, after its last write",
          "[memory][FENCE-028][FENCE-029][TMAP-003]")
{
    MapLog log(kBound, 1);
    CHECK(log.missing(1, kMap, kBytes) == Missing::Nothing);
    log.wrote(kMap, kBytes, filled(1).data(), 10);
    CHECK(log.missing(1, kMap, kBytes) == Missing::Release);
    log.acquired(1, kMap, kBytes);  // pairs with nothing
    CHECK(log.missing(1, kMap, kBytes) == Missing::Release);
    log.released();
    CHECK(log.missing(1, kMap, kBytes) == Missing::Acquire);
    log.acquired(1, kMap, kBytes);
    CHECK(log.missing(1, kMap, kBytes) == Missing::Nothing);
    CHECK(log.missing(2, kMap, kBytes) == Missing::Acquire);  // another CTA's copies
    log.wrote(kMap + 100, 4, filled(2).data(), 20);
    CHECK(log.missing(1, kMap, kBytes) == Missing::Release);
    log.released();
    CHECK(log.missing(1, kMap, kBytes) == Missing::Acquire);
}

TEST_CASE("an acquire orders its 128 bytes and none beside them", "[memory][FENCE-029]")
{
    MapLog log(kBound, 1);
    for (const unsigned at : {0u, 128u, 256u}) log.wrote(kMap + at, kBytes, filled(1).data(), 10);
    log.released();
    log.acquired(1, kMap + 128, kBytes);
    CHECK(log.missing(1, kMap, kBytes) == Missing::Acquire);
    CHECK(log.missing(1, kMap + 128, kBytes) == Missing::Nothing);
    CHECK(log.missing(1, kMap + 256, kBytes) == Missing::Acquire);
    log.acquired(1, kMap + 32, kBytes);  // half of each block at its ends
    CHECK(log.missing(1, kMap, kBytes) == Missing::Acquire);
}

TEST_CASE(
    "a write across two blocks is in both, and memory that is given back is forgotten to its last "
    "byte",
    "[memory][FENCE-028]")
{
    MapLog log(kBound, 1);
    log.wrote(kMap + 100, 56, filled(1).data(), 10);  // 28 bytes of each
    CHECK(log.missing(1, kMap, kBytes) == Missing::Release);
    CHECK(log.missing(1, kMap + kBytes, kBytes) == Missing::Release);
    CHECK(log.missing(1, kMap + 2 * kBytes, kBytes) == Missing::Nothing);
    log.wrote(kMap + 2 * kBytes, 1, filled(1).data(), 20);
    log.forget(kMap, 2 * kBytes);
    CHECK(log.missing(1, kMap, 2 * kBytes) == Missing::Nothing);
    CHECK(log.missing(1, kMap + 2 * kBytes, kBytes) == Missing::Release);
    CHECK(log.missing(1, kMap + kBytes, kBytes + 1) == Missing::Release);
    log.forget(kMap + kBytes, kBytes + 1);  // one byte of the block
    CHECK(log.missing(1, kMap + 2 * kBytes, kBytes) == Missing::Nothing);
}

TEST_CASE("a map is not ready if only its last byte was written", "[memory][FENCE-028]")
{
    MapLog log(kBound, 1);
    log.wrote(kMap, 1, filled(1).data(), 10);
    CHECK(log.missing(1, kMap - kBytes, kBytes) == Missing::Nothing);
    CHECK(log.missing(1, kMap - kBytes, kBytes + 1) == Missing::Release);
}

TEST_CASE("without fences the bytes from before may be seen until the bound, with them never",
          "[memory][FENCE-028][FENCE-029]")
{
    unsigned late = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        MapLog log(kBound, seed);
        log.wrote(kMap, kBytes, filled(1).data(), 10);
        log.wrote(kMap, kBytes, filled(2).data(), 11);
        const std::uint8_t found = seen(log, 3, 500);
        CHECK((found == 1 || found == 2 ||
               found == 3));  // 2: the first write was seen when the second came
        late += found != 3;
        CHECK(seen(log, 3, 12 + kBound) == 3);
        log.released();
        CHECK(seen(log, 3, 500) == found);
        log.acquired(1, kMap, kBytes);
        CHECK(seen(log, 3, 500) == 3);
    }
    CHECK(late > 5);
    CHECK(late < 20);
    MapLog immediate(0, 1);
    immediate.wrote(kMap, kBytes, filled(1).data(), 10);
    CHECK(seen(immediate, 3, 10) == 3);
    CHECK(immediate.missing(1, kMap, kBytes) == Missing::Release);
}

TEST_CASE("many blocks that are no maps do not stay for ever", "[memory]")
{
    MapLog log(8, 1);
    const Bytes old = filled(0);
    constexpr unsigned kBlocks = 70'000;
    for (unsigned i = 0; i < kBlocks; ++i) log.wrote(kMap + i * 64ull, 4, old.data(), i * 100);
    CHECK(log.missing(1, kMap, kBytes) == Missing::Nothing);
    CHECK(log.missing(1, kMap + (kBlocks - 1) * 64ull, 64) == Missing::Release);
    log.forget(kMap, kBlocks * 64ull);
    CHECK(log.empty());
}
