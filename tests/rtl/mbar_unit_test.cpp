// Directed tests of the mbarrier unit: words, arithmetic at its bounds, lanes, order.
#include "rtl/mbar_unit.hpp"

using namespace mbar;

TEST_CASE("the words that real hardware was seen to hold", "[MBAR-001][MBAR-018][D-22]")
{
    Unit u;
    SECTION("init 1, 3, 0x123")
    {
        for (const Word n : {1, 3, 0x123}) {
            u.one(Op::MbarInit, 0, n);
            const Word lo = (0x100000 - n) << 1, hi = (0x100000 - n) << 11;
            CHECK(u.word(kBase) == (hi << 32 | lo));
        }
    }
    SECTION("arrive 1 of 3, arrive 2 of 3")
    {
        u.one(Op::MbarInit, 0, 3);
        u.one(Op::MbarArrive, 0);
        CHECK(u.at(0) == Object{0, 2, 3, 0, false});
        u.one(Op::MbarInit, 8, 3);
        u.one(Op::MbarArrive, 8, 2);
        CHECK(u.at(8) == Object{0, 1, 3, 0, false});
    }
    SECTION("arrive_drop lowers expected and pending")
    {
        u.one(Op::MbarInit, 0, 3);
        u.one(Op::MbarArriveDrop, 0);
        CHECK(u.at(0) == Object{0, 2, 2, 0, false});
    }
    SECTION("expect_tx of 1 and of 0x12345 bytes")
    {
        u.one(Op::MbarInit, 0, 1);
        u.one(Op::MbarExpectTx, 0, 1);
        CHECK((u.word(kBase) >> 21 & 0x1f'ffff) == 0x1f'ffff);
        u.one(Op::MbarInit, 8, 1);
        u.one(Op::MbarExpectTx, 8, 0x12345);
        CHECK((u.word(kBase + 8) >> 21 & 0x1f'ffff) == 0x20'0000 - 0x12345);
    }
    SECTION("expect 128, complete 64")
    {
        u.one(Op::MbarInit, 0, 1);
        u.one(Op::MbarExpectTx, 0, 128);
        u.one(Op::MbarCompleteTx, 0, 64);
        CHECK(u.at(0) == Object{0, 1, 1, 64, false});
    }
    SECTION("two of two arrivals: phase 1, pending reloaded")
    {
        u.one(Op::MbarInit, 0, 2);
        CHECK_FALSE(u.one(Op::MbarArrive, 0).tap.flip);
        CHECK(u.one(Op::MbarArrive, 0).tap.flip);
        CHECK(u.at(0) == Object{1, 2, 2, 0, false});
    }
}

TEST_CASE("completions before expectations go negative and complete nothing",
          "[MBAR-033][MBAR-039]")
{
    Unit u;
    u.one(Op::MbarInit, 0, 1);
    u.one(Op::MbarCompleteTx, 0, 16);
    CHECK(u.at(0) == Object{0, 1, 1, -16, false});
    u.one(Op::MbarExpectTx, 0, 16);
    CHECK(u.at(0) == Object{0, 1, 1, 0, false});
    CHECK(u.one(Op::MbarArrive, 0).tap.flip);
}

TEST_CASE("the last event of a phase may be an arrive, a complete or an expect",
          "[MBAR-010][MBAR-034][MBAR-036]")
{
    Unit u;
    u.one(Op::MbarInit, 0, 1);
    u.one(Op::MbarExpectTx, 0, 32);
    CHECK_FALSE(u.one(Op::MbarArrive, 0).tap.flip);
    const Commit late = u.one(Op::MbarArrive, 0);
    CHECK(late.err(Pending));
    CHECK(late.tap.refused);
    CHECK(u.one(Op::MbarCompleteTx, 0, 32).tap.flip);
    u.one(Op::MbarCompleteTx, 0, 8);
    CHECK_FALSE(u.one(Op::MbarArrive, 0).tap.flip);
    CHECK(u.one(Op::MbarExpectTx, 0, 8).tap.flip);
    CHECK(u.at(0) == Object{0, 1, 1, 0, false});
}

TEST_CASE("arrive.expect_tx is one step: no window in which the phase completes",
          "[MBARR-004][D-27]")
{
    Unit u;
    u.one(Op::MbarInit, 0, 1);
    Instruction i = instruction(Op::MbarArriveExpectTx, kOne, 0, 64);
    i.req.want_value = true;
    const auto made = u.play(i);
    REQUIRE(made.size() == 1);
    CHECK_FALSE(made[0].tap.flip);
    CHECK(u.at(0) == Object{0, 0, 1, 64, false});
    CHECK(decode(u.answers.back().rsp.value) == Object{0, 1, 1, 64, false});
    CHECK(u.one(Op::MbarCompleteTx, 0, 64).tap.flip);
}

TEST_CASE("operands and counts at their bounds: refused whole, reported, word kept",
          "[MBAR-002][MBAR-003][MBAR-021][MBAR-041][MBARR-006][D-36]")
{
    Unit u;
    const auto refused = [&](Op op, Word data, Err bit) {
        CAPTURE(int(op), data);
        const Word was = u.word(kBase);
        const Commit c = u.one(op, 0, data);
        CHECK(c.tap.refused);
        CHECK(c.err(bit));
        CHECK(c.tap.cause == Cause::Refused);
        CHECK(u.word(kBase) == was);
        CHECK(u.answers.back().rsp.cause == Cause::Refused);
    };
    refused(Op::MbarInit, 0, Count);
    refused(Op::MbarInit, 0x10'0000, Count);
    refused(Op::MbarInit, 0xffff'ffff, Count);
    CHECK_FALSE(u.one(Op::MbarInit, 0, 0xf'ffff).tap.refused);
    CHECK(u.at(0) == Object{0, kMax, kMax, 0, false});
    refused(Op::MbarArrive, 0, Count);
    refused(Op::MbarArrive, 0x8000'0001, Count);
    refused(Op::CpAsyncArrive, 0, CpaMax);
    CHECK_FALSE(u.one(Op::MbarArrive, 0, 1).tap.refused);
    CHECK_FALSE(u.one(Op::CpAsyncArrive, 0).tap.refused);  // up to the bound again
    CHECK(u.at(0).pending == kMax);
    CHECK_FALSE(u.one(Op::MbarArrive, 0, 0xf'fffe).tap.flip);
    refused(Op::MbarArrive, 2, Pending);
    refused(Op::MbarExpectTx, 0x10'0000, Tx);
    refused(Op::MbarExpectTx, 0xffff'ffff, Tx);
    refused(Op::MbarCompleteTx, 0x10'0000, Tx);
    refused(Op::MbarArriveExpectTx, 0x10'0000, Tx);
    CHECK_FALSE(u.one(Op::MbarExpectTx, 0, 0xf'ffff).tap.refused);
    refused(Op::MbarExpectTx, 1, Tx);
    CHECK_FALSE(u.one(Op::MbarCompleteTx, 0, 0xf'ffff).tap.refused);
    CHECK_FALSE(u.one(Op::MbarCompleteTx, 0, 0xf'ffff).tap.refused);
    refused(Op::MbarCompleteTx, 1, Tx);
    CHECK(u.at(0) == Object{0, 1, kMax, -kMax, false});
}

TEST_CASE("dropping to zero: the phase still completes, then the object is retired",
          "[MBDROP-003][MBDROP-004][MBDROP-011]")
{
    Unit u;
    u.one(Op::MbarInit, 0, 2);
    u.one(Op::MbarArrive, 0);
    const Commit drop = u.one(Op::MbarArriveDrop, 0);
    CHECK(drop.tap.flip);
    CHECK(u.at(0) == Object{1, 1, 1, 0, false});
    const Commit last = u.one(Op::MbarArriveDrop, 0);
    CHECK(last.tap.flip);
    CHECK(last.err(DropZero));
    CHECK_FALSE(last.tap.refused);
    CHECK(u.at(0) == Object{0, 0, 0, 0, false});
    for (const Op op : {Op::MbarArrive, Op::MbarArriveDrop, Op::MbarExpectTx, Op::MbarCompleteTx,
                        Op::CpAsyncArrive}) {
        const Commit c = u.one(op, 0);
        CHECK(c.tap.refused);
        CHECK(c.err(Retired));
    }
    CHECK_FALSE(u.one(Op::MbarTestWaitParity, 0, 1).tap.refused);
    CHECK(u.answers.back().rsp.pred == kOne);
    CHECK_FALSE(u.one(Op::MbarInit, 0, 2).tap.refused);
    u.one(Op::MbarInit, 8, 4);
    u.one(Op::MbarArriveDrop, 8, 2);  // expected 2, pending 2
    u.one(Op::CpAsyncArrive, 8);
    const Commit below = u.one(Op::MbarArriveDrop, 8, 3);
    CHECK(below.tap.refused);
    CHECK(below.err(Drop));
}

TEST_CASE("noComplete that completes is applied and reported", "[MBARR-017][MBDROP-017][D-29]")
{
    Unit u;
    u.one(Op::MbarInit, 0, 2);
    Instruction i = instruction(Op::MbarArrive, kOne, 0, 1);
    i.req.no_complete = true;
    i.req.want_value = true;
    auto made = u.play(i);
    CHECK(made.back().tap.errs == 0);
    CHECK(((0x10'0000 - (u.answers.back().rsp.value >> 43 & 0xf'ffff)) & 0xf'ffff) == 2);
    made = u.play(i);
    CHECK(made.back().tap.flip);
    CHECK(made.back().err(NoComplete));
    CHECK_FALSE(made.back().tap.refused);
}

TEST_CASE("cp.async arrivals: increment now, arrival later", "[CPA-002][CPA-003][CPA-004][CPA-006]")
{
    Unit u;
    u.one(Op::MbarInit, 0, 1);
    u.one(Op::CpAsyncArrive, 0);
    CHECK(u.at(0).pending == 2);
    CHECK_FALSE(u.one(Op::MbarArrive, 0).tap.flip);
    u.give(raw::Async{
        .kind = AsyncKind::ArriveOn, .cta = 0, .warp = 3, .tag = 9, .addr = 0, .amount = 1});
    u.settle();
    CHECK(u.commits.back().tap.op == Op::EvAsyncArrive);
    CHECK(u.commits.back().tap.src == Src::CpAsync);
    CHECK(u.commits.back().tap.flip);
    u.give(raw::Async{
        .kind = AsyncKind::ArriveOn, .cta = 0, .warp = 3, .tag = 9, .addr = 0, .amount = 0});
    u.settle();
    CHECK(u.commits.back().err(Count));  // nobody arrives: one record, of one lane
    CHECK(u.commits.back().tap.lanes == 1);
    CHECK_FALSE(u.one(Op::CpAsyncArriveNoinc, 0).tap.refused);
    CHECK(u.at(0) == Object{1, 1, 1, 0, false});
}

TEST_CASE("arrivals of many threads at once do not hide a flip between them", "[MBAR-049][D-23]")
{
    Unit u;
    u.one(Op::MbarInit, 0, 3);
    u.give(raw::Async{.kind = AsyncKind::ArriveOn, .addr = 0, .amount = 70});
    u.settle();
    CHECK(u.at(0) == Object{1, 2, 3, 0, false});  // 70 = 23 * 3 + 1
    unsigned arrivals = 0, flips = 0;
    for (const Commit& c : u.commits) {
        if (c.tap.op != Op::EvAsyncArrive) continue;
        arrivals += unsigned(__builtin_popcount(c.tap.lanes));
        flips += c.tap.flip;
    }
    CHECK(arrivals == 70);
    CHECK(flips == 23);
}

TEST_CASE("a warp's lanes on one object are one commit when nothing can tell, and split at a flip",
          "[D-23][GEN-010]")
{
    Unit u;
    u.one(Op::MbarInit, 0, 32);
    Instruction all = instruction(Op::MbarArrive, kAll, 0, 1);
    all.req.want_value = true;
    auto made = u.play(all);
    REQUIRE(made.size() == 1);
    CHECK(made[0].tap.lanes == kAll);
    CHECK(made[0].tap.flip);
    CHECK(u.answers.back().rsp.stride == 1);
    CHECK(decode(u.answers.back().rsp.value).pending == 32);
    CHECK(u.answers.back().rsp.last);

    u.one(Op::MbarInit, 8, 20);
    u.answers.clear();
    Instruction straddle = all;
    straddle.addr.fill(8);
    made = u.play(straddle);
    Lanes seen = 0;
    int flips = 0;
    for (const Commit& c : made) {
        CHECK((seen & c.tap.lanes) == 0);
        CHECK(c.tap.lanes > seen);  // ascending
        seen |= c.tap.lanes;
        if (c.tap.flip) {
            ++flips;
            CHECK(seen == (1u << 20) - 1);
        }
    }
    CHECK(seen == kAll);
    CHECK(flips == 1);
    CHECK(u.at(8) == Object{1, 8, 20, 0, false});
    std::vector<std::int64_t> pending(32);
    for (const Answer& a : u.answers) {
        std::int64_t k = 0;
        for (unsigned lane = 0; lane < 32; ++lane)
            if (a.rsp.lanes >> lane & 1)
                pending[lane] = decode(a.rsp.value).pending - k++ * a.rsp.stride;
        CHECK(a.rsp.last == (&a == &u.answers.back()));
    }
    for (int lane = 0; lane < 32; ++lane)
        CHECK(pending[std::size_t(lane)] == (lane < 20 ? 20 - lane : 40 - lane));
}

TEST_CASE("lanes with other operands on the same object keep their order", "[D-23]")
{
    Unit u;
    u.one(Op::MbarInit, 0, 100);
    Instruction i = instruction(Op::MbarArrive, 0xff, 0, 1);
    i.data[3] = 5;
    i.addr[6] = 8;
    i.req.want_value = true;
    u.one(Op::MbarInit, 8, 10);
    u.answers.clear();
    const auto made = u.play(i);
    REQUIRE(made.size() == 4);
    CHECK(made[0].tap.lanes == 0x07);
    CHECK(made[1].tap.lanes == 0x08);
    CHECK(made[2].tap.lanes == 0xb0);
    CHECK(made[3].tap.lanes == 0x40);
    CHECK(u.at(0).pending == 100 - 11);
    CHECK(u.at(8).pending == 9);
    CHECK(decode(u.answers[2].rsp.value).pending == 92);
}

TEST_CASE("32 lanes on 32 objects", "[MBAR-016]")
{
    for (const raw::Cfg& config : {Testbench::config0(), writeBack()}) {
        Unit u{config};
        Instruction i = instruction(Op::MbarInit, kAll, 0, 7);
        for (unsigned lane = 0; lane < 32; ++lane) i.addr[lane] = 8 * lane;
        CHECK(u.play(i).size() == 32);
        i.req.op = Op::MbarArrive;
        CHECK(u.play(i).size() == 32);
        u.end(0);
        u.settle();
        for (unsigned lane = 0; lane < 32; ++lane)
            CHECK(u.at(8 * lane) == Object{1, 7, 7, 0, false});  // one arrival of 7
    }
}

TEST_CASE("two objects of one line used in consecutive cycles leave each other alone", "[D-01]")
{
    Unit u;
    u.one(Op::MbarInit, 0, 1);
    u.one(Op::MbarInit, 8, 4);
    u.commits.clear();
    for (int i = 0; i < 16; ++i) {
        Instruction both = instruction(Op::MbarArrive, 3, 0, 1);
        both.addr[1] = 8;
        u.give(both);
    }
    u.settle();
    REQUIRE(u.commits.size() == 32);
    int together = 0, flips0 = 0, flips1 = 0;
    for (std::size_t i = 1; i < u.commits.size(); ++i)
        together += u.commits[i].cycle == u.commits[i - 1].cycle + 1;
    for (const Commit& c : u.commits) (c.tap.obj == 0 ? flips0 : flips1) += c.tap.flip;
    CHECK(together > 8);
    CHECK(flips0 == 16);
    CHECK(flips1 == 4);
    CHECK(u.at(0) == Object{0, 1, 1, 0, false});
    CHECK(u.at(8) == Object{0, 4, 4, 0, false});
}
