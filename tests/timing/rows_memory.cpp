// Shared memory, caches, HBM, DSMEM.
#include "timing/rows.hpp"

namespace gsu::timing::test {
namespace {

MemoryAccess at(MemoryAccess::Where where, const LaneAccess& lanes)
{
    MemoryAccess m;
    m.where = where;
    m.lanes = lanes;
    return m;
}

constexpr auto kGlobal = MemoryAccess::Where::Global;
constexpr auto kShared = MemoryAccess::Where::Shared;
constexpr auto kRemote = MemoryAccess::Where::Remote;

/// A chain of loads of one lane, each of which needs the last one's result; after the first `warm` of them.
double chain(const TimingParams& params, MemoryAccess m, unsigned warm = 1)
{
    Stream s;
    for (unsigned i = 0; i < warm + 1; ++i) s.load(1, 1, m);
    const Trace t = traceOf(s, params);
    return slope(t.issued.back(), t.results.back(), 1);
}

double global(const TimingParams& params, std::uint64_t address, bool cached, bool hit)
{
    MemoryAccess m = at(kGlobal, lanesFrom(address, 4, 4, 1));
    m.cached = cached;
    return chain(params, m, hit ? 1 : 0);
}

/// Bytes a clock of an SM: `warps` warps that load lines, each again and again.
double loads(const TimingParams& params, MemoryAccess::Where where, bool cached, bool hit)
{
    const unsigned warps = 32;
    const auto end = [&](unsigned rounds) {
        Driver d(params);
        for (unsigned w = 0; w < warps; ++w) {
            Stream s;
            for (unsigned i = 0; i < rounds; ++i) {
                const std::uint64_t address = (std::uint64_t{w} << 30) + (hit ? 0 : 4096ull * i);
                MemoryAccess m = at(where, lanesFrom(where == kShared ? 0 : address + 128ull * w));
                m.cached = cached;
                s.load(1 + i % 16, 0, m);
            }
            d.add(s, 0, w);
        }
        (void)d.run();
        return d.end();
    };
    return 128.0 * warps * 200 / slope(end(100), end(300), 1);
}

/// Bandwidth of one SM and direction; `both`: the other CTA does the same.
double remote(char what, bool both)
{
    const auto model = serverTiming(h200(), 2);
    const unsigned count = 2000;
    const WarpHandle w[2] = {model->enter({0, 0, 0, 1, 1}, 0), model->enter({1, 0, 0, 2, 2}, 0)};
    const LaneAccess lanes = lanesFrom(0);
    Cycle early = 0, late = 0;
    for (unsigned i = 0; i < count; ++i) {
        for (unsigned sm = 0; sm < (both ? 2u : 1u); ++sm) {
            MemoryAccess m = at(kRemote, lanes);
            m.owner = 1 - sm;
            const Cycle now = 4ull * i;  // faster than the link
            const Cycle done = what == 'c'   ? model->copyAcross(sm, 1 - sm, 128, now).last
                               : what == 'l' ? model->load(w[sm], {}, m, now)
                                             : model->store(w[sm], m, now);
            if (i == count / 4) early = std::max(early, done);
            if (i == 3 * count / 4) late = std::max(late, done);
        }
    }
    return 128.0 * count / 2 / slope(early, late, 1);
}

double remoteLatency()
{
    MemoryAccess m = at(kRemote, lanesFrom(0, 4, 4, 1));
    m.owner = 1;
    Stream s;
    s.load(1, 1, m).load(1, 1, m);
    Driver d(h200(), 2);
    d.add(s);
    const Trace t = d.run().front();
    return slope(t.issued[0], t.issued[1], 1);
}

double matrixInterval(bool store)
{
    MemoryAccess m = at(kShared, lanesFrom(0, 16, 16));
    m.matrix = true;
    const auto end = [&](unsigned count) {
        Stream s;
        for (unsigned i = 0; i < count; ++i) store ? s.store(1, 0, m) : s.load(1 + i, 0, m);
        return traceOf(s, h100()).issued.back();
    };
    return slope(end(20), end(52), 32);
}

double matrixLatency()
{
    MemoryAccess m = at(kShared, lanesFrom(0, 16, 16));
    m.matrix = true;
    return chain(b200(), m);
}

double chip(const TimingParams& params, double perSm) { return perSm * params.sms; }

void loadRows(std::vector<Row>& rows)
{
    const auto add = [&](const char* name, double low, double high, const char* source,
                         double exact, std::function<double()> measure) {
        rows.push_back({"memory", name, low, high, source, exact, std::move(measure), nullptr});
    };
    add("ld.shared", 24, 29, "tests/hardware H100, H200, LUO25 (H800)", 24,
        [] { return chain(h100(), at(kShared, lanesFrom(0, 4, 4, 1))); });
    add("ld.shared, 32 words of a bank, with its addition", 90, 90, "tests/hardware H100, H200", 90,
        [] { return chain(h100(), at(kShared, lanesFrom(0, 4, 128))) + 4; });
    add("ld.shared on Blackwell", 24, 24, "B300", 24,
        [] { return chain(b200(), at(kShared, lanesFrom(0, 4, 4, 1))); });
    add("L1", 32, 32, "LUO25 (H800)", 32, [] { return global(h800(), 0, true, true); });
    add("L2 near", 258, 264.5, "LUO25, LUO raw (H800)", 263,
        [] { return global(h800(), 0, false, true); });
    add("L2 far", 285, 300, "tests/hardware H100, H200", 295,
        [] { return global(h100(), 128, false, true); });
    add("L2 far of an H800", 414, 498, "LUO25, LUO raw (H800)", 453,
        [] { return global(h800(), 128, false, true); });
    add("HBM near", 556, 556, "LUO25 (H800)", 558, [] { return global(h800(), 0, false, false); });
    add("HBM far", 744, 744, "LUO25 (H800)", 746, [] { return global(h100(), 128, false, false); });
    add("HBM, mean of the halves", 604, 657, "LUO25, LUO raw (H800)", 625,
        [] { return (global(h800(), 0, false, false) + global(h800(), 128, false, false)) / 2; });
    add("from one die of a B200 to the other, more than L2 near", 300, 300, "SEMI B200", 300,
        [] { return global(b200(), 4096, false, true) - global(b200(), 0, false, true); });
    add("shared memory: bytes a clock and SM", 127.4, 128, "LUO25 (H800)", 128,
        [] { return loads(h800(), kShared, true, true); });
    add("L1: bytes a clock and SM", 124, 126, "LUO24, LUO25 (H800)", 128.16,
        [] { return loads(h800(), kGlobal, true, true); });
    add("L2, ordinary loads, all SMs: bytes a clock", 3743, 4472, "FLASH H200, LUO25 (H800)",
        4340.31, [] { return chip(h200(), loads(h200(), kGlobal, false, true)); });
    add("the same on an H800", 3942, 4472, "LUO24, LUO25 (H800)", 4339.63,
        [] { return chip(h800(), loads(h800(), kGlobal, false, true)); });
    add("the same on Blackwell", 9062, 9427, "B300", 9496.48,
        [] { return chip(b200(), loads(b200(), kGlobal, false, true)); });
    add("HBM, ordinary loads, all SMs: bytes a clock", 2235, 2235, "FLASH H200", 2298.43,
        [] { return chip(h200(), loads(h200(), kGlobal, false, false)); });
}

}  // namespace

std::vector<Row> memoryRows()
{
    std::vector<Row> rows;
    loadRows(rows);
    const auto add = [&](const char* name, double low, double high, const char* source,
                         double exact, std::function<double()> measure) {
        rows.push_back({"memory", name, low, high, source, exact, std::move(measure), nullptr});
    };
    add("ldmatrix.x4: latency", 29, 29, "B300", 29, matrixLatency);
    add("ldmatrix.x4: interval a scheduler", 4, 4, "FLASH H100", 4,
        [] { return matrixInterval(false); });
    add("stmatrix: interval a scheduler", 4, 4, "FLASH H100", 4,
        [] { return matrixInterval(true); });
    add("DSMEM load, mean", 178, 208, "FLASH H200", 192, remoteLatency);
    add("DSMEM load, in a chain, with its addition", 173, 187, "tests/hardware H100, H200", 192,
        remoteLatency);
    add("DSMEM load, cluster of 2", 181, 181, "LUO raw H800", 192, remoteLatency);
    add("DSMEM load, cluster of 3 and more", 201, 207, "LUO raw H800", 192, remoteLatency);
    const char* const job = "FLASH H200";
    add("DSMEM loads: bytes a clock", 19.9, 19.9, job, 19.86, [] { return remote('l', false); });
    add("DSMEM stores: bytes a clock", 18.9, 18.9, job, 18.75, [] { return remote('s', false); });
    add("DSMEM bulk copies: bytes a clock", 21.1, 21.1, job, 21.1,
        [] { return remote('c', false); });
    add("DSMEM loads both ways", 15.4, 15.4, job, 15.28, [] { return remote('l', true); });
    add("DSMEM stores both ways", 18.1, 18.1, job, 18.26, [] { return remote('s', true); });
    add("DSMEM bulk copies both ways", 20.3, 20.3, job, 20.5, [] { return remote('c', true); });
    return rows;
}

}  // namespace gsu::timing::test
