#include "cli/fuzz.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/atomic_file.hpp"
#include "base/counted.hpp"
#include "base/input_error.hpp"
#include "base/number.hpp"
#include "base/output_path.hpp"
#include "cli/commands.hpp"
#include "cli/fuzz_breaks.hpp"
#include "cli/fuzz_requests.hpp"
#include "cli/fuzz_run.hpp"
#include "fuzz/campaign.hpp"
#include "fuzz/pattern.hpp"

namespace gsu::cli {

namespace {

namespace fs = std::filesystem;

void change(fuzz::FeatureSet& set, const std::string& option, const std::string& list, bool add)
{
    const std::string unknown = fuzz::change(set, list, add);
    if (!unknown.empty())
        throw InputError(option,
                         "'" + unknown + "' is none of " + fuzz::namesOf(fuzz::allFeatures()));
}

fuzz::FeatureSet featuresOf(const FuzzOptions& o)
{
    fuzz::FeatureSet set = fuzz::allFeatures();
    set.remove(fuzz::Feature::PostedOrder);
    if (!o.only.empty()) {
        set = {};
        change(set, "--only", o.only, true);
    }
    change(set, "--with", o.with, true);
    change(set, "--without", o.without, false);
    return set;
}

/// Parses value[:PATTERN], wait[:PATTERN] or misuse[:PATTERN].
void injectionOf(const std::string& text, fuzz::CampaignOptions& campaign)
{
    if (text.empty()) return;
    const std::string kind = text.substr(0, text.find(':'));
    if (kind == "value")
        campaign.injection = fuzz::Injection::Value;
    else if (kind == "wait")
        campaign.injection = fuzz::Injection::Wait;
    else if (kind == "misuse")
        campaign.injection = fuzz::Injection::Misuse;
    else
        throw InputError("--inject", "'" + kind + "' is not value, wait or misuse");
    if (kind.size() == text.size()) return;
    campaign.injectAt = text.substr(kind.size() + 1);
    if (fuzz::patternOf(campaign.injectAt) == nullptr)
        throw InputError("--inject", "there is no pattern '" + campaign.injectAt + "'");
}

fuzz::CampaignOptions campaignOf(const FuzzOptions& o)
{
    fuzz::CampaignOptions c;
    c.seed = o.seed;
    c.from = o.from;
    c.programs = o.programs;
    c.runs = o.runs;
    c.features = featuresOf(o);
    c.out = o.out;
    c.resume = o.resume;
    c.seconds = o.seconds;
    c.shrinking = !o.noShrink;
    c.unit = o.unit;
    c.timing = o.timing;
    c.maxLatency = o.maxLatency;
    c.knobs = fuzzKnobs(o.timing);
    injectionOf(o.inject, c);
    if (!c.unit.empty()) {
        CommonOptions check;
        check.unitName = c.unit;
        static_cast<void>(check.unit());
    }
    checkOutputFile("--resume", c.resume);
    makeOutputFolder("--out", c.out);
    return c;
}

/// Settings of a campaign of requests. With --inject difference:N the N-th commit of a stream counts as a difference.
FuzzRequestsOptions requestsOf(const FuzzOptions& o)
{
    FuzzRequestsOptions r{.requests = o.requests,
                          .seed = o.seed,
                          .from = o.from,
                          .perStream = o.perStream,
                          .traffic = o.traffic,
                          .unit = o.unit,
                          .out = o.out,
                          .resume = o.resume,
                          .record = o.record,
                          .coverage = o.coverage,
                          .model = o.model,
                          .seconds = o.seconds,
                          .shrinking = !o.noShrink};
    if (o.inject.empty()) return r;
    const std::string_view text = o.inject;
    const auto number = wholeNumber(text.substr(std::min(text.find(':'), text.size() - 1) + 1));
    if (!text.starts_with("difference:") || !number || *number == 0)
        throw InputError("--inject", "'" + o.inject + "' is not difference:N");
    r.inject = *number;
    return r;
}

/// A folder for recordings, removed at the end.
struct Scratch {
    fs::path folder{fs::temp_directory_path() / (fmt::format("gsu_fuzz_{}", ::getpid()))};
    Scratch() { fs::create_directories(folder); }
    ~Scratch()
    {
        std::error_code error;
        fs::remove_all(folder, error);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
};

/// Writes the generated programs without running them.
void write(const fuzz::CampaignOptions& c)
{
    for (std::uint64_t i = c.from; i < c.from + c.programs; ++i) {
        const fuzz::ProgramPlan plan = programOf(c, i);
        const fuzz::Built built = fuzz::build(plan);
        const std::string name = fmt::format("fuzz_{}_{}", c.seed, i);
        AtomicFile ptx(fs::path(c.out) / (name + ".ptx")),
            launch(fs::path(c.out) / (name + ".launch.json"));
        ptx.write(built.ptx);
        launch.write(fuzz::launchText(plan, built, name + ".ptx"));
        ptx.commit();
        launch.commit();
        print(fmt::format("{} {}\n", name, conditionsOf(c, plan, i, 0).commandLine()));
    }
}

}  // namespace

void FuzzOptions::addRequests(CLI::App& app)
{
    app.add_option("--requests", requests,
                   "No kernels: random requests at the port, this many, in streams under drawn "
                   "parameters; what goes wrong is made small")
        ->check(unsignedNumber)
        ->type_name("N");
    app.add_option("--per-stream", perStream, "Requests of a stream (with --requests)")
        ->check(CLI::Range(1u, 100'000'000u))
        ->capture_default_str();
    app.add_option("--traffic", traffic,
                   "Kinds of streams, with commas: barriers, warp, mbarriers, grids, orders")
        ->type_name("LIST");
    app.add_option(
           "--record", record,
           "Folder for a trace and a table of the commits of every stream (with --requests)")
        ->type_name("DIR");
    app.add_option("--coverage", coverage,
                   "Count the cover points that can be seen at the port, and write the counts of "
                   "this call as JSON (with --requests)")
        ->type_name("FILE");
    app.add_option(
           "--model", model,
           "Structure of the SMs, by the name that gsu build --name gave it, or its file or "
           "folder (with --requests)")
        ->type_name("NAME|PATH");
}

// long: one entry for each option
void FuzzOptions::addTo(CLI::App& app)
{
    const std::string features = fuzz::namesOf(fuzz::allFeatures());
    app.add_option("--programs", programs, "How many programs")
        ->check(unsignedNumber)
        ->capture_default_str();
    app.add_option("--seed", seed, "Seed of the programs and of the parameters drawn for them")
        ->check(unsignedNumber)
        ->capture_default_str();
    app.add_option("--from", from, "Number of the first program")
        ->check(unsignedNumber)
        ->capture_default_str();
    app.add_option("--runs", runs, "Runs of each program, under conditions of their own")
        ->check(CLI::Range(1u, 1000u))
        ->capture_default_str();
    app.add_option("--without", without, "Leave out features, a list of " + features)
        ->type_name("LIST");
    app.add_option("--with", with, "Add features; posted-order is not used otherwise")
        ->type_name("LIST");
    app.add_option("--only", only, "Use these features only")->type_name("LIST");
    app.add_option("--unit", unit, "Run on this unit only: rtl, golden or lockstep")
        ->type_name("NAME");
    app.add_option("--timing", timing,
                   "Run under this timing, hopper or blackwell, with its parameters drawn as well")
        ->type_name("NAME");
    app.add_option("--out", out, "Folder for what fails: kernel, launch file, command line")
        ->type_name("DIR");
    app.add_option("--resume", resume, "Keep the state in FILE; continue from there if it exists")
        ->type_name("FILE");
    app.add_option("--seconds", seconds, "Stop after this time (0: never)")
        ->check(unsignedNumber)
        ->capture_default_str();
    app.add_option("--max-cycles", maxCycles, "A run of more cycles has failed")
        ->check(aboveZero)
        ->capture_default_str();
    app.add_option("--max-latency", maxLatency, "Largest value drawn for a parameter")
        ->check(CLI::Range(1u, 1'000'000u))
        ->capture_default_str();
    app.add_flag("--no-shrink", noShrink, "Leave failing programs as they are");
    app.add_flag("--print", print, "Run nothing: write the programs to --out");
    app.add_option(
           "--check", check,
           "race: no run may have a race, by the race detector; paths: there is a path of order "
           "between all that conflicts")
        ->check(CLI::IsMember({"race", "paths"}));
    app.add_flag("--break", breaks,
                 "Remove or change one synchronization of each program, and count how many breaks "
                 "are found, and by what");
    addRequests(app);
    app.add_option("--inject", inject,
                   "Put a fault into every program to see that it is noticed: value, wait or "
                   "misuse, at a pattern if named")
        ->type_name("KIND[:PATTERN]");
}

int fuzz(const FuzzOptions& options)
{
    if (options.requests != 0) {
        if (!options.timing.empty()) throw InputError("--timing", "goes with programs");
        return fuzzRequests(requestsOf(options));
    }
    for (const auto& [name, value] : {std::pair{"--record", options.record},
                                      {"--model", options.model},
                                      {"--coverage", options.coverage}})
        if (!value.empty())
            throw InputError(
                name,
                "goes with --requests; programs have gsu run --record, --with and --coverage");
    const fuzz::CampaignOptions c = campaignOf(options);
    if (options.print) {
        if (c.out.empty()) throw InputError("--print", "needs --out DIR");
        write(c);
        return kAsExpected;
    }
    if (options.breaks) return fuzzBreaks(c, options.maxCycles);
    const Scratch scratch;
    const std::string trace = scratch.folder / "run.gsut";
    const auto run = [&](const fuzz::Case& what, const fuzz::Built& built) {
        if (options.check == "paths") return fuzzWithPaths(what, built, trace, options.maxCycles);
        return fuzzRun(what, built, trace, options.maxCycles, {.races = options.check == "race"});
    };
    const fuzz::CampaignResult result =
        campaign(c, run, [](const std::string& line) { print(line + '\n'); });
    print(result.summary.text());
    print(fmt::format("seed {}, programs {}..{}, {}{}\n", c.seed, c.from, result.next,
                      counted(result.failures, "failure"),
                      result.stopped ? ", stopped by --seconds" : ""));
    return result.failures == 0 ? kAsExpected : kNotAsExpected;
}

}  // namespace gsu::cli
