/// One launch of `gsu run` from executor to report, with the files that the options name.
#pragma once
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "exec/machine/executor.hpp"
#include "run/memory_dump.hpp"
#include "run/options.hpp"
#include "run/outputs.hpp"
#include "run/run_report.hpp"

namespace gsu::run {

/// What each launch took with window 1.
using InOrderTimes = std::map<const LaunchSpec*, std::shared_ptr<const TimingReport>>;

/// What all launches of a run have in common.
struct RunSetup {
    const CommonOptions& options;
    Preset preset{};
    Config config;
    RunOptions limits;
    const ptx::Module& module;
    ShownWarnings* shown{};         ///< of a list of launches
    const InOrderTimes* inOrder{};  ///< with --range
};

struct LaunchOutcome {
    RunResult result;
    Outputs outputs;                        ///< what was written
    std::string text;                       ///< the report for people
    nlohmann::ordered_json json;            ///< the report for programs
    nlohmann::ordered_json findings, hang;  ///< for SARIF, if that is wanted
};

/// One launch from its begin to the report: what it is run on, and what watches it.
class LaunchRun {
public:
    /// All must outlive it; `files` names the files of this launch. `shared`: where it runs, on a unit that is others', too, and has its own waves,
    /// trace and timeline. Throws InputError.
    LaunchRun(const RunSetup& setup, const CommonOptions& files, const LaunchSpec& spec,
              Executor& executor, SyncPort* shared = nullptr);
    ~LaunchRun();
    LaunchRun(const LaunchRun&) = delete;
    LaunchRun& operator=(const LaunchRun&) = delete;

    /// What the executor is to be run on by others; run() does it here.
    [[nodiscard]] SyncPort& port();
    /// Runs it, on several threads where that gives the same.
    [[nodiscard]] RunResult run();
    /// Writes the files; `memory` with them, if given.
    [[nodiscard]] LaunchOutcome finish(RunResult result, const MemoryDump* memory = nullptr);

private:
    struct Parts;
    [[nodiscard]] std::unique_ptr<Parts> parts(unsigned threads, SyncPort* shared) const;
    const RunSetup setup_;
    const CommonOptions& files_;
    const LaunchSpec& spec_;
    Executor& executor_;
    const std::string entry_;
    const unsigned sms_;      ///< of the unit
    const unsigned threads_;  ///< more than one: it is run in parts, if it can be
    std::unique_ptr<Parts> parts_;
};

/// Runs it and writes the files that `files` names (those of the run, or of one launch of a list) but memory.
/// `memory` is written with them, if given.
[[nodiscard]] LaunchOutcome runLaunch(const RunSetup& setup, const CommonOptions& files,
                                      const LaunchSpec& spec, Executor& executor,
                                      const MemoryDump* memory = nullptr);
/// The unit is that of the module's target.
[[nodiscard]] RunSetup forModule(RunSetup setup, const CommonOptions& options);

/// Options of a run that writes no file and prints nothing.
[[nodiscard]] CommonOptions withoutFiles(const CommonOptions& options);
/// The same with window 1, and with these options.
[[nodiscard]] RunSetup inOrder(const RunSetup& setup, const CommonOptions& options);

[[nodiscard]] int exitCode(const RunResult& result);
/// For --print: the first elements of what is among `contents`; `spec` has the types.
[[nodiscard]] std::vector<PrintedMemory> printedMemory(std::size_t most, const LaunchSpec& spec,
                                                       const std::vector<MemoryContents>& contents);
/// "t.1.gsut" of "t.gsut": the index of a launch before the ending. Empty stays empty.
[[nodiscard]] std::string numbered(const std::string& path, std::size_t index);

}  // namespace gsu::run
