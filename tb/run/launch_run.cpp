#include "run/launch_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exec/result/timing_report.hpp"
#include "observers/tap_port.hpp"
#include "run/hang_json.hpp"
#include "run/hang_marks.hpp"
#include "run/parts_run.hpp"
#include "run/race_watch.hpp"
#include "run/run_observers.hpp"
#include "run/trace_header.hpp"
#include "run/unit_stack.hpp"

namespace gsu::run {

std::vector<PrintedMemory> printedMemory(std::size_t most, const LaunchSpec& spec,
                                         const std::vector<MemoryContents>& contents)
{
    std::vector<PrintedMemory> all;
    for (const MemoryContents& m : contents) {
        DataType type = DataType::B8;
        for (std::size_t i = 0; i < spec.params.size(); ++i) {
            if (m.name == fmt::format("param{}", i)) type = spec.params[i].data.type;
        }
        for (const LaunchMemory& given : spec.memory) {
            if (m.name == "memory." + given.name) type = given.data.type;
        }
        if (m.name.starts_with("global.")) continue;
        const std::size_t size = sizeOf(type), count = m.bytes.size() / size;
        PrintedMemory one{m.name, nameOf(type), count, {}};
        for (std::size_t i = 0; i < std::min(count, most); ++i)
            one.values.push_back(textOf(type, m.bytes.data() + i * size));
        all.push_back(std::move(one));
    }
    return all;
}

std::string numbered(const std::string& path, std::size_t index)
{
    if (path.empty()) return path;
    const std::size_t name = path.find_last_of('/') + 1;  // 0: the path has no folder
    std::size_t dot = path.find_last_of('.');
    constexpr std::string_view kPacked = ".zst";
    if (path.size() > kPacked.size() && path.substr(path.size() - kPacked.size()) == kPacked &&
        dot > 0)
        dot = path.find_last_of('.', dot - 1);
    if (dot == std::string::npos || dot <= name) dot = path.size();
    return fmt::format("{}.{}{}", path.substr(0, dot), index, path.substr(dot));
}

int exitCode(const RunResult& result)
{
    if (result.verdict == Verdict::Divergence) return kOwnError;
    return result.asExpected ? kAsExpected : kNotAsExpected;
}

bool cameToItsEnd(const RunResult& result)
{
    return result.verdict == Verdict::Pass || result.verdict == Verdict::Mismatch ||
           result.verdict == Verdict::Misuse || result.verdict == Verdict::Partial;
}

CommonOptions withoutFiles(const CommonOptions& options)
{
    CommonOptions quiet = options;
    for (std::string* file : {&quiet.fst, &quiet.waves, &quiet.record, &quiet.timeline, &quiet.dot,
                              &quiet.dumpSmem, &quiet.dumpMemory, &quiet.sarif, &quiet.checkName})
        file->clear();
    quiet.fstWindow.clear();
    quiet.fstAround.reset();
    quiet.coverage = false;
    quiet.print = 0;
    return quiet;
}

RunSetup inOrder(const RunSetup& setup, const CommonOptions& options)
{
    RunSetup one{options, setup.preset, setup.config, setup.limits, setup.module};
    one.limits.params.servers.window = 1;
    return one;
}

RunSetup forModule(RunSetup setup, const CommonOptions& options)
{
    setup.config = options.forTarget(setup.config, setup.module.target);
    return setup;
}

namespace {

void forSarif(LaunchOutcome& outcome, const ptx::Module& module)
{
    const RunResult& r = outcome.result;
    outcome.findings = findingsJson(r, module);
    if (!r.hang) return;
    outcome.hang = hangJson(*r.hang, module);
    outcome.hang["file"] = module.placeOf(r.hang->cause ? r.hang->cause->line : 0).first;
}

}  // namespace

namespace {

/// Adds the times of the run in order; a launch that did not end in that run has none.
void addInOrder(RunResult& result, const InOrderTimes* times, const LaunchSpec& spec)
{
    if (times == nullptr || !result.timing) return;
    const auto found = times->find(&spec);
    if (found == times->end()) return;
    auto both = std::make_shared<TimingReport>(*result.timing);
    both->inOrder = found->second;
    result.timing = std::move(both);
}

}  // namespace

struct LaunchRun::Parts {
    std::optional<UnitStack> stack;
    SyncPort* port;  ///< nullptr: the launch runs in parts, each on a separate unit
    RunObservers observers;
    std::unique_ptr<RaceWatch> races;  ///< race watch of its unit
    std::optional<TapPort> tap;

    Parts(const RunSetup& setup, const CommonOptions& files, Executor& executor,
          const std::string& entry, unsigned sms, unsigned threads, SyncPort* shared)
        : port(threads > 1         ? nullptr
               : shared != nullptr ? shared
                                   : &own(setup, files, executor)),
          observers(files,
                    headerOf(files, setup.preset, setup.config, setup.limits.params, sms,
                             setup.module, entry),
                    &executor.sharedMemory())
    {
        if (port == nullptr) return;
        tap.emplace(*port);
        if (RaceWatch::wanted(files)) {
            races = std::make_unique<RaceWatch>(files, setup.module, observers, *port);
            races->watch(executor);
            tap->add(races->observers());
        }
        observers.watch(executor);
        tap->add(observers.ports());
    }

private:
    [[nodiscard]] SyncPort& own(const RunSetup& setup, const CommonOptions& files,
                                Executor& executor)
    {
        stack.emplace(files, executor.sms(), setup.config, executor.sharedMemory(),
                      [&executor](const MbarNote& note) { executor.note(note); });
        return stack->port();
    }
};

std::unique_ptr<LaunchRun::Parts> LaunchRun::parts(unsigned threads, SyncPort* shared) const
{
    return std::make_unique<Parts>(setup_, files_, executor_, entry_, sms_, threads, shared);
}

LaunchRun::LaunchRun(const RunSetup& setup, const CommonOptions& files, const LaunchSpec& spec,
                     Executor& executor, SyncPort* shared)
    : setup_(forModule(setup, setup.options)),
      files_(files),
      spec_(spec),
      executor_(executor),
      entry_(entryOf(spec, setup.module).name),
      sms_(shared != nullptr ? shared->sms() : executor.sms()),
      threads_(shared != nullptr ? PartThreads{} : threadsForParts(files, executor)),
      parts_(parts(threads_.threads, shared))
{
}
LaunchRun::~LaunchRun() = default;

SyncPort& LaunchRun::port() { return *parts_->tap; }

RunResult LaunchRun::run()
{
    if (threads_.why != nullptr) tellWhyWhole(files_, executor_, threads_.why);
    if (threads_.threads > 1) {
        std::optional<RunResult> result =
            runInParts(files_, setup_.config, executor_, threads_.threads, parts_->observers);
        if (result) return std::move(*result);
        executor_.restart();
        parts_ = parts(1, nullptr);
    }
    return executor_.run(port());
}

LaunchOutcome LaunchRun::finish(RunResult result, const MemoryDump* memory)
{
    LaunchOutcome outcome;
    outcome.result = std::move(result);
    addInOrder(outcome.result, setup_.inOrder, spec_);
    Outputs& outputs = outcome.outputs;
    RunEnd end{.now = parts_->port != nullptr ? parts_->port->now() : outcome.result.cycles,
               .result = &outcome.result,
               .module = &setup_.module};
    if (outcome.result.hang) end.marks = marksOf(*outcome.result.hang, setup_.module);
    if (parts_->stack) end.endWaves = [&] { parts_->stack->finishWaves(); };
    parts_->observers.finish(end, outputs);
    if (memory != nullptr && memory->wanted()) memory->write(executor_.contents(), outputs);
    const RunReport report{files_,
                           outcome.result,
                           parts_->observers,
                           setup_.module,
                           entry_,
                           outputs.text(),
                           sms_,
                           files_.print == 0
                               ? std::vector<PrintedMemory>{}
                               : printedMemory(files_.print, spec_, executor_.contents()),
                           setup_.shown};
    if (files_.json) {
        outcome.json = jsonObject(report);
    } else {
        outcome.text = textOf(report);
    }
    if (!files_.sarif.empty()) forSarif(outcome, setup_.module);
    return outcome;
}

LaunchOutcome runLaunch(const RunSetup& setup, const CommonOptions& files, const LaunchSpec& spec,
                        Executor& executor, const MemoryDump* memory)
{
    LaunchRun launch(setup, files, spec, executor);
    return launch.finish(launch.run(), memory);
}

}  // namespace gsu::run
