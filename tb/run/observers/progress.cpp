// A line on standard error during long runs.
#include "observers/progress.hpp"

#include "run/run_observer.hpp"

namespace gsu::run {

namespace {

class Progress final : public RunObserver {
public:
    [[nodiscard]] std::vector<PortObserver*> ports() override { return {&meter_}; }
    void finish(const RunEnd& end, Outputs&) override { meter_.onEnd(end.now); }

private:
    ProgressMeter meter_;
};

}  // namespace

namespace observers {
std::unique_ptr<RunObserver> progress(const RunBegin&) { return std::make_unique<Progress>(); }
}  // namespace observers

}  // namespace gsu::run
