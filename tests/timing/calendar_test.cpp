// Calendar and IssueSlots, Server and Timetable: who gets which clock.
#include <random>

#include "catch.hpp"
#include "exec/timing/issue_slots.hpp"
#include "exec/timing/priority_server.hpp"

using namespace gsu;
using namespace gsu::timing;

TEST_CASE("a calendar gives the first free clocks in a row, before those taken in the future too")
{
    Calendar c;
    CHECK(c.take(10, Pipe::None, 0) == 10);
    CHECK(c.take(10, Pipe::None, 0) == 11);
    CHECK(c.take(100, Pipe::Alu, 4) == 100);
    CHECK(c.take(98, Pipe::Alu, 1) == 98);
    CHECK(c.take(97, Pipe::Alu, 4) == 104);
    CHECK(c.take(10, Pipe::Alu, 64) == 12);
    CHECK(c.take(12, Pipe::Alu, 2) == 76);
    CHECK(c.take(12, Pipe::Fma, 64) == 13);  // the other pipe is free, the scheduler's clock is not
    CHECK(c.busy(Pipe::None) == 8);
    CHECK(c.busy(Pipe::Alu) == 4 + 1 + 4 + 64 + 2);
    CHECK(c.busy(Pipe::Fma) == 64);
}

TEST_CASE("a calendar forgets what is past, and notes nothing that is too far ahead")
{
    Calendar c;
    CHECK(c.take(5, Pipe::Alu, 1) == 5);
    c.forget(Calendar::kAhead + 70);
    // The first clock that is still known.
    CHECK(c.take(5, Pipe::Alu, 1) == Calendar::kAhead + 64);
    CHECK(c.take(Calendar::kAhead + 69, Pipe::Alu, 1) == Calendar::kAhead + 69);
    const Cycle far = 3 * Calendar::kAhead;
    CHECK(c.take(far, Pipe::Alu, 1) == far);
    CHECK(c.take(far, Pipe::Alu, 1) == far);
}

TEST_CASE("clocks that are kept delay what uses the pipe, and nothing else")
{
    KeptClocks kept;
    kept.leave(Pipe::Special, 24, 8);    // three runs of 8 in 32 clocks
    kept.leave(Pipe::Alu, 20, 4);        // five of 4
    kept.leave(Pipe::LoadStore, 40, 4);  // more than there are: none is kept
    Calendar c;
    CHECK(c.lead() == Calendar::kLead);
    c.keep(10, 1930, kept);
    CHECK(c.lead() == Calendar::kShortLead);
    Cycle at = 0;
    std::vector<Cycle> issued;
    for (unsigned i = 0; i < 182; ++i) issued.push_back(at = c.take(at, Pipe::Special, 8));
    CHECK(issued.front() == 0);
    CHECK(issued[1] == 8);  // the clocks from 10 to 17 are a run
    CHECK(issued[2] == 21);
    CHECK(issued[92] - issued[2] == 90 / 3 * 32);
    CHECK(issued[170] - issued[2] == 168 / 3 * 32);
    CHECK(c.take(1990, Pipe::Special, 8) == 1990);  // nothing is kept from there on
    for (unsigned i = 0; i < 100; ++i) at = c.take(i == 0 ? 64 : at, Pipe::Alu, 2);
    CHECK(at >= 64 + 99 / 10 * 32);
    CHECK(at < 64 + 130 / 10 * 32);  // some clocks of the scheduler are taken
    CHECK(c.take(200, Pipe::LoadStore, 4) < 204);
    CHECK(c.take(300, Pipe::Fma, 1) < 304);
}

TEST_CASE("a calendar does what lists of all clocks do")
{
    const unsigned seed = 7;
    INFO("seed " << seed);
    std::mt19937 random(seed);
    Calendar c;
    constexpr std::array kAll{Pipe::None, Pipe::Fma, Pipe::Alu, Pipe::Tensor};
    std::array<std::vector<bool>, kAll.size()> taken;
    for (std::vector<bool>& t : taken) t.resize(Calendar::kAhead);
    unsigned moved = 0;
    for (unsigned i = 0; i < 3000; ++i) {
        const Cycle at = Cycle{random() % 3000};
        const auto pipe = random() % kAll.size();
        const auto clocks = static_cast<unsigned>(pipe == 0            ? 1
                                                  : random() % 50 == 0 ? 33 + random() % 32
                                                                       : 1 + random() % 3);
        const auto isTaken = [&](std::size_t row, Cycle t) {
            return t < Calendar::kAhead && taken[row][t];
        };
        Cycle want = at;
        for (unsigned k = 0; k < clocks; ++k) {
            if (!isTaken(pipe, want + k) && !isTaken(0, want)) continue;
            ++want;
            k = ~0u;
        }
        if (want + clocks >= Calendar::kAhead) break;
        moved += want != at ? 1 : 0;
        REQUIRE(c.take(at, kAll[pipe], clocks) == want);
        taken[0][want] = true;
        for (unsigned k = 0; k < clocks; ++k) taken[pipe][want + k] = true;
    }
    CHECK(moved > 1000);
}

TEST_CASE("a scheduler issues once a clock, and its pipes take their time; others do not wait")
{
    IssueSlots s;
    CHECK(s.of(0).take(0, Pipe::Fma, 1) == 0);
    CHECK(s.of(0).take(0, Pipe::Fma, 1) == 1);
    CHECK(s.of(0).take(0, Pipe::Special, 8) == 2);
    CHECK(s.of(0).take(0, Pipe::Special, 8) == 10);
    CHECK(s.of(0).take(0, Pipe::Alu, 2) == 3);
    CHECK(s.of(0).take(0, Pipe::Alu, 2) == 5);
    CHECK(s.of(0).take(0, Pipe::None, 0) == 4);
    CHECK(s.of(1).take(0, Pipe::Special, 8) == 0);
    CHECK(s.issued() == 8);
    CHECK(s.busy(Pipe::Special) == 24);
}

TEST_CASE("a server takes one after the other, and is idle until somebody comes")
{
    Server s;
    CHECK(s.take(1000, 500) == Span{1000, 1500});
    CHECK(s.take(1200, 500) == Span{1500, 2000});
    CHECK(s.take(9000, 1) == Span{9000, 9001});
    CHECK(s.busy() == 1001);
}

TEST_CASE("a timetable gives time before what was announced for later, and loses none of it")
{
    Timetable t;
    CHECK(t.take(5'000, 3'000) == Span{5'000, 8'000});
    CHECK(t.take(6'000, 1'000) == Span{8'000, 9'000});
    CHECK(t.take(640'000, 64'000) == Span{640'000, 704'000});
    CHECK(t.take(10'000, 2'000) == Span{10'000, 12'000});
    // Across the taken clocks: 32 clocks before them, the rest after.
    CHECK(t.take(608'000, 40'000) == Span{608'000, 712'000});
    CHECK(t.busy() == 110'000);
}

TEST_CASE("a timetable that is full for long costs no search, and ends where a server would")
{
    Timetable t;
    Server s;
    for (unsigned i = 0; i < 5000; ++i) {
        const Ticks ready = Ticks{i} * 1000;
        REQUIRE(t.take(ready, 2500).end == s.take(ready, 2500).end);
    }
}

TEST_CASE("warps' accesses go first, and push back what is announced after them")
{
    PriorityServer s;
    CHECK(s.rest(0, 64'000) == Span{0, 64'000});
    CHECK(s.first(10'000, 2'000) == Span{10'000, 12'000});
    CHECK(s.first(10'000, 2'000) == Span{12'000, 14'000});
    CHECK(s.rest(0, 10'000).end == 64'000 + 4'000 + 10'000);
    CHECK(s.busy() == 78'000);
}
