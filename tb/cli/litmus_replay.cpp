#include "cli/litmus_replay.hpp"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <map>

#include "base/input_error.hpp"
#include "exec/machine/executor.hpp"
#include "litmus/kernel.hpp"
#include "ptx/parser.hpp"
#include "run/options.hpp"
#include "run/unit_stack.hpp"

namespace gsu::cli {

using namespace run;

namespace {

constexpr const char* kWitnessPtx = "litmus.ptx";
constexpr Cycle kMaxCycles = 10'000'000;

/// Everything that a run needs except the launch.
struct Ground {
    std::string unit, preset, memory;
    std::uint64_t seed{};
    std::map<std::uint32_t, std::pair<Cycle, Cycle>> storeTimes;
};

struct Ran {
    RunResult result;
    std::vector<std::uint8_t> out;         ///< contents of parameter 1
    std::vector<MemoryContents> contents;  ///< contents of memory, if wanted
};

Ran run(const LaunchSpec& spec, const ptx::Module& module, const Ground& ground, bool contents)
{
    CommonOptions options;
    options.unitName = ground.unit;
    options.presetName = ground.preset;
    options.seed = ground.seed;
    options.assignments.push_back("exec.memory=" + ground.memory);
    const Preset preset = options.preset().value_or(Preset::Hopper);
    RunOptions limits;
    const Config config = options.settings(preset, limits.params);
    limits.seed = ground.seed;
    limits.maxCycles = kMaxCycles;
    limits.storeTimes = ground.storeTimes;
    Executor executor(spec, module, limits);
    UnitStack stack(options, executor.sms(), config, executor.sharedMemory(),
                    [&executor](const MbarNote& note) { executor.note(note); });
    Ran ran;
    ran.result = executor.run(stack.port());
    if (ran.result.fault) throw std::runtime_error(ran.result.fault->message);
    if (contents) ran.contents = executor.contents();
    if (spec.params.size() > 1) ran.out = executor.readBuffer(1);
    return ran;
}

/// The outcome that a replay should repeat.
struct Wanted {
    const litmus::Test& test;
    const litmus::Exploration& explored;
    const litmus::Outcome& values;
};

/// Tries to repeat a witness; true: the run showed the wanted outcome.
bool shows(const litmus::Kernel& kernel, const Wanted& wanted, const Ground& ground, Replay& replay)
{
    const ptx::Module module = ptx::parseModule(kernel.ptx, kWitnessPtx);
    const Ran ran = run(parseLaunch(kernel.launch, "litmus.launch.json"), module, ground, false);
    replay.cycles = ran.result.cycles;
    replay.seed = ground.seed;
    if (ran.result.verdict != gsu::Verdict::Pass) {
        replay.why = std::string("the kernel ends with ") + gsu::nameOf(ran.result.verdict);
        return false;
    }
    litmus::Outcome got(ran.out.size() / 4);
    if (!got.empty()) std::memcpy(got.data(), ran.out.data(), got.size() * 4);
    got.resize(wanted.values.size());
    const std::string wrong = litmus::contradiction(wanted.test, wanted.explored, got);
    if (!wrong.empty()) throw std::runtime_error(wrong);
    return got == wanted.values;
}

/// The final value that the condition names: NAME[i] of a buffer.
std::int32_t valueIn(const std::vector<MemoryContents>& contents, const litmus::KernelTest& kernel,
                     std::size_t term)
{
    const litmus::KernelTest::Cell& cell = kernel.cells[term];
    for (const MemoryContents& c : contents) {
        if (c.name != cell.buffer) continue;
        if (cell.index >= c.bytes.size() / 4)
            throw InputError(
                kernel.test.file, cell.line, cell.column,
                fmt::format("{} has {} elements of 4 bytes", cell.buffer, c.bytes.size() / 4));
        std::int32_t value = 0;
        std::memcpy(&value, c.bytes.data() + 4 * std::size_t{cell.index}, 4);
        return value;
    }
    std::string names;
    for (const MemoryContents& c : contents) names += (names.empty() ? "" : ", ") + c.name;
    throw InputError(kernel.test.file, cell.line, cell.column,
                     "the launch has no '" + cell.buffer + "': " + names);
}

litmus::Outcome valuesIn(const std::vector<MemoryContents>& contents,
                         const litmus::KernelTest& kernel)
{
    litmus::Outcome values;
    for (std::size_t i = 0; i < kernel.cells.size(); ++i)
        values.push_back(valueIn(contents, kernel, i));
    return values;
}

/// Whether the condition names this outcome (for forall: whether the outcome violates it).
bool names(const litmus::Test& test, const litmus::Outcome& values)
{
    const bool holds = litmus::holds(test.condition, [&](const litmus::Condition::Term& t) {
        return t.kind == litmus::Condition::Term::Kind::Number ? t.number : values[t.index];
    });
    return holds != (test.asks == litmus::Test::Asks::Always);
}

}  // namespace

litmus::MemoryForm formOf(const std::string& name)
{
    if (name == "immediate") return litmus::MemoryForm::Immediate;
    return name == "default" ? litmus::MemoryForm::Default : litmus::MemoryForm::Weak;
}

Replay replayed(const litmus::Test& test, const litmus::Exploration& explored,
                const litmus::Seen& seen, const LitmusOptions& options)
{
    const Wanted wanted{test, explored, seen.values};
    constexpr std::uint64_t kSeeds = 10;
    Replay replay;
    const litmus::MemoryForm form = formOf(options.memory);
    Ground ground{options.unit, "ideal", options.memory, options.seed, {}};
    for (const Cycle step : {500, 4000}) {
        const litmus::Kernel kernel = kernelOf(test, form, seen.steps, {8000, step}, kWitnessPtx);
        replay.why = kernel.why;
        if (!kernel.why.empty()) return replay;
        for (const litmus::Kernel::Late& late : kernel.late)
            ground.storeTimes[late.line] = {late.cta, late.everyone};
        if ((replay.shown = shows(kernel, wanted, ground, replay))) return replay;
        ground.storeTimes.clear();
    }
    for (std::uint64_t n = 0; n < kSeeds && !replay.shown; ++n) {
        ground.seed = options.seed + n;
        const litmus::Kernel kernel =
            kernelOf(test, form, seen.steps, {8000, 1 + 30 * (n % 4)}, kWitnessPtx);
        replay.shown = shows(kernel, wanted, ground, replay);
    }
    if (!replay.shown && replay.why.empty()) replay.why = "not shown in this timing";
    return replay;
}

LitmusReport runKernel(const litmus::KernelTest& kernel, const LitmusOptions& options)
{
    const std::filesystem::path file =
        std::filesystem::path(kernel.test.file).parent_path() / kernel.launch;
    const LaunchSpec spec = loadLaunch(file);
    const ptx::Module module = loadModule(spec);
    LitmusReport report;
    report.test = std::make_shared<litmus::Test>(kernel.test);
    report.memory = options.memory;
    litmus::Exploration& e = report.exploration;
    std::map<litmus::Outcome, litmus::Seen> seen;
    std::map<litmus::Outcome, std::string> how;
    for (; e.runs < options.kernelRuns; ++e.runs) {
        const std::uint64_t seed = options.seed + e.runs;
        const Ran ran = run(spec, module, {options.unit, "", options.memory, seed, {}}, true);
        if (ran.result.hang) {
            if (e.hung++ == 0) report.hang = {fmt::format("--seed {}", seed)};
            continue;
        }
        if (ran.result.verdict != gsu::Verdict::Pass &&
            ran.result.verdict != gsu::Verdict::Mismatch)
            throw InputError(file.string(), fmt::format("ends with {} under seed {}",
                                                        gsu::nameOf(ran.result.verdict), seed));
        const litmus::Outcome values = valuesIn(ran.contents, kernel);
        litmus::Seen& s = seen[values];
        if (s.count++ != 0) continue;
        s.values = values;
        s.named = names(kernel.test, values);
        how[values] = fmt::format("gsu run {} --unit {} --set exec.memory={} --seed {}",
                                  file.string(), options.unit, options.memory, seed);
    }
    for (auto& [values, s] : seen) {
        report.witnesses.push_back({how[values]});
        report.replays.emplace_back();
        e.seen.push_back(std::move(s));
    }
    e.verdict = litmus::verdictOf(kernel.test, e);
    return report;
}

}  // namespace gsu::cli
