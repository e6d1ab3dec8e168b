/// \file
/// A SyncPort in front of another one: passes every call on, and every report back. What watches, compares or spoils derives from it and
/// overrides only what it is about, so that a call added to SyncPort is forgotten nowhere.
#pragma once
#include "golden/port.hpp"

namespace gsu {

/// Owns nothing: the port behind it must outlive it. It takes that port's one sink for itself; reports before setSink() are lost.
class ForwardingPort : public SyncPort, protected SyncSink {
public:
    /// Puts itself in front of `inner`.
    explicit ForwardingPort(SyncPort& inner) : inner_(inner) { inner_.setSink(*this); }
    ForwardingPort(const ForwardingPort&) = delete;             ///< the inner port knows it
    ForwardingPort& operator=(const ForwardingPort&) = delete;  ///< likewise

    [[nodiscard]] unsigned sms() const override { return inner_.sms(); }
    [[nodiscard]] const Structure& structure() const noexcept override
    {
        return inner_.structure();
    }
    [[nodiscard]] Cycle now() const override { return inner_.now(); }
    void setSink(SyncSink& sink) override { sink_ = &sink; }
    [[nodiscard]] bool canPresent(std::uint8_t sm) const override { return inner_.canPresent(sm); }
    void present(const SyncRequest& request) override { inner_.present(request); }
    [[nodiscard]] bool canNotify(std::uint8_t sm) const override { return inner_.canNotify(sm); }
    void notify(const AsyncUpdate& update) override { inner_.notify(update); }
    void route(const ClusterRoute& route) override { inner_.route(route); }
    void grid(const GridStart& grid) override { inner_.grid(grid); }
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
    [[nodiscard]] bool canAnswerCancel(std::uint8_t sm) const override
    {
        return inner_.canAnswerCancel(sm);
    }
    void answerCancel(const CancelAnswer& answer) override { inner_.answerCancel(answer); }
    void step() override { inner_.step(); }
    [[nodiscard]] Cycle quietUntil() const override { return inner_.quietUntil(); }
    void skipTo(Cycle cycle) override { inner_.skipTo(cycle); }
    [[nodiscard]] std::optional<Fault> fault() const override { return inner_.fault(); }

protected:
    void onResponse(const SyncResponse& response) override
    {
        if (sink_ != nullptr) sink_->onResponse(response);
    }
    void onRelease(const Release& release) override
    {
        if (sink_ != nullptr) sink_->onRelease(release);
    }
    void onCommit(const Commit& commit) override
    {
        if (sink_ != nullptr) sink_->onCommit(commit);
    }
    void onDelivered(const Delivered& delivered) override
    {
        if (sink_ != nullptr) sink_->onDelivered(delivered);
    }
    void onCtaFree(const CtaFree& free) override
    {
        if (sink_ != nullptr) sink_->onCtaFree(free);
    }
    void onGrid(const GridEvent& event) override
    {
        if (sink_ != nullptr) sink_->onGrid(event);
    }

    void onCancel(const CancelQuery& query) override
    {
        if (sink_ != nullptr) sink_->onCancel(query);
    }

    SyncPort& inner_;   ///< where calls go
    SyncSink* sink_{};  ///< where reports go; null before setSink()
};

}  // namespace gsu
