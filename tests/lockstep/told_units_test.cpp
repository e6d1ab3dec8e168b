// Calls that no driver of ours makes, and reports of the CTA table and of grids that no device makes, told to the follower one by one; and what is
// missing after a time.
#include "told.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

void start(Told& t, const GridStart& grid) { t.driver(&Follower::onGridStart, grid); }
/// Grid 2 of two CTAs waits for grid 1, which runs elsewhere.
void twoGrids(Told& t)
{
    start(t, {.grid = 1});
    t.commit({.unit = Unit::Network, .op = Op::EvGridOpen, .object = 1});
    start(t, {.grid = 2, .ctas = 2, .prereqs = 1u << 1});
    t.commit({.unit = Unit::Network,
              .op = Op::EvGridOpen,
              .lanes = 1u << 1,
              .object = 2,
              .newWord = std::uint64_t{2} << 32 | 2});
}

}  // namespace

TEST_CASE("a driver that breaks the rules of the port is told which", "[D-01]")
{
    static const std::vector<WrongStep> all{
        {"request of a CTA that is not there",
         "request of sm 0 cta 0 warp 0, which is not launched",
         [](Told& t) { t.request(requestOf(Op::BarSync, 1, 1)); }},
        {"request of a warp that is not there", "warp 1, which is not launched",
         [](Told& t) {
             t.alone();
             t.request(requestOf(Op::BarSync, 1, 1, kSecond));
         }},
        {"request of no lane", "request BarSync of sm 0 cta 0 warp 0 lanes 0x0",
         [](Told& t) {
             t.alone();
             t.request(requestOf(Op::BarSync, 0, 1));
         }},
        {"request of an open lane",
         "request BarSync of sm 0 cta 0 warp 0 lanes 0x3: open lanes 0x2",
         [](Told& t) {
             t.alone();
             t.request(requestOf(Op::BarSync, 2, 1));
             t.request(requestOf(Op::BarSync, 3, 2));
         }},
        {"launch into a slot in use", "slot in use",
         [](Told& t) {
             t.alone();
             t.driver(&Follower::onLaunch, Launch{.threads = 32});
         }},
        {"exit of a CTA that is not there", "exit of sm 0 cta 0 warp 0, which is not launched",
         [](Told& t) {
             t.driver(&Follower::onExit, Exit{kFirst, 1, false});
         }},
        {"exit of an open lane", "exit of sm 0 cta 0 warp 0 lanes 0x1: open lanes 0x1",
         [](Told& t) {
             t.alone();
             t.request(requestOf(Op::BarSync, 1, 1));
             t.driver(&Follower::onExit, Exit{kFirst, 1, false});
         }},
        {"no accesses", "no epoch or none",
         [](Told& t) {
             t.alone();
             t.accesses({kFirst, Reach::Cta, 0, 0}, false);
         }},
        {"answer to no query", "answer to no query of try_cancel: sm 1 slot 3",
         [](Told& t) { t.driver(&Follower::onCancelAnswer, CancelAnswer{.sm = 1, .slot = 3}); }},
        {"completion at an SM that is not there", "SM or CTA slot that does not exist",
         [](Told& t) { t.driver(&Follower::onNotify, AsyncUpdate{.sm = 2}); }},
    };
    requireNamed(all, Fault::Kind::Protocol);
}

TEST_CASE("a wrong report of the CTA table is caught and named", "[D-01][D-41]")
{
    static const std::vector<WrongStep> all{
        {"commits out of order", "sequence numbers do not rise",
         [](Told& t) {
             t.alone();
             t.seq = 0;
             t.exitAtTable(kFirst);
         }},
        {"an event that the table does not have", "the CTA table commits no such event",
         [](Told& t) {
             t.alone();
             t.commit({.unit = Unit::Cta, .op = Op::EvAck, .at = kFirst});
         }},
        {"exits out of order", "exit out of order",
         [](Told& t) {
             t.alone(2);
             t.driver(&Follower::onExit, Exit{kFirst, kAll, false});
             t.exitAtTable(kSecond);
         }},
        {"slot freed while a unit has not seen the exit",
         "before every unit saw the exit of warp 0",
         [](Told& t) {
             t.alone();
             t.exitAtTable(kFirst);
             t.exitAtCluster(kFirst);
             t.free(kFirst);
         }},
        {"slot freed twice", "CTA slot freed twice",
         [](Told& t) {
             t.alone();
             t.leave(kFirst);
             t.free(kFirst);
             t.free(kFirst);
         }},
        {"answer to a CTA that is not there", "response to a warp that is not launched",
         [](Told& t) { t.answer({.at = kFar, .lanes = 1}); }},
        {"release of a CTA that is not there", "release of a CTA that is not launched",
         [](Told& t) { t.device(&Follower::onRelease, Release{.sm = 1, .warps = 1}); }},
    };
    requireNamed(all, Fault::Kind::Divergence);
}

TEST_CASE("a wrong message of grids is caught and named", "[GDC-002][GDC-005]")
{
    static const std::vector<WrongStep> all{
        {"an event that grid control does not have", "grid control commits no such event",
         [](Told& t) {
             t.alone();
             t.commit({.unit = Unit::Grid, .op = Op::Fence, .at = kFirst, .lanes = 1});
         }},
        {"end of a grid elsewhere that completes nothing", "end of a grid elsewhere differs",
         [](Told& t) {
             twoGrids(t);
             start(t, {.grid = 1, .ended = true});
             t.commit({.unit = Unit::Network, .op = Op::EvGridEnd, .object = 1});
         }},
        {"start with another number of CTAs", "newWord differs",
         [](Told& t) {
             start(t, {.grid = 1, .ctas = 3});
             t.commit({.unit = Unit::Network, .op = Op::EvGridOpen, .object = 1, .newWord = 3});
         }},
        {"fewer CTAs of another state", "oldWord differs",
         [](Told& t) {
             twoGrids(t);
             start(t, {.grid = 2, .ctas = 1, .fewer = true});
             t.commit({.unit = Unit::Network, .op = Op::EvGridEnd, .object = 2, .oldWord = 1});
         }},
        {"the end of a CTA counted as another word", "newWord differs",
         [](Told& t) {
             start(t, {.grid = 1, .ctas = 2});
             const std::uint64_t word = std::uint64_t{2} << 32 | 2;
             t.commit({.unit = Unit::Network, .op = Op::EvGridOpen, .object = 1, .newWord = word});
             t.alone(1, 1);
             t.leave(kFirst);
             t.free(kFirst);
             t.commit({.unit = Unit::Network,
                       .op = Op::EvGridEnd,
                       .object = 1,
                       .oldWord = word,
                       .newWord = std::uint64_t{1} << 32 | 2,
                       .src = Src::Network});
         }},
        {"fewer CTAs than given", "newWord differs",
         [](Told& t) {
             twoGrids(t);
             start(t, {.grid = 2, .ctas = 1, .fewer = true});
             const std::uint64_t word = std::uint64_t{2} << 32 | 2;
             t.commit({.unit = Unit::Network,
                       .op = Op::EvGridEnd,
                       .object = 2,
                       .oldWord = word,
                       .newWord = word});
         }},
    };
    requireNamed(all, Fault::Kind::Divergence);
}

TEST_CASE("what a unit never reports is missing by name", "[D-62][D-70]")
{
    static const std::vector<WrongStep> all{
        {"exit", "exit not committed",
         [](Told& t) {
             t.alone();
             t.driver(&Follower::onExit, Exit{kFirst, kAll, false});
             t.wait();
         }},
        {"completion by exit", "completion by exit missing",
         [](Told& t) {
             completedByExit(t);
             t.exitAtCluster(kSecond);
             t.wait();
         }},
        {"delivery in a cluster", "delivery of a complete cluster generation missing",
         [](Told& t) {
             bothArrive(t);
             t.wait();
         }},
        {"delivery to a CTA alone", "delivery of a complete cluster generation missing",
         [](Told& t) {
             t.alone();
             t.request(requestOf(Op::ClusterArrive, kAll, 1));
             t.commit(t.clustered(Op::ClusterArrive, kFirst, 1));
             t.answer({.tag = 1, .at = kFirst, .lanes = kAll, .last = true});
             t.idle();
         }},
        {"end of a CTA", "CTA slot not freed",
         [](Told& t) {
             t.alone();
             t.leave(kFirst);
             t.idle();
         }},
        {"wait for a grid that has ended", "griddepcontrol.wait does not go on",
         [](Told& t) {
             twoGrids(t);
             t.alone(1, 2);
             t.request(requestOf(Op::GdcWait, 1, 1));
             t.wait();
             start(t, {.grid = 1, .ended = true});
             t.commit({.unit = Unit::Network, .op = Op::EvGridEnd, .object = 1, .flip = true});
             t.wait();
         }},
    };
    requireNamed(all, Fault::Kind::Divergence);
}

TEST_CASE("lanes of several requests wait for what the latest of them waits for", "[D-69]")
{
    static const std::vector<WrongStep> all{
        {"accesses between two requests of a group",
         "commit before older accesses of its warp were performed",
         [](Told& t) {
             t.alone();
             SyncRequest r = requestOf(Op::WarpSync, 1, 1);
             r.arg0 = 3;
             t.request(r);
             t.accesses({kFirst, Reach::Cta, 0, 1}, false);
             r.lanes = 2;
             r.tag = 2;
             t.request(r);
             r.lanes = r.arg0 = 4;  // the latest request of the warp is not of the group
             r.tag = 3;
             t.request(r);
             t.commit({.unit = Unit::WarpSync,
                       .op = Op::WarpSync,
                       .at = kFirst,
                       .lanes = 3,
                       .tag = 2,
                       .object = 3});
         }},
    };
    requireNamed(all, Fault::Kind::Divergence);
}

TEST_CASE("orders that a device may choose are no difference", "[D-49][D-70][GDC-002]")
{
    static const std::vector<WrongStep> all{
        {"a group is committed under the tag of a request that waited for accesses", "",
         [](Told& t) {
             t.alone();
             t.accesses({kFirst, Reach::Cta, 0, 1}, false);
             t.request(requestOf(Op::BarSync, 0xffff, 1));
             t.accesses({kFirst, Reach::Cta, 0, 1}, true);
             t.request(requestOf(Op::BarSync, 0xffff'0000, 2));
             t.commit(t.named(Op::BarSync, kFirst, kAll, 1));
         }},
        {"a wait that finds its generation complete is released", "",
         [](Told& t) {
             bothArrive(t);
             t.commit(t.delivery(kFirst));
             t.request(requestOf(Op::ClusterWait, kAll, 2));
             t.commit(t.clustered(Op::ClusterWait, kFirst, 2));
             t.device(&Follower::onRelease, Release{.warps = 1, .cluster = true});
             t.leave(kFirst);
         }},
        {"a CTA that ends before its signal is counted reports both at once", "",
         [](Told& t) {
             start(t, {.grid = 1, .ctas = 1});
             const std::uint64_t word = std::uint64_t{1} << 32 | 1;
             t.commit({.unit = Unit::Network, .op = Op::EvGridOpen, .object = 1, .newWord = word});
             t.alone(1, 1);
             t.request(requestOf(Op::GdcLaunchDependents, kAll, 1));
             t.commit({.unit = Unit::Grid,
                       .op = Op::GdcLaunchDependents,
                       .at = kFirst,
                       .lanes = kAll,
                       .tag = 1,
                       .object = 1,
                       .newWord = 1,
                       .flip = true});
             t.answer({.tag = 1, .at = kFirst, .lanes = kAll, .last = true});
             t.leave(kFirst);
             t.free(kFirst);
             t.commit({.unit = Unit::Network,
                       .op = Op::EvGridEnd,
                       .object = 1,
                       .oldWord = word,
                       .flip = true,
                       .src = Src::Network});
             t.device(&Follower::onGrid, GridEvent{.grid = 1});
             t.device(&Follower::onGrid, GridEvent{.grid = 1, .complete = true});
         }},
    };
    requireSilent(all);
}

TEST_CASE("a queue that is never empty keeps its order when it moves its values to the front")
{
    lockstep::Fifo<unsigned> fifo;
    unsigned out = 0;
    for (unsigned in = 0; in < 10'000; ++in) {
        fifo.push(in);
        if (in < 100) continue;  // a hundred values stay in it
        REQUIRE(fifo.front() == out++);
        fifo.pop();
    }
    for (; !fifo.empty(); fifo.pop()) REQUIRE(fifo.front() == out++);
    CHECK(out == 10'000);
}
