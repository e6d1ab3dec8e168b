// A clock that two threads share: the sink hears of an SM while the others are still evaluated. It hears, and may ask, what it does on one thread.
#include <set>
#include <stdexcept>
#include <utility>

#include "catch.hpp"
#include "golden/forwarding_port.hpp"
#include "golden/params.hpp"
#include "traffic/order_traffic.hpp"
#include "verilated/rtl_port.hpp"

using namespace gsu;

namespace {

constexpr unsigned kSms = 16;

/// Asks at each report for the epochs of all SMs, those that are reported later included.
class Asking final : public PortObserver {
public:
    explicit Asking(const SyncPort& port) : port_(port) {}
    void onCommit(const Commit& c) override { ask(c.cycle, c.at.sm); }
    void onResponse(const SyncResponse& r) override { ask(r.cycle, r.at.sm); }
    void onDelivered(const Delivered& d) override { ask(d.cycle, d.sm); }

    struct Answer {
        Cycle cycle{};
        std::uint8_t sm{};
        std::uint32_t own{}, wide{};  ///< bit per SM
        bool operator==(const Answer&) const = default;
    };
    std::vector<Answer> answers;

private:
    void ask(Cycle cycle, std::uint8_t sm)
    {
        Answer a{cycle, sm, 0, 0};
        for (unsigned i = kSms; i-- != 0;) {
            const WarpRef at{std::uint8_t(i), 1, 0};  // the CTA slot of the traffic
            a.own |= std::uint32_t{port_.epoch(at, Reach::Cta)} << i;
            a.wide |= std::uint32_t{port_.epoch(at, Reach::Everyone)} << i;
        }
        answers.push_back(a);
    }
    const SyncPort& port_;
};

/// Promises with the first request that no route follows.
class Promising final : public ForwardingPort {
public:
    Promising(SyncPort& inner, bool promises) : ForwardingPort(inner), promises_(promises) {}
    void present(const SyncRequest& r) override
    {
        if (std::exchange(promises_, false)) noMoreRoutes();
        ForwardingPort::present(r);
    }

private:
    bool promises_;
};

std::vector<Asking::Answer> answersOf(unsigned threads, std::uint64_t seed, bool promises = false)
{
    RtlPort rtl(kSms, configOf(Preset::Hopper), false);
    rtl.setThreads(threads, true);
    Promising port(rtl, promises);
    Asking asking(rtl);
    port.add(asking);
    traffic::OrderTraffic traffic(port, {.seed = seed, .sms = kSms, .requests = 8000});
    CHECK_FALSE(traffic.run().hung);
    CHECK_FALSE(rtl.fault());
    if (threads > 1) CHECK(rtl.sharedCycles() > 5000);
    CHECK((rtl.networksAhead() > 5000) == (threads > 1 && promises));
    return std::move(asking.answers);
}

struct Thrown {};

/// Throws at the n-th commit.
struct Throwing final : PortObserver {
    explicit Throwing(unsigned at) : left(at) {}
    void onCommit(const Commit&) override
    {
        if (left-- == 0) throw Thrown{};
    }
    unsigned left;
};

}  // namespace

TEST_CASE("a sink that asks for epochs has the answers of one thread", "[lockstep][threads]")
{
    const auto seed = GENERATE(1u, 2u);
    const bool promises = GENERATE(false, true);
    CAPTURE(seed, promises);
    const auto one = answersOf(1, seed), two = answersOf(2, seed, promises);
    REQUIRE(one.size() == two.size());
    std::set<std::uint32_t> own, wide;
    unsigned others = 0;  // reports with a later SM of the same clock behind them
    for (std::size_t i = 0; i < one.size(); ++i) {
        REQUIRE(one[i] == two[i]);
        own.insert(one[i].own);
        wide.insert(one[i].wide);
        others +=
            i + 1 < one.size() && one[i + 1].cycle == one[i].cycle && one[i + 1].sm != one[i].sm;
    }
    CHECK(one.size() > 8000);
    CHECK(own.size() > 20);
    CHECK(wide.size() > 20);
    CHECK(others > 1000);
}

TEST_CASE("a route or grid after the promise that none follows is an error of the driver",
          "[lockstep][threads]")
{
    RtlPort rtl(2, configOf(Preset::Hopper), false);
    rtl.route({});
    rtl.grid({.grid = 1});
    rtl.noMoreRoutes();
    CHECK_THROWS_AS(rtl.route({}), std::logic_error);
    CHECK_THROWS_AS(rtl.grid({.grid = 2}), std::logic_error);
}

TEST_CASE("a sink that throws ends the step; the clock is evaluated to its end",
          "[lockstep][threads]")
{
    for (const unsigned after : {50u, 500u, 3000u}) {
        CAPTURE(after);
        RtlPort rtl(kSms, configOf(Preset::Hopper), false);
        rtl.setThreads(2, true);
        Promising port(rtl, after > 100);
        Throwing throwing(after);
        port.add(throwing);
        traffic::OrderTraffic traffic(port, {.seed = 3, .sms = kSms, .requests = 8000});
        CHECK_THROWS_AS(traffic.run(), Thrown);
    }
}
