/// Up to 16 SMs with their cluster network: one of the parts that a large unit consists of. Outside, SMs have the numbers of the whole unit.
#pragma once
#include <functional>

#include "units/sync_unit.hpp"

namespace gsu::capi {

class Network final : private SyncSink, private SharedMemory {
public:
    /// SMs `base` to `base` + parts.sms - 1; `sink` and `memory` know the numbers of the whole unit and outlive it. So does parts.onNote.
    Network(unsigned base, UnitOptions parts, const Config& config, SyncSink& sink,
            SharedMemory& memory);

    /// Numbers of its SMs are those of the network: see local().
    [[nodiscard]] SyncPort& port() const noexcept { return unit_->port(); }
    [[nodiscard]] SyncUnit& unit() const noexcept { return *unit_; }
    [[nodiscard]] std::uint8_t local(std::uint32_t sm) const noexcept
    {
        return static_cast<std::uint8_t>(sm - base_);
    }
    [[nodiscard]] unsigned base() const noexcept { return base_; }

private:
    template <typename Sm> [[nodiscard]] std::uint8_t outside(Sm sm) const noexcept
    {
        return static_cast<std::uint8_t>(sm + base_);
    }
    void onResponse(const SyncResponse& response) override;
    void onRelease(const Release& release) override;
    void onCommit(const Commit& commit) override;
    void onDelivered(const Delivered& delivered) override;
    void onCtaFree(const CtaFree& free) override;
    void onGrid(const GridEvent& event) override { sink_.onGrid(event); }
    void onCancel(const CancelQuery& query) override;
    [[nodiscard]] std::uint64_t readWord(std::uint8_t sm, std::uint32_t addr) const override
    {
        return memory_.readWord(outside(sm), addr);
    }
    void writeWord(std::uint8_t sm, std::uint32_t addr, std::uint64_t value) override
    {
        memory_.writeWord(outside(sm), addr, value);
    }

    unsigned base_;
    SyncSink& sink_;
    SharedMemory& memory_;
    std::unique_ptr<SyncUnit> unit_;
};

}  // namespace gsu::capi
