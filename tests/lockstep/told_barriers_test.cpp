// Reports of barriers, warp syncs, fences and the network that no device makes, told to the follower one by one.
#include "told.hpp"

using namespace gsu;
using namespace gsu::test;

// long: a table, one row for each error
TEST_CASE("a wrong report of a barrier, fence or warp sync is caught and named",
          "[D-01][D-10][D-17][D-18]")
{
    static const std::vector<WrongStep> all{
        {"lanes that have not all met", "group committed before all lanes met",
         [](Told& t) {
             t.alone();
             t.request(requestOf(Op::BarSync, 0xffff, 1));
             t.commit(t.named(Op::BarSync, kFirst, 0xffff, 1));
         }},
        {"tag of the request that came first", "tag differs",
         [](Told& t) {
             t.alone();
             t.request(requestOf(Op::BarSync, 0xffff, 1));
             t.request(requestOf(Op::BarSync, 0xffff'0000, 2));
             t.commit(t.named(Op::BarSync, kFirst, kAll, 1));
         }},
        {"arrival before the completion by an exit", "completion by exit first (D-10)",
         [](Told& t) {
             completedByExit(t);
             t.request(aligned(Op::BarSync, 0xffff'0000, 2));
             t.commit(t.named(Op::BarSync, kFirst, 0xffff'0000, 2, true));
         }},
        {"refused arrival that changes the barrier", "newWord differs",
         [](Told& t) {
             t.alone();
             SyncRequest r = requestOf(Op::BarSync, kAll, 1);
             r.arg0 = 99;
             t.request(r);
             Commit c = t.named(Op::BarSync, kFirst, kAll, 1);
             c.newWord = c.oldWord + 2;
             t.commit(c);
         }},
        {"whole warp at a named barrier reported as a part", "golden: errs 0x0;",
         [](Told& t) {
             t.alone();
             t.request(aligned(Op::BarSync, kAll, 1));
             Commit c = t.named(Op::BarSync, kFirst, kAll, 1);
             c.errs = 1u << kNbErrDiverged;
             t.commit(c);
         }},
        {"left arrivals refused", "errs differs",
         [](Told& t) {
             t.alone();
             SyncRequest r = requestOf(Op::BarArrive, kAll, 1);
             r.arg1 = 64;
             t.request(r);
             t.commit(t.named(Op::BarArrive, kFirst, kAll, 1));
             t.answer({.tag = 1, .at = kFirst, .lanes = kAll, .last = true});
             t.exitAtTable(kFirst);
             t.exitAtNamed(kFirst);
             t.commit({.unit = Unit::Named,
                       .op = Op::EvWarpExit,
                       .at = kFirst,
                       .refused = true,
                       .errs = 1u << kNbErrLeft});
         }},
        {"completion by exit of another state", "oldWord differs",
         [](Told& t) {
             completedByExit(t);
             Commit c = flipByExit(t);
             c.oldWord ^= 1;
             t.commit(c);
         }},
        {"completion by exit with an error", "errs differs",
         [](Told& t) {
             completedByExit(t);
             Commit c = flipByExit(t);
             c.errs = 1u << kNbErrMixed;
             t.commit(c);
         }},
        {"warp sync refused", "refused differs",
         [](Told& t) {
             t.alone();
             t.request(requestOf(Op::WarpSync, kAll, 1));
             t.commit({.unit = Unit::WarpSync,
                       .op = Op::WarpSync,
                       .at = kFirst,
                       .lanes = kAll,
                       .tag = 1,
                       .object = kAll,
                       .refused = true});
         }},
        {"fence committed as another", "operation differs",
         [](Told& t) {
             t.alone();
             t.request(requestOf(Op::Fence, 1, 1));
             t.commit({.unit = Unit::Fence, .op = Op::Membar, .at = kFirst, .lanes = 1, .tag = 1});
         }},
        {"operation without a unit committed as another", "operation differs",
         [](Told& t) {
             t.alone();
             t.request(requestOf(Op::MbarPendingCount, 1, 1));
             t.commit({.unit = Unit::Null,
                       .op = Op::ClcQueryCancel,
                       .at = kFirst,
                       .lanes = 1,
                       .tag = 1,
                       .refused = true,
                       .errs = 1u << kNullErrNoUnit});
         }},
    };
    requireNamed(all, Fault::Kind::Divergence);
}

TEST_CASE("a wrong report of the cluster barrier or the network is caught and named",
          "[D-46][D-49][D-51]")
{
    static const std::vector<WrongStep> all{
        {"another cluster", "object differs",
         [](Told& t) {
             t.pair();
             t.request(requestOf(Op::ClusterArrive, kAll, 1));
             Commit c = t.clustered(Op::ClusterArrive, kFirst, 1);
             c.object ^= 1;
             t.commit(c);
         }},
        {"arrive committed as a wait", "operation differs",
         [](Told& t) {
             t.alone();
             t.request(requestOf(Op::ClusterArrive, kAll, 1));
             Commit c = t.clustered(Op::ClusterArrive, kFirst, 1);
             c.op = Op::ClusterWait;
             t.commit(c);
         }},
        {"whole warp reported as a part", "errs differs",
         [](Told& t) {
             t.alone();
             t.request(aligned(Op::ClusterArrive, kAll, 1));
             Commit c = t.clustered(Op::ClusterArrive, kFirst, 1);
             c.errs = 1u << kCbErrDiverged;
             t.commit(c);
         }},
        {"arrive refused", "refused differs",
         [](Told& t) {
             t.alone();
             t.request(requestOf(Op::ClusterArrive, kAll, 1));
             Commit c = t.clustered(Op::ClusterArrive, kFirst, 1);
             c.refused = true;
             t.commit(c);
         }},
        {"network event of a cluster without routes", "cluster that is not routed",
         [](Told& t) {
             t.pair();
             t.commit({.unit = Unit::Network, .op = Op::EvClusterFlip, .object = 6});
         }},
        {"network opens a cluster twice", "network opens a cluster twice",
         [](Told& t) {
             t.pair();
             for (int i = 0; i < 2; ++i)
                 t.commit({.unit = Unit::Network, .op = Op::EvClusterOpen, .object = t.kCluster});
         }},
        {"network frees a cluster with live warps", "network frees a cluster twice or too early",
         [](Told& t) {
             t.pair();
             t.commit({.unit = Unit::Network, .op = Op::EvClusterOpen, .object = t.kCluster});
             t.commit({.unit = Unit::Network, .op = Op::EvCtaFree, .object = t.kCluster});
         }},
        {"network frees a cluster twice", "network frees a cluster twice or too early",
         [](Told& t) {
             t.pair();
             t.commit({.unit = Unit::Network, .op = Op::EvClusterOpen, .object = t.kCluster});
             t.leave(kFirst);
             t.leave(kFar);
             for (int i = 0; i < 2; ++i)
                 t.commit({.unit = Unit::Network, .op = Op::EvCtaFree, .object = t.kCluster});
         }},
        {"an event that the network does not have", "the network commits no such event",
         [](Told& t) {
             t.pair();
             t.commit({.unit = Unit::Network, .op = Op::EvAck, .object = t.kCluster});
         }},
    };
    requireNamed(all, Fault::Kind::Divergence);
}
