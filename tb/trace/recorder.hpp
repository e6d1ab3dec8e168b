/// Records the events at a port as a trace: an observer, so that recording cannot change the run. Must see the whole run from its first
/// cycle. The caller closes the writer.
#pragma once
#include <unordered_map>
#include <vector>

#include "golden/port_observer.hpp"
#include "observers/open_table.hpp"
#include "trace/lane_clock.hpp"
#include "trace/writer.hpp"

namespace gsu::trace {

class Recorder final : public PortObserver {
public:
    Recorder(Writer& writer, ChipLayout chip);
    void onRoute(Cycle now, const ClusterRoute& route) override;
    void onGridStart(Cycle now, const GridStart& start) override;
    void onLaunch(Cycle now, const Launch& launch) override;
    void onExit(Cycle now, const Exit& exit) override;
    void onRequest(Cycle now, const SyncRequest& request) override;
    void onNotify(Cycle now, const AsyncUpdate& update) override;
    void onStored(Cycle now, std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes) override;
    void onAccesses(Cycle now, const Accesses& accesses, bool performed) override;
    void onCancelAnswer(Cycle now, const CancelAnswer& answer) override;
    void onCancel(const CancelQuery& query) override;
    void onResponse(const SyncResponse& response) override;
    void onRelease(const Release& release) override;
    void onDelivered(const Delivered& delivered) override;
    void onCtaFree(const CtaFree& free) override;
    void onGrid(const GridEvent& event) override;
    void onEnd(Cycle now) override;

private:
    struct Warp {
        LaneClock answered;
        Lanes live{};
        Cycle lastRecord{};
    };
    void use(const SyncRequest& request);
    Warp& warp(WarpRef at) { return warps_[OpenTable::indexOf(at)]; }

    Writer& writer_;
    ChipLayout chip_;
    OpenTable open_;
    std::vector<Warp> warps_;
    std::vector<Cycle> smRecord_;
    std::vector<Launch> launched_;                            ///< per SM and CTA slot
    std::unordered_map<std::uint32_t, ClusterRoute> routes_;  ///< by cluster and rank
    std::vector<std::vector<bool>>
        used_;  ///< per SM and 8 bytes: named by an mbarrier operation of a live CTA
    std::unordered_map<std::uint32_t, CancelQuery> queries_;  ///< by SM and slot
    std::uint32_t frees_{};
    Cycle lastFree_{};
};

}  // namespace gsu::trace
