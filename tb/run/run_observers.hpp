/// The observers of one run and the files they write; files appear only with finish().
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "exec/result/observer.hpp"
#include "observers/coverage.hpp"
#include "observers/mbarrier_statistics.hpp"
#include "observers/progress.hpp"
#include "observers/statistics.hpp"
#include "observers/timeline.hpp"
#include "run/options.hpp"
#include "run/outputs.hpp"
#include "trace/recorder.hpp"

namespace gsu::run {

class RunObservers {
public:
    /// Opens what the options name. Throws InputError.
    RunObservers(const CommonOptions& options, const trace::Header& header);
    [[nodiscard]] const Statistics& statistics() const noexcept { return statistics_; }
    [[nodiscard]] const MbarrierStatistics& mbarriers() const noexcept { return mbarriers_; }
    /// nullptr without --timeline.
    [[nodiscard]] Timeline* timeline() const noexcept { return timeline_.get(); }
    /// nullptr without --record.
    [[nodiscard]] trace::Writer* writer() const noexcept { return writer_.get(); }
    /// nullptr without --coverage.
    [[nodiscard]] const Coverage* coverage() const noexcept { return coverage_.get(); }
    [[nodiscard]] const std::vector<PortObserver*>& observers() const noexcept { return all_; }
    /// The run is over and its files are wanted.
    void finish(Cycle now, const CommonOptions& options, Outputs& outputs);

private:
    Statistics statistics_;
    MbarrierStatistics mbarriers_;
    ProgressMeter progress_;
    std::unique_ptr<Coverage> coverage_;
    std::unique_ptr<trace::Writer> writer_;
    std::unique_ptr<trace::Recorder> recorder_;
    std::unique_ptr<Timeline> timeline_;
    std::vector<PortObserver*> all_;
};

/// Tells port observers which CTA of the grid comes to which slot, which the port does not know.
class PlaceTeller final : public ExecObserver {
public:
    explicit PlaceTeller(const std::vector<PortObserver*>& observers) : observers_(observers) {}
    void onPlaced(const CtaPlace& place) override
    {
        for (PortObserver* o : observers_) o->onPlace(place.launch, place.linear);
    }

private:
    std::vector<PortObserver*> observers_;
};

}  // namespace gsu::run
