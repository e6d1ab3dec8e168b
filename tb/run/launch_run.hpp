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
#include "run/parts_run.hpp"
#include "run/run_report.hpp"

namespace gsu::run {

/// The time of each launch with window 1.
using InOrderTimes = std::map<const LaunchSpec*, std::shared_ptr<const TimingReport>>;

/// Settings that all launches of a run share.
struct RunSetup {
    const CommonOptions& options;
    Preset preset{};
    Config config;
    RunOptions limits;
    const ptx::Module& module;
    ShownWarnings* shown{};         ///< for a list of launches
    const InOrderTimes* inOrder{};  ///< with --range
};

struct LaunchOutcome {
    RunResult result;
    Outputs outputs;                        ///< files that were written
    std::string text;                       ///< the report for people
    nlohmann::ordered_json json;            ///< the report for programs
    nlohmann::ordered_json findings, hang;  ///< input of the SARIF file, if it is wanted
};

/// One launch from its begin to the report: its unit and its observers.
class LaunchRun {
public:
    /// Prepares a launch. All arguments must outlive it; `files` names the files of this launch. `shared`: the unit on which it runs beside
    /// other launches, and which has its own waves, trace and timeline. Throws InputError.
    LaunchRun(const RunSetup& setup, const CommonOptions& files, const LaunchSpec& spec,
              Executor& executor, SyncPort* shared = nullptr);
    ~LaunchRun();
    LaunchRun(const LaunchRun&) = delete;
    LaunchRun& operator=(const LaunchRun&) = delete;

    /// The port for a caller that runs the executor itself, in place of run().
    [[nodiscard]] SyncPort& port();
    /// Runs the launch, on several threads if the result is the same.
    [[nodiscard]] RunResult run();
    /// Writes the files, and `memory`, if given.
    [[nodiscard]] LaunchOutcome finish(RunResult result, const MemoryDump* memory = nullptr);

private:
    struct Parts;
    [[nodiscard]] std::unique_ptr<Parts> parts(unsigned threads, SyncPort* shared) const;
    const RunSetup setup_;
    const CommonOptions& files_;
    const LaunchSpec& spec_;
    Executor& executor_;
    const std::string entry_;
    const unsigned sms_;         ///< SMs of the unit
    const PartThreads threads_;  ///< more than one: it is run in parts, if possible
    std::unique_ptr<Parts> parts_;
};

/// Runs a launch and writes the files of `files` (those of the run, or of one launch of a list) except memory, and `memory`, if given.
[[nodiscard]] LaunchOutcome runLaunch(const RunSetup& setup, const CommonOptions& files,
                                      const LaunchSpec& spec, Executor& executor,
                                      const MemoryDump* memory = nullptr);
/// The setup with the unit of the module's target.
[[nodiscard]] RunSetup forModule(RunSetup setup, const CommonOptions& options);

/// The options of a run that writes no file and prints nothing.
[[nodiscard]] CommonOptions withoutFiles(const CommonOptions& options);
/// The setup with window 1 and these options.
[[nodiscard]] RunSetup inOrder(const RunSetup& setup, const CommonOptions& options);

[[nodiscard]] int exitCode(const RunResult& result);
/// Whether all CTAs of the run have ended by themselves, with findings or without: then its time is that of the launch.
[[nodiscard]] bool cameToItsEnd(const RunResult& result);
/// The first elements of the buffers in `contents`, for --print; `spec` has the types.
[[nodiscard]] std::vector<PrintedMemory> printedMemory(std::size_t most, const LaunchSpec& spec,
                                                       const std::vector<MemoryContents>& contents);
/// "t.1.gsut" for "t.gsut": the index of a launch before the ending. Empty stays empty.
[[nodiscard]] std::string numbered(const std::string& path, std::size_t index);

}  // namespace gsu::run
