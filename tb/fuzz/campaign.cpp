#include "fuzz/campaign.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "base/atomic_file.hpp"
#include "base/counted.hpp"
#include "base/input_error.hpp"
#include "base/number.hpp"

namespace gsu::fuzz {
namespace {

constexpr std::uint64_t kSaveEvery = 20;  ///< programs

std::uint64_t seedOf(std::uint64_t a, std::uint64_t b)
{
    Random random(a ^ (b * 0xd1342543de82ef95ull + 1));
    return random.next();
}

void write(const std::string& path, const std::string& text)
{
    AtomicFile file(path);
    file.write(text);
    file.commit();
}

std::string headOf(const CampaignOptions& o)
{
    return fmt::format("gsu fuzz 1: seed {}, from {}, runs {}, unit {}, {}latency {}, features {}",
                       o.seed, o.from, o.runs, o.unit.empty() ? "drawn" : o.unit,
                       o.timing.empty() ? "" : "timing " + o.timing + ", ", o.maxLatency,
                       namesOf(o.features));
}

void save(const CampaignOptions& options, const CampaignResult& state)
{
    if (options.resume.empty()) return;
    write(options.resume,
          fmt::format("{}\nnext {}\n{}", headOf(options), state.next, state.summary.save()));
}

void load(const CampaignOptions& options, CampaignResult& state)
{
    std::ifstream in(options.resume);
    if (options.resume.empty() || !in) return;
    std::string line;
    std::getline(in, line);
    if (line != headOf(options))
        throw InputError(options.resume, 1, 0,
                         "is of another campaign: '" + line + "', this one is '" + headOf(options) +
                             "'");
    std::uint32_t number = 1;
    while (std::getline(in, line)) {
        ++number;
        const auto next = number == 2 && line.starts_with("next ")
                              ? wholeNumber(std::string_view(line).substr(5))
                              : std::nullopt;
        if (next)
            state.next = *next;
        else if (!state.summary.loadLine(line))
            throw InputError(options.resume, number, 0, "is no count");
    }
}

class Campaign {
public:
    Campaign(const CampaignOptions& options, const Runner& run,
             const std::function<void(const std::string&)>& tell)
        : o_(options), run_(run), tell_(tell)
    {
        state_.next = options.from;
        load(options, state_);
    }

    CampaignResult go()
    {
        const auto start = std::chrono::steady_clock::now();
        const std::uint64_t end = o_.from + o_.programs;
        while (state_.next < end) {
            const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
            if (o_.seconds > 0 && passed.count() > o_.seconds) {
                state_.stopped = true;
                break;
            }
            program(state_.next++);
            if (state_.next % kSaveEvery == 0) save(o_, state_);
        }
        save(o_, state_);
        return state_;
    }

private:
    void program(std::uint64_t index)
    {
        const ProgramPlan plan = programOf(o_, index);
        const Built built = build(plan);
        state_.summary.program(plan, built);
        for (unsigned turn = 0; turn < o_.runs; ++turn) {
            const Case one{plan, conditionsOf(o_, plan, index, turn)};
            const Outcome outcome = run_(one, built);
            state_.summary.run(one, outcome);
            if (!outcome.kind.empty()) failed(index, turn, one, outcome);
        }
    }

    void failed(std::uint64_t index, unsigned turn, const Case& what, const Outcome& outcome)
    {
        ++state_.failures;
        const Shrunk small = o_.shrinking ? shrink(what, outcome, run_) : Shrunk{what, outcome, 0};
        const Built built = build(small.what.plan);
        const std::string name = fmt::format("fuzz_{}_{}_{}", o_.seed, index, turn);
        const std::string launch = name + ".launch.json";
        std::string names;
        for (const auto& [pattern, n] : built.patterns)
            names += (names.empty() ? "" : ",") + pattern;
        const std::string line =
            fmt::format("{}: {}: {}; seed {} program {} run {}: {} ({}), {} of {} "
                        "after {}; gsu run {} {}",
                        name, outcome.kind, small.outcome.detail, o_.seed, index, turn,
                        counted(small.what.plan.rounds(), "round"), names,
                        counted(small.what.plan.shape.ctas(), "CTA"),
                        counted(small.what.plan.shape.threads, "thread"),
                        counted(small.runs, "run"), launch, small.what.conditions.commandLine());
        tell_(line);
        if (o_.out.empty()) return;
        const std::filesystem::path folder(o_.out);
        write(folder / (name + ".ptx"), built.ptx);
        write(folder / launch, launchText(small.what.plan, built, name + ".ptx"));
        write(folder / (name + ".txt"), line + '\n');
    }

    const CampaignOptions& o_;
    const Runner& run_;
    const std::function<void(const std::string&)>& tell_;
    CampaignResult state_;
};

}  // namespace

ProgramPlan programOf(const CampaignOptions& options, std::uint64_t index)
{
    ProgramPlan plan = drawProgram(seedOf(options.seed, index), options.features);
    plan.injection = options.injection;
    plan.injectAt = options.injectAt;
    return plan;
}

Conditions conditionsOf(const CampaignOptions& options, const ProgramPlan& plan,
                        std::uint64_t index, unsigned turn)
{
    Random random(seedOf(seedOf(options.seed, index), turn + 1));
    Conditions c = drawConditions(random, options.knobs, plan.sm80,
                                  static_cast<unsigned>(index + turn), options.maxLatency);
    if (!options.unit.empty()) c.unit = options.unit;
    c.timing = options.timing;
    return c;
}

CampaignResult campaign(const CampaignOptions& options, const Runner& run,
                        const std::function<void(const std::string&)>& tell)
{
    return Campaign(options, run, tell).go();
}

}  // namespace gsu::fuzz
