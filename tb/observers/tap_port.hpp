/// A SyncPort that forwards everything to another one and shows it to observers on the way.
/// Owns nothing: port, sink and observers must outlive it.
#pragma once
#include <vector>

#include "golden/port.hpp"
#include "observers/port_observer.hpp"

namespace gsu {

class TapPort final : public SyncPort, private SyncSink {
public:
    explicit TapPort(SyncPort& inner);
    /// Observers are called in the order in which they were added, before the driver's sink.
    void add(PortObserver& observer) { observers_.push_back(&observer); }
    /// Tells the observers that the run is over.
    void finish();

    [[nodiscard]] unsigned sms() const override { return inner_.sms(); }
    [[nodiscard]] Cycle now() const override { return inner_.now(); }
    void setSink(SyncSink& sink) override { sink_ = &sink; }
    [[nodiscard]] bool canPresent(std::uint8_t sm) const override { return inner_.canPresent(sm); }
    void present(const SyncRequest& request) override;
    [[nodiscard]] bool canNotify(std::uint8_t sm) const override { return inner_.canNotify(sm); }
    void notify(const AsyncUpdate& update) override;
    void route(const ClusterRoute& route) override;
    bool launch(const Launch& launch) override;
    void exit(const Exit& exit) override;
    void stored(std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes) override;
    [[nodiscard]] std::uint8_t epoch(const WarpRef& at, Reach reach) const override
    {
        return inner_.epoch(at, reach);
    }
    void announce(const Accesses& accesses) override { inner_.announce(accesses); }
    void performed(const Accesses& accesses) override { inner_.performed(accesses); }
    void step() override;
    [[nodiscard]] Cycle quietUntil() const override { return inner_.quietUntil(); }
    void skipTo(Cycle cycle) override { inner_.skipTo(cycle); }
    [[nodiscard]] std::optional<Fault> fault() const override { return inner_.fault(); }

private:
    void onResponse(const SyncResponse& response) override;
    void onRelease(const Release& release) override;
    void onCommit(const Commit& commit) override;
    void onDelivered(const Delivered& delivered) override;
    void onCtaFree(const CtaFree& free) override;

    SyncPort& inner_;
    SyncSink* sink_{};
    std::vector<PortObserver*> observers_;
    std::uint32_t steps_{};
};

}  // namespace gsu
