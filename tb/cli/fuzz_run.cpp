#include "cli/fuzz_run.hpp"

#include <fmt/format.h>

#include <exception>
#include <memory>

#include "base/counted.hpp"
#include "exec/machine/executor.hpp"
#include "golden/word_memory.hpp"
#include "observers/tap_port.hpp"
#include "ptx/check.hpp"
#include "ptx/parser.hpp"
#include "run/options.hpp"
#include "run/race_watch.hpp"
#include "run/run_observers.hpp"
#include "run/trace_header.hpp"
#include "run/unit_stack.hpp"
#include "trace/replayer.hpp"

namespace gsu::cli {

using namespace run;

namespace {

using fuzz::Outcome;

constexpr const char* kProgramPtx = "fuzz.ptx";

Outcome failure(std::string kind, std::string detail)
{
    for (char& c : detail) {
        if (c == '\n') c = ' ';
    }
    return {std::move(kind), detail.substr(0, 400), 0, 0, {}};
}

CommonOptions optionsOf(const fuzz::Conditions& c, const std::string& trace)
{
    CommonOptions options;
    options.input = "fuzz.launch.json";
    options.unitName = c.unit;
    options.presetName = c.preset;
    options.timingName = c.timing;
    options.threads = c.threads;
    options.seed = c.seed;
    if (c.replay) options.record = trace;
    for (const auto& [key, value] : c.sets)
        options.assignments.push_back(fmt::format("{}={}", key, value));
    return options;
}

/// The verdict of `gsu check`, as a failure or nothing.
Outcome judged(const ptx::Module& module)
{
    if (const ptx::Diagnostic* e = ptx::firstError(module))
        return failure("parse", fmt::format("{}:{}: {}", e->at.line, e->at.column, e->message));
    for (const ptx::Dialect dialect : {ptx::Dialect::Text, ptx::Dialect::Ptxas}) {
        const ptx::CheckResult result = ptx::checkModule(module, dialect);
        if (result.accepted) continue;
        for (const ptx::Diagnostic& d : result.diagnostics) {
            if (d.severity == ptx::Diagnostic::Severity::Error)
                return failure("check", fmt::format("{}:{}: {} [{}]", d.at.line, d.at.column,
                                                    d.message, d.rule));
        }
        return failure("check", "rejected without a reason");
    }
    return {};
}

std::string textOf(const Finding& f)
{
    return fmt::format("{} in line {}: {} (CTA {} warp {} lanes {:#010x})", f.rule, f.line,
                       f.message, f.cta, f.warp, f.lanes);
}

Outcome verdictOf(const RunResult& r)
{
    switch (r.verdict) {
        case Verdict::Pass: break;
        case Verdict::Mismatch: {
            const Mismatch& m = r.mismatches.front();
            return failure("mismatch",
                           fmt::format("parameter {} [{}]: expected {}, is {}", m.param.value_or(0),
                                       m.index, m.expected, m.actual));
        }
        case Verdict::Hang: return failure("hang", r.hang ? r.hang->explanation : "");
        case Verdict::Misuse: {
            const Finding& first = r.findings.front();
            return failure(first.race ? "race" : "misuse", textOf(first));
        }
        case Verdict::Trap: return failure("trap", r.trap);
        case Verdict::Limit: return failure("limit", fmt::format("{} cycles", r.cycles));
        case Verdict::Divergence: return failure("divergence", r.fault ? r.fault->message : "");
        case Verdict::Interrupted: return failure("interrupted", "");
        case Verdict::Partial: return failure("partial", "not judged: a part of a chip");
    }
    // A legal program must not cause a warning either.
    if (!r.findings.empty()) return failure("finding", textOf(r.findings.front()));
    return {};
}

std::vector<std::string> namesOf(const RunResult& r)
{
    std::vector<std::string> names;
    for (const Finding& f : r.findings) {
        if (f.race == nullptr) names.push_back(f.rule);
        if (f.race == nullptr) continue;
        for (const std::string& link : f.race->missing) names.push_back(f.rule + ':' + link);
    }
    if (!r.hang || !r.hang->cause) return names;
    names.push_back("hang:" + r.hang->cause->kind);
    for (const HangCause& other : r.hang->cause->others) names.push_back("hang:" + other.kind);
    return names;
}

/// Replays the recording: every event must happen in its recorded cycle.
Outcome replayed(const CommonOptions& run, Cycle cycles)
{
    const trace::Program program = trace::Program::load(run.record);
    CommonOptions options = run;
    options.record.clear();
    WordMemory memory(program.header.sms);
    UnitStack stack(options, program.header.chip(), program.header.config, memory);
    trace::Replayer replayer(program, stack.port(), true);
    replayer.setMemory(memory);
    const trace::ReplayResult r = replayer.run(8 * cycles + 100'000);
    if (r.fault) return failure("replay", r.fault->message);
    if (r.limit) return failure("replay", "does not end");
    if (r.differs) return failure("replay", r.difference);
    if (!r.blocked.empty() || r.left != 0)
        return failure(
            "replay", fmt::format("{} never given", counted(r.left, "record was", "records were")));
    return {};
}

/// The race detector and the second checker of order, if they are wanted. The result must live as long as the run.
std::unique_ptr<RaceWatch> watchOrder(const FuzzLook& look, const ptx::Module& module,
                                      Executor& executor, TapPort& tap)
{
    std::unique_ptr<RaceWatch> races;
    if (look.races) {
        races = std::make_unique<RaceWatch>(module, executor.sms());
        races->watch(executor);
        tap.add(races->observers());
    }
    if (look.events != nullptr) {
        look.events->setUnscoped(races::Detector::linesOf(module).unscoped);
        executor.watchAccesses(*look.events);
        tap.add({look.events});
    }
    return races;
}

Outcome execute(const fuzz::Case& what, const fuzz::Built& built, const CommonOptions& options,
                Cycle maxCycles, const FuzzLook& look)
{
    const ptx::Module module = ptx::parseModule(built.ptx, kProgramPtx);
    if (Outcome bad = judged(module); !bad.kind.empty()) return bad;
    const LaunchSpec spec =
        parseLaunch(fuzz::launchText(what.plan, built, kProgramPtx), options.input);
    const Preset preset = options.preset().value_or(Preset::Hopper);
    RunOptions limits;
    const Config config = options.settings(preset, limits.params);
    limits.seed = options.seed;
    limits.maxCycles = maxCycles;
    Executor executor(spec, module, limits);
    UnitStack stack(options, executor.sms(), config, executor.sharedMemory(),
                    [&executor](const MbarNote& note) { executor.note(note); });
    std::unique_ptr<RunObservers> watch;
    TapPort tap(stack.port());
    if (!options.record.empty()) {
        watch = std::make_unique<RunObservers>(
            options, headerOf(options, preset, config, limits.params, stack.port().sms(), module,
                              entryOf(spec, module).name));
        tap.add(watch->ports());
        watch->watch(executor);
    }
    const std::unique_ptr<RaceWatch> races = watchOrder(look, module, executor, tap);
    const RunResult result = executor.run(tap);
    if (watch) {
        Outputs outputs;
        watch->finish({.now = stack.port().now()}, outputs);
        outputs.check();
    }
    Outcome outcome = verdictOf(result);
    if (outcome.kind.empty() && watch) outcome = replayed(options, result.cycles);
    outcome.cycles = result.cycles;
    outcome.requests = result.syncRequests;
    outcome.names = namesOf(result);
    return outcome;
}

}  // namespace

std::vector<fuzz::Knob> fuzzKnobs(const std::string& timing)
{
    ExecParams params;
    if (!timing.empty()) {
        if (const std::string error = setTiming(params, timing); !error.empty())
            throw InputError("--timing", error);
    }
    std::vector<fuzz::Knob> all;
    for (const Parameter& p : parameters()) all.push_back({p.key, p.unit, p.min, p.max});
    for (const ExecParameter& p : execParameters())
        if (isUsed(params, p)) all.push_back({p.key, p.unit, p.min, p.max});
    if (params.timing == Timing::Simple) return all;
    for (const timing::TimingParameter& p : timing::timingParameters())
        all.push_back({p.key, p.unit, p.min, p.max});
    return all;
}

fuzz::Outcome fuzzRun(const fuzz::Case& what, const fuzz::Built& built, const std::string& trace,
                      Cycle maxCycles, const FuzzLook& look)
{
    try {
        return execute(what, built, optionsOf(what.conditions, trace), maxCycles, look);
    } catch (const std::exception& e) {
        return failure("exception", e.what());
    }
}

fuzz::Outcome fuzzWithPaths(const fuzz::Case& what, const fuzz::Built& built,
                            const std::string& trace, Cycle maxCycles)
{
    causality::Events events;
    fuzz::Outcome outcome = fuzzRun(what, built, trace, maxCycles, {.events = &events});
    if (!outcome.kind.empty()) return outcome;
    const causality::OrderCheck paths = causality::checkOrder(events);
    if (paths.unordered != 0 || !paths.complete) outcome.kind = "paths";
    outcome.detail = textOf(paths);
    return outcome;
}

std::string textOf(const causality::OrderCheck& j)
{
    std::string text = fmt::format("{} of {} pairs have no path:", j.unordered, j.pairs);
    for (const causality::Question& q : j.examples)
        text += fmt::format(" {} {}-{}", q.what, q.first, q.second);
    return text;
}

}  // namespace gsu::cli
