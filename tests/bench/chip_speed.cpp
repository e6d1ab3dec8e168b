// Whole chips in lockstep: a wave of a matrix product, clusters that exchange, a barrier of the whole grid; and what an SM takes of the host's memory.
#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>

#include "base/thread_pool.hpp"
#include "bench.hpp"
#include "exec/launch/chips.hpp"
#include "exec/machine/parallel_run.hpp"
#include "ptx/parser.hpp"
#include "units/chip.hpp"
#include "units/sm_range.hpp"

namespace gsu::bench {

namespace {

/// MiB that the process has held at most.
double peakMemory()
{
    rusage usage{};
    (void)::getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

struct Outcome {
    double seconds{};
    Cycle cycles{};
    unsigned sms{};
};

/// tests/bench/NAME.launch.json, on `sms` SMs if the file names no number.
struct ChipLaunch {
    const char* name{};
    unsigned sms{};
    [[nodiscard]] LaunchSpec spec() const
    {
        LaunchSpec spec = loadLaunch(fmt::format(GSU_BENCH_DATA "/{}.launch.json", name));
        if (sms != 0) spec.sms = sms;
        return spec;
    }
};

Preset presetOf(const LaunchSpec& spec)
{
    return spec.chip.empty() ? Preset::Hopper : chipOf(spec.chip)->preset;
}

Outcome runOnChip(const ChipLaunch& launch)
{
    const LaunchSpec spec = launch.spec();
    const ptx::Module module = ptx::parseFile(spec.ptx.string());
    RunOptions options;
    options.tensor = TensorMode::Skip;
    Outcome outcome;
    outcome.seconds = best(1, [&] {
        Executor executor(spec, module, options);
        Chip chip({.sms = executor.sms(), .onNote = {}, .structure = {}, .model = {}},
                  configOf(presetOf(spec)), executor.sharedMemory(), Chip::Grids::Whole);
        const RunResult result = executor.run(chip);
        if (result.verdict != Verdict::Pass)
            fmt::print("  ({} did not end as expected)\n", launch.name);
        outcome.cycles = result.cycles;
        outcome.sms = executor.sms();
    });
    return outcome;
}

/// The same in parts, as --threads does it, with the units as gsu run has them.
struct PartsOutcome {
    double seconds{};
    double serial{};                          ///< of them, outside of parts
    std::vector<std::vector<double>> rounds;  ///< seconds of each part of each round
};

PartsOutcome runInParts(const ChipLaunch& launch, unsigned threads)
{
    using Clock = std::chrono::steady_clock;
    const auto since = [](Clock::time_point from) {
        return std::chrono::duration<double>(Clock::now() - from).count();
    };
    const LaunchSpec spec = launch.spec();
    const ptx::Module module = ptx::parseFile(spec.ptx.string());
    RunOptions options;
    options.tensor = TensorMode::Skip;
    Executor executor(spec, module, options);
    ParallelRun parallel(executor);
    std::vector<std::unique_ptr<SmRange>> units;
    std::vector<SyncPort*> ports;
    for (const SmSpan& sms : parallel.parts()) {
        units.push_back(std::make_unique<SmRange>(
            UnitOptions{.sms = sms.count, .onNote = {}, .structure = {}, .model = {}}, sms.first,
            configOf(presetOf(spec)), executor.sharedMemory()));
        ports.push_back(units.back().get());
    }
    PartsOutcome outcome;
    ThreadPool team(threads);
    double inParts = 0;
    const auto share = [&](unsigned parts, const std::function<void(unsigned)>& work) {
        const auto from = Clock::now();
        std::vector<double> seconds(parts);
        team.run(parts, [&](unsigned part) {
            const auto begun = Clock::now();
            work(part);
            seconds[part] = since(begun);
        });
        inParts += since(from);
        outcome.rounds.push_back(std::move(seconds));
    };
    const auto from = Clock::now();
    const auto result = parallel.run(ports, share, [](Cycle) {});
    outcome.seconds = since(from);
    outcome.serial = outcome.seconds - inParts;
    if (!result || result->verdict != Verdict::Pass)
        fmt::print("  ({} did not end as expected in parts)\n", launch.name);
    return outcome;
}

/// Seconds on so many threads, each of which takes the next part when it is free, by the times on one.
double scaled(const PartsOutcome& one, unsigned threads)
{
    double sum = one.serial;
    for (const std::vector<double>& round : one.rounds) {
        std::vector<double> busy(threads);
        for (const double seconds : round) *std::min_element(busy.begin(), busy.end()) += seconds;
        sum += *std::max_element(busy.begin(), busy.end());
    }
    return sum;
}

void measureThreads(std::vector<Figure>& figures, const ChipLaunch& launch, double atOnce)
{
    const PartsOutcome one = runInParts(launch, 1), two = runInParts(launch, 2),
                       four = runInParts(launch, 4);
    figures.push_back({"the same in parts, one thread", atOnce / one.seconds, "x", ""});
    figures.push_back({"two threads", atOnce / two.seconds, "x", ">= 1.75"});
    figures.push_back({"four threads, on these processors", atOnce / four.seconds, "x", ""});
    for (const unsigned threads : {2u, 4u, 8u, 16u})
        figures.push_back({fmt::format("{} threads, by the times of the parts on one", threads),
                           one.seconds / scaled(one, threads), "x", ""});
}

}  // namespace

void measureChips(std::vector<Figure>& figures)
{
    const double before = peakMemory();
    const Outcome wave = runOnChip({"gemm_h100"});
    const double perSm = (peakMemory() - before) / wave.sms;
    figures.push_back({"132 SMs: one wave of the fp16 GEMM, k = 4096, --tensor skip, lockstep",
                       wave.seconds, "s", "<= 60"});
    figures.push_back({"the same", double(wave.cycles) / wave.seconds, "cycles/s", ""});
    measureThreads(figures, {"gemm_h100"}, wave.seconds);
    figures.push_back({"the same, memory of the host for an SM", perSm, "MiB", "<= 6"});
    const ChipLaunch few{"gemm_cp_async", 16};
    const Outcome sixteen = runOnChip(few);
    figures.push_back({"16 SMs: fp16 GEMM by mma.sync without clusters, --tensor skip, lockstep",
                       sixteen.seconds, "s", ""});
    measureThreads(figures, few, sixteen.seconds);
    for (const auto& [name, text] : {std::pair{"exchange_h100", "132 SMs: 132 clusters exchange"},
                                     {"meet_b200", "148 SMs: barrier of a grid of 592 CTAs"}}) {
        const Outcome run = runOnChip({name});
        figures.push_back({fmt::format("{}, lockstep", text), run.seconds, "s", ""});
    }
}

}  // namespace gsu::bench
