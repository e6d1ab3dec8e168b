// Times of lanes and clocks against plain arrays.
#include <map>
#include <random>

#include "catch.hpp"
#include "races/clock.hpp"
#include "races/shadow.hpp"

using namespace gsu;
using namespace gsu::races;

TEST_CASE("times of lanes are what an array of them would be", "[races]")
{
    const unsigned seed = 11;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    for (unsigned round = 0; round < 200; ++round) {
        LaneTimes times, other;
        std::array<Time, 32> plain{}, otherPlain{};
        for (unsigned step = 0; step < 20; ++step) {
            const bool first = random() % 2 != 0;
            const Lanes lanes =
                random() % 3 == 0 ? ~Lanes{0} : static_cast<Lanes>(random() & random());
            const auto time = static_cast<Time>(random() % 6);
            (first ? times : other).raise(lanes, time);
            eachLane(lanes, [&](unsigned l) {
                Time& t = (first ? plain : otherPlain)[l];
                t = std::max(t, time);
            });
            if (random() % 5 == 0) {
                times.join(other);
                for (unsigned l = 0; l < 32; ++l) plain[l] = std::max(plain[l], otherPlain[l]);
            }
            bool covers = true;
            for (unsigned l = 0; l < 32; ++l) {
                REQUIRE(times.of(l) == plain[l]);
                covers = covers && plain[l] >= otherPlain[l];
            }
            REQUIRE(times.covers(other) == covers);
        }
    }
}

TEST_CASE("a clock that is copied does not follow its copy", "[races]")
{
    Clock a;
    a.raise(3, keyOf(Line::Threads, 1), 0xff, 5);
    Clock b = a;
    CHECK(a == b);
    b.raise(3, keyOf(Line::Threads, 1), 0x1, 9);
    b.raise(1, keyOf(Line::Bulk, 0), ~Lanes{0}, 2);
    CHECK(a.reached(3, keyOf(Line::Threads, 1), 0xff, 5));
    CHECK_FALSE(a.reached(3, keyOf(Line::Threads, 1), 0x1, 6));
    CHECK_FALSE(a.knows(1));
    CHECK(b.covers(a));
    CHECK_FALSE(a.covers(b));
    a.raise(3, keyOf(Line::Threads, 2), 0x1, 1);
    a.join(b);
    CHECK(a.covers(b));
    CHECK_FALSE(b.covers(a));
    CHECK(a.reached(3, keyOf(Line::Threads, 1), 0x1, 9));
    CHECK(a.reached(1, keyOf(Line::Bulk, 0), 0x80000000, 2));
}

TEST_CASE("who touches bytes of a row of lanes", "[races]")
{
    Record r;
    r.each = r.stride = 4;
    r.lane = 3;
    r.start = 8;
    r.lanes = 0x3ffu << 3;
    CHECK(r.bytesOfRow() == ByteSet(8, 47));
    CHECK(r.lanesAt({8, 8}) == 1u << 3);
    CHECK(r.lanesAt({11, 12}) == (1u << 3 | 1u << 4));
    CHECK(r.lanesAt({8, 47}) == 0x3ffu << 3);
    r.start = -2;  // the first lane's bytes begin before the block
    CHECK(r.bytesOfRow() == ByteSet(0, 37));
    CHECK(r.lanesAt({0, 1}) == 1u << 3);
    CHECK(r.lanesAt({2, 2}) == 1u << 4);
}

TEST_CASE("who touches bytes of a row with gaps", "[races]")
{
    Record even;  // lanes 0 to 3: four bytes of every eight
    even.each = 4;
    even.stride = 8;
    even.start = 64;
    even.lanes = 0xf;
    even.bytes = even.bytesOfRow();
    Record odd = even;
    odd.start = 68;
    odd.bytes = odd.bytesOfRow();
    CHECK_FALSE(even.bytes.overlaps(odd.bytes));
    CHECK(even.bytes.has(75));
    CHECK_FALSE(even.bytes.has(76));
    CHECK(ByteSet(64, 95).covers(even.bytes));
    CHECK_FALSE(even.bytes.covers(ByteSet(64, 68)));
    CHECK(even.lanesAt(ByteSet(72, 72)) == 0x2);
    CHECK(even.lanesAt(ByteSet(66, 89) & even.bytes) == 0xf);
    ByteSet ends(64, 64);
    ends |= ByteSet(91, 91);
    CHECK(even.lanesAt(ends) == 0x9);  // not those between
}

TEST_CASE("clocks are what a map of times would be", "[races]")
{
    using Plain = std::map<std::tuple<std::uint32_t, std::uint32_t, unsigned>, Time>;
    std::mt19937 random(12);
    const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    for (unsigned round = 0; round < 100; ++round) {
        std::array<Clock, 3> clocks;
        std::array<Plain, 3> plain;
        for (unsigned step = 0; step < 25; ++step) {
            const unsigned to = below(3), from = below(3);
            const std::uint32_t cta = below(3);
            if (below(3) == 0) {
                clocks[to].join(clocks[from]);
                for (const auto& [event, time] : Plain(plain[from]))
                    plain[to][event] = std::max(plain[to][event], time);
            } else if (round % 2 == 1 && below(8) == 0) {
                // The CTA stays known, so covers() is looked at in the other rounds.
                clocks[to] = clocks[from].withoutThreads(cta);
                plain[to] = plain[from];
                std::erase_if(plain[to], [&](const auto& entry) {
                    return std::get<0>(entry.first) == cta && std::get<1>(entry.first) < 256;
                });
            } else {
                const std::uint32_t key =
                    keyOf(std::array{Line::Threads, Line::CpAsync, Line::Bulk}[below(3)], below(2));
                const Lanes lanes = 1u << (below(4)) | 1u << (below(4));
                const auto time = static_cast<Time>(below(5));
                clocks[to].raise(cta, key, lanes, time);
                eachLane(lanes, [&](unsigned l) {
                    Time& t = plain[to][{cta, key, l}];
                    t = std::max(t, time);
                });
            }
            bool covers = true;
            for (const auto& [event, time] : plain[from])
                covers = covers && plain[to][event] >= time;
            if (round % 2 == 0) REQUIRE(clocks[to].covers(clocks[from]) == covers);
            for (const auto& [event, time] : plain[to]) {
                const auto& [c, key, lane] = event;
                const LaneTimes* known = clocks[to].find(c, key);
                REQUIRE((known == nullptr ? 0 : known->of(lane)) == time);
                REQUIRE((time == 0 || clocks[to].knows(c)));
            }
        }
    }
}

TEST_CASE("a clock knows a CTA of which it knows something, and joins lines", "[races]")
{
    Clock clock;
    CHECK(clock.empty());
    CHECK_FALSE(clock.knows(0));
    clock.raise(2, keyOf(Line::Threads, 0), 1, 0);
    CHECK(clock.empty());  // time 0 is nothing
    LaneTimes times;
    clock.join(2, keyOf(Line::Bulk, 0), times);
    CHECK(clock.empty());
    times.raise(0x2, 3);
    clock.join(2, keyOf(Line::Bulk, 0), times);
    CHECK(clock.knows(2));
    CHECK_FALSE(clock.knows(1));
    CHECK_FALSE(clock.knows(3));
    CHECK(clock.find(2, keyOf(Line::Threads, 0)) == nullptr);
    CHECK(clock.reached(2, keyOf(Line::Bulk, 0), 0x2, 3));
    CHECK_FALSE(clock.reached(2, keyOf(Line::Bulk, 0), 0x1, 1));
    const Clock copy = clock;
    clock.join(2, keyOf(Line::Bulk, 0), times);  // nothing new
    CHECK(clock == copy);
}
