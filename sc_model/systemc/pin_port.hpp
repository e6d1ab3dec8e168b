/// \file
/// gsu_cluster (two SMs, one Verilated --sc model) driven pin by pin, as a SyncPort: the second, independent way to drive the RTL.
/// Inputs change while the clock is low, outputs are sampled after it rose; every valid holds until its ready (rtl/doc/interfaces.md).
#pragma once
#include <memory>
#include <systemc>

#include "golden/params.hpp"
#include "golden/port.hpp"
#include "systemc/cycle_time.hpp"

namespace gsu {

/// The pins of gsu_cluster as a port.
class PinPort final : public sc_core::sc_module, public SyncPort {
public:
    static constexpr unsigned kSms = 2;  ///< SMs of the model

    /// Makes the model. `clk` is low in the first half of a period. The cycles of the port begin when start() is called.
    PinPort(const sc_core::sc_module_name& name, const Config& config,
            const sc_core::sc_time& period, sc_core::sc_signal_in_if<bool>& clk,
            sc_core::sc_signal_in_if<bool>& resetN);
    ~PinPort() override;

    /// Ends the reset: the cycle that begins is cycle 0. Only from an SC_THREAD.
    void start();

    [[nodiscard]] unsigned sms() const override { return kSms; }
    [[nodiscard]] Cycle now() const override { return now_; }
    void setSink(SyncSink& sink) override { sink_ = &sink; }
    [[nodiscard]] bool canPresent(std::uint8_t sm) const override;
    void present(const SyncRequest& request) override;
    [[nodiscard]] bool canNotify(std::uint8_t sm) const override;
    void notify(const AsyncUpdate& update) override;
    void route(const ClusterRoute& route) override;
    void grid(const GridStart& grid) override;
    bool launch(const Launch& launch) override;
    void exit(const Exit& exit) override;
    /// Reports a store: stored words that may be barriers go to the snoop pins, one per SM and cycle, and the barrier cache reads them
    /// again. The model keeps its shared memory inside, so it does not see the stored value.
    void stored(std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes) override;
    /// Drives, waits one period, samples. Only from an SC_THREAD.
    [[nodiscard]] std::uint8_t epoch(const WarpRef& at, Reach reach) const override;
    [[nodiscard]] bool canAnswerCancel(std::uint8_t sm) const override;
    void answerCancel(const CancelAnswer& answer) override;
    void announce(const Accesses& accesses) override;
    void performed(const Accesses& accesses) override;
    void step() override;
    /// As idle_o and next_event_o show it; never quiet while an input waits.
    [[nodiscard]] Cycle quietUntil() const override;
    /// Moves to cycle n; the pins are clocked all the same. Only from an SC_THREAD.
    void skipTo(Cycle cycle) override;
    /// The first failed assertion of the RTL.
    [[nodiscard]] std::optional<Fault> fault() const override { return fault_; }

private:
    struct Pins;  ///< model, signals and what waits for a handshake

    CycleTime time_;
    Cycle now_{};
    SyncSink* sink_{};
    std::optional<Fault> fault_;
    std::unique_ptr<Pins> pins_;
};

}  // namespace gsu
