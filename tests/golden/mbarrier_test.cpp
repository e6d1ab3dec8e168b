// The mbarrier object alone: word, every operation of section 9, bounds, retirement, waits.
#include <random>

#include "catch.hpp"
#include "golden/mbarrier.hpp"

using namespace gsu;

namespace {

MbarState init(std::uint32_t count) { return mbarNext({}, {MbarOp::Init, count}).state; }

MbarState after(MbarState s, MbarOp op, std::uint32_t amount = 1)
{
    const MbarNext next = mbarNext(s, {op, amount});
    CHECK_FALSE(next.refused);
    return next.state;
}

}  // namespace

TEST_CASE("the word of a fresh object is the one the reference writes",
          "[MBAR-001][MBAR-018][D-22]")
{
    const std::uint32_t n = GENERATE(1u, 2u, 12u, 32u, 1023u, kMbarMax);
    const std::uint64_t lo = (0x100000ull - n) << 1, hi = (0x100000ull - n) << 11;
    CHECK(packMbar(init(n)) == (hi << 32 | lo));
    CHECK(unpackMbar(packMbar(init(n))) == init(n));
}

TEST_CASE("pack and unpack are inverse over the ranges", "[MBAR-001][MBAR-002]")
{
    const auto seed = GENERATE(range(1u, 9u));
    CAPTURE(seed);
    std::mt19937 random(seed);
    const std::int32_t m = kMbarMax;
    const std::int32_t edges[]{-m, -m + 1, -1, 0, 1, m - 1, m};
    for (int i = 0; i < 2000; ++i) {
        MbarState s{};
        s.phase = random() & 1;
        s.lock = random() & 1;
        s.pending = random() & kMbarMax;
        s.expected = random() & kMbarMax;
        s.tx = i < 7 ? edges[i] : std::int32_t(random() % (2 * kMbarMax + 1)) - m;
        CHECK(unpackMbar(packMbar(s)) == s);
        CHECK((packMbar(s) & 1) == 0);
    }
}

TEST_CASE("twelve arrivals complete a phase of twelve",
          "[MBAR-010][MBAR-011][MBAR-014][EX-MBINIT-02]")
{
    MbarState s = init(12);
    for (unsigned i = 0; i < 12; ++i) {
        CHECK(s.pending == 12 - i);
        const MbarNext next = mbarNext(s, {MbarOp::Arrive, 1});
        CHECK(next.result == packMbar(s));
        CHECK(next.flip == (i == 11));
        s = next.state;
    }
    CHECK(s == MbarState{true, false, 12, 12, 0});
}

TEST_CASE("init count, arrive count and drop count have a range",
          "[MBAR-021][MBARR-006][MBDROP-006][A-30][D-36]")
{
    const MbarOp op = GENERATE(MbarOp::Init, MbarOp::Arrive, MbarOp::Drop);
    const std::uint32_t bad = GENERATE(0u, 1u << 20, 0xffffffffu);
    const MbarState s = init(5);
    const MbarNext next = mbarNext(s, {op, bad});
    CHECK(next.refused);
    CHECK((next.errs & kMbErrCount) != 0);
    CHECK(next.state == s);
    CHECK_FALSE(mbarNext(s, {MbarOp::Init, kMbarMax}).refused);
}

TEST_CASE("more arrivals than pending are refused as a whole", "[MBAR-003][D-25]")
{
    const MbarState s = init(2);
    const MbarNext next = mbarNext(s, {MbarOp::Arrive, 3});
    CHECK(next.refused);
    CHECK(next.errs == kMbErrPending);
    CHECK(next.state == s);
    const MbarState held = after(after(s, MbarOp::ExpectTx, 16), MbarOp::Arrive, 2);
    CHECK(held.pending == 0);
    CHECK(held.phase == false);
    CHECK(mbarNext(held, {MbarOp::Arrive, 1}).errs == kMbErrPending);
}

TEST_CASE("complete may precede expect; the phase stays open and nothing wraps",
          "[MBAR-033][MBAR-039][T-07][T-08]")
{
    MbarState s = after(init(1), MbarOp::CompleteTx, 16);  // Vortex asserts here
    CHECK(s.tx == -16);
    s = after(s, MbarOp::ExpectTx, 16);
    CHECK(s.tx == 0);
    CHECK_FALSE(s.phase);  // tx back to zero with pending 1 completes nothing
    s = after(after(s, MbarOp::ExpectTx, 8), MbarOp::CompleteTx, 8);
    CHECK_FALSE(s.phase);
    CHECK(after(s, MbarOp::Arrive).phase);
}

TEST_CASE("any of the events can complete the phase", "[MBAR-034][MBAR-036][A-10][MBAR-049]")
{
    const MbarState held = after(after(init(1), MbarOp::ExpectTx, 32), MbarOp::Arrive);
    CHECK(mbarNext(held, {MbarOp::CompleteTx, 31}).flip == false);
    CHECK(mbarNext(held, {MbarOp::CompleteTx, 32}).flip);
    const MbarState negative = after(after(init(1), MbarOp::CompleteTx, 16), MbarOp::Arrive);
    CHECK(mbarNext(negative, {MbarOp::ExpectTx, 16}).flip);
    CHECK(mbarNext(init(1), {MbarOp::CpAsyncArrive}).flip);
    CHECK(mbarNext(init(1), {MbarOp::Drop}).flip);
}

TEST_CASE("transaction bounds, in 34 bits and more", "[MBAR-002][MBAR-041][D-26][A-29]")
{
    const MbarState s = init(1);
    CHECK(mbarNext(s, {MbarOp::ExpectTx, 0}).state == s);
    CHECK_FALSE(mbarNext(s, {MbarOp::ExpectTx, kMbarMax}).refused);
    CHECK(mbarNext(s, {MbarOp::ExpectTx, kMbarMax + 1}).errs == kMbErrTx);
    CHECK(mbarNext(s, {MbarOp::ExpectTx, 0xffffffff}).errs == kMbErrTx);
    CHECK_FALSE(mbarNext(s, {MbarOp::CompleteTx, kMbarMax}).refused);
    CHECK(mbarNext(s, {MbarOp::CompleteTx, kMbarMax + 1}).errs == kMbErrTx);
    CHECK(mbarNext(s, {MbarOp::CompleteTx, 0xffffffff}).errs == kMbErrTx);
    const MbarState low = after(s, MbarOp::CompleteTx, kMbarMax);
    CHECK_FALSE(mbarNext(low, {MbarOp::ExpectTx, 2 * kMbarMax})
                    .refused);  // single operation within the range
}

TEST_CASE("expect and arrive are one step",
          "[MBARR-004][MBDROP-005][D-27][T-09][EX-MBARR-05][EX-MBDROP-03]")
{
    const MbarNext next = mbarNext(init(1), {MbarOp::ArriveExpectTx, 64});
    CHECK_FALSE(next.flip);
    CHECK(next.state == MbarState{false, false, 0, 1, 64});
    CHECK(unpackMbar(next.result) ==
          MbarState{false, false, 1, 1, 64});  // after the expect, before the arrive
    CHECK(mbarNext(next.state, {MbarOp::CompleteTx, 64}).flip);
    // Either bound refuses all of it.
    CHECK(mbarNext(next.state, {MbarOp::ArriveExpectTx, 1}).state == next.state);
    CHECK(mbarNext(init(1), {MbarOp::ArriveExpectTx, kMbarMax + 1}).state == init(1));
    CHECK(mbarNext(init(2), {MbarOp::DropExpectTx, 8}).state == MbarState{false, false, 1, 1, 8});
}

TEST_CASE("drop reduces the expected count first", "[MBDROP-003][MBDROP-004][D-28][T-06]")
{
    MbarState s = after(init(4), MbarOp::Drop);
    s = after(s, MbarOp::Arrive, 3);
    CHECK(s == MbarState{true, false, 3, 3, 0});
    s = after(after(init(2), MbarOp::Arrive), MbarOp::Drop);
    CHECK(s == MbarState{true, false, 1, 1, 0});  // the completing drop reloads the reduced count
    // Once the increment has raised pending above expected, the drop is bounded by expected.
    const MbarState high = after(init(1), MbarOp::CpAsyncIncrement);
    CHECK(mbarNext(high, {MbarOp::Drop, 2}).errs == kMbErrDrop);
}

TEST_CASE("the last drop completes its phase and retires the object", "[MBDROP-011][A-12][D-30]")
{
    const MbarNext next = mbarNext(init(1), {MbarOp::Drop});
    CHECK(next.flip);
    CHECK(next.errs == kMbErrDropZero);
    CHECK_FALSE(next.refused);
    CHECK(next.state.retired());
    for (const MbarOp op :
         {MbarOp::Arrive, MbarOp::ExpectTx, MbarOp::CompleteTx, MbarOp::ArriveExpectTx,
          MbarOp::Drop, MbarOp::DropExpectTx, MbarOp::CpAsyncIncrement, MbarOp::CpAsyncArrive}) {
        CAPTURE(nameOf(op));
        const MbarNext later = mbarNext(next.state, {op});
        CHECK(later.refused);
        CHECK((later.errs & kMbErrRetired) != 0);
        CHECK(later.state == next.state);
    }
    CHECK(mbarTestParity(next.state, 0));  // waits stay permitted
    CHECK_FALSE(mbarNext(next.state, {MbarOp::Init, 3}).refused);
    // The running phase stays open if the last drop is not its last arrival.
    const MbarState running = after(after(init(1), MbarOp::CpAsyncIncrement), MbarOp::Drop);
    CHECK_FALSE(running.retired());
    CHECK(mbarNext(running, {MbarOp::CpAsyncArrive}).flip);
    CHECK(mbarNext(running, {MbarOp::CpAsyncArrive}).state.retired());
}

TEST_CASE("noComplete that completes is applied and reported",
          "[MBARR-017][MBDROP-017][D-29][EX-MBARR-06]")
{
    CHECK(mbarNext(init(3), {MbarOp::Arrive, 2, true}).errs == 0);
    const MbarNext next = mbarNext(init(2), {MbarOp::Arrive, 2, true});
    CHECK(next.flip);
    CHECK(next.errs == kMbErrNoComplete);
    CHECK(next.result == packMbar(init(2)));
}

TEST_CASE("pending_count gives what was pending before", "[MBPC-002][EX-MBPC-01]")
{
    const MbarNext first = mbarNext(init(5), {MbarOp::Arrive, 2, true});
    CHECK(mbarPendingCount(first.result) == 5);
    CHECK(mbarPendingCount(mbarNext(first.state, {MbarOp::Arrive, 1, true}).result) == 3);
}

TEST_CASE("cp.async: increment and arrival are two steps of one phase",
          "[CPA-003][CPA-004][CPA-005][CPA-007][D-39][EX-CPA-01]")
{
    MbarState s = after(init(1), MbarOp::CpAsyncIncrement);
    s = after(s, MbarOp::Arrive);
    CHECK_FALSE(s.phase);  // not before the copies land
    CHECK(mbarNext(s, {MbarOp::CpAsyncArrive}).flip);
    CHECK(mbarNext(init(kMbarMax), {MbarOp::CpAsyncIncrement}).errs == kMbErrCpaMax);
    const MbarState held = after(after(init(1), MbarOp::ExpectTx, 4), MbarOp::Arrive);
    CHECK(after(held, MbarOp::CpAsyncIncrement).pending == 1);  // pending 0 with tx left is legal
    CHECK(mbarNext(held, {MbarOp::CpAsyncArrive}).errs == kMbErrPending);  // noinc not budgeted
}

TEST_CASE("waits compare the phase bit", "[MBW-004][MBW-012][MBW-013][D-31][EX-MBW-03]")
{
    MbarState s = init(1);
    CHECK(mbarTestParity(s, 1));
    for (unsigned phase = 0; phase < 6; ++phase) {
        CHECK(mbarTestParity(s, ~phase & 1));
        CHECK_FALSE(mbarTestParity(s, phase & 1));
        CHECK_FALSE(mbarTestParity(s, 2 + (phase & 1)));
        const MbarNext next = mbarNext(s, {MbarOp::Arrive});
        CHECK_FALSE(mbarTest(s, next.result));
        s = next.state;
        CHECK(mbarTest(s, next.result));
    }
}

TEST_CASE("lock on error, and its release by init", "[D-36]")
{
    const MbarPolicy lock{true, false};
    const MbarNext bad = mbarNext(init(1), {MbarOp::Arrive, 2}, lock);
    CHECK(bad.refused);
    CHECK(bad.state.lock);
    CHECK(bad.state.pending == 1);
    CHECK(mbarNext(bad.state, {MbarOp::Arrive}, lock).errs == kMbErrLocked);
    CHECK(mbarNext(bad.state, {MbarOp::Arrive, 0}, lock).errs ==
          kMbErrLocked);  // the lock is all it says
    CHECK(mbarNext(bad.state, {MbarOp::Init, 1}, lock).state == init(1));
    CHECK_FALSE(mbarNext(init(1), {MbarOp::Arrive, 2}).state.lock);
}

TEST_CASE("the sm_80 profile has no transactions", "[MBAR-045][D-42]")
{
    const MbarPolicy sm80{false, true};
    for (const MbarOp op :
         {MbarOp::ExpectTx, MbarOp::CompleteTx, MbarOp::ArriveExpectTx, MbarOp::DropExpectTx})
        CHECK(mbarNext(init(1), {op, 4}, sm80).errs == kMbErrProfile);
    CHECK(mbarNext(init(1), {MbarOp::Arrive}, sm80).flip);
}

TEST_CASE("invariants over random operations on small objects",
          "[MBAR-002][MBAR-010][GEN-010][MBAR-047]")
{
    const auto seed = GENERATE(range(1u, 9u));
    CAPTURE(seed);
    std::mt19937 random(seed);
    MbarState s = init(3);
    unsigned flips = 0, refused = 0, retired = 0;
    for (unsigned i = 0; i < 20'000; ++i) {
        const auto op = static_cast<MbarOp>(1 + random() % 8);
        const bool drop = op == MbarOp::Drop || op == MbarOp::DropExpectTx;
        if (drop && random() % 8 != 0) continue;  // else every object retires at once
        auto amount = static_cast<std::uint32_t>(random() % 16 == 0 ? random() : random() % 4);
        if (op == MbarOp::CompleteTx && s.tx > 0)
            amount = std::uint32_t(s.tx);  // keep the balance near zero
        if (op == MbarOp::ExpectTx && s.tx < 0) amount = std::uint32_t(-s.tx);
        const MbarNext next = mbarNext(s, {op, amount});
        REQUIRE(next.state.pending <= kMbarMax);
        REQUIRE(std::abs(next.state.tx) <= std::int32_t(kMbarMax));
        // Either the phase is open for a reason, or the object is retired.
        REQUIRE((next.state.pending != 0 || next.state.tx != 0 || next.state.retired()));
        REQUIRE(next.flip == (next.state.phase != s.phase));
        if (next.refused) REQUIRE(next.state == s);
        if (next.flip) REQUIRE((next.state.pending == next.state.expected && next.state.tx == 0));
        flips += next.flip;
        refused += next.refused;
        s = next.state;
        if (s.retired()) {
            ++retired;
            s = init(static_cast<std::uint32_t>(1 + random() % 5));
        }
    }
    CHECK(flips > 500);
    CHECK(refused > 500);
    CHECK(retired > 20);
}
