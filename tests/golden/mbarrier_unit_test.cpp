// mbarrier operations through the golden port: lanes, waits, remote and asynchronous updates, refusals, notes.
#include <map>

#include "golden/findings.hpp"
#include "golden/mbarrier_unit.hpp"
#include "testbench.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

/// Two CTAs of a cluster on two SMs, 256 bytes of shared memory each, from 0x400 on.
struct Pair {
    explicit Pair(GoldenOptions options = {}) : port(2, withNotes(std::move(options)))
    {
        port.setSink(sink);
        for (std::uint8_t r = 0; r < 2; ++r) port.route({5, r, r, 0, 2});
        for (std::uint8_t r = 0; r < 2; ++r) {
            Launch l{};
            l.sm = l.rank = r;
            l.cluster = 5;
            l.ctas = 2;
            l.threads = 64;
            l.base = 0x400;
            l.size = 0x100;
            REQUIRE(port.launch(l));
        }
        run(3);
        sink.clear();
    }
    GoldenOptions withNotes(GoldenOptions o)
    {
        o.onNote = [this](const MbarNote& n) { notes.push_back(n.kind); };
        return o;
    }
    SyncRequest request(Op op, Lanes lanes, std::uint32_t addr, std::uint64_t data = 1,
                        unsigned warpIndex = 0)
    {
        SyncRequest r{};
        r.op = op;
        r.at = warp(warpIndex);
        r.lanes = lanes;
        r.tag = tag++;
        r.addr.fill(addr);
        r.data.fill(data);
        return r;
    }
    void play(const SyncRequest& r, unsigned cycles = 1)
    {
        sink.clear();
        REQUIRE(port.canPresent(r.at.sm));
        port.present(r);
        run(cycles);
    }
    Commit one(Op op, std::uint32_t addr, std::uint64_t data = 1)
    {
        play(request(op, 1, addr, data));
        REQUIRE(sink.commits.size() == 1);
        return sink.commits[0];
    }
    void run(unsigned cycles)
    {
        for (unsigned i = 0; i < cycles; ++i) port.step();
    }
    [[nodiscard]] bool noted(MbarNote::Kind kind) const
    {
        return std::find(notes.begin(), notes.end(), kind) != notes.end();
    }

    struct Sink final : SyncSink {
        void onResponse(const SyncResponse& r) override { responses.push_back(r); }
        void onRelease(const Release&) override {}
        void onCommit(const Commit& c) override
        {
            (c.op == Op::EvAck ? acks : commits).push_back(c);
        }
        void onDelivered(const Delivered& d) override { delivered.push_back({d, commits.size()}); }
        void onCtaFree(const CtaFree&) override {}
        void clear()
        {
            responses.clear();
            commits.clear();
            acks.clear();
            delivered.clear();
        }
        std::vector<SyncResponse> responses;
        std::vector<Commit> commits, acks;
        std::vector<std::pair<Delivered, std::size_t>> delivered;  ///< and the commits before it
    } sink;
    std::vector<MbarNote::Kind> notes;
    GoldenPort port;
    std::uint16_t tag{1};
};

MbarState now(const Commit& c) { return unpackMbar(c.newWord); }

}  // namespace

TEST_CASE("lanes on one object act in ascending order; a flip ends a commit", "[D-23][MBARR-011]")
{
    Pair p;
    p.one(Op::MbarInit, 0, 20);
    SyncRequest r = p.request(Op::MbarArrive, kAll, 0);
    r.wantValue = true;
    p.play(r);
    REQUIRE(p.sink.commits.size() == 2);
    CHECK(p.sink.commits[0].lanes == (1u << 20) - 1);
    CHECK(p.sink.commits[0].flip);
    CHECK(now(p.sink.commits[1]).pending == 8);
    REQUIRE(p.sink.responses.size() == 2);
    CHECK(mbarPendingCount(p.sink.responses[0].value) == 20);
    CHECK(p.sink.responses[0].stride == 1);
    CHECK_FALSE(p.sink.responses[0].last);
    CHECK(p.sink.responses[1].last);
    CHECK(p.noted(MbarNote::Kind::Unwaited));  // nobody waited for the first phase (D-44)
}

TEST_CASE("a lane that is refused has a commit of its own", "[D-23][D-36]")
{
    Pair p;
    p.one(Op::MbarInit, 0, 2);
    p.one(Op::MbarExpectTx, 0, 8);
    p.play(p.request(Op::MbarArrive, 0xf, 0));
    REQUIRE(p.sink.commits.size() == 3);
    CHECK(p.sink.commits[0].lanes == 3);
    CHECK(p.sink.commits[1].errs == kMbErrPending);
    CHECK(p.sink.commits[2].refused);
    CHECK(p.sink.responses[1].cause == Cause::Refused);
}

TEST_CASE("misaligned, foreign and impossible operations are refused without an access",
          "[D-72][D-66][MBAR-015][RASYNC-016][MBW-011]")
{
    Pair p;
    CHECK(p.one(Op::MbarInit, 4).errs == kMbErrAlign);
    CHECK(p.one(Op::MbarInit, 0x100).errs == kMbErrWindow);
    CHECK(p.one(Op::MbarTestWaitParity, 0, 2).errs == kMbErrParity);
    const auto remote = [&](Op op, std::uint32_t addr, bool value = false) {
        SyncRequest r = p.request(op, 1, addr);
        r.remote = true;
        r.wantValue = value;
        p.play(r);
        REQUIRE(p.sink.responses.size() == 1);
        CHECK(p.sink.responses[0].cause == Cause::Refused);
        return p.sink.commits.at(0).errs;
    };
    CHECK(remote(Op::MbarArrive, clusterAddress(2, 0)) == kMbErrUndeliverable);
    CHECK(remote(Op::MbarInit, clusterAddress(1, 0)) == kMbErrRemoteForm);
    CHECK(remote(Op::MbarArrive, clusterAddress(1, 0), true) == kMbErrRemoteForm);
    CHECK(remote(Op::StAsync, clusterAddress(0, 0)) == kMbErrSelf);
    SyncRequest local = p.request(Op::MbarArrive, 1, clusterAddress(1, 0));
    local.remote = local.noComplete = true;
    p.play(local);
    CHECK(p.sink.commits.at(0).errs == kMbErrLocal);
    CHECK(findingsOf(p.sink.commits[0]).at(0).rule == std::string("MBARR-007"));
}

TEST_CASE("a suspended wait wakes at the flip, at its limit, or with its object",
          "[D-32][D-33][D-35][MBW-006]")
{
    Pair p;
    p.one(Op::MbarInit, 0, 1);
    const auto park = [&](unsigned parity, std::uint32_t limit) {
        SyncRequest r = p.request(Op::MbarTryWaitParity, 2, 0, parity, 1);
        r.kind = 1;
        r.limit.fill(limit);
        p.play(r);
    };
    park(0, 50);
    CHECK(p.sink.responses.empty());
    p.play(p.request(Op::MbarArrive, 1, 0));
    REQUIRE(p.sink.responses.size() == 2);
    CHECK(p.sink.responses[0].cause == Cause::Flip);
    CHECK(p.sink.responses[0].pred == 2);
    park(1, 10);
    const Cycle quiet = p.port.quietUntil();
    CHECK(quiet > p.port.now());
    p.port.skipTo(quiet);
    p.sink.clear();
    p.run(1);
    REQUIRE(p.sink.responses.size() == 1);
    CHECK(p.sink.responses[0].cause == Cause::Timeout);
    CHECK(p.sink.commits.at(0).op == Op::EvTimeout);
    park(1, 10);
    p.play(p.request(Op::MbarInval, 1, 0));
    CHECK(p.sink.commits.at(0).errs == kMbErrKilled);
    CHECK(p.sink.responses.at(0).cause == Cause::Killed);
}

TEST_CASE("no slot or a diverged warp: false at once", "[D-34]")
{
    Pair p({.policy = {}, .waitLimit = 100, .waitSlots = 0, .onNote = {}});
    p.one(Op::MbarInit, 0, 1);
    SyncRequest r = p.request(Op::MbarTryWaitParity, 1, 0, 0);
    p.play(r);
    CHECK(p.sink.responses.at(0).cause == Cause::CamFull);
    r.diverged = true;
    p.play(r);
    CHECK(p.sink.responses.at(0).cause == Cause::Diverged);
}

TEST_CASE("remote operations are posted and act on the owner's object",
          "[D-38][MBARR-019][MBAR-044]")
{
    Pair p;
    SyncRequest init = p.request(Op::MbarInit, 1, 8, 3);
    init.at.sm = 1;
    p.play(init);
    SyncRequest r = p.request(Op::MbarArrive, 7, clusterAddress(1, 8));
    r.remote = true;
    p.play(r, 2);
    REQUIRE(p.sink.responses.size() == 1);
    CHECK(p.sink.responses[0].cause == Cause::Done);
    REQUIRE(p.sink.commits.size() == 1);
    CHECK(p.sink.commits[0].src == Src::Remote);
    CHECK(p.sink.commits[0].at.sm == 1);
    CHECK(p.sink.commits[0].flip);
    CHECK(p.sink.commits[0].object == clusterAddress(1, 8));
    REQUIRE(p.sink.acks.size() == 1);
    CHECK(p.sink.acks[0].at.sm == 0);
    CHECK(p.sink.acks[0].srcSm == 1);
    CHECK(p.sink.acks[0].seq > p.sink.commits[0].seq);
}

TEST_CASE("remote data are delivered before their complete_tx commits", "[D-45][RASYNC-012]")
{
    Pair p;
    SyncRequest init = p.request(Op::MbarInit, 1, 8, 1);
    init.at.sm = 1;
    p.play(init);
    SyncRequest r = p.request(Op::StAsync, 3, clusterAddress(1, 8), 8);
    r.remote = true;
    p.play(r, 2);
    REQUIRE(p.sink.delivered.size() == 2);
    REQUIRE(p.sink.commits.size() == 2);
    CHECK(p.sink.delivered[0].second == 0);
    CHECK(p.sink.commits[1].op == Op::EvAsyncCompleteTx);
    CHECK(now(p.sink.commits[1]).tx == -16);
    r.addr.fill(clusterAddress(1, 12));
    p.play(r, 2);
    REQUIRE(p.sink.delivered.size() == 2);  // the driver is told that it may forget them
    CHECK(p.sink.delivered[0].first.refused);
    CHECK(p.sink.commits.at(0).errs == kMbErrAlign);
}

TEST_CASE("asynchronous completions: bytes, and arrivals of many threads",
          "[CPA-003][MBAR-049][D-39]")
{
    Pair p;
    p.one(Op::MbarInit, 0, 3);
    p.sink.clear();
    p.port.notify({AsyncKind::ArriveOn, 0, 0, 1, 0, 70, 9});
    p.run(1);
    unsigned flips = 0;
    for (const Commit& c : p.sink.commits) flips += c.flip;
    CHECK(flips == 23);
    CHECK(now(p.sink.commits.back()).pending == 2);
    CHECK(p.one(Op::CpAsyncArrive, 0).newWord == packMbar({true, false, 3, 3, 0}));
    p.sink.clear();
    p.port.notify({AsyncKind::CompleteTx, 0, 5, 1, 0, 16, 9});
    p.run(1);
    CHECK(p.sink.commits.at(0).errs == kMbErrUndeliverable);
}

TEST_CASE("an agent that is no thread arrives once in each CTA of its mask", "[AgentArrive]")
{
    Pair p;  // a cluster of two CTAs, on SMs 0 and 1
    for (std::uint8_t sm : {std::uint8_t{0}, std::uint8_t{1}}) {
        SyncRequest init = p.request(Op::MbarInit, 1, 8, 3);
        init.at.sm = sm;
        init.addr.fill(clusterAddress(sm, 8));
        p.play(init);
    }
    const auto arrive = [&](std::uint32_t ranks) {
        p.sink.clear();
        p.port.notify({AsyncKind::AgentArrive, 0, 0, 1, 8, ranks, 9});
        p.run(4);
    };
    const auto at = [&](unsigned sm) {
        return std::find_if(p.sink.commits.begin(), p.sink.commits.end(), [&](const Commit& c) {
            return c.op == Op::EvAgentArrive && c.at.sm == sm;
        });
    };
    arrive(3);
    for (unsigned sm : {0u, 1u}) {
        REQUIRE(at(sm) != p.sink.commits.end());
        CHECK(now(*at(sm)).pending == 2);
        CHECK(at(sm)->src == (sm == 0 ? Src::Agent : Src::Remote));
    }
    arrive(2);
    CHECK(at(0) == p.sink.commits.end());
    CHECK(now(*at(1)).pending == 1);
    arrive(1);
    CHECK(at(1) == p.sink.commits.end());
    CHECK(now(*at(0)).pending == 1);
    for (const std::uint32_t wrong : {0u, 4u, 7u}) {
        arrive(wrong);
        REQUIRE(p.sink.commits.size() == 1);
        CHECK(p.sink.commits[0].errs == kMbErrUndeliverable);
    }
}

TEST_CASE("what the word does not show is noted",
          "[D-37][D-43][D-44][MBAR-005][MBAR-006][MBAR-028][MBW-010]")
{
    using Kind = MbarNote::Kind;
    Pair p;
    p.one(Op::MbarInval, 0);
    CHECK(p.noted(Kind::InvalDead));
    p.one(Op::MbarTestWaitParity, 0, 0);
    CHECK(p.noted(Kind::Uninitialised));
    p.one(Op::MbarInit, 0, 2);
    CHECK_FALSE(p.noted(Kind::InitOnLive));
    p.one(Op::MbarInit, 0, 2);
    CHECK(p.noted(Kind::InitOnLive));
    SyncRequest r = p.request(Op::MbarArrive, 1, 0);
    r.wantValue = true;
    p.play(r);
    const std::uint64_t state = p.sink.responses.at(0).value;
    p.one(Op::MbarTestWait, 0, state);
    CHECK_FALSE(p.noted(Kind::StaleState));
    p.one(Op::MbarTestWait, 0, state ^ 1ull << 43);
    CHECK(p.noted(Kind::StaleState));
    p.port.stored(0, 0x402, 1);
    CHECK(p.noted(Kind::PlainStore));
    p.one(Op::MbarArrive, 0);
    p.one(Op::MbarTestWaitParity, 0, 0);
    p.one(Op::MbarArrive, 0, 2);
    CHECK_FALSE(p.noted(Kind::Unwaited));
    p.one(Op::MbarArrive, 0);
    CHECK(p.noted(Kind::Unwaited));
}
