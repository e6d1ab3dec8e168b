// Directed tests of the warp-wide operations through the ports of gsu_sm: who meets, what each lane gets, what is refused or reported.
#include "warp_testbench.hpp"

using namespace testbench;

namespace {

constexpr Lanes kLow = 0x0000'ffff, kHigh = 0xffff'0000;
constexpr std::uint32_t kNan = 0x7fc0'0001, kNegativeNan = 0xffc0'0000, kCanonical = 0x7fff'ffff;
constexpr std::uint32_t kMinusZero = 0x8000'0000, kOne = 0x3f80'0000, kMinusOne = 0xbf80'0000,
                        kTwo = 0x4000'0000, kInfinity = 0x7f80'0000;

/// Presents a request with these values in lanes 0, 1, ...; the lanes are those that have a value.
SyncRequest withValues(Op op, unsigned kind, std::vector<std::uint64_t> values)
{
    const auto lanes = Lanes((std::uint64_t{1} << values.size()) - 1);
    SyncRequest r = warpOp(op, 0, lanes, lanes, kind);
    for (std::size_t i = 0; i < values.size(); ++i) {
        r.data[i] = values[i];
    }
    r.tag = 9;
    return r;
}

std::uint64_t redux(unsigned kind, std::vector<std::uint64_t> values)
{
    Testbench b;
    b.launch(32);
    b.present(withValues(Op::Redux, kind, std::move(values)));
    b.run();
    REQUIRE(b.seen.responses.size() == 1);
    CHECK(b.seen.responses[0].last);
    CHECK(b.seen.responses[0].pred == 0);
    return b.seen.responses[0].value;
}

}  // namespace

TEST_CASE("vote.sync: parts of a mask meet, and each mode folds their predicates",
          "[VSYNC-003][VSYNC-004][VSYNC-005][D-18]")
{
    const Lanes pred = GENERATE(0u, ~0u, 0x0001'0000u, 0xfffe'ffffu);
    for (const unsigned kind : {kVoteAll, kVoteAny, kVoteUni, kVoteBallot}) {
        CAPTURE(kind, pred);
        Testbench b;
        b.launch(32);
        SyncRequest r = warpOp(Op::VoteSync, 0, kLow, kAll, kind);
        r.pred = pred;
        r.tag = 1;
        b.present(r);
        b.run();
        CHECK(b.seen.responses.empty());
        CHECK(b.seen.of(Unit::WarpSync).empty());
        r.lanes = kHigh;
        r.tag = 2;
        b.present(r);
        b.run();
        REQUIRE(b.seen.responses.size() == 1);
        const SyncResponse& got = b.seen.responses[0];
        CHECK(got.lanes == kAll);
        CHECK(got.tag == 2);
        CHECK(got.last);
        const bool truth = kind == kVoteAll   ? pred == kAll
                           : kind == kVoteAny ? pred != 0
                                              : pred == 0 || pred == kAll;
        CHECK(got.pred == (kind != kVoteBallot && truth ? kAll : 0));
        CHECK(got.value == (kind == kVoteBallot ? pred : 0));
        REQUIRE(b.seen.of(Unit::WarpSync).size() == 1);
        CHECK(b.seen.of(Unit::WarpSync)[0].op == Op::VoteSync);
        CHECK(b.seen.of(Unit::WarpSync)[0].object == kAll);
    }
}

TEST_CASE("votes: lanes outside the mask do not count, disjoint masks do not disturb each other",
          "[VSYNC-005][VSYNC-007]")
{
    Testbench b;
    b.launch(32);
    SyncRequest r = warpOp(Op::VoteSync, 0, 0x1, 0x3, kVoteBallot);
    r.pred = kAll;
    r.tag = 1;
    b.present(r);
    r = warpOp(Op::VoteSync, 0, 0xc, 0xc, kVoteBallot);
    r.pred = 0x4;
    r.tag = 2;
    b.present(r);
    b.run();
    REQUIRE(b.seen.responses.size() == 1);
    CHECK(b.seen.responses[0].lanes == 0xc);
    CHECK(b.seen.responses[0].value == 0x4);
    r = warpOp(Op::VoteSync, 0, 0x2, 0x3, kVoteBallot);
    r.tag = 3;
    b.present(r);
    b.run();
    REQUIRE(b.seen.responses.size() == 2);
    CHECK(b.seen.responses[1].value == 0x1);
}

TEST_CASE("exited lanes are not waited for and give no vote; they may complete the group",
          "[VSYNC-006][D-19][D-20]")
{
    Testbench b;
    b.launch(40);
    SyncRequest r = warpOp(Op::VoteSync, 1, 0x7f, kAll, kVoteBallot);  // 8 threads: lane 7 missing
    r.pred = kAll;
    b.present(r);
    b.run();
    CHECK(b.seen.responses.empty());
    b.exit(1, 0x80);
    b.run();
    REQUIRE(b.seen.responses.size() == 1);
    CHECK(b.seen.responses[0].value == 0x7f);
    const auto commits = b.seen.of(Unit::WarpSync);
    REQUIRE(commits.size() == 1);
    CHECK(commits[0].src == Src::Exit);
    CHECK(commits[0].errs == 0);
    r.kind = kVoteAll;
    r.tag = 5;
    b.present(r);
    b.run();
    REQUIRE(b.seen.responses.size() == 2);
    CHECK(b.seen.responses[1].pred == 0x7f);
}

TEST_CASE("modes, types and operations of one mask never meet",
          "[VSYNC-008][MATCH-007][REDUX-004][D-18]")
{
    Testbench b;
    b.launch(32);
    unsigned tag = 0;
    const auto part = [&](Op op, unsigned lane, unsigned kind) {
        SyncRequest r = warpOp(op, 0, 1u << lane, 0x3f, kind);
        r.tag = std::uint16_t(++tag);
        b.present(r);
    };
    part(Op::VoteSync, 0, kVoteAll);
    part(Op::VoteSync, 1, kVoteAny);
    part(Op::MatchAll, 2, kMatchB32);
    part(Op::MatchAll, 3, kMatchB64);
    part(Op::MatchAny, 4, kMatchB32);
    part(Op::WarpSync, 5, 0);
    b.run();
    CHECK(b.seen.responses.empty());
    CHECK(b.seen.of(Unit::WarpSync).empty());
    part(Op::Elect, 6, 0);  // outside the mask
    b.run();
    REQUIRE(b.seen.responses.size() == 1);
    CHECK(b.seen.responses[0].cause == Cause::Refused);
    b.exit(0, ~0x3fu);
    b.run();
    CHECK(b.seen.responses.size() == 1);
}

TEST_CASE("a lane outside its own mask is refused at once with 0 and false, the others go on",
          "[VSYNC-009][MATCH-008][REDUX-011][ELECT-006][D-03]")
{
    for (const Op op : {Op::VoteSync, Op::MatchAny, Op::MatchAll, Op::Redux, Op::Elect}) {
        CAPTURE(nameOf(op));
        Testbench b;
        b.launch(32);
        SyncRequest r = warpOp(op, 0, 0x7, 0x0b);  // lane 2 is outside, lane 3 is missing
        r.pred = kAll;
        r.data.fill(7);
        r.tag = 1;
        b.present(r);
        b.run(600);
        REQUIRE(b.seen.responses.size() == 1);
        CHECK(b.seen.responses[0].lanes == 0x4);
        CHECK(b.seen.responses[0].cause == Cause::Refused);
        CHECK(b.seen.responses[0].value == 0);
        CHECK(b.seen.responses[0].pred == 0);
        CHECK_FALSE(b.seen.responses[0].last);
        REQUIRE(b.seen.of(Unit::WarpSync).size() == 1);
        CHECK(b.seen.of(Unit::WarpSync)[0].op == op);
        CHECK(b.seen.of(Unit::WarpSync)[0].errs == 1u << kWsErrOutside);
        r.lanes = 0x8;
        r.tag = 2;
        b.present(r);
        b.run(600);
        REQUIRE(b.seen.responses.size() == 2);
        CHECK(b.seen.responses[1].lanes == 0xb);
        CHECK(b.seen.responses[1].last);
    }
}

TEST_CASE("legacy votes and activemask cover the lanes at hand and wait for none",
          "[VOTE-002][VOTE-003][VOTE-004][VOTE-005][AMASK-002][AMASK-003][D-64]")
{
    Testbench b;
    b.launch(64);
    SyncRequest r = warpOp(Op::Vote, 0, 0xf0, 0, kVoteBallot);
    r.pred = 0x35;
    r.tag = 1;
    b.present(r);
    r = warpOp(Op::ActiveMask, 0, 0x0c, 0);
    r.tag = 2;
    b.present(r);
    r = warpOp(Op::Vote, 1, kAll, 0, kVoteAny);
    r.tag = 3;
    b.present(r);
    b.run();
    REQUIRE(b.seen.responses.size() == 3);
    CHECK(b.seen.responses[0].lanes == 0xf0);
    CHECK(b.seen.responses[0].value == 0x30);
    CHECK(b.seen.responses[1].lanes == 0x0c);
    CHECK(b.seen.responses[1].value == 0x0c);
    CHECK(b.seen.responses[2].pred == 0);  // the true predicate was another warp's
    for (const Commit& c : b.seen.of(Unit::WarpSync)) {
        CHECK(c.errs == 0);
    }
}

TEST_CASE("elect: one leader, the same for the same mask; an exited lane is reported",
          "[ELECT-004][ELECT-005][ELECT-007][D-20][D-21]")
{
    Testbench b;
    b.launch(32);
    for (unsigned round = 0; round < 100; ++round) {
        SyncRequest r = warpOp(Op::Elect, 0, 0xff00'0f10, 0xff00'0f10);
        r.tag = std::uint16_t(round);
        b.present(r);
        b.run(20);
    }
    REQUIRE(b.seen.responses.size() == 100);
    for (const SyncResponse& got : b.seen.responses) {
        CHECK(got.value == 4);
        CHECK(got.pred == 0x10);
    }
    CHECK(b.seen.of(Unit::WarpSync)[0].errs == 0);
    b.seen.clear();
    b.present(warpOp(Op::Elect, 0, 0x60, 0xe1));
    b.present(warpOp(Op::Elect, 0, 0x80, 0xe1));
    b.run();
    CHECK(b.seen.responses.empty());  // lane 0 has not come
    b.exit(0, 1);
    b.run();
    REQUIRE(b.seen.responses.size() == 1);
    CHECK(b.seen.responses[0].value == 5);
    CHECK(b.seen.of(Unit::WarpSync)[0].errs == 1u << kWsErrExited);
}

TEST_CASE("match.any: each set of equal lanes gets its own mask, and the last response says so",
          "[MATCH-004][MATCH-009]")
{
    Testbench b;
    b.launch(32);
    b.present(withValues(Op::MatchAny, kMatchB32, {7, 0x1'0000'0007, 8, 0, 0x8000'0000, 8}));
    b.run(600);
    REQUIRE(b.seen.responses.size() == 4);
    const Lanes sets[] = {0x03, 0x24, 0x08, 0x10};
    for (unsigned i = 0; i < 4; ++i) {
        CHECK(b.seen.responses[i].lanes == sets[i]);
        CHECK(b.seen.responses[i].value == sets[i]);
        CHECK(b.seen.responses[i].last == (i == 3));
    }
    b.seen.clear();
    b.present(withValues(Op::MatchAny, kMatchB64, {7, 0x1'0000'0007, 8, 7}));
    b.run(600);
    REQUIRE(b.seen.responses.size() == 3);
    CHECK(b.seen.responses[0].value == 0x9);
}

TEST_CASE("match.all: the mask and true, or 0 and false; b64 compares both words", "[MATCH-005]")
{
    Testbench b;
    b.launch(32);
    const auto ask = [&](unsigned kind, std::vector<std::uint64_t> values) {
        b.seen.clear();
        b.present(withValues(Op::MatchAll, kind, std::move(values)));
        b.run(600);
        REQUIRE(b.seen.responses.size() == 1);
        return b.seen.responses[0];
    };
    const std::uint64_t same = 0x5'0000'0001, other = 0x6'0000'0001;
    SyncResponse got = ask(kMatchB32, {same, same, other});
    CHECK(got.value == 0x7);
    CHECK(got.pred == 0x7);
    got = ask(kMatchB64, {same, same, other});
    CHECK(got.value == 0);
    CHECK(got.pred == 0);
    CHECK(got.lanes == 0x7);
    got = ask(kMatchB64, {other, other});
    CHECK(got.pred == 0x3);
}

TEST_CASE("redux of integers", "[REDUX-005][REDUX-006]")
{
    const std::vector<std::uint64_t> values{0xffff'ffff, 5, 0x8000'0000, 12};
    CHECK(redux(kReduxAdd, values) == 0x8000'0010);
    CHECK(redux(kReduxAnd, {0xf0, 0xff, 0x3c}) == 0x30);
    CHECK(redux(kReduxOr, {1, 0x40, 0x8000'0000}) == 0x8000'0041);
    CHECK(redux(kReduxXor, {0xff, 0x0f, 1}) == 0xf1);
    CHECK(redux(kReduxMinU, values) == 5);
    CHECK(redux(kReduxMaxU, values) == 0xffff'ffff);
    CHECK(redux(kReduxMinS, values) == 0x8000'0000);
    CHECK(redux(kReduxMaxS, values) == 12);
    CHECK(redux(kReduxMinS, {0xdead'0000'0003, 4}) == 3);  // the upper word is nobody's
}

TEST_CASE("redux of floats: zeros have signs, magnitudes, NaNs",
          "[REDUX-007][REDUX-008][REDUX-009][REDUX-010]")
{
    CHECK(redux(kReduxMinF, {0, kMinusZero, 0}) == kMinusZero);
    CHECK(redux(kReduxMaxF, {kMinusZero, 0, kMinusZero}) == 0);
    CHECK(redux(kReduxMinF, {kMinusOne, kTwo, 0xff80'0000}) == 0xff80'0000);
    CHECK(redux(kReduxMaxF, {kMinusOne, kTwo, kInfinity}) == kInfinity);
    CHECK(redux(kReduxMinF | kReduxAbs, {kMinusOne, kTwo}) == kOne);
    CHECK(redux(kReduxMaxF | kReduxAbs, {0xc040'0000, kTwo}) == 0x4040'0000);
    CHECK(redux(kReduxMinF, {kNan, kTwo, kNegativeNan}) == kTwo);
    CHECK(redux(kReduxMaxF, {kNan, kMinusOne, kNegativeNan}) == kMinusOne);
    CHECK(redux(kReduxMinF, {kNan, kNegativeNan}) == kCanonical);
    CHECK(redux(kReduxMaxF, {kNan, kNegativeNan}) == kCanonical);
    CHECK(redux(kReduxMinF | kReduxNan, {kTwo, kOne, kNegativeNan}) == kCanonical);
    CHECK(redux(kReduxMaxF | kReduxNan, {kTwo, kNan, kInfinity}) == kCanonical);
    CHECK(redux(kReduxMaxF | kReduxNan | kReduxAbs, {kTwo, kNegativeNan}) == kCanonical);
    CHECK(redux(kReduxMinF | kReduxNan, {kTwo, kMinusOne}) == kMinusOne);
    CHECK(redux(kReduxMinF, {1, 0x7f80'0000}) == 1);  // subnormals count as they are
}

TEST_CASE("values are those of the instruction that each lane executed, whoever comes between",
          "[REDUX-004][REDUX-005][D-18]")
{
    Testbench b;
    b.launch(64);
    SyncRequest r = warpOp(Op::Redux, 0, 0x1, 0x3, kReduxAdd);
    r.data.fill(100);
    r.tag = 1;
    b.present(r);
    SyncRequest other = warpOp(Op::Redux, 1, kAll, kAll, kReduxAdd);
    other.data.fill(1);
    other.tag = 2;
    b.present(other);
    other = warpOp(Op::MatchAll, 0, 0xf0, 0xf0);
    other.data.fill(3);
    other.tag = 3;
    b.present(other);
    r.lanes = 0x2;
    r.data.fill(11);
    r.tag = 4;
    b.present(r);
    b.run(600);
    const auto first = answers(b.seen, 0);
    REQUIRE(first.count(1) == 1);
    CHECK(first.at(0).value == 111);
    CHECK(first.at(1).value == 111);
    CHECK(first.at(4).value == 0xf0);
    CHECK(answers(b.seen, 1).at(31).value == 32);
}

TEST_CASE("answers come exactly after the latency of their class",
          "[VSYNC-003][REDUX-004][MATCH-007]")
{
    Config config = configOf(Preset::Hopper);
    for (const char* set : {"vote_lat=60", "redux_lat=70", "redux_minmax_lat=80", "match_lat=90"}) {
        REQUIRE(setParameter(config, set).empty());
    }
    const auto clocks = [&](Op op, unsigned kind) {
        Testbench b(config);
        b.launch(32);
        b.present(warpOp(op, 0, kAll, kAll, kind));
        b.run(300);
        REQUIRE_FALSE(b.seen.responses.empty());
        return b.seen.responses[0].cycle - b.seen.of(Unit::WarpSync)[0].cycle;
    };
    CHECK(clocks(Op::VoteSync, kVoteBallot) == 60);
    CHECK(clocks(Op::Elect, 0) == 60);
    CHECK(clocks(Op::ActiveMask, 0) == 60);
    for (const unsigned kind : {kReduxAdd, kReduxAnd, kReduxOr, kReduxXor})
        CHECK(clocks(Op::Redux, kind) == 70);
    for (const unsigned kind : {kReduxMinU, kReduxMinS, kReduxMaxU, kReduxMaxS, kReduxMinF,
                                kReduxMaxF, kReduxMaxF | kReduxAbs | kReduxNan}) {
        CAPTURE(kind);
        CHECK(clocks(Op::Redux, kind) == 80);
    }
    CHECK(clocks(Op::MatchAny, 0) == 90);
    CHECK(clocks(Op::MatchAll, 0) == 90);
}
