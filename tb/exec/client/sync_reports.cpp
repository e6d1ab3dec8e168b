// Information from the port's commits: the words of barriers, the history for a hang's cause, findings with their lines.
#include "exec/client/sync_client.hpp"
#include "golden/findings.hpp"
#include "golden/mbarrier.hpp"
#include "golden/op_traits.hpp"

namespace gsu::exec {

void SyncClient::noteWord(const Commit& commit)
{
    Cta* cta = residents_.at(commit.at.sm, commit.at.cta);
    if (cta == nullptr) return;
    if (commit.unit == Unit::Mbarrier) {
        const std::uint32_t offset = clusterOffset(commit.object), size = cta->launch.size;
        cta->words.setMbarrier(offset, size, commit.newWord);
        if (commit.refused) return;
        if (commit.flip)
            s_.progress.again();  // a loop whose wait has just failed will find it true
        if (commit.op == Op::MbarInit || commit.op == Op::MbarInval)
            cta->words.setObject(offset, size, commit.op == Op::MbarInit);
    } else if (commit.object < kBarsPerCta) {
        cta->words.setNamed(commit.object, commit.newWord);
    }
}

/// The request of a commit, which is of another CTA if a packet brought it; nothing: none is known. A posted request is answered before its
/// packet arrives, and its tag may then be that of another one.
std::optional<Sender> SyncClient::senderOf(const Commit& commit) const
{
    if (commit.op == Op::EvLaneExit || commit.op == Op::EvWarpExit || commit.op == Op::EvCtaFree)
        return std::nullopt;  // they have no tag
    const bool remote = commit.src == Src::Remote;
    if (commit.src != Src::Local && !remote && commit.src != Src::CpAsync) return std::nullopt;
    const WarpRef at = remote ? WarpRef{commit.srcSm, commit.srcCta, commit.at.warp} : commit.at;
    if (at.sm >= sms_.size() || commit.tag >= sms_[at.sm].open.size()) return std::nullopt;
    const OpenRequest& open = sms_[at.sm].open[commit.tag];
    if (open.cta == nullptr) return std::nullopt;
    if (open.request.at == at && (!remote || open.sender().sent(commit.op))) return open.sender();
    if (remote && open.posted.at == at && open.posted.sent(commit.op)) return open.posted;
    return std::nullopt;
}

/// Adds a commit of a barrier or an mbarrier to the history for the cause of a hang.
void SyncClient::remember(const Commit& commit, const std::optional<Sender>& from)
{
    const Cta* owner = residents_.at(commit.at.sm, commit.at.cta);
    if (owner == nullptr) return;
    const std::uint32_t line = from ? from->line : 0;
    if (commit.unit == Unit::Named) return s_.history.named(commit, *owner, line);
    const bool remote = commit.src == Src::Remote;
    s_.history.mbar(commit, *owner,
                    {{from ? from->linear : owner->linear, commit.at.warp}, line, remote});
}

void SyncClient::onCommit(const Commit& commit)
{
    // The exit of a warp is reported once for the CTA, by its slot, and once more for each barrier that it completes.
    const bool named = commit.unit == Unit::Named && (commit.op != Op::EvWarpExit || commit.flip);
    const bool told = named || tellsMbarrier(commit);
    if (told) noteWord(commit);
    const bool reported = commit.errs != 0 || s_.findings.noted();
    if (!told && !reported) return;  // to look for its request in a table of all tags takes time
    const std::optional<Sender> from = senderOf(commit);
    if (told) remember(commit, from);
    if (reported) report(commit, from);
}

/// The line of a commit without an instruction of its own: that of an exit, or of a waiter for the exited lanes.
std::uint32_t SyncClient::lineOf(const Commit& commit) const
{
    const bool exits = commit.op == Op::EvLaneExit || commit.op == Op::EvWarpExit;
    const bool meeting = commit.unit == Unit::WarpSync;
    const Cta* cta = residents_.at(commit.at.sm, commit.at.cta);
    if ((!exits && !meeting) || cta == nullptr || commit.at.warp >= cta->warps.size())
        return listener_.lineOf(commit);
    const Warp& warp = cta->warps[commit.at.warp];
    for (const std::uint16_t tag : warp.openTags) {
        const OpenRequest& other = open(warp, tag);
        if (meeting && (other.request.lanes & commit.lanes) != 0) return other.line;
    }
    return warp.exitLine;
}

/// The line by which bytes were last announced or completed on an object.
std::uint32_t SyncClient::lastBytes(const Cta& cta, const MbarNote& note) const
{
    const MbarHistory* object = s_.history.mbarOf(cta.serial, note.address - cta.launch.base);
    if (object == nullptr) return 0;
    const Share share =
        note.kind == MbarNote::Kind::EndedSurplus ? Share::Completed : Share::Announced;
    std::uint32_t line = 0;
    Cycle last = 0;
    for (const auto& [who, total] : object->totals()) {
        if (std::get<0>(who) != share || total.last < last) continue;
        line = std::get<2>(who);
        last = total.last;
    }
    return line;
}

/// Reports findings; for a packet of the network at its sender.
void SyncClient::report(const Commit& commit, const std::optional<Sender>& from)
{
    const std::uint32_t line = from ? from->line : lineOf(commit);
    if (commit.unit == Unit::Null) {  // refused by name, not a fault of the kernel
        if (noUnitLine_ == 0) noUnitLine_ = line;
        return;
    }
    const Cta* cta = residents_.at(commit.at.sm, commit.at.cta);
    const std::uint32_t linear = from ? from->linear : cta != nullptr ? cta->linear : 0;
    Commit explained = commit;
    // Memory of zeros looks to the unit like an object that was dropped to 0; MBAR-005 is the reason.
    if (commit.unit == Unit::Mbarrier && s_.findings.noted(MbarNote::Kind::Uninitialised))
        explained.errs &= static_cast<std::uint16_t>(~kMbErrRetired);
    if (commit.op == Op::EvCtaFree && cta != nullptr)
        s_.findings.takeNotes(linear, s_.now(),
                              [&](const MbarNote& note) { return lastBytes(*cta, note); });
    else
        s_.findings.takeNotes(linear, commit.at.warp, commit.lanes, line, s_.now());
    for (const FindingRule& e : findingsOf(explained)) {
        s_.findings.add({e.rule, e.severity, e.message, linear, commit.at.warp, commit.lanes, line,
                         commit.cycle});
    }
}

}  // namespace gsu::exec
