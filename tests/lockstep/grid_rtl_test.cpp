// griddepcontrol on the RTL, beside the golden model and by what its driver sees.
#include <iostream>

#include "catch.hpp"
#include "golden/params.hpp"
#include "lockstep/lockstep_port.hpp"
#include "traffic/grid_traffic.hpp"
#include "verilated/rtl_port.hpp"

using namespace gsu;
using namespace gsu::traffic;

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
    GridTraffic stimulus(port, {.seed = seed, .sms = 4, .grids = 250, .skip = seed % 2 != 0});
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
    CHECK(s.cancelled > 10);
    CHECK(s.lateMemory > 20);
    std::cout << "rtl grids: seed " << seed << ", " << s.grids << " grids, " << s.ctas << " CTAs, "
              << s.waits << " waits (" << s.parked << " parked, " << s.merged << " merged), "
              << s.cycles << " cycles\n";
}

namespace {

/// CTAs of one warp, one per slot, and the reports about them.
class Rig final : public SyncSink {
public:
    explicit Rig(const Config& config) : rtl_(2, config, true), port(rtl_) { port.setSink(*this); }
    void launch(std::uint8_t sm, std::uint8_t grid, std::uint8_t rank = 0, std::uint8_t ctas = 1)
    {
        const Launch l{.sm = sm,
                       .cta = next_[sm],
                       .wbase = next_[sm],
                       .rank = rank,
                       .ctas = ctas,
                       .threads = 32,
                       .base = next_[sm] * 64u,
                       .size = 64,
                       .grid = grid};
        ++next_[sm];
        while (!port.launch(l)) port.step();
        step(1);
    }
    void step(int cycles)
    {
        while (cycles-- > 0) port.step();
        if (port.fault()) FAIL(port.fault()->message);
    }
    Cycle give(Op op, std::uint8_t sm, std::uint8_t cta, std::uint32_t address = 0)
    {
        SyncRequest r{};
        r.op = op;
        r.at = {sm, cta, 0};
        r.lanes = op == Op::MbarArrive ? 1 : ~Lanes{0};
        r.tag = ++tag_;
        r.remote = op == Op::MbarArrive;
        r.addr.fill(address);
        r.data.fill(1);
        while (!port.canPresent(sm)) port.step();
        port.present(r);
        return port.now();
    }
    Cycle leave(std::uint8_t sm, std::uint8_t cta)
    {
        port.exit({{sm, cta, 0}, ~Lanes{0}, false});
        return port.now();
    }
    void onResponse(const SyncResponse& r) override { answered[r.tag] = r.cycle; }
    void onRelease(const Release&) override {}
    void onCommit(const Commit& c) override { commits.push_back(c); }
    void onDelivered(const Delivered&) override {}
    void onCtaFree(const CtaFree& f) override { freed = f.cycle; }
    void onGrid(const GridEvent& e) override
    {
        (e.complete ? complete : signalled)[e.grid] = e.cycle;
    }
    [[nodiscard]] Cycle commitOf(Op op, Src src) const
    {
        for (const Commit& c : commits)
            if (c.op == op && c.src == src) return c.cycle;
        return 0;
    }
    [[nodiscard]] std::uint16_t tag() const { return tag_; }

private:
    RtlPort rtl_;

public:
    LockstepPort port;
    std::vector<Commit> commits;
    std::array<Cycle, 4096> answered{};
    std::array<Cycle, kMaxGrids> signalled{}, complete{};
    Cycle freed{};

private:
    std::array<std::uint8_t, 2> next_{};
    std::uint16_t tag_{};
};

}  // namespace

TEST_CASE("what griddepcontrol takes, from port to port", "[GDC-002][GDC-005][GDC-008]")
{
    Rig rig(configOf(Preset::Hopper));
    rig.port.grid({.grid = 1, .ctas = 1});
    rig.port.grid({.grid = 2, .ctas = 1, .prereqs = 2});
    rig.launch(0, 1);
    rig.launch(1, 2);
    rig.step(200);
    Cycle from = rig.give(Op::GdcWait, 0, 0);  // nothing to wait for
    rig.step(50);
    CHECK(rig.answered[rig.tag()] - from == 2);
    from = rig.give(Op::GdcLaunchDependents, 0, 0);
    rig.step(100);
    CHECK(rig.answered[rig.tag()] - from == 2);
    CHECK(rig.signalled[1] - from == 39);  // 3 and grid_up_lat
    rig.give(Op::GdcWait, 1, 0);
    const std::uint16_t waits = rig.tag();
    rig.step(100);
    CHECK(rig.answered[waits] == 0);
    from = rig.leave(0, 0);
    rig.step(500);
    const Cycle free = rig.freed;
    std::cout << "griddepcontrol: exit to free " << free - from << ", free to answer "
              << rig.answered[waits] - free << ", free to complete " << rig.complete[1] - free
              << '\n';
    CHECK(rig.answered[waits] - free == 79);  // 7, grid_up_lat and grid_down_lat
    rig.leave(1, 0);
    rig.step(500);
    CHECK(rig.complete[2] != 0);
}

TEST_CASE("warps that waited for a grid go on in the order of their slots, one a clock",
          "[GDC-005][D-70]")
{
    constexpr std::uint8_t kWaiters = 8;
    Rig rig(configOf(Preset::Hopper));
    rig.port.grid({.grid = 1, .ctas = 1});
    rig.port.grid({.grid = 2, .ctas = kWaiters, .prereqs = 2});
    rig.launch(0, 1);
    for (std::uint8_t i = 0; i < kWaiters; ++i) rig.launch(1, 2);
    rig.step(200);
    std::array<std::uint16_t, kWaiters> tags{};
    for (unsigned i = kWaiters; i-- > 0;) {  // the first slot waits last
        rig.give(Op::GdcWait, 1, std::uint8_t(i));
        tags[i] = rig.tag();
        rig.step(5);
    }
    rig.leave(0, 0);
    rig.step(500);
    REQUIRE(rig.answered[tags[0]] != 0);
    for (unsigned i = 1; i < kWaiters; ++i)
        CHECK(rig.answered[tags[i]] == rig.answered[tags[0]] + i);
}

TEST_CASE("no report to the table of grids is lost when more are on the way than the network holds",
          "[GDC-002][GDC-003]")
{
    constexpr std::uint8_t kCtas =
        32;  // as many as reports of an SM in flight; each signals, then ends
    Config config = configOf(Preset::Hopper);
    config.grid_up_lat = 1000;
    Rig rig(config);
    rig.port.grid({.grid = 1, .ctas = 2 * kCtas});
    for (std::uint8_t sm = 0; sm < 2; ++sm)
        for (unsigned i = 0; i < kCtas; ++i) rig.launch(sm, 1);
    rig.step(200);
    for (std::uint8_t i = 0; i < kCtas; ++i)
        for (std::uint8_t sm = 0; sm < 2; ++sm) rig.give(Op::GdcLaunchDependents, sm, i);
    const Cycle signalled = rig.port.now();
    rig.step(50);
    for (std::uint8_t i = 0; i < kCtas; ++i)
        for (std::uint8_t sm = 0; sm < 2; ++sm) rig.leave(sm, i);
    rig.step(500);
    CHECK(rig.port.now() < signalled + config.grid_up_lat);
    CHECK(rig.signalled[1] == 0);
    rig.step(4000);
    CHECK(rig.signalled[1] != 0);
    CHECK(rig.complete[1] != 0);
}

TEST_CASE("a wait goes on after every access and packet of its prerequisite is performed",
          "[GDC-006][D-41]")
{
    Config config = configOf(Preset::Hopper);
    config.dsm_hop = 700;
    Rig rig(config);
    rig.port.grid({.grid = 1, .ctas = 2});
    rig.port.grid({.grid = 2, .ctas = 1, .prereqs = 2});
    rig.port.route({0, 0, 0, 0, 2});
    rig.port.route({0, 1, 1, 0, 2});
    rig.launch(0, 1, 0, 2);
    rig.launch(1, 1, 1, 2);
    rig.launch(1, 2);
    rig.step(300);
    rig.give(Op::GdcWait, 1, 1);
    const std::uint16_t waits = rig.tag();
    Accesses accesses{{1, 0, 0}, Reach::Everyone, rig.port.epoch({1, 0, 0}, Reach::Everyone), 3};
    rig.port.announce(accesses);
    rig.give(Op::GdcLaunchDependents, 0, 0);
    rig.give(Op::GdcLaunchDependents, 1, 0);
    rig.step(10);
    rig.give(Op::MbarArrive, 0, 0, clusterAddress(1, 8));  // a packet to the other CTA
    rig.step(200);
    CHECK(rig.signalled[1] != 0);
    rig.leave(0, 0);
    rig.leave(1, 0);
    rig.step(4000);
    CHECK(rig.commitOf(Op::EvAck, Src::Remote) != 0);
    CHECK(rig.answered[waits] == 0);  // an access is not performed
    rig.port.performed(accesses);
    const Cycle performed = rig.port.now();
    rig.step(4000);
    CHECK(rig.answered[waits] > performed);
    CHECK(rig.answered[waits] > rig.commitOf(Op::EvAck, Src::Remote));
}

namespace {

/// Everything that a port reports, as one number per report.
class Log final : public ForwardingPort {
public:
    using ForwardingPort::ForwardingPort;
    std::vector<std::uint64_t> reports;

private:
    void note(std::uint64_t what, Cycle cycle) { reports.push_back(what << 32 ^ cycle); }
    void onCommit(const Commit& c) override
    {
        note(std::uint64_t(c.op) << 20 ^ c.object << 12 ^ c.tag ^ c.newWord * 7, c.cycle);
        ForwardingPort::onCommit(c);
    }
    void onResponse(const SyncResponse& r) override
    {
        note(r.lanes ^ r.tag, r.cycle);
        ForwardingPort::onResponse(r);
    }
    void onCtaFree(const CtaFree& f) override
    {
        note(f.sm * 32u + f.cta, f.cycle);
        ForwardingPort::onCtaFree(f);
    }
    void onGrid(const GridEvent& e) override
    {
        note(e.grid * 2u + e.complete, e.cycle);
        ForwardingPort::onGrid(e);
    }
};

}  // namespace

TEST_CASE("clocks and units that are left out change nothing about grids", "[GDC-005][D-70]")
{
    const auto seed = GENERATE(range(1u, 4u));
    const auto reports = [&](bool skips) {
        RtlPort device(3, configOf(Preset::Hopper));
        device.setSkipping(skips);
        Log log(device);
        GridTraffic stimulus(log, {.seed = seed, .skip = false});
        CHECK(stimulus.run().wrong == "");
        return log.reports;
    };
    const auto all = reports(false), some = reports(true);
    CHECK(all.size() > 2000);
    CHECK(all == some);
}

TEST_CASE("a lane that waits for its grid a second time is found by the assertions of the RTL",
          "[GDC-005]")
{
    struct Nobody final : SyncSink {
        void onResponse(const SyncResponse&) override {}
        void onRelease(const Release&) override {}
        void onCommit(const Commit&) override {}
        void onDelivered(const Delivered&) override {}
        void onCtaFree(const CtaFree&) override {}
    } nobody;
    for (const Lanes second : {Lanes{2}, Lanes{3}}) {
        RtlPort device(1, configOf(Preset::Hopper), true);
        device.setSink(nobody);
        device.grid({.grid = 1});  // runs elsewhere
        device.grid({.grid = 2, .ctas = 1, .prereqs = 1u << 1});
        while (!device.launch({.threads = 32, .size = 64, .grid = 2})) device.step();
        for (int i = 0; i < 50; ++i) device.step();
        std::uint16_t tag = 0;
        for (const Lanes lanes : {Lanes{1}, second}) {
            SyncRequest r{};
            r.op = Op::GdcWait;
            r.lanes = lanes;
            r.tag = ++tag;
            while (!device.canPresent(0)) device.step();
            device.present(r);
            for (int i = 0; i < 50 && !device.fault(); ++i) device.step();
        }
        if (second == 2) {
            CHECK(!device.fault());
        } else {
            REQUIRE(device.fault());
            CHECK(device.fault()->kind == Fault::Kind::Assertion);
            CHECK(device.fault()->message.find("LanesWaitOnce") != std::string::npos);
        }
    }
}
