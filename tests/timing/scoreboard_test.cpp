// Scoreboard and window: who stalls at the first use, and what may issue before it.
#include "catch.hpp"
#include "exec/timing/scoreboard.hpp"
#include "exec/timing/window.hpp"
#include "timing/driver.hpp"

using namespace gsu;
using namespace gsu::timing;
using namespace gsu::timing::test;

namespace {

constexpr Register kA = 1, kB = 2, kP = 77;

MemoryAccess sharedAt(std::uint64_t address)
{
    MemoryAccess m;
    m.lanes = lanesFrom(address);
    return m;
}

std::vector<Cycle> issuesOf(const Stream& s, unsigned window)
{
    TimingParams p = timingParamsOf(Target::Hopper);
    p.window = window;
    Driver d(p);
    d.add(s);
    return d.run().front().issued;
}

}  // namespace

TEST_CASE("a register is ready when its last value has arrived, and names what one waits for")
{
    Scoreboard s;
    const std::vector<Register> a{kA}, b{kB}, p{kP}, none;
    CHECK(s.ready({}, a, none).at == 0);
    s.write(a, 50, Stall::GlobalResult);
    s.write(p, 9, Stall::Fixed);
    CHECK(s.ready({}, a, none).at == 50);
    CHECK(s.ready({}, a, none).cause == Stall::GlobalResult);
    CHECK(s.ready({}, p, none).at == 9);
    CHECK(s.ready({}, none, a).at == 50);  // a new value may not overtake the load
    CHECK(s.ready({}, none, p).at == 0);   // of an arithmetic pipe it cannot
    CHECK(s.ready({}, b, b).at == 0);
    CHECK(s.last().at == 50);
    s.issued(b, none, 70, 0, Stall::Fixed);
    CHECK(s.ready({}, none, b).at == 71);
    CHECK(s.ready({}, b, none).at == 0);
    CHECK(s.version(kA) == 1);
    CHECK(s.version(kB) == 0);
}

TEST_CASE("a load stalls the first instruction that uses it, not the next one")
{
    Stream s;
    s.load(kA, 0, sharedAt(0));
    s.op(InstructionClass::Fma, {10}, {0}).op(InstructionClass::Fma, {11}, {0});
    s.op(InstructionClass::Fma, {12}, {kA}).op(InstructionClass::Fma, {13}, {0});
    CHECK(issuesOf(s, 1) == std::vector<Cycle>{0, 1, 2, 24, 25});
}

TEST_CASE("in a window of 16 what is independent issues before a stalled instruction, loads too")
{
    Stream s;
    s.load(kA, 0, sharedAt(0)).op(InstructionClass::Fma, {12}, {kA});
    s.op(InstructionClass::Fma, {13}, {0}).load(kB, 0, sharedAt(128));
    s.op(InstructionClass::Fma, {14}, {kB});
    CHECK(issuesOf(s, 16) == std::vector<Cycle>{0, 24, 1, 2, 26});
    CHECK(issuesOf(s, 1) == std::vector<Cycle>{0, 24, 25, 26, 50});
}

TEST_CASE("the window holds as many instructions as it is wide")
{
    Stream s;
    s.load(kA, 0, sharedAt(0)).op(InstructionClass::Fma, {12}, {kA});
    for (Register r = 20; r < 26; ++r) s.op(InstructionClass::Fma, {r}, {0});
    // The fifth instruction after the stalled one has to wait for it.
    CHECK(issuesOf(s, 5) == std::vector<Cycle>{0, 24, 1, 2, 3, 4, 25, 26});
    CHECK(issuesOf(s, 2) == std::vector<Cycle>{0, 24, 1, 25, 26, 27, 28, 29});
    // The same further on, with other instructions before it.
    Stream t;
    for (Register r = 30; r < 34; ++r) t.op(InstructionClass::Fma, {r}, {0});
    t.load(kA, 0, sharedAt(0)).op(InstructionClass::Fma, {12}, {kA});
    for (Register r = 20; r < 23; ++r) t.op(InstructionClass::Fma, {r}, {0});
    CHECK(issuesOf(t, 3) == std::vector<Cycle>{0, 1, 2, 3, 4, 28, 5, 6, 29});
}

TEST_CASE("nothing passes what is fixed, in neither direction")
{
    Stream s;
    s.load(kA, 0, sharedAt(0)).op(InstructionClass::Fma, {12}, {kA});
    s.fixed(InstructionClass::Control).op(InstructionClass::Fma, {13}, {0});
    CHECK(issuesOf(s, 16) == std::vector<Cycle>{0, 24, 25, 26});
}

TEST_CASE("a load passes no store that may alias, and a store no load")
{
    Stream s;
    s.load(kA, 0, sharedAt(0)).store(kA, 0, sharedAt(256));
    s.load(10, 0, sharedAt(128));  // the same base, other bytes
    s.load(11, 0, sharedAt(256));  // the stored ones
    s.load(12, 5, sharedAt(512));  // another base
    CHECK(issuesOf(s, 16) == std::vector<Cycle>{0, 24, 1, 25, 26});
    Stream t;
    t.load(kA, 0, sharedAt(0)).load(kB, kA, sharedAt(0)).store(0, 6, sharedAt(640));
    CHECK(issuesOf(t, 16) == std::vector<Cycle>{0, 24, 25});
}

TEST_CASE("a register is not given a new value before its readers have issued")
{
    Stream s;
    s.load(kA, 0, sharedAt(0)).op(InstructionClass::Fma, {12}, {kA, 20});
    s.op(InstructionClass::Fma, {20}, {0}).op(InstructionClass::Fma, {21}, {0});
    CHECK(issuesOf(s, 16) == std::vector<Cycle>{0, 24, 25, 1});
}

TEST_CASE("a warp that waited goes on from there")
{
    Window w(4);
    w.begin(100);
    CHECK(w.earliest(Order::Free).at == 100);
    w.issued(Order::Fixed, 100, 12, Stall::Issue);
    CHECK(w.earliest(Order::Free).at == 112);
    w.block(500);
    CHECK(w.earliest(Order::Free).at == 500);
    CHECK(w.front() == 500);
}
