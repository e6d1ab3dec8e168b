// Reports of a unit: to the checker of inputs and the mirror of barriers, then to callbacks and kept events.
#include <type_traits>

#include "capi/unit.hpp"

using gsu::capi::toC;

template <typename Out, typename Call>
void gsu_unit::tell(std::uint32_t kind, const Out& out, Call callback)
{
    if (callback != nullptr) callback(callbacks_.user, &out);
    if ((events_ >> (kind - 1) & 1) == 0) return;
    gsu_event event{};
    event.size = sizeof event;
    event.kind = kind;
    if constexpr (std::is_same_v<Out, gsu_response>) event.of.response = out;
    if constexpr (std::is_same_v<Out, gsu_release>) event.of.release = out;
    if constexpr (std::is_same_v<Out, gsu_commit>) event.of.commit = out;
    if constexpr (std::is_same_v<Out, gsu_delivered>) event.of.delivered = out;
    if constexpr (std::is_same_v<Out, gsu_cta_free>) event.of.cta_free = out;
    if constexpr (std::is_same_v<Out, gsu_finding>) event.of.finding = out;
    if constexpr (std::is_same_v<Out, gsu_grid_event>) event.of.grid = out;
    if constexpr (std::is_same_v<Out, gsu_cancel>) event.of.cancel = out;
    kept_.push_back(event);
}

bool gsu_unit::nextEvent(gsu_event& event)
{
    if (kept_.empty()) return false;
    event = kept_.front();
    kept_.pop_front();
    return true;
}

void gsu_unit::onResponse(const gsu::SyncResponse& response)
{
    checker_.saw(response);
    history_.response(response);
    if (replayed_ == nullptr) tell(GSU_EVENT_RESPONSE, toC(response), callbacks_.on_response);
}

void gsu_unit::onRelease(const gsu::Release& release)
{
    checker_.saw(release);
    history_.release(release);
    if (replayed_ == nullptr) tell(GSU_EVENT_RELEASE, toC(release), callbacks_.on_release);
}

void gsu_unit::onCommit(const gsu::Commit& commit)
{
    barriers_.saw(commit);
    history_.commit(commit);
    const gsu_commit out = toC(commit);
    if (replayed_ != nullptr) return notes_.clear();
    tell(GSU_EVENT_COMMIT, out, callbacks_.on_commit);
    if (callbacks_.on_finding == nullptr && (events_ & GSU_EVENTS_FINDING) == 0) return;
    if (commit.unit == gsu::Unit::Mbarrier) tellNotes(&commit);
    if (commit.errs == 0) return;
    for (const gsu::FindingRule& rule : gsu::findingsOf(commit)) {
        if (*rule.rule == '\0') continue;  // of no rule: an operation without hardware
        tell(GSU_EVENT_FINDING, toC(rule, commit), callbacks_.on_finding);
    }
}

void gsu_unit::tellNotes(const gsu::Commit* commit)
{
    for (const gsu::MbarNote& note : notes_) {
        const auto rule = gsu::findingOf(note.kind);
        if (!rule || replayed_ != nullptr) continue;
        tell(GSU_EVENT_FINDING, toC(*rule, note, commit, now()), callbacks_.on_finding);
    }
    notes_.clear();
}

void gsu_unit::onDelivered(const gsu::Delivered& delivered)
{
    if (replayed_ != nullptr) return;
    if (delivered.refused)
        tell(GSU_EVENT_DROPPED, toC(delivered), callbacks_.on_dropped);
    else
        tell(GSU_EVENT_DELIVERED, toC(delivered), callbacks_.on_delivered);
}

void gsu_unit::onCancel(const gsu::CancelQuery& query)
{
    checker_.saw(query);
    if (replayed_ == nullptr) tell(GSU_EVENT_CANCEL, toC(query), callbacks_.on_cancel);
}

void gsu_unit::onCtaFree(const gsu::CtaFree& free)
{
    checker_.saw(free);
    barriers_.freed(free.sm, free.cta);
    history_.freed(free.sm, free.cta);
    if (replayed_ == nullptr) tell(GSU_EVENT_CTA_FREE, toC(free), callbacks_.on_cta_free);
}

void gsu_unit::onGrid(const gsu::GridEvent& event)
{
    checker_.saw(event, chip_->speaking());
    history_.gridEvent(chip_->speaking(), event);
    gsu_grid_event out = toC(event);
    out.network = std::uint16_t(chip_->speaking());
    if (replayed_ == nullptr) tell(GSU_EVENT_GRID, out, callbacks_.on_grid);
}

std::uint64_t gsu_unit::readWord(std::uint8_t sm, std::uint32_t addr) const
{
    if (own_) return own_->readWord(sm, addr);
    if (replayed_ == nullptr) {
        const std::uint64_t value = callbacks_.read_word(callbacks_.user, sm, addr);
        if (journals_ && reading_) const_cast<gsu_unit*>(this)->journal_.read(sm, addr, value);
        return value;
    }
    const std::uint64_t value = replayed_->read(sm, addr);
    const_cast<gsu_unit*>(this)->journal_.read(sm, addr, value);
    return value;
}

void gsu_unit::writeWord(std::uint8_t sm, std::uint32_t addr, std::uint64_t value)
{
    if (own_)
        own_->writeWord(sm, addr, value);
    else if (replayed_ == nullptr)
        callbacks_.write_word(callbacks_.user, sm, addr, value);
}
