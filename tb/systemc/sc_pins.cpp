// sc_pins: gsu_cluster as one SystemC model, driven pin by pin, against RtlPort's separate objects: same events in the same cycles.
// The stimulus is random with stalls, or a trace of at most two SMs.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>

#include "base/input_error.hpp"
#include "golden/word_memory.hpp"
#include "port_testbench.hpp"
#include "random_driver.hpp"
#include "systemc/pin_port.hpp"
#include "trace/replayer.hpp"
#include "verilated/rtl_port.hpp"

namespace {

class ClusterTestbench final : public gsu::PinTestbench {
public:
    ClusterTestbench(const sc_core::sc_module_name& name, const gsu::TestbenchOptions& options,
                     const gsu::Config& config, gsu::Stimulus stimulus)
        : PinTestbench(name, options),
          port_("pins", config, options.period, clk_, rst_n_),
          logged_(port_),
          stimulus_(std::move(stimulus))
    {
        SC_HAS_PROCESS(ClusterTestbench);
        SC_THREAD(stimulate);
    }
    [[nodiscard]] const std::vector<std::string>& log() const noexcept
    {
        return logged_.log().lines();
    }
    [[nodiscard]] gsu::Cycle cycles() const { return port_.now(); }

private:
    void stimulate()
    {
        reset();
        port_.start();
        stimulus_(logged_);
        finish();
    }

    gsu::PinPort port_;
    gsu::LoggingPort logged_;
    gsu::Stimulus stimulus_;
};

struct Options {
    gsu::DriverOptions driver;
    std::string trace;
    gsu::Cycle limit{10'000'000};
};

int compare(const Options& options, const gsu::Config& config, const gsu::Stimulus& stimulus)
{
    std::vector<std::string> expected;
    {
        gsu::WordMemory memory(gsu::PinPort::kSms);
        gsu::RtlPort direct(gsu::PinPort::kSms, config);
        direct.setMemory(memory);
        expected = gsu::logOf(direct, stimulus);
    }
    ClusterTestbench testbench("testbench", {.seed = options.driver.seed, .limit = options.limit},
                               config, stimulus);
    const auto begin = std::chrono::steady_clock::now();
    const int verdict = testbench.run();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const std::string why = gsu::firstDifference(expected, testbench.log());
    fmt::print("sc_pins: {} events in {} cycles, {:.0f} cycles/s at the pins\n",
               testbench.log().size(), testbench.cycles(), double(testbench.cycles()) / seconds);
    if (!why.empty())
        fmt::print(stderr, "sc_pins: FAILED, seed {}: {}\n", options.driver.seed, why);
    return why.empty() ? verdict : 1;
}

int compareRandom(const Options& options)
{
    gsu::DriverCounts counts;
    const int verdict =
        compare(options, gsu::configOf(gsu::Preset::Hopper), [&](gsu::SyncPort& port) {
            counts = gsu::RandomDriver(port, options.driver).run();
        });
    const bool exercised = !counts.hung && counts.releases > 0 && counts.clusterReleases > 0 &&
                           counts.refused > 0 && counts.frees > 0 &&
                           (counts.stalls > 0 || options.driver.stallPercent == 0);
    fmt::print(
        "sc_pins: {} requests, {} releases, {} cluster releases, {} refused, {} CTAs, {} stalls\n",
        counts.requests, counts.releases, counts.clusterReleases, counts.refused, counts.frees,
        counts.stalls);
    if (!exercised)
        fmt::print(stderr, "sc_pins: FAILED, seed {}: the run proves too little\n",
                   options.driver.seed);
    return exercised ? verdict : 1;
}

/// Arrivals on an mbarrier with or without ordinary stores over its word, after which the barrier cache has to read it again.
void arrive(gsu::SyncPort& port, bool stores)
{
    constexpr std::uint32_t kBase = 256, kObject = 64;
    const auto steps = [&port](int cycles) {
        for (int n = 0; n < cycles; ++n) port.step();
    };
    const auto use = [&](gsu::Op op, std::uint64_t data) {
        gsu::SyncRequest r;
        r.op = op;
        r.at.sm = 1;
        r.lanes = 1;
        r.addr.fill(kObject);
        r.data.fill(data);
        port.present(r);
        steps(200);
    };
    (void)port.launch({.sm = 1, .threads = 32, .base = kBase, .size = 1024});
    steps(20);
    use(gsu::Op::MbarInit, 5);
    for (int n = 0; n < 4; ++n) {
        use(gsu::Op::MbarArrive, 1);
        if (stores) port.stored(1, kBase + kObject - 8, 24);
        steps(n);
    }
    use(gsu::Op::MbarArrive, 1);
}

int compareStores(const Options& options)
{
    const gsu::Config config = gsu::configOf(gsu::Preset::Hopper);
    const auto direct = [&config](bool stores) {
        gsu::WordMemory memory(gsu::PinPort::kSms);
        gsu::RtlPort port(gsu::PinPort::kSms, config);
        port.setMemory(memory);
        return gsu::logOf(port, [stores](gsu::SyncPort& p) { arrive(p, stores); });
    };
    if (direct(true) == direct(false)) {
        fmt::print(stderr, "sc_pins: FAILED, stores change nothing: the run proves nothing\n");
        return 1;
    }
    return compare(options, config, [](gsu::SyncPort& port) { arrive(port, true); });
}

int compareTrace(const Options& options)
{
    const auto program = gsu::trace::Program::load(options.trace);
    if (program.header.sms > gsu::PinPort::kSms)
        throw gsu::InputError{options.trace, 1, 1,
                              fmt::format("a trace of {} SMs; the model has {}", program.header.sms,
                                          gsu::PinPort::kSms)};
    return compare(options, program.header.config, [&](gsu::SyncPort& port) {
        (void)gsu::trace::Replayer(program, port, false).run(options.limit);
    });
}

}  // namespace

int sc_main(int argc, char** argv)
{
    CLI::App app{"gsu_cluster at its pins against the separate objects"};
    Options options;
    app.add_option("trace", options.trace, "Trace to replay instead of random stimulus");
    bool stores = false;
    app.add_flag("--stores", stores, "Ordinary stores over an mbarrier instead of random stimulus");
    app.add_option("--seed", options.driver.seed, "Seed of all choices");
    app.add_option("--rounds", options.driver.rounds, "CTAs per SM")
        ->check(CLI::Range(1u, 100000u));
    app.add_option("--stall", options.driver.stallPercent,
                   "Percent of requests held back for a random time")
        ->check(CLI::Range(0u, 100u));
    app.add_option("--max-cycles", options.limit, "Cycles until the testbench counts as stuck");
    CLI11_PARSE(app, argc, argv);
    try {
        if (stores) return compareStores(options);
        return options.trace.empty() ? compareRandom(options) : compareTrace(options);
    } catch (const gsu::InputError& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 2;
    }
}
