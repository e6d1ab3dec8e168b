// mbarriers under the default preset as exact cycle counts at the port; rtl/doc/calibration.md says which parameters add up to each.
#include <algorithm>
#include <functional>
#include <iostream>

#include "catch.hpp"
#include "exec/timing/unit_values.hpp"
#include "golden/params.hpp"
#include "golden/word_memory.hpp"
#include "verilated/events.hpp"
#include "verilated/rtl_port.hpp"

using namespace gsu;

namespace {

/// `ctas` CTAs of 64 threads, one per SM, a cluster; the object at offset 0 of rank 0 has `count` arrivals to come.
class Rig {
public:
    Rig(unsigned ctas, std::uint32_t count, const Config& config = configOf(Preset::Hopper))
        : port_(ctas, config)
    {
        port_.setMemory(memory_);
        port_.setSink(log);
        for (unsigned i = 0; ctas > 1 && i < ctas; ++i)
            port_.route({3, std::uint8_t(i), std::uint8_t(i), 0, std::uint8_t(ctas)});
        for (unsigned i = 0; i < ctas; ++i) {
            const Launch launch{.sm = std::uint8_t(i),
                                .cluster = 3,
                                .rank = std::uint8_t(i),
                                .ctas = std::uint8_t(ctas),
                                .threads = 64,
                                .size = 1024};
            while (!port_.launch(launch)) port_.step();
        }
        settle();
        give(Op::MbarInit, 0, 0, 1, count);
        settle();
        log.responses.clear();
    }
    /// The cycle in which it was presented.
    Cycle give(Op op, unsigned sm, unsigned warp, Lanes lanes, std::uint64_t data,
               Scope release = Scope::None)
    {
        while (!port_.canPresent(std::uint8_t(sm))) port_.step();
        SyncRequest r;
        r.op = op;
        r.at = {std::uint8_t(sm), 0, std::uint8_t(warp)};
        r.lanes = lanes;
        r.tag = ++tag_;
        r.remote = sm != 0;
        r.sem = release != Scope::None ? Sem::Release : Sem::Relaxed;
        r.scope = release;
        r.data.fill(data);
        port_.present(r);
        return port_.now();
    }
    Cycle complete(std::uint32_t bytes)
    {
        while (!port_.canNotify(0)) port_.step();
        port_.notify({AsyncKind::CompleteTx, 0, 0, 0, 0, bytes, 0});
        return port_.now();
    }
    /// Runs to the next answer of that warp; its cycle.
    Cycle answer(unsigned sm, unsigned warp)
    {
        const Cycle limit = port_.now() + 10'000;
        for (std::size_t seen = 0; port_.now() < limit; port_.step()) {
            for (; seen < log.responses.size(); ++seen) {
                const SyncResponse& r = log.responses[seen];
                if (r.at.sm != sm || r.at.warp != warp || !r.last) continue;
                last = r;
                const Cycle cycle = r.cycle;
                log.responses.clear();
                return cycle;
            }
        }
        FAIL("no answer");
        return 0;
    }
    void settle()
    {
        for (int i = 0; i < 600; ++i) port_.step();
    }
    test::EventLog log;
    SyncResponse last;

private:
    WordMemory memory_{16};
    RtlPort port_;
    std::uint16_t tag_{};
};

constexpr Lanes kOne = 1, kWarp = ~Lanes{0};

/// Arrive that completes the phase, then a try_wait presented in the clock after the answer, to the answer of the wait.
std::pair<Cycle, Cycle> arriveAndWait(Lanes lanes, const Config& config = configOf(Preset::Hopper))
{
    Rig rig(1, std::uint32_t(__builtin_popcount(lanes)), config);
    const Cycle start = rig.give(Op::MbarArrive, 0, 0, lanes, 1);
    const Cycle arrived = rig.answer(0, 0);
    rig.give(Op::MbarTryWaitParity, 0, 0, lanes, 0);
    const Cycle passed = rig.answer(0, 0);
    CHECK(rig.last.cause == Cause::AlreadyTrue);
    CHECK(rig.last.pred == lanes);
    return {arrived - start, passed - start};
}

/// A try_wait on a phase that is over.
Cycle readyWait(Lanes lanes, const Config& config = configOf(Preset::Hopper))
{
    Rig rig(1, 1, config);
    rig.give(Op::MbarArrive, 0, 1, kOne, 1);
    rig.settle();
    rig.log.responses.clear();
    const Cycle start = rig.give(Op::MbarTryWaitParity, 0, 0, lanes, 0);
    return rig.answer(0, 0) - start;
}

/// From `event`, presented while warp 0 of rank 0 is parked in a try_wait, to the answer of that wait.
Cycle wakeUp(unsigned ctas, const std::function<Cycle(Rig&)>& event,
             const Config& config = configOf(Preset::Hopper))
{
    Rig rig(ctas, 1, config);
    rig.give(Op::MbarTryWaitParity, 0, 0, kOne, 0);
    rig.settle();
    REQUIRE(rig.log.responses.empty());
    const Cycle start = event(rig);
    const Cycle woken = rig.answer(0, 0);
    CHECK(rig.last.cause == Cause::Flip);
    return woken - start;
}

}  // namespace

TEST_CASE("mbarrier arrive and wait: the round trip of one thread and of a warp",
          "[MBW-005][MBARR-003][calibration]")
{
    const auto one = arriveAndWait(kOne), warp = arriveAndWait(kWarp);
    CHECK(one.first == 17);
    CHECK(one.second == 54);
    CHECK(warp.first == 17);
    CHECK(warp.second == 54);
}

TEST_CASE("try_wait on a completed phase to its predicate", "[MBW-004][calibration]")
{
    CHECK(readyWait(kOne) == 36);
    CHECK(readyWait(kWarp) == 36);
}

TEST_CASE("local arrive, remote arrive and the completion of a copy to the waiter's wake-up",
          "[MBW-006][MBARR-019][calibration]")
{
    const auto arrive = [](unsigned sm, Lanes lanes) {
        return [=](Rig& rig) { return rig.give(Op::MbarArrive, sm, 1, lanes, 1); };
    };
    CHECK(wakeUp(1, arrive(0, kOne)) == 37);
    CHECK(wakeUp(2, arrive(1, kOne)) == 137);
    CHECK(wakeUp(16, arrive(15, kOne)) == 137);
    const Cycle copy = wakeUp(1, [](Rig& rig) {
        rig.give(Op::MbarArriveExpectTx, 0, 1, kOne, 128);
        rig.settle();
        rig.log.responses.clear();
        return rig.complete(128);
    });
    CHECK(copy == 34);
}

TEST_CASE("the values proposed for the timings of Hopper and Blackwell give the published figures",
          "[MBW-005][MBARR-019][calibration]")
{
    const auto remote = [](Rig& rig) { return rig.give(Op::MbarArrive, 1, 1, kOne, 1); };
    const Config hopper = timing::unitConfigOf(timing::Target::Hopper);
    CHECK(readyWait(kOne, hopper) == 33);
    CHECK(arriveAndWait(kOne, hopper).first == 6);
    CHECK(arriveAndWait(kOne, hopper).second == 40);
    CHECK(wakeUp(2, remote, hopper) == 116);
    const Config blackwell = timing::unitConfigOf(timing::Target::Blackwell);
    CHECK(arriveAndWait(kOne, blackwell).second == 54);
    CHECK(wakeUp(2, remote, blackwell) == 212);
    Rig rig(1, 1, hopper);
    const Cycle start = rig.give(Op::MbarTryWaitParity, 0, 0, kOne, 0);
    const Cycle open = rig.answer(0, 0) - start;
    CHECK(rig.last.cause == Cause::Timeout);
    CHECK(open >= 7755);
    CHECK(open <= 7776);
}

TEST_CASE("atom and red on another CTA's shared memory to the answer",
          "[ATOM-005][RED-008][calibration]")
{
    const auto answered = [](unsigned ctas, Op op, Lanes lanes) {
        Rig rig(ctas, 1);
        const Cycle start = rig.give(op, ctas - 1, 1, lanes, 0);
        return rig.answer(ctas - 1, 1) - start;
    };
    CHECK(answered(2, Op::Atom, kOne) == 198);
    CHECK(answered(16, Op::Atom, kWarp) == 198);
    CHECK(answered(2, Op::Red, kOne) == 16);
    CHECK(answered(16, Op::Red, kWarp) == 16);
}

TEST_CASE("an arrive that releases: nothing at scope cta, a fence of 270 clocks before it at scope "
          "cluster",
          "[MBARR-014][calibration]")
{
    const auto arrive = [](unsigned sm, Scope scope) {
        return [=](Rig& rig) { return rig.give(Op::MbarArrive, sm, 1, kOne, 1, scope); };
    };
    CHECK(wakeUp(1, arrive(0, Scope::Cta)) == 37);
    CHECK(wakeUp(2, arrive(1, Scope::Cta)) == 137);
    CHECK(wakeUp(1, arrive(0, Scope::Cluster)) == 37 + 271);
    CHECK(wakeUp(2, arrive(1, Scope::Cluster)) == 137 + 271);
}

namespace {

/// SM 1 (rank 1) sends 32 lanes of `op` to rank 0; from the presentation of a test_wait of another warp on an object of its own, `after` clocks later, to
/// its answer.
Cycle waitBesideSends(Op op, Cycle after)
{
    constexpr unsigned kSms = 2;
    WordMemory memory{kSms};
    RtlPort port(kSms, configOf(Preset::Hopper));
    test::EventLog log;
    port.setMemory(memory);
    port.setSink(log);
    for (std::uint8_t i = 0; i < kSms; ++i) port.route({3, i, i, 0, kSms});
    for (std::uint8_t i = 0; i < kSms; ++i) {
        const Launch l{.sm = i, .cluster = 3, .rank = i, .ctas = kSms, .threads = 64, .size = 1024};
        while (!port.launch(l)) port.step();
    }
    const auto run = [&](Cycle clocks) {
        for (const Cycle end = port.now() + clocks; port.now() < end;) port.step();
    };
    std::uint16_t tag = 0;
    const auto give = [&](Op what, std::uint8_t sm, std::uint8_t warp, Lanes lanes,
                          std::uint32_t rank, std::uint32_t stride, std::uint64_t data) {
        while (!port.canPresent(sm)) port.step();
        SyncRequest r;
        r.op = what;
        r.at = {sm, 0, warp};
        r.lanes = lanes;
        r.tag = ++tag;
        r.remote = rank != sm;
        for (unsigned l = 0; l < kLanes; ++l) r.addr[l] = rank << 24 | stride * l;
        r.data.fill(data);
        port.present(r);
        return port.now();
    };
    run(200);
    give(Op::MbarInit, 0, 0, kWarp, 0, 8, 64);
    give(Op::MbarInit, 1, 1, kOne, 1, 0, 1);
    run(600);
    log.responses.clear();
    if (op != Op::None) give(op, 1, 0, kWarp, 0, 8, op == Op::StAsync ? 8 : 1);
    run(after);
    const Cycle start = give(Op::MbarTestWaitParity, 1, 1, kOne, 1, 0, 1);
    for (std::size_t seen = 0; port.now() < start + 5000; port.step())
        for (; seen < log.responses.size(); ++seen)
            if (log.responses[seen].at.warp == 1) return log.responses[seen].cycle - start;
    FAIL("no answer");
    return 0;
}

}  // namespace

TEST_CASE("a wait on an own object does not stand behind what the warps of its SM send",
          "[MBW-004][D-70][calibration]")
{
    const Cycle alone = waitBesideSends(Op::None, 0);
    Cycle most = 0;
    for (Cycle after = 1; after < 60; after += 3)
        most = std::max(
            {most, waitBesideSends(Op::MbarArrive, after), waitBesideSends(Op::StAsync, after)});
    std::cout << "test_wait: " << alone << " clocks alone, at most " << most
              << " beside 32 remote operations of its SM\n";
    CHECK(alone == 36);
    CHECK(most <= alone + 2);
}
