// Pending stores: who sees them, when they are performed, what a fence, an atomic and an announcement do. Without a kernel.
#include <random>

#include "catch.hpp"
#include "memory/bytes.hpp"

using namespace gsu;
using namespace gsu::visibility;
using namespace gsu::visibility::test;

namespace {

constexpr Thread kA{1, 0, 0}, kB{1, 1, 0}, kC{2, 0, 0};
constexpr Where kX = 0x1000, kY = 0x2000;

}  // namespace

TEST_CASE("a store is seen by its thread at once, by its CTA next, by everyone last",
          "[FENCE-038][BAR-016]")
{
    StoreQueue q({100, 100}, 1);
    Bytes m;
    q.push(store(kA, kX, 7), 0, 10, 20);
    CHECK(m.read(q, kA, kX) == 7);
    CHECK(m.read(q, kB, kX) == 0);
    q.perform(9, m);
    CHECK(m.read(q, kB, kX) == 0);
    q.perform(10, m);
    CHECK(m.read(q, kB, kX) == 7);
    CHECK(m.read(q, kC, kX) == 0);
    CHECK(q.next() == 20);
    q.perform(20, m);
    CHECK(m.read(q, kC, kX) == 7);
    CHECK(q.empty());
    CHECK(q.next() == kNever);
}

TEST_CASE("shared memory has one copy: its stores are performed in one step", "[CLU-016]")
{
    StoreQueue q({100, 100}, 1);
    Bytes m;
    q.push(store(kA, kX, 7, false), 0, 10, 20);
    q.perform(10, m);
    CHECK(m.read(q, kB, kX) == 0);
    q.perform(20, m);
    CHECK(m.read(q, kB, kX) == 7);
    CHECK(m.cta.empty());
}

TEST_CASE("every store is performed within its bound, whatever the seed", "[FENCE-038]")
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        INFO("seed " << seed);
        StoreQueue q({50, 200}, seed);
        Bytes m;
        for (unsigned i = 0; i < 500; ++i) {
            const Thread by{1 + i % 3, static_cast<std::uint8_t>(i % 4), 0};
            q.push(store(by, kX + 4 * (i % 40), i, i % 2 == 0), 0);
        }
        q.perform(50, m);
        // Order within a byte may delay a store after an older one, never beyond the bound of the older one.
        for (const Store& s : m.cta) CHECK(s.twoSteps);
        q.perform(250, m);
        REQUIRE(q.empty());
        REQUIRE(m.everyone.size() == 500);
    }
}

TEST_CASE("a thread's stores to a byte keep their order; to others they may not", "[FENCE-038]")
{
    unsigned swapped = 0;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        INFO("seed " << seed);
        StoreQueue q({64, 64}, seed);
        Bytes m;
        for (std::uint32_t i = 1; i <= 8; ++i) {
            q.push(store(kA, kX, i), 0);
            q.push(store(kA, kY, i), 0);
        }
        std::uint32_t last = 0;
        for (Cycle now = 1; now <= 128; ++now) {
            q.perform(now, m);
            const std::uint32_t x = m.word(kX), y = m.word(kY);
            REQUIRE(x >= last);
            last = x;
            swapped += y > x ? 1 : 0;  // x was always stored before
            REQUIRE(m.read(q, kA, kX) == 8);
        }
        REQUIRE(last == 8);
    }
    CHECK(swapped > 50);
}

TEST_CASE("what a CTA has seen is there for everyone before what its threads put over it",
          "[FENCE-038]")
{
    StoreQueue q({100, 100}, 1);
    Bytes m;
    q.push(store(kA, kX, 7), 0, 10, 50);
    q.perform(10, m);
    CHECK(m.read(q, kB, kX) == 7);
    CHECK(m.read(q, kC, kX) == 0);
    q.push(store(kB, kX, 8, false), 11, 15, 20);  // in one step, before the other's second
    q.perform(20, m);
    CHECK(m.read(q, kC, kX) == 8);
    CHECK(q.empty());
    q.perform(50, m);
    CHECK(m.read(q, kC, kX) == 8);
}

TEST_CASE("mixed sizes: a reader sees each byte's newest", "[FENCE-038]")
{
    StoreQueue q({64, 64}, 3);
    Bytes m;
    Store wide = store(kA, kX, 0x11223344);
    q.push(wide, 0, 5, 50);
    Store byte = store(kA, kX + 1, 0xaa);
    byte.bytes = 1;
    q.push(byte, 0, 2, 3);  // drawn earlier, but it waits for the older one
    CHECK(m.read(q, kA, kX) == 0x1122aa44);
    q.perform(4, m);
    CHECK(m.read(q, kB, kX) == 0);
    q.perform(5, m);
    CHECK(m.read(q, kB, kX) == 0x1122aa44);
    q.perform(64, m);
    CHECK(m.word(kX) == 0x1122aa44);
}

TEST_CASE("own: a warp's stores reach its CTA; wide: a CTA's reach everyone",
          "[BAR-014][FENCE-005]")
{
    StoreQueue q({500, 500}, 5);
    Bytes m;
    q.push(store(kA, kX, 1), 0, 400, 500);
    q.push(store(kB, kY, 2), 0, 400, 500);
    q.performOwn(1, 0, 10, m);
    CHECK(m.read(q, kB, kX) == 1);
    CHECK(m.read(q, kA, kY) == 0);
    CHECK(m.read(q, kC, kX) == 0);
    q.performWide(1, 11, m);  // PTX is cumulative: what another thread of the CTA has stored, too
    CHECK(m.read(q, kC, kX) == 1);
    CHECK(m.read(q, kC, kY) == 2);
    CHECK(q.empty());
}

TEST_CASE("an atomic acts on what its thread has stored", "[ATOM-029]")
{
    StoreQueue q({500, 500}, 5);
    Bytes m;
    q.push(store(kB, kX, 1), 0, 10, 500);
    q.perform(10, m);  // its CTA has seen it
    q.push(store(kA, kX + 4, 3), 11, 400, 500);
    q.push(store(kC, kX, 9), 11, 400, 500);
    q.settle(kA, kX, 8, 12, m);
    CHECK(m.word(kX) == 1);
    CHECK(m.word(kX + 4) == 3);
    CHECK(q.size() == 1);
}

TEST_CASE(
    "an atomic performs what its thread has stored beside it, in the same 16 bytes and no others",
    "[ATOM-029]")
{
    StoreQueue q({500, 500}, 5);
    Bytes m;
    q.push(store(kA, kX + 12, 1), 0, 400, 500);
    q.push(store(kA, kX + 16, 2), 0, 400, 500);
    Store add = store(kA, kX + 20, 3);
    add.reduce = 1;
    q.push(add, 0, 400, 500);
    CHECK_FALSE(q.reduces(kA, kX, 4));
    CHECK(q.reduces(kA, kX + 28, 4));
    q.settle(kA, kX, 4, 1, m);
    CHECK(m.word(kX + 12) == 1);
    CHECK(m.word(kX + 16) == 0);
    q.settle(kA, kX + 28, 4, 2, m);
    CHECK(m.word(kX + 16) == 2);
    CHECK(q.empty());
}

TEST_CASE("a reduction is one step, after its thread's older stores", "[RED-018]")
{
    StoreQueue q({500, 500}, 5);
    Bytes m;
    q.push(store(kA, kX, 5), 0, 300, 400);
    Store add = store(kA, kX, 2);
    add.reduce = 1;
    q.push(add, 0, 1, 1);
    CHECK(q.reduces(kA, kX, 4));
    CHECK_FALSE(q.reduces(kB, kX, 4));
    q.perform(300, m);  // held back behind the store, and both go on to memory in order
    CHECK(m.word(kX) == 7);
    CHECK_FALSE(q.reduces(kA, kX, 4));
}

TEST_CASE("a reduction that is held waits until it is told, or until its thread acts there again",
          "[RED-018][ATOM-029]")
{
    StoreQueue q({100, 100}, 1);
    Bytes m;
    Store add = store(kA, kX, 1, false);
    add.reduce = 1;
    q.push(store(kA, kX, 5, false), 0, 90, 90);
    const StoreQueue::Id first = q.hold(add);
    CHECK(q.holds());
    q.perform(50, m);
    CHECK(q.reduces(kA, kX, 4));
    CHECK_FALSE(q.reduces(kB, kX, 4));
    q.performHeld(first, 60, m);  // after the older store, which was not due
    REQUIRE(m.everyone.size() == 2);
    CHECK(m.everyone[0].reduce == 0);
    CHECK(m.everyone[1].reduce == 1);
    CHECK_FALSE(q.holds());
    q.performHeld(first, 61, m);  // once
    CHECK(m.everyone.size() == 2);

    const StoreQueue::Id second = q.hold(add);
    CHECK(q.next() == kNever);
    q.perform(10'000, m);
    CHECK(m.everyone.size() == 2);
    q.settle(kA, kX, 4, 10'001, m);
    CHECK(m.everyone.size() == 3);
    q.performHeld(second, 10'002, m);
    CHECK(m.everyone.size() == 3);
    CHECK(q.empty());
}

TEST_CASE("announcements count each store once for each reach", "[BAR-014][CLU-016]")
{
    StoreQueue q({500, 500}, 5);
    Bytes m;
    q.push(store(kA, kX, 5), 0, 300, 400);
    q.push(store(kB, kY, 5), 0, 300, 400);
    CHECK(q.announce(kA, Reach::Cta, 0) == 1);
    CHECK(q.announce(kA, Reach::Cta, 1) == 0);
    CHECK(q.announce(kA, Reach::Everyone, 1) == 2);
    CHECK(q.announce(kB, Reach::Everyone, 0) == 0);
    q.perform(300, m);
    q.push(store(kA, kY + 4, 5), 301, 400, 500);
    CHECK(q.announce(kA, Reach::Cta, 1) == 1);  // what its CTA sees is not outstanding towards it
    CHECK(q.announce(kA, Reach::Everyone, 0) == 1);
}

TEST_CASE("a reduction that is held is announced when it has left: before, who waits for it may be "
          "in its way",
          "[RED-018][CLU-016]")
{
    StoreQueue q({100, 100}, 1);
    Bytes m;
    Store add = store(kA, kX, 1, false);
    add.reduce = 1;
    const StoreQueue::Id id = q.hold(add);
    CHECK(q.announce(kA, Reach::Cta, 0) == 0);
    CHECK(q.announce(kA, Reach::Everyone, 0) == 0);
    q.left(id);
    CHECK(q.announce(kA, Reach::Cta, 0) == 1);
    CHECK(q.announce(kA, Reach::Everyone, 1) == 1);
    q.performHeld(id, 10, m);
    q.left(id);  // long gone
    CHECK(q.empty());
}

TEST_CASE("random stores and fences: every reader's bytes go forward only",
          "[FENCE-038][FENCE-039]")
{
    std::size_t forced = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        INFO("seed " << seed);
        std::mt19937_64 draw(seed);
        StoreQueue q({60, 200}, seed);
        Bytes m;
        // One writer, ascending values: no reader may see them go back.
        std::map<Where, std::uint32_t> seenByB, seenByC;
        for (std::uint32_t i = 1; i <= 400; ++i) {
            const Cycle now = 3 * i;
            q.perform(now, m);
            const Where at = kX + 4 * (draw() % 3);
            q.push(store(kA, at, i), now);
            if (draw() % 16 == 0) q.performOwn(1, 0, now, m), ++forced;
            if (draw() % 16 == 0) q.performWide(1, now, m), ++forced;
            if (draw() % 16 == 0) q.settle(kB, at, 4, now, m), ++forced;
            for (Where w = kX; w < kX + 12; w += 4) {
                const std::uint32_t b = m.read(q, kB, w), c = m.read(q, kC, w);
                REQUIRE(b >= seenByB[w]);
                REQUIRE(c >= seenByC[w]);
                REQUIRE(b >= c);
                seenByB[w] = b;
                seenByC[w] = c;
            }
        }
    }
    CHECK(forced > 500);
}
