#include "units/sm_range.hpp"

namespace gsu {
namespace {

// Where an input or a report names its SM.
auto& smOf(SyncRequest& r) { return r.at.sm; }
auto& smOf(Exit& e) { return e.at.sm; }
auto& smOf(Accesses& a) { return a.at.sm; }
auto& smOf(SyncResponse& r) { return r.at.sm; }
auto& smOf(auto& other) { return other.sm; }

}  // namespace

SmRange::SmRange(UnitOptions options, unsigned first, const Config& config, SharedMemory& memory)
    : first_(first), memory_(memory)
{
    options.firstSm = first;
    if (options.onNote) {
        options.onNote = [first, tell = std::move(options.onNote)](const MbarNote& note) {
            MbarNote out = note;
            smOf(out) = static_cast<std::uint8_t>(smOf(out) + first);
            tell(out);
        };
    }
    SharedMemory& own = *this;  // a private base: make_unique cannot convert to it
    unit_ = std::make_unique<SyncUnit>(options, config, own);
    port().setSink(*this);
}

template <class Input> void SmRange::give(void (SyncPort::*to)(const Input&), const Input& input)
{
    if (first_ == 0) return (port().*to)(input);
    Input own = input;
    smOf(own) = local(smOf(own));
    (port().*to)(own);
}

template <class Report>
void SmRange::pass(void (SyncSink::*to)(const Report&), const Report& report)
{
    if (sink_ == nullptr) return;
    if (first_ == 0) return (sink_->*to)(report);
    Report out = report;
    smOf(out) = static_cast<std::uint8_t>(smOf(out) + first_);
    (sink_->*to)(out);
}

bool SmRange::launch(const Launch& launch)
{
    Launch own = launch;
    own.sm = local(launch.sm);
    return port().launch(own);
}

void SmRange::present(const SyncRequest& request) { give(&SyncPort::present, request); }
void SmRange::notify(const AsyncUpdate& update) { give(&SyncPort::notify, update); }
void SmRange::route(const ClusterRoute& route) { give(&SyncPort::route, route); }
void SmRange::exit(const Exit& exit) { give(&SyncPort::exit, exit); }
void SmRange::announce(const Accesses& accesses) { give(&SyncPort::announce, accesses); }
void SmRange::performed(const Accesses& accesses) { give(&SyncPort::performed, accesses); }
void SmRange::answerCancel(const CancelAnswer& answer) { give(&SyncPort::answerCancel, answer); }

void SmRange::onResponse(const SyncResponse& r) { pass(&SyncSink::onResponse, r); }
void SmRange::onRelease(const Release& r) { pass(&SyncSink::onRelease, r); }
void SmRange::onDelivered(const Delivered& r) { pass(&SyncSink::onDelivered, r); }
void SmRange::onCtaFree(const CtaFree& r) { pass(&SyncSink::onCtaFree, r); }
void SmRange::onCancel(const CancelQuery& r) { pass(&SyncSink::onCancel, r); }
void SmRange::onGrid(const GridEvent& r)
{
    if (sink_ != nullptr) sink_->onGrid(r);
}
void SmRange::onCommit(const Commit& commit)
{
    if (sink_ == nullptr) return;
    if (first_ == 0) return sink_->onCommit(commit);
    Commit out = commit;
    out.at.sm = static_cast<std::uint8_t>(out.at.sm + first_);
    out.srcSm = static_cast<std::uint8_t>(out.srcSm + first_);
    sink_->onCommit(out);
}

std::uint64_t SmRange::readWord(std::uint8_t sm, std::uint32_t addr) const
{
    return memory_.readWord(static_cast<std::uint8_t>(sm + first_), addr);
}
void SmRange::writeWord(std::uint8_t sm, std::uint32_t addr, std::uint64_t value)
{
    memory_.writeWord(static_cast<std::uint8_t>(sm + first_), addr, value);
}

}  // namespace gsu
