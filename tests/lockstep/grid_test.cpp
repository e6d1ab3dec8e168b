// griddepcontrol on the golden port: random grids, and the follower against every kind of wrong report.
#include <algorithm>
#include <iostream>

#include "catch.hpp"
#include "golden/golden_port.hpp"
#include "injections.hpp"
#include "lockstep/lockstep_port.hpp"
#include "traffic/grid_traffic.hpp"

using namespace gsu;
using namespace gsu::test;
using namespace gsu::traffic;

namespace {

using Kind = Report::Kind;

bool of(const Report& r, Op op) { return r.kind == Kind::Commit && r.commit.op == op; }
bool signal(const Report& r) { return of(r, Op::EvGridSignal); }
bool end(const Report& r) { return of(r, Op::EvGridEnd) && r.commit.src == Src::Network; }
bool endElsewhere(const Report& r) { return of(r, Op::EvGridEnd) && r.commit.src == Src::Local; }
bool opens(const Report& r) { return of(r, Op::EvGridOpen); }
bool firstSignal(const Report& r) { return of(r, Op::GdcLaunchDependents) && r.commit.flip; }
bool waits(const Report& r) { return of(r, Op::GdcWait); }
bool woken(const Report& r) { return waits(r) && r.commit.cause == Cause::Flip; }
bool event(const Report& r, bool complete)
{
    return r.kind == Kind::Grid && r.grid.complete == complete;
}

const std::vector<Injection>& injections()
{
    static const std::vector<Injection> all{
        {"signal counted twice", "counts twice", repeat(signal)},
        {"signal lost on its way", "", drop(signal)},
        {"end counted twice", "", repeat(end)},
        {"end lost on its way", "", drop(end)},
        {"end of another CTA", "counts twice", edit(end, [](Report& r) { r.commit.at.cta ^= 16; })},
        {"end that does not signal", "",
         edit(
             [](const Report& r) {
                 return end(r) && r.commit.oldWord >> 32 != r.commit.newWord >> 32;
             },
             [](Report& r) { r.commit.newWord += std::uint64_t{1} << 32; })},
        {"count of a report wrong", "differs",
         edit(signal, [](Report& r) { r.commit.oldWord ^= 2; })},
        {"last signal not told as such", "flip differs",
         edit([](const Report& r) { return signal(r) && r.commit.flip; },
              [](Report& r) { r.commit.flip = false; })},
        {"grid starts twice", "out of order", repeat(opens)},
        {"start of a grid lost", "", drop(opens)},
        {"prerequisites of a grid wrong", "lanes differs",
         edit(opens, [](Report& r) { r.commit.lanes ^= 4; })},
        {"grid elsewhere does not end", "", drop(endElsewhere)},
        {"first signal of a CTA lost", "", drop(firstSignal)},
        {"a repeat told as the first", "differs",
         edit([](const Report& r) { return of(r, Op::GdcLaunchDependents) && !r.commit.flip; },
              [](Report& r) { r.commit.flip = true; })},
        {"wait committed twice", "do not wait", repeat(waits)},
        {"wait committed by a part of its lanes", "a part of them",
         edit(
             [](const Report& r) {
                 return waits(r) && (r.commit.lanes & (r.commit.lanes - 1)) != 0;
             },
             [](Report& r) { r.commit.lanes &= r.commit.lanes - 1; })},
        {"wait lost", "", drop(waits)},
        {"wait of a wrong grid", "object differs",
         edit(waits, [](Report& r) { r.commit.object ^= 1; })},
        {"wait refused", "cannot fail",
         edit(woken, [](Report& r) { r.commit.cause = Cause::Timeout; })},
        {"answer of a wait lost", "response missing", drop([](const Report& r) {
             return r.kind == Kind::Response && r.response.cause == Cause::Flip;
         })},
        {"signalled told twice", "or twice",
         repeat([](const Report& r) { return event(r, false); })},
        {"complete told twice", "or twice", repeat([](const Report& r) { return event(r, true); })},
        {"signalled not told", "was not reported",
         drop([](const Report& r) { return event(r, false); })},
        {"complete told early", "",
         edit([](const Report& r) { return event(r, false); },
              [](Report& r) { r.grid.complete = true; })},
    };
    return all;
}

/// A wait of a grid whose prerequisites are in flight is answered at once: commit and answer are forged.
class Hasty final : public ForwardingPort {
public:
    using ForwardingPort::ForwardingPort;
    void grid(const GridStart& start) override
    {
        GridStart none = start;
        if (!start.ended)
            none.prereqs = 0;  // the device knows of no prerequisite, its commits say otherwise
        waits_[start.grid] = start.prereqs;
        inner_.grid(none);
    }

private:
    void onCommit(const Commit& commit) override
    {
        Commit c = commit;
        if (c.op == Op::EvGridEnd && c.flip) over_ |= 1u << c.object;
        if (c.op == Op::EvGridOpen) {
            c.lanes = waits_[c.object] & open_ & ~over_;
            open_ |= 1u << c.object;
            over_ &= ~(1u << c.object);
        }
        ForwardingPort::onCommit(c);
    }
    std::array<std::uint32_t, kMaxGrids> waits_{};
    std::uint32_t open_{}, over_{};
};

}  // namespace

TEST_CASE("random grids on the golden model", "[GDC-002][GDC-003][GDC-005][GDC-006][GDC-008][D-58]")
{
    const auto seed = GENERATE(range(1u, 5u));
    GoldenPort device(3);
    LockstepPort port(device);
    GridTraffic stimulus(port, {.seed = seed});
    const GridStats& s = stimulus.run();
    CAPTURE(seed);
    if (port.fault()) FAIL(port.fault()->message);
    CHECK(s.wrong == "");
    CHECK(!s.hung);
    CHECK(s.parked > 20);
    CHECK(s.atOnce > 20);
    CHECK(s.repeats > 20);
    CHECK(s.silent > 20);
    CHECK(s.signalledEarly > 3);
    CHECK(s.elsewhere > 5);
    CHECK(s.reused > 50);
    CHECK(s.cancelled > 10);
    CHECK(s.plain > 5);
    CHECK(s.lateMemory > 20);
    std::cout << "golden grids: seed " << seed << ", " << s.grids << " grids, " << s.ctas
              << " CTAs, " << s.waits << " waits (" << s.parked << " parked), " << s.cycles
              << " cycles\n";
}

TEST_CASE("wrong reports about grids are caught by name", "[GDC-002][GDC-003][GDC-005]")
{
    for (const Injection& injection : injections()) {
        for (const unsigned seed : {1u, 2u}) {
            CAPTURE(injection.name, seed);
            unsigned wait = 5 * seed;
            bool done = false;
            GoldenPort device(3);
            CorruptPort corrupt(device, [&](std::vector<Report>& reports) {
                for (std::size_t i = 0; i < reports.size() && !done; ++i) {
                    std::vector<Report> copy = reports;
                    if (!injection.apply(copy, i) || wait-- != 0) continue;
                    reports = std::move(copy);
                    done = true;
                }
            });
            LockstepPort port(corrupt, {.bound = 5000});
            GridTraffic stimulus(port, {.seed = seed, .accesses = 0});
            (void)stimulus.run();
            REQUIRE(done);
            REQUIRE(port.fault().has_value());
            CAPTURE(port.fault()->message);
            CHECK(port.fault()->kind == Fault::Kind::Divergence);
            CHECK(port.fault()->message.find(injection.says) != std::string::npos);
        }
    }
}

TEST_CASE("a wait that goes on before its prerequisites are complete is a fault", "[GDC-005]")
{
    GoldenPort device(3);
    Hasty hasty(device);
    LockstepPort port(hasty);
    GridTraffic stimulus(port, {.seed = 3});
    (void)stimulus.run();
    REQUIRE(port.fault().has_value());
    CHECK(port.fault()->message.find("before its prerequisites are complete (GDC-005)") !=
          std::string::npos);
}

TEST_CASE("a driver that breaks the rules of grids is told so", "[GDC-002]")
{
    const auto fault = [](auto&& drive) {
        GoldenPort device(1);
        LockstepPort port(device);
        drive(static_cast<SyncPort&>(port));
        return port.fault() ? port.fault()->message : std::string{};
    };
    const Launch of2{.threads = 32, .grid = 2};
    CHECK(fault([](SyncPort& p) { p.grid({.grid = 0, .ctas = 1}); }).find("grid slot 0") !=
          std::string::npos);
    CHECK(fault([](SyncPort& p) {
              p.grid({.grid = 3, .ctas = 1});
              p.grid({.grid = 3, .ctas = 1});
          }).find("slot in use") != std::string::npos);
    CHECK(fault([](SyncPort& p) { p.grid({.grid = 3, .ended = true}); }).find("in flight there") !=
          std::string::npos);
    CHECK(fault([&](SyncPort& p) { (void)p.launch(of2); }).find("has not started") !=
          std::string::npos);
    CHECK(fault([&](SyncPort& p) {
              p.grid({.grid = 2, .ctas = 1});
              (void)p.launch(of2);
              Launch more = of2;
              more.cta = more.wbase = 1;
              (void)p.launch(more);
          }).find("has all its CTAs") != std::string::npos);
}
