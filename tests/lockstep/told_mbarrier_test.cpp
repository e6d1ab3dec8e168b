// Reports of mbarriers and of waits that no device makes, told to the follower one by one.
#include "told_mbarrier.hpp"

using namespace gsu;
using namespace gsu::test;

// long: a table, one row for each error
TEST_CASE("a wrong commit of an mbarrier is caught and named", "[D-01][D-23][D-35]")
{
    static const std::vector<WrongStep> all{
        {"of no request", "commit without a request of this warp and tag",
         [](Told& t) {
             object(t, 1);
             t.commit(local(Op::MbarArrive, 1, 77, wordWith(1, 1), wordWith(1, 1)));
         }},
        {"a refused operation of another object", "object differs",
         [](Told& t) {
             object(t, 4);
             SyncRequest r = mbar(Op::MbarArrive, 1, 1);
             r.addr.fill(4);
             t.request(r);
             Commit c = local(Op::MbarArrive, 1, 1, 0, 0);
             c.object = 12;
             c.refused = true;
             c.errs = kMbErrAlign;
             t.commit(c);
         }},
        {"of lanes with different objects", "one commit for lanes with different objects",
         [](Told& t) {
             object(t, 4);
             SyncRequest r = mbar(Op::MbarArrive, 3, 1);
             r.addr[1] = 8;
             t.request(r);
             t.commit(local(Op::MbarArrive, 3, 1, wordWith(4, 4), wordWith(2, 4)));
         }},
        {"of lanes with different counts", "one commit for lanes with different operands",
         [](Told& t) {
             object(t, 4);
             SyncRequest r = mbar(Op::MbarArrive, 3, 1);
             r.data[1] = 2;
             t.request(r);
             t.commit(local(Op::MbarArrive, 3, 1, wordWith(4, 4), wordWith(1, 4)));
         }},
        {"across a completion", "one commit across a flip",
         [](Told& t) {
             object(t, 1);
             t.request(mbar(Op::MbarArrive, 3, 1));
             Commit c = local(Op::MbarArrive, 3, 1, wordWith(1, 1), wordWith(1, 1));
             c.flip = true;
             t.commit(c);
         }},
        {"that wakes waits of an object without any", "no wait is suspended on the object",
         [](Told& t) {
             object(t, 1);
             t.request(mbar(Op::MbarInit, 1, 1));
             Commit c = local(Op::MbarInit, 1, 1, wordWith(1, 1), wordWith(1, 1));
             c.errs = kMbErrKilled;
             t.commit(c);
         }},
        {"a wait answered at once without reason", "cause differs",
         [](Told& t) {
             object(t, 1);
             t.request(tryWait());
             Commit c = tried();
             c.cause = Cause::Flip;
             t.commit(c);
         }},
        {"a wait answered at once as killed on an object without errors", "cause differs",
         [](Told& t) {
             object(t, 1);
             t.request(tryWait());
             Commit c = tried();
             c.cause = Cause::Killed;
             t.commit(c);
         }},
        {"a refused operation as performed", "refused differs",
         [](Told& t) {
             object(t, 1);
             SyncRequest r = mbar(Op::MbarArrive, 1, 1);
             r.addr.fill(4);
             t.request(r);
             Commit c = local(Op::MbarArrive, 1, 1, 0, 0);
             c.object = 4;
             t.commit(c);
         }},
        {"a refused operation that changes the word", "newWord differs",
         [](Told& t) {
             object(t, 1);
             SyncRequest r = mbar(Op::MbarArrive, 1, 1);
             r.addr.fill(4);
             t.request(r);
             Commit c = local(Op::MbarArrive, 1, 1, 0, 2);
             c.object = 4;
             c.refused = true;
             c.errs = kMbErrAlign;
             t.commit(c);
         }},
    };
    requireNamed(all, Fault::Kind::Divergence);
}

TEST_CASE("a wrong end of a suspended wait is caught and named", "[D-32][D-34][D-70]")
{
    static const std::vector<WrongStep> all{
        {"time-out of no wait", "time-out of no suspended wait",
         [](Told& t) {
             object(t, 1);
             t.commit(timeout());
         }},
        {"time-out after the completion", "although the phase completed before (D-32)",
         [](Told& t) {
             park(t, 100);
             arrive(t);
             t.wait(101);
             t.commit(timeout());
         }},
        {"time-out before its limit", "time-out before its limit",
         [](Told& t) {
             park(t, 100);
             t.wait(99);
             t.commit(timeout());
         }},
        {"an answer of no lane", "response to lanes that await none",
         [](Told& t) {
             park(t, 100);
             t.answer({.tag = 1});
         }},
        {"an answer of a lane that asked nothing", "response to lanes that await none",
         [](Told& t) {
             park(t, 100);
             t.answer({.tag = 1, .lanes = 3, .last = true, .cause = Cause::CamFull});
         }},
        {"true without a wait slot", "predicate differs",
         [](Told& t) {
             park(t, 100);
             t.answer({.tag = 1, .lanes = 1, .pred = 1, .last = true, .cause = Cause::CamFull});
         }},
        {"a predicate of a lane that is not answered", "predicate of lanes that are not answered",
         [](Told& t) {
             park(t, 100);
             arrive(t);
             t.answer({.tag = 1, .lanes = 1, .pred = 3, .last = true, .cause = Cause::Flip});
         }},
        {"never, after its limit", "response missing",
         [](Told& t) {
             park(t, 5 * Told::kBound);
             t.wait(5 * Told::kBound - 1);
             t.wait();
         }},
        {"never, after its time-out", "response missing",
         [](Told& t) {
             park(t, 100);
             t.wait(100);
             t.commit(timeout());
             t.wait();
         }},
    };
    requireNamed(all, Fault::Kind::Divergence);
}
