// Match and redux on the golden port.
#include <bit>

#include "warp_testbench.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

std::uint32_t redux(std::uint8_t kind, std::initializer_list<std::uint32_t> values)
{
    std::array<std::uint64_t, 32> data{};
    data.fill(
        0xdead'beef'dead'beef);  // lanes that take no part, and the upper word of those that do
    unsigned lane = 0;
    for (const std::uint32_t v : values) data[lane++] = std::uint64_t{0xffff'ffff} << 32 | v;
    const WarpAnswers all = evaluate(Op::Redux, kind, (Lanes{1} << lane) - 1, 0, data);
    REQUIRE(all.count == 1);
    CHECK(all.at[0].lanes == (Lanes{1} << lane) - 1);
    return all.at[0].value;
}

}  // namespace

TEST_CASE("match.any answers each set of equal lanes once", "[MATCH-004][MATCH-007][EX-MATCH-01]")
{
    Ops b;
    b.exit(warp(0), 0x80);
    SyncRequest r = b.with(Op::MatchAny, 0, 0x2f, 0xff);
    for (unsigned lane = 0; lane < 8; ++lane) r.data[lane] = std::uint64_t{lane} << 32 | lane % 3;
    b.run(r);
    CHECK(b.silent());
    SyncRequest rest = b.with(Op::MatchAny, 0, 0x50, 0xff);
    for (unsigned lane = 0; lane < 8; ++lane) rest.data[lane] = lane % 3;
    const auto tag = b.run(rest);
    REQUIRE(b.responses.size() == 3);
    const std::array<Lanes, 3> sets{0x49, 0x12,
                                    0x24};  // lanes 7 has exited, and would be of the second
    for (unsigned i = 0; i < 3; ++i) {
        CHECK(b.responses[i].lanes == sets[i]);
        CHECK(b.responses[i].value == sets[i]);
        CHECK(b.responses[i].pred == 0);
        CHECK(b.responses[i].tag == tag);
        CHECK(b.responses[i].last == (i == 2));
    }
    CHECK(b.of(Unit::WarpSync).size() == 1);
}

TEST_CASE("match.all: the mask and true, or 0 and false", "[MATCH-005][EX-MATCH-02]")
{
    const bool wide = GENERATE(false, true);
    Ops b;
    b.exit(warp(0), 0x10);
    SyncRequest r = b.with(Op::MatchAll, wide ? kMatchB64 : 0, 0x0f, 0x1f);
    r.data.fill(0x1'0000'0007);
    b.run(r);
    CHECK(b.one(0x0f).value == 0x0f);  // the members that have not exited
    CHECK(b.one(0x0f).pred == 0x0f);
    r.data[2] = 0x2'0000'0007;  // differs in the upper word only
    b.run(r);
    CHECK(b.one(0x0f).value == (wide ? 0 : 0x0f));
    CHECK(b.one(0x0f).pred == (wide ? 0 : 0x0f));
}

TEST_CASE("match compares bits", "[MATCH-009]")
{
    std::array<std::uint64_t, 32> data{};
    data[0] = 0x0000'0000;  // +0.0
    data[1] = 0x8000'0000;  // -0.0
    data[2] = 0x7fc0'0001;  // a NaN
    data[3] = 0x7fc0'0001;
    const WarpAnswers sets = evaluate(Op::MatchAny, 0, 0xf, 0, data);
    REQUIRE(sets.count == 3);
    CHECK(sets.at[0].lanes == 0x1);
    CHECK(sets.at[1].lanes == 0x2);
    CHECK(sets.at[2].lanes == 0xc);
}

TEST_CASE("match.any with 32 values has 32 answers", "[MATCH-004]")
{
    std::array<std::uint64_t, 32> data{};
    for (unsigned i = 0; i < 32; ++i) data[i] = 31 - i;
    const WarpAnswers sets = evaluate(Op::MatchAny, kMatchB64, kAll, 0, data);
    REQUIRE(sets.count == 32);
    for (unsigned i = 0; i < 32; ++i) CHECK(sets.at[i].value == 1u << i);
}

TEST_CASE("redux of integers", "[REDUX-005][REDUX-006][EX-REDUX-01][EX-REDUX-02]")
{
    CHECK(redux(kindOf(ReduxOp::Add), {0xffff'ffff, 2, 0x8000'0000, 0x8000'0000}) == 1);
    CHECK(redux(kindOf(ReduxOp::And), {0xff0f, 0x0fff, 0xffff}) == 0x0f0f);
    CHECK(redux(kindOf(ReduxOp::Or), {0x1, 0x10, 0x100}) == 0x111);
    CHECK(redux(kindOf(ReduxOp::Xor), {0x3, 0x5, 0x9}) == 0xf);
    CHECK(redux(kindOf(ReduxOp::MinU), {0x8000'0000, 1, 0xffff'ffff}) == 1);
    CHECK(redux(kindOf(ReduxOp::MaxU), {0x8000'0000, 1, 0xffff'ffff}) == 0xffff'ffff);
    CHECK(redux(kindOf(ReduxOp::MinS), {0x8000'0000, 1, 0xffff'ffff}) == 0x8000'0000);
    CHECK(redux(kindOf(ReduxOp::MaxS), {0x8000'0000, 1, 0xffff'ffff}) == 1);
    for (unsigned op = 0; op <= unsigned(ReduxOp::MaxS); ++op)
        CHECK(redux(std::uint8_t(op), {0x8765'4321}) == 0x8765'4321);
}

TEST_CASE("redux of f32: zeros, magnitudes, NaN",
          "[REDUX-007][REDUX-008][REDUX-009][REDUX-010][D-61][EX-REDUX-03]")
{
    const std::uint32_t one = std::bit_cast<std::uint32_t>(1.0f);
    const std::uint32_t minusTwo = std::bit_cast<std::uint32_t>(-2.0f);
    const std::uint32_t nan = 0xffc1'2345;
    const std::uint32_t small = 0x0000'0001;
    const std::uint8_t min = kindOf(ReduxOp::MinF);
    const std::uint8_t max = kindOf(ReduxOp::MaxF);
    CHECK(redux(min, {0x0, 0x8000'0000, 0x0}) == 0x8000'0000);
    CHECK(redux(max, {0x8000'0000, 0x0, 0x8000'0000}) == 0x0);
    CHECK(redux(min, {one, minusTwo}) == minusTwo);
    CHECK(redux(max, {one, minusTwo}) == one);
    CHECK(redux(min, {one, small}) == small);
    CHECK(redux(min | kReduxAbs, {0xbf80'0000, 0x4000'0000}) == one);
    CHECK(redux(max | kReduxAbs, {one, minusTwo}) == 0x4000'0000);
    CHECK(redux(max | kReduxAbs, {0x8000'0000}) == 0);
    CHECK(redux(min, {nan, 0xff80'0000, nan}) == 0xff80'0000);
    CHECK(redux(max, {nan, one, nan}) == one);
    CHECK(redux(max, {nan, minusTwo}) == minusTwo);
    CHECK(redux(min, {nan, 0x7f80'0001}) == kCanonicalNan);
    CHECK(redux(min | kReduxNan, {one, nan, minusTwo}) == kCanonicalNan);
    CHECK(redux(max | kReduxNan, {one, minusTwo}) == one);
    CHECK(redux(max | kReduxNan | kReduxAbs, {nan}) == kCanonicalNan);
    CHECK(redux(min | kReduxNan | kReduxAbs, {one, minusTwo}) == one);
}

TEST_CASE("redux waits for its mask, leaves out exited lanes and lanes without a bit",
          "[REDUX-004][REDUX-005][REDUX-015]")
{
    Ops b;
    b.exit(warp(0), 0x80);
    SyncRequest r = b.with(Op::Redux, kindOf(ReduxOp::Add), 0x0f, 0xff);
    for (unsigned lane = 0; lane < 32; ++lane) r.data[lane] = 1u << lane;
    b.run(r);
    CHECK(b.silent());
    SyncRequest rest = r;
    rest.tag = 77;
    rest.lanes = 0x70;
    b.run(rest);
    CHECK(b.one(0x7f).value == 0x7f);
    CHECK(b.only(Unit::WarpSync).errs == 0);
}
