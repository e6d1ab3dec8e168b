/// \file
/// TLM-2.0 target around any SyncPort: commands come as transactions, answers go back on the same socket, every event
/// leaves through an analysis port. It translates and never decides: each answer has the cycle the port gave it.
/// Cycles in which the port is quiet cost nothing: the clock process sleeps until quietUntil() or the next command.
#pragma once
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <deque>
#include <systemc>

#include "systemc/cycle_time.hpp"
#include "systemc/payload.hpp"

namespace gsu {

/// The target.
class SyncTlm final : public sc_core::sc_module, private SyncSink {
public:
    /// Any number of initiators. See README.md for phases and response status.
    tlm_utils::multi_passthrough_target_socket<SyncTlm, 32, SyncProtocol> socket;
    /// Every event of the port, inside the cycle that produced it and in the port's order; subscribers must not wait.
    tlm::tlm_analysis_port<SyncEvent> events;

    /// Takes over the sink of `port`, which must outlive this and be in cycle 0. Cycle n lasts from n to n+1 periods.
    SyncTlm(const sc_core::sc_module_name& name, SyncPort& port, const sc_core::sc_time& period);
    ~SyncTlm() override = default;

    /// Its cycles in the simulator's time.
    [[nodiscard]] const CycleTime& time() const noexcept { return time_; }
    /// Cycles that were evaluated, not skipped.
    [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

private:
    static constexpr int kBlocking = -1;
    /// One transaction on its way. `done` only for blocking ones.
    struct Ticket {
        tlm::tlm_generic_payload* payload{};
        SyncExtension* extension{};
        int initiator{kBlocking};
        sc_core::sc_event* done{};
        Lanes open{};  ///< lanes that still wait for an answer
    };
    enum class Taken { Yes, NotNow, Refused };

    tlm::tlm_sync_enum forward(int initiator, tlm::tlm_generic_payload& payload,
                               tlm::tlm_phase& phase, sc_core::sc_time& delay);
    void block(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned debug(int initiator, tlm::tlm_generic_payload& payload);

    void tick();
    void schedule();
    void reportFault();
    [[nodiscard]] bool catchUp();
    /// The transaction as a ticket; nothing if it carries no command, with the reason in the payload's status.
    [[nodiscard]] bool open(tlm::tlm_generic_payload& payload, Ticket& ticket) const;
    [[nodiscard]] Taken accept(Ticket& ticket);
    [[nodiscard]] Taken give(Ticket& ticket);
    [[nodiscard]] bool behindAnother(const Ticket& ticket) const;
    [[nodiscard]] std::string conflictOf(const SyncCommand& command) const;
    void retryWaiting();
    void acceptLate();
    void announce(Ticket& ticket);
    void finish(Ticket& ticket);
    template <typename Record> void answer(WarpRef at, Lanes lanes, const Record& record);

    void onResponse(const SyncResponse& response) override;
    void onRelease(const Release& release) override;
    void onCommit(const Commit& commit) override;
    void onDelivered(const Delivered& delivered) override;
    void onCtaFree(const CtaFree& free) override;
    void onGrid(const GridEvent& event) override;
    void onCancel(const CancelQuery& query) override;

    SyncPort& port_;
    CycleTime time_;
    sc_core::sc_event work_;
    bool
        stepping_{};  ///< inside port_.step(): commands from event subscribers are for the next cycle
    bool given_{};    ///< the port has an input for its cycle: no skipping
    bool faulted_{};
    std::uint64_t steps_{};
    std::deque<Ticket>
        late_;  ///< came after the middle of the port's cycle: they belong to the next one
    std::deque<Ticket> waiting_;             ///< not taken yet; in order per SM and kind
    std::vector<std::vector<Ticket>> open_;  ///< per SM: requests with lanes that wait
    std::vector<Ticket> answered_;           ///< by the step that runs
};

}  // namespace gsu
