/// \file
/// ForwardingPort: a SyncPort in front of another one. It passes on every call and every report, and shows both to observers. A port
/// that compares or changes something derives from it and overrides only those functions. So a function that is added to SyncPort is
/// forwarded by all of them.
#pragma once
#include <vector>

#include "golden/port_observer.hpp"

namespace gsu {

/// A port that passes on everything. It owns nothing: the inner port must outlive it. It takes that port's one sink for itself; reports
/// before setSink() are lost.
class ForwardingPort : public SyncPort, protected SyncSink {
public:
    /// Puts itself in front of `inner`.
    explicit ForwardingPort(SyncPort& inner) : inner_(inner) { inner_.setSink(*this); }
    ForwardingPort(const ForwardingPort&) = delete;             ///< the inner port knows it
    ForwardingPort& operator=(const ForwardingPort&) = delete;  ///< likewise

    /// Adds an observer, which must outlive the port. Observers are called in the order in which they were added, before the inner port and
    /// the driver's sink.
    void add(PortObserver& observer) { observers_.push_back(&observer); }
    /// Adds several observers.
    void add(const std::vector<PortObserver*>& observers)
    {
        observers_.insert(observers_.end(), observers.begin(), observers.end());
    }

    [[nodiscard]] unsigned sms() const override { return inner_.sms(); }
    [[nodiscard]] const Structure& structure() const noexcept override
    {
        return inner_.structure();
    }
    [[nodiscard]] Cycle now() const override { return inner_.now(); }
    void setSink(SyncSink& sink) override { sink_ = &sink; }
    [[nodiscard]] bool canPresent(std::uint8_t sm) const override { return inner_.canPresent(sm); }
    void present(const SyncRequest& request) override
    {
        tell(&PortObserver::onRequest, request);
        inner_.present(request);
    }
    [[nodiscard]] bool canNotify(std::uint8_t sm) const override { return inner_.canNotify(sm); }
    void notify(const AsyncUpdate& update) override
    {
        tell(&PortObserver::onNotify, update);
        inner_.notify(update);
    }
    void route(const ClusterRoute& route) override
    {
        tell(&PortObserver::onRoute, route);
        inner_.route(route);
    }
    void grid(const GridStart& grid) override
    {
        tell(&PortObserver::onGridStart, grid);
        inner_.grid(grid);
    }
    void noMoreRoutes() override { inner_.noMoreRoutes(); }
    bool launch(const Launch& launch) override
    {
        const bool started = inner_.launch(launch);
        if (started) tell(&PortObserver::onLaunch, launch);
        return started;
    }
    void exit(const Exit& exit) override
    {
        tell(&PortObserver::onExit, exit);
        inner_.exit(exit);
    }
    void stored(std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes) override
    {
        tell(&PortObserver::onStored, sm, addr, bytes);
        inner_.stored(sm, addr, bytes);
    }
    [[nodiscard]] std::uint8_t epoch(const WarpRef& at, Reach reach) const override
    {
        return inner_.epoch(at, reach);
    }
    void announce(const Accesses& accesses) override
    {
        tell(&PortObserver::onAccesses, accesses, false);
        inner_.announce(accesses);
    }
    void performed(const Accesses& accesses) override
    {
        tell(&PortObserver::onAccesses, accesses, true);
        inner_.performed(accesses);
    }
    [[nodiscard]] bool canAnswerCancel(std::uint8_t sm) const override
    {
        return inner_.canAnswerCancel(sm);
    }
    void answerCancel(const CancelAnswer& answer) override
    {
        tell(&PortObserver::onCancelAnswer, answer);
        inner_.answerCancel(answer);
    }
    void step() override { inner_.step(); }
    [[nodiscard]] Cycle quietUntil() const override { return inner_.quietUntil(); }
    void skipTo(Cycle cycle) override { inner_.skipTo(cycle); }
    [[nodiscard]] std::optional<Fault> fault() const override { return inner_.fault(); }

protected:
    void onResponse(const SyncResponse& response) override
    {
        report(&SyncSink::onResponse, response);
    }
    void onRelease(const Release& release) override { report(&SyncSink::onRelease, release); }
    void onCommit(const Commit& commit) override { report(&SyncSink::onCommit, commit); }
    void onDelivered(const Delivered& delivered) override
    {
        report(&SyncSink::onDelivered, delivered);
    }
    void onCtaFree(const CtaFree& free) override { report(&SyncSink::onCtaFree, free); }
    void onGrid(const GridEvent& event) override { report(&SyncSink::onGrid, event); }
    void onCancel(const CancelQuery& query) override { report(&SyncSink::onCancel, query); }

    /// Calls `on` of each observer with the cycle and `args`.
    template <class On, class... Args> void tell(On on, const Args&... args)
    {
        if (observers_.empty()) return;
        const Cycle now = inner_.now();
        for (PortObserver* o : observers_) (o->*on)(now, args...);
    }

    SyncPort& inner_;   ///< where calls go
    SyncSink* sink_{};  ///< where reports go; null before setSink()

private:
    template <class Record> void report(void (SyncSink::*on)(const Record&), const Record& record)
    {
        for (PortObserver* o : observers_) (o->*on)(record);
        if (sink_ != nullptr) (sink_->*on)(record);
    }

    std::vector<PortObserver*> observers_;
};

}  // namespace gsu
