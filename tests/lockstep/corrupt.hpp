/// A SyncPort that passes everything through and spoils one report: what the follower must catch.
#pragma once
#include <functional>
#include <vector>

#include "golden/port.hpp"

namespace gsu::test {

/// One report of the device, whatever kind.
struct Report {
    enum class Kind : std::uint8_t { Commit, Response, Release, Free, Delivered } kind{};
    Commit commit{};
    SyncResponse response{};
    Release release{};
    CtaFree free{};
    Delivered delivered{};
};

/// Sees each cycle's reports and may change, drop, repeat or reorder them before they go on.
using Spoil = std::function<void(std::vector<Report>&)>;

class CorruptPort final : public SyncPort, private SyncSink {
public:
    CorruptPort(SyncPort& device, Spoil spoil) : device_(device), spoil_(std::move(spoil))
    {
        device_.setSink(*this);
    }
    [[nodiscard]] unsigned sms() const override { return device_.sms(); }
    [[nodiscard]] Cycle now() const override { return device_.now(); }
    void setSink(SyncSink& sink) override { sink_ = &sink; }
    [[nodiscard]] bool canPresent(std::uint8_t sm) const override { return device_.canPresent(sm); }
    void present(const SyncRequest& request) override { device_.present(request); }
    [[nodiscard]] bool canNotify(std::uint8_t sm) const override { return device_.canNotify(sm); }
    void notify(const AsyncUpdate& update) override { device_.notify(update); }
    void route(const ClusterRoute& route) override { device_.route(route); }
    bool launch(const Launch& launch) override { return device_.launch(launch); }
    void exit(const Exit& exit) override { device_.exit(exit); }
    void stored(std::uint8_t sm, std::uint32_t a, std::uint32_t n) override
    {
        device_.stored(sm, a, n);
    }
    [[nodiscard]] std::uint8_t epoch(const WarpRef& at, Reach reach) const override
    {
        return device_.epoch(at, reach);
    }
    void announce(const Accesses& accesses) override { device_.announce(accesses); }
    void performed(const Accesses& accesses) override { device_.performed(accesses); }
    [[nodiscard]] Cycle quietUntil() const override { return device_.quietUntil(); }
    void skipTo(Cycle cycle) override { device_.skipTo(cycle); }
    [[nodiscard]] std::optional<Fault> fault() const override { return device_.fault(); }
    void step() override
    {
        device_.step();
        spoil_(reports_);
        for (const Report& r : reports_) send(r);
        reports_.clear();
    }

private:
    void send(const Report& r)
    {
        switch (r.kind) {
            case Report::Kind::Commit: {
                Commit commit = r.commit;
                commit.seq = seq_++;
                sink_->onCommit(commit);
                break;
            }
            case Report::Kind::Response: sink_->onResponse(r.response); break;
            case Report::Kind::Release: sink_->onRelease(r.release); break;
            case Report::Kind::Free: sink_->onCtaFree(r.free); break;
            case Report::Kind::Delivered: sink_->onDelivered(r.delivered); break;
        }
    }
    void onResponse(const SyncResponse& r) override
    {
        reports_.push_back({Report::Kind::Response, {}, r, {}, {}, {}});
    }
    void onRelease(const Release& r) override
    {
        reports_.push_back({Report::Kind::Release, {}, {}, r, {}, {}});
    }
    void onCommit(const Commit& c) override
    {
        reports_.push_back({Report::Kind::Commit, c, {}, {}, {}, {}});
    }
    void onDelivered(const Delivered& d) override
    {
        reports_.push_back({Report::Kind::Delivered, {}, {}, {}, {}, d});
    }
    void onCtaFree(const CtaFree& f) override
    {
        reports_.push_back({Report::Kind::Free, {}, {}, {}, f, {}});
    }

    SyncPort& device_;
    Spoil spoil_;
    SyncSink* sink_{};
    std::vector<Report> reports_;
    std::uint64_t seq_{};
};

}  // namespace gsu::test
