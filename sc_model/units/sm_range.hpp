/// A SyncUnit for some of the SMs of a chip, with the SM numbers of the chip.
#pragma once
#include <memory>

#include "units/sync_unit.hpp"

namespace gsu {

class SmRange final : public SyncPort, private SyncSink, private SharedMemory {
public:
    /// SMs [first, first + options.sms); `memory` and options.onNote get the numbers of the chip. Otherwise as SyncUnit.
    SmRange(UnitOptions options, unsigned first, const Config& config, SharedMemory& memory);

    [[nodiscard]] SyncUnit& unit() const noexcept { return *unit_; }
    [[nodiscard]] unsigned first() const noexcept { return first_; }

    [[nodiscard]] unsigned sms() const override { return port().sms(); }
    [[nodiscard]] const Structure& structure() const noexcept override
    {
        return port().structure();
    }
    [[nodiscard]] Cycle now() const override { return port().now(); }
    void setSink(SyncSink& sink) override { sink_ = &sink; }
    [[nodiscard]] bool canPresent(std::uint8_t sm) const override
    {
        return port().canPresent(local(sm));
    }
    void present(const SyncRequest& request) override;
    [[nodiscard]] bool canNotify(std::uint8_t sm) const override
    {
        return port().canNotify(local(sm));
    }
    void notify(const AsyncUpdate& update) override;
    void route(const ClusterRoute& route) override;
    void grid(const GridStart& grid) override { port().grid(grid); }
    void noMoreRoutes() override { port().noMoreRoutes(); }
    bool launch(const Launch& launch) override;
    void exit(const Exit& exit) override;
    void stored(std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes) override
    {
        port().stored(local(sm), addr, bytes);
    }
    [[nodiscard]] std::uint8_t epoch(const WarpRef& at, Reach reach) const override
    {
        return port().epoch({local(at.sm), at.cta, at.warp}, reach);
    }
    void announce(const Accesses& accesses) override;
    void performed(const Accesses& accesses) override;
    [[nodiscard]] bool canAnswerCancel(std::uint8_t sm) const override
    {
        return port().canAnswerCancel(local(sm));
    }
    void answerCancel(const CancelAnswer& answer) override;
    void step() override { port().step(); }
    [[nodiscard]] Cycle quietUntil() const override { return port().quietUntil(); }
    void skipTo(Cycle cycle) override { port().skipTo(cycle); }
    /// The fault of the unit; SMs in its message count from 0.
    [[nodiscard]] std::optional<Fault> fault() const override { return port().fault(); }

private:
    [[nodiscard]] SyncPort& port() const noexcept { return unit_->port(); }
    [[nodiscard]] std::uint8_t local(unsigned sm) const noexcept
    {
        return static_cast<std::uint8_t>(sm - first_);
    }
    template <class Input> void give(void (SyncPort::*to)(const Input&), const Input& input);
    template <class Report> void pass(void (SyncSink::*to)(const Report&), const Report& report);

    void onResponse(const SyncResponse& response) override;
    void onRelease(const Release& release) override;
    void onCommit(const Commit& commit) override;
    void onDelivered(const Delivered& delivered) override;
    void onCtaFree(const CtaFree& free) override;
    void onGrid(const GridEvent& event) override;
    void onCancel(const CancelQuery& query) override;
    [[nodiscard]] std::uint64_t readWord(std::uint8_t sm, std::uint32_t addr) const override;
    void writeWord(std::uint8_t sm, std::uint32_t addr, std::uint64_t value) override;

    unsigned first_;
    SharedMemory& memory_;
    std::unique_ptr<SyncUnit> unit_;
    SyncSink* sink_{};
};

}  // namespace gsu
