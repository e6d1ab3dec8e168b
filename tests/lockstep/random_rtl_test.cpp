// The RTL under random traffic, compared with the golden units at every commit.
#include <iostream>

#include "catch.hpp"
#include "golden/word_memory.hpp"
#include "lively.hpp"
#include "lockstep/lockstep_port.hpp"
#include "traffic/barrier_traffic.hpp"
#include "traffic/mbar_traffic.hpp"
#include "verilated/rtl_port.hpp"

using namespace gsu;
using namespace gsu::test;
using namespace gsu::traffic;

namespace {

BarrierStats runRtl(std::uint64_t seed, unsigned sms, std::uint64_t requests, const Config& config)
{
    RtlPort device(sms, config, true);
    LockstepPort port(device);
    BarrierTraffic stimulus(port, {.seed = seed, .sms = sms, .requests = requests});
    const BarrierStats s = stimulus.run();
    requireInStep(port, s);
    return s;
}

/// The SM commits an mbarrier.init: it has the unit, and what follows compares something.
bool commitsMbarriers()
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
    return probe.seen;
}

}  // namespace

TEST_CASE("a count that no arrivals reach is not reached by more of them than the barrier counts",
          "[D-16][BAR-009]")
{
    struct Words final : SyncSink {
        void onResponse(const SyncResponse&) override {}
        void onRelease(const Release&) override {}
        void onCommit(const Commit& c) override
        {
            if (c.unit == Unit::Named) words.push_back(c.newWord), flipped |= c.flip;
        }
        void onDelivered(const Delivered&) override {}
        void onCtaFree(const CtaFree&) override {}
        std::vector<std::uint64_t> words;
        bool flipped{};
    } seen;
    RtlPort device(1, configOf(Preset::Hopper), true);
    LockstepPort port(device);
    port.setSink(seen);
    while (!port.launch({.threads = 1024, .size = 64})) port.step();
    SyncRequest r;
    r.op = Op::BarArrive;
    r.lanes = ~Lanes{0};
    r.arg1 = 1u << 20;  // threads
    for (unsigned i = 0; i < 150; ++i) {
        r.at.warp = std::uint8_t(i % 32);
        r.tag = std::uint16_t(i);
        while (!port.canPresent(0)) port.step();
        port.present(r);
        if (i % 32 == 31)  // each warp's has been answered before it comes again
            for (int k = 0; k < 200; ++k) port.step();
    }
    for (int k = 0; k < 200; ++k) port.step();
    INFO((port.fault() ? port.fault()->message : ""));
    REQUIRE(!port.fault());
    REQUIRE(seen.words.size() == 150);
    CHECK_FALSE(seen.flipped);
    CHECK(seen.words[126] != seen.words[125]);
    CHECK(seen.words[149] == seen.words[127]);  // 127 it is, for ever
}

TEST_CASE("random traffic through the RTL in lockstep with the golden model", "[D-01][D-70]")
{
    const auto seed = GENERATE(range(1u, 5u));
    const auto preset = seed % 2 == 0 ? Preset::Ideal : Preset::Hopper;
    CAPTURE(seed, nameOf(preset));
    const BarrierStats s = runRtl(seed, 4, 25'000, configOf(preset));
    requireLively(s);
    std::cout << "rtl lockstep: seed " << seed << ' ' << nameOf(preset) << ", " << s.requests
              << " requests, " << s.commits << " commits, " << s.cycles << " cycles, "
              << s.generations << " generations, " << s.clusterFlips << " cluster flips\n";
}

TEST_CASE("random warp-wide operations through the RTL in lockstep with the golden model",
          "[VSYNC-003][MATCH-007][REDUX-004][ELECT-007][D-01][D-18][D-20][D-70]")
{
    const auto seed = GENERATE(range(21u, 25u));
    const auto preset = seed % 2 == 0 ? Preset::Ideal : Preset::Hopper;
    CAPTURE(seed, nameOf(preset));
    RtlPort device(2, configOf(preset), true);
    LockstepPort port(device);
    BarrierTraffic stimulus(
        port, {.seed = seed, .sms = 2, .requests = 25'000, .illegal = seed % 3 * 4, .warpOps = 80});
    const BarrierStats& s = stimulus.run();
    requireInStep(port, s);
    requireWarpWide(s);
    std::cout << "rtl lockstep, warp-wide: seed " << seed << ' ' << nameOf(preset) << ", "
              << s.requests << " requests, " << s.ops[unsigned(Op::MatchAny)] << " match.any, "
              << s.sets << " sets, " << s.ops[unsigned(Op::Redux)] << " redux\n";
}

TEST_CASE("one SM, legal traffic only: no error is reported", "[D-03]")
{
    const auto seed = GENERATE(range(11u, 13u));
    CAPTURE(seed);
    RtlPort device(1, configOf(Preset::Hopper), true);
    LockstepPort port(device);
    BarrierTraffic stimulus(
        port, {.seed = seed, .sms = 1, .requests = 5'000, .illegal = 0, .nullOps = false});
    const BarrierStats& s = stimulus.run();
    requireInStep(port, s);
    CHECK(s.refused == 0);
    CHECK(s.generations > 50);
}

/// A configuration drawn from `seed`: cache mode, lock on error, sm_80 profile, few wait slots, slow or fast memory and network.
static Config drawConfig(std::uint64_t seed)
{
    Random random(seed * 7919);
    Config c = configOf(seed % 2 == 0 ? Preset::Ideal : Preset::Hopper);
    c.mbar_policy = static_cast<std::uint8_t>(random.below(4));
    if (seed % 8 == 7) c.mbar_policy |= 4;
    if (random.percent(30)) c.trywait_slots = static_cast<std::uint8_t>(random.below(6));
    if (random.percent(50)) c.mbar_interval = static_cast<std::uint16_t>(1 + random.below(4));
    if (random.percent(50)) c.smem_lat = static_cast<std::uint16_t>(1 + random.below(40));
    if (random.percent(30)) c.dsm_hop = static_cast<std::uint16_t>(random.below(3000));
    if (random.percent(30)) c.net_bytes = static_cast<std::uint16_t>(1 + random.below(64));
    if (random.percent(30)) c.mbar_remote_lat = static_cast<std::uint16_t>(random.below(60));
    if (random.percent(30)) c.cbar_up_lat = c.cbar_down_lat = 0;
    return c;
}

static MbarStats runMbarriers(std::uint64_t seed, std::uint64_t requests, bool checks)
{
    const Config config = drawConfig(seed);
    CAPTURE(seed, int(config.mbar_policy), int(config.trywait_slots), config.smem_lat,
            config.dsm_hop, config.net_bytes);
    const unsigned sms = 1 + seed % 4;
    WordMemory memory{16};
    RtlPort device(sms, config, checks);
    device.setMemory(memory);
    LockstepOptions options;
    options.policy.lockOnError = (config.mbar_policy & 2) != 0;
    options.policy.sm80 = (config.mbar_policy & 4) != 0;
    options.waitLimit = config.trywait_limit;
    LockstepPort port(device, options);
    MbarTraffic stimulus(port, {.seed = seed,
                                .sms = sms,
                                .requests = requests,
                                .illegal = seed % 3 == 0 ? 0u : 6u,
                                .spread = seed / 4 % 2 != 0});
    const MbarStats& s = stimulus.run();
    requireInStep(port, s);
    CHECK(s.freed == 2 * sms);
    CHECK(port.follower().debts() == 0);
    return s;
}

static void report(const char* name, const MbarStats& s)
{
    std::cout << name << ": " << s.requests << " requests, " << s.commits << " commits, " << s.flips
              << " flips, " << s.remoteCommits << " remote, " << s.asyncCommits << " asynchronous, "
              << s.timeouts << " time-outs, " << s.refused << " refused\n";
}

static void add(MbarStats& sum, const MbarStats& s)
{
    sum.requests += s.requests;
    sum.commits += s.commits;
    sum.flips += s.flips;
    sum.remoteCommits += s.remoteCommits;
    sum.asyncCommits += s.asyncCommits;
    sum.agents += s.agents;
    sum.agentsAway += s.agentsAway;
    sum.timeouts += s.timeouts;
    sum.refused += s.refused;
    for (std::size_t i = 0; i < s.errs.size(); ++i) sum.errs[i] += s.errs[i];
    for (std::size_t i = 0; i < s.causes.size(); ++i) sum.causes[i] += s.causes[i];
    sum.findings.add(s.findings);
}

static void mbarrierTraffic(std::uint64_t seeds, std::uint64_t requests, bool checks)
{
    REQUIRE(commitsMbarriers());
    MbarStats sum;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        add(sum, runMbarriers(seed, requests, checks));
    }
    report("rtl mbarrier lockstep", sum);
    CHECK(sum.commits > sum.requests / 2);
    CHECK(sum.flips > sum.requests / 200);
    CHECK(sum.remoteCommits > sum.requests / 20);
    CHECK(sum.asyncCommits > sum.requests / 100);
    CHECK(sum.agents > sum.requests / 200);
    CHECK(sum.agentsAway > sum.requests / 1'000);
    CHECK(sum.timeouts > 20);
    CHECK(sum.findings.wrong == "");
    if (checks) return;  // too few requests for the rarest answers
    for (unsigned cause = 0; cause < 8; ++cause) {
        CAPTURE(cause);
        CHECK(sum.causes[cause] > 0);
    }
    for (unsigned bit = 0; bit < 16; ++bit) {
        CAPTURE(bit);
        if (bit != 13) CHECK(sum.errs[bit] > 0);
    }
    // tests/rtl/mbar_remote_test and tests/precedence have the rest: local-only operations on an object of another CTA.
    CHECK(sum.findings.missed(Unit::Mbarrier) ==
          "MbErrLocal MBARR-007; MbErrLocal MBDROP-007; "
          "MbErrRemoteForm MBAR-020; MbErrRemoteForm MBAR-022; MbErrSelf MBAR-015; ");
}

TEST_CASE("mbarrier traffic through the RTL in lockstep with the golden model",
          "[D-01][D-23][D-32][D-38][D-41][D-45][MBAR-044][MBARR-019]")
{
    mbarrierTraffic(100, 10'000, false);
}

TEST_CASE("mbarrier traffic with the assertions of the RTL", "[D-01][D-70]")
{
    mbarrierTraffic(8, 3'000, true);
}

TEST_CASE("ten million mbarrier requests, run by hand", "[.long]")
{
    mbarrierTraffic(200, 50'000, false);
}
