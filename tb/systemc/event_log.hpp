/// All reports of a port, as one line of text per event with every field: two runs are equal if their logs are equal.
#pragma once
#include <string>
#include <vector>

#include "golden/forwarding_port.hpp"

namespace gsu {

class EventLog final : public SyncSink {
public:
    /// A log that also passes every event to `next`, which may be null.
    explicit EventLog(SyncSink* next = nullptr) : next_(next) {}
    void setNext(SyncSink* next) noexcept { next_ = next; }
    /// Sets the running cycle. A line has it besides the event's own cycle, so that late reports show.
    void setRunning(Cycle cycle) noexcept { running_ = cycle; }

    [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }

    void onResponse(const SyncResponse& r) override;
    void onRelease(const Release& r) override;
    void onCommit(const Commit& c) override;
    void onDelivered(const Delivered& d) override;
    void onGrid(const GridEvent& e) override;
    void onCancel(const CancelQuery& q) override;
    void onCtaFree(const CtaFree& f) override;

private:
    void add(const std::string& text);

    SyncSink* next_;
    Cycle running_{};
    std::vector<std::string> lines_;
};

/// A driver's calls as a port that logs the events and passes everything on: the driver's sink sees them after the log. For drivers, such
/// as the replayer, that take the port's one sink for themselves.
class LoggingPort final : public ForwardingPort {
public:
    explicit LoggingPort(SyncPort& inner) : ForwardingPort(inner) { inner_.setSink(log_); }
    [[nodiscard]] const EventLog& log() const noexcept { return log_; }

    void setSink(SyncSink& sink) override { log_.setNext(&sink); }
    void step() override
    {
        log_.setRunning(inner_.now());
        inner_.step();
    }
    void skipTo(Cycle cycle) override
    {
        log_.setRunning(inner_.now());
        inner_.skipTo(cycle);
    }

private:
    EventLog log_;
};

}  // namespace gsu
