// The allocator of columns: by hand, and random sequences against a map of who has which column.
#include <array>
#include <random>

#include "catch.hpp"
#include "exec/tmem/columns.hpp"

using namespace gsu::tmem;
using Outcome = Grant::Outcome;

TEST_CASE("addresses: lanes above, columns below, offsets of 32 bits", "[tmem]")
{
    const Address a = Address::of(0x0021'0040);
    CHECK((a.lane == 33 && a.column == 64));
    CHECK(a.bits() == 0x0021'0040);
    CHECK(a.plus(16) == Address{33, 80});
    CHECK(a.plus(-64) == Address{33, 0});
    CHECK((Address{16, 0}.plus(0x10'0008)) == Address{32, 8});
    CHECK((Window{{96, 480}, 32, 32}).inside());
    CHECK_FALSE((Window{{97, 480}, 32, 32}).inside());
    CHECK_FALSE((Window{{96, 481}, 32, 32}).inside());
}

TEST_CASE("a warp reaches the lanes of its quarter", "[tmem]")
{
    for (unsigned warp = 0; warp < 12; ++warp) {
        for (unsigned lane = 0; lane < 512; ++lane) {
            CHECK(*firstLane(warp, lane, false) == 32 * (warp % 4) + lane % 32);
            const auto strict = firstLane(warp, lane, true);
            REQUIRE(bool(strict) == (lane / 32 == warp % 4));
            if (strict) REQUIRE(*strict == lane);
        }
    }
    CHECK(firstLane(1, 0, true).refusal().line() ==
          "TC5-012: lane 0 in warp 1, which reaches lanes 32 to 63");
}

TEST_CASE("allocation: first fit, waiting, and the rules", "[tmem]")
{
    ColumnAllocator sm;
    CHECK(sm.alloc(1, 128).address == Address{0, 0});
    CHECK(sm.alloc(2, 256).address == Address{0, 128});
    CHECK(sm.alloc(3, 256).outcome == Outcome::MustWait);
    CHECK(sm.alloc(3, 128).address == Address{0, 384});
    CHECK_FALSE(sm.dealloc(1, 0, 128).has_value());
    CHECK(sm.alloc(3, 64).address == Address{0, 0});
    CHECK(sm.alloc(2, 64).address == Address{0, 64});
    CHECK(sm.alloc(2, 64).outcome == Outcome::MustWait);
    // An allocation that waited and was refused has changed nothing.
    CHECK(sm.alloc(3, 128).refusal.rule == Rule::ColumnsGrow);
    CHECK(sm.allocations().size() == 4);
    CHECK(sm.dealloc(1, 0, 64)->rule == Rule::NotAllocated);  // another CTA's
    CHECK(sm.dealloc(3, 0, 32)->rule == Rule::NotAllocated);
    CHECK(sm.dealloc(3, 0x1'0000, 64)->rule == Rule::NotAllocated);
    sm.relinquish(3);
    CHECK(sm.alloc(3, 32).refusal.rule == Rule::AllocAfterRelinquish);
    CHECK_FALSE(sm.dealloc(3, 0, 64).has_value());
    const Verdict left = sm.exit(3);
    REQUIRE(left.has_value());
    CHECK(left->line() == "TC5-005: 128 columns are left, the first is 384");
    CHECK_FALSE(sm.exit(1).has_value());
    // A CTA of the same number that comes later has no history.
    CHECK(sm.alloc(3, 128).address == Address{0, 384});
    for (const unsigned columns : {0u, 1u, 16u, 33u, 96u, 1024u, 0x8000'0000u})
        CHECK(sm.alloc(9, columns).refusal.rule == Rule::ColumnCount);
}

TEST_CASE("columns of a CTA may lie side by side", "[tmem]")
{
    ColumnAllocator sm;
    for (unsigned i = 0; i < 3; ++i) CHECK(sm.alloc(7, 32).address == Address{0, 32 * i});
    CHECK_FALSE(sm.problemOfAccess(7, 0, 96).has_value());
    CHECK_FALSE(sm.problemOfAccess(7, 40, 50).has_value());
    CHECK(sm.problemOfAccess(7, 40, 57)->line() ==
          "TC5-011: columns 40 to 96: column 96 is not allocated");
    CHECK(sm.problemOfAccess(8, 0, 1)->rule == Rule::Unallocated);
    CHECK_FALSE(sm.dealloc(7, 32, 32).has_value());
    CHECK(sm.problemOfAccess(7, 0, 96).has_value());
}

TEST_CASE("pairs of CTAs get the same columns on both SMs, or wait", "[tmem]")
{
    ColumnAllocator even, odd;
    CHECK(even.alloc(1, 128).address.column == 0);
    CHECK(odd.alloc(2, 256).address.column == 0);
    CHECK(ColumnAllocator::allocPair(even, 3, 256, odd, 4, 256).address == Address{0, 256});
    CHECK(ColumnAllocator::allocPair(even, 3, 128, odd, 4, 128).outcome ==
          Outcome::MustWait);  // 128 are free, but not the same
    CHECK(ColumnAllocator::allocPair(even, 3, 64, odd, 4, 128).refusal.rule == Rule::PairDiffers);
    CHECK(even.allocations().size() == 2);
    CHECK(ColumnAllocator::deallocPair(even, 3, odd, 5, 256, 256)->rule == Rule::NotAllocated);
    CHECK(even.allocations().size() == 2);  // neither half
    CHECK_FALSE(ColumnAllocator::deallocPair(even, 3, odd, 4, 256, 256).has_value());
    CHECK(even.allocations().size() == 1);
    odd.relinquish(4);
    CHECK(ColumnAllocator::allocPair(even, 3, 64, odd, 4, 64).refusal.rule ==
          Rule::AllocAfterRelinquish);
    CHECK_FALSE(even.useGroup(3, 2).has_value());
    CHECK(even.useGroup(3, 1)->line() == "TC5-006: cta_group::1 after cta_group::2");
}

namespace {

/// The state after a random sequence: the owner of each block of 32 columns, 0: free.
struct Map {
    std::array<std::uint32_t, 16> owner{};

    /// First block of a run of free ones; 16: none.
    [[nodiscard]] unsigned fit(unsigned blocks) const
    {
        for (unsigned first = 0; first + blocks <= 16; ++first) {
            unsigned free = 0;
            while (free < blocks && owner[first + free] == 0) ++free;
            if (free == blocks) return first;
        }
        return 16;
    }
};

}  // namespace

TEST_CASE("random allocations: never the same column twice, and who waits has to", "[tmem]")
{
    const unsigned seed = GENERATE(range(1u, 41u));
    CAPTURE(seed);
    std::mt19937 random(seed);
    ColumnAllocator sm;
    Map map;
    struct Held {
        std::uint32_t cta;
        unsigned column, columns;
    };
    std::vector<Held> held;
    std::array<unsigned, 5> least;
    least.fill(512);
    unsigned granted = 0, waited = 0, freed = 0;
    for (unsigned step = 0; step < 400; ++step) {
        CAPTURE(step);
        const auto cta = static_cast<std::uint32_t>(1 + random() % 4);
        if (random() % 2 == 0) {
            const unsigned columns = std::min(64u << random() % 3, least[cta]);
            const Grant grant = sm.alloc(cta, columns);
            const unsigned first = map.fit(columns / 32);
            REQUIRE(grant.outcome == (first == 16 ? Outcome::MustWait : Outcome::Granted));
            ++(first == 16 ? waited : granted);
            if (first == 16) continue;
            REQUIRE(grant.address == Address{0, 32 * first});
            for (unsigned b = 0; b < columns / 32; ++b) map.owner[first + b] = cta;
            held.push_back({cta, grant.address.column, columns});
            least[cta] = columns;
        } else if (random() % 4 == 0) {
            const bool had =
                std::any_of(held.begin(), held.end(), [&](const Held& h) { return h.cta == cta; });
            REQUIRE(sm.exit(cta).has_value() == had);
            for (std::uint32_t& owner : map.owner)
                if (owner == cta) owner = 0;
            std::erase_if(held, [&](const Held& h) { return h.cta == cta; });
            least[cta] = 512;
        } else if (!held.empty()) {
            const std::size_t at = random() % held.size();
            const Held h = held[at];
            REQUIRE_FALSE(sm.dealloc(h.cta, h.column, h.columns).has_value());
            REQUIRE(sm.dealloc(h.cta, h.column, h.columns)->rule == Rule::NotAllocated);
            for (unsigned b = 0; b < h.columns / 32; ++b) map.owner[h.column / 32 + b] = 0;
            held.erase(held.begin() + static_cast<std::ptrdiff_t>(at));
            ++freed;
        }
        REQUIRE(sm.allocations().size() == held.size());
        for (unsigned b = 0; b < 16; ++b) {
            for (std::uint32_t other = 1; other < 5; ++other)
                REQUIRE(sm.problemOfAccess(other, 32 * b, 32).has_value() ==
                        (map.owner[b] != other));
        }
    }
    CHECK((granted > 20 && waited > 5 && freed > 10));
}
