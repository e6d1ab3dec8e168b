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

/// The raw logs of LUO: one to four CTAs of an SM have a copy in flight each, always of new bytes. Their GB are of 2^30 bytes; times are taken here.
void h800Rows(std::vector<Row>& rows)
{
    struct Log {
        unsigned kib;
        std::uint32_t row;  ///< bytes; 0: a bulk copy
        std::vector<double> clocks, exact;
    };
    const Log logs[] = {
        {1, 0, {857, 873, 894, 919}, {857.15, 869.125, 883.933, 902.688}},
        {2, 0, {904, 952, 1020, 1106}, {919.9, 950.975, 1001.8, 1089.51}},
        {4, 0, {1005, 1163, 1415, 1746}, {1048.8, 1159.88, 1429.45, 1697.38}},
        {8, 0, {1242, 1766, 2529}, {1322.1, 1803.5, 2507.5}},
        {16, 0, {1788, 3379}, {1923.85, 3343.32}},
        {1, 64, {1074, 1104, 1152, 1187}, {1080.65, 1090.45, 1102.2, 1116.5}},
        {2, 128, {1094, 1143, 1209, 1291}, {1141.5, 1165.85, 1202.52, 1260.29}},
        {4, 128, {1210, 1355, 1555, 1856}, {1265.25, 1343.7, 1533.08, 1852.93}},
        {8, 256, {1347, 1845, 2563}, {1374.35, 1825.6, 2507.5}},
        {16, 256, {1878, 3376}, {1960, 3343.32}},
    };
    for (const Log& log : logs) {
        for (unsigned i = 0; i < log.clocks.size(); ++i) {
            const std::uint32_t bytes = log.kib * 1024, row = log.row;
            const std::string what =
                row == 0 ? "bulk copies" : "boxes of rows of " + std::to_string(row) + " B";
            rows.push_back({"copies",
                            std::to_string(i + 1) + " in flight on each SM, from HBM: " + what +
                                ", " + std::to_string(log.kib) + " KiB",
                            log.clocks[i], log.clocks[i], "LUO raw H800", log.exact[i],
                            [=] { return inTurn(h800(), bytes, row, 128 * 1024, i + 1); }});
        }
    }
}

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
    add("bulk copy of 64 B and wait, HBM, mean of the halves", 713, 761, raw, 732,
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
    h800Rows(rows);
    add("16 KiB as 1024 rows of 16 B, alone", 3115, 3115, raw, 3105.7,
        [] { return inTurn(h800(), 16384, 16, 16); });
    blackwellRows(rows);
    add("L2, TMA, all SMs: bytes a clock", 4118, 4750, "FLASH H200, tests/hardware H200", 4749.9,
        [] { return chip(h200(), rate(h200(), true, 0)); });
    add("HBM, TMA, all SMs: bytes a clock", 2299, 2299, "FLASH H200", 2298.78,
        [] { return chip(h200(), rate(h200(), false, 0)); });
    add("HBM, TMA, all SMs of an H800: GB/s", 1961, 1961, raw, 1960.88,
        [] { return chip(h800(), rate(h800(), false, 0)) * h800().clock_mhz / 1000; });
    add("HBM, TMA, 128 KiB in flight on each SM of a B200: TB/s", 7.1, 7.1, "SEMI B200", 7.1,
        [] { return chip(b200(), rate(b200(), false, 0)) * b200().clock_mhz / 1e6; });
    add("HBM, TMA, 64 KiB in flight on each SM of a B200: TB/s", 7.1, 7.1, "SEMI B200", 7.1,
        [] { return chip(b200(), rate(b200(), false, 0, 4096)) * b200().clock_mhz / 1e6; });
    add(
        "HBM, TMA, 32 KiB in flight on each SM of a B200: TB/s", 5.8, 5.8, "SEMI B200", 7.1,
        [] { return chip(b200(), rate(b200(), false, 0, 2048)) * b200().clock_mhz / 1e6; },
        "Blackwell has one latency of HBM, of a chip with little to do");
    add("issue of a cp.async", 4.06, 4.06, "FLASH H200", 4, cpAsyncIssue);
    return rows;
}

}  // namespace gsu::timing::test
