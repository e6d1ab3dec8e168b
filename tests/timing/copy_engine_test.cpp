// TMA: rows, bytes, descriptor, multicast, stores.
#include "catch.hpp"
#include "timing/driver.hpp"

using namespace gsu;
using namespace gsu::timing;
using namespace gsu::timing::test;

namespace {

/// A chip of one SM, so that its port of 64 bytes a clock is all there is; L2 holds the lines at once.
struct Bench {
    TimingParams p = [] {
        TimingParams q = timingParamsOf(Target::Hopper);
        q.sms = 1;
        q.tma_engine = q.sm_port = q.tma_store = 64;
        q.tma_row = 1500;
        q.tma_first_touch = 320;
        return q;
    }();
    ChipMemory memory{p, 1};
    CopyEngine engine{p};
    SharedPort port{p.smem_port};

    void warm(const Run& run) { memory.read(0, 0, {&run, 1}, true); }
    CopyTimes load(const CopyRequest& r, Cycle at)
    {
        SharedPort* const to = &port;
        return engine.load(0, r, ticksOf(at), memory, {&to, 1});
    }
};

}  // namespace

TEST_CASE("a bulk copy is a load's latency, its bytes, and the way to the mbarrier")
{
    Bench b;
    const Run run{0, 4096};
    b.warm(run);
    const CopyTimes t = b.load({{&run, 1}, 4096}, 10'000);
    CHECK(t.last == ticksOf(10'000 + 294 + 64 + 5));
    CHECK(t.first == ticksOf(10'000 + 262 + 5));
    CHECK(t.piece(2048, 4096) == (t.first + t.last) / 2);
}

TEST_CASE("a map is fetched once for each CTA; rows take time, short ones more")
{
    Bench b;
    const Run run{0, 4096};
    b.warm(run);
    const CopyRequest box{{&run, 1}, 4096, 64, 0x1000, 7};
    const Cycle base = 294 + 5 + 21;
    CHECK(b.load(box, 10'000).last == ticksOf(10'000 + base + 320 + 96));
    CHECK(b.load(box, 20'000).last == ticksOf(20'000 + base + 96));
    CopyRequest other = box;
    other.cta = 8;
    CHECK(b.load(other, 30'000).last == ticksOf(30'000 + base + 320 + 96));
    b.engine.forget(7);
    CHECK(b.load(box, 40'000).last == ticksOf(40'000 + base + 320 + 96));
    CopyRequest wide = box, narrow = box;
    wide.rows = 16;
    narrow.rows = 256;
    CHECK(b.load(wide, 50'000).last == ticksOf(50'000 + base + 64));
    CHECK(b.load(narrow, 60'000).last == ticksOf(60'000 + base) + 503'040);
}

TEST_CASE("where a map is kept, the CTAs of an SM fetch it once")
{
    Bench b;
    b.p.tma_map_kept = 1;
    b.engine = CopyEngine(b.p);
    const Run run{0, 4096};
    b.warm(run);
    CopyRequest box{{&run, 1}, 4096, 64, 0x1000, 7};
    const Cycle base = 294 + 5 + 21;
    CHECK(b.load(box, 10'000).last == ticksOf(10'000 + base + 320 + 96));
    b.engine.forget(7);
    box.cta = 8;
    CHECK(b.load(box, 20'000).last == ticksOf(20'000 + base + 96));
    box.map = 0x2000;
    CHECK(b.load(box, 30'000).last == ticksOf(30'000 + base + 320 + 96));
}

TEST_CASE("copies share the engine of their SM")
{
    Bench b;
    const Run run{0, 8192};
    b.warm(run);
    const CopyRequest r{{&run, 1}, 8192};
    for (Cycle i = 0; i < 16; ++i)
        CHECK(b.load(r, 10'000).last == ticksOf(10'000 + 294 + 5 + 128 * (i + 1)));
    CHECK(b.engine.busy() == ticksOf(16 * 128));
}

TEST_CASE("a multicast reads once, fills every port, and costs 99 more")
{
    TimingParams p = timingParamsOf(Target::Hopper);
    p.sms = 4;
    p.tma_multicast = 99;
    const Run run{0, 16384};
    const auto last = [&](const std::vector<unsigned>& to) {
        const auto model = serverTiming(p, 4);
        const std::array<unsigned, 1> own{0};
        (void)model->copyIn(0, {{&run, 1}, 16384}, own, 0);
        return model->copyIn(0, {{&run, 1}, 16384}, to, 20'000).last - 20'000;
    };
    CHECK(last({0, 1}) - last({0}) == 99);
    CHECK(last({0, 1, 2, 3}) - last({0}) == 99);
}

TEST_CASE("a store is over when it has been read, or an L2's way later")
{
    Bench b;
    const Run run{0, 8192};
    const CopyRequest r{{&run, 1}, 8192};
    const CopyTimes t = b.engine.store(0, r, 0, b.memory, b.port);
    CHECK(t.read == ticksOf(128 + 24));  // 64 bytes a clock, and shared memory's latency
    CHECK(t.last == t.read);
    CHECK(b.port.busy() == ticksOf(64));
    b.p.tma_store_wait = 1;
    b.engine = CopyEngine(b.p);
    CHECK(b.engine.store(0, r, ticksOf(10'000), b.memory, b.port).last ==
          ticksOf(10'000 + 128 + 294));
}

TEST_CASE("stores have a way and a rate of their own")
{
    Bench b;
    b.p.tma_store = 32;
    b.engine = CopyEngine(b.p);
    const Run run{0, 8192};
    b.warm(run);
    const CopyRequest r{{&run, 1}, 8192};
    CHECK(b.engine.store(0, r, ticksOf(10'000), b.memory, b.port).read ==
          ticksOf(10'000 + 256 + 24));
    CHECK(b.load(r, 10'000).last == ticksOf(10'000 + 294 + 5 + 128));
    CHECK(b.engine.busy() == ticksOf(256));
}

TEST_CASE("cp.async arrives as a load does, and takes the port when it does")
{
    Stream s;
    const LaneAccess from = lanesFrom(0, 16, 16);
    s.copyAsync(from, lanesFrom(0, 16, 16)).waitCopies();
    s.copyAsync(from, lanesFrom(512, 16, 16)).waitCopies();
    TimingParams p = timingParamsOf(Target::Hopper);
    p.sms = 1;
    Driver d(p);
    d.add(s);
    const Trace t = d.run().front();
    // 512 bytes, as ordinary loads 1.1 times as long at 104 a clock, then four wavefronts.
    CHECK(t.results[0] - t.issued[0] == 744 + 5 + 4);
    CHECK(t.results[2] - t.issued[2] == 294 + 6 + 4);
}
