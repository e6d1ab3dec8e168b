// What only a wrong driver does, and reports of what is not there: told by name, before anything is compared.
#include <functional>

#include "catch.hpp"
#include "lockstep/follower.hpp"

using namespace gsu;

namespace {

constexpr Lanes kHalf = 0xffff;

/// A follower of one SM with one CTA of two warps in slot 2, launched and committed; nobody drives a device.
struct Alone {
    Follower follower{1};
    Launch launch{.cta = 2, .threads = 64, .size = 0x100};

    Alone()
    {
        follower.onLaunch(0, launch);
        Commit c;
        c.unit = Unit::Cta;
        c.op = Op::EvLaunch;
        c.at = {0, 2, 0};
        follower.onCommit(c);
        REQUIRE_FALSE(follower.fault());
    }
    static SyncRequest request(std::uint8_t warp = 0, Lanes lanes = kHalf)
    {
        SyncRequest r;
        r.op = Op::BarSync;
        r.at = {0, 2, warp};
        r.lanes = lanes;
        r.tag = 5;
        return r;
    }
};

std::string protocol(const std::function<void(Follower&)>& drive)
{
    Alone a;
    drive(a.follower);
    if (!a.follower.fault()) return "";
    CHECK(a.follower.fault()->kind == Fault::Kind::Protocol);
    return a.follower.fault()->message;
}

std::string divergence(const std::function<void(Follower&)>& report)
{
    Alone a;
    report(a.follower);
    if (!a.follower.fault()) return "";
    CHECK(a.follower.fault()->kind == Fault::Kind::Divergence);
    return a.follower.fault()->message;
}

}  // namespace

TEST_CASE("requests of lanes that are not there or wait already are the driver's error", "[D-01]")
{
    const auto ask = [](SyncRequest r) {
        return protocol([&](Follower& f) { f.onRequest(1, r); });
    };
    CHECK(ask(Alone::request(1)) == "");
    CHECK(ask(Alone::request(2)) ==
          "driver, cycle 1: request of sm 0 cta 2 warp 2, which is not launched");
    SyncRequest r = Alone::request();
    r.at.cta = 3;
    CHECK_THAT(ask(r), Catch::Contains("which is not launched"));
    r.at = {1, 2, 0};
    CHECK_THAT(ask(r), Catch::Contains("which is not launched"));
    r.at = {0, 32, 0};
    CHECK_THAT(ask(r), Catch::Contains("which is not launched"));
    CHECK_THAT(ask(Alone::request(0, 0)), Catch::Contains("lanes 0x0: open lanes 0x0"));
    CHECK_THAT(protocol([](Follower& f) {
                   f.onRequest(1, Alone::request());
                   f.onRequest(2, Alone::request(0, 0x8000));
               }),
               Catch::Contains("cycle 2") && Catch::Contains("open lanes 0xffff"));
    CHECK_THAT(protocol([](Follower& f) {
                   f.onExit(1, {{0, 2, 0}, 1, false});
                   f.onRequest(2, Alone::request(0, 3));
               }),
               Catch::Contains("exited lanes 0x1"));
}

TEST_CASE("exits of lanes that wait, have left or are not there are the driver's error", "[D-01]")
{
    const auto leave = [](const Exit& exit) {
        return protocol([&](Follower& f) {
            f.onRequest(1, Alone::request(1));
            f.onExit(2, {{0, 2, 0}, 1, false});
            f.onExit(3, exit);
        });
    };
    CHECK(leave({{0, 2, 0}, 2, false}) == "");
    CHECK_THAT(leave({{0, 2, 0}, 0, false}), Catch::Contains("exit of sm 0 cta 2 warp 0"));
    CHECK_THAT(leave({{0, 2, 0}, 3, false}), Catch::Contains("exited lanes 0x1"));
    CHECK_THAT(leave({{0, 2, 1}, 1, false}), Catch::Contains("open lanes 0xffff"));
    CHECK_THAT(leave({{0, 2, 2}, 1, false}), Catch::Contains("which is not launched"));
}

TEST_CASE("launches into a slot in use, and completions of no slot, are the driver's error",
          "[D-01]")
{
    CHECK_THAT(protocol([](Follower& f) { f.onLaunch(1, {.cta = 2, .threads = 32}); }),
               Catch::Contains("launch into sm 0 cta 2: slot in use"));
    AsyncUpdate u;
    u.kind = AsyncKind::CompleteTx;
    const auto complete = [&](std::uint8_t sm, std::uint8_t cta) {
        u.sm = sm;
        u.cta = cta;
        return protocol([&](Follower& f) { f.onNotify(1, u); });
    };
    CHECK(complete(0, 2) == "");
    CHECK(complete(0, 31) == "");
    CHECK_THAT(complete(1, 2), Catch::Contains("that does not exist"));
    CHECK_THAT(complete(0, 32), Catch::Contains("that does not exist"));
}

TEST_CASE("accesses of no warp, no epoch or none are the driver's error", "[D-40]")
{
    const auto tell = [](Accesses a) {
        return protocol([&](Follower& f) { f.onAccesses(1, a, false); });
    };
    const Accesses good{{0, 2, 0}, Reach::Cta, 1, 1};
    CHECK(tell(good) == "");
    Accesses bad = good;
    bad.epoch = 2;
    CHECK_THAT(tell(bad), Catch::Contains("no epoch or none"));
    bad = good;
    bad.count = 0;
    CHECK_THAT(tell(bad), Catch::Contains("no epoch or none"));
    bad = good;
    bad.at.warp = 2;
    CHECK_THAT(tell(bad), Catch::Contains("not launched"));
}

TEST_CASE("an answer to a query that nobody asked is the driver's error", "[CLC-003]")
{
    for (const CancelAnswer& a :
         {CancelAnswer{.sm = 0, .slot = 3}, CancelAnswer{.sm = 0, .slot = 32},
          CancelAnswer{.sm = 1, .slot = 0}}) {
        CAPTURE(unsigned(a.sm), unsigned(a.slot));
        CHECK_THAT(protocol([&](Follower& f) { f.onCancelAnswer(1, a); }),
                   Catch::Contains("answer to no query of try_cancel"));
    }
}

TEST_CASE("after a fault nothing more is said", "[D-01]")
{
    Alone a;
    a.follower.onRequest(1, Alone::request(2));
    const std::string first = a.follower.fault()->message;
    a.follower.onRequest(2, Alone::request(3));
    a.follower.onExit(3, {{0, 2, 9}, 1, false});
    a.follower.onLaunch(4, a.launch);
    a.follower.onCommit({});
    a.follower.onResponse({});
    a.follower.onRelease({});
    a.follower.onCtaFree({});
    CHECK(a.follower.fault()->message == first);
}

TEST_CASE("reports of warps and CTAs that are not there differ", "[D-01]")
{
    CHECK_THAT(divergence([](Follower& f) {
                   SyncResponse r;
                   r.at = {0, 2, 2};
                   r.lanes = 1;
                   f.onResponse(r);
               }),
               Catch::Contains("response to a warp that is not launched"));
    CHECK_THAT(divergence([](Follower& f) {
                   Release r;
                   r.cta = 3;
                   r.warps = 1;
                   f.onRelease(r);
               }),
               Catch::Contains("release of a CTA that is not launched"));
    CHECK_THAT(divergence([](Follower& f) {
                   Release r;
                   r.cta = 2;
                   r.cluster = true;
                   f.onRelease(r);
               }),
               Catch::Contains("release of no warp"));
    CHECK_THAT(divergence([](Follower& f) {
                   f.onCtaFree({0, 2, 7});
               }),
               Catch::Contains("CTA slot reported free without its commit"));
    const auto commit = [](Unit unit, Op op, std::uint8_t warp, std::uint64_t seq = 9) {
        return divergence([=](Follower& f) {
            Commit c;
            c.seq = seq;
            c.unit = unit;
            c.op = op;
            c.at = {0, 2, warp};
            c.lanes = 1;
            f.onCommit(c);
        });
    };
    CHECK_THAT(commit(Unit::Named, Op::BarSync, 2), Catch::Contains("that is not launched"));
    CHECK_THAT(commit(Unit::Named, Op::BarSync, 0, 0), Catch::Contains("numbers do not rise"));
    CHECK_THAT(commit(Unit::Cta, Op::EvLaunch, 0), Catch::Contains("no launch pending"));
    CHECK_THAT(commit(Unit::Cta, Op::EvTimeout, 0), Catch::Contains("commits no such event"));
    CHECK_THAT(commit(Unit::Cta, Op::EvWarpExit, 0), Catch::Contains("no exit pending"));
    CHECK_THAT(commit(Unit::Network, Op::EvClusterFlip, 0), Catch::Contains("not routed"));
    CHECK_THAT(commit(Unit::Cta, Op::EvCtaFree, 0), Catch::Contains("has live warps"));
}
