#include "systemc/tlm_port.hpp"

namespace gsu {

TlmPort::TlmPort(const sc_core::sc_module_name& name, SyncTlm& target)
    : sc_module(name), socket("socket"), time_(target.time())
{
    socket.register_nb_transport_bw(this, &TlmPort::backward);
    socket.bind(target.socket);
    target.events.bind(*this);
}

const StatusExtension& TlmPort::query() const
{
    // transport_dbg is not const in the TLM interface, but changes nothing by definition.
    auto& access = const_cast<TlmPort&>(*this).socket;
    if (access->transport_dbg(status_.payload()) == 0)
        SC_REPORT_ERROR("/gsu/status", "the target tells no status");
    return status_.extension();
}

void TlmPort::present(const SyncRequest& request)
{
    if (free_.empty())
        free_.push_back(requests_.emplace_back(std::make_unique<SyncTransaction>()).get());
    SyncTransaction& transaction = *free_.back();
    free_.pop_back();
    transaction.extension().command = request;
    transaction.extension().wait = false;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    if (socket->nb_transport_fw(transaction.payload(), phase, delay) != tlm::TLM_UPDATED)
        SC_REPORT_ERROR("/gsu/present", transaction.extension().reason.c_str());
}

bool TlmPort::give(SyncCommand command)
{
    command_.extension().command = std::move(command);
    command_.extension().wait = false;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    (void)socket->nb_transport_fw(command_.payload(), phase, delay);
    if (command_.payload().get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE)
        SC_REPORT_ERROR("/gsu/command", command_.extension().reason.c_str());
    return command_.ok();
}

tlm::tlm_sync_enum TlmPort::backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time&)
{
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    for (const auto& request : requests_)
        if (&request->payload() == &payload) free_.push_back(request.get());
    ++answers_;
    return tlm::TLM_COMPLETED;
}

void TlmPort::write(const SyncEvent& event)
{
    struct {
        SyncSink& sink;
        void operator()(const SyncResponse& e) const { sink.onResponse(e); }
        void operator()(const Release& e) const { sink.onRelease(e); }
        void operator()(const Commit& e) const { sink.onCommit(e); }
        void operator()(const Delivered& e) const { sink.onDelivered(e); }
        void operator()(const CtaFree& e) const { sink.onCtaFree(e); }
        void operator()(const GridEvent& e) const { sink.onGrid(e); }
        void operator()(const CancelQuery& e) const { sink.onCancel(e); }
    } visitor{*sink_};
    if (sink_ != nullptr) std::visit(visitor, event);
}

void TlmPort::step() { skipTo(now_ + 1); }

void TlmPort::skipTo(Cycle cycle)
{
    wait(time_.startOf(cycle) - sc_core::sc_time_stamp());
    now_ = cycle;
}

}  // namespace gsu
