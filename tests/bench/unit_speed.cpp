// The RTL at its port, without executor: the null unit (cost of the port itself) and the named barriers.
#include <fmt/core.h>

#include "bench.hpp"
#include "verilated/rtl_port.hpp"

namespace gsu::bench {

namespace {

constexpr int kCycles = 200'000;

/// Cycles per second with a null-unit request every second cycle on every SM.
double nullRate(unsigned sms)
{
    struct Deaf final : SyncSink {
        void onResponse(const SyncResponse&) override {}
        void onRelease(const Release&) override {}
        void onCommit(const Commit&) override {}
        void onDelivered(const Delivered&) override {}
        void onCtaFree(const CtaFree&) override {}
    } deaf;
    Config config = configOf(Preset::Hopper);
    config.null_lat = 1;
    RtlPort port(sms, config);
    port.setSink(deaf);
    SyncRequest request;
    request.op = Op::MbarPendingCount;  // an operation that keeps to the null unit
    request.lanes = 1;
    return kCycles / best(3, [&] {
               for (int i = 0; i < kCycles; ++i) {
                   for (unsigned sm = 0; i % 2 == 0 && sm < sms; ++sm) {
                       request.at.sm = std::uint8_t(sm);
                       if (port.canPresent(request.at.sm)) port.present(request);
                   }
                   port.step();
               }
           });
}

/// Cycles per second of `busy` SMs of `sms` in the barrier loop (a request every second cycle and SM).
double loopRate(unsigned sms, unsigned busy, std::uint64_t releases, bool skipping,
                unsigned threads = 1)
{
    double rate = 0;
    for (int repeat = 0; repeat < 3; ++repeat) {
        RtlPort port(sms, configOf(Preset::Hopper));
        port.setSkipping(skipping);
        port.setThreads(threads);
        BarrierLoop loop(port, {.sms = busy});
        loop.launch();
        const Cycle start = port.now();
        const double time = seconds([&] { loop.run(releases); });
        rate = std::max(rate, double(port.now() - start) / time);
    }
    return rate;
}

}  // namespace

void measureUnits(std::vector<Figure>& figures)
{
    figures.push_back({"null unit, 1 SM", nullRate(1), "cycles/s", ""});
    figures.push_back({"null unit, 16 SMs", nullRate(16), "cycles/s", ""});
    const double one = loopRate(1, 1, 2000, true);
    figures.push_back(
        {"1 SM, 64 warps at bar.sync, every cycle evaluated", one, "cycles/s", ">= 1 M"});
    figures.push_back(
        {"16 SMs, all busy, one thread", loopRate(16, 16, 16'000, true), "cycles/s", ""});
    figures.push_back(
        {"16 SMs, all busy", loopRate(16, 16, 16'000, true, 2), "cycles/s", ">= 100 k"});
    figures.push_back({"16 SMs, one active: time over the 1-SM run",
                       one / loopRate(16, 1, 2000, true), "x", "<= 1.3"});
}

}  // namespace gsu::bench
