// Addresses of device memory: they are used again when there are no others; sizes that a program gives.
#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "catch.hpp"
#include "cuda/device/heap.hpp"
#include "cuda/platform/copies.hpp"

using namespace gsu;
using namespace gsu::cuda;

TEST_CASE("addresses that were freed come back when there are no others, the oldest first")
{
    constexpr std::uint64_t kGiB = 1ull << 30;
    Heap heap(80 * kGiB);
    const Allocation* kept = heap.allocate(Allocation::Kind::Device, 400, "kept");
    REQUIRE(kept != nullptr);
    const std::uint64_t keptAt = kept->address;
    std::vector<std::uint64_t> given;
    for (int i = 0; i < 900; ++i) {
        const Allocation* a = heap.allocate(Allocation::Kind::Device, kGiB, "a");
        INFO(i << " of 900, used " << heap.used());
        REQUIRE(a != nullptr);
        REQUIRE((a->address + kGiB <= keptAt || a->address >= keptAt + 400));
        given.push_back(a->address);
        REQUIRE(heap.release(a->address));
        CHECK(heap.freed(given.back()) != nullptr);
    }
    CHECK(heap.used() == 400);
    CHECK(heap.recycled() > 300);
    const std::size_t fresh = given.size() - heap.recycled();
    CHECK(std::is_sorted(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(fresh)));
    // Going round: an address is another one's again after as many allocations as there are places.
    CHECK(std::count(given.end() - static_cast<std::ptrdiff_t>(fresh / 2), given.end(),
                     given.back()) == 1);
    CHECK(heap.find(keptAt + 399) == kept);
}

TEST_CASE("whatever comes and goes, no allocation lies on another one")
{
    constexpr std::uint64_t kSeed = 26, kMiB = 1ull << 20;
    INFO("seed " << kSeed);
    std::mt19937_64 random(kSeed);
    Heap heap(80ull << 30);
    std::map<std::uint64_t, std::uint64_t> live;  // from where to where
    std::uint64_t refused = 0;
    for (int i = 0; i < 6000; ++i) {
        if (live.size() > 40 || (!live.empty() && random() % 3 == 0)) {
            const auto gone =
                std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
            REQUIRE(heap.release(gone->first));
            live.erase(gone);
            continue;
        }
        const auto kind = random() % 4 == 0 ? Allocation::Kind::Managed : Allocation::Kind::Device;
        const std::uint64_t bytes = random() % (512 * kMiB) + 1;
        const Allocation* a = heap.allocate(kind, bytes, "a", 1ull << random() % 22);
        if (a == nullptr) {
            ++refused;
            continue;
        }
        const auto above = live.upper_bound(a->address);
        REQUIRE((above == live.end() || a->address + bytes <= above->first));
        REQUIRE((above == live.begin() || std::prev(above)->second <= a->address));
        live[a->address] = a->address + bytes;
    }
    CHECK(refused == 0);
    CHECK(heap.recycled() > 1000);
}

TEST_CASE("an allocation that finds somebody else at its addresses leaves nothing behind")
{
    Heap heap(1 << 20);
    const Allocation* a = heap.allocate(Allocation::Kind::Device, 400, "a");
    REQUIRE(a != nullptr);
    std::uint8_t mine[64] = {};
    REQUIRE(heap.global().adopt(a->address + 4096, sizeof mine, mine, "somebody's"));
    CHECK(heap.allocate(Allocation::Kind::Device, 8192, "b") == nullptr);
    CHECK(heap.used() == 400);
    const Allocation* c = heap.allocate(Allocation::Kind::Device, 8192, "c");
    REQUIRE(c != nullptr);
    CHECK(heap.used() == 400 + 8192);
    CHECK(heap.describe(c->address - 3) == "3 bytes before c, which has 8192 bytes");
}

TEST_CASE("sizes that 64 bits do not hold are refused")
{
    constexpr std::uint64_t kMost = ~0ull;
    CHECK((Size(kMost / 2) * 2 + 1).value() == kMost);
    CHECK_THROWS_AS(Size(kMost) + 1, Refusal);
    CHECK_THROWS_AS(Size(1ull << 32) * (1ull << 32), Refusal);
    CHECK(pitchedSize(1, 3, 2).bytes == 512 * 6);
    CHECK(pitchedSize(513, 1).pitch == 1024);
    for (const auto& [width, rows, slices] :
         {std::array<std::uint64_t, 3>{512, (1ull << 55) + 1, 1},
          {kMost, 1, 1},
          {512, 1ull << 28, 1ull << 28}}) {
        try {
            static_cast<void>(pitchedSize(width, rows, slices));
            FAIL("not refused");
        } catch (const Refusal& refusal) {
            CHECK(refusal.status == Status::OutOfMemory);
        }
    }
}
