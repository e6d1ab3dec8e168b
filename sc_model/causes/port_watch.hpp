/// A port history fed by an observer of the port.
#pragma once
#include "causes/port_history.hpp"
#include "golden/port_observer.hpp"

namespace gsu {

class PortWatch final : public PortObserver {
public:
    explicit PortWatch(ChipLayout chip) : history_(chip) {}
    [[nodiscard]] const PortHistory& history() const noexcept { return history_; }

    void onRoute(Cycle, const ClusterRoute& r) override { history_.route(r); }
    void onGridStart(Cycle, const GridStart& g) override { history_.grid(0, g); }
    void onLaunch(Cycle, const Launch& l) override { history_.launch(l); }
    void onExit(Cycle now, const Exit& e) override { history_.exit(e, 0, now); }
    void onRequest(Cycle now, const SyncRequest& r) override { history_.request(r, r.source, now); }
    void onResponse(const SyncResponse& r) override { history_.response(r); }
    void onRelease(const Release& r) override { history_.release(r); }
    void onCommit(const Commit& c) override { history_.commit(c); }
    void onGrid(const GridEvent& e) override { history_.gridEvent(0, e); }
    void onCtaFree(const CtaFree& f) override { history_.freed(f.sm, f.cta); }

private:
    PortHistory history_;
};

}  // namespace gsu
