/// Everything a port reports, as one line of text per event with every field: two runs are equal if their logs are.
#pragma once
#include <string>
#include <vector>

#include "golden/port.hpp"

namespace gsu {

class EventLog final : public SyncSink {
public:
    /// Also passes every event on; may be null.
    explicit EventLog(SyncSink* next = nullptr) : next_(next) {}
    void setNext(SyncSink* next) noexcept { next_ = next; }
    /// The cycle that runs: a line says it beside the event's own, so that an event told late shows.
    void setRunning(Cycle cycle) noexcept { running_ = cycle; }

    [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }

    void onResponse(const SyncResponse& r) override;
    void onRelease(const Release& r) override;
    void onCommit(const Commit& c) override;
    void onDelivered(const Delivered& d) override;
    void onCtaFree(const CtaFree& f) override;

private:
    void add(const std::string& text);

    SyncSink* next_;
    Cycle running_{};
    std::vector<std::string> lines_;
};

/// A driver's calls as a port that notes the events and passes everything on: the driver's sink sees them after the log.
/// For drivers, such as the replayer, that take the port's one sink for themselves.
class LoggingPort final : public SyncPort {
public:
    explicit LoggingPort(SyncPort& inner) : inner_(inner) { inner_.setSink(log_); }
    [[nodiscard]] const EventLog& log() const noexcept { return log_; }

    [[nodiscard]] unsigned sms() const override { return inner_.sms(); }
    [[nodiscard]] Cycle now() const override { return inner_.now(); }
    void setSink(SyncSink& sink) override { log_.setNext(&sink); }
    [[nodiscard]] bool canPresent(std::uint8_t sm) const override { return inner_.canPresent(sm); }
    void present(const SyncRequest& request) override { inner_.present(request); }
    [[nodiscard]] bool canNotify(std::uint8_t sm) const override { return inner_.canNotify(sm); }
    void notify(const AsyncUpdate& update) override { inner_.notify(update); }
    void route(const ClusterRoute& route) override { inner_.route(route); }
    bool launch(const Launch& launch) override { return inner_.launch(launch); }
    void exit(const Exit& exit) override { inner_.exit(exit); }
    void stored(std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes) override
    {
        inner_.stored(sm, addr, bytes);
    }
    [[nodiscard]] std::uint8_t epoch(const WarpRef& at, Reach reach) const override
    {
        return inner_.epoch(at, reach);
    }
    void announce(const Accesses& accesses) override { inner_.announce(accesses); }
    void performed(const Accesses& accesses) override { inner_.performed(accesses); }
    void step() override
    {
        log_.setRunning(inner_.now());
        inner_.step();
    }
    [[nodiscard]] Cycle quietUntil() const override { return inner_.quietUntil(); }
    void skipTo(Cycle cycle) override
    {
        log_.setRunning(inner_.now());
        inner_.skipTo(cycle);
    }
    [[nodiscard]] std::optional<Fault> fault() const override { return inner_.fault(); }

private:
    SyncPort& inner_;
    EventLog log_;
};

}  // namespace gsu
