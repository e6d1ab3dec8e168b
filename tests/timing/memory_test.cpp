// Tag array, L2 and HBM as shares, sectors of a warp's access.
#include "catch.hpp"
#include "exec/timing/coalesce.hpp"
#include "exec/timing/tag_array.hpp"
#include "timing/driver.hpp"

using namespace gsu;
using namespace gsu::timing;
using namespace gsu::timing::test;

namespace {

constexpr std::uint64_t kNear = 0, kFar = 128;  // by the parity of the line number

TimingParams hopper() { return timingParamsOf(Target::Hopper); }

/// Bytes a clock that one of `sms` SMs gets when it always asks for more.
double rateOf(const TimingParams& p, unsigned sms, bool copy, bool hit)
{
    ChipMemory m(p, sms);
    const std::uint64_t piece = 8192, pieces = 200;
    Ticks last = 0, middle = 0;
    for (unsigned round = 0; round < (hit ? 2 : 1); ++round) {
        for (std::uint64_t i = 0; i < pieces; ++i) {
            for (unsigned sm = 0; sm < sms; ++sm) {
                // Hits: 0.26 MB each, which are 35 MB of 132, over and over; misses: never the same line.
                const std::uint64_t at = hit ? i % 32 : i;
                const Run run{(std::uint64_t{sm} * pieces + at) * piece, piece};
                last = m.read(sm, 0, {&run, 1}, copy).last;
            }
            if (i + 1 == pieces / 2) middle = last;
        }
    }
    return static_cast<double>(piece * pieces / 2) * kTicks / static_cast<double>(last - middle);
}

}  // namespace

TEST_CASE("a tag array holds its lines, and the least recently used goes")
{
    TagArray t(16 * kLine);  // one set
    for (std::uint64_t line = 0; line < 16; ++line) CHECK_FALSE(t.touch(line * kLine));
    CHECK(t.touch(0));
    CHECK(t.touch(127));
    CHECK_FALSE(t.touch(16 * kLine));  // line 1 goes
    CHECK(t.touch(0));
    CHECK_FALSE(t.touch(1 * kLine));
    CHECK(t.hits() == 3);
    CHECK(t.misses() == 18);
    t.drop(0);
    CHECK_FALSE(t.touch(0));
}

TEST_CASE("strides of a power of two do not meet in one set")
{
    TagArray t(1 << 20);
    for (unsigned round = 0; round < 2; ++round) {
        for (std::uint64_t i = 0; i < 256; ++i) t.touch(i << 16);
    }
    CHECK(t.hits() == 256);
}

TEST_CASE(
    "a lone load takes the latency of its half: from L2 when the line is there, else from HBM")
{
    ChipMemory m(hopper(), 1);
    const Run near{kNear, 32}, far{kFar, 32};
    const auto clocks = [&](const Run& run, Cycle at) {
        return clocksOf(m.read(0, ticksOf(at), {&run, 1}, false).last) - at;
    };
    CHECK(clocks(near, 0) == 558);  // 556, and 35 bytes at 34.5 a clock
    CHECK(clocks(far, 10'000) == 746);
    CHECK(clocks(near, 20'000) == 263);
    CHECK(clocks(far, 30'000) == 295);
}

TEST_CASE("k of n SMs get k / n of L2 and HBM, and one alone no more than its port")
{
    TimingParams p = hopper();
    p.merge_window = 0;
    CHECK(rateOf(p, 1, true, true) == Approx(4750.0 / 132).epsilon(0.001));
    CHECK(rateOf(p, 4, true, true) == Approx(4750.0 / 132).epsilon(0.001));
    CHECK(rateOf(p, 1, false, true) == Approx(4750.0 / 132 / 1.1).epsilon(0.001));
    CHECK(rateOf(p, 1, true, false) == Approx(3000.0 / 1.755 / 132).epsilon(0.001));
    p.sms = 1;
    CHECK(rateOf(p, 1, true, true) == Approx(104).epsilon(0.001));
}

TEST_CASE("an SM may draw more than its share for a while, not on average")
{
    TimingParams p = hopper();
    ChipMemory m(p, 1);
    const Run small{0, 1024}, large{1 << 20, 64 * 1024};
    const double share = 3000.0 / 1.755 / 132;
    const auto clocks = [&](const Run& run, Cycle at) {
        return static_cast<double>(m.read(0, ticksOf(at), {&run, 1}, true).last) / kTicks -
               static_cast<double>(at);
    };
    CHECK(clocks(small, 0) == Approx(744 + 1024 / (2 * share)).margin(0.1));
    CHECK(clocks(large, 10'000) == Approx(64 * 1024 / share).margin(1));
}

TEST_CASE("the wait for a busy server grows as load / (1 - load), and fades")
{
    QueueWait q(95);
    const auto waits = [&](Cycle from, Cycle every, Cycle service) {  // after many spans of it
        Ticks wait = 0;
        for (Cycle at = from; at < from + 200'000; at += every)
            wait = q.take(ticksOf(at), ticksOf(service));
        return static_cast<double>(wait) / kTicks;
    };
    CHECK(q.take(0, 0) == 0);
    CHECK(waits(0, 100, 20) == Approx(95 * 0.2 / 0.8).epsilon(0.03));
    CHECK(waits(200'000, 100, 50) == Approx(95).epsilon(0.03));
    const Ticks at = ticksOf(405'000), wait = q.take(at, 0);
    q.take(at - ticksOf(5000), 0);  // announced late: nothing fades twice
    CHECK((wait > 0 && q.take(at, 0) == wait));
    CHECK(waits(420'000, 100, 80) == Approx(95 * 4).epsilon(0.04));
    CHECK(waits(640'000, 100, 200) == Approx(95 * 0.88 / 0.12).epsilon(0.001));  // the most
    CHECK(q.take(ticksOf(900'000), 0) == 0);
}

TEST_CASE("lines of a box that lie apart take longer from HBM, not from L2")
{
    const TimingParams p = hopper();
    const auto last = [&](std::span<const Run> runs, bool copy, bool again) {
        ChipMemory m(p, p.sms);
        const Ticks first = m.read(0, 0, runs, copy).last;
        const Ticks at = ticksOf(100'000);
        return again ? m.read(0, at, runs, copy).last - at : first;
    };
    const std::vector<Run> rows{{0, 128}, {1 << 20, 128}}, together{{0, 256}},
        wide{{0, 256}, {1 << 20, 256}}, one{{0, 512}};
    CHECK(last(rows, true, false) == last(together, true, false) + ticksOf(p.hbm_rows));
    CHECK(last(rows, true, true) == last(together, true, true));
    CHECK(last(wide, true, false) == last(one, true, false));
    CHECK(last(rows, false, false) == last(together, false, false));
}

TEST_CASE("a loaded HBM answers later, an idle one as before")
{
    TimingParams p = hopper();
    const auto latency = [&] {
        ChipMemory m(p, p.sms);
        Ticks took = 0;
        for (std::uint64_t i = 0; i < 10'000; ++i) {  // 8 KiB each 10 clocks: 48 % of HBM
            const Run run{i << 20, 8192};
            took = m.read(static_cast<unsigned>(i % p.sms), ticksOf(10 * i), {&run, 1}, true).last -
                   ticksOf(10 * i);
        }
        return took;
    };
    const Ticks loaded = latency();
    p.hbm_load = 0;
    CHECK(static_cast<double>(loaded - latency()) / kTicks == Approx(87).margin(10));
}

TEST_CASE("what is written back keeps HBM busy for those who read")
{
    TimingParams p = hopper();
    p.sms = 1;
    const auto latency = [&] {
        ChipMemory m(p, 1);
        const Run large{0, 8 << 20}, line{1 << 30, 32};
        m.write(0, 0, {&large, 1}, true);
        return m.read(0, ticksOf(8000), {&line, 1}, false).last;  // HBM is free again
    };
    p.l2_dirty = 8 << 10;  // KiB: all of it stays
    const Ticks idle = latency();
    p.l2_dirty = 0;
    CHECK(latency() > idle + ticksOf(p.hbm_load) / 4);
}

TEST_CASE("what warps load does not wait for copies that were announced before")
{
    ChipMemory m(hopper(), 1);
    const Run bulk{0, 4096}, line{kNear, 32};
    m.read(0, 0, {&bulk, 1}, true);
    CHECK(m.read(0, ticksOf(10'000), {&bulk, 1}, true).last == 10'000'000 + 294'000 + 56'914);
    CHECK(clocksOf(m.read(0, ticksOf(10'000), {&line, 1}, false).last) == 10'263);
    // But on average the SM has its share: who has used it up waits.
    const Run more{0, 65536};
    m.read(0, ticksOf(20'000), {&more, 1}, true);
    m.read(0, ticksOf(30'000), {&more, 1}, true);
    CHECK(clocksOf(m.read(0, ticksOf(30'000), {&line, 1}, false).last) == 30'000 + 1823);
}

TEST_CASE("SMs side by side read equal lines once")
{
    ChipMemory m(hopper(), 2);
    const Run run{0, 4096};
    const Ticks first = m.read(0, 0, {&run, 1}, true).last;
    const double once = m.l2Busy(first);
    m.read(1, ticksOf(50), {&run, 1}, true);
    CHECK(m.merged() == 32);
    CHECK(m.l2Busy(first) == once);
    m.read(1, ticksOf(500), {&run, 1}, true);
    CHECK(m.l2Busy(first) > once);
}

TEST_CASE("a warp's access asks for each sector once")
{
    const auto runs = [](const LaneAccess& a) {
        const Sectors s(a);
        std::uint64_t bytes = 0;
        for (const Run& run : s.runs()) bytes += run.bytes;
        return std::array<std::uint64_t, 3>{s.runs().size(), bytes, s.lines()};
    };
    CHECK(runs(lanesFrom(0)) == std::array<std::uint64_t, 3>{1, 128, 1});
    CHECK(runs(lanesFrom(64)) == std::array<std::uint64_t, 3>{1, 128, 2});
    CHECK(runs(lanesFrom(0, 4, 0)) == std::array<std::uint64_t, 3>{1, 32, 1});
    CHECK(runs(lanesFrom(0, 4, 128)) == std::array<std::uint64_t, 3>{32, 1024, 32});
    CHECK(runs(lanesFrom(0, 16, 16)) == std::array<std::uint64_t, 3>{1, 512, 4});
    CHECK(runs(lanesFrom(30, 4, 96, 2)) == std::array<std::uint64_t, 3>{2, 128, 2});
}

TEST_CASE("what the survey found replaces the estimate of a copy")
{
    const auto found = std::make_shared<Sharing>();
    found->add(0, 40, 10);
    found->add(1 << 20, 10, 10);
    const auto bytes = [&](std::shared_ptr<const Sharing> sharing, std::uint64_t at) {
        ChipMemory m(hopper(), 1, std::move(sharing));
        const Run run{at, 32 * kLine};
        m.read(0, 0, {&run, 1}, true, 2);
        return m.hbmBytes();
    };
    CHECK(bytes(nullptr, 0) == 16 * kLine);
    CHECK(bytes(found, 0) == 8 * kLine);
    CHECK(bytes(found, 1 << 20) == 32 * kLine);
}

TEST_CASE("L2 keeps what is written while there is room, and writes back the rest")
{
    TimingParams p = hopper();
    p.sms = 1;
    p.l2_dirty = 64;  // KiB
    ChipMemory m(p, 1);
    const auto write = [&](std::uint64_t at) {
        const Run run{at, 64 << 10};
        m.write(0, 0, {&run, 1}, true);
        return m.hbmBytes();
    };
    CHECK(write(0) == 0);
    CHECK(write(1 << 20) == 64 << 10);
    CHECK(write(1 << 20) == 64 << 10);  // these have been counted
    const double busy = m.hbmBusy(kTicks);
    p.hbm_write_weight *= 2;
    ChipMemory slow(p, 1);
    for (const std::uint64_t at : {0, 1 << 20}) {
        const Run run{at, 64 << 10};
        slow.write(0, 0, {&run, 1}, true);
    }
    CHECK(slow.hbmBytes() == m.hbmBytes());
    CHECK(slow.hbmBusy(kTicks) == Approx(2 * busy).epsilon(0.001));
}

TEST_CASE("L1 answers what it holds; atomics and uncached loads go past it")
{
    MemoryAccess m;
    m.where = MemoryAccess::Where::Global;
    m.lanes = lanesFrom(kNear);
    const auto results = [&](bool cached, bool atomic) {
        m.cached = cached;
        m.atomic = atomic;
        Stream s;
        s.load(1, 0, m).drain().load(2, 0, m).drain();
        Driver d(hopper());
        d.add(s);
        const Trace t = d.run().front();
        return t.results[2] - t.issued[2];
    };
    CHECK(results(true, false) == 32);
    CHECK(results(false, false) == 264);  // 262, and 140 bytes at 72 a clock
    CHECK(results(true, true) == 264);
}

TEST_CASE("values that L1 returns take the port, also where all lanes want the same bytes")
{
    constexpr unsigned kLoads = 32;
    MemoryAccess m;
    m.where = MemoryAccess::Where::Global;
    m.cached = true;
    const auto clocks = [&](unsigned bytes) {
        m.lanes = lanesFrom(kNear, bytes, 0);
        Stream s;
        s.load(1, 0, m).drain();
        for (unsigned i = 0; i < kLoads; ++i) s.load(2 + i, 0, m);
        s.drain();
        Driver d(hopper());
        d.add(s);
        const Trace t = d.run().front();
        return t.results[kLoads + 1] - t.results[2];
    };
    // 128 bytes a clock reach the registers: one clock for words, two for what pairs of lanes share of 16 bytes.
    CHECK(clocks(4) == kLoads - 1);
    CHECK(clocks(16) == 2 * (kLoads - 1));
}
