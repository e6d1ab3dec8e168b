#include "cli/fuzz_requests.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/atomic_file.hpp"
#include "base/counted.hpp"
#include "base/input_error.hpp"
#include "base/output_path.hpp"
#include "cli/commands.hpp"
#include "golden/word_memory.hpp"
#include "observers/commit_log.hpp"
#include "observers/tap_port.hpp"
#include "run/observers/coverage_json.hpp"
#include "run/options.hpp"
#include "run/run_observers.hpp"
#include "run/unit_stack.hpp"
#include "traffic/stream.hpp"

namespace gsu::cli {
namespace {

namespace fs = std::filesystem;
using namespace run;
using traffic::Stream;

struct StreamResult {
    std::string wrong;  ///< the first difference; empty: there is none
    traffic::Counts counts;
};

/// Reports commit number `at` as a difference, to test what the campaign does about it.
class Injected final : public PortObserver {
public:
    explicit Injected(std::uint64_t at) : left_(at) {}
    void onCommit(const Commit&) override
    {
        if (left_ != 0 && --left_ == 0) reached = true;
    }
    bool reached{};

private:
    std::uint64_t left_;
};

class RequestCampaign {
public:
    explicit RequestCampaign(const FuzzRequestsOptions& options);
    int run();

private:
    void resume();
    void save();
    bool stream(std::uint64_t number);
    [[nodiscard]] trace::Header headerOf(const Stream& stream, const CommonOptions& options,
                                         const Config& config) const;
    /// `files`: the beginning of the names of a trace and of waves, or of commits.
    [[nodiscard]] CommonOptions optionsOf(const Stream& stream, const std::string& files,
                                          bool commits) const;
    /// `coverage`: counts the cover points of the stream, or null.
    StreamResult runOne(const Stream& stream, const std::string& files = {}, bool commits = false,
                        Coverage* coverage = nullptr) const;
    void saveCoverage() const;
    void tell(std::uint64_t number, const Stream& stream, const StreamResult& result) const;
    [[nodiscard]] bool over() const;

    const FuzzRequestsOptions& options_;
    std::vector<traffic::Kind> kinds_;
    std::string unit_;
    traffic::Counts total_;
    Coverage coverage_{1};  ///< sum over all streams; this object observes nothing itself
    std::uint64_t next_, failures_{};
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

RequestCampaign::RequestCampaign(const FuzzRequestsOptions& options)
    : options_(options),
      unit_(!options.unit.empty()         ? options.unit
            : isBuilt(UnitKind::Lockstep) ? "lockstep"
                                          : "golden"),
      next_(options.from)
{
    for (std::size_t at = 0; !options.traffic.empty() && at <= options.traffic.size();) {
        const std::size_t comma = std::min(options.traffic.find(',', at), options.traffic.size());
        const std::string name = options.traffic.substr(at, comma - at);
        const auto kind = traffic::kindOf(name);
        if (!kind)
            throw InputError("--traffic", fmt::format("'{}' is none of {}", name,
                                                      fmt::join(traffic::kKindNames, ", ")));
        kinds_.push_back(*kind);
        at = comma + 1;
    }
    for (unsigned i = 0; options.traffic.empty() && i < traffic::kKindNames.size(); ++i)
        kinds_.push_back(static_cast<traffic::Kind>(i));
    checkOutputFile("--resume", options.resume);
    checkOutputFile("--coverage", options.coverage);
    makeOutputFolder("--out", options.out);
    makeOutputFolder("--record", options.record);
}

trace::Header RequestCampaign::headerOf(const Stream& s, const CommonOptions& options,
                                        const Config& config) const
{
    trace::Header header;
    header.unit = unit_;
    header.preset = s.ideal ? Preset::Ideal : Preset::Hopper;
    header.structure = options.choice.structure();
    header.config = config;
    header.sms = s.sms;
    header.seed = s.seed;
    return header;
}

CommonOptions RequestCampaign::optionsOf(const Stream& s, const std::string& files,
                                         bool commits) const
{
    CommonOptions options;
    options.unitName = unit_;
    options.presetName = s.ideal ? "ideal" : "hopper";
    options.choice.model = options_.model;
    options.assignments = s.sets;
    options.threads = 1;  // campaigns run side by side, one per processor
    if (!files.empty()) options.record = files + ".gsut";
    if (!files.empty() && !commits && options.unit() != UnitKind::Golden)
        options.fst = files + ".fst";
    return options;
}

StreamResult RequestCampaign::runOne(const Stream& s, const std::string& files, bool commits,
                                     Coverage* coverage) const
{
    const CommonOptions options = optionsOf(s, files, commits);
    const Config config = s.config(options.choice.structure());
    WordMemory memory(s.sms);
    UnitStack stack(options, s.sms, config, memory);
    TapPort port(stack.port());
    traffic::Counter counter(s.sms);
    Injected injected(options_.inject);
    port.add(counter);
    port.add(injected);
    if (coverage != nullptr) port.add(*coverage);
    RunObservers files_(options, headerOf(s, options, config));
    if (!files.empty()) port.add(files_.ports());
    std::unique_ptr<CommitLog> log;
    if (commits) port.add(*(log = std::make_unique<CommitLog>(files + ".commits")));
    StreamResult result;
    const traffic::Driven driven = traffic::drive(port, s);
    result.wrong = driven.wrong;
    if (const auto fault = port.fault()) result.wrong = fault->message;
    if (result.wrong.empty() && injected.reached)
        result.wrong = fmt::format("injected at commit {}", options_.inject);
    result.counts = counter.counts;
    result.counts.streams = 1;
    result.counts.cut = driven.cut;
    result.counts.cycles = port.now();
    if (files.empty()) return result;
    Outputs outputs;
    files_.finish({.now = port.now(), .endWaves = [&] { stack.finishWaves(); }}, outputs);
    if (log) outputs.add("commits", files + ".commits", [&] { log->close(); });
    outputs.check();
    return result;
}

void RequestCampaign::tell(std::uint64_t number, const Stream& s, const StreamResult& result) const
{
    const std::string_view kind = traffic::kKindNames[static_cast<std::size_t>(s.kind)];
    print(
        fmt::format("stream {} of seed {} ({}): {}\n", number, options_.seed, kind, result.wrong));
    print(fmt::format(
        "  again: gsu fuzz --requests 1 --seed {} --from {} --per-stream {} --unit {}{}\n",
        options_.seed, number, options_.perStream, unit_,
        options_.traffic.empty() ? "" : " --traffic " + options_.traffic));
    if (!options_.shrinking) return;
    const Stream small = traffic::smaller(
        s, [&](const Stream& candidate) { return !runOne(candidate).wrong.empty(); });
    print(fmt::format("  still wrong with {}, {}, preset {}{}\n",
                      counted(small.requests, "request"), counted(small.sms, "SM"),
                      small.ideal ? "ideal" : "hopper",
                      small.sets.empty() ? "" : fmt::format(", {}", fmt::join(small.sets, " "))));
    if (options_.out.empty()) return;
    const std::string files =
        (fs::path(options_.out) / fmt::format("stream_{}_{}", options_.seed, number)).string();
    static_cast<void>(runOne(small, files));
    print(fmt::format("  trace {0}.gsut: gsu replay {0}.gsut; waves {0}.fst\n", files));
}

bool RequestCampaign::stream(std::uint64_t number)
{
    const Stream s = traffic::streamOf(options_.seed, number, options_.perStream, kinds_);
    const std::string name = fmt::format("stream_{}_{}", options_.seed, number);
    const bool recording = !options_.record.empty();
    const std::string files = recording ? (fs::path(options_.record) / name).string() : "";
    std::unique_ptr<Coverage> coverage;
    if (!options_.coverage.empty()) coverage = std::make_unique<Coverage>(s.sms);
    const StreamResult result = runOne(s, files, recording, coverage.get());
    if (coverage) coverage_.add(*coverage);
    total_.add(result.counts);
    if (result.wrong.empty()) return true;
    tell(number, s, result);
    return false;
}

bool RequestCampaign::over() const
{
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin_;
    return total_.requests >= options_.requests ||
           (options_.seconds > 0 && since.count() >= options_.seconds);
}

/// Saves one line of JSON: where to continue, and the counts so far.
void RequestCampaign::save()
{
    if (options_.resume.empty()) return;
    nlohmann::ordered_json state{
        {"seed", options_.seed},       {"unit", unit_}, {"per_stream", options_.perStream},
        {"traffic", options_.traffic}, {"next", next_}, {"failures", failures_}};
    for (const auto& [name, field] : fieldsOf(total_)) state[name] = *field;
    AtomicFile file(options_.resume);
    file.write(state.dump() + "\n");
    file.commit();
}

void RequestCampaign::saveCoverage() const
{
    if (options_.coverage.empty()) return;
    AtomicFile file(options_.coverage);
    file.write(coverageJson(coverage_).dump(2) + "\n");
    file.commit();
}

void RequestCampaign::resume()
{
    std::ifstream in(options_.resume);
    if (options_.resume.empty() || !in) return;
    const auto state = nlohmann::json::parse(in, nullptr, false);
    const auto same = [&](const char* key, const nlohmann::json& value) {
        return state.is_object() && state.contains(key) && state[key] == value;
    };
    if (!same("seed", options_.seed) || !same("unit", unit_) ||
        !same("per_stream", options_.perStream) || !same("traffic", options_.traffic) ||
        !state.contains("next") || !state["next"].is_number_unsigned())
        throw InputError(options_.resume,
                         "is no state of this campaign: seed, unit, --per-stream, --traffic");
    next_ = state["next"];
    failures_ = state.value("failures", std::uint64_t{0});
    for (const auto& [name, field] : fieldsOf(total_)) *field = state.value(name, std::uint64_t{0});
}

int RequestCampaign::run()
{
    resume();
    while (!over()) {
        failures_ += stream(next_) ? 0 : 1;
        ++next_;
        save();
    }
    saveCoverage();
    std::string text;
    for (const auto& [name, field] : fieldsOf(total_))
        text += fmt::format("{:<13}{:>14}\n", name, *field);
    print(text + fmt::format("seed {}, streams {}..{}, unit {}, {}\n", options_.seed, options_.from,
                             next_, unit_, counted(failures_, "failure")));
    return failures_ == 0 ? kAsExpected : kNotAsExpected;
}

}  // namespace

int fuzzRequests(const FuzzRequestsOptions& options) { return RequestCampaign(options).run(); }

}  // namespace gsu::cli
