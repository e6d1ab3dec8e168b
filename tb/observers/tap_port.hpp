/// A SyncPort that forwards everything to another one and shows it to observers on the way.
/// Owns nothing: port, sink and observers must outlive it.
#pragma once
#include <vector>

#include "golden/forwarding_port.hpp"
#include "observers/port_observer.hpp"

namespace gsu {

class TapPort final : public ForwardingPort {
public:
    using ForwardingPort::ForwardingPort;
    /// Observers are called in the order in which they were added, before the driver's sink.
    void add(PortObserver& observer) { observers_.push_back(&observer); }
    void add(const std::vector<PortObserver*>& observers)
    {
        observers_.insert(observers_.end(), observers.begin(), observers.end());
    }
    /// Tells the observers that the run is over.
    void finish();

    void present(const SyncRequest& request) override;
    void notify(const AsyncUpdate& update) override;
    void route(const ClusterRoute& route) override;
    void grid(const GridStart& grid) override;
    bool launch(const Launch& launch) override;
    void exit(const Exit& exit) override;
    void stored(std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes) override;
    void announce(const Accesses& accesses) override;
    void performed(const Accesses& accesses) override;
    void answerCancel(const CancelAnswer& answer) override;
    void step() override;

private:
    void onResponse(const SyncResponse& response) override;
    void onRelease(const Release& release) override;
    void onCommit(const Commit& commit) override;
    void onDelivered(const Delivered& delivered) override;
    void onCtaFree(const CtaFree& free) override;
    void onGrid(const GridEvent& event) override;
    void onCancel(const CancelQuery& query) override;

    std::vector<PortObserver*> observers_;
    std::uint32_t steps_{};
};

}  // namespace gsu
