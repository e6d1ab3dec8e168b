// Warp-wide operations as exact cycle counts at the port; rtl/doc/calibration.md says which parameters add up to each.
#include "catch.hpp"
#include "exec/timing/unit_values.hpp"
#include "golden/params.hpp"
#include "verilated/events.hpp"
#include "verilated/rtl_port.hpp"

using namespace gsu;

namespace {

/// Clocks from presenting the operation of a whole warp to its first answer; `values` different operands.
Cycle clocks(const Config& config, Op op, unsigned kind, unsigned values)
{
    RtlPort port(1, config);
    test::EventLog log;
    port.setSink(log);
    while (!port.launch({.threads = 32, .size = 64})) port.step();
    for (int i = 0; i < 50; ++i) port.step();
    SyncRequest r;
    r.op = op;
    r.lanes = r.arg0 = ~Lanes{0};
    r.kind = std::uint8_t(kind);
    for (unsigned lane = 0; lane < 32; ++lane) r.data[lane] = lane % values;
    const Cycle start = port.now();
    port.present(r);
    for (int i = 0; i < 1000 && log.responses.empty(); ++i) port.step();
    REQUIRE_FALSE(log.responses.empty());
    return log.responses[0].cycle - start;
}
Cycle clocks(Preset preset, Op op, unsigned kind, unsigned values)
{
    return clocks(configOf(preset), op, kind, values);
}

}  // namespace

TEST_CASE("redux and match against published figures, lanes with different values",
          "[verilated][calibration]")
{
    CHECK(clocks(Preset::Hopper, Op::Redux, kReduxAdd, 32) == 44);
    CHECK(clocks(Preset::Blackwell, Op::Redux, kReduxAdd, 32) == 44);
    CHECK(clocks(Preset::Blackwell, Op::Redux, kReduxMinU, 32) == 18);
    CHECK(clocks(Preset::Hopper, Op::Redux, kReduxMinU, 32) == 44);
    CHECK(clocks(Preset::Hopper, Op::MatchAny, kMatchB32, 32) == 375);
    CHECK(clocks(Preset::Hopper, Op::MatchAll, kMatchB32, 32) == 375);
}

TEST_CASE("one value for all lanes is one beat, and seven clocks less", "[verilated][calibration]")
{
    CHECK(clocks(Preset::Hopper, Op::Redux, kReduxAdd, 1) == 37);
    CHECK(clocks(Preset::Hopper, Op::MatchAny, kMatchB32, 1) == 368);
}

TEST_CASE("votes take what bar.warp.sync takes", "[verilated][calibration]")
{
    const Cycle sync = clocks(Preset::Hopper, Op::WarpSync, 0, 1);
    CHECK(sync == 6);
    for (const Op op : {Op::VoteSync, Op::Vote, Op::Elect, Op::ActiveMask})
        CHECK(clocks(Preset::Hopper, op, 0, 1) == sync);
}

TEST_CASE("warp-wide operations with the values of the timing of Hopper",
          "[verilated][calibration]")
{
    const Config config = timing::unitConfigOf(timing::Target::Hopper);
    CHECK(clocks(config, Op::VoteSync, 0, 1) == 12);
    CHECK(clocks(config, Op::WarpSync, 0, 1) == 2);
    CHECK(clocks(config, Op::MatchAny, kMatchB32, 1) == 28);
}
