#include "run/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "base/input_error.hpp"
#include "base/number.hpp"
#include "base/output_path.hpp"
#include "exec/timing/unit_values.hpp"
#include "golden/wave_scopes.hpp"
#include "ptx/check.hpp"

namespace gsu::run {

namespace {

/// Clocks dumped on each side of --fst-around.
constexpr Cycle kAround = 2000;
constexpr std::string_view kTimingKey = "exec.timing=";
constexpr const char* kOfTarget = "target";  ///< --timing: see CommonOptions::chooseTiming

[[noreturn]] void refuse(const std::string& option, const std::string& reason)
{
    throw InputError(option, reason);
}

/// The words that --fst-around accepts in place of a cycle.
bool isEvent(const std::string& text) { return text == "finding" || text == "hang"; }

std::string notEmpty(const std::string& text) { return text.empty() ? "must not be empty" : ""; }

}  // namespace

std::string unsignedNumber(const std::string& text)
{
    if (wholeNumber(text)) return {};
    const LeadingNumber number = leadingNumber(text);
    const bool above = number.large && number.used == text.size();
    const bool below =
        text.size() > 1 && text[0] == '-' &&
        std::all_of(text.begin() + 1, text.end(), [](char c) { return c >= '0' && c <= '9'; });
    return "'" + text +
           (above   ? "' is above 2^64 - 1"
            : below ? "' is below 0"
                    : "' is not a whole number");
}

std::string aboveZero(const std::string& text)
{
    return wholeNumber(text) == 0 ? "must be 1 or more" : unsignedNumber(text);
}

// long: a list of one call per option
void CommonOptions::addTo(CLI::App& app)
{
    app.add_option("--unit", unitName,
                   "What answers: rtl, golden, or lockstep (the RTL, followed by the golden model)")
        ->capture_default_str()
        ->check(CLI::IsMember({"rtl", "golden", "lockstep"}));
    app.add_flag("--json", json, "One JSON object on standard output, nothing else there");
    CLI::Option* waveFile =
        app.add_option("--fst", fst, "Write waves to FILE")->check(notEmpty)->type_name("FILE");
    CLI::Option* part = app.add_option("--fst-window", fstWindow, "Only the cycles FROM:TO")
                            ->needs(waveFile)
                            ->check(notEmpty)
                            ->type_name("FROM:TO");
    app.add_option_function<std::string>(
           "--fst-around", [this](const std::string& text) { setAround(text); },
           "Only 2000 cycles before and after CYCLE, or around the first finding or the hang of "
           "the run, which then runs twice")
        ->needs(waveFile)
        ->excludes(part)
        ->check([](const std::string& text) {
            return isEvent(text) ? std::string() : unsignedNumber(text);
        })
        ->type_name("CYCLE|finding|hang");
    app.add_option("--waves", waves,
                   "Waves of these parts only, with commas: smN, a unit of all SMs or smN.UNIT "
                   "(units: " +
                       waveUnits() + "), net")
        ->needs(waveFile)
        ->check(notEmpty)
        ->type_name("PARTS");
    app.add_option("--record", record, "Write a trace to FILE (.gsut, compressed with .gsut.zst)")
        ->check(notEmpty)
        ->type_name("FILE");
    app.add_option(
           "--timeline", timeline,
           "Write a timeline for Perfetto to FILE (.pftrace); gsu timeline makes JSON of it")
        ->check(notEmpty)
        ->type_name("FILE");
    app.add_flag("--coverage", coverage, "Count the cover points that can be seen at the port");
    app.add_option("--check", checkName,
                   "race: find accesses to memory that conflict and that nothing orders")
        ->check(CLI::IsMember({"race"}));
    app.add_option("--threads", threads,
                   "Threads for launches of several SMs (default: as many as there are "
                   "processors). Results are the same")
        ->check(CLI::Range(1u, 256u));
    app.add_flag("--assertions", assertions,
                 "The RTL checks its own assertions as well (three times slower)");
    app.add_option("--set", assignments, "Set a parameter (see gsu params); may be repeated")
        ->type_name("KEY=VALUE");
    app.add_option("--preset", presetName,
                   "Parameters of hopper (default), ampere, blackwell or ideal")
        ->check(CLI::IsMember({"hopper", "ampere", "blackwell", "ideal"}));
    app.add_option(
           "--max-cycles", maxCycles,
           "Stop with verdict 'limit' after N cycles (default: when nothing has changed or no "
           "CTA has started or ended for a minute or more of work)")
        ->check(aboveZero)
        ->type_name("N");
    app.add_option("--seed", seed, "Choose among legal interleavings")
        ->capture_default_str()
        ->check(unsignedNumber)
        ->type_name("N");
}

void CommonOptions::setAround(const std::string& text)
{
    if (isEvent(text))
        fstEvent = text;
    else
        fstAround = wholeNumber(text);
}

void CommonOptions::addStructureTo(CLI::App& app)
{
    CLI::Option* with =
        app.add_option("--with", choice.with,
                       "Structure of the SMs, as gsu build made it (gsu params --structure)")
            ->check(notEmpty)
            ->type_name("NAME=VALUE,...");
    app.add_option("--model", choice.model,
                   "A model by the name that gsu build --name gave it, or its file or folder")
        ->excludes(with)
        ->check(notEmpty)
        ->type_name("NAME|PATH");
}

void CommonOptions::addFindingsTo(CLI::App& app)
{
    app.add_flag("--record-accesses", recordAccesses,
                 "The trace holds every access to memory as well: gsu replay --check race finds "
                 "races in it")
        ->needs(app.get_option("--record"));
    app.add_option(
           "--ignore", ignores,
           "Leave out findings of a rule, or those of one PTX line: they are counted and make "
           "no verdict; may be repeated (gsu rules lists the rules)")
        ->allow_extra_args(false)
        ->type_name("RULE[@LINE]");
    app.add_option("--ignore-file", ignoreFile,
                   "The same from FILE: one RULE or RULE@LINE a line, # begins a comment")
        ->check(notEmpty)
        ->type_name("FILE");
    app.add_option("--sarif", sarif,
                   "Write the findings to FILE as SARIF 2.1.0, for editors and CI")
        ->check(notEmpty)
        ->type_name("FILE");
}

void CommonOptions::addTimingTo(CLI::App& app)
{
    app.add_option("--timing", timingName,
                   "Times of what runs around the unit: simple (fixed latencies, the default), "
                   "hopper or blackwell (tb/exec/timing.md); target: what the PTX is for, which is "
                   "simple below sm_90 and with --preset ampere or ideal")
        ->check(CLI::IsMember({"simple", "hopper", "blackwell", kOfTarget}))
        ->type_name("NAME");
    app.add_option(
           "--of", of,
           "Treat the simulated SMs as a sample of N SMs with the same work: they get their "
           "share of the bandwidth of L2 and HBM, and of the CTAs. Results are not checked "
           "(with --timing)")
        ->check(CLI::Range(1u, 1024u))
        ->type_name("N");
}

void CommonOptions::addRangeTo(CLI::App& app)
{
    app.add_flag("--range", range,
                 "Run once more with instructions in the order of the PTX (timing.window=1), and "
                 "give each figure of time for both: machine code lies between (with --timing)");
}

void CommonOptions::checkRange(const ExecParams& params) const
{
    if (!range) return;
    if (params.timing == Timing::Simple)
        refuse("--range", "goes with --timing hopper or blackwell");
    if (params.servers.window == 1)
        refuse("--range", "timing.window is 1, the other end of the range, already");
}
void CommonOptions::addChipTo(CLI::App& app)
{
    app.add_option("--chip", chipName,
                   "Simulate all SMs of a chip, with its clock, and its preset unless --preset is "
                   "given: " +
                       chipNames())
        ->check([](const std::string& name) {
            return chipOf(name) != nullptr ? "" : "'" + name + "' is not one of " + chipNames();
        })
        ->excludes(app.get_option("--of"))
        ->type_name("NAME");
}

const ChipModel* CommonOptions::chip() const { return chipOf(chipName); }

UnitKind CommonOptions::unit() const
{
    const std::optional<UnitKind> kind = unitKindOf(unitName);
    if (!kind) refuse("--unit", "'" + unitName + "' is not rtl, golden or lockstep");
    return *kind;
}

std::string CommonOptions::unitText() const
{
    const std::string with = textOf(choice.structure());
    return with.empty() ? unitName : unitName + " with " + with;
}

TensorMode CommonOptions::tensor() const noexcept
{
    return tensorName == "skip"       ? TensorMode::Skip
           : tensorName == "truncate" ? TensorMode::Truncate
                                      : TensorMode::Compute;
}

std::optional<Preset> CommonOptions::preset() const
{
    if (presetName.empty()) return chip() != nullptr ? std::optional(chip()->preset) : std::nullopt;
    Preset preset{};
    if (!presetOf(presetName, preset))
        refuse("--preset", "'" + presetName + "' is not hopper, ampere, blackwell or ideal");
    return preset;
}

void CommonOptions::applySettings(Config& config, ExecParams& params) const
{
    for (const std::string& assignment : assignments) {
        if (assignment.starts_with(kTimingKey)) continue;  // settings() has applied it
        const std::string error = isExecParameter(assignment)
                                      ? setExecParameter(params, assignment)
                                      : setParameter(config, assignment, choice.structure());
        if (!error.empty()) refuse("--set " + assignment, error);
    }
}

/// Derives latencies of the executor from the unit's parameters: a load from another CTA crosses the network twice (the hop of the unit),
/// and the overlap and the interval of fences follow the unit's fence, as an H100 and an H200 show.
void CommonOptions::followUnit(ExecParams& params, const Config& usual, const Config& unit) const
{
    if (params.timing == Timing::Simple) return;
    const auto follow = [&](const char* key, std::uint32_t& value, std::int64_t more,
                            std::int64_t least) {
        const auto named = [key](const std::string& a) { return a.starts_with(key); };
        if (std::ranges::any_of(assignments, named)) return;
        value = static_cast<std::uint32_t>(std::max(value + more, least));
    };
    timing::TimingParams& servers = params.servers;
    follow("timing.dsm_lat=", servers.dsm_lat,
           2 * (std::int64_t{unit.dsm_hop} - std::int64_t{usual.dsm_hop}), 1);
    follow("timing.fence_overlap=", servers.fence_overlap,
           std::int64_t{unit.fence_gpu_lat} - std::int64_t{usual.fence_gpu_lat}, 0);
    follow("timing.fence_interval=", servers.fence_interval,
           (std::int64_t{unit.fence_gpu_lat} - std::int64_t{usual.fence_gpu_lat}) * 7 / 10, 0);
}

void CommonOptions::chooseTiming(const std::string& target, const std::string& inFile)
{
    if (timingName != kOfTarget) return;
    const auto names = [](const std::string& a) { return a.starts_with(kTimingKey); };
    const Preset machine = preset().value_or(Preset::Hopper);
    timingName.clear();
    if (std::ranges::any_of(assignments, names) || !inFile.empty()) return;
    if (machine == Preset::Ampere || machine == Preset::Ideal ||
        !ptx::detail::targetAtLeast(target, 90)) {
        timingName = nameOf(Timing::Simple);
        range = false;  // this timing has no range
        return;
    }
    const bool blackwell = machine == Preset::Blackwell || ptx::detail::targetAtLeast(target, 100);
    timingName = nameOf(blackwell ? Timing::Blackwell : Timing::Hopper);
}

Config CommonOptions::settings(Preset preset, ExecParams& params, const LaunchSpec* launch) const
{
    Config config = configOf(preset, choice.structure());
    params = execParamsOf(preset);
    std::string timing = launch != nullptr ? launch->timing : std::string{};
    for (const std::string& assignment : assignments) {
        if (assignment.starts_with(kTimingKey)) timing = assignment.substr(kTimingKey.size());
    }
    if (!timingName.empty()) timing = timingName;
    if (!timing.empty()) {
        if (const std::string error = setTiming(params, timing); !error.empty())
            refuse("--set exec.timing", error);
    }
    if (const ChipModel* whole = chip(); whole != nullptr)
        params.clock_mhz = params.servers.clock_mhz = whole->clockMhz;
    const unsigned part = of == 0 && launch != nullptr ? launch->of : of;
    if (part != 0) {
        const std::string error = setPart(params, std::to_string(part));
        if (!error.empty() && of == 0) launch->fail("/of", error);
        if (!error.empty()) refuse("--of", error);
    }
    // The unit of an ampere or an ideal machine does not change.
    if (params.timing == Timing::Hopper && preset == Preset::Hopper)
        timing::applyUnitValues(config, timing::Target::Hopper);
    if (params.timing == Timing::Blackwell && preset == Preset::Blackwell)
        timing::applyUnitValues(config, timing::Target::Blackwell);
    const Config usual = config;
    applySettings(config, params);
    followUnit(params, usual, config);
    return config;
}

Config CommonOptions::forTarget(Config config, const std::string& target) const
{
    constexpr std::uint32_t kSm80 = 4;
    for (const std::string& assignment : assignments)
        if (assignment.starts_with("mbar_policy=")) return config;
    config.mbar_policy = std::uint8_t(config.mbar_policy & ~kSm80);
    if (!ptx::detail::targetAtLeast(target, 90)) config.mbar_policy |= kSm80;
    return config;
}

void CommonOptions::window(Cycle& from, Cycle& to) const
{
    from = 0;
    to = kNever;
    if (fstAround) {
        from = *fstAround > kAround ? *fstAround - kAround : 0;
        to = *fstAround + kAround;
    }
    if (fstWindow.empty()) return;
    const auto colon = std::min(fstWindow.find(':'), fstWindow.size());
    const std::string_view text = fstWindow;
    const auto first = wholeNumber(text.substr(0, colon));
    const auto last = wholeNumber(text.substr(std::min(colon + 1, text.size())));
    if (!first || !last) refuse("--fst-window", "'" + fstWindow + "' is not FROM:TO");
    if (*first > *last)
        refuse("--fst-window", "'" + fstWindow + "': TO, " + std::to_string(*last) +
                                   ", is before FROM, " + std::to_string(*first));
    from = *first;
    to = *last;
}

void CommonOptions::check() const
{
    const UnitKind kind = unit();
    static_cast<void>(preset());
    Cycle from = 0, to = 0;
    window(from, to);
    if (!fst.empty() && kind == UnitKind::Golden)
        refuse("--fst", "the golden model has no waves; use --unit rtl or lockstep");
    static_cast<void>(suppressions());
    const auto files = outputFiles();
    for (std::size_t i = 0; i < files.size(); ++i) {
        const std::string& name = *files[i].second;
        if (name.empty()) continue;
        if (name == input) refuse(files[i].first, "'" + name + "' is an input of this run");
        for (std::size_t k = 0; k < i; ++k)
            if (name == *files[k].second)
                refuse(files[i].first, "'" + name + "' is the file of " + files[k].first + ", too");
    }
    protect(input);
    if (timeline.ends_with(".json"))
        refuse("--timeline", "timelines are written in Perfetto's format: --timeline T.pftrace; "
                             "gsu timeline T.pftrace T.json makes JSON of one");
}

std::vector<std::pair<const char*, const std::string*>> CommonOptions::outputFiles() const
{
    return {{"--fst", &fst}, {"--record", &record}, {"--timeline", &timeline},
            {"--dot", &dot}, {"--sarif", &sarif},   {"--dump-smem", &dumpSmem}};
}

void CommonOptions::protect(const std::filesystem::path& read) const
{
    for (const auto& [option, name] : outputFiles()) {
        checkOutputFile(option, *name);
        std::error_code error;
        if (!name->empty() && std::filesystem::equivalent(*name, read, error) && !error)
            refuse(option, "'" + *name + "' cannot be written: it is an input of this run");
    }
}

}  // namespace gsu::run
