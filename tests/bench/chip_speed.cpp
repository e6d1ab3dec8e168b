// Whole chips in lockstep: a wave of a matrix product, clusters that exchange, a barrier of the whole grid; and what an SM takes of the host's memory.
#include <fmt/core.h>
#include <sys/resource.h>

#include "bench.hpp"
#include "exec/launch/chips.hpp"
#include "exec/machine/executor.hpp"
#include "ptx/parser.hpp"
#include "units/chip.hpp"

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

Outcome runOnChip(const char* name)
{
    const LaunchSpec spec = loadLaunch(fmt::format(GSU_BENCH_DATA "/{}.launch.json", name));
    const ptx::Module module = ptx::parseFile(spec.ptx.string());
    RunOptions options;
    options.tensor = TensorMode::Skip;
    Outcome outcome;
    outcome.seconds = best(1, [&] {
        Executor executor(spec, module, options);
        Chip chip({.sms = executor.sms(), .onNote = {}, .structure = {}, .model = {}},
                  configOf(chipOf(spec.chip)->preset), executor.sharedMemory(), Chip::Grids::Whole);
        const RunResult result = executor.run(chip);
        if (result.verdict != Verdict::Pass) fmt::print("  ({} did not end as expected)\n", name);
        outcome.cycles = result.cycles;
        outcome.sms = executor.sms();
    });
    return outcome;
}

}  // namespace

void measureChips(std::vector<Figure>& figures)
{
    const double before = peakMemory();
    const Outcome wave = runOnChip("gemm_h100");
    const double perSm = (peakMemory() - before) / wave.sms;
    figures.push_back({"132 SMs: one wave of the fp16 GEMM, k = 4096, --tensor skip, lockstep",
                       wave.seconds, "s", "<= 60"});
    figures.push_back({"the same", double(wave.cycles) / wave.seconds, "cycles/s", ""});
    figures.push_back({"the same, memory of the host for an SM", perSm, "MiB", "<= 6"});
    for (const auto& [name, text] : {std::pair{"exchange_h100", "132 SMs: 132 clusters exchange"},
                                     {"meet_b200", "148 SMs: barrier of a grid of 592 CTAs"}}) {
        const Outcome run = runOnChip(name);
        figures.push_back({fmt::format("{}, lockstep", text), run.seconds, "s", ""});
    }
}

}  // namespace gsu::bench
