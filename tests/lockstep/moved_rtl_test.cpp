// Random traffic on CTA slots, warps, cluster slots and tags that lie anywhere, on the RTL beside the golden model: the packets, queues and counters of mbarriers,
// of the network and of fences have these numbers in them.
#include <iostream>

#include "catch.hpp"
#include "golden/mbarrier.hpp"
#include "golden/word_memory.hpp"
#include "lively.hpp"
#include "lockstep/lockstep_port.hpp"
#include "moved.hpp"
#include "observers/tap_port.hpp"
#include "traffic/mbar_traffic.hpp"
#include "traffic/order_traffic.hpp"
#include "verilated/rtl_port.hpp"

using namespace gsu;
using namespace gsu::test;
using namespace gsu::traffic;

namespace {

/// The bits of the numbers in commits of operations that came from elsewhere.
struct Seen final : PortObserver {
    unsigned cta{}, srcCta{}, warp{}, tag{};
    unsigned refused{};  ///< operations whose CTA had exited
    void onCommit(const Commit& c) override
    {
        if (c.src != Src::Remote) return;
        cta |= c.at.cta;
        srcCta |= c.srcCta;
        warp |= c.at.warp;
        tag |= c.tag;
        refused += (c.errs & kMbErrUndeliverable) != 0;
    }
};

}  // namespace

TEST_CASE("mbarriers of CTAs in any slot, warp and cluster, in lockstep", "[D-01][D-38][D-41]")
{
    Seen seen;
    for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
        CAPTURE(seed);
        const unsigned sms = seed % 2 == 0 ? 16 : 12;
        WordMemory memory{sms};
        const Config config = configOf(seed % 2 == 0 ? Preset::Hopper : Preset::Ideal);
        RtlPort device(sms, config, false);
        device.setMemory(memory);
        LockstepOptions options;
        options.waitLimit = config.trywait_limit;
        LockstepPort port(device, options);
        port.add(seen);
        Moved moved(port, Places{.everywhere = true, .seed = std::uint8_t(seed)});
        MbarTraffic stimulus(moved, {.seed = seed,
                                     .sms = sms,
                                     .requests = 8'000,
                                     .illegal = 3,
                                     .spread = seed % 3 == 0,
                                     .wide = seed % 3 != 0,
                                     .leaver = true,
                                     .lively = seed % 2 != 0});
        const MbarStats& s = stimulus.run();
        requireInStep(port, s);
        CHECK(s.freed == 2 * sms);
        CHECK(port.follower().debts() == 0);
        CHECK(s.remoteCommits > 300);
        CHECK(s.multicasts > 10);
        std::cout << "rtl mbarriers anywhere: seed " << seed << ", " << s.requests << " requests, "
                  << s.remoteCommits << " remote commits\n";
    }
    CHECK(seen.cta == kMaxCtas - 1);
    CHECK(seen.srcCta == kMaxCtas - 1);
    CHECK(seen.warp == kMaxWarps - 1);
    CHECK(seen.tag == 0xfff);
    CHECK(seen.refused > 200);
}

TEST_CASE("fences and releases of CTAs in any slot, warp and cluster, in lockstep",
          "[D-54][D-69][FENCE-039]")
{
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        CAPTURE(seed);
        constexpr unsigned kSms = 16;
        WordMemory memory{kSms};
        RtlPort device(kSms, configOf(seed % 2 == 0 ? Preset::Hopper : Preset::Ideal), false);
        device.setMemory(memory);
        LockstepPort port(device);
        Moved moved(port, Places{.everywhere = true, .seed = std::uint8_t(seed)});
        OrderTraffic stimulus(moved, {.seed = seed, .sms = kSms, .requests = 12'000, .wide = true});
        const OrderStats& s = stimulus.run();
        requireInStep(port, s);
        CHECK(s.freed == kSms);
        CHECK(port.follower().debts() == 0);
        CHECK(s.fences > 1'000);
        CHECK(s.posted > 500);
        CHECK(s.performed > 1'000);
        CHECK(s.findings.wrong == "");
        std::cout << "rtl fences anywhere: seed " << seed << ", " << s.requests << " requests, "
                  << s.fences << " fences, " << s.performed << " accesses\n";
    }
}
