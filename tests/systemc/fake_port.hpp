/// A port that answers every request after a fixed latency, takes one request per SM at a time, and misbehaves on demand.
/// Quiet between a request and its answer, so that the wrapper's skipping shows.
#pragma once
#include <deque>
#include <vector>

#include "golden/port.hpp"

namespace gsu::test {

class FakePort final : public SyncPort {
public:
    FakePort(unsigned sms, Cycle latency) : latency_(latency), busy_(sms) {}

    [[nodiscard]] unsigned sms() const override { return unsigned(busy_.size()); }
    [[nodiscard]] Cycle now() const override { return now_; }
    void setSink(SyncSink& sink) override { sink_ = &sink; }
    [[nodiscard]] bool canPresent(std::uint8_t sm) const override { return !busy_[sm]; }
    void present(const SyncRequest& r) override
    {
        busy_[r.at.sm] = true;
        due_.push_back({r, now_ + latency_});
        input_ = true;
    }
    [[nodiscard]] bool canNotify(std::uint8_t) const override { return true; }
    void notify(const AsyncUpdate&) override { input_ = true; }
    void route(const ClusterRoute&) override { input_ = true; }
    bool launch(const Launch&) override
    {
        if (refusals_ > 0) {
            --refusals_;
            return false;
        }
        input_ = true;
        return true;
    }
    void exit(const Exit&) override { input_ = true; }
    void stored(std::uint8_t, std::uint32_t, std::uint32_t) override {}
    void step() override
    {
        input_ = false;
        while (!due_.empty() && due_.front().at <= now_) {
            const SyncRequest r = due_.front().request;
            due_.pop_front();
            busy_[r.at.sm] = false;
            sink_->onResponse(
                {.tag = r.tag, .at = r.at, .lanes = r.lanes, .last = true, .cycle = now_});
        }
        ++now_;
    }
    [[nodiscard]] Cycle quietUntil() const override
    {
        if (input_) return now_;
        return due_.empty() ? kNever : due_.front().at;
    }
    void skipTo(Cycle cycle) override { now_ = cycle; }
    [[nodiscard]] std::optional<Fault> fault() const override { return fault_; }

    /// Number of next launches that are refused.
    void refuseLaunches(unsigned times) { refusals_ = times; }
    void breakDown() { fault_ = Fault{Fault::Kind::Protocol, now_, "told to break down"}; }

private:
    struct Due {
        SyncRequest request;
        Cycle at{};
    };
    Cycle latency_, now_{};
    SyncSink* sink_{};
    std::vector<bool> busy_;
    std::deque<Due> due_;
    unsigned refusals_{};
    bool input_{};
    std::optional<Fault> fault_;
};

}  // namespace gsu::test
