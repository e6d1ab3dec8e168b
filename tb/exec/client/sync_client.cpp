#include "exec/client/sync_client.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "exec/program/errors.hpp"
#include "golden/mbarrier.hpp"
#include "golden/op_traits.hpp"

namespace gsu::exec {
namespace {

/// Whether an answered operation has left an effect that a loop could see.
bool leavesState(const SyncRequest& r)
{
    if (!isMbarOp(r.op) || isMbarWait(r.op)) return false;
    if (isMbarArrive(r.op) || (!isMbarBytes(r.op) && !isMbarCounted(r.op))) return true;
    Lanes some = 0;
    eachLane(r.lanes, [&](unsigned l) { some |= Lanes{r.data[l] != 0} << l; });
    return some != 0;
}

/// Whether a request goes to another CTA, from a CTA of this rank.
bool isRemote(const SyncRequest& r, std::uint32_t rank)
{
    return hasRemoteForm(r.op) &&
           clusterRank(r.addr[static_cast<unsigned>(__builtin_ctz(r.lanes))]) != rank;
}

/// The lanes of a warp meet before either is counted (D-12, D-51).
bool sameBarrier(const SyncRequest& a, const SyncRequest& b)
{
    return isNamed(a.op) ? isNamed(b.op) && a.arg0 == b.arg0 : isCluster(a.op) && a.op == b.op;
}

/// Parts of one meeting of lanes, or of the next one of the same lanes.
bool meetsSameLanes(const SyncRequest& a, const SyncRequest& b)
{
    return a.op == b.op && a.kind == b.kind && a.arg0 == b.arg0;
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

/// Ends the run without free tags. A delivery names only its tag: packets in flight in a network have tags of their own.
void SyncClient::outOfTags(std::uint32_t line) const
{
    const auto [file, at] = s_.module.placeOf(line);
    throw UnsupportedError(
        file, at, 0,
        "instruction not supported: so many of st.async, red.async and "
        "try_cancel are in flight in one network that its 4096 tags are used up");
}

std::uint16_t SyncClient::takeTag(unsigned sm, bool packet, std::uint32_t line)
{
    SharedUnitResources::Sm& pool = s_.resources.sm(sm);
    std::size_t i = 0;
    const auto taken = [&](std::uint16_t tag) {
        return packet && listener_.packetOpen(s_.resources.chip().packetName(sm, tag));
    };
    while (packet && i < pool.freeTags.size() && taken(pool.freeTags[i])) ++i;
    while (i == pool.freeTags.size()) {
        if (pool.tags == kMaxTags) outOfTags(line);
        const std::uint16_t tag = pool.tags++;
        pool.freeTags.push(tag);
        if (taken(tag)) ++i;
    }
    const std::uint16_t tag = pool.freeTags.take(i);
    std::vector<OpenRequest>& open = sms_[sm].open;
    if (tag >= open.size()) open.resize(tag + 1u);
    return tag;
}

std::uint16_t SyncClient::submit(Warp& warp, const Group& group, const SyncRequest& request,
                                 const SyncInfo& info, std::uint32_t line)
{
    Sm& sm = sms_[request.at.sm];
    const std::uint16_t tag = takeTag(request.at.sm, info.bytes != 0 || isCancel(info.op), line);
    OpenRequest& open = sm.open[tag];
    assert(!open.used && request.lanes != 0 && (request.lanes & ~warp.live) == 0);
    assert((lanesOpen(sm.open, warp) & request.lanes) == 0);
    open.used = open.queued = true;
    open.joined = open.answering = open.suspended = false;
    open.cta = warp.cta;
    open.linear = warp.cta->linear;
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
    queued_.add(request.at.sm);
    ++s_.result.syncRequests;
    return tag;
}

void SyncClient::update(const AsyncUpdate& what)
{
    sms_[what.sm].updates.push(what);
    updating_.add(what.sm);
}

void SyncClient::answer(const CancelAnswer& what)
{
    sms_[what.sm].answers.push(what);
    updating_.add(what.sm);
}

void SyncClient::present()
{
    SmSet::eachOf(queued_, updating_, [&](unsigned index) {
        const auto id = static_cast<std::uint8_t>(index);
        Sm& sm = sms_[id];
        while (!sm.queue.empty() && s_.port.canPresent(id)) {
            OpenRequest& open = sm.open[sm.queue.front()];
            assert(open.used && open.queued);
            open.queued = false;
            listener_.onPresent(open.request);
            s_.port.present(open.request);
            notePresented(sm, open);
            sm.queue.pop();
        }
        while (!sm.updates.empty() && s_.port.canNotify(id)) {
            s_.port.notify(sm.updates.front());
            s_.progress.changed();
            sm.updates.pop();
        }
        while (!sm.answers.empty() && s_.port.canAnswerCancel(id)) {
            s_.port.answerCancel(sm.answers.front());
            sm.answers.pop();
        }
        if (sm.queue.empty()) queued_.remove(id);
        if (sm.updates.empty() && sm.answers.empty()) updating_.remove(id);
    });
}

void SyncClient::notePresented(Sm& sm, OpenRequest& open)
{
    open.presentedAt = s_.now();
    const Warp& warp = open.cta->warps[open.warp];
    const SyncRequest& r = open.request;
    if ((isNamed(r.op) || isCluster(r.op)) && r.lanes != warp.live && joined(warp, open))
        noteJoined(warp, r);
    if (isMbarTryWait(r.op) && r.lanes != warp.live) {
        sm.waits.push(r.tag);
        waiting_.add(r.at.sm);
    }
}

bool SyncClient::joined(const Warp& warp, const OpenRequest& open) const
{
    if (open.joined || open.request.aligned) return !open.queued;  // D-13: nobody is waited for
    Lanes here = 0;
    for (const std::uint16_t tag : warp.openTags) {
        const OpenRequest& other = this->open(warp, tag);
        if (!other.queued && sameBarrier(open.request, other.request)) here |= other.request.lanes;
    }
    return (warp.live & ~here) == 0;
}

/// All lanes have come: they are counted together, in whatever order they are answered.
void SyncClient::noteJoined(const Warp& warp, const SyncRequest& request)
{
    for (const std::uint16_t tag : warp.openTags) {
        OpenRequest& other = sms_[warp.cta->launch.sm].open[tag];
        const bool same = meetsLanes(request.op) ? meetsSameLanes(request, other.request)
                                                 : sameBarrier(request, other.request);
        if (!other.queued && same) other.joined = true;
    }
}

bool SyncClient::stillWaits(const OpenRequest& open) const noexcept
{
    return open.used && !open.queued && !open.suspended && isMbarTryWait(open.request.op);
}

void SyncClient::watchWaits()
{
    waiting_.each([&](unsigned index) {
        Sm& sm = sms_[index];
        for (; !sm.waits.empty(); sm.waits.pop()) {
            OpenRequest& open = sm.open[sm.waits.front()];
            if (!stillWaits(open)) continue;
            if (open.presentedAt + kSuspended > s_.now()) break;
            open.suspended = true;
            listener_.onSuspended(open.cta->warps[open.warp]);
        }
    });
}

Cycle SyncClient::firstWatch()
{
    Cycle next = kNever;
    waiting_.each([&](unsigned index) {
        Sm& sm = sms_[index];
        while (!sm.waits.empty() && !stillWaits(sm.open[sm.waits.front()])) sm.waits.pop();
        if (sm.waits.empty())
            waiting_.remove(index);
        else
            next = std::min(next, sm.open[sm.waits.front()].presentedAt + kSuspended);
    });
    return next;
}

void SyncClient::freeTag(OpenRequest& open)
{
    open.used = false;
    s_.resources.sm(open.request.at.sm).freeTags.push(open.request.tag);
}

void SyncClient::answered(OpenRequest& open, Lanes lanes)
{
    open.pending &= ~lanes;
    if (open.pending != 0) return;
    assert(open.used && !open.queued);
    Warp& warp = open.cta->warps[open.warp];
    if (open.request.op == Op::BarArrive) noteJoined(warp, open.request);
    warp.openTags.remove(open.request.tag);
    if (isRemote(open.request, open.cta->launch.rank)) open.posted = open.sender();
    if (!open.answering) freeTag(open);
    listener_.onAnswered(warp, open.request);
}

/// Writes the results of lanes of a request.
void SyncClient::give(Warp& warp, OpenRequest& to, Lanes lanes, const SyncResponse& response)
{
    const SyncInfo& info = *to.info;
    if ((response.pred & lanes) != 0 && isMbarWait(to.request.op))
        listener_.onWaited(to.request, response.pred & lanes);
    if (info.pd >= 0) {
        Lanes& p = warp.preds[to.predBase + static_cast<std::size_t>(info.pd)];
        p = (p & ~lanes) | (response.pred & lanes);
    }
    if (info.d == kNoRow) return;
    std::uint64_t* d = warp.regs.data() + (to.regBase + static_cast<std::size_t>(info.d)) * 32;
    unsigned k = 0;
    eachLane(response.lanes, [&](unsigned l) {
        const unsigned earlier = k++;
        if ((lanes >> l & 1) == 0) return;
        d[l] = withFewerPending(response.value, response.stride * earlier);
        if (info.noComplete && states_.size() < kMaxStates) states_.insert(d[l]);
        if (info.keepsOrigin)
            origins_.returned(warp, to.regBase + static_cast<std::uint32_t>(info.d), l, d[l],
                              to.request.addr[l]);
    });
}

void SyncClient::onResponse(const SyncResponse& response)
{
    Sm& sm = sms_[response.at.sm];
    if (response.tag >= sm.open.size()) return;
    OpenRequest& open = sm.open[response.tag];
    if (!open.used || open.queued) return;
    if (response.cause == Cause::Refused) {
        if (open.info->bytes != 0 || isCancel(open.info->op))
            listener_.onPacketRefused(s_.resources.chip().packetName(response.at.sm, response.tag),
                                      response.lanes);
    } else if (leavesState(open.request)) {
        s_.progress.changed();
    } else if ((response.pred & response.lanes) != 0 && isMbarWait(open.request.op)) {
        s_.history.looked(*open.cta, leadOffset(open.request), {open.linear, open.warp}, open.line,
                          s_.now());
    }
    // A join answers under the tag that completed it: lanes of other requests of the warp are found by their bits.
    Warp& warp = open.cta->warps[open.warp];
    if (s_.timingAdapter != nullptr)
        s_.timingAdapter->answers(response.cause != Cause::Flip ? TimingAdapter::Parked::No
                                  : open.request.lanes == warp.live
                                      ? TimingAdapter::Parked::Warp
                                      : TimingAdapter::Parked::PartOfWarp);
    if (meetsLanes(open.request.op) && response.cause != Cause::Refused) {
        if (!open.joined) noteJoined(warp, open.request);
        open.answering = !response.last;
    }
    Lanes left = response.lanes;
    if (const Lanes mine = open.pending & left; mine != 0) {
        left &= ~mine;
        give(warp, open, mine, response);
        answered(open, mine);
    } else if (left != 0 && open.pending == 0 && !open.answering)
        freeTag(open);  // its own lanes continued earlier
    if (left != 0) answerOthers(open, left, response);
}

void SyncClient::answerOthers(OpenRequest& open, Lanes lanes, const SyncResponse& response)
{
    Warp& warp = open.cta->warps[open.warp];
    const TagList tags = warp.openTags;  // an answer removes its tag
    for (const std::uint16_t tag : tags) {
        OpenRequest& other = sms_[response.at.sm].open[tag];
        const Lanes mine = other.pending & lanes;
        if (!other.used || other.queued || mine == 0) continue;
        lanes &= ~mine;
        give(warp, other, mine, response);
        answered(other, mine);
    }
}

void SyncClient::release(Sm& sm, Warp& warp, const Release& release)
{
    const TagList tags = warp.openTags;  // an answer removes its tag
    for (const std::uint16_t tag : tags) {
        OpenRequest& open = sm.open[tag];
        const Lanes lanes = open.pending & release.lanes;
        if (open.queued || lanes == 0 || !isReleased(release, open.request.op, open.request.arg0))
            continue;
        const SyncInfo& info = *open.info;
        if (info.d != kNoRow) {
            std::uint64_t* d =
                warp.regs.data() + (open.regBase + static_cast<std::size_t>(info.d)) * 32;
            eachLane(lanes, [&](unsigned l) { d[l] = release.popc; });
        }
        if (info.pd >= 0) {
            const bool value = open.request.op == Op::BarRedAnd ? release.all : release.any;
            Lanes& p = warp.preds[open.predBase + static_cast<std::size_t>(info.pd)];
            p = (p & ~lanes) | (value ? lanes : 0);
        }
        answered(open, lanes);
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

}  // namespace gsu::exec
