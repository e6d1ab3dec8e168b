// Products: intervals, latencies, groups, mma.sync.
#include "timing/rows.hpp"

namespace gsu::timing::test {
namespace {

using Kind = Product;

Kind wgmma(std::uint32_t n, std::uint32_t bits = 16, std::uint32_t k = 16)
{
    Kind p;
    p.n = n;
    p.bits = bits;
    p.k = k;
    return p;
}

Kind registers(Kind p)
{
    p.sharedA = false;
    return p;
}

Kind sparse(Kind p)
{
    p.sparse = true;
    return p;
}

Kind tcgen(std::uint32_t m, std::uint32_t n)
{
    Kind p{m, n, 16};
    p.tcgen = true;
    p.pair = m == 256;
    return p;
}

/// Clocks of one more product in a long row of them.
double interval(const Kind& p, const TimingParams& params)
{
    const auto end = [&](unsigned count) {
        Stream s;
        for (unsigned i = 0; i < count; ++i) s.product(p);
        return traceOf(s.waitProducts(), params).end;
    };
    return slope(end(20), end(52), 32);
}

/// From its issue to the return of the wait.
double alone(const Kind& p, const TimingParams& params)
{
    return static_cast<double>(traceOf(Stream().product(p).waitProducts(), params).end);
}

/// Several at once, with each group waited for; clocks of a round.
struct Round {
    double all, wait, issue;
};
Round round(const Kind& p, unsigned group)
{
    Stream s;
    s.loop(12, [&](Stream& body, unsigned) {
        body.fixed(InstructionClass::Control);  // wgmma.fence
        for (unsigned i = 0; i < group; ++i) body.product(p);
        body.fixed(InstructionClass::Control).waitProducts();  // commit_group, wait_group
    });
    const Trace t = traceOf(s, h200());
    const std::size_t steps = group + 4, first = 8 * steps;
    const double begin = static_cast<double>(t.issued[first + 1]);
    return {slope(t.issued[first], t.issued[first + 2 * steps], 2),
            slope(t.issued[first + group + 2], t.results[first + group + 2], 1),
            (static_cast<double>(t.issued[first + group + 1]) - begin) / group};
}

/// How many of them are in flight when one more is always there: Little's law, rounded up.
double inFlight(const Kind& p) { return std::ceil(alone(p, b200()) / interval(p, b200())); }

double mmaSync(const TimingParams& params, bool chain)
{
    const auto end = [&](unsigned count) {
        Stream s;
        for (unsigned i = 0; i < count; ++i) {
            const Register d = chain ? 0 : i + 1;
            s.mma(d, {d});
        }
        return traceOf(s, params).issued.back();
    };
    return slope(end(40), end(104), 64);
}

void wgmmaRows(std::vector<Row>& rows)
{
    const auto add = [&](std::string name, double published, const char* source, double exact,
                         std::function<double()> measure, const char* off = nullptr) {
        rows.push_back({"tensor", std::move(name), published, published, source, exact,
                        std::move(measure), off});
    };
    for (const std::uint32_t n : {64u, 128u, 256u}) {
        add("wgmma m64n" + std::to_string(n) + "k16 f16, interval", n / 2, "LUO24, LUO25 (H800)",
            n / 2, [n] { return interval(wgmma(n), h800()); });
        add("the same, its latency in a chain", n / 2, "LUO24 (H800)", n / 2,
            [n] { return interval(wgmma(n), h800()); });
    }
    add("wgmma m64n8k16, A in shared memory, interval", 18.4, "LUO24 (H800)", 18,
        [] { return interval(wgmma(8), h800()); });
    add("wgmma m64n8k16, A in registers, interval", 13.4, "LUO24 (H800)", 13,
        [] { return interval(registers(wgmma(8)), h800()); });
    add("wgmma m64n256k8 tf32, interval", 128, "LUO24 (H800)", 128,
        [] { return interval(wgmma(256, 32, 8), h800()); });
    add("wgmma m64n256k32 fp8, interval", 128, "LUO24 (H800)", 128,
        [] { return interval(wgmma(256, 8, 32), h800()); });
    add("wgmma m64n256k32 int8, interval", 128, "LUO24 (H800)", 128,
        [] { return interval(wgmma(256, 8, 32), h800()); });
    add("sparse wgmma m64n256k32, A in shared memory, interval", 144, "LUO24 (H800)", 144,
        [] { return interval(sparse(wgmma(256)), h800()); });
    add("sparse wgmma m64n256k32, A in registers, interval", 128, "LUO24 (H800)", 128,
        [] { return interval(registers(sparse(wgmma(256))), h800()); });
    for (const std::uint32_t n : {64u, 128u})
        add("wgmma n" + std::to_string(n) + ", A in shared memory, issue to wait", 43 + n / 2,
            "FLASH H200", 43 + n / 2, [n] { return alone(wgmma(n), h200()); });
    for (const std::uint32_t n : {8u, 16u, 32u, 64u})
        add("wgmma n" + std::to_string(n) + ", A in registers, issue to wait", 33 + n / 2,
            "FLASH H200", 33 + n / 2, [n] { return alone(registers(wgmma(n)), h200()); });
    add("issue of one wgmma a group", 4.3, "FLASH H200", 4,
        [] { return round(wgmma(128), 1).issue; });
    add("issue of a wgmma, eight a group", 12.0, "FLASH H200", 12,
        [] { return round(wgmma(128), 8).issue; });
    add("eight m64n128k16 and wait, for each", 72.2, "FLASH H200", 71,
        [] { return round(wgmma(128), 8).all / 8; });
    add("the wait of such a round", 465, "FLASH H200", 458,
        [] { return round(wgmma(128), 8).wait; });
}

void tcgenRows(std::vector<Row>& rows)
{
    const auto add = [&](std::string name, double low, double high, double exact,
                         std::function<double()> measure, const char* off = nullptr) {
        rows.push_back(
            {"tensor", std::move(name), low, high, "SEMI B200", exact, std::move(measure), off});
    };
    struct Latency {
        const char* name;
        Kind kind;
        double tail;
    };
    for (const std::uint32_t n : {64u, 128u, 256u}) {
        const Latency list[] = {
            {"tcgen05.mma M=64, latency", tcgen(64, n), 120},
            {"tcgen05.mma M=128, latency", tcgen(128, n), 136},
            {"tcgen05.mma M=128, A in tensor memory, latency", registers(tcgen(128, n)), 104},
            {"tcgen05.mma M=256, two CTAs, latency", tcgen(256, n), 170}};
        for (const Latency& l : list)
            add(std::string(l.name) + ", N=" + std::to_string(n), l.tail + n / 2, l.tail + n / 2,
                l.tail + n / 2, [kind = l.kind] { return alone(kind, b200()); });
    }
    const auto one = [&](const char* name, double figure, double exact, const Kind& kind) {
        add(name, figure, figure, exact, [kind] { return interval(kind, b200()); });
    };
    one("tcgen05.mma M=128, N=64, interval", 48.6, 48, tcgen(128, 64));
    one("tcgen05.mma M=128, N=128, interval", 64.6, 64, tcgen(128, 128));
    one("tcgen05.mma M=128, N=256, interval", 128.6, 128, tcgen(128, 256));
    one("tcgen05.mma M=128, N=64, A in tensor memory, interval", 32.5, 32,
        registers(tcgen(128, 64)));
    one("tcgen05.mma M=256, two CTAs, N=64, interval", 43.7, 40, tcgen(256, 64));
    one("tcgen05.mma M=256, two CTAs, N=128, interval", 64.8, 64, tcgen(256, 128));
    one("tcgen05.mma M=256, two CTAs, N=256, interval", 128.7, 128, tcgen(256, 256));
    add("in flight that saturate, one CTA, N=64", 3, 5, 4, [] { return inFlight(tcgen(128, 64)); });
    add("in flight that saturate, one CTA, N=128", 3, 5, 4,
        [] { return inFlight(tcgen(128, 128)); });
    add("in flight that saturate, one CTA, N=256", 3, 5, 3,
        [] { return inFlight(tcgen(128, 256)); });
    add("in flight that saturate, two CTAs, N=64", 4, 7, 6,
        [] { return inFlight(tcgen(256, 64)); });
    add("in flight that saturate, two CTAs, N=128", 4, 7, 4,
        [] { return inFlight(tcgen(256, 128)); });
    add(
        "in flight that saturate, two CTAs, N=256", 4, 7, 3,
        [] { return inFlight(tcgen(256, 256)); },
        "two of 128 clocks and a third cover the latency of 298; what the fourth is for is not "
        "known");
    add("tcgen05.alloc of 128 columns, one SM", 253, 253, 253,
        [] { return static_cast<double>(b200().tcgen_alloc); });
    rows.back().source = "B300";
    add("tcgen05.ld 32x32b.x16, one after the other: bytes a clock of a warp", 53, 53, 53, [] {
        const auto model = serverTiming(b200(), 1);
        const WarpHandle warp = model->enter({}, 0);
        const auto end = [&](unsigned count) {
            Cycle last = 0;
            for (unsigned i = 0; i < count; ++i) last = model->tensorMove(warp, 2048, 0);
            return last;
        };
        const Cycle first = end(100);
        return 100 * 2048 / slope(first, end(100), 1);
    });
    rows.back().source = "B300";
}

}  // namespace

std::vector<Row> tensorRows()
{
    std::vector<Row> rows;
    wgmmaRows(rows);
    tcgenRows(rows);
    rows.push_back({"tensor", "mma.sync m16n8k16, latency", 22, 24.1, "LUO24 (H800), FLASH H100",
                    24, [] { return mmaSync(h800(), true); }});
    rows.push_back({"tensor", "mma.sync m16n8k16, interval a scheduler", 6, 6, "LUO24, FLASH H100",
                    6, [] { return mmaSync(h800(), false); }});
    rows.push_back({"tensor", "mma.sync m16n8k16 on Blackwell, latency", 26, 26, "B300", 26,
                    [] { return mmaSync(b200(), true); }});
    rows.push_back({"tensor", "mma.sync m16n8k16 on Blackwell, interval", 8, 8, "B300", 8,
                    [] { return mmaSync(b200(), false); }});
    return rows;
}

}  // namespace gsu::timing::test
