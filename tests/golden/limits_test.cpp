// Inputs that no port of its size can ever take, each with its reason; and the largest ones that it takes.
#include "golden/limits.hpp"

#include "catch.hpp"
#include "golden/golden_port.hpp"

using namespace gsu;

namespace {

constexpr unsigned kTwo = 2;  // SMs of the port

template <class Input> std::string reason(const Input& input) { return problemOf(input, kTwo); }

SyncRequest sound()
{
    SyncRequest r;
    r.op = Op::BarSync;
    r.lanes = 1;
    return r;
}

template <class Change> std::string changed(Change change)
{
    auto input = sound();
    change(input);
    return reason(input);
}

}  // namespace

TEST_CASE("requests that no port takes", "[limits]")
{
    CHECK(reason(sound()) == "");
    CHECK(changed([](SyncRequest& r) { r.at = {1, 31, 31}, r.tag = 4095; }) == "");
    CHECK(changed([](SyncRequest& r) { r.op = Op::None; }) == "operation 0 cannot be requested");
    CHECK(changed([](SyncRequest& r) { r.op = Op::EvLaunch; }).ends_with("cannot be requested"));
    CHECK(changed([](SyncRequest& r) { r.lanes = 0; }) == "a request without lanes");
    CHECK(changed([](SyncRequest& r) { r.tag = 4096; }) == "tag 4096 above 4095");
    CHECK(changed([](SyncRequest& r) { r.at.warp = 32; }) == "warp 32 of 32");
    CHECK(changed([](SyncRequest& r) { r.at.sm = 2; }) == "SM 2 of 2");
    CHECK(changed([](SyncRequest& r) { r.at.cta = 32; }) == "CTA slot 32 of 32");
}

TEST_CASE("launches that no port takes", "[limits]")
{
    const Launch good{.threads = 32};
    CHECK(reason(good) == "");
    const auto with = [&](auto change) {
        Launch l = good;
        change(l);
        return reason(l);
    };
    CHECK(with([](Launch& l) { l.threads = 0; }) == "a CTA of 0 threads");
    CHECK(with([](Launch& l) { l.threads = 1; }) == "");
    CHECK(with([](Launch& l) { l.threads = 1024; }) == "");
    CHECK(with([](Launch& l) { l.threads = 1025; }) == "a CTA of 1025 threads");
    CHECK(with([](Launch& l) { l.wbase = 63; }) == "");
    CHECK(with([](Launch& l) { l.wbase = 63, l.threads = 33; }) == "warp slots above 64");
    CHECK(with([](Launch& l) { l.size = kSharedBytes; }) == "");
    CHECK(with([](Launch& l) { l.size = 8, l.base = kSharedBytes - 8; }) == "");
    CHECK(with([](Launch& l) { l.size = 9, l.base = kSharedBytes - 8; }) ==
          "shared memory above 262144 bytes");
    CHECK(with([](Launch& l) { l.size = kSharedBytes + 1; }) == "shared memory above 262144 bytes");
    CHECK(with([](Launch& l) { l.base = 12; }) ==
          "shared memory from 12, which is no multiple of 8");
    CHECK(with([](Launch& l) { l.grid = kMaxGrids - 1; }) == "");
    CHECK(with([](Launch& l) { l.grid = kMaxGrids; }).starts_with("grid slot"));
    CHECK(with([](Launch& l) { l.sm = 2; }) == "SM 2 of 2");
    CHECK(with([](Launch& l) { l.cluster = kMaxClusters; }).starts_with("cluster slot"));
    CHECK(with([](Launch& l) { l.ctas = 0; }) == "a cluster of 0 CTAs");
    CHECK(with([](Launch& l) { l.ctas = 16, l.rank = 15; }) == "");
    CHECK(with([](Launch& l) { l.ctas = 17; }) == "a cluster of 17 CTAs");
    CHECK(with([](Launch& l) { l.ctas = 4, l.rank = 4; }) == "rank 4 of 4");
}

TEST_CASE("exits, routes, accesses and completions that no port takes", "[limits]")
{
    CHECK(reason(Exit{{1, 31, 31}, 1, false}) == "");
    CHECK(reason(Exit{{0, 0, 0}, 0, false}) == "an exit without lanes");
    CHECK(reason(Exit{{2, 0, 0}, 1, false}) == "SM 2 of 2");
    CHECK(reason(ClusterRoute{0, 1, 1, 0, 2}) == "");
    CHECK(reason(ClusterRoute{0, 0, 2, 0, 2}) == "SM 2 of 2");
    CHECK(reason(ClusterRoute{0, 2, 1, 0, 2}) == "rank 2 of 2");
    Accesses a;
    a.count = 1;
    a.epoch = 1;
    CHECK(reason(a) == "");
    a.epoch = 2;
    CHECK(reason(a) == "epoch 2 of 0 and 1");
    a = {};
    CHECK(reason(a) == "no accesses");
    a.count = 1;
    a.at.warp = 32;
    CHECK(reason(a) == "warp 32 of 32");
    AsyncUpdate u;
    u.kind = AsyncKind::AgentArrive;
    CHECK(reason(u) == "");
    u.kind = static_cast<AsyncKind>(unsigned(AsyncKind::AgentArrive) + 1);
    CHECK(reason(u).starts_with("asynchronous completion of kind"));
    u.kind = AsyncKind::CompleteTx;
    u.sm = 2;
    CHECK(reason(u) == "SM 2 of 2");
}

TEST_CASE("starts of grids that no port takes", "[limits][GDC-002]")
{
    const auto start = [](auto change) {
        GridStart g;
        g.grid = 3;
        change(g);
        return reason(g);
    };
    const std::string end = "the end of a grid with CTAs or prerequisites";
    const std::string fewer = "a grid of fewer CTAs: how many, and nothing else";
    CHECK(start([](GridStart& g) { g.ctas = 4, g.prereqs = 0b0110; }) == "");
    CHECK(start([](GridStart& g) { g.grid = 0; }).starts_with("grid slot 0: 1 to"));
    CHECK(start([](GridStart& g) { g.grid = kMaxGrids; }).starts_with("grid slot"));
    CHECK(start([](GridStart& g) { g.grid = kMaxGrids - 1; }) == "");
    CHECK(start([](GridStart& g) { g.prereqs = 0b1000; }) == "a grid that is its own prerequisite");
    CHECK(start([](GridStart& g) { g.ended = true; }) == "");
    CHECK(start([](GridStart& g) { g.ended = true, g.ctas = 1; }) == end);
    CHECK(start([](GridStart& g) { g.ended = true, g.prereqs = 0b0010; }) == end);
    CHECK(start([](GridStart& g) { g.fewer = true, g.ctas = 1; }) == "");
    CHECK(start([](GridStart& g) { g.fewer = true; }) == fewer);
    CHECK(start([](GridStart& g) { g.fewer = true, g.ctas = 1, g.prereqs = 0b0010; }) == fewer);
    CHECK(start([](GridStart& g) { g.fewer = g.ended = true; }) == fewer);
}

TEST_CASE("a golden port refuses a launch where it has no SM or no slot", "[limits][D-04]")
{
    GoldenPort port(kTwo);
    Launch l{.sm = 1, .threads = 32};
    CHECK(port.launch(l));
    CHECK_FALSE(port.launch(l));  // the slot is taken
    l.cta = 32;
    CHECK_FALSE(port.launch(l));
    l.cta = 0;
    l.sm = 2;
    CHECK_FALSE(port.launch(l));
    l = {.sm = 0, .wbase = 63, .threads = 33};
    CHECK_FALSE(port.launch(l));
    for (const std::uint16_t threads : {std::uint16_t{0}, std::uint16_t{1025}}) {
        CHECK_FALSE(port.launch({.sm = 0, .threads = threads}));
    }
    l.threads = 32;
    CHECK(port.launch(l));
}

TEST_CASE("a golden port launches the CTAs of a cluster where they are routed, each once",
          "[limits][D-47]")
{
    GoldenPort port(kTwo);
    for (std::uint8_t rank = 0; rank < 2; ++rank) port.route({5, rank, rank, 3, 2});
    const Launch first{.sm = 0, .cta = 3, .cluster = 5, .rank = 0, .ctas = 2, .threads = 32};
    const auto refuses = [&](auto change) {
        Launch l = first;
        change(l);
        return !port.launch(l);
    };
    CHECK(refuses([](Launch& l) { l.cluster = kMaxClusters; }));
    CHECK(refuses([](Launch& l) { l.rank = 2; }));
    CHECK(refuses([](Launch& l) { l.rank = 1; }));  // that one is routed to SM 1
    CHECK(refuses([](Launch& l) { l.ctas = 3; }));
    CHECK(refuses([](Launch& l) { l.sm = 1; }));
    CHECK(refuses([](Launch& l) { l.cta = 4; }));
    CHECK(port.launch(first));
    CHECK_FALSE(port.launch(first));
    Launch second = first;
    second.sm = second.rank = 1;
    CHECK(port.launch(second));
}

TEST_CASE("a golden port says that it was given an answer to no query", "[limits]")
{
    GoldenPort port(kTwo);
    CHECK_FALSE(port.fault());
    port.answerCancel({.sm = 1, .slot = 3});
    REQUIRE(port.fault());
    CHECK(port.fault()->kind == Fault::Kind::Protocol);
    CHECK(port.fault()->message.find("no query") != std::string::npos);
}
