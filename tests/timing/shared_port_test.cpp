// Bank conflicts from addresses, and the port that everyone shares.
#include "catch.hpp"
#include "timing/driver.hpp"

using namespace gsu;
using namespace gsu::timing;
using namespace gsu::timing::test;

TEST_CASE("words of one bank take a wavefront each; equal words share one")
{
    for (const unsigned degree : {1u, 2u, 4u, 8u, 16u, 32u}) {
        INFO("stride " << degree << " words");
        CHECK(wavefronts(lanesFrom(0, 4, 4 * degree)) == degree);
    }
    CHECK(wavefronts(lanesFrom(0, 4, 4 * 33)) == 1);
    CHECK(wavefronts(lanesFrom(64, 4, 0)) == 1);  // a broadcast
    CHECK(wavefronts(lanesFrom(0, 1, 1)) == 1);
    CHECK(wavefronts(lanesFrom(0, 2, 2)) == 1);
    CHECK(wavefronts(lanesFrom(0, 4, 128, 5)) == 5);  // active lanes only
    CHECK(wavefronts(lanesFrom(0, 4, 4, 0)) == 0);
}

TEST_CASE("vector accesses go by half warps and quarter warps")
{
    CHECK(wavefronts(lanesFrom(0, 8, 8)) == 2);
    CHECK(wavefronts(lanesFrom(0, 8, 8, 16)) == 1);
    CHECK(wavefronts(lanesFrom(0, 16, 16)) == 4);
    CHECK(wavefronts(lanesFrom(0, 16, 16, 8)) == 1);
    CHECK(wavefronts(lanesFrom(0, 16, 128)) == 32);  // rows of 128 bytes: 8-way in each quarter
    CHECK(wavefronts(lanesFrom(0, 8, 128)) == 32);
    CHECK(wavefronts(lanesFrom(0, 16, 144)) == 4);  // padded rows
    CHECK(wavefronts(lanesFrom(0, 16, 0)) == 4);    // each quarter asks for itself
}

TEST_CASE("lanes that want the same bytes in pairs share what a wavefront returns")
{
    const auto ways = [](unsigned shift, unsigned bytes, Pairs pairs = Pairs::Together) {
        LaneAccess access = lanesFrom(0, bytes, 0);
        for (unsigned l = 0; l < 32; ++l) access.address[l] = std::uint64_t{bytes} * (l >> shift);
        return wavefronts(access, pairs);
    };
    CHECK(ways(1, 16) == 2);  // T0 = T1, T2 = T3
    CHECK(ways(1, 8) == 1);
    CHECK(ways(0, 16) == 4);
    CHECK(ways(0, 8) == 2);
    CHECK(ways(5, 16) == 2);  // all the same
    CHECK(ways(5, 8) == 1);
    CHECK(ways(1, 4) == 1);
    CHECK(ways(1, 16, Pairs::Apart) == 4);  // stores, ldmatrix
    LaneAccess access = lanesFrom(0, 16, 0);
    for (unsigned l = 0; l < 32; ++l) access.address[l] = 16 * (l / 4 * 2 + l % 2);  // T0 = T2
    CHECK(wavefronts(access, Pairs::Together) == 2);
    access.address[31] += 128;  // one lane is enough
    CHECK(wavefronts(access, Pairs::Together) > 2);
    access.lanes = ~(Lanes{1} << 31);
    CHECK(wavefronts(access, Pairs::Together) == 2);
}

TEST_CASE("a load from L1 takes as long as its values need to the registers")
{
    CHECK(returns(lanesFrom(0, 16, 16)) == 4);
    CHECK(returns(lanesFrom(0, 16, 0)) == 2);
    CHECK(returns(lanesFrom(0, 8, 8)) == 2);
    CHECK(returns(lanesFrom(0, 4, 0)) == 1);
    CHECK(returns(lanesFrom(0, 1, 1)) == 1);
    CHECK(returns(lanesFrom(0, 16, 16, 8)) == 1);  // one quarter
    CHECK(returns(lanesFrom(0, 16, 16, 0)) == 0);
}

TEST_CASE("ldmatrix: rows without a swizzle conflict eightfold, swizzled ones do not")
{
    LaneAccess rows = lanesFrom(0, 16, 128);
    CHECK(wavefronts(rows) == 32);
    for (unsigned l = 0; l < 32; ++l) rows.address[l] = 128 * l + 16 * (l % 8);
    CHECK(wavefronts(rows) == 4);
}

TEST_CASE("128 bytes a clock, in order, and warps before the rest")
{
    SharedPort port(128);
    CHECK(port.access(ticksOf(5), 1) == Span{5'000, 6'000});
    CHECK(port.access(ticksOf(5), 4) == Span{6'000, 10'000});
    CHECK(port.stream(ticksOf(5), 1280) == Span{10'000, 20'000});
    CHECK(port.stream(ticksOf(5), 1280, 500) == Span{20'000, 25'000});
    CHECK(port.access(ticksOf(12), 2) == Span{12'000, 14'000});
    CHECK(port.stream(ticksOf(12), 128).end == 28'000);
    CHECK(port.busy() == 23'000);
}

TEST_CASE("a conflict delays the load that has it and those behind it")
{
    MemoryAccess plain, conflict;
    plain.lanes = lanesFrom(0);
    conflict.lanes = lanesFrom(0, 4, 128);
    Stream s;
    s.load(1, 0, conflict).load(2, 0, plain);
    Driver d(timingParamsOf(Target::Hopper));
    d.add(s);
    const Trace t = d.run().front();
    CHECK(t.issued == std::vector<Cycle>{0, 1});
    CHECK(t.results == std::vector<Cycle>{24 + 2 * 31, 1 + 24 + 31});
}

TEST_CASE("a store holds nobody, a fence waits for it")
{
    MemoryAccess m;
    m.where = MemoryAccess::Where::Global;
    m.lanes = lanesFrom(0x10000);
    Stream s;
    s.store(1, 0, m).op(InstructionClass::Fma, {2}, {3}).drain();
    Driver d(timingParamsOf(Target::Hopper));
    d.add(s);
    const Trace t = d.run().front();
    CHECK(t.issued == std::vector<Cycle>{0, 1, 2});
    CHECK(t.results[0] == 296);        // a far line: 294, and 128 bytes at 72 a clock
    CHECK(t.results[2] == 296 - 140);  // when the fence begins, whose own time is the unit's
}
