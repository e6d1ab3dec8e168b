#include "event_log.hpp"

#include <fmt/format.h>

namespace gsu {

namespace {

std::string text(const WarpRef& at) { return fmt::format("{}/{}/{}", at.sm, at.cta, at.warp); }

}  // namespace

void EventLog::add(const std::string& text)
{
    lines_.push_back(fmt::format("@{} {}", running_, text));
}

void EventLog::onResponse(const SyncResponse& r)
{
    add(fmt::format(
        "{} response {} tag={} lanes={:08x} pred={:08x} last={} cause={} value={:x} stride={:x}",
        r.cycle, text(r.at), r.tag, r.lanes, r.pred, r.last, nameOf(r.cause), r.value, r.stride));
    if (next_ != nullptr) next_->onResponse(r);
}

void EventLog::onRelease(const Release& r)
{
    add(fmt::format(
        "{} release {}/{} warps={:08x} lanes={:08x} cluster={} id={} popc={} all={} any={}",
        r.cycle, r.sm, r.cta, r.warps, r.lanes, r.cluster, r.id, r.popc, r.all, r.any));
    if (next_ != nullptr) next_->onRelease(r);
}

void EventLog::onCommit(const Commit& c)
{
    add(fmt::format(
        "{} commit #{} {} {} {} lanes={:08x} tag={} object={:x} old={:016x} new={:016x} flip={} "
        "refused={} errs={:x} cause={} src={}",
        c.cycle, c.seq, nameOf(c.unit), nameOf(c.op), text(c.at), c.lanes, c.tag, c.object,
        c.oldWord, c.newWord, c.flip, c.refused, c.errs, nameOf(c.cause), nameOf(c.src)));
    if (next_ != nullptr) next_->onCommit(c);
}

void EventLog::onDelivered(const Delivered& d)
{
    add(fmt::format("{} delivered {}/{} tag={} refused={}", d.cycle, d.sm, d.cta, d.tag,
                    d.refused));
    if (next_ != nullptr) next_->onDelivered(d);
}

void EventLog::onGrid(const GridEvent& e)
{
    add(fmt::format("{} grid {} {}", e.cycle, e.grid, e.complete ? "complete" : "signalled"));
    if (next_ != nullptr) next_->onGrid(e);
}

void EventLog::onCancel(const CancelQuery& q)
{
    add(fmt::format("{} cancel {}/{} tag={} lane={} slot={} multicast={}", q.cycle, q.sm, q.cta,
                    q.tag, q.lane, q.slot, q.multicast));
    if (next_ != nullptr) next_->onCancel(q);
}

void EventLog::onCtaFree(const CtaFree& f)
{
    add(fmt::format("{} free {}/{}", f.cycle, f.sm, f.cta));
    if (next_ != nullptr) next_->onCtaFree(f);
}

}  // namespace gsu
