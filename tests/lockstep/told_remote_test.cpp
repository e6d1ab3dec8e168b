// Reports of remote operations, asynchronous completions, atomics and try_cancel that no device makes, told to the follower one by one.
#include "told_mbarrier.hpp"

using namespace gsu;
using namespace gsu::test;

TEST_CASE("a wrong commit of a remote operation is caught and named", "[D-23][D-38][D-41][D-45]")
{
    static const std::vector<WrongStep> all{
        {"upper lanes first", "lanes of one remote request out of order",
         [](Told& t) {
             t.pair();
             t.request(remote(Op::MbarArrive, 3, 1));
             t.commit(posted(Op::MbarArrive, 2, 1));
         }},
        {"bytes complete before their data came", "complete_tx before its data were delivered",
         [](Told& t) {
             t.pair();
             t.request(remote(Op::StAsync, 1, 1));
             t.commit(posted(Op::StAsync, 1, 1));
         }},
        {"return without a reason", "errs differs",
         [](Told& t) {
             t.pair();
             t.request(remote(Op::MbarArrive, 1, 1));
             Commit c = posted(Op::MbarArrive, 1, 1);
             c.at = kFirst;
             c.src = Src::Network;
             t.commit(c);
         }},
        {"return of nothing", "return of no posted operation",
         [](Told& t) {
             t.pair();
             Commit c = dropped(Op::MbarArrive, 1, 1);
             c.at = kFirst;
             c.src = Src::Network;
             t.commit(c);
         }},
        {"return of a red as lanes that are apart", "lanes that do not follow each other",
         [](Told& t) {
             t.pair();
             t.request(remote(Op::Red, 7, 1));
             Commit c = dropped(Op::Red, 5, 1);
             c.at = kFirst;
             c.src = Src::Network;
             t.commit(c);
         }},
        {"slot freed under a packet", "while a remote operation is on its way to it",
         [](Told& t) {
             t.pair();
             t.request(remote(Op::MbarArrive, 1, 1));
             done(t, 1, 1);
             t.leave(kFirst);
             t.leave(kFar);
             t.free(kFar);
         }},
        {"never", "remote operation not committed",
         [](Told& t) {
             t.pair();
             t.request(remote(Op::MbarArrive, 1, 1));
             done(t, 1, 1);
             t.wait();
         }},
        {"data of a refused packet neither delivered nor dropped", "dropped data not told",
         [](Told& t) {
             t.pair();
             t.request(remote(Op::StAsync, 1, 1));
             done(t, 1, 1);
             t.leave(kFar);
             t.commit(dropped(Op::StAsync, 1, 1));
             t.wait(Told::kBound + 2);
         }},
        {"never acknowledged", "acknowledgement missing",
         [](Told& t) {
             t.pair();
             t.request(remote(Op::MbarArrive, 1, 1));
             done(t, 1, 1);
             t.leave(kFar);
             t.commit(dropped(Op::MbarArrive, 1, 1));
             t.idle();
         }},
    };
    requireNamed(all, Fault::Kind::Divergence);
}

TEST_CASE("a wrong report of a completion, an atomic or try_cancel is caught and named",
          "[ATOM-029][CLC-003][D-41][D-45]")
{
    static const std::vector<WrongStep> all{
        {"more arrivals than were given", "number of arrivals differs",
         [](Told& t) {
             object(t, 4);
             t.driver(&Follower::onNotify,
                      AsyncUpdate{.kind = AsyncKind::ArriveOn, .amount = 1, .tag = 1});
             Commit c = local(Op::EvAsyncArrive, 3, 1, wordWith(4, 4), wordWith(2, 4));
             c.src = Src::CpAsync;
             t.commit(c);
         }},
        {"bytes at an address that has no object", "errs differs",
         [](Told& t) {
             object(t, 4);
             t.driver(&Follower::onNotify, AsyncUpdate{.addr = 4, .amount = 8, .tag = 1});
             Commit c = local(Op::EvAsyncCompleteTx, 1, 1, wordWith(4, 4), wordWith(4, 4));
             c.src = Src::AsyncCopy;
             c.object = 4;
             t.commit(c);
         }},
        {"packet of lanes that are apart", "lanes that do not follow each other",
         [](Told& t) {
             t.pair();
             t.request(remote(Op::Red, 7, 1));
             t.commit(posted(Op::Red, 5, 1));
         }},
        {"several answers of one atom", "an atom has several answers",
         [](Told& t) {
             atom(t);
             t.answer({.tag = 1, .lanes = 1, .cause = Cause::Done});
         }},
        {"atom that was performed, answered as refused",
         "cause of the response differs for an atom",
         [](Told& t) {
             atom(t);
             done(t, 1, 3, Cause::Refused);
         }},
        {"atom with a predicate", "predicate differs for an atom",
         [](Told& t) {
             atom(t);
             t.answer({.tag = 1, .lanes = 3, .pred = 1, .last = true});
         }},
        {"atom that was dropped, answered as performed",
         "cause of the response differs for an atom",
         [](Told& t) {
             t.pair();
             t.request(remote(Op::Atom, 1, 1));
             t.step();
             t.leave(kFar);
             t.commit(dropped(Op::Atom, 1, 1));
             t.device(&Follower::onDelivered,
                      Delivered{.sm = 1, .tag = 1, .refused = true, .lanes = 1});
             t.commit(ack(1, 1, 4));
             done(t, 1, 1);
         }},
        {"two queries of one name", "query under the name of one that is not answered",
         [](Told& t) {
             asking(t);
             t.device(&Follower::onCancel, CancelQuery{.lane = 1, .tag = 1});
         }},
        {"a query of a name that there is not", "query under the name of one that is not answered",
         [](Told& t) {
             asking(t);
             t.device(&Follower::onCancel, CancelQuery{.lane = 1, .slot = 32, .tag = 1});
         }},
        {"slot freed before its queries were answered", "before its queries of try_cancel were",
         [](Told& t) {
             asking(t);
             t.leave(kFirst);
             t.free(kFirst);
         }},
    };
    requireNamed(all, Fault::Kind::Divergence);
}

TEST_CASE("packets that come back and waits that end late are no difference", "[D-32][D-38][D-41]")
{
    static const std::vector<WrongStep> all{
        {"a suspended wait that ends at its completion, after a long time", "",
         [](Told& t) {
             park(t, 100 * Told::kBound);
             for (int i = 0; i < 50; ++i) t.wait();
             arrive(t);
             t.wait(Told::kBound - 1);
             t.answer({.tag = 1, .lanes = 1, .pred = 1, .last = true, .cause = Cause::Flip});
         }},
        {"a wait whose object was written over by a store has no time-out", "",
         [](Told& t) {
             park(t, 100);
             t.wait(200);
             t.follower.onStored(t.now, 0, 0, 8);
             t.commit(timeout());
             done(t, 1, 1, Cause::Timeout);
         }},
        {"an arrival that comes back to its source", "",
         [](Told& t) {
             t.pair();
             t.request(remote(Op::MbarArrive, 1, 1));
             t.step();
             done(t, 1, 1);
             t.step();
             Commit c = dropped(Op::MbarArrive, 1, 1);
             c.at = kFirst;
             c.src = Src::Network;
             t.commit(c);
             Commit back = ack(1, 1, 0);
             back.src = Src::Network;
             t.commit(back);
             t.wait();
             t.idle();
         }},
        {"a red that comes back to its source", "",
         [](Told& t) {
             t.pair();
             t.request(remote(Op::Red, 3, 1));
             t.step();
             done(t, 1, 3);
             t.step();
             Commit c = dropped(Op::Red, 3, 1);
             c.at = kFirst;
             c.src = Src::Network;
             t.commit(c);
             t.device(&Follower::onDelivered, Delivered{.tag = 1, .refused = true, .lanes = 3});
             Commit back = ack(1, 2, 0);
             back.src = Src::Network;
             t.commit(back);
             t.wait();
             t.idle();
         }},
        {"data that had come when their packet was refused are not dropped", "",
         [](Told& t) {
             t.pair();
             t.request(remote(Op::StAsync, 1, 1));
             done(t, 1, 1);
             t.device(&Follower::onDelivered, Delivered{.sm = 1, .tag = 1, .lanes = 1});
             t.leave(kFar);
             t.commit(dropped(Op::StAsync, 1, 1));
             t.wait();
         }},
    };
    requireSilent(all);
}
