/// A launch on the unit, from its begin to its report.
#pragma once
#include <algorithm>
#include <memory>

#include "cuda/code/launch.hpp"
#include "cuda/report/reporter.hpp"
#include "cuda/streams/device_work.hpp"
#include "run/launch_run.hpp"
#include "run/race_watch.hpp"
#include "run/unit_stack.hpp"

namespace gsu::cuda {

class Platform;

class LaunchFlight final : public Flight {
public:
    /// Begins a launch. Throws UnsupportedError or InputError, which have been reported.
    LaunchFlight(Platform& platform, LaunchCall call);

    [[nodiscard]] State advance(std::uint64_t until, std::uint64_t work) override;
    [[nodiscard]] std::uint64_t now() const noexcept override
    {
        return std::max(executor_->now(), cycles_);
    }
    [[nodiscard]] std::uint64_t changes() const noexcept override { return executor_->changes(); }
    void wake() noexcept override { executor_->wake(); }
    [[nodiscard]] bool quiet() const noexcept override;
    [[nodiscard]] bool signalled() const noexcept override { return executor_->signalled(); }
    void setGridsBefore(bool underWay) override { executor_->setGridsBefore(underWay); }
    void giveUp() override;

private:
    void begin();
    [[nodiscard]] State end();
    template <class F> [[nodiscard]] State told(F&& work);
    [[nodiscard]] RunOptions options();

    Platform& platform_;
    const LaunchCall call_;
    const LaunchSpec spec_;
    const Reporter::Turn turn_;
    Patience patience_;
    std::uint64_t cycles_{};  ///< clocks, once it has ended
    std::unique_ptr<Executor> executor_;
    std::unique_ptr<run::UnitStack> stack_;  ///< unit of a launch without report, or
    std::unique_ptr<run::RaceWatch> races_;
    std::unique_ptr<TapPort> tap_;
    std::unique_ptr<run::LaunchRun> looked_;  ///< launch with a report
};

}  // namespace gsu::cuda
