#include "exec/machine/sync_client.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "golden/findings.hpp"
#include "golden/op_traits.hpp"

namespace gsu::exec {
namespace {

constexpr unsigned kPendingShift = 43;  ///< the pending field of an mbarrier word
constexpr std::uint64_t kPendingMask = 0xf'ffff;

bool releasedBy(const OpenRequest& open, const Release& release)
{
    return isReleased(release, open.request.op, open.request.arg0);
}

/// Operations whose commit leaves no trace that a loop could see.
bool leavesState(const Commit& c)
{
    return c.unit == Unit::Mbarrier && c.oldWord != c.newWord && !c.refused;
}

/// Commits of the mbarrier unit that show the object's word.
bool holdsWord(const Commit& c)
{
    return c.unit == Unit::Mbarrier && c.op != Op::EvTimeout && c.op != Op::EvDelivered &&
           c.src != Src::Network && (!c.refused || c.oldWord != 0);
}

/// A try_wait that is not answered at once: its phase runs.
bool suspends(const Commit& c)
{
    const bool tries = c.op == Op::MbarTryWait || c.op == Op::MbarTryWaitParity;
    return c.unit == Unit::Mbarrier && tries && !c.refused && c.cause == Cause::Done;
}

constexpr std::size_t kMaxTags =
    4096;  ///< the port's; 64 warps of 32 lanes and their packets use fewer

/// For assertions.
[[maybe_unused]] Lanes lanesOpen(const std::vector<OpenRequest>& open, const Warp& warp)
{
    Lanes lanes = 0;
    for (const std::uint16_t tag : warp.openTags) lanes |= open[tag].pending;
    return lanes;
}

}  // namespace

SyncClient::SyncClient(RunState& state, const Residents& residents, Listener& listener)
    : s_(state), residents_(residents), listener_(listener), sms_(residents.sms())
{
}

std::uint16_t SyncClient::takeTag(Sm& sm, bool packet)
{
    std::size_t i = 0;
    while (packet && i < sm.freeTags.size() && listener_.packetOpen(sm.freeTags[i])) ++i;
    while (i == sm.freeTags.size()) {
        assert(sm.open.size() < kMaxTags);
        const auto tag = static_cast<std::uint16_t>(sm.open.size());
        sm.open.emplace_back();
        sm.freeTags.push(tag);
        if (packet && listener_.packetOpen(tag)) ++i;
    }
    return sm.freeTags.take(i);
}

std::uint16_t SyncClient::submit(Warp& warp, const Group& group, const SyncRequest& request,
                                 const SyncInfo& info, std::uint32_t line)
{
    Sm& sm = sms_[request.at.sm];
    const std::uint16_t tag = takeTag(sm, info.bytes != 0);
    OpenRequest& open = sm.open[tag];
    assert(!open.used && request.lanes != 0 && (request.lanes & ~warp.live) == 0);
    assert((lanesOpen(sm.open, warp) & request.lanes) == 0);
    open.used = open.queued = true;
    open.arrived = open.suspended = false;
    open.cta = warp.cta;
    open.warp = warp.index;
    open.pending = request.lanes;
    open.info = &info;
    open.regBase = group.regBase;
    open.predBase = group.predBase;
    open.line = line;
    open.request = request;
    open.request.tag = tag;
    warp.openTags.add(tag);
    sm.queue.push(tag);
    queued_ |= 1u << request.at.sm;
    ++s_.result.syncRequests;
    return tag;
}

void SyncClient::update(const AsyncUpdate& what)
{
    sms_[what.sm].updates.push(what);
    updating_ |= 1u << what.sm;
}

void SyncClient::present()
{
    for (std::uint32_t rest = queued_ | updating_; rest != 0; rest &= rest - 1) {
        const auto id = static_cast<std::uint8_t>(std::countr_zero(rest));
        Sm& sm = sms_[id];
        while (!sm.queue.empty() && s_.port.canPresent(id)) {
            OpenRequest& open = sm.open[sm.queue.front()];
            assert(open.used && open.queued);
            open.queued = false;
            listener_.onPresent(open.request);
            s_.port.present(open.request);
            sm.queue.pop();
        }
        while (!sm.updates.empty() && s_.port.canNotify(id)) {
            s_.port.notify(sm.updates.front());
            sm.updates.pop();
        }
        if (sm.queue.empty()) queued_ &= ~(1u << id);
        if (sm.updates.empty()) updating_ &= ~(1u << id);
    }
}

void SyncClient::answered(Sm& sm, OpenRequest& open, Lanes lanes)
{
    open.pending &= ~lanes;
    if (open.pending != 0) return;
    assert(open.used && !open.queued);
    Warp& warp = open.cta->warps[open.warp];
    open.used = false;
    warp.openTags.remove(open.request.tag);
    sm.freeTags.push(open.request.tag);
    listener_.onAnswered(warp, open.request);
}

/// Writes the results of lanes of a request.
void SyncClient::give(Warp& warp, OpenRequest& to, Lanes lanes, const SyncResponse& response)
{
    const SyncInfo& info = *to.info;
    if (info.pd >= 0) {
        Lanes& p = warp.preds[to.predBase + static_cast<std::size_t>(info.pd)];
        p = (p & ~lanes) | (response.pred & lanes);
    }
    if (info.d == kNoRow) return;
    std::uint64_t* d = warp.regs.data() + (to.regBase + static_cast<std::size_t>(info.d)) * 32;
    unsigned k = 0;
    eachLane(response.lanes, [&](unsigned l) {
        const std::uint64_t field =
            (response.value >> kPendingShift) + std::uint64_t{response.stride} * k++;
        if ((lanes >> l & 1) == 0) return;
        d[l] = (response.value & ~(kPendingMask << kPendingShift)) | (field & kPendingMask)
                                                                         << kPendingShift;
        if (info.noComplete && states_.size() < kMaxStates) states_.insert(d[l]);
    });
}

void SyncClient::onResponse(const SyncResponse& response)
{
    Sm& sm = sms_[response.at.sm];
    if (response.tag >= sm.open.size()) return;
    OpenRequest& open = sm.open[response.tag];
    if (!open.used || open.queued) return;
    if (response.cause == Cause::Refused && open.info->bytes != 0)
        listener_.onPacketRefused(response.tag);
    // A join answers under the tag that completed it: lanes of other requests of the warp are found by their bits.
    Warp& warp = open.cta->warps[open.warp];
    Lanes left = response.lanes;
    if (const Lanes mine = open.pending & left; mine != 0) {
        left &= ~mine;
        give(warp, open, mine, response);
        answered(sm, open, mine);
    }
    if (left == 0) return;
    const TagList tags = warp.openTags;  // an answer takes its tag out
    for (const std::uint16_t tag : tags) {
        OpenRequest& other = sm.open[tag];
        const Lanes mine = other.pending & left;
        if (!other.used || other.queued || mine == 0) continue;
        left &= ~mine;
        give(warp, other, mine, response);
        answered(sm, other, mine);
    }
}

void SyncClient::release(Sm& sm, Warp& warp, const Release& release)
{
    const TagList tags = warp.openTags;  // an answer takes its tag out
    // Parts of a warp may wait in several generations (D-13): they complete, and are released, in order.
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    std::uint32_t oldest = kNone;
    for (const std::uint16_t tag : tags) {
        const OpenRequest& open = sm.open[tag];
        if (open.arrived && releasedBy(open, release)) oldest = std::min(oldest, open.generation);
    }
    for (const std::uint16_t tag : tags) {
        OpenRequest& open = sm.open[tag];
        if (open.queued || !releasedBy(open, release)) continue;
        if (oldest != kNone && (!open.arrived || open.generation != oldest)) continue;
        const SyncInfo& info = *open.info;
        if (info.d != kNoRow) {
            std::uint64_t* d =
                warp.regs.data() + (open.regBase + static_cast<std::size_t>(info.d)) * 32;
            eachLane(open.request.lanes, [&](unsigned l) { d[l] = release.popc; });
        }
        if (info.pd >= 0) {
            const bool value = open.request.op == Op::BarRedAnd ? release.all : release.any;
            Lanes& p = warp.preds[open.predBase + static_cast<std::size_t>(info.pd)];
            p = (p & ~open.request.lanes) | (value ? open.request.lanes : 0);
        }
        answered(sm, open, open.pending);
    }
}

void SyncClient::onRelease(const Release& what)
{
    Cta* cta = residents_.at(what.sm, what.cta);
    if (cta == nullptr) return;
    eachLane(what.warps, [&](unsigned w) {
        if (w < cta->warps.size()) release(sms_[what.sm], cta->warps[w], what);
    });
}

void SyncClient::noteWord(const Commit& commit)
{
    Cta* cta = residents_.at(commit.at.sm, commit.at.cta);
    if (cta == nullptr) return;
    if (commit.unit == Unit::Mbarrier) {
        cta->words.setMbarrier(commit.object & 0xff'ffffu, cta->launch.size, commit.newWord);
    } else if (commit.object < kBarsPerCta) {
        cta->words.setNamed(commit.object, commit.newWord);
    }
}

/// A warp's lanes were counted by a named barrier or by the cluster barrier.
void SyncClient::noteArrival(const Commit& commit)
{
    Cta* cta = residents_.at(commit.at.sm, commit.at.cta);
    if (cta == nullptr) return;
    std::uint32_t& completed = cta->completed[commit.object % kBarsPerCta];
    const bool named = commit.unit == Unit::Named;
    if (commit.at.warp < cta->warps.size()) {
        for (const std::uint16_t tag : cta->warps[commit.at.warp].openTags) {
            OpenRequest& open = sms_[commit.at.sm].open[tag];
            const bool same =
                named ? open.request.arg0 == commit.object : waitsForCluster(open.request.op);
            if (!same || (open.request.lanes & commit.lanes) == 0) continue;
            open.arrived = true;
            open.generation = named ? completed : 0;
        }
    }
    if (named && commit.flip) ++completed;
}

void SyncClient::onCommit(const Commit& commit)
{
    Sm& sm = sms_[commit.at.sm];
    if (leavesState(commit)) s_.progress.changed();
    const bool packet = isMbarData(commit.op) || commit.op == Op::EvDelivered;
    if (packet && commit.refused) listener_.onPacketRefused(commit.tag);
    // The exit of a warp is told once for the CTA, by its slot, and once more for each barrier that it completes.
    const bool named = commit.unit == Unit::Named && (commit.op != Op::EvWarpExit || commit.flip);
    if (named || holdsWord(commit)) noteWord(commit);
    const bool known = commit.tag < sm.open.size() && sm.open[commit.tag].cta != nullptr;
    const bool fromRequest =
        commit.src == Src::Local && known && sm.open[commit.tag].request.at == commit.at;
    if (fromRequest && suspends(commit)) {
        OpenRequest& open = sm.open[commit.tag];
        open.suspended = true;
        listener_.onSuspended(open.cta->warps[open.warp]);
    }
    if ((commit.unit == Unit::Named || commit.unit == Unit::Cluster) && !commit.refused)
        noteArrival(commit);
    if (commit.errs == 0 && !s_.findings.noted()) return;
    report(commit, fromRequest ? sm.open[commit.tag].line : 0);
}

void SyncClient::report(const Commit& commit, std::uint32_t line)
{
    if (commit.unit == Unit::Null) {  // refused by name, not a fault of the kernel
        if (noUnitLine_ == 0) noUnitLine_ = line;
        return;
    }
    const Cta* cta = residents_.at(commit.at.sm, commit.at.cta);
    const std::uint32_t linear = cta != nullptr ? cta->linear : 0;
    s_.findings.takeNotes(linear, commit.at.warp, commit.lanes, line, s_.now());
    for (const FindingRule& e : findingsOf(commit)) {
        s_.findings.add({e.rule, e.severity, e.message, linear, commit.at.warp, commit.lanes, line,
                         commit.cycle});
    }
}

}  // namespace gsu::exec
