/// The observers of one run and the files they write; files appear only with finish().
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "exec/machine/observer.hpp"
#include "observers/coverage.hpp"
#include "observers/mbarrier_statistics.hpp"
#include "observers/progress.hpp"
#include "observers/statistics.hpp"
#include "observers/timeline.hpp"
#include "trace/recorder.hpp"

namespace gsu::cli {

class Watch {
public:
    /// Opens what the options name. Throws InputError.
    Watch(const CommonOptions& options, const trace::Header& header);
    [[nodiscard]] const Statistics& statistics() const noexcept { return statistics_; }
    [[nodiscard]] const MbarrierStatistics& mbarriers() const noexcept { return mbarriers_; }
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

/// Passes what the executor reports on to port observers; `source` of a request becomes its PTX line.
class ExecBridge final : public ExecObserver {
public:
    explicit ExecBridge(const std::vector<PortObserver*>& observers) : observers_(observers) {}
    void onLaunch(Cycle now, const CtaPlace& place) override;
    void onRequest(Cycle now, const SyncRequest& request, std::uint32_t line) override;
    void onNotify(Cycle now, const AsyncUpdate& update) override;
    void onStored(Cycle now, std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes) override;
    void onAccesses(Cycle now, const Accesses& accesses, bool performed) override;
    void onResponse(const SyncResponse& response) override;
    void onRelease(const Release& release) override;
    void onCommit(const Commit& commit) override;
    void onDelivered(const Delivered& delivered) override;
    void onRoute(Cycle now, const ClusterRoute& route) override;
    void onExit(Cycle now, const Exit& exit) override;
    void onCtaFree(const CtaFree& free) override;

private:
    const std::vector<PortObserver*>& observers_;
    SyncRequest request_;
    std::uint32_t commits_{};
};

}  // namespace gsu::cli
