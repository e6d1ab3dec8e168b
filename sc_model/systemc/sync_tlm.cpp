#include "systemc/sync_tlm.hpp"

#include <algorithm>
#include <utility>

#include "golden/op_traits.hpp"
#include "systemc/command_check.hpp"

namespace gsu {

namespace {

[[nodiscard]] bool isAnswered(const SyncCommand& command)
{
    return std::holds_alternative<SyncRequest>(command);
}

/// Whether a release answers this request: the waiting forms (SyncPort).
[[nodiscard]] bool names(const Release& release, const SyncRequest& request)
{
    return isReleased(release, request.op, request.arg0);
}
[[nodiscard]] bool names(const SyncResponse&, const SyncRequest&) { return true; }

void record(SyncExtension& extension, const SyncResponse& response)
{
    extension.responses.push_back(response);
}
void record(SyncExtension& extension, const Release& release) { extension.release = release; }

/// The reason why the unit refused a request that it has answered; empty if it did not.
[[nodiscard]] std::string refusalOf(const SyncExtension& extension)
{
    const auto refused = [](const SyncResponse& r) { return r.cause == Cause::Refused; };
    if (std::none_of(extension.responses.begin(), extension.responses.end(), refused)) return {};
    for (const FindingRule& f : extension.findings)
        if (f.effect == Effect::Refused)
            return std::string("refused by the unit: ") + f.rule + ": " + f.message;
    return "refused by the unit";
}

}  // namespace

SyncTlm::SyncTlm(const sc_core::sc_module_name& name, SyncPort& port,
                 const sc_core::sc_time& period)
    : sc_module(name),
      socket("socket"),
      events("events"),
      port_(port),
      time_(period),
      open_(port.sms())
{
    socket.register_nb_transport_fw(this, &SyncTlm::forward);
    socket.register_b_transport(this, &SyncTlm::block);
    socket.register_transport_dbg(this, &SyncTlm::debug);
    port_.setSink(*this);
    SC_HAS_PROCESS(SyncTlm);
    SC_METHOD(tick);
    dont_initialize();
    sensitive << work_;
    // A port that is busy by itself (after its reset, say) is clocked from cycle 0.
    schedule();
}

bool SyncTlm::open(tlm::tlm_generic_payload& payload, Ticket& ticket) const
{
    payload.get_extension(ticket.extension);
    ticket.payload = &payload;
    if (ticket.extension == nullptr) {
        payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return false;
    }
    ticket.extension->clearAnswer();
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return true;
}

tlm::tlm_sync_enum SyncTlm::forward(int initiator, tlm::tlm_generic_payload& payload,
                                    tlm::tlm_phase& phase, sc_core::sc_time& delay)
{
    if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;  // the answer was the end already
    Ticket ticket{.initiator = initiator};
    if (!open(payload, ticket)) return tlm::TLM_COMPLETED;
    if (phase != tlm::BEGIN_REQ || delay != sc_core::SC_ZERO_TIME) {
        ticket.extension->reason = "only BEGIN_REQ without time annotation is understood";
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    switch (accept(ticket)) {
        case Taken::Refused: return tlm::TLM_COMPLETED;
        case Taken::NotNow: return tlm::TLM_ACCEPTED;
        case Taken::Yes: break;
    }
    if (!isAnswered(ticket.extension->command)) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

void SyncTlm::block(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    if (delay != sc_core::SC_ZERO_TIME) wait(std::exchange(delay, sc_core::SC_ZERO_TIME));
    sc_core::sc_event done;
    Ticket ticket{.done = &done};
    if (!open(payload, ticket)) return;
    const Taken taken = accept(ticket);
    if (taken == Taken::Refused) return;
    if (taken == Taken::NotNow || isAnswered(ticket.extension->command))
        wait(done);
    else
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned SyncTlm::debug(int, tlm::tlm_generic_payload& payload)
{
    StatusExtension* status = nullptr;
    payload.get_extension(status);
    if (status == nullptr) {
        payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return 0;
    }
    status->sms = port_.sms();
    status->now = time_.cycleOf(sc_core::sc_time_stamp());
    const bool busy = given_ || !waiting_.empty() || !late_.empty();
    status->quietUntil = busy ? status->now : std::max(status->now, port_.quietUntil());
    if (status->at.sm < port_.sms() && status->at.cta < kMaxCtas && status->at.warp < kMaxWarps)
        status->epoch = port_.epoch(status->at, status->reach);
    status->canPresent = status->canNotify = status->canAnswer = 0;
    for (unsigned sm = 0; sm < port_.sms(); ++sm) {
        status->canPresent |= std::uint32_t(port_.canPresent(std::uint8_t(sm))) << sm;
        status->canNotify |= std::uint32_t(port_.canNotify(std::uint8_t(sm))) << sm;
        status->canAnswer |= std::uint32_t(port_.canAnswerCancel(std::uint8_t(sm))) << sm;
    }
    for (const Ticket& ticket : waiting_) {
        const std::uint32_t bit = 1u << smOf(ticket.extension->command);
        if (isAnswered(ticket.extension->command)) status->canPresent &= ~bit;
        if (std::holds_alternative<AsyncUpdate>(ticket.extension->command))
            status->canNotify &= ~bit;
        if (std::holds_alternative<CancelAnswer>(ticket.extension->command))
            status->canAnswer &= ~bit;
    }
    status->fault = port_.fault();
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return sizeof(StatusExtension);
}

/// Moves a quiet port to the present cycle. False while the middle of an earlier cycle is still to be evaluated at this instant.
bool SyncTlm::catchUp()
{
    if (stepping_) return false;
    const Cycle current = time_.cycleOf(sc_core::sc_time_stamp());
    if (port_.now() == current) return true;
    if (given_ || !late_.empty() || !waiting_.empty() || port_.quietUntil() < current) return false;
    port_.skipTo(current);
    return true;
}

SyncTlm::Taken SyncTlm::accept(Ticket& ticket)
{
    if (!catchUp()) {
        late_.push_back(ticket);
        return Taken::NotNow;
    }
    Taken taken = behindAnother(ticket) ? Taken::NotNow : give(ticket);
    if (taken == Taken::NotNow) {
        if (ticket.extension->wait) {
            waiting_.push_back(ticket);
        } else {
            ticket.extension->reason = "not in this cycle";
            taken = Taken::Refused;
        }
    }
    schedule();
    return taken;
}

SyncTlm::Taken SyncTlm::give(Ticket& ticket)
{
    SyncExtension& extension = *ticket.extension;
    const SyncCommand& command = extension.command;
    extension.reason = problemOf(command, port_.sms());
    if (extension.reason.empty()) extension.reason = conflictOf(command);
    if (!extension.reason.empty()) {
        ticket.payload->set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return Taken::Refused;
    }
    bool taken = true;
    if (const auto* request = std::get_if<SyncRequest>(&command)) {
        taken = port_.canPresent(request->at.sm);
        if (taken) {
            port_.present(*request);
            ticket.open = request->lanes;
            open_[request->at.sm].push_back(ticket);
        }
    } else if (const auto* update = std::get_if<AsyncUpdate>(&command)) {
        taken = port_.canNotify(update->sm);
        if (taken) port_.notify(*update);
    } else if (const auto* told = std::get_if<CancelAnswer>(&command)) {
        taken = port_.canAnswerCancel(told->sm);
        if (taken) port_.answerCancel(*told);
    } else if (const auto* launch = std::get_if<Launch>(&command)) {
        taken = port_.launch(*launch);
    } else if (const auto* exit = std::get_if<Exit>(&command)) {
        port_.exit(*exit);
    } else if (const auto* route = std::get_if<ClusterRoute>(&command)) {
        port_.route(*route);
    } else if (const auto* grid = std::get_if<GridStart>(&command)) {
        port_.grid(*grid);
    } else if (const auto* stored = std::get_if<Stored>(&command)) {
        port_.stored(stored->sm, stored->addr, stored->bytes);
    } else if (const auto* access = std::get_if<AccessCommand>(&command)) {
        access->performed ? port_.performed(access->accesses) : port_.announce(access->accesses);
    }
    if (!taken) return Taken::NotNow;
    given_ = true;
    extension.taken = extension.answered = port_.now();
    return Taken::Yes;
}

/// Commands of one kind reach an SM in the order in which they came.
bool SyncTlm::behindAnother(const Ticket& ticket) const
{
    const SyncCommand& mine = ticket.extension->command;
    for (const Ticket& other : waiting_) {
        const SyncCommand& theirs = other.extension->command;
        if (theirs.index() == mine.index() && smOf(theirs) == smOf(mine)) return true;
    }
    return false;
}

/// The violated precondition of SyncPort, because of requests that are still open.
std::string SyncTlm::conflictOf(const SyncCommand& command) const
{
    const auto clash = [](const Ticket& ticket, WarpRef at, Lanes lanes) {
        return std::get<SyncRequest>(ticket.extension->command).at == at &&
               (ticket.open & lanes) != 0;
    };
    if (const auto* request = std::get_if<SyncRequest>(&command)) {
        for (const Ticket& ticket : open_[request->at.sm]) {
            if (std::get<SyncRequest>(ticket.extension->command).tag == request->tag)
                return "its tag is in use";
            if (clash(ticket, request->at, request->lanes))
                return "one of its lanes waits for an answer";
        }
    } else if (const auto* exit = std::get_if<Exit>(&command)) {
        for (const Ticket& ticket : open_[exit->at.sm])
            if (clash(ticket, exit->at, exit->lanes)) return "one of its lanes waits for an answer";
        for (const Ticket& ticket : waiting_) {
            const auto* waiting = std::get_if<SyncRequest>(&ticket.extension->command);
            if (waiting != nullptr && waiting->at == exit->at &&
                (waiting->lanes & exit->lanes) != 0)
                return "one of its lanes has a request that waits to be taken";
        }
    }
    return {};
}

void SyncTlm::retryWaiting()
{
    std::deque<Ticket> tried;
    tried.swap(waiting_);
    for (Ticket& ticket : tried) {
        const Taken taken = behindAnother(ticket) ? Taken::NotNow : give(ticket);
        if (taken == Taken::NotNow)
            waiting_.push_back(ticket);
        else
            announce(ticket);
    }
}

void SyncTlm::acceptLate()
{
    std::deque<Ticket> late;
    late.swap(late_);
    for (Ticket& ticket : late)
        if (accept(ticket) != Taken::NotNow) announce(ticket);
}

/// Reports to the initiator the result of a command that was not taken at once.
void SyncTlm::announce(Ticket& ticket)
{
    const bool open = ticket.extension->taken != kNever && isAnswered(ticket.extension->command);
    if (!open) {
        finish(ticket);
    } else if (ticket.initiator != kBlocking) {
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay;
        socket[ticket.initiator]->nb_transport_bw(*ticket.payload, phase, delay);
    }
}

void SyncTlm::finish(Ticket& ticket)
{
    if (ticket.extension->taken != kNever) {
        ticket.extension->reason = refusalOf(*ticket.extension);
        ticket.payload->set_response_status(ticket.extension->reason.empty()
                                                ? tlm::TLM_OK_RESPONSE
                                                : tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
    if (ticket.initiator == kBlocking) {
        ticket.done->notify(sc_core::SC_ZERO_TIME);
        return;
    }
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay;
    socket[ticket.initiator]->nb_transport_bw(*ticket.payload, phase, delay);
}

void SyncTlm::tick()
{
    const Cycle due = time_.cycleOf(sc_core::sc_time_stamp()) - 1;
    if (port_.now() <= due) {
        if (port_.now() < due) port_.skipTo(due);
        retryWaiting();
        stepping_ = true;
        port_.step();
        stepping_ = given_ = false;
        ++steps_;
        std::vector<Ticket> answered;
        answered.swap(answered_);
        for (Ticket& ticket : answered) finish(ticket);
        acceptLate();
        reportFault();
    }
    schedule();
}

void SyncTlm::schedule()
{
    if (stepping_) return;  // tick() does it when the step is over
    const bool busy = given_ || !waiting_.empty();
    const Cycle next = busy ? port_.now() : port_.quietUntil();
    if (next != kNever && !faulted_) work_.notify(time_.middleOf(next) - sc_core::sc_time_stamp());
}

void SyncTlm::reportFault()
{
    if (faulted_) return;
    const std::optional<Fault> fault = port_.fault();
    if (!fault) return;
    faulted_ = true;
    SC_REPORT_ERROR("/gsu/fault", fault->message.c_str());
}

template <typename Record> void SyncTlm::answer(WarpRef at, Lanes lanes, const Record& what)
{
    std::vector<Ticket>& open = open_[at.sm];
    for (std::size_t i = 0; i < open.size();) {
        Ticket& ticket = open[i];
        const auto& request = std::get<SyncRequest>(ticket.extension->command);
        const bool hit = request.at == at && (ticket.open & lanes) != 0 && names(what, request);
        if (hit) {
            ticket.open &= ~lanes;
            ticket.extension->answered = what.cycle;
            record(*ticket.extension, what);
        }
        if (hit && ticket.open == 0) {
            answered_.push_back(ticket);
            open.erase(open.begin() + std::ptrdiff_t(i));
        } else {
            ++i;
        }
    }
}

void SyncTlm::onResponse(const SyncResponse& response)
{
    answer(response.at, response.lanes, response);
    events.write(response);
}

void SyncTlm::onRelease(const Release& release)
{
    for (Lanes rest = release.warps; rest != 0; rest &= rest - 1)
        answer({release.sm, release.cta, std::uint8_t(__builtin_ctz(rest))}, release.lanes,
               release);
    events.write(release);
}

void SyncTlm::onCommit(const Commit& commit)
{
    for (const Ticket& ticket : open_[commit.at.sm]) {
        const auto& request = std::get<SyncRequest>(ticket.extension->command);
        if (commit.errs == 0 || request.at != commit.at || request.tag != commit.tag ||
            (ticket.open & commit.lanes) == 0)
            continue;
        const std::vector<FindingRule> found = findingsOf(commit);
        std::vector<FindingRule>& all = ticket.extension->findings;
        all.insert(all.end(), found.begin(), found.end());
    }
    events.write(commit);
}
void SyncTlm::onDelivered(const Delivered& delivered) { events.write(delivered); }
void SyncTlm::onCtaFree(const CtaFree& free) { events.write(free); }
void SyncTlm::onGrid(const GridEvent& event) { events.write(event); }
void SyncTlm::onCancel(const CancelQuery& query) { events.write(query); }

}  // namespace gsu
