/// \file
/// The initiator side as a SyncPort: every driver of a port (replayer, executor) drives one behind TLM unchanged, from an SC_THREAD.
/// step() and skipTo() wait; all other calls are transactions without time. Events arrive through the analysis port.
#pragma once
#include <tlm_utils/simple_initiator_socket.h>

#include <memory>

#include "systemc/sync_tlm.hpp"

namespace gsu {

/// The TLM-2.0 initiator.
class TlmPort final : public sc_core::sc_module,
                      public SyncPort,
                      private tlm::tlm_analysis_if<SyncEvent> {
public:
    /// The socket, bound by the constructor.
    tlm_utils::simple_initiator_socket<TlmPort, 32, SyncProtocol> socket;

    /// Binds socket and events to `target`. Its time must be the caller's: cycle 0 begins at time 0.
    TlmPort(const sc_core::sc_module_name& name, SyncTlm& target);

    [[nodiscard]] unsigned sms() const override { return query().sms; }
    [[nodiscard]] Cycle now() const override { return now_; }
    void setSink(SyncSink& sink) override { sink_ = &sink; }
    [[nodiscard]] bool canPresent(std::uint8_t sm) const override
    {
        return query().canPresent >> sm & 1;
    }
    void present(const SyncRequest& request) override;
    [[nodiscard]] bool canNotify(std::uint8_t sm) const override
    {
        return query().canNotify >> sm & 1;
    }
    void notify(const AsyncUpdate& update) override { (void)give(update); }
    void route(const ClusterRoute& route) override { (void)give(route); }
    void grid(const GridStart& grid) override { (void)give(grid); }
    bool launch(const Launch& launch) override { return give(launch); }
    void exit(const Exit& exit) override { (void)give(exit); }
    void stored(std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes) override
    {
        (void)give(Stored{sm, addr, bytes});
    }
    [[nodiscard]] std::uint8_t epoch(const WarpRef& at, Reach reach) const override
    {
        status_.extension().at = at;
        status_.extension().reach = reach;
        return query().epoch;
    }
    [[nodiscard]] bool canAnswerCancel(std::uint8_t sm) const override
    {
        return query().canAnswer >> sm & 1;
    }
    void answerCancel(const CancelAnswer& answer) override { (void)give(answer); }
    void announce(const Accesses& accesses) override { (void)give(AccessCommand{accesses, false}); }
    void performed(const Accesses& accesses) override { (void)give(AccessCommand{accesses, true}); }
    /// Executes one cycle. Only from an SC_THREAD, at the beginning of cycle now().
    void step() override;
    [[nodiscard]] Cycle quietUntil() const override { return query().quietUntil; }
    /// Waits until cycle n begins. Only from an SC_THREAD.
    void skipTo(Cycle cycle) override;
    [[nodiscard]] std::optional<Fault> fault() const override { return query().fault; }

    /// Transactions whose answer came back on the socket, for tests.
    [[nodiscard]] std::uint64_t answers() const noexcept { return answers_; }

private:
    [[nodiscard]] bool give(SyncCommand command);
    [[nodiscard]] const StatusExtension& query() const;
    tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                sc_core::sc_time& delay);
    void write(const SyncEvent& event) override;

    CycleTime time_;
    Cycle now_{};
    SyncSink* sink_{};
    std::uint64_t answers_{};
    mutable Transaction<StatusExtension> status_;
    SyncTransaction command_;  ///< reused: commands without answer are over when give() returns
    std::vector<std::unique_ptr<SyncTransaction>> requests_;
    std::vector<SyncTransaction*> free_;
};

}  // namespace gsu
