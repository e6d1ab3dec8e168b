// Issue, arithmetic, special functions; launch.
#include "timing/rows.hpp"

namespace gsu::timing::test {
namespace {

using enum InstructionClass;

/// Clocks of one more instruction; `chain`: each needs the last one's result. With more warps a scheduler: of one instruction of all.
double per(const TimingParams& params, InstructionClass cls, bool chain, unsigned warps = 1)
{
    const auto end = [&](unsigned count) {
        Stream s;
        for (unsigned i = 0; i < count; ++i) {
            const Register d = chain ? 0 : i + 1;
            s.op(cls, {d}, {chain ? d : 0u});
        }
        Driver d(params);
        for (unsigned w = 0; w < warps; ++w) d.add(s, 0, 4 * w);
        Cycle last = 0;
        for (const Trace& t : d.run()) last = std::max(last, t.issued.back());
        return last;
    };
    return slope(end(64), end(192), 128.0 * warps);
}

/// Warp instructions a clock of all four schedulers.
double perSm(const TimingParams& params)
{
    Stream s;
    for (unsigned i = 0; i < 256; ++i) s.op(Fma, {i + 1}, {0});
    Driver d(params);
    for (unsigned w = 0; w < 16; ++w) d.add(s, 0, w);
    Cycle last = 0;
    for (const Trace& t : d.run()) last = std::max(last, t.issued.back());
    return 16 * 256 / static_cast<double>(last + 1);
}

double backEdge()
{
    Stream s;
    s.fixed(BackEdge).fixed(Control);
    const Trace t = traceOf(s, h100());
    return slope(t.issued[0], t.issued[1], 1);
}

}  // namespace

std::vector<Row> issueRows()
{
    const auto row = [](const char* name, double low, double high, const char* source, double exact,
                        std::function<double()> measure) {
        return Row{"issue", name, low, high, source, exact, std::move(measure)};
    };
    return {
        row("warp instructions a clock and SM", 4, 4, "H100", 4, [] { return perSm(h100()); }),
        row("f32 add, mul, fma: latency", 4, 4, "H100, B300", 4,
            [] { return per(h100(), Fma, true); }),
        row("f32 add, mul, fma: interval", 1, 1, "H100, B300", 1,
            [] { return per(h100(), Fma, false); }),
        row("packed f16: latency", 8, 8, "tests/hardware H100, H200", 8,
            [] { return per(h100(), Half, true); }),
        row("packed f16 on one pipe: latency", 4, 4, "H100, B300", 4,
            [] { return per(b200(), Half, true); }),
        row("packed f16: interval", 1, 1, "H100", 1, [] { return per(h100(), Half, false); }),
        row("integer mad, on the FMA pipe: interval", 1, 1, "H100", 1,
            [] { return per(h100(), Fma, false); }),
        row("f32 max: interval", 2, 2, "FLASH H100", 2, [] { return per(h100(), MinMax, false); }),
        row("integer add, logic, shift, prmt: interval", 2, 2, "B300", 2,
            [] { return per(b200(), Integer, false, 2); }),
        row("64-bit add: two instructions", 4, 4, "B300", 4,
            [] { return per(b200(), Wide, false); }),
        row("cvt.f16x2.f32: latency", 4, 6, "B300", 5, [] { return per(b200(), Convert, true); }),
        row("cvt.f16x2.f32: interval", 2, 2, "B300", 2, [] { return per(b200(), Convert, false); }),
        row("ex2: interval a scheduler", 8, 8, "FLASH H100", 8,
            [] { return per(h100(), Special, false, 4); }),
        row("ex2, rsqrt.approx.ftz: chain", 17, 18.9, "tests/hardware H100, H200, FLASH H100", 17,
            [] { return per(h100(), Special, true); }),
        row("popc: chain", 17, 17, "tests/hardware H100, H200", 17,
            [] { return per(h100(), Count, true); }),
        row("shfl on Hopper: chain", 24, 26, "tests/hardware H100, H200", 24,
            [] { return per(h100(), Shuffle, true); }),
        row("rsqrt.approx without .ftz: chain", 39, 39, "tests/hardware H100", 39,
            [] { return per(h100(), Reciprocal, true); }),
        row("ex2 on Blackwell: chain", 14, 14, "B300", 14,
            [] { return per(b200(), Special, true); }),
        row("rcp, rsqrt: latency", 40, 42, "B300", 41,
            [] { return per(b200(), Reciprocal, true); }),
        row("shfl: latency", 14, 14, "B300", 14, [] { return per(b200(), Shuffle, true); }),
        row("shfl: interval", 4, 4, "B300", 4, [] { return per(b200(), Shuffle, false); }),
        row("popc, brev, bfind: interval", 8, 8, "B300", 8,
            [] { return per(b200(), Count, false); }),
        row("taken branch back", 12, 12, "FLASH H100", 12, backEdge),
        row("packed f32x2 on Blackwell: interval", 2, 2, "FLASH B200", 2,
            [] { return per(b200(), Packed, false); }),
    };
}

}  // namespace gsu::timing::test
