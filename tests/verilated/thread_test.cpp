// Units of every kind in one process, each stepped by a thread of its own: each gives what it gives alone. scripts/test builds no sanitizer for it;
// GSU_SANITIZE=thread does.
#include <memory>
#include <thread>

#include "catch.hpp"
#include "golden/golden_port.hpp"
#include "golden/params.hpp"
#include "lockstep/lockstep_port.hpp"
#include "verilated/events.hpp"
#include "verilated/rtl_port.hpp"

using namespace gsu;

// Verilator's run-time library keeps a name per thread and never frees it: a few bytes for each thread that ended, of which LeakSanitizer
// would make a failure of these tests.
extern "C" const char*
__lsan_default_suppressions()  // NOLINT(bugprone-reserved-identifier): the sanitizer's name
{
    return "leak:Verilated::catName\n";
}

namespace {

enum class Kind : std::uint8_t { Golden, Rtl, Checked, Lockstep };

/// Two warps meet in named barriers, the second later each round; events of all rounds, and what went wrong.
std::vector<std::string> meet(SyncPort& port, unsigned rounds)
{
    test::EventLog log;
    port.setSink(log);
    while (!port.launch({.threads = 64, .size = 1024})) port.step();
    for (unsigned clock = 0; clock < 60; ++clock) port.step();
    std::uint16_t tag = 0;
    for (unsigned round = 0; round < rounds; ++round) {
        for (std::uint8_t warp = 0; warp < 2; ++warp) {
            SyncRequest r;
            r.op = Op::BarSync;
            r.at = {0, 0, warp};
            r.lanes = ~Lanes{0};
            r.arg0 = round % 16;
            r.tag = tag++ & 0xfff;
            while (!port.canPresent(0)) port.step();
            port.present(r);
            for (unsigned clock = 0; clock <= round % 7; ++clock) port.step();
        }
        for (unsigned clock = 0; clock < 200 && log.releases.size() <= round; ++clock) port.step();
    }
    if (const auto fault = port.fault()) log.lines.push_back("fault: " + fault->message);
    log.lines.push_back("releases " + std::to_string(log.releases.size()));
    return log.lines;
}

std::vector<std::string> run(Kind kind, unsigned rounds)
{
    if (kind == Kind::Golden) {
        GoldenPort golden(1);
        return meet(golden, rounds);
    }
    RtlPort rtl(1, configOf(Preset::Hopper), kind == Kind::Checked);
    if (kind != Kind::Lockstep) return meet(rtl, rounds);
    LockstepPort lockstep(rtl);
    return meet(lockstep, rounds);
}

}  // namespace

TEST_CASE("each unit of a process may be stepped by its own thread", "[verilated]")
{
    constexpr std::size_t kThreads = 8;
    std::vector<std::vector<std::string>> together(kThreads);
    std::vector<std::thread> threads;
    const auto kindOf = [](std::size_t i) { return static_cast<Kind>(i % 4); };
    const auto roundsOf = [](std::size_t i) { return 100 + 20 * unsigned(i); };
    for (std::size_t i = 0; i < kThreads; ++i)
        threads.emplace_back([&, i] { together[i] = run(kindOf(i), roundsOf(i)); });
    for (std::thread& t : threads) t.join();
    for (std::size_t i = 0; i < kThreads; ++i) {
        CAPTURE(i);
        CHECK(together[i].back() == "releases " + std::to_string(roundsOf(i)));
        CHECK(together[i] == run(kindOf(i), roundsOf(i)));
    }
}

namespace {

/// Warps of 8 SMs that meet at named barriers, SM by SM a little later; events of all rounds.
std::vector<std::string> meetEverywhere(unsigned threads)
{
    constexpr std::uint8_t kSms = 8;
    RtlPort port(kSms, configOf(Preset::Hopper), false);
    port.setThreads(threads, true);
    test::EventLog log;
    port.setSink(log);
    for (std::uint8_t sm = 0; sm < kSms; ++sm)
        while (!port.launch({.sm = sm, .threads = 64, .size = 1024})) port.step();
    for (unsigned clock = 0; clock < 60; ++clock) port.step();
    std::uint16_t tag = 0;
    for (unsigned round = 0; round < 60; ++round) {
        for (std::uint8_t warp = 0; warp < 2; ++warp) {
            for (std::uint8_t sm = 0; sm < kSms; ++sm) {
                SyncRequest r;
                r.op = Op::BarSync;
                r.at = {sm, 0, warp};
                r.lanes = ~Lanes{0};
                r.arg0 = round % 16;
                r.tag = tag++ & 0xfff;
                while (!port.canPresent(sm)) port.step();
                port.present(r);
                if (sm % 3 == 0) port.step();
            }
        }
        for (unsigned clock = 0; clock < 200 && log.releases.size() < (round + 1) * kSms; ++clock)
            port.step();
    }
    if (const auto fault = port.fault()) log.lines.push_back("fault: " + fault->message);
    log.lines.push_back("releases " + std::to_string(log.releases.size()));
    if (threads > 1) CHECK(port.sharedCycles() > 500);
    return log.lines;
}

/// CTAs of 8 SMs that meet at their cluster's barrier, SM by SM a little later; events of all rounds. Before them the promise that no route follows.
std::vector<std::string> meetInCluster(unsigned threads)
{
    constexpr std::uint8_t kSms = 8;
    RtlPort port(kSms, configOf(Preset::Hopper), false);
    port.setThreads(threads, true);
    test::EventLog log;
    port.setSink(log);
    for (std::uint8_t sm = 0; sm < kSms; ++sm) port.route({.rank = sm, .sm = sm, .ctas = kSms});
    for (std::uint8_t sm = 0; sm < kSms; ++sm)
        while (!port.launch({.sm = sm, .rank = sm, .ctas = kSms, .threads = 32, .size = 1024}))
            port.step();
    for (unsigned clock = 0; clock < 60; ++clock) port.step();
    port.noMoreRoutes();
    std::uint16_t tag = 0;
    for (unsigned round = 0; round < 40; ++round) {
        for (const Op op : {Op::ClusterArrive, Op::ClusterWait}) {
            for (std::uint8_t sm = 0; sm < kSms; ++sm) {
                SyncRequest r;
                r.op = op;
                r.at = {sm, 0, 0};
                r.lanes = ~Lanes{0};
                r.tag = tag++ & 0xfff;
                while (!port.canPresent(sm)) port.step();
                port.present(r);
                if (sm % 3 == round % 3) port.step();
            }
            for (unsigned clock = 0; clock < 30; ++clock) port.step();
        }
        for (unsigned clock = 0; clock < 400 && log.releases.size() < (round + 1) * kSms; ++clock)
            port.step();
    }
    if (const auto fault = port.fault()) log.lines.push_back("fault: " + fault->message);
    log.lines.push_back("releases " + std::to_string(log.releases.size()));
    if (threads > 1) CHECK(port.networksAhead() > 100);
    return log.lines;
}

}  // namespace

TEST_CASE("a second thread may evaluate the network while the driver makes up inputs",
          "[verilated]")
{
    const std::vector<std::string> one = meetInCluster(1);
    CHECK(one.back() == "releases 320");
    CHECK(meetInCluster(2) == one);
}

TEST_CASE("two threads may share each clock of one unit", "[verilated]")
{
    const std::vector<std::string> one = meetEverywhere(1);
    CHECK(one.back() == "releases 480");
    CHECK(meetEverywhere(2) == one);
}
