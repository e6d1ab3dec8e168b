// The cost of an instruction of each class, and which accesses may be the same.
#include "catch.hpp"
#include "timing/driver.hpp"

using namespace gsu;
using namespace gsu::timing;
using namespace gsu::timing::test;

namespace {

/// Clocks of one more instruction of the class: of a chain, or of independent ones, of `warps` warps of one scheduler.
Cycle perInstruction(InstructionClass cls, bool chain, Target target = Target::Hopper)
{
    const auto end = [&](unsigned count) {
        Stream s;
        for (unsigned i = 0; i < count; ++i) {
            const Register d = chain ? 0 : 1 + i;
            s.op(cls, {d}, {chain ? d : 0u});
        }
        s.op(InstructionClass::Branch, {},
             chain ? std::vector<Register>{0} : std::vector<Register>{});
        TimingParams p = timingParamsOf(target);
        p.window = 1;
        Driver d(p);
        d.add(s);
        return d.run().front().issued.back();
    };
    return (end(164) - end(100)) / 64;
}

}  // namespace

TEST_CASE("latency of a chain and interval of independent instructions, by class")
{
    struct Expected {
        InstructionClass cls;
        Cycle chain, apart;
    };
    using enum InstructionClass;
    const std::vector<Expected> hopper{{Fma, 4, 1},    {MinMax, 4, 2},      {Integer, 4, 2},
                                       {Wide, 6, 4},   {Convert, 5, 2},     {Special, 17, 8},
                                       {Count, 17, 8}, {Reciprocal, 39, 8}, {Shuffle, 24, 4},
                                       {Double, 8, 2}, {MmaSync, 24, 6},    {Half, 8, 1}};
    for (const Expected& e : hopper) {
        INFO("class " << static_cast<int>(e.cls));
        CHECK(perInstruction(e.cls, true) == e.chain);
        CHECK(perInstruction(e.cls, false) == e.apart);
    }
    CHECK(perInstruction(MmaSync, true, Target::Blackwell) == 26);
    CHECK(perInstruction(MmaSync, false, Target::Blackwell) == 8);
    CHECK(perInstruction(Packed, false, Target::Blackwell) == 2);
    CHECK(perInstruction(Special, true, Target::Blackwell) == 14);
}

TEST_CASE("a class holds its warp, not its scheduler")
{
    const auto gap = [](InstructionClass cls) {
        Stream s;
        s.fixed(cls).fixed(InstructionClass::Control);
        Driver d(timingParamsOf(Target::Hopper));
        d.add(s, 0, 0);
        d.add(s, 0, 4);
        const auto traces = d.run();
        CHECK(traces[1].issued[0] == 1);  // the other warp of the scheduler
        return traces[0].issued[1] - traces[0].issued[0];
    };
    CHECK(gap(InstructionClass::BackEdge) == 12);
    CHECK(gap(InstructionClass::Copy) == 33);
    CHECK(gap(InstructionClass::Multicast) == 35);
    CHECK(gap(InstructionClass::Arrive) == 6);
    CHECK(gap(InstructionClass::Clock) == 11);
    CHECK(gap(InstructionClass::Product) == 4);
}

TEST_CASE("accesses alias unless the assembler could tell them apart")
{
    using Space = Footprint::Space;
    const Footprint a{Space::Global, 1, 5, 0, 16};
    CHECK(mayAlias(a, {Space::Global, 1, 5, 15, 1}));
    CHECK_FALSE(mayAlias(a, {Space::Global, 1, 5, 16, 16}));
    CHECK_FALSE(mayAlias({Space::Global, 1, 5, 16, 16}, a));
    CHECK(mayAlias(a, {Space::Global, 1, 6, 16, 16}));  // the base was written in between
    CHECK(mayAlias(a, {Space::Global, 2, 5, 16, 16}));
    CHECK_FALSE(mayAlias(a, {Space::Shared, 1, 5, 0, 16}));
    CHECK(mayAlias(a, {Space::Any, 1, 5, 64, 16}));
    CHECK_FALSE(mayAlias(a, {Space::Constant, 1, 5, 0, 16}));
}
