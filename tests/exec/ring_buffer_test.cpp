// Queues and states that the executor keeps in fixed places.
#include <deque>

#include "base/random.hpp"
#include "catch.hpp"
#include "exec/state/ring.hpp"
#include "exec/warps/barrier_words.hpp"

using namespace gsu;

TEST_CASE("a ring is a queue, whatever it has been through", "[exec]")
{
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    std::uint64_t random = seed;
    exec::Ring<int> ring;
    std::deque<int> queue;
    std::size_t most = 0, taken = 0;
    for (int step = 0; step < 5000; ++step) {
        const std::uint64_t dice = splitmix64(random) % 8;
        if (dice < 4 || queue.empty()) {
            ring.push(step);
            queue.push_back(step);
        } else if (dice < 7) {
            REQUIRE(ring.front() == queue.front());
            ring.pop();
            queue.pop_front();
        } else {
            const std::size_t i = splitmix64(random) % queue.size();
            REQUIRE(ring.take(i) == queue[i]);
            queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(i));
            taken += i != 0;
        }
        most = std::max(most, queue.size());
        REQUIRE(ring.size() == queue.size());
        for (std::size_t i = 0; i < queue.size(); i += 7) REQUIRE(ring[i] == queue[i]);
    }
    REQUIRE(most > 16);  // it grew
    REQUIRE(taken > 100);
}

TEST_CASE("barrier words are known once they were committed", "[exec]")
{
    exec::BarrierWords words;
    REQUIRE(words.named(3) == nullptr);
    REQUIRE(words.mbarrier(8) == nullptr);
    words.setNamed(3, 0);
    REQUIRE(*words.named(3) == 0);
    REQUIRE(words.named(4) == nullptr);
    REQUIRE(words.named(99) == nullptr);
    words.setMbarrier(16, 64, 7);
    REQUIRE(*words.mbarrier(16) == 7);
    REQUIRE(words.mbarrier(24) == nullptr);
    REQUIRE(words.mbarrier(4096) == nullptr);
    words.setMbarrier(64, 64, 9);  // beyond the window
    REQUIRE(words.mbarrier(64) == nullptr);
}
