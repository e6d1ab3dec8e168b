/// What is told about launches: a line for each on standard error, a report for the chosen ones, a record of each for `gsu exec`.
#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "cuda/code/launch.hpp"
#include "cuda/device/message.hpp"
#include "run/exec_settings.hpp"

namespace gsu::run {
struct LaunchOutcome;
}

namespace gsu::cuda {

class Heap;

/// When a launch that takes long is worth a line: after 10 s, and each time it has taken twice as long.
class Patience {
public:
    using Clock = std::chrono::steady_clock;
    explicit Patience(Clock::time_point start) noexcept : start_(start) {}
    /// The seconds since the start, when a line is due.
    [[nodiscard]] std::optional<std::uint64_t> due(Clock::time_point now) noexcept;

private:
    Clock::time_point start_;
    std::chrono::seconds next_{10};
};

class Reporter {
public:
    explicit Reporter(const run::ExecSettings& settings);

    /// Counts the launch. What it is run with: the options of a launch that is looked at, or those of the others.
    struct Turn {
        std::uint64_t number{};  ///< of all launches, from 0
        bool chosen{};
        run::CommonOptions options;
        bool functional{};  ///< on the golden model without latencies
        [[nodiscard]] const char* unitName() const noexcept
        {
            return functional ? run::ExecSettings::kFunctional : options.unitName.c_str();
        }
    };
    [[nodiscard]] Turn begin(const LaunchCall& call);
    /// It has been running for so long, and is so far: a line.
    void running(const Turn& turn, const LaunchCall& call, const RunProgress& progress,
                 std::uint64_t seconds) const;
    /// It is over. `outcome.json` is an object where it was chosen and --json is given.
    void end(const Turn& turn, const LaunchCall& call, const run::LaunchOutcome& outcome,
             const ptx::Module& module, Status status);
    /// It could not be executed.
    void refused(const Turn& turn, const LaunchCall& call, const std::string& why);
    /// The process ends, or its device is reset: what it has not freed.
    void leaks(const Heap& heap);

private:
    void record(const std::string& line) const;

    const run::ExecSettings& settings_;
    const std::optional<run::KernelChoice> choice_;
    const std::string folder_;
    std::uint64_t launches_{};
    std::map<std::string, std::uint64_t> byName_;
};

}  // namespace gsu::cuda
