// Intervals, latencies and queue of wgmma and tcgen05.
#include "catch.hpp"
#include "timing/driver.hpp"

using namespace gsu;
using namespace gsu::timing;
using namespace gsu::timing::test;

namespace {

Product wgmma(std::uint32_t n, bool shared = true)
{
    Product p;
    p.n = n;
    p.sharedA = shared;
    return p;
}

/// Clocks from one product to the next when there is always one more.
Ticks intervalOf(const Product& product, Target target)
{
    TensorPipe pipe(timingParamsOf(target));
    SharedPort port(128);
    Ticks last = 0, before = 0;
    for (unsigned i = 0; i < 20; ++i) {
        before = last;
        last = pipe.take(product, pipe.accepts(product), port).start;
    }
    return last - before;
}

}  // namespace

TEST_CASE("the interval is the longer of multiply-adds and operand bytes")
{
    CHECK(intervalOf(wgmma(256), Target::Hopper) == 128'000);
    CHECK(intervalOf(wgmma(64), Target::Hopper) == 32'000);
    CHECK(intervalOf(wgmma(8), Target::Hopper) == 18'000);         // the port: 2304 bytes
    CHECK(intervalOf(wgmma(8, false), Target::Hopper) == 13'000);  // the floor
    Product sparse = wgmma(256);
    sparse.sparse = true;
    CHECK(intervalOf(sparse, Target::Hopper) == 144'000);
    sparse.sharedA = false;
    CHECK(intervalOf(sparse, Target::Hopper) == 128'000);
    for (const auto& [bits, k] : {std::pair{32u, 8u}, {16u, 16u}, {8u, 32u}}) {
        Product p = wgmma(256);
        p.bits = bits;
        p.k = k;
        CHECK(intervalOf(p, Target::Hopper) == 128'000);
    }
    Product t{128, 64, 16};
    t.tcgen = true;
    CHECK(intervalOf(t, Target::Blackwell) == 48'000);
    t.sharedA = false;
    CHECK(intervalOf(t, Target::Blackwell) == 32'000);
    t = {64, 128, 16};
    t.tcgen = true;
    CHECK(intervalOf(t, Target::Blackwell) == 64'000);  // half of the pipe
    t = {256, 64, 16};
    t.tcgen = t.pair = true;
    CHECK(intervalOf(t, Target::Blackwell) == 40'000);
}

TEST_CASE("one product takes its multiply-adds and a tail, the next is right behind")
{
    TensorPipe pipe(timingParamsOf(Target::Hopper));
    SharedPort port(128);
    const ProductTimes a = pipe.take(wgmma(128), 0, port);
    CHECK(a.start == 28'000);
    CHECK(a.done == 107'000);
    const ProductTimes b = pipe.take(wgmma(128), 4'000, port);
    CHECK(b.start == 92'000);
    CHECK(b.done == 171'000);
    CHECK(pipe.busy() == 128'000);
}

TEST_CASE("the queue takes six behind the one that executes, five with A in registers")
{
    for (const bool shared : {true, false}) {
        TensorPipe pipe(timingParamsOf(Target::Hopper));
        SharedPort port(128);
        const unsigned depth = shared ? 6 : 5;
        Ticks second = 0;
        for (unsigned i = 0; i <= depth; ++i) {
            if (i < depth) CHECK(pipe.accepts(wgmma(128, shared)) == 0);
            const ProductTimes t = pipe.take(wgmma(128, shared), 0, port);
            if (i == 1) second = t.start;
        }
        CHECK(pipe.accepts(wgmma(128, shared)) == second);
        CHECK(second == (shared ? 92'000 : 82'000));
    }
}

TEST_CASE("copies that fill the port delay products, and only by what they take")
{
    TensorPipe pipe(timingParamsOf(Target::Hopper));
    SharedPort port(128);
    port.stream(28'000, 128 * 100, 1000);
    const ProductTimes t = pipe.take(wgmma(64), 0, port);
    CHECK(t.start == 28'000);
    CHECK(t.end == 160'000);  // 100 for the copy, 32 for the operands
    CHECK(t.done == 175'000);
    CHECK(pipe.take(wgmma(64), 0, port).start == 160'000);
}

TEST_CASE("the n-th wgmma of each of four warps is one product")
{
    Stream s;
    s.product(wgmma(128)).product(wgmma(128)).waitProducts();
    Driver d(timingParamsOf(Target::Hopper));
    for (unsigned warp = 0; warp < 4; ++warp) d.add(s, 0, warp);
    d.add(s, 0, 4);  // another warpgroup
    const auto traces = d.run();
    for (unsigned warp = 0; warp < 4; ++warp)
        CHECK(traces[warp].results == std::vector<Cycle>{107, 235, 235});
    CHECK(traces[4].results == std::vector<Cycle>{171, 299, 299});
}

TEST_CASE("a full queue holds the warp and says so")
{
    Stream s;
    for (unsigned i = 0; i < 8; ++i) s.product(wgmma(128));
    s.waitProducts();
    Driver d(timingParamsOf(Target::Hopper));
    d.add(s);
    const Trace t = d.run().front();
    CHECK(t.issued[6] == 24);
    CHECK(t.issued[7] == 32);  // the seventh was taken at 28
    CHECK(t.issued[8] == 96);  // and the eighth at 92
    CHECK(t.results[8] == 555);
    const auto& clocks = d.model().ledger().accounts().begin()->second.clocks;
    CHECK(clocks[static_cast<std::size_t>(Stall::TensorPipe)] == 4 + 60 + 458);
}
