// What the port reports: responses and releases wake lane groups, commits with error bits become findings.
#include <algorithm>

#include "exec/async/async_state.hpp"
#include "exec/machine/machine.hpp"
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

}  // namespace

void Machine::answered(Sm& sm, OpenRequest& open, Lanes lanes)
{
    open.pending &= ~lanes;
    if (open.pending != 0) return;
    Warp& warp = open.cta->warps[open.warp];
    if (isCopyArrive(open.request.op)) {
        for (PendingArrive& p : async->arrives) {
            p.answered =
                p.answered || (p.tag == open.request.tag && p.cta.sm == open.request.at.sm);
        }
        tryArrives(*this);
    }
    open.used = false;
    std::erase(warp.openTags, open.request.tag);
    sm.freeTags.push_back(open.request.tag);
    const std::uint32_t i = groupOf(warp, open.request.lanes);
    if (i == ptx::kNone) return;
    Group& g = warp.groups[i];
    if (g.open != 0 && --g.open == 0 && g.state == GroupState::Waiting) wake(warp, g);
}

void Machine::onResponse(const SyncResponse& response)
{
    for (ExecObserver* o : observers) o->onResponse(response);
    Sm& sm = sms[response.at.sm];
    if (response.tag >= sm.open.size() || !sm.open[response.tag].used) return;
    OpenRequest& open = sm.open[response.tag];
    if (response.cause == Cause::Refused && open.info->bytes != 0) dropRemote(response.tag);
    // A join answers under the tag that completed it: lanes of other requests of the warp are found by their bits.
    Warp& warp = open.cta->warps[open.warp];
    Lanes left = response.lanes;
    const auto give = [&](OpenRequest& to, Lanes lanes) {
        const SyncInfo& info = *to.info;
        if (info.pd >= 0) {
            Lanes& p = warp.preds[to.predBase + static_cast<std::size_t>(info.pd)];
            p = (p & ~lanes) | (response.pred & lanes);
        }
        if (info.d != kNoRow) {
            std::uint64_t* d =
                warp.regs.data() + (to.regBase + static_cast<std::size_t>(info.d)) * 32;
            unsigned k = 0;
            eachLane(response.lanes, [&](unsigned l) {
                const std::uint64_t field =
                    (response.value >> kPendingShift) + std::uint64_t{response.stride} * k++;
                if ((lanes >> l & 1) == 0) return;
                d[l] = (response.value & ~(kPendingMask << kPendingShift)) | (field & kPendingMask)
                                                                                 << kPendingShift;
                if (info.noComplete && noCompleteStates.size() < kMaxStates)
                    noCompleteStates.insert(d[l]);
            });
        }
        answered(sm, to, lanes);
    };
    if (const Lanes mine = open.pending & left; mine != 0) {
        left &= ~mine;
        give(open, mine);
    }
    const std::vector<std::uint16_t> tags =
        left != 0 ? warp.openTags : std::vector<std::uint16_t>{};
    for (const std::uint16_t tag : tags) {
        OpenRequest& other = sm.open[tag];
        const Lanes mine = other.pending & left;
        if (!other.used || mine == 0) continue;
        left &= ~mine;
        give(other, mine);
    }
}

void Machine::dropRemote(std::uint16_t tag)
{
    if (async->remote.erase(tag) != 0) --async->inFlight;
}

void Machine::onRelease(const Release& release)
{
    for (ExecObserver* o : observers) o->onRelease(release);
    Sm& sm = sms[release.sm];
    Cta* cta = sm.ctas[release.cta].get();
    if (cta == nullptr) return;
    eachLane(release.warps, [&](unsigned w) {
        if (w >= cta->warps.size()) return;
        Warp& warp = cta->warps[w];
        const std::vector<std::uint16_t> tags = warp.openTags;
        // Parts of a warp may wait in several generations (D-13): they complete, and are released, in order.
        constexpr std::uint32_t kNone = ~std::uint32_t{0};
        std::uint32_t oldest = kNone;
        for (const std::uint16_t tag : tags) {
            const OpenRequest& open = sm.open[tag];
            if (open.arrived && releasedBy(open, release))
                oldest = std::min(oldest, open.generation);
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
    });
}

void Machine::onCommit(const Commit& commit)
{
    for (ExecObserver* o : observers) o->onCommit(commit);
    Sm& sm = sms[commit.at.sm];
    if (leavesState(commit)) changed();
    const bool packet = isMbarData(commit.op) || commit.op == Op::EvDelivered;
    if (packet && commit.refused) dropRemote(commit.tag);
    if (commit.unit == Unit::Named || holdsWord(commit)) words[wordKey(commit)] = commit.newWord;
    const bool known = commit.tag < sm.open.size() && sm.open[commit.tag].cta != nullptr;
    const bool fromRequest =
        commit.src == Src::Local && known && sm.open[commit.tag].request.at == commit.at;
    if (fromRequest && suspends(commit)) {
        OpenRequest& open = sm.open[commit.tag];
        open.suspended = true;
        rouse(open.cta->warps[open.warp], now + 1);  // lanes parked for its lanes may be needed
    }
    if ((commit.unit == Unit::Named || commit.unit == Unit::Cluster) && !commit.refused) {
        Cta* cta = sm.ctas[commit.at.cta].get();
        if (cta != nullptr && commit.at.warp < cta->warps.size()) {
            for (const std::uint16_t tag : cta->warps[commit.at.warp].openTags) {
                OpenRequest& open = sm.open[tag];
                const bool same = commit.unit == Unit::Cluster ? waitsForCluster(open.request.op)
                                                               : open.request.arg0 == commit.object;
                if (!same || (open.request.lanes & commit.lanes) == 0) continue;
                open.arrived = true;
                open.generation =
                    commit.unit == Unit::Named ? cta->completed[commit.object % kBarsPerCta] : 0;
            }
        }
        if (cta != nullptr && commit.unit == Unit::Named && commit.flip)
            ++cta->completed[commit.object % kBarsPerCta];
    }
    if (commit.errs == 0 && notes.empty()) return;
    const Cta* cta = sm.ctas[commit.at.cta].get();
    const std::uint32_t line = fromRequest ? sm.open[commit.tag].line : 0;
    if (commit.unit == Unit::Null) {  // refused by name, not a fault of the kernel
        if (noUnitLine == 0) noUnitLine = line;
        return;
    }
    if (!notes.empty()) takeNotes(cta, commit.at.warp, commit.lanes, line);
    for (const FindingRule& e : findingsOf(commit)) {
        finding({e.rule, e.severity, e.message, cta != nullptr ? cta->linear : 0, commit.at.warp,
                 commit.lanes, line, commit.cycle});
    }
}

void Machine::onCtaFree(const CtaFree& free)
{
    ctaFrom = work();
    for (ExecObserver* o : observers) o->onCtaFree(free);
    Sm& sm = sms[free.sm];
    std::unique_ptr<Cta>& cta = sm.ctas[free.cta];
    if (cta == nullptr) return;
    for (Scheduler& s : sm.schedulers) {
        std::erase_if(s.warps, [&](const Warp* w) { return w->cta == cta.get(); });
        s.last = 0;
    }
    const std::uint64_t slots = shape.warps == 64 ? ~0ull : (1ull << shape.warps) - 1;
    sm.warpSlots &= ~(slots << cta->launch.wbase);
    if (cta->launch.size != 0) sm.windows.erase(cta->launch.base);
    Cluster* cluster = cta->cluster;
    cluster->ranks[cta->launch.rank] = nullptr;
    cta.reset();
    --ctasLeft;
    launchBlocked = false;
    changed();
    if (--cluster->left != 0) return;
    clusters[cluster->index].reset();
}

}  // namespace gsu::exec
