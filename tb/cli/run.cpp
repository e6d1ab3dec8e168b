#include <algorithm>
#include <memory>

#include "base/atomic_file.hpp"
#include "base/input_error.hpp"
#include "cli/commands.hpp"
#include "cli/header.hpp"
#include "cli/run_report.hpp"
#include "cli/smem_dump.hpp"
#include "cli/unit_stack.hpp"
#include "cli/watch.hpp"
#include "exec/machine/executor.hpp"

namespace gsu::cli {

namespace {

/// Nothing is renamed before everything is written.
void writeMemory(const std::string& folder, const std::vector<MemoryContents>& all)
{
    std::vector<std::unique_ptr<AtomicFile>> files;
    for (const MemoryContents& one : all) {
        std::string name = one.name;
        std::replace(name.begin(), name.end(), '/', '_');
        files.push_back(std::make_unique<AtomicFile>(folder + '/' + name + ".bin"));
        files.back()->write({reinterpret_cast<const char*>(one.bytes.data()), one.bytes.size()});
    }
    for (const auto& file : files) file->commit();
}

int exitCode(const RunResult& result)
{
    if (result.verdict == Verdict::Divergence) return kOwnError;
    return result.asExpected ? kAsExpected : kNotAsExpected;
}

}  // namespace

int run(const CommonOptions& options)
{
    options.check();
    const Preset preset = options.preset().value_or(Preset::Hopper);
    Config config = configOf(preset);
    RunOptions limits;
    limits.params = execParamsOf(preset);
    options.applySettings(config, limits.params);
    limits.seed = options.seed;
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
    UnitStack stack(options, executor.sms(), config, executor.sharedMemory(),
                    [&executor](const MbarNote& note) { executor.note(note); });
    Watch watch(options, headerOf(options, preset, config, limits.params, stack.port().sms(),
                                  module, entry));
    ExecBridge bridge(watch.observers());
    executor.addObserver(bridge);
    SmemDump dump(executor.sharedMemory(), options.dumpedCta());
    if (!options.dumpSmem.empty()) executor.addObserver(dump);

    const RunResult result = executor.run(stack.port());
    watch.finish(stack.port().now());
    stack.finishWaves();
    if (!options.dumpSmem.empty()) dump.write(options.dumpSmem);
    if (!options.dumpMemory.empty()) writeMemory(options.dumpMemory, executor.contents());
    const RunReport report{options, result, watch.statistics(), watch.mbarriers(), watch.coverage(),
                           module,  entry,  stack.port().sms()};
    print(options.json ? jsonOf(report) : textOf(report));
    return exitCode(result);
}

}  // namespace gsu::cli
