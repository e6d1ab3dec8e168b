#include "exec/machine/sync_client.hpp"

#include <algorithm>
#include <bit>

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

std::uint64_t wordKey(Unit unit, unsigned sm, unsigned cta, std::uint32_t object)
{
    if (unit == Unit::Mbarrier) object &= 0xff'ffffu;
    return static_cast<std::uint64_t>(unit) << 56 | std::uint64_t{sm} << 48 |
           std::uint64_t{cta} << 40 | object;
}

}  // namespace

SyncClient::SyncClient(RunState& state, const Residents& residents, Listener& listener)
    : s_(state), residents_(residents), listener_(listener), sms_(residents.sms())
{
}

std::uint16_t SyncClient::takeTag(Sm& sm, bool packet)
{
    auto free = sm.freeTags.begin();
    while (packet && free != sm.freeTags.end() && listener_.packetOpen(*free)) ++free;
    while (free == sm.freeTags.end()) {
        const auto tag =
            static_cast<std::uint16_t>(sm.open.size());  // at most 64 warps of 32 lanes: 2048
        sm.open.emplace_back();
        sm.freeTags.push_back(tag);
        free = sm.freeTags.end();
        if (!packet || !listener_.packetOpen(tag)) --free;
    }
    const std::uint16_t tag = *free;
    sm.freeTags.erase(free);
    return tag;
}

std::uint16_t SyncClient::submit(Warp& warp, const Group& group, const SyncRequest& request,
                                 const SyncInfo& info, std::uint32_t line)
{
    Sm& sm = sms_[request.at.sm];
    const std::uint16_t tag = takeTag(sm, info.bytes != 0);
    OpenRequest& open = sm.open[tag];
    open.used = true;
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
    warp.openTags.push_back(tag);
    sm.queue.push_back(open.request);
    queued_ |= 1u << request.at.sm;
    ++s_.result.syncRequests;
    return tag;
}

void SyncClient::update(const AsyncUpdate& what)
{
    sms_[what.sm].updates.push_back(what);
    updating_ |= 1u << what.sm;
}

void SyncClient::present()
{
    for (std::uint32_t rest = queued_ | updating_; rest != 0; rest &= rest - 1) {
        const auto id = static_cast<std::uint8_t>(std::countr_zero(rest));
        Sm& sm = sms_[id];
        while (!sm.queue.empty() && s_.port.canPresent(id)) {
            const SyncRequest& r = sm.queue.front();
            for (ExecObserver* o : s_.observers) o->onRequest(s_.now(), r, r.source);
            listener_.onPresent(r);
            s_.port.present(r);
            sm.queue.pop_front();
        }
        while (!sm.updates.empty() && s_.port.canNotify(id)) {
            for (ExecObserver* o : s_.observers) o->onNotify(s_.now(), sm.updates.front());
            s_.port.notify(sm.updates.front());
            sm.updates.pop_front();
        }
        if (sm.queue.empty()) queued_ &= ~(1u << id);
        if (sm.updates.empty()) updating_ &= ~(1u << id);
    }
}

void SyncClient::answered(Sm& sm, OpenRequest& open, Lanes lanes)
{
    open.pending &= ~lanes;
    if (open.pending != 0) return;
    Warp& warp = open.cta->warps[open.warp];
    open.used = false;
    std::erase(warp.openTags, open.request.tag);
    sm.freeTags.push_back(open.request.tag);
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
    if (response.tag >= sm.open.size() || !sm.open[response.tag].used) return;
    OpenRequest& open = sm.open[response.tag];
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
    const std::vector<std::uint16_t> tags =
        left != 0 ? warp.openTags : std::vector<std::uint16_t>{};
    for (const std::uint16_t tag : tags) {
        OpenRequest& other = sm.open[tag];
        const Lanes mine = other.pending & left;
        if (!other.used || mine == 0) continue;
        left &= ~mine;
        give(warp, other, mine, response);
        answered(sm, other, mine);
    }
}

void SyncClient::release(Sm& sm, Warp& warp, const Release& release)
{
    const std::vector<std::uint16_t> tags = warp.openTags;
    // Parts of a warp may wait in several generations (D-13): they complete, and are released, in order.
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    std::uint32_t oldest = kNone;
    for (const std::uint16_t tag : tags) {
        const OpenRequest& open = sm.open[tag];
        if (open.arrived && releasedBy(open, release)) oldest = std::min(oldest, open.generation);
    }
    for (const std::uint16_t tag : tags) {
        OpenRequest& open = sm.open[tag];
        if (!releasedBy(open, release)) continue;
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
    if (commit.unit == Unit::Named || holdsWord(commit))
        words_[wordKey(commit.unit, commit.at.sm, commit.at.cta, commit.object)] = commit.newWord;
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

const std::uint64_t* SyncClient::word(Unit unit, const Cta& cta, std::uint32_t object) const
{
    const auto found = words_.find(wordKey(unit, cta.launch.sm, cta.launch.cta, object));
    return found != words_.end() ? &found->second : nullptr;
}

}  // namespace gsu::exec
