// The RTL under random traffic, compared with the golden units at every commit.
#include <iostream>

#include "catch.hpp"
#include "lockstep/lockstep_port.hpp"
#include "mbar_stimulus.hpp"
#include "stimulus.hpp"
#include "verilated/rtl_port.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

StimulusStats runRtl(std::uint64_t seed, unsigned sms, std::uint64_t requests, const Config& config)
{
    RtlPort device(sms, config, true);
    LockstepPort port(device);
    Stimulus stimulus(port, {.seed = seed, .sms = sms, .requests = requests});
    const StimulusStats s = stimulus.run();
    INFO((port.fault() ? port.fault()->message : std::string("no fault")));
    REQUIRE_FALSE(port.fault());
    CHECK_FALSE(s.hung);
    return s;
}

/// Says so loudly when the SM refuses mbarrier operations for want of a unit.
bool hasMbarriers()
{
    struct Probe final : SyncSink {
        void onResponse(const SyncResponse&) override {}
        void onRelease(const Release&) override {}
        void onCommit(const Commit& c) override { seen = seen || c.unit == Unit::Mbarrier; }
        void onDelivered(const Delivered&) override {}
        void onCtaFree(const CtaFree&) override {}
        bool seen{};
    } probe;
    RtlPort device(1, configOf(Preset::Ideal));
    device.setSink(probe);
    Launch launch{};
    launch.threads = 32;
    launch.size = 64;
    while (!device.launch(launch)) device.step();
    for (int i = 0; i < 20; ++i) device.step();
    SyncRequest init{};
    init.op = Op::MbarInit;
    init.lanes = 1;
    init.data.fill(1);
    device.present(init);
    for (int i = 0; i < 200; ++i) device.step();
    if (!probe.seen) std::cout << "SKIP: this RTL has no mbarrier unit, nothing compared\n";
    return probe.seen;
}

}  // namespace

TEST_CASE("random traffic through the RTL in lockstep with the golden model", "[D-01][D-70]")
{
    const auto seed = GENERATE(range(1u, 5u));
    const auto preset = seed % 2 == 0 ? Preset::Ideal : Preset::Hopper;
    CAPTURE(seed, nameOf(preset));
    const StimulusStats s = runRtl(seed, 4, 25'000, configOf(preset));
    CHECK(s.generations > 100);
    CHECK(s.clusterFlips > 20);
    CHECK(s.warpSyncs > 100);
    CHECK(s.joinsByExit > 5);
    CHECK(s.flipsByExit > 0);
    CHECK(s.partial > 100);
    CHECK(s.held > 100);
    CHECK(s.refused > 50);
    for (unsigned bit = 0; bit <= kNbErrRedOps; ++bit) {
        CAPTURE(bit);
        CHECK(s.named[bit] > 0);
    }
    for (unsigned bit = 0; bit <= kWsErrExited; ++bit) CHECK(s.warp[bit] > 0);
    for (unsigned bit = 0; bit <= kCbErrDiverged; ++bit) {
        CAPTURE(bit);
        CHECK(s.cluster[bit] > 0);
    }
    std::cout << "rtl lockstep: seed " << seed << ' ' << nameOf(preset) << ", " << s.requests
              << " requests, " << s.commits << " commits, " << s.cycles << " cycles, "
              << s.generations << " generations, " << s.clusterFlips << " cluster flips\n";
}

TEST_CASE("one SM, legal traffic only: no error is reported", "[D-03]")
{
    const auto seed = GENERATE(range(11u, 13u));
    CAPTURE(seed);
    RtlPort device(1, configOf(Preset::Hopper), true);
    LockstepPort port(device);
    Stimulus stimulus(port,
                      {.seed = seed, .sms = 1, .requests = 5'000, .illegal = 0, .nullOps = false});
    const StimulusStats& s = stimulus.run();
    INFO((port.fault() ? port.fault()->message : std::string("no fault")));
    REQUIRE_FALSE(port.fault());
    CHECK_FALSE(s.hung);
    CHECK(s.refused == 0);
    CHECK(s.generations > 50);
}

// Open: with posted st.async or red.async under way a CTA slot is freed too early (seeds 1, 2, 4), and under lock-on-error the state
// returned to one lane differs (seed 3). The case runs and reports; it decides as soon as these are mended.
TEST_CASE("mbarrier traffic through the RTL in lockstep with the golden model",
          "[D-01][D-23][D-32][D-38][D-45][!mayfail]")
{
    if (!hasMbarriers()) return;
    const auto seed = GENERATE(range(1u, 5u));
    Config config = configOf(seed % 2 == 0 ? Preset::Ideal : Preset::Hopper);
    if (seed == 3) config.mbar_policy |= 2;
    CAPTURE(seed);
    WordMemory memory;
    RtlPort device(3, config);
    device.setMemory(memory);
    LockstepOptions checks;
    checks.policy.lockOnError = (config.mbar_policy & 2) != 0;
    checks.waitLimit = config.trywait_limit;
    LockstepPort port(device, checks);
    MbarStimulus stimulus(port, {.seed = seed, .sms = 3, .requests = 6'000});
    const MbarStats& s = stimulus.run();
    INFO((port.fault() ? port.fault()->message : std::string("no fault")));
    REQUIRE_FALSE(port.fault());
    CHECK_FALSE(s.hung);
    CHECK(port.follower().debts() == 0);
    CHECK(s.flips > 100);
    CHECK(s.remoteCommits > 100);
    CHECK(s.timeouts > 20);
    std::cout << "rtl mbarrier lockstep: seed " << seed << ", " << s.requests << " requests, "
              << s.commits << " commits, " << s.flips << " flips, " << s.remoteCommits
              << " remote\n";
}
