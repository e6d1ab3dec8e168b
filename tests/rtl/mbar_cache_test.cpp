// Directed tests of the mbarrier unit: addresses, barrier cache, policies, latencies, end of a CTA.
#include "rtl/mbar_unit.hpp"

using namespace mbar;

TEST_CASE("misaligned or foreign addresses are refused without an access", "[MBAR-004][D-72]")
{
    Unit u;
    u.one(Op::MbarInit, 0, 1);
    const std::uint64_t reads = u.readsMade, writes = u.writesMade;
    CHECK(u.one(Op::MbarArrive, 4).err(Align));
    CHECK(u.one(Op::MbarArrive, 0x1000).err(Window));
    CHECK(u.one(Op::MbarArrive, 0xff'fff8).err(Window));
    CHECK(u.one(Op::MbarInit, 0xffc).err(Window));
    CHECK(u.one(Op::MbarTestWaitParity, 4).tap.refused);
    CHECK(u.answers.back().rsp.pred == 0);
    CHECK(u.readsMade == reads);
    CHECK(u.writesMade == writes);
    CHECK_FALSE(u.one(Op::MbarInit, 0xff8, 1).tap.refused);
    // Every bit above the window counts, also for what asynchronous operations notify.
    for (unsigned bit = 12; bit < 24; ++bit) {
        INFO("bit " << bit);
        CHECK(u.one(Op::MbarArrive, 1u << bit).err(Window));
        u.give(raw::Async{.kind = AsyncKind::CompleteTx, .addr = 1u << bit, .amount = 16});
        u.settle();
        CHECK(u.commits.back().tap.op == Op::EvAsyncCompleteTx);
        CHECK(u.commits.back().err(Window));
    }
}

TEST_CASE("write-through: each update is in memory; an ordinary store is seen",
          "[MBAR-007][MBAR-008]")
{
    Unit u;
    u.one(Op::MbarInit, 0, 5);
    CHECK(u.at(0).pending == 5);
    u.store(kBase, encode({1, 3, 3, 0, false}));
    u.settle();
    u.one(Op::MbarArrive, 0);
    CHECK(u.at(0) == Object{1, 2, 3, 0, false});
}

TEST_CASE("write-back: words leave at inval, replacement and the end of the CTA",
          "[MBAR-008][D-37]")
{
    Unit u{writeBack()};
    u.one(Op::MbarInit, 0, 5);
    CHECK(u.word(kBase) == 0);
    u.one(Op::MbarArrive, 0);
    const Commit gone = u.one(Op::MbarInval, 0);
    CHECK(decode(gone.tap.old_w).pending == 4);
    CHECK(u.at(0).pending == 4);
    for (unsigned i = 0; i < 40; ++i) u.one(Op::MbarInit, 32 * i, i + 1);
    CHECK(u.at(0).pending == 1);
    CHECK(u.at(32).pending == 2);
    for (unsigned i = 0; i < 40; ++i) CHECK_FALSE(u.one(Op::MbarArrive, 32 * i, 1).tap.refused);
    u.end(0);
    u.settle();
    for (unsigned i = 0; i < 40; ++i)
        CHECK(u.at(32 * i) == Object{i == 0, i == 0 ? 1 : i, i + 1, 0, false});
    CHECK((u.quiet() & 1) == 1);
}

TEST_CASE("lock on error refuses what follows, until init", "[D-36]")
{
    raw::Cfg config = Testbench::config0();
    config.mbar_policy = 2;
    Unit u{config};
    u.one(Op::MbarInit, 0, 1);
    CHECK(u.one(Op::MbarExpectTx, 0, 0x10'0000).err(Tx));
    CHECK(u.at(0).locked);
    CHECK(u.one(Op::MbarArrive, 0).err(Locked));
    u.one(Op::MbarInit, 0, 1);
    CHECK(u.one(Op::MbarArrive, 0).tap.flip);
}

TEST_CASE("the sm_80 profile has no tx-count and takes counts only with noComplete",
          "[MBAR-045][D-42]")
{
    raw::Cfg config = Testbench::config0();
    config.mbar_policy = 4;
    Unit u{config};
    u.one(Op::MbarInit, 0, 8);
    for (const Op op :
         {Op::MbarExpectTx, Op::MbarCompleteTx, Op::MbarArriveExpectTx, Op::MbarDropExpectTx})
        CHECK(u.one(op, 0, 4).err(Self));
    CHECK(u.one(Op::MbarArrive, 0, 2).tap.refused);
    CHECK_FALSE(u.one(Op::MbarArrive, 0, 1).tap.refused);
    Instruction i = instruction(Op::MbarArrive, kOne, 0, 2);
    i.req.no_complete = true;
    CHECK_FALSE(u.play(i)[0].tap.refused);
    CHECK(u.at(0).pending == 5);
}

TEST_CASE("latencies are exact and commits keep their interval", "[MBW-005]")
{
    raw::Cfg config = Testbench::config0();
    config.mbar_interval = 5;
    Unit u{config};
    u.one(Op::MbarInit, 0, 100);
    u.commits.clear();
    u.answers.clear();
    for (int i = 0; i < 4; ++i) u.give(instruction(Op::MbarArrive, kOne, 0, 1));
    u.give(instruction(Op::MbarTestWaitParity, kOne, 0, 0));
    u.settle();
    REQUIRE(u.commits.size() == 5);
    REQUIRE(u.answers.size() == 5);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(u.answers[i].cycle == u.commits[i].cycle + 4);
        CHECK(u.commits[i + 1].cycle == u.commits[i].cycle + 5);
    }
    CHECK(u.answers[4].cycle == u.commits[4].cycle + 6);
}

TEST_CASE("a slot is quiet only when nothing of its CTA is under way", "[D-41]")
{
    Unit u;
    u.settle();
    CHECK((u.quiet() & 1) == 1);
    u.give(instruction(Op::MbarInit, kOne, 0, 1));
    u.run(4);
    CHECK((u.quiet() & 1) == 0);
    u.settle();
    CHECK((u.quiet() & 1) == 1);
    u.end(0);
    u.settle();
    u.give(raw::Async{.kind = AsyncKind::CompleteTx, .addr = 0, .amount = 16});
    u.settle();
    CHECK(u.commits.back().err(Undeliverable));
    CHECK(u.commits.back().tap.refused);
}
