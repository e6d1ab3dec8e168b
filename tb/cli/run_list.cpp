// Lists of launches: they run in order per stream on one device memory; each has a report, and the list has one verdict.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/counted.hpp"
#include "base/input_error.hpp"
#include "cli/commands.hpp"
#include "cli/run_list.hpp"
#include "run/concurrent_launches.hpp"
#include "run/launch_run.hpp"
#include "run/run_report.hpp"

namespace gsu::cli {

using namespace run;

namespace {

using Json = nlohmann::ordered_json;

/// Checks before anything runs that every launch fits and that every output can be written.
std::vector<LaunchNeeds> checkAll(const RunSetup& setup, const LaunchFile& file, Device& device)
{
    std::vector<LaunchNeeds> needs;
    for (std::size_t i = 0; i < file.launches.size(); ++i) {
        const LaunchSpec& launch = file.launches[i];
        const CommonOptions files = optionsOf(setup.options, i);
        files.protect(file.common.ptx);
        files.protect(setup.options.input);
        for (const auto& module : file.common.linked) files.protect(module);
        for (const auto& data : file.common.files) files.protect(data);
        const std::uint64_t ctas = std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
        if (files.dumpCta >= ctas)
            throw InputError("--dump-cta",
                             fmt::format("the grid of launch {} has {}", i, counted(ctas, "CTA")));
        needs.push_back(device.check(launch, setup.limits));
        device.write(launch, true);
    }
    return needs;
}

/// Sums up the launches and reports the result of the list.
class ListReport {
public:
    /// `silent`: only times() is wanted.
    explicit ListReport(const RunSetup& setup, const LaunchFile& file, bool silent = false)
        : setup_(setup), file_(file), silent_(silent), ignored_(setup.limits.ignore)
    {
    }

    /// `overlap`: if several launches share a unit, the first launch of that unit and the cycle of the unit in which this one began.
    void add(std::size_t index, LaunchOutcome outcome,
             std::optional<std::pair<std::size_t, Cycle>> overlap = {})
    {
        const LaunchSpec& launch = file_.launches[index];
        count(index, outcome.result);
        if (cameToItsEnd(outcome.result)) times_[&launch] = outcome.result.timing;
        if (silent_) return;
        keep(outcome.outputs);
        ignored_.add(outcome.result.ignored);
        for (Json& item : outcome.findings) {
            item["launch"] = index;
            sarif_.push_back(std::move(item));
        }
        if (!outcome.hang.is_null()) hangs_.push_back(std::move(outcome.hang));
        if (setup_.options.json) {
            Json one{{"launch", index}, {"stream", launch.stream}};
            if (overlap) one["unit_of"] = overlap->first, one["begin"] = overlap->second;
            one["entry"] = entryOf(launch, setup_.module).name;
            one.update(outcome.json);
            if (outcome.json.contains("hang") && hang_.is_null()) {
                hang_ = outcome.json["hang"];
                hang_["launch"] = index;
            }
            for (const char* key : {"findings", "mismatches"}) {
                for (Json item : outcome.json[key]) {
                    item["launch"] = index;
                    (*key == 'f' ? findings_ : mismatches_).push_back(std::move(item));
                }
            }
            launches_.push_back(std::move(one));
        } else {
            std::string where = fmt::format("stream {}", launch.stream);
            if (overlap)
                where += fmt::format(", from cycle {} on the unit of launch {}", overlap->second,
                                     overlap->first);
            print(fmt::format("launch {} ({})\n", index, where) + outcome.text);
        }
    }
    /// Adds the time and the files of launches that shared a unit.
    void addUnit(Cycle cycles, const Outputs& outputs)
    {
        cycles_ += cycles;
        keep(outputs);
        if (!setup_.options.json && !outputs.text().empty())
            print("written: " + outputs.text() + '\n');
    }
    void addCycles(Cycle cycles) { cycles_ += cycles; }
    /// Adds the comparison of memory after all launches.
    void end(std::vector<Mismatch> mismatches)
    {
        if (mismatches.empty()) return;
        last_ = Verdict::Mismatch;
        asExpected_ = false;
        code_ = kNotAsExpected;
        atEnd_ = std::move(mismatches);
    }
    void show(const std::vector<PrintedMemory>& memory) const
    {
        const std::size_t all = file_.launches.size();
        if (setup_.options.json) {
            Json out{{"verdict", gsu::nameOf(last_)},
                     {"as_expected", asExpected_},
                     {"cycles", cycles_},
                     {"instructions", instructions_},
                     {"sync_requests", requests_},
                     {"unit", setup_.options.unitName},
                     {"seed", setup_.options.seed},
                     {"findings", findings_},
                     {"mismatches", mismatches_}};
            for (Json& item : mismatchesJson(atEnd_)) out["mismatches"].push_back(item);
            addStructure(out, setup_.options);
            addTensor(out, setup_.options);
            if (!hang_.is_null()) out["hang"] = hang_;
            ignored_.addTo(out);
            if (failed_) out["failed_launch"] = *failed_;
            out["launches"] = launches_;
            if (!memory.empty()) out["memory"] = printedJson(memory);
            return print(out.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n');
        }
        std::string text = mismatchesText(atEnd_) + printedText(memory);
        text += fmt::format("{} ({}as expected)  {}: {}, {}, {}", gsu::nameOf(last_),
                            asExpected_ ? "" : "NOT ", counted(all, "launch", "launches"),
                            counted(cycles_, "cycle"), counted(instructions_, "instruction"),
                            counted(requests_, "sync request"));
        text += tensorRemark(setup_.options);
        if (failed_) text += fmt::format("; launch {} ended the list", *failed_);
        if (!atEnd_.empty()) text += "; memory at the end";
        print(text + '\n' + ignored_.text());
    }
    /// Writes --sarif: one file for all launches.
    void writeSarif(Outputs& outputs) const
    {
        const std::string& path = setup_.options.sarif;
        outputs.add("findings", path, [&] { run::writeSarif(path, sarif_, hangs_); });
    }
    /// Throws the error that kept a file from being written.
    void check() const { outputs_.check(); }
    [[nodiscard]] int code() const noexcept { return code_; }
    [[nodiscard]] const InOrderTimes& times() const noexcept { return times_; }
    [[nodiscard]] bool good() const noexcept { return asExpected_; }
    [[nodiscard]] bool over() const noexcept { return ended_ || !asExpected_; }

private:
    /// Counts a launch. The first launch that does not end as expected decides the verdict of the list.
    void count(std::size_t index, const RunResult& r)
    {
        instructions_ += r.instructions;
        requests_ += r.syncRequests;
        if (failed_ || ended_) return;
        ended_ = r.asExpected && (r.verdict == Verdict::Hang || r.verdict == Verdict::Trap);
        last_ = r.verdict;
        asExpected_ = r.asExpected;
        code_ = exitCode(r);
        if (!asExpected_) failed_ = index;
    }
    void keep(const Outputs& outputs)
    {
        if (good_) outputs_ = outputs;
        good_ = good_ && outputs.good();
    }
    const RunSetup& setup_;
    const LaunchFile& file_;
    bool silent_{};
    InOrderTimes times_;
    std::uint64_t cycles_{}, instructions_{}, requests_{};
    Verdict last_{};
    bool asExpected_{true};
    bool ended_{};  ///< a launch that was expected to end the list has ended it
    int code_{};
    bool good_{true};  ///< all files were written
    Outputs outputs_;
    std::optional<std::size_t> failed_;
    Json launches_ = Json::array(), findings_ = Json::array(), mismatches_ = Json::array();
    Json sarif_ = Json::array(), hangs_ = Json::array();
    IgnoredCounts ignored_;
    std::vector<Mismatch> atEnd_;
    Json hang_;  ///< hang of the launch that ended the list
};

std::string nameOf(std::size_t launch, const std::string& memory)
{
    return fmt::format("launch{}.{}", launch, memory);
}

/// All memory contents that --dump-memory may write.
std::vector<MemoryContents> dumpedNames(const LaunchFile& file, const Device& device)
{
    std::vector<MemoryContents> names = device.contents(false);
    for (std::size_t i = 0; i < file.launches.size(); ++i) {
        for (std::size_t p = 0; p < file.launches[i].params.size(); ++p) {
            if (file.launches[i].params[p].kind == LaunchParam::Kind::Buffer)
                names.push_back({nameOf(i, fmt::format("param{}", p)), {}});
        }
    }
    return names;
}

/// The number of launches that begin when this one has signalled or ended.
unsigned waitingFor(const std::vector<LaunchSpec>& launches, std::size_t index)
{
    return static_cast<unsigned>(std::count_if(
        launches.begin() + static_cast<std::ptrdiff_t>(index) + 1, launches.end(),
        [&](const LaunchSpec& l) { return l.dependent && l.stream == launches[index].stream; }));
}

/// Runs one launch on a unit of its own.
void runAlone(const RunSetup& setup, const LaunchFile& file, Device& device, std::size_t index,
              ListReport& report, std::vector<MemoryContents>* dumped)
{
    const LaunchSpec& launch = file.launches[index];
    device.write(launch);
    Executor executor(launch, device, setup.limits);
    executor.setBehind(waitingFor(file.launches, index));
    LaunchOutcome outcome = runLaunch(setup, optionsOf(setup.options, index), launch, executor);
    report.addCycles(outcome.result.cycles);
    report.add(index, std::move(outcome));
    if (dumped == nullptr) return;
    for (MemoryContents& m : executor.contents())
        dumped->push_back({nameOf(index, m.name), std::move(m.bytes)});
}

/// Runs several launches on one unit.
void runConcurrently(const RunSetup& setup, const LaunchFile& file, Device& device,
                     const ConcurrentLaunches& which, unsigned sms, ListReport& report,
                     std::vector<MemoryContents>* dumped)
{
    ConcurrentRun run(setup, file, device, which, sms, dumped != nullptr);
    for (ConcurrentRun::Ended& e : run.run()) {
        report.add(e.index, std::move(e.outcome), std::pair{which.front(), e.begun});
        if (dumped == nullptr) continue;
        for (MemoryContents& m : e.contents)
            dumped->push_back({nameOf(e.index, m.name), std::move(m.bytes)});
    }
    report.addUnit(run.cycles(), run.finish());
}

/// Runs all launches until one does not end as expected.
void runAll(const RunSetup& setup, const LaunchFile& file, Device& device,
            const std::vector<LaunchNeeds>& needs, ListReport& report,
            std::vector<MemoryContents>* wanted)
{
    const auto order = orderOf(file.launches, setup.options.seed);
    for (const ConcurrentLaunches& which : concurrentLaunches(file.launches, order, needs)) {
        unsigned sms = 1;
        for (const std::size_t index : which) sms = std::max(sms, needs[index].sms);
        if (which.size() == 1)
            runAlone(setup, file, device, which.front(), report, wanted);
        else
            runConcurrently(setup, file, device, which, sms, report, wanted);
        if (report.over()) break;
    }
}

/// With window 1, on a memory of its own; writes and says nothing.
InOrderTimes timesInOrder(const RunSetup& setup, const LaunchFile& file,
                          const std::vector<LaunchNeeds>& needs)
{
    const CommonOptions quiet = withoutFiles(setup.options);
    ShownWarnings shown;
    RunSetup one = inOrder(setup, quiet);
    one.shown = &shown;
    Device device(file.common, one.module, one.limits);
    ListReport report(one, file, true);
    runAll(one, file, device, needs, report, nullptr);
    return report.times();
}

}  // namespace

int runList(const RunSetup& given, const LaunchFile& file)
{
    ShownWarnings shown;
    RunSetup setup = given;
    setup.shown = &shown;
    Device device(file.common, setup.module, setup.limits);
    const std::vector<LaunchNeeds> needs = checkAll(setup, file, device);
    const MemoryDump dump(setup.options, file.common, dumpedNames(file, device));
    InOrderTimes times;
    if (setup.options.range) {
        times = timesInOrder(setup, file, needs);
        setup.inOrder = &times;
    }
    ListReport report(setup, file);
    std::vector<MemoryContents> dumped;
    std::vector<MemoryContents>* const wanted = dump.wanted() ? &dumped : nullptr;
    runAll(setup, file, device, needs, report, wanted);
    if (report.good() && setup.limits.tensor != TensorMode::Skip && setup.limits.params.of == 0)
        report.end(device.compare());
    Outputs outputs;
    if (dump.wanted()) {
        for (MemoryContents& m : device.contents()) dumped.push_back(std::move(m));
        dump.write(dumped, outputs);
    }
    report.show(setup.options.print == 0
                    ? std::vector<PrintedMemory>{}
                    : printedMemory(setup.options.print, file.common, device.contents()));
    report.writeSarif(outputs);
    report.check();
    outputs.check();
    return report.code();
}

}  // namespace gsu::cli
