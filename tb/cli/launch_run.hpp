/// One launch of `gsu run` from executor to report, with the files that the options name.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "cli/memory_dump.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "cli/run_report.hpp"
#include "exec/machine/executor.hpp"

namespace gsu::cli {

/// What all launches of a run have in common.
struct RunSetup {
    const CommonOptions& options;
    Preset preset{};
    Config config;
    RunOptions limits;
    const ptx::Module& module;
};

struct LaunchOutcome {
    RunResult result;
    Outputs outputs;              ///< what was written
    std::string text;             ///< the report for people
    nlohmann::ordered_json json;  ///< the report for programs
};

/// Runs it and writes the files that `files` names (those of the run, or of one launch of a list) but memory.
/// `memory` is written with them, if given.
[[nodiscard]] LaunchOutcome runLaunch(const RunSetup& setup, const CommonOptions& files,
                                      const LaunchSpec& spec, Executor& executor,
                                      const MemoryDump* memory = nullptr);
/// Runs the launches of a list; prints the reports. The exit code.
[[nodiscard]] int runList(const RunSetup& setup, const LaunchFile& file);

[[nodiscard]] int exitCode(const RunResult& result);
/// For --print: the first elements of what is among `contents`; `spec` has the types.
[[nodiscard]] std::vector<PrintedMemory> printedMemory(std::size_t most, const LaunchSpec& spec,
                                                       const std::vector<MemoryContents>& contents);
/// "t.1.gsut" of "t.gsut": the index of a launch before the ending. Empty stays empty.
[[nodiscard]] std::string numbered(const std::string& path, std::size_t index);

}  // namespace gsu::cli
