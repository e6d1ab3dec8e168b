// griddepcontrol on the RTL, beside the golden model and by what its driver sees.
#include <iostream>

#include "catch.hpp"
#include "golden/params.hpp"
#include "grid_stimulus.hpp"
#include "lockstep/lockstep_port.hpp"
#include "verilated/rtl_port.hpp"

using namespace gsu;
using namespace gsu::test;

TEST_CASE("random grids through the RTL in lockstep with the golden model",
          "[GDC-002][GDC-003][GDC-005][GDC-006][GDC-008][D-58][D-70]")
{
    const auto seed = GENERATE(range(1u, 9u));
    CAPTURE(seed);
    Config config = configOf(seed % 3 == 0 ? Preset::Ideal : Preset::Hopper);
    if (seed == 2) config.grid_up_lat = 0;
    if (seed == 4) config.grid_down_lat = 300;
    if (seed == 5) config.grid_up_lat = 500, config.grid_down_lat = 0;
    RtlPort device(4, config, true);
    device.setSkipping(seed % 2 != 0);
    LockstepPort port(device);
    GridStimulus stimulus(port, {.seed = seed, .sms = 4, .grids = 250, .skip = seed % 2 != 0});
    const GridStats& s = stimulus.run();
    if (port.fault()) FAIL(port.fault()->message);
    CHECK(s.wrong == "");
    CHECK(!s.hung);
    CHECK(s.parked > 20);
    CHECK(s.atOnce > 20);
    CHECK(s.merged > 0);
    CHECK(s.repeats > 20);
    CHECK(s.silent > 20);
    CHECK(s.signalledEarly > 3);
    CHECK(s.reused > 50);
    CHECK(s.lateMemory > 20);
    std::cout << "rtl grids: seed " << seed << ", " << s.grids << " grids, " << s.ctas << " CTAs, "
              << s.waits << " waits (" << s.parked << " parked, " << s.merged << " merged), "
              << s.cycles << " cycles\n";
}
