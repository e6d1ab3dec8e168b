// Cover points are hit by what they describe and by nothing else.
#include <algorithm>

#include "events.hpp"
#include "golden/mbarrier.hpp"
#include "mbarrier_events.hpp"
#include "observers/coverage.hpp"
#include "observers/mbar_word.hpp"

using namespace gsu;

namespace {

std::uint64_t hits(const Coverage& c, const std::string& point, const std::string& bin)
{
    for (const CoverPoint& p : c.points()) {
        if (point != p.id) continue;
        for (const CoverBin& b : p.bins) {
            if (b.name == bin) return b.hits;
        }
    }
    FAIL("no bin " + point + " " + bin);
    return 0;
}

}  // namespace

TEST_CASE("cover points count what happened", "[observers]")
{
    Coverage c(1);
    events::play(c);
    CHECK(hits(c, "CP-BAR-01", "id 3") == 2);
    CHECK(hits(c, "CP-BAR-01", "id 5") == 1);
    CHECK(hits(c, "CP-BAR-01", "id 4") == 0);
    CHECK(hits(c, "CP-BAR-02", "sync x unaligned") == 3);
    CHECK(hits(c, "CP-BAR-03", "absent") == 3);
    CHECK(hits(c, "CP-BAR-05", "unaligned x converged") == 3);
    CHECK(hits(c, "CP-BAR-06", "first") == 2);
    CHECK(hits(c, "CP-BAR-06", "last") == 1);
    CHECK(hits(c, "CP-BAR-07", "sync") == 1);
    CHECK(hits(c, "CP-BAR-07", "exit") == 0);
    CHECK(hits(c, "CP-BWS-01", "32") == 1);
    CHECK(hits(c, "CP-BWS-02", "1 group") == 1);
    CHECK(hits(c, "X-BAR-01", "sync x sync") == 1);
    CHECK(hits(c, "X-BAR-02", "absent x all warps live") == 3);
}

TEST_CASE("an exit that completes a barrier is seen as such", "[observers][BAR-039]")
{
    Coverage c(1);
    c.onLaunch(0, events::launch(0, 64));
    c.onRequest(5, events::request(Op::BarSync, 0, 0, 1, 1));
    c.onCommit(events::commit(6, Unit::Named, Op::BarSync, 0, 0));
    c.onExit(9, {{0, 0, 1}, ~Lanes{0}, false});
    c.onCommit(events::commit(10, Unit::Named, Op::EvWarpExit, 1, 0, true, Src::Exit));
    CHECK(hits(c, "CP-BAR-07", "exit") == 1);
    CHECK(hits(c, "X-BAR-01", "sync x exit") == 1);
}

TEST_CASE("every cover point is named once and has bins", "[observers]")
{
    const Coverage c(1);
    std::vector<std::string> names;
    for (const CoverPoint& p : c.points()) {
        names.emplace_back(p.id);
        CHECK(!p.bins.empty());
        CHECK(p.reached() == 0);
    }
    std::sort(names.begin(), names.end());
    CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
    CHECK(names.size() == 79);
}

TEST_CASE("cover points of warp-wide operations look at whole masks", "[observers]")
{
    Coverage c(1);
    c.onLaunch(0, events::launch(0, 64));
    SyncRequest r = events::request(Op::VoteSync, 0, 0xff, 1, 1, 0xff);
    r.kind = 3, r.pred = 0x0f;
    c.onRequest(1, r);
    CHECK(hits(c, "CP-VOT-01", "ballot x mixed") == 1);
    CHECK(hits(c, "CP-VOT-02", "2..31 x lanes live") == 1);
    r.lanes = 0x7f;  // the last lane comes later: nobody knows all votes
    c.onRequest(2, r);
    CHECK(hits(c, "CP-VOT-01", "ballot x mixed") == 1);
    r = events::request(Op::Redux, 0, 3, 1, 2, 3);
    r.data[0] = 0x7fff'ffff, r.data[1] = 1;
    c.onRequest(3, r);
    CHECK(hits(c, "CP-RDX-04", "sum beyond 2^31 either way") == 1);
    CHECK(hits(c, "CP-RDX-04", "sum beyond 2^32") == 0);
    r = events::request(Op::MatchAny, 0, 3, 1, 3, 3);
    r.kind = 1, r.data[0] = 5, r.data[1] = std::uint64_t{1} << 32 | 5;
    c.onRequest(4, r);
    CHECK(hits(c, "CP-MAT-01", "b64 x differ above bit 31 only") == 1);
    CHECK(hits(c, "CP-MAT-01", "b64 x 2") == 1);
    c.onRequest(5, events::request(Op::Elect, 0, 0x80, 1, 4, 0x80));
    CHECK(hits(c, "CP-ELE-01", "leader 7") == 1);
    CHECK(hits(c, "CP-ELE-01", "1 lane") == 1);
}

TEST_CASE("cover points of mbarriers: who completes, who waits, what was refused", "[observers]")
{
    Coverage c(1);
    c.onLaunch(0, events::launch(0, 64));
    events::MbarrierScript script(c);
    script.init(64, 2);
    CHECK(hits(c, "CP-MBO-01", "2") == 1);
    script.arrive(10, 64, 0);
    CHECK(hits(c, "CP-MBO-03", "more to come") == 1);
    SyncRequest wait = events::request(Op::MbarTryWaitParity, 1, 0, 1, 9, 0b11);
    wait.addr[0] = wait.addr[1] = 64;
    wait.sem = Sem::Acquire, wait.scope = Scope::Cta;
    c.onRequest(20, wait);
    CHECK(hits(c, "CP-MBW-01", "try_wait.parity x acquire.cta") == 1);
    CHECK(hits(c, "CP-MBW-04", "no limit") == 1);
    Commit refused = events::commit(25, Unit::Mbarrier, Op::MbarArrive, 0, 64);
    refused.refused = true, refused.errs = kMbErrPending;
    c.onCommit(refused);
    CHECK(hits(c, "CP-MBO-17", "pending") == 0);
    script.arrive(30, 64, 0);
    CHECK(hits(c, "CP-MBO-17", "pending") == 1);
    CHECK(hits(c, "CP-MBO-06", "arrive") == 1);
    CHECK(hits(c, "CP-MBO-02", "phase 0") == 1);
    CHECK(hits(c, "X-MBO-01", "arrive x suspended") == 1);
    CHECK(hits(c, "CP-MBW-05", "2..31") == 1);
    CHECK(hits(c, "CP-MBW-06", "presented in the cycle of the completion") == 0);
    SyncResponse answer = events::response(34, 1, 9, 0b11);
    answer.pred = 0b11, answer.cause = Cause::Flip;
    c.onResponse(answer);
    CHECK(hits(c, "CP-MBW-03", "completed while suspended") == 1);
    CHECK(hits(c, "CP-MBW-07", "one completion before it goes on") == 1);
    script.expect(40, 64, 16, 0);
    script.arrive(41, 64, 0);
    script.copied(50, 64, 16);
    CHECK(hits(c, "CP-MBO-15", "expect_tx before complete_tx") == 1);
    CHECK(hits(c, "X-MBO-01", "bulk copy x nobody waits") == 1);
    CHECK(hits(c, "X-MBO-02", "bulk copy x tx never below 0") == 1);
}

TEST_CASE("st.async counts its sizes, and pairs of ranks", "[observers]")
{
    Coverage c(1);
    c.onLaunch(0, events::launch(0, 32, 4, 1));
    SyncRequest r = events::request(Op::StAsync, 0, 0, 1, 1, 0b1111);
    r.data[0] = 4, r.data[1] = 8, r.data[2] = 16, r.data[3] = 12;
    r.addr[0] = clusterAddress(0, 64), r.addr[1] = clusterAddress(1, 64);
    r.addr[2] = r.addr[3] = clusterAddress(3, 64);
    c.onRequest(1, r);
    for (const std::string bin : {"4 bytes", "8", "16"}) CHECK(hits(c, "CP-RAS-02", bin) == 1);
    CHECK(hits(c, "CP-RAS-04", "rank 1 to 0") == 1);
    CHECK(hits(c, "CP-RAS-04", "rank 1 to 2") == 0);
    CHECK(hits(c, "CP-RAS-04", "rank 1 to 3") == 2);
}

TEST_CASE("the bin of what completes a phase", "[observers]")
{
    struct Row {
        Op op;
        MbarOp step;
        Src src;
        std::string bin;
    };
    const std::vector<Row> rows{
        {Op::MbarArrive, MbarOp::Arrive, Src::Local, "arrive"},
        {Op::MbarArrive, MbarOp::Arrive, Src::Remote, "remote arrive"},
        {Op::MbarArriveDrop, MbarOp::Drop, Src::Local, "drop"},
        {Op::EvAsyncArrive, MbarOp::CpAsyncArrive, Src::AsyncCopy, "cp.async"},
        {Op::EvAgentArrive, MbarOp::Arrive, Src::Local, "agent"},
        {Op::EvAsyncCompleteTx, MbarOp::CompleteTx, Src::Remote, "st.async or red.async"},
        {Op::EvAsyncCompleteTx, MbarOp::CompleteTx, Src::AsyncCopy, "bulk copy"},
        {Op::MbarCompleteTx, MbarOp::CompleteTx, Src::Local, "complete_tx"},
        {Op::ClcTryCancel, MbarOp::CompleteTx, Src::Local, "try_cancel"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.bin);
        Coverage c(1);
        c.onLaunch(0, events::launch(0, 64));
        events::MbarrierScript script(c);
        script.init(64, 2);
        script.arrive(4, 64, 1);
        const bool bytes = row.step == MbarOp::CompleteTx;
        if (bytes) script.expect(5, 64, 16, 0);
        script.commit(9, row.op, row.step, 64, bytes ? 16 : 1, 0, row.src);
        for (const CoverPoint& p : c.points()) {
            if (p.id != std::string("CP-MBO-06")) continue;
            for (const CoverBin& b : p.bins) {
                CAPTURE(b.name);
                CHECK(b.hits == (b.name == row.bin ? 1 : 0));
            }
        }
    }
}

TEST_CASE("what is under way in a CTA while a thread exits", "[observers]")
{
    Coverage c(1);
    events::play(c);  // warp 0 exits while a barrier is under way
    CHECK(hits(c, "X-SYS-02", "exit with a named barrier under way") == 1);
    CHECK(hits(c, "X-SYS-02", "an mbarrier phase") == 0);
    Coverage sum(1);
    sum.add(c);
    sum.add(c);
    CHECK(hits(sum, "X-SYS-02", "exit with a named barrier under way") == 2);
}

TEST_CASE("an mbarrier word is explained", "[observers][MBAR-002]")
{
    CHECK(explainMbarWord(
              packMbar({.phase = false, .lock = false, .pending = 2, .expected = 4, .tx = 256})) ==
          "A wait for parity 1 succeeds, a wait for parity 0 does not. The running phase was "
          "opened for 4 arrivals and lacks 2, "
          "and 256 bytes.");
    CHECK(explainMbarWord(
              packMbar({.phase = true, .lock = true, .pending = 0, .expected = 1, .tx = -8}))
              .find("lock bit") != std::string::npos);
    CHECK(explainMbarWord(0).find("not initialised") != std::string::npos);
    CHECK(explainMbarWord(
              packMbar({.phase = false, .lock = false, .pending = 5, .expected = 4, .tx = 0}))
              .find("damaged") != std::string::npos);
}
