// The lanes of one request: which of them act together, and where each is sent.
#include <bit>

#include "catch.hpp"
#include "golden/mbarrier_unit.hpp"

using namespace gsu;

namespace {

constexpr Lanes kEvery = ~Lanes{0};

SyncRequest lanesOf(Op op, std::uint32_t address = 0)
{
    SyncRequest r;
    r.op = op;
    r.lanes = kEvery;
    r.addr.fill(address);
    r.data.fill(1);
    return r;
}

}  // namespace

TEST_CASE("lanes of an operation on one object act together", "[D-23]")
{
    SyncRequest r = lanesOf(Op::MbarArrive);
    CHECK(mbarGroup(r, kEvery) == kEvery);
    CHECK(mbarGroup(r, 0xf0) == 0xf0);
    r.addr[1] = r.addr[5] = 8;  // lanes of another object are passed over
    CHECK(mbarGroup(r, 0xff) == 0xdd);
    CHECK(mbarGroup(r, 0x22) == 0x22);
}

TEST_CASE("lanes of an atomic go together while they follow each other to one CTA",
          "[ATOM-029][RED-018]")
{
    const Op op = GENERATE(Op::Atom, Op::Red);
    SyncRequest r = lanesOf(op, clusterAddress(1, 64));
    for (unsigned lane = 0; lane < 32; ++lane) r.addr[lane] += 4 * lane;  // each its own word
    CHECK(mbarGroup(r, kEvery) == kEvery);
    CHECK(mbarGroup(r, 1) == 1);
    CHECK(mbarGroup(r, 0xf0) == 0xf0);
    CHECK(mbarGroup(r, 0xf7) == 0x07);  // lane 3 takes no part
    r.addr[6] = clusterAddress(2, 64);
    CHECK(mbarGroup(r, kEvery) == 0x3f);
    CHECK(mbarGroup(r, kEvery << 6) == 0x40);
    CHECK(mbarGroup(r, kEvery << 7) == kEvery << 7);
    r.addr[31] = clusterAddress(2, 64);
    CHECK(mbarGroup(r, kEvery << 7) == (kEvery >> 1 & kEvery << 7));
}

TEST_CASE("only a wait answers with a predicate", "[MBW-004]")
{
    const MbarState fresh{.phase = false, .pending = 1, .expected = 1};
    const std::uint64_t word = packMbar(fresh);
    CHECK(mbarApply(word, {Op::MbarTryWaitParity, 1, false}, {}).pred);
    CHECK_FALSE(mbarApply(word, {Op::MbarTryWaitParity, 0, false}, {}).pred);
    for (const Op op : {Op::MbarInit, Op::MbarArrive, Op::MbarArriveDrop, Op::MbarExpectTx,
                        Op::MbarCompleteTx, Op::MbarInval, Op::EvAsyncArrive}) {
        CAPTURE(nameOf(op));
        const MbarDone done = mbarApply(word, {op, 1, false}, {});
        CHECK_FALSE(done.pred);
    }
}
