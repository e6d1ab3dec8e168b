#include "base/input_error.hpp"
#include "base/interrupt.hpp"
#include "base/read_file.hpp"
#include "cli/commands.hpp"
#include "cli/header.hpp"
#include "cli/memory_dump.hpp"
#include "cli/run_report.hpp"
#include "cli/smem_dump.hpp"
#include "cli/unit_stack.hpp"
#include "cli/watch.hpp"
#include "exec/machine/executor.hpp"

namespace gsu::cli {

namespace {

int exitCode(const RunResult& result)
{
    if (result.verdict == Verdict::Divergence) return kOwnError;
    return result.asExpected ? kAsExpected : kNotAsExpected;
}

}  // namespace

int run(const CommonOptions& options)
{
    catchInterrupts();
    options.check();
    const Preset preset = options.preset().value_or(Preset::Hopper);
    Config config = configOf(preset);
    RunOptions limits;
    limits.params = execParamsOf(preset);
    options.applySettings(config, limits.params);
    limits.seed = options.seed;
    limits.stop = &interruptFlag();
    if (options.maxCycles) {
        limits.maxCycles = *options.maxCycles;
        limits.quietWork = limits.ctaWork = ~0ull;
    }

    const LaunchSpec spec = loadLaunch(options.input);
    options.protect(spec.ptx);
    for (const std::filesystem::path& file : spec.linked) options.protect(file);
    for (const std::filesystem::path& file : spec.files) options.protect(file);
    const std::uint64_t ctas = std::uint64_t{spec.grid[0]} * spec.grid[1] * spec.grid[2];
    if (options.dumpedCta() >= ctas)
        throw InputError("--dump-cta", 0, 0, "the grid has " + std::to_string(ctas) + " CTAs");
    const ptx::Module module = loadModule(spec);
    const std::string entry = entryOf(spec, module).name;
    Executor executor(spec, module, limits);
    if (!options.dumpSmem.empty() && executor.sharedWindow() == 0)
        throw InputError("--dump-smem", 0, 0, "the kernel has no shared memory");
    const MemoryDump memory(options, spec, executor);
    UnitStack stack(options, executor.sms(), config, executor.sharedMemory(),
                    [&executor](const MbarNote& note) { executor.note(note); });
    Watch watch(options, headerOf(options, preset, config, limits.params, stack.port().sms(),
                                  module, entry));
    ExecBridge bridge(watch.observers());
    executor.addObserver(bridge);
    SmemDump dump(executor.sharedMemory(), options.dumpedCta());
    if (!options.dumpSmem.empty()) executor.addObserver(dump);

    const RunResult result = executor.run(stack.port());
    Outputs outputs;
    watch.finish(stack.port().now(), options, outputs);
    outputs.add("waves", options.fst, [&] { stack.finishWaves(); });
    outputs.add("shared memory", options.dumpSmem, [&] { dump.write(options.dumpSmem); });
    memory.write(executor, outputs);
    const RunReport report{options, result, watch.statistics(), watch.mbarriers(), watch.coverage(),
                           module,  entry,  outputs.text(),     stack.port().sms()};
    print(options.json ? jsonOf(report) : textOf(report));
    outputs.check();
    return exitCode(result);
}

}  // namespace gsu::cli
