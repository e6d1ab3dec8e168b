/// Reports on launches: a line for each on standard error, a report for the chosen ones, a record of each for `gsu exec`.
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

/// The times at which a long launch gets a line: after 10 s, and each time that the elapsed time has doubled.
class Patience {
public:
    using Clock = std::chrono::steady_clock;
    explicit Patience(Clock::time_point start) noexcept : start_(start) {}
    /// The seconds since the start, if a line is due.
    [[nodiscard]] std::optional<std::uint64_t> due(Clock::time_point now) noexcept;

private:
    Clock::time_point start_;
    std::chrono::seconds next_{10};
};

class Reporter {
public:
    explicit Reporter(const run::ExecSettings& settings);

    /// The number of a launch, and its options: those of chosen launches, or of the others.
    struct Turn {
        std::uint64_t number{};  ///< number among all launches, from 0
        bool chosen{};
        run::CommonOptions options;
        bool functional{};  ///< on the golden model without latencies
        [[nodiscard]] const char* unitName() const noexcept
        {
            return functional ? run::ExecSettings::kFunctional : options.unitName.c_str();
        }
    };
    [[nodiscard]] Turn begin(const LaunchCall& call);
    /// Writes a line on the progress of a running launch.
    void running(const Turn& turn, const LaunchCall& call, const RunProgress& progress,
                 std::uint64_t seconds) const;
    /// Reports the end of a launch. `outcome.json` is an object if it was chosen and --json is given.
    void end(const Turn& turn, const LaunchCall& call, const run::LaunchOutcome& outcome,
             const ptx::Module& module, Status status);
    /// Reports a launch that could not be executed.
    void refused(const Turn& turn, const LaunchCall& call, const std::string& why);
    /// Reports memory that is not freed when the process ends or resets its device.
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
