// A device that falls silent: at the next look (bound, D-70) or when it says that it is idle, the follower names the first report that is missing.
#include <algorithm>
#include <functional>

#include "catch.hpp"
#include "corrupt.hpp"
#include "golden/golden_port.hpp"
#include "lockstep/lockstep_port.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

constexpr Cycle kBound = 200;

/// A cluster of two CTAs of two warps on two SMs. From the first report that matches on, nothing is reported of what its cycle and later ones bring.
struct Silent final : SyncSink {
    std::function<bool(const Report&)> from;
    bool silent{};
    GoldenPort device{2};
    CorruptPort corrupt;
    LockstepPort port;
    std::uint16_t tag{};

    explicit Silent(std::function<bool(const Report&)> first, Cycle bound = kBound)
        : from(std::move(first)),
          corrupt(device, [this](std::vector<Report>& reports) { hush(reports); }),
          port(corrupt, {.bound = bound})
    {
        port.setSink(*this);
        for (std::uint8_t r = 0; r < 2; ++r) port.route({5, r, r, 0, 2});
        for (std::uint8_t r = 0; r < 2; ++r)
            REQUIRE(port.launch({.sm = r, .cluster = 5, .rank = r, .ctas = 2, .threads = 64}));
        step(4);
    }
    void hush(std::vector<Report>& reports)
    {
        if (silent) return reports.clear();
        const auto first = std::find_if(reports.begin(), reports.end(), from);
        silent = first != reports.end();
        reports.erase(first, reports.end());
    }
    void step(unsigned clocks)
    {
        while (clocks-- != 0) port.step();
    }
    void ask(Op op, std::uint8_t sm, std::uint8_t warp, std::uint32_t arg0 = 0,
             std::uint32_t arg1 = 0)
    {
        if (silent) return;  // whoever waits for a report asks nothing else
        SyncRequest r;
        r.op = op;
        r.at = {sm, 0, warp};
        r.lanes = ~Lanes{0};
        r.tag = ++tag;
        r.arg0 = arg0;
        r.arg1 = arg1;
        port.present(r);
        step(1);
    }
    void leave(std::uint8_t sm, std::uint8_t warp)
    {
        if (silent) return;
        port.exit({{sm, 0, warp}, ~Lanes{0}, false});
        step(2);
    }
    /// Every kind of event: named barriers, one completed by an exit, arrivals that are left, warp sync, cluster barrier, the end.
    void live()
    {
        ask(Op::BarSync, 0, 0, 1);
        ask(Op::BarSync, 0, 1, 1);
        ask(Op::WarpSync, 0, 0, ~0u);
        for (std::uint8_t sm = 0; sm < 2; ++sm)
            for (std::uint8_t warp = 0; warp < 2; ++warp) ask(Op::ClusterArrive, sm, warp);
        for (std::uint8_t sm = 0; sm < 2; ++sm)
            for (std::uint8_t warp = 0; warp < 2; ++warp) ask(Op::ClusterWait, sm, warp);
        ask(Op::BarSync, 1, 0, 2);
        leave(1, 1);
        ask(Op::BarArrive, 1, 0, 3, 64);
        leave(1, 0);
        leave(0, 0);
        leave(0, 1);
        step(4);
    }
    [[nodiscard]] std::string said() const { return port.fault() ? port.fault()->message : ""; }

    void onResponse(const SyncResponse&) override {}
    void onRelease(const Release&) override {}
    void onCommit(const Commit&) override {}
    void onDelivered(const Delivered&) override {}
    void onCtaFree(const CtaFree&) override {}
};

auto commitOf(Unit unit, Op op, std::function<bool(const Commit&)> also = {})
{
    return [=](const Report& r) {
        return r.kind == Report::Kind::Commit && r.commit.unit == unit && r.commit.op == op &&
               (!also || also(r.commit));
    };
}

struct Case {
    const char* says;
    std::function<bool(const Report&)> from;
    bool onlyIdle{};  ///< is due at no cycle: only a device that is idle owes it
};

const std::vector<Case>& cases()
{
    static const std::vector<Case> all{
        {"launch not committed", commitOf(Unit::Cta, Op::EvLaunch)},
        {"commit missing", commitOf(Unit::WarpSync, Op::WarpSync)},
        {"response missing", [](const Report& r) { return r.kind == Report::Kind::Response; }},
        {"release missing",
         [](const Report& r) { return r.kind == Report::Kind::Release && !r.release.cluster; }},
        {"delivery of a complete cluster generation missing",
         commitOf(Unit::Cluster, Op::EvClusterFlip)},
        {"exit not committed", commitOf(Unit::Cta, Op::EvWarpExit)},
        {"warp exit not seen by every barrier unit",
         commitOf(Unit::Named, Op::EvWarpExit, [](const Commit& c) { return !c.flip; })},
        {"completion by exit missing",
         commitOf(Unit::Named, Op::EvWarpExit, [](const Commit& c) { return c.flip; })},
        {"record of arrivals that were left missing (D-17)",
         commitOf(Unit::Named, Op::EvWarpExit, [](const Commit& c) { return c.errs != 0; })},
        {"warp exit not seen by every barrier unit", commitOf(Unit::Cluster, Op::EvWarpExit)},
        {"CTA slot not freed", commitOf(Unit::Cta, Op::EvCtaFree), true},
    };
    return all;
}

}  // namespace

TEST_CASE("a device that tells everything owes nothing", "[D-70]")
{
    Silent rig([](const Report&) { return false; });
    rig.live();
    CHECK(rig.port.quietUntil() == kNever);
    CHECK(rig.said() == "");
    CHECK(rig.port.follower().debts() == 0);
}

TEST_CASE("the first report that a silent device owes is named when it is idle", "[D-70]")
{
    for (const Case& c : cases()) {
        CAPTURE(c.says);
        Silent rig(c.from, 1'000'000);
        rig.live();
        REQUIRE(rig.silent);
        CHECK(rig.said() == "");
        CHECK(rig.port.quietUntil() == rig.port.now());  // the fault is to be seen at once
        CHECK_THAT(rig.said(), Catch::Contains(c.says));
    }
}

TEST_CASE("the first report that a silent device owes is named after the bound", "[D-70]")
{
    for (const Case& c : cases()) {
        CAPTURE(c.says);
        Silent rig(c.from);
        rig.live();
        REQUIRE(rig.silent);
        rig.step(kBound / 2);
        CHECK(rig.said() == "");
        rig.step(kBound);
        CHECK_THAT(rig.said(), Catch::Contains(c.onlyIdle ? "" : c.says));
        CHECK((rig.said() == "") == c.onlyIdle);
    }
}

TEST_CASE("a fault of the device below is the port's, and the follower's comes first")
{
    struct Faulty final : ForwardingPort {
        using ForwardingPort::ForwardingPort;
        [[nodiscard]] std::optional<Fault> fault() const override
        {
            return Fault{Fault::Kind::Assertion, 7, "assertion of the device"};
        }
    };
    GoldenPort device{2};
    Faulty faulty{device};
    LockstepPort port{faulty};
    REQUIRE(port.fault());
    CHECK(port.fault()->message == "assertion of the device");
    port.exit({{0, 0, 0}, ~Lanes{0}, false});  // of no CTA
    REQUIRE(port.fault());
    CHECK(port.fault()->kind == Fault::Kind::Protocol);
}
