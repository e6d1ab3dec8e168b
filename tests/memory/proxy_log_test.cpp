// The async proxy's view of generic stores: nothing new without a fence until the bound, everything after it.
#include <cstring>

#include "catch.hpp"
#include "exec/visibility/proxy_log.hpp"

using namespace gsu;
using namespace gsu::visibility;

namespace {

struct Cell {
    std::uint32_t value{};
    void set(ProxyLog& log, std::uint64_t by, std::uint32_t next, Cycle now)
    {
        std::uint8_t old[4];
        std::memcpy(old, &value, 4);
        log.wrote(by, 0x1000, 4, old, now);
        value = next;
    }
    [[nodiscard]] std::uint32_t seenBy(ProxyLog& log, std::uint64_t cta, Cycle now) const
    {
        std::uint8_t raw[4];
        std::memcpy(raw, &value, 4);
        log.view(cta, 0x1000, 4, raw, now);
        std::uint32_t seen = 0;
        std::memcpy(&seen, raw, 4);
        return seen;
    }
};

}  // namespace

TEST_CASE("without a proxy fence a copy may read what was there before, never beyond the bound",
          "[FENCE-024][FENCE-027]")
{
    unsigned stale = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        INFO("seed " << seed);
        ProxyLog log(1000, seed);
        Cell c;
        c.set(log, 1, 1, 0);
        c.set(log, 1, 2, 10);
        std::uint32_t last = 0;
        for (Cycle now = 11; now < 1012; now += 50) {
            const std::uint32_t seen = c.seenBy(log, 1, now);
            REQUIRE(seen >= last);
            last = seen;
            stale += seen != 2 ? 1 : 0;
        }
        REQUIRE(c.seenBy(log, 1, 1012) == 2);
        REQUIRE(log.empty());
    }
    CHECK(stale > 40);
}

TEST_CASE("a proxy fence of one state space is about that memory only, without one about both",
          "[FENCE-026]")
{
    using Of = ProxyLog::Of;
    constexpr Where kShared = 0x1000;
    const Where global = (Where{1} << 32) + 0x1000;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        INFO("seed " << seed);
        for (const Of of : {Of::Shared, Of::Global, Of::Both}) {
            ProxyLog log(100000, seed);
            const std::uint8_t old = 1;
            log.wrote(1, kShared, 1, &old, 0);
            log.wrote(1, global, 1, &old, 0);
            log.fence(1, of);
            std::uint8_t shared = 2, far = 2;
            log.view(1, kShared, 1, &shared, 1);
            log.view(1, global, 1, &far, 1);
            CHECK(shared == (of == Of::Global ? 1 : 2));
            CHECK(far == (of == Of::Shared ? 1 : 2));
        }
    }
}

TEST_CASE("a proxy fence shows the CTA's copies everything, other CTAs' what its CTA has stored",
          "[FENCE-024]")
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        INFO("seed " << seed);
        ProxyLog log(100000, seed);
        Cell c;
        c.set(log, 1, 5, 0);
        log.fence(2);  // the reader's CTA
        CHECK(c.seenBy(log, 2, 1) == 5);
        c.set(log, 1, 6, 2);
        log.fence(1);  // the writer's
        CHECK(c.seenBy(log, 2, 3) == 6);
        CHECK(c.seenBy(log, 3, 3) == 6);
    }
}

TEST_CASE("asynchronous writes are seen by asynchronous reads", "[FENCE-024]")
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        INFO("seed " << seed);
        ProxyLog log(100000, seed);
        Cell c;
        c.set(log, 1, 5, 0);
        c.value = 9;
        log.overwritten(0x1000, 4, 1);
        CHECK(c.seenBy(log, 1, 2) == 9);
        CHECK(c.seenBy(log, 2, 2) == 9);
    }
}

TEST_CASE("more stores than the log has room for at first are all remembered", "[FENCE-024]")
{
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        INFO("seed " << seed);
        ProxyLog log(100000, seed);
        constexpr unsigned kStores = 700;
        const auto place = [](unsigned i) { return Where{0x1000} + 64 * i; };
        for (unsigned i = 0; i < kStores; ++i) {
            const auto old = static_cast<std::uint8_t>(i % 251);
            log.wrote(1, place(i), 1, &old, i);
        }
        unsigned late = 0;
        for (unsigned i = 0; i < kStores; ++i) {
            std::uint8_t seen = 255;
            log.view(2, place(i), 1, &seen, kStores);
            REQUIRE((seen == 255 || seen == i % 251));
            late += seen != 255;
        }
        CHECK(late > kStores * 9 / 10);
        log.fence(1);
        for (unsigned i = 0; i < kStores; ++i) {
            std::uint8_t seen = 255;
            log.view(2, place(i), 1, &seen, kStores);
            REQUIRE(seen == 255);
        }
    }
}
