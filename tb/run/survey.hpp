/// The survey of a launch of which k of N SMs are simulated: a run before the timed one that finds which lines the other SMs read as well.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

#include "run/launch_run.hpp"

namespace gsu::run {

/// Runs the CTAs that N SMs hold at once, and those after them, on the golden unit, with memory of its own and without products or times, until the first ones
/// have ended or the budget is spent. Nothing: all SMs are simulated, there is no timing model, or so many CTAs take too much memory.
[[nodiscard]] std::shared_ptr<const timing::Sharing> surveyOf(const RunSetup& setup,
                                                              const LaunchSpec& spec);

/// Watches a run that only looks at what a launch does. It ends when `stop` or, for the user, `stopped` becomes true.
class SurveyWatch : public ExecObserver, public AccessObserver {
public:
    explicit SurveyWatch(const std::atomic<bool>* stopped) : stopped_(stopped) {}
    void completes(std::uint64_t) override {}
    void onGroup(const GroupStep&) override {}
    std::atomic<bool> stop{};

protected:
    void look()
    {
        if (stopped_ != nullptr && stopped_->load(std::memory_order_relaxed)) stop = true;
    }

private:
    const std::atomic<bool>* stopped_;
};

/// Runs a launch that has surveyOptions() on the golden unit.
RunResult runSurvey(const RunSetup& setup, Executor& executor, SurveyWatch& watch);

/// Options of a run that only looks at what a launch does: without times and products, at most so many instructions of warps, until `stop`.
[[nodiscard]] RunOptions surveyOptions(const RunSetup& setup, std::uint64_t instructions,
                                       const std::atomic<bool>& stop);

}  // namespace gsu::run
