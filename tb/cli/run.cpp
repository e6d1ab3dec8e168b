#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/counted.hpp"
#include "base/input_error.hpp"
#include "base/interrupt.hpp"
#include "cli/commands.hpp"
#include "cli/run_list.hpp"
#include "exec/launch/arguments.hpp"
#include "exec/launch/json_text.hpp"
#include "rules/catalogue.hpp"
#include "run/launch_run.hpp"
#include "run/memory_dump.hpp"
#include "run/survey.hpp"
#include "run/work_counter.hpp"

namespace gsu::cli {

using namespace run;

namespace {

/// Reads the PTX once, for the loader of launch files and for the run.
class Modules {
public:
    const ptx::Module& operator()(const LaunchSpec& spec)
    {
        if (!module_) module_ = loadModule(spec);
        return *module_;
    }

private:
    std::optional<ptx::Module> module_;
};

bool isPtx(const std::string& path) { return std::filesystem::path(path).extension() == ".ptx"; }

RunOptions limitsOf(const CommonOptions& options)
{
    RunOptions limits;
    limits.seed = options.seed;
    limits.structure = options.choice.structure();
    limits.stop = &interruptFlag();
    limits.keepGoing = options.keepGoing;
    limits.tensor = options.tensor();
    limits.serverActivity = !options.timeline.empty();
    limits.ignore = options.suppressions();
    if (options.maxCycles) {
        limits.maxCycles = *options.maxCycles;
        limits.quietWork = limits.ctaWork = ~0ull;
    }
    return limits;
}

void checkRules(const LaunchSpec& spec)
{
    for (std::size_t i = 0; i < spec.rules.size(); ++i) {
        if (rules::find(spec.rules[i]) == nullptr)
            spec.fail(fmt::format("/findings/{}", i),
                      fmt::format("there is no rule '{}' (gsu rules lists them)", spec.rules[i]));
    }
}

LaunchFile load(const CommonOptions& options, const LaunchCall& call, Modules& modules)
{
    const ModuleSource source = [&](const LaunchSpec& spec) -> const ptx::Module& {
        return modules(spec);
    };
    if (!isPtx(options.input)) {
        if (const char* given = call.anyGiven())
            throw InputError(given, "goes with a PTX file, a launch file says it itself");
        LaunchFile file = loadLaunchFile(options.input, source);
        checkRules(file.common);
        std::for_each(file.launches.begin(), file.launches.end(), checkRules);
        return file;
    }
    // Paths of data files of arguments are relative to the working folder of the call.
    LaunchSpec named;
    named.file = named.ptx = options.input;
    const std::string text = launchTextOf(call, modules(named));
    return parseLaunchFile(std::make_shared<JsonText>(text, "arguments", false), source);
}

/// Runs the launch with window 1, without output, for its times in order.
InOrderTimes timeInOrder(const RunSetup& setup, const LaunchSpec& spec)
{
    const CommonOptions quiet = withoutFiles(setup.options);
    const RunSetup one = inOrder(setup, quiet);
    Executor executor(spec, one.module, one.limits);
    LaunchOutcome outcome = runLaunch(one, quiet, spec, executor);
    InOrderTimes times;
    if (cameToItsEnd(outcome.result)) times[&spec] = outcome.result.timing;
    return times;
}

/// The chip of the call replaces the file's value of SMs.
void useChip(CommonOptions& options, LaunchFile& file)
{
    if (options.chipName.empty()) {
        options.chipName = file.common.chip;
        return;
    }
    const auto take = [&](LaunchSpec& spec) {
        spec.sms = options.chip()->sms;
        spec.of = 0;
    };
    take(file.common);
    std::for_each(file.launches.begin(), file.launches.end(), take);
}

/// The cycle of the finding or hang for --fst-around: the launch runs once without files to find it. None: there is no such event.
std::optional<Cycle> eventOf(const RunSetup& setup, const LaunchSpec& spec)
{
    const CommonOptions plain = withoutFiles(setup.options);
    RunSetup once{plain, setup.preset, setup.config, setup.limits, setup.module};
    Executor executor(spec, setup.module, setup.limits);
    const RunResult result = runLaunch(once, plain, spec, executor).result;
    if (setup.options.fstEvent == "hang")
        return result.hang ? std::optional(result.lastChange) : std::nullopt;
    std::optional<Cycle> first;
    for (const Finding& f : result.findings) first = std::min(first.value_or(f.cycle), f.cycle);
    return first;
}

/// Places the waves around the event of the run; without an event there are no waves.
void findEvent(CommonOptions& options, const RunSetup& setup, const LaunchSpec& spec)
{
    if (options.fst.empty() || options.fstEvent.empty()) return;
    options.fstAround = eventOf(setup, spec);
    if (!options.fstAround) options.fst.clear();
}

/// Prints the report, finishes the files and returns the exit code.
int finish(const CommonOptions& options, const RunOptions& limits, LaunchOutcome& outcome)
{
    IgnoredCounts ignored(limits.ignore);
    ignored.add(outcome.result.ignored);
    ignored.addTo(outcome.json);
    if (!options.sarif.empty()) {
        const auto hangs = outcome.hang.is_null() ? nlohmann::ordered_json::array()
                                                  : nlohmann::ordered_json::array({outcome.hang});
        outcome.outputs.add("findings", options.sarif,
                            [&] { writeSarif(options.sarif, outcome.findings, hangs); });
    }
    print(options.json
              ? outcome.json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n'
              : outcome.text + ignored.text());
    outcome.outputs.check();
    return exitCode(outcome.result);
}

}  // namespace

int run(const CommonOptions& given, const LaunchCall& call)
{
    catchInterrupts();
    given.check();
    Modules modules;
    LaunchFile file = load(given, call, modules);
    CommonOptions options = given;
    useChip(options, file);
    const Preset preset = options.preset().value_or(Preset::Hopper);
    RunOptions limits = limitsOf(options);
    const LaunchSpec& spec = file.common;
    if (!options.timingName.empty()) options.chooseTiming(modules(spec).target, spec.timing);
    const Config config = options.settings(preset, limits.params, &spec);
    options.checkRange(limits.params);
    options.protect(spec.ptx);
    for (const std::filesystem::path& module : spec.linked) options.protect(module);
    for (const std::filesystem::path& data : spec.files) options.protect(data);
    RunSetup setup{options, preset, config, limits, modules(spec)};
    if (!file.launches.empty()) return runList(setup, file);
    const std::uint64_t ctas = std::uint64_t{spec.grid[0]} * spec.grid[1] * spec.grid[2];
    if (options.dumpCta >= ctas)
        throw InputError("--dump-cta", "the grid has " + counted(ctas, "CTA"));
    setup.limits.sharing = surveyOf(setup, spec);
    setup.limits.workCounter = workCounterOf(setup, spec);
    Executor executor(spec, setup.module, setup.limits);
    if (!options.dumpSmem.empty() && executor.sharedWindow() == 0)
        throw InputError("--dump-smem", "the kernel has no shared memory");
    const MemoryDump memory(options, spec, executor.contents(false));
    findEvent(options, setup, spec);
    const InOrderTimes times = options.range ? timeInOrder(setup, spec) : InOrderTimes{};
    setup.inOrder = &times;
    LaunchOutcome outcome = runLaunch(setup, options, spec, executor, &memory);
    if (options.fst.empty() && !given.fst.empty()) {
        outcome.text += fmt::format("no waves written: the run has no {}\n", options.fstEvent);
        outcome.json["waves"] = nullptr;
    }
    return finish(options, limits, outcome);
}

}  // namespace gsu::cli
