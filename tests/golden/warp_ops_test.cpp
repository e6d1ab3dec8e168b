// Vote, elect and activemask on the golden port, and what all warp-wide operations have in common.
#include <bit>

#include "base/random.hpp"
#include "golden/limits.hpp"
#include "warp_testbench.hpp"

using namespace gsu;
using namespace gsu::test;

TEST_CASE("vote.sync folds the predicates of its mask", "[VSYNC-004][VSYNC-005][EX-VSYNC-01]")
{
    struct Row {
        Lanes pred;
        bool all, any, uni;
    };
    const Lanes mask = 0x0ff0;
    // Bits outside the mask say the opposite: they must not count.
    for (const Row& row : {Row{0x0ff0, true, true, true}, Row{0xf00f, false, false, true},
                           Row{0x0010, false, true, false}, Row{0xffff'f7ff, false, true, false}}) {
        CAPTURE(row.pred);
        Ops b;
        b.run(b.vote(VoteMode::All, mask, row.pred, mask));
        CHECK(b.one(mask).pred == (row.all ? mask : 0));
        b.run(b.vote(VoteMode::Any, mask, row.pred, mask));
        CHECK(b.one(mask).pred == (row.any ? mask : 0));
        b.run(b.vote(VoteMode::Uni, mask, row.pred, mask));
        CHECK(b.one(mask).pred == (row.uni ? mask : 0));
        b.run(b.vote(VoteMode::Ballot, mask, row.pred, mask));
        CHECK(b.one(mask).value == (row.pred & mask));
        CHECK(b.only(Unit::WarpSync).object == mask);
        CHECK(b.only(Unit::WarpSync).errs == 0);
    }
}

TEST_CASE("a lane of a vote waits for all of its mask; operands are taken when it arrives",
          "[VSYNC-003][D-18]")
{
    Ops b;
    b.run(b.vote(VoteMode::Ballot, 0x1, 0x1, 0x7));
    CHECK(b.silent());
    b.run(b.vote(VoteMode::Ballot, 0x4, 0x0, 0x7));
    CHECK(b.silent());
    const auto tag = b.run(b.vote(VoteMode::Ballot, 0x2, 0x6, 0x7));  // lane 2 has voted already
    CHECK(b.one(0x7).value == 0x3);
    CHECK(b.responses[0].tag == tag);
}

TEST_CASE("exited lanes neither vote nor are waited for, in silence", "[VSYNC-006][A-37][D-20]")
{
    Ops b;
    b.exit(warp(0), 1u << 7);
    for (const VoteMode mode : {VoteMode::All, VoteMode::Any, VoteMode::Uni, VoteMode::Ballot}) {
        const bool negative = mode == VoteMode::Any;
        const Lanes live = kAll & ~(1u << 7);
        b.run(b.vote(mode, live, negative ? 1u << 7 : kAll));
        CHECK(b.only(Unit::WarpSync).errs == 0);
        if (mode == VoteMode::Ballot)
            CHECK(b.one(live).value == live);
        else
            CHECK(b.one(live).pred == (negative ? 0 : live));
    }
    // And if the exit completes the group.
    b.run(b.vote(VoteMode::All, 0x7, 0x7, 0xf));
    CHECK(b.silent());
    b.exit(warp(0), 0x8);
    CHECK(b.only(Unit::WarpSync).src == Src::Exit);
    CHECK(b.only(Unit::WarpSync).errs == 0);
    CHECK(b.one(0x7).pred == 0x7);
}

TEST_CASE("votes under disjoint masks are independent", "[VSYNC-007]")
{
    Ops b;
    b.run(b.vote(VoteMode::All, 0x00ff, kAll, 0xffff));
    b.run(b.vote(VoteMode::All, 0xffff'0000, 0, 0xffff'0000));
    CHECK(b.one(0xffff'0000).pred == 0);
    b.run(b.vote(VoteMode::All, 0xff00, kAll, 0xffff));
    CHECK(b.one(0xffff).pred == 0xffff);
}

TEST_CASE("different qualifiers, types, operations or masks never meet",
          "[VSYNC-008][MATCH-007][REDUX-004][D-18]")
{
    Ops b;
    b.run(b.vote(VoteMode::All, 0x1, 0x1, 0x3));
    const std::vector<SyncRequest> others{
        b.vote(VoteMode::Any, 0x2, 0x2, 0x3),
        b.with(Op::MatchAny, 0, 0x4, 0xc),
        b.with(Op::MatchAny, kMatchB64, 0x8, 0xc),
        b.with(Op::MatchAll, 0, 0x10, 0x30),
        b.with(Op::MatchAny, 0, 0x20, 0x30),
        b.with(Op::Redux, kindOf(ReduxOp::MinF), 0x40, 0xc0),
        b.with(Op::Redux, kindOf(ReduxOp::MinF, kReduxNan), 0x80, 0xc0),
        b.with(Op::Redux, kindOf(ReduxOp::Add), 0x100, 0x300),
        b.with(Op::Redux, kindOf(ReduxOp::Add), 0x200, 0x700),
        b.with(Op::Elect, 0, 0x1000, 0x3000),
        b.with(Op::WarpSync, 0, 0x2000, 0x3000),
    };
    for (const SyncRequest& r : others) {
        b.run(r);
        CHECK(b.silent());
    }
}

TEST_CASE("of a warp-wide operation only the lanes outside the mask are refused, with 0 and false",
          "[VSYNC-009][MATCH-008][REDUX-011][ELECT-006][D-03]")
{
    const Op op = GENERATE(Op::VoteSync, Op::MatchAny, Op::MatchAll, Op::Redux, Op::Elect);
    CAPTURE(nameOf(op));
    Ops b;
    SyncRequest r = b.with(op, 0, 0x7, 0x3);  // lane 2 is outside
    r.pred = 0x7;
    b.run(r);
    const auto commits = b.of(Unit::WarpSync);
    REQUIRE(commits.size() == 2);
    CHECK(commits[0].lanes == 0x4);
    CHECK(commits[0].refused);
    CHECK(commits[0].errs == 1u << kWsErrOutside);
    CHECK(commits[0].op == op);
    REQUIRE(b.responses.size() == 2);
    CHECK(b.responses[0].cause == Cause::Refused);
    CHECK(b.responses[0].pred == 0);
    CHECK(b.responses[0].value == 0);
    CHECK_FALSE(b.responses[0].last);
    CHECK(b.responses[1].lanes == 0x3);
    CHECK(b.responses[1].last);
    b.run(b.with(op, 0, 0x8, 0));  // mask 0
    CHECK(b.only(Unit::WarpSync).refused);
}

TEST_CASE("lanes that never existed are silently absent from warp-wide operations", "[D-19]")
{
    const Op op = GENERATE(Op::VoteSync, Op::MatchAny, Op::MatchAll, Op::Redux, Op::Elect);
    Testbench b;
    b.launch(0, 0, 40);
    SyncRequest r = b.request(op, warp(1), 0xff, kAll);
    r.data.fill(5);
    b.run(r);
    CHECK(b.only(Unit::WarpSync).errs == 0);
    REQUIRE(b.responses.size() == 1);
    CHECK(b.responses[0].lanes == 0xff);
    if (op == Op::MatchAny || op == Op::MatchAll) CHECK(b.responses[0].value == 0xff);
    if (op == Op::Redux) CHECK(b.responses[0].value == 40);
}

TEST_CASE("vote without .sync is of the lanes that execute it together",
          "[VOTE-002][VOTE-003][VOTE-004][VOTE-005][D-64]")
{
    Testbench b;
    b.launch(0, 0, 64);
    const auto vote = [&](unsigned w, VoteMode mode, Lanes lanes, Lanes pred) {
        SyncRequest r = b.request(Op::Vote, warp(w), lanes);
        r.kind = kindOf(mode);
        r.pred = pred;
        b.run(r);
        REQUIRE(b.responses.size() == 1);
        CHECK(b.responses[0].lanes == lanes);
        CHECK(b.responses[0].last);
        CHECK(b.only(Unit::WarpSync).errs == 0);
        return b.responses[0];
    };
    CHECK(vote(0, VoteMode::All, 0x00ff, 0x00ff).pred == 0x00ff);  // the other half votes apart
    CHECK(vote(0, VoteMode::All, 0xff00, 0x00ff).pred == 0);
    CHECK(vote(0, VoteMode::Any, 0xff00, 0x00ff).pred == 0);
    CHECK(vote(0, VoteMode::Any, 0xffff, 0x00ff).pred == 0xffff);
    CHECK(vote(0, VoteMode::Uni, 0xffff, 0x00ff).pred == 0);
    CHECK(vote(0, VoteMode::Uni, 0xff00, 0x00ff).pred == 0xff00);
    CHECK(vote(0, VoteMode::Ballot, 0xff00, kAll).value == 0xff00);
    CHECK(vote(1, VoteMode::Ballot, kAll, 0x10).value == 0x10);
}

TEST_CASE("activemask is the lanes that execute it; it waits for nobody", "[AMASK-002][AMASK-003]")
{
    Ops b;
    b.exit(warp(0), 0x8000'0000);
    b.run(b.with(Op::ActiveMask, 0, 0x5555, 0));
    CHECK(b.one(0x5555).value == 0x5555);
    b.run(b.with(Op::ActiveMask, 0, 0x2, 0));
    CHECK(b.one(0x2).value == 0x2);
}

TEST_CASE("elect: one leader of the mask, the same every time",
          "[ELECT-004][ELECT-005][D-21][EX-ELECT-01]")
{
    std::uint64_t state = 7;
    INFO("seed " << state);
    for (unsigned i = 0; i < 100; ++i) {
        const Lanes mask = static_cast<Lanes>(splitmix64(state)) | 1u << i % 32;
        Ops b;
        std::uint64_t leader = 0;
        for (unsigned again = 0; again < 3; ++again) {
            b.run(b.with(Op::Elect, 0, mask, mask));
            const SyncResponse& r = b.one(mask);
            REQUIRE(std::popcount(r.pred) == 1);
            CHECK((r.pred & ~mask) == 0);
            CHECK(r.value == unsigned(std::countr_zero(r.pred)));
            if (again != 0) CHECK(r.value == leader);
            leader = r.value;
        }
    }
}

TEST_CASE("elect waits for its mask; an exited member is reported", "[ELECT-007][A-03][D-20]")
{
    Ops b;
    b.run(b.with(Op::Elect, 0, 0x6, 0x7));
    CHECK(b.silent());
    b.exit(warp(0), 0x1);
    CHECK(b.only(Unit::WarpSync).errs == 1u << kWsErrExited);
    CHECK_FALSE(b.only(Unit::WarpSync).refused);
    CHECK(b.one(0x6).value == 1);  // not the lane that is gone
    CHECK(b.one(0x6).pred == 0x2);
}

TEST_CASE("random warp-wide operations against a lane-by-lane reading",
          "[VSYNC-004][VSYNC-005][MATCH-004][MATCH-005][REDUX-005]")
{
    const std::uint64_t seed = 20261122;
    INFO("seed " << seed);
    std::uint64_t state = seed;
    for (unsigned i = 0; i < 5000; ++i) {
        Lanes lanes = static_cast<Lanes>(splitmix64(state));
        if (lanes == 0) lanes = 1;
        const Lanes pred = static_cast<Lanes>(splitmix64(state)) | (i % 3 == 0 ? lanes : 0);
        std::array<std::uint64_t, 32> data{};
        for (auto& d : data) d = splitmix64(state) % (i % 2 == 0 ? 3 : 1);
        unsigned set = 0, members = 0;
        std::uint32_t sum = 0;
        bool same = true;
        for (unsigned a = 0; a < 32; ++a) {
            if ((lanes >> a & 1) == 0) continue;
            ++members;
            set += pred >> a & 1;
            sum += static_cast<std::uint32_t>(data[a]);
            for (unsigned c = 0; c < 32; ++c) same &= (lanes >> c & 1) == 0 || data[c] == data[a];
        }
        const auto value = [&](Op op, std::uint8_t kind) {
            return evaluate(op, kind, lanes, pred, data).at[0].value;
        };
        const auto truth = [&](Op op, std::uint8_t kind) {
            return evaluate(op, kind, lanes, pred, data).at[0].pred == lanes;
        };
        REQUIRE(truth(Op::VoteSync, kindOf(VoteMode::All)) == (set == members));
        REQUIRE(truth(Op::VoteSync, kindOf(VoteMode::Any)) == (set > 0));
        REQUIRE(truth(Op::VoteSync, kindOf(VoteMode::Uni)) == (set == 0 || set == members));
        REQUIRE(std::popcount(value(Op::VoteSync, kindOf(VoteMode::Ballot))) == int(set));
        REQUIRE(value(Op::Redux, kindOf(ReduxOp::Add)) == sum);
        REQUIRE(value(Op::MatchAll, kMatchB64) == (same ? lanes : 0));
        const WarpAnswers sets = evaluate(Op::MatchAny, kMatchB64, lanes, pred, data);
        Lanes seen = 0;
        for (unsigned k = 0; k < sets.count; ++k) {
            for (unsigned a = 0; a < 32; ++a) {
                if ((sets.at[k].lanes >> a & 1) == 0) continue;
                for (unsigned c = 0; c < 32; ++c)
                    if ((lanes >> c & 1) != 0)
                        REQUIRE((sets.at[k].value >> c & 1) == (data[c] == data[a]));
            }
            REQUIRE((seen & sets.at[k].lanes) == 0);
            seen |= sets.at[k].lanes;
        }
        REQUIRE(seen == lanes);
    }
}

TEST_CASE("forms that do not exist are refused by name", "[REDUX-002][REDUX-003]")
{
    Ops b;
    const auto problem = [&](Op op, std::uint8_t kind) {
        return problemOf(b.with(op, kind, 1, 1), 1);
    };
    CHECK(problem(Op::Redux, kindOf(ReduxOp::MinF, kReduxAbs | kReduxNan)).empty());
    for (unsigned op = 0; op <= unsigned(ReduxOp::MaxF); ++op)
        CHECK(problem(Op::Redux, std::uint8_t(op)).empty());
    CHECK(problem(Op::VoteSync, kindOf(VoteMode::Ballot)).empty());
    CHECK(problem(Op::MatchAll, kMatchB64).empty());
    CHECK_FALSE(problem(Op::Redux, kindOf(ReduxOp::Add, kReduxAbs)).empty());
    CHECK_FALSE(problem(Op::Redux, kindOf(ReduxOp::MinU, kReduxNan)).empty());
    CHECK_FALSE(problem(Op::Redux, 10).empty());
    CHECK_FALSE(problem(Op::VoteSync, 4).empty());
    CHECK_FALSE(problem(Op::MatchAny, 2).empty());
    CHECK_FALSE(problem(Op::Elect, 1).empty());
    CHECK(problem(Op::WarpSync, 9).empty());
}
