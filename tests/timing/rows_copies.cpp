// TMA and cp.async.
#include "timing/rows.hpp"

namespace gsu::timing::test {
namespace {

/// From the issue to the end of the wait, at a line of this half that L2 holds or not.
double oneCopy(const TimingParams& params, std::uint64_t address, bool hit,
               std::uint32_t bytes = 64)
{
    const Run run{address, bytes};
    const CopyRequest r{{&run, 1}, bytes};
    Stream s;
    if (hit) s.copyIn(r).waitCopies();
    s.copyIn(r).waitCopies();
    const Trace t = traceOf(s, params);
    return slope(t.issued[t.issued.size() - 2], t.results.back(), 1);
}

double mean(double a, double b) { return (a + b) / 2; }

struct Size {
    double kib, figure, exact;
};
std::uint32_t bytesOf(const Size& x) { return static_cast<std::uint32_t>(x.kib * 1024); }

/// So many warps of each SM have one copy in flight each, always of new bytes, in rows of `row` bytes, `pitch` apart; row 0: a bulk copy. Clocks of a copy.
double inTurn(const TimingParams& params, std::uint32_t bytes, std::uint32_t row,
              std::uint64_t pitch, unsigned warps = 1)
{
    constexpr std::uint64_t kCopies = 40;
    std::deque<std::vector<Run>> boxes;
    Driver d(params);
    for (unsigned w = 0; w < warps; ++w) {
        Stream s;
        for (std::uint64_t i = 0; i < kCopies; ++i) {
            const std::uint64_t from = (w * kCopies + i) << 28;
            std::vector<Run>& runs = boxes.emplace_back();
            if (row == 0) runs.push_back({from, bytes});
            for (std::uint32_t at = 0; row != 0 && at < bytes; at += row)
                runs.push_back({from + at / row * pitch, row});
            s.copyIn({runs, bytes, row == 0 ? 0 : bytes / row, 1, 1}).waitCopies();
        }
        d.add(s, 0, w);
    }
    double sum = 0;
    for (const Trace& t : d.run()) sum += slope(t.results[39], t.results[79], 20);
    return sum / warps;
}

/// The first copy of a CTA.
double cold(std::uint32_t bytes)
{
    const Run run{0, bytes};
    return static_cast<double>(
        traceOf(Stream().copyIn({{&run, 1}, bytes, bytes / 128, 1, 1}).waitCopies(), h200()).end);
}

double multicast(bool several)
{
    const Run run{0, 16384};
    const CopyRequest r{{&run, 1}, 16384, 128, 1, 1};
    Stream s;
    s.copyIn(r).waitCopies();
    s.copyIn(r, several ? std::vector{0u, 1u} : std::vector{0u}).waitCopies();
    Driver d(h200(), 2);
    d.add(s);
    const Trace t = d.run().front();
    return slope(t.issued[2], t.results[3], 1);
}

double issueCost(bool several)
{
    const Run run{0, 1024};
    Stream s;
    for (unsigned i = 0; i < 2; ++i)
        s.copyIn({{&run, 1}, 1024}, several ? std::vector{0u, 1u} : std::vector{0u});
    Driver d(h200(), 2);
    d.add(s);
    const Trace t = d.run().front();
    return slope(t.issued[0], t.issued[1], 1);
}

/// Bytes a clock of one SM with sixteen warps that always have a copy in flight. `hit`: of a set that L2 holds.
double rate(const TimingParams& params, bool hit, std::uint32_t rowBytes,
            std::uint32_t bytes = 8192)
{
    std::vector<std::vector<Run>> runs(16);
    const unsigned rounds = 40;
    Driver d(params);
    for (unsigned w = 0; w < 16; ++w) {
        Stream s;
        for (unsigned i = 0; i < rounds; ++i)
            runs[w].push_back(
                {(std::uint64_t{w} << 32) + (hit ? 0 : std::uint64_t{i} << 20), bytes});
        for (const Run& run : runs[w])
            s.copyIn({{&run, 1}, bytes, rowBytes == 0 ? 0 : bytes / rowBytes, 1, 1}).waitCopies();
        d.add(s, 0, w);
    }
    Cycle early = 0, late = 0;
    for (const Trace& t : d.run()) {
        early = std::max(early, t.results[2 * (rounds / 4) - 1]);
        late = std::max(late, t.results[2 * (3 * rounds / 4) - 1]);
    }
    return 16.0 * rounds / 2 * bytes / slope(early, late, 1);
}

/// An SM alone on its chip.
TimingParams lone(TimingParams p)
{
    p.sms = 1;
    return p;
}

/// Clocks of a block of 64 of a tile of 128x128: two boxes and four products, four blocks deep.
double mainLoop()
{
    const TimingParams p = lone(b200());
    const Product product{128, 128, 16, 16, false, true, true, false};
    std::vector<Run> runs(2 * 40);
    Stream copies, products;
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i] = {(i % 8) << 20, 16384};
    for (const Run& run : runs) copies.copyIn({{&run, 1}, 16384, 128, 1, 1});
    copies.waitCopies();
    for (unsigned i = 0; i < 4 * 40; ++i) products.product(product);
    products.waitProducts();
    Driver d(p);
    d.add(copies, 0, 0);
    d.add(products, 0, 1);
    const std::vector<Trace> t = d.run();
    return std::max(slope(t[0].results[39], t[0].results[79], 20),
                    slope(t[1].results[79], t[1].results[159], 20));
}

double cpAsyncIssue()
{
    Stream s;
    for (unsigned i = 0; i < 16; ++i)
        s.copyAsync(lanesFrom(512ull * i, 16, 16), lanesFrom(512ull * i, 16, 16));
    s.fixed(InstructionClass::Control);
    const Trace t = traceOf(s, h200());
    return slope(t.issued[0], t.issued[15], 15);
}

/// Bytes a clock of all SMs.
double chip(const TimingParams& params, double perSm) { return perSm * params.sms; }

void blackwellRows(std::vector<Row>& rows)
{
    const auto add = [&](std::string name, double figure, double exact,
                         std::function<double()> measure) {
        rows.push_back({"copies", std::move(name), figure, figure, "SEMI B200", exact,
                        std::move(measure), nullptr});
    };
    // Of SEMI's main loops, whose clock is that of their products (timing_notes.md).
    add("rows of 32 B, one SM active: clocks a row", 0.99, 1,
        [] { return 32 / rate(lone(b200()), true, 32); });
    add("rows of 64 B, one SM active: clocks a row", 1, 1,
        [] { return 64 / rate(lone(b200()), true, 64); });
    add("rows of 128 B, one SM active: clocks a row", 1.034, 1.03228,
        [] { return 128 / rate(lone(b200()), true, 128); });
    add("main loop of 128x128x64, one SM active: clocks a block", 264.5, 264.25, mainLoop);
    const Size wide[] = {{0.5, 900, 916}, {1, 927, 926},    {2, 968, 947},   {4, 1038, 989},
                         {8, 1258, 1223}, {16, 1405, 1391}, {32, 1757, 1727}};
    for (const Size& x : wide) {
        const std::uint32_t bytes = bytesOf(x);
        add("one box in flight on each SM of a B200, " + std::to_string(bytes) + " B", x.figure,
            x.exact, [bytes] { return inTurn(b200(), bytes, 512, 512); });
    }
}

}  // namespace

std::vector<Row> copyRows()
{
    std::vector<Row> rows;
    const auto add = [&](const char* name, double low, double high, const char* source,
                         double exact, std::function<double()> measure, const char* off = nullptr) {
        rows.push_back({"copies", name, low, high, source, exact, std::move(measure), off});
    };
    const char* const raw = "LUO raw H800";
    add("bulk copy of 64 B and wait, L2 near", 364, 369, raw, 368,
        [] { return oneCopy(h800(), 0, true); });
    add("bulk copy of 64 B and wait, L2 far", 603, 603, raw, 558,
        [] { return oneCopy(h800(), 128, true); });
    add("bulk copy of 64 B and wait, HBM, mean of the halves", 713, 761, raw, 759,
        [] { return mean(oneCopy(h800(), 0, false), oneCopy(h800(), 128, false)); });
    const char* const ours = "tests/hardware H100, H200";
    add("bulk copy of 64 B less its wake-up of 20, L2 near", 260, 277, ours, 268,
        [] { return oneCopy(h100(), 0, true); });
    add("bulk copy of 64 B less its wake-up of 20, L2 far", 292, 312, ours, 300,
        [] { return oneCopy(h100(), 128, true); });
    add("first box of a CTA, 256 B", 1351, 1351, "FLASH H200", 1353, [] { return cold(256); });
    add("first box of a CTA, 1 KiB", 1346, 1346, "FLASH H200", 1375, [] { return cold(1024); });
    add("multicast more than unicast", 4, 135, "tests/hardware H100, H200, FLASH H200", 4,
        [] { return multicast(true) - multicast(false); });
    add("issue of a copy", 33, 33, "FLASH H100, H200", 33, [] { return issueCost(false); });
    add("issue of a multicast", 35, 35, "FLASH H200", 35, [] { return issueCost(true); });
    const Size bulk[] = {
        {1, 920, 905}, {2, 971, 961}, {4, 1080, 1073}, {8, 1334, 1297}, {16, 1919, 1897}};
    const Size box[] = {
        {1, 1153, 1085}, {2, 1174, 1141}, {4, 1299, 1253}, {8, 1446, 1477}, {16, 2017, 2077}};
    for (const Size& x : bulk) {
        add("", x.figure, x.figure, raw, x.exact, [x] { return inTurn(h800(), bytesOf(x), 0, 0); });
        rows.back().name =
            "one bulk copy in flight on each SM, " + std::to_string(bytesOf(x) / 1024) + " KiB";
    }
    for (const Size& x : box) {
        add("", x.figure, x.figure, raw, x.exact, [x] { return inTurn(h800(), bytesOf(x), 64, 131072); });
        rows.back().name =
            "one box in flight on each SM, " + std::to_string(bytesOf(x) / 1024) + " KiB";
    }
    add("16 KiB as 1024 rows of 16 B, alone", 3340, 3340, raw, 3333,
        [] { return inTurn(h800(), 16384, 16, 131072); });
    blackwellRows(rows);
    add("L2, TMA, all SMs: bytes a clock", 4118, 4750, "FLASH H200, tests/hardware H200", 4749.9,
        [] { return chip(h200(), rate(h200(), true, 0)); });
    add("HBM, TMA, all SMs: bytes a clock", 2299, 2299, "FLASH H200", 2298.78,
        [] { return chip(h200(), rate(h200(), false, 0)); });
    add("HBM, TMA, all SMs of an H800: GB/s", 1830, 1830, raw, 1829.84,
        [] { return chip(h800(), rate(h800(), false, 0)) * h800().clock_mhz / 1000; });
    add("HBM, TMA, 128 KiB in flight on each SM of a B200: TB/s", 7.1, 7.1, "SEMI B200", 7.1,
        [] { return chip(b200(), rate(b200(), false, 0)) * b200().clock_mhz / 1e6; });
    add("HBM, TMA, 64 KiB in flight on each SM of a B200: TB/s", 7.1, 7.1, "SEMI B200", 7.1,
        [] { return chip(b200(), rate(b200(), false, 0, 4096)) * b200().clock_mhz / 1e6; });
    add(
        "HBM, TMA, 32 KiB in flight on each SM of a B200: TB/s", 5.8, 5.8, "SEMI B200", 7.1,
        [] { return chip(b200(), rate(b200(), false, 0, 2048)) * b200().clock_mhz / 1e6; },
        "latency does not grow with the load here");
    add("issue of a cp.async", 4.06, 4.06, "FLASH H200", 4, cpAsyncIssue);
    return rows;
}

}  // namespace gsu::timing::test
#include "catch.hpp"
namespace gsu::timing::test {
TEST_CASE("GRID", "[.][grid]")
{
    struct M { double kib; unsigned row, k; double v; };
    const M ms[] = {{1,0,1,857},{1,0,2,873},{1,0,3,894},{1,0,4,919},{2,0,1,904},{2,0,2,952},{2,0,3,1020},{2,0,4,1106},{4,0,1,1005},{4,0,2,1163},{4,0,3,1415},{4,0,4,1746},{8,0,1,1242},{8,0,2,1766},{8,0,3,2529},{16,0,1,1788},{16,0,2,3379},
     {1,64,1,1074},{1,64,2,1104},{1,64,3,1152},{1,64,4,1187},{2,128,1,1094},{2,128,2,1143},{2,128,3,1209},{2,128,4,1291},{4,128,1,1210},{4,128,2,1355},{4,128,3,1555},{4,128,4,1856},{8,256,1,1347},{8,256,2,1845},{8,256,3,2563},{16,256,1,1878},{16,256,2,3376}};
    struct G { unsigned l, r, far, burst; };
    std::vector<G> grid;
    for (unsigned far : {690u, 710u}) for (unsigned burst : {2000u, 2800u}) for (unsigned l : {50u, 65u, 80u, 95u}) for (unsigned r : {145u, 165u, 185u}) grid.push_back({l, r, far, burst});
    for (auto [l, r, far, burst] : grid) {
        double sq = 0, worst = 0; std::string line;
        for (const M& m : ms) {
            TimingParams p = h800(); p.hbm_load = l; p.hbm_rows = r; p.hbm_far = far; p.share_burst = burst;
            const double v = inTurn(p, bytesOf({m.kib,0,0}), m.row, 131072, m.k), e = v / m.v - 1;
            sq += e * e; worst = std::max(worst, std::abs(e)); char b[64]; std::snprintf(b, 64, " %.0f(%+.1f)", v, 100*e); line += b;
        }
        std::printf("far %u burst %u load %u rows %u rms %.2f worst %.1f:%s\n", far, burst, l, r, 100*std::sqrt(sq/std::size(ms)), 100*worst, line.c_str());
    }
    for (unsigned l : {0u, 64u, 80u, 100u, 120u, 150u}) { TimingParams p = b200(); p.hbm_load = l; std::printf("b200 %u: 32K %.2f 64K %.2f 128K %.2f TB/s; wide", l, chip(p, rate(p,false,0,2048))*p.clock_mhz/1e6, chip(p, rate(p,false,0,4096))*p.clock_mhz/1e6, chip(p, rate(p,false,0))*p.clock_mhz/1e6);
      for (double k : {0.5,1.,2.,4.,8.,16.,32.}) std::printf(" %.0f", inTurn(p, bytesOf({k,0,0}), 512, 512)); std::printf("\n"); }
}
}
