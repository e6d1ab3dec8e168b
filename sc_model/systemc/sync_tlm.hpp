/// \file
/// TLM-2.0 target around any SyncPort: commands come as transactions, answers return on the same socket, every event leaves through
/// an analysis port. The target translates and never decides: each answer has the cycle that the port gave it. Cycles in which the port is
/// quiet cost nothing: the clock process sleeps until quietUntil() or the next command.
#pragma once
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <deque>
#include <systemc>

#include "systemc/cycle_time.hpp"
#include "systemc/payload.hpp"

namespace gsu {

/// The TLM-2.0 target.
class SyncTlm final : public sc_core::sc_module, private SyncSink {
public:
    /// The socket, for any number of initiators. See README.md for phases and response status.
    tlm_utils::multi_passthrough_target_socket<SyncTlm, 32, SyncProtocol> socket;
    /// Every event of the port, inside the cycle that produced it and in the port's order; subscribers must not wait.
    tlm::tlm_analysis_port<SyncEvent> events;

    /// A target around `port`, which must outlive it and be in cycle 0. The target takes over the port's sink. Cycle n lasts from n to n+1 periods.
    SyncTlm(const sc_core::sc_module_name& name, SyncPort& port, const sc_core::sc_time& period);
    ~SyncTlm() override = default;

    /// The port's cycles in the simulator's time.
    [[nodiscard]] const CycleTime& time() const noexcept { return time_; }
    /// Cycles that were evaluated, not skipped.
    [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

private:
    static constexpr int kBlocking = -1;
    /// One transaction in progress. `done` only for blocking ones.
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
    /// Opens the transaction as a ticket. False if it carries no command; the payload's status has the reason.
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
    bool given_{};    ///< the port has an input for its cycle: it must not skip
    bool faulted_{};
    std::uint64_t steps_{};
    /// tickets that came after the middle of the port's cycle: they belong to the next one
    std::deque<Ticket> late_;
    std::deque<Ticket> waiting_;             ///< tickets not taken yet; in order per SM and kind
    std::vector<std::vector<Ticket>> open_;  ///< per SM: requests with lanes that wait
    std::vector<Ticket> answered_;           ///< tickets answered by the step that runs
};

}  // namespace gsu
