// Schedulers and what they are driven by, without a kernel: picks, time, events.
#include <bit>
#include <random>
#include <set>

#include "catch.hpp"
#include "exec/parts.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

/// Notes who issues, and lets each warp issue again after `every` clocks.
struct IssueLog final : exec::Schedulers::Issuer {
    std::uint32_t issue(exec::Warp& warp) override
    {
        order.push_back(warp.index);
        warp.nextAt = now + every;
        return busy;
    }
    void computeOn(exec::Scheduler&, Cycle) override { FAIL("no warp is ahead"); }
    Cycle now{}, every{1};
    std::uint32_t busy{1};
    std::vector<unsigned> order;
};

}  // namespace

TEST_CASE("four schedulers issue one warp each, in warp order", "[exec]")
{
    Parts p(shapeOf(256, 0));
    p.launch();
    const Cycle first = p.options.params.launch_lat;
    REQUIRE(p.schedulers.next() == 0);  // not looked at yet
    IssueLog log;
    p.schedulers.run(log);
    REQUIRE(log.order.empty());
    REQUIRE(p.schedulers.next() == first);
    p.to(first);
    log.now = first;
    p.schedulers.run(log);
    REQUIRE(log.order.size() == 4);
    std::set<unsigned> owners;
    for (std::size_t i = 0; i < 4; ++i) {
        if (i != 0) REQUIRE(log.order[i - 1] < log.order[i]);
        owners.insert(log.order[i] % 4);
    }
    REQUIRE(owners.size() == 4);
}

TEST_CASE("a scheduler is busy for as many clocks as its warp issued", "[exec]")
{
    Parts p(shapeOf(32, 0));
    p.launch();
    IssueLog log;
    log.busy = 5;
    log.now = p.options.params.launch_lat;
    p.to(log.now);
    p.schedulers.run(log);
    REQUIRE(log.order.size() == 1);
    for (Cycle c = log.now + 1; c < log.now + 5; ++c) {
        p.to(c);
        p.schedulers.run(log);
        REQUIRE(log.order.size() == 1);
        REQUIRE(p.schedulers.next() == log.now + 5);
    }
    p.to(log.now + 5);
    p.schedulers.run(log);
    REQUIRE(log.order.size() == 2);
}

TEST_CASE("a roused warp issues, one that was removed does not", "[exec]")
{
    Parts p(shapeOf(64, 0));
    p.launch();
    REQUIRE(p.schedulers.takeRoused());
    REQUIRE_FALSE(p.schedulers.takeRoused());
    IssueLog log;
    p.to(100);
    log.now = 100;
    log.every = kNever - 100;
    p.schedulers.run(log);
    p.to(101);
    p.schedulers.run(log);
    REQUIRE(log.order == std::vector<unsigned>{0, 1});
    REQUIRE(p.schedulers.next() == kNever);
    p.schedulers.rouse(p.warp(1), 105);
    REQUIRE(p.schedulers.takeRoused());
    REQUIRE(p.schedulers.next() == 105);
    p.to(105);
    p.schedulers.run(log);
    REQUIRE(log.order == std::vector<unsigned>{0, 1, 1});
    p.schedulers.rouse(p.warp(0), 110);
    p.schedulers.remove(*p.residents.at(0, 0));
    p.to(110);
    p.schedulers.run(log);
    REQUIRE(log.order.size() == 3);
}

TEST_CASE("cycles follow until the end, until there is no room, or until something is stirred",
          "[exec]")
{
    struct Every final : exec::Schedulers::Issuer {
        explicit Every(exec::RunState& s) : state(s) {}
        std::uint32_t issue(exec::Warp& warp) override
        {
            at.push_back(state.now());
            state.stirred = at.size() == stirs;
            warp.nextAt = state.now() + 3;
            return 1;
        }
        void computeOn(exec::Scheduler&, Cycle) override { FAIL("no warp is ahead"); }
        exec::RunState& state;
        std::size_t stirs{};
        std::vector<Cycle> at;
    };
    Parts p(shapeOf(32, 0));
    p.launch();
    Every every(p.state);
    const Cycle first = p.options.params.launch_lat;
    p.to(first);
    p.state.progress.turn();
    p.schedulers.run(every);
    const exec::Progress::Room room{~0ull, ~0ull, ~0ull};
    p.schedulers.runOn(every, first + 10, 100, room);
    REQUIRE(every.at == std::vector<Cycle>{first, first + 3, first + 6, first + 9});
    REQUIRE(p.state.now() == first + 9);
    p.schedulers.runOn(every, first + 100, 1, room);  // the next one is too far
    REQUIRE(every.at.size() == 4);
    p.schedulers.runOn(every, first + 100, 100, {~0ull, p.state.progress.quietWork() + 32, ~0ull});
    REQUIRE(every.at.size() == 5);  // the clock behind an issue is looked at, too
    every.stirs = 7;
    p.schedulers.runOn(every, first + 100, 100, room);
    REQUIRE(every.at.size() == 7);
    REQUIRE(p.state.now() == first + 18);
}

TEST_CASE("events come in order of their cycle, then of their entry, and never at once", "[exec]")
{
    struct Log final : exec::Timed {
        void due(std::uint64_t token) override
        {
            tokens.push_back(token);
            if (token == 1) queue->at(0, 20, *this, 9);
        }
        exec::EventQueue* queue{};
        std::vector<std::uint64_t> tokens;
    } log;
    exec::EventQueue queue;
    log.queue = &queue;
    queue.at(20, 10, log, 1);
    queue.at(15, 10, log, 2);
    queue.at(20, 10, log, 3);
    queue.at(3, 10, log, 4);  // the past: the next cycle
    REQUIRE(queue.next() == 11);
    queue.deliver(10);
    REQUIRE(log.tokens.empty());
    queue.deliver(20);
    REQUIRE(log.tokens == std::vector<std::uint64_t>{4, 2, 1, 3});
    REQUIRE(queue.next() == 21);
    queue.deliver(21);
    REQUIRE(log.tokens.back() == 9);
    REQUIRE(queue.empty());
}

TEST_CASE("what moved is told apart from what only runs", "[exec]")
{
    exec::Progress p(4000);
    for (unsigned i = 0; i < 3999; ++i) p.issued(32);
    REQUIRE_FALSE(p.settled());
    p.issued(1);
    REQUIRE(p.settled());
    REQUIRE(p.threadInstructions() == 3999 * 32 + 1);
    p.changed();
    REQUIRE_FALSE(p.settled());
    REQUIRE(p.changes() == 1);
    p.setNow(64 * 4000);  // suspended waits: few instructions, many clocks
    REQUIRE(p.settled());
    p.turn();
    REQUIRE(p.quietWork() == 0);  // there was a change since it was last asked
    for (unsigned i = 0; i < 10; ++i) p.turn();
    REQUIRE(p.quietWork() == 160);
    p.ctaMoved();
    p.issued(32);
    REQUIRE(p.ctaWork() == 1);
    const std::uint64_t done = p.instructions(), quiet = p.quietWork();
    REQUIRE_FALSE(p.turnWithin({done, ~0ull, ~0ull}));
    REQUIRE_FALSE(p.turnWithin({done + 1, quiet + 15, ~0ull}));
    REQUIRE_FALSE(p.turnWithin({done + 1, quiet + 16, 16}));
    REQUIRE(p.quietWork() == quiet);
    REQUIRE(p.turnWithin({done + 1, quiet + 16, 17}));
    REQUIRE(p.quietWork() == quiet + 16);
    p.changed();
    REQUIRE(p.turnWithin({~0ull, 0, ~0ull}));  // there was a change, so it is not quiet
    REQUIRE(p.quietWork() == 0);
    while (p.turns() % exec::Progress::kLook != exec::Progress::kLook - 1)
        REQUIRE(p.turnWithin({~0ull, ~0ull, ~0ull}));
    REQUIRE_FALSE(p.turnWithin({~0ull, ~0ull, ~0ull}));
}

TEST_CASE("for turns that need no look at the room there is room, whatever they issue", "[exec]")
{
    constexpr unsigned kMost = 100;
    exec::Progress p(4000);
    p.turn();
    const auto sure = [&p](exec::Progress::Room room) { return p.turnsWithin(room, kMost); };
    p.issued(32, 7);
    CHECK(sure({7, ~0ull, ~0ull}) == 0);
    CHECK(sure({~0ull, 0, ~0ull}) == 0);
    CHECK(sure({~0ull, ~0ull, 0}) == 0);
    CHECK(sure({~0ull, ~0ull, ~0ull}) == exec::Progress::kLook - 2);
    const std::uint64_t quiet = p.quietWork() + 1200, cta = p.ctaWork() + 2400;
    for (const exec::Progress::Room room :
         {exec::Progress::Room{900, ~0ull, ~0ull}, {~0ull, quiet, ~0ull}, {~0ull, ~0ull, cta}}) {
        exec::Progress checked = p, quick = p;
        const std::uint64_t turns = quick.turnsWithin(room, kMost);
        CHECK(turns >= 7);
        for (std::uint64_t i = 0; i < turns; ++i) {
            REQUIRE(checked.turnWithin(room));
            REQUIRE(quick.turnUnchanged());
            REQUIRE(quick.quietWork() == checked.quietWork());
            checked.issued(32, kMost);
            quick.issued(32, kMost);
        }
        CHECK(quick.turnsWithin(room, kMost) <= turns / 4);
        quick.changed();
        CHECK_FALSE(quick.turnUnchanged());
        CHECK(quick.turns() == checked.turns());
    }
}

TEST_CASE("a wake queue knows who has something to do, as a list of all times does", "[exec]")
{
    const unsigned seed = 5;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    exec::WakeQueue queue;
    std::vector<Cycle> times(exec::WakeQueue::kPlaces, kNever);
    unsigned ready = 0, moved = 0;
    for (Cycle now = 0; now < 4000; ++now) {
        for (auto i = random() % 3; i != 0; --i) {
            const auto place = static_cast<std::uint32_t>(random() % times.size());
            moved += times[place] != kNever && times[place] > now ? 1 : 0;
            times[place] = random() % 8 == 0 ? kNever : now + random() % 200;
            queue.set(place, times[place]);
        }
        std::uint64_t want = 0;
        Cycle next = kNever;
        for (unsigned i = 0; i < times.size(); ++i) {
            want |= times[i] <= now ? std::uint64_t{1} << i : 0;
            next = std::min(next, times[i]);
        }
        REQUIRE(queue.ready(now) == want);
        REQUIRE(queue.next() == (want != 0 ? 0 : next));
        ready += want != 0 ? 1 : 0;
    }
    CHECK(ready > 1000);
    CHECK(moved > 500);
    queue.keep(0);
    CHECK(queue.next() == kNever);
}

TEST_CASE("a wake queue that forgets places has the times of the others", "[exec]")
{
    const unsigned seed = 3;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 300; ++round) {
        exec::WakeQueue queue;
        std::vector<Cycle> kept;
        std::uint64_t places = 0;
        std::vector<Cycle> times(20);
        for (std::uint32_t i = 0; i < times.size(); ++i)
            queue.set(i, times[i] = random() % 9 == 0 ? kNever : random() % 100);
        REQUIRE(queue.ready(random() % 50) < std::uint64_t{1} << times.size());
        for (std::uint32_t i = 0; i < times.size(); ++i) {
            if (random() % 3 == 0) continue;
            places |= std::uint64_t{1} << i;
            kept.push_back(times[i]);
        }
        queue.keep(places);
        queue.set(static_cast<std::uint32_t>(kept.size()), 60);
        kept.push_back(60);
        for (Cycle now = 50; now < 101; ++now) {
            std::uint64_t want = 0;
            for (std::size_t i = 0; i < kept.size(); ++i)
                want |= kept[i] <= now ? std::uint64_t{1} << i : 0;
            REQUIRE(queue.ready(now) == want);
        }
    }
}

TEST_CASE("a warp that alone is ready is taken from a wake queue and put back", "[exec]")
{
    const unsigned seed = 9;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    exec::WakeQueue queue;
    std::vector<Cycle> times(12);
    for (std::uint32_t i = 0; i < times.size(); ++i) queue.set(i, times[i] = random() % 100);
    const auto any = [&] { return static_cast<std::uint32_t>(random() % times.size()); };
    unsigned taken = 0, put = 0, several = 0, roused = 0;
    for (Cycle now = 0; now < 12000; ++now) {
        const Cycle next = *std::min_element(times.begin(), times.end());
        REQUIRE(queue.next() <= std::max(next, now));
        if (next > now) continue;
        const auto due =
            std::count_if(times.begin(), times.end(), [now](Cycle time) { return time <= now; });
        const std::uint32_t only = queue.only(now);
        if (only != exec::WakeQueue::kPlaces && random() % 2 == 0) {
            ++put;
            REQUIRE(due == 1);
            REQUIRE(times[only] <= now);
            queue.putOff(times[only] = now + 1 + random() % 60);
            continue;
        }
        std::uint32_t place = queue.takeOnly(now);
        if (place == exec::WakeQueue::kPlaces) {
            ++several;
            const std::uint64_t ready = queue.ready(now);
            REQUIRE(std::popcount(ready) == due);
            place = static_cast<std::uint32_t>(std::countr_zero(ready));
        } else {
            ++taken;
            REQUIRE(due == 1);
            for (auto i = random() % 3; i != 0; --i) {  // also the one that was taken
                const std::uint32_t other = any();
                roused += other == place ? 1 : 0;
                queue.set(other, times[other] = now + 1 + random() % 20);
            }
        }
        REQUIRE(times[place] <= now + 20);
        times[place] = random() % 50 == 0 ? kNever : now + 1 + random() % 60;
        queue.putBack(place, times[place]);
        if (random() % 25 != 0) continue;
        const std::uint32_t other = any();
        queue.set(other, times[other] = now + 1 + random() % 60);
    }
    CHECK(taken > 1000);
    CHECK(put > 1000);
    CHECK(several > 200);
    CHECK(roused > 50);
}
