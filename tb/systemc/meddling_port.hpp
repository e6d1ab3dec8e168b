/// A port that loses or delays one commit of the port behind it: shows that a bench notices a bad wrapper.
#pragma once
#include <optional>
#include <utility>

#include "golden/port.hpp"

namespace gsu {

class MeddlingPort final : public SyncPort, private SyncSink {
public:
    enum class How { Nothing, Drop, Delay };
    MeddlingPort(SyncPort& inner, How how) : inner_(inner), how_(how) { inner_.setSink(*this); }

    [[nodiscard]] unsigned sms() const override { return inner_.sms(); }
    [[nodiscard]] Cycle now() const override { return inner_.now(); }
    void setSink(SyncSink& sink) override { sink_ = &sink; }
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
        if (held_) sink_->onCommit(*std::exchange(held_, std::nullopt));
        inner_.step();
    }
    [[nodiscard]] Cycle quietUntil() const override { return held_ ? now() : inner_.quietUntil(); }
    void skipTo(Cycle cycle) override { inner_.skipTo(cycle); }
    [[nodiscard]] std::optional<Fault> fault() const override { return inner_.fault(); }

private:
    static constexpr unsigned kVictim = 40;

    void onResponse(const SyncResponse& r) override { sink_->onResponse(r); }
    void onRelease(const Release& r) override { sink_->onRelease(r); }
    void onCommit(const Commit& c) override
    {
        if (how_ == How::Nothing || ++seen_ != kVictim)
            sink_->onCommit(c);
        else if (how_ == How::Delay)
            held_ = c;
    }
    void onDelivered(const Delivered& d) override { sink_->onDelivered(d); }
    void onCtaFree(const CtaFree& f) override { sink_->onCtaFree(f); }

    SyncPort& inner_;
    How how_;
    SyncSink* sink_{};
    unsigned seen_{};
    std::optional<Commit> held_;
};

}  // namespace gsu
