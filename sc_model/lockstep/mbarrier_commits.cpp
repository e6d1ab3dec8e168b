// Commits of the mbarrier unit: the operation of each commit, and whether the object changed as the golden one does.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "lockstep/describe.hpp"
#include "lockstep/mbarrier_follower.hpp"

namespace gsu::lockstep {
namespace {

/// Bits that refuse an operation before it reaches its object.
constexpr unsigned kOutside = kMbErrAlign | kMbErrWindow | kMbErrParity | kMbErrUndeliverable |
                              kMbErrRemoteForm | kMbErrProfile;

std::string text(std::uint64_t word)
{
    return fmt::format("{} ({:#x})", gsu::describe(unpackMbar(word)), word);
}
}  // namespace

Verdict MbarrierFollower::commit(const Commit& c)
{
    if (c.op == Op::EvTimeout) return commitTimeout(c);
    if (c.src == Src::Network) return commitReturned(c);
    if (c.src == Src::Remote || (isCancel(c.op) && c.src == Src::AsyncCopy)) return commitPosted(c);
    if (c.op == Op::EvAsyncCompleteTx || c.op == Op::EvAsyncArrive || c.op == Op::EvAgentArrive)
        return commitAsync(c);
    if (c.src != Src::Local) return off("source of the commit", nameOf(Src::Local));
    return commitLocal(c);
}

Verdict MbarrierFollower::commitLocal(const Commit& c)
{
    Open* const found = sms_[c.at.sm].open.find(c.tag);
    if (found == nullptr || found->request.at != c.at)
        return Problem{
            "commit without a request of this warp and tag (never presented, or committed twice)",
            "", ""};
    Open& open = *found;
    if (open.request.op != c.op) return off("operation", nameOf(open.request.op));
    Lanes todo = 0;
    for (unsigned i = 0; i < kLanes; ++i)
        if (open.lane[i].stage == Stage::Todo) todo |= Lanes{1} << i;
    if (c.lanes == 0 || (c.lanes & ~todo) != 0)
        return Problem{
            "lanes that have no uncommitted operation (never presented, or committed twice)",
            fmt::format("lanes {:#x}", todo), ""};
    const unsigned lead = lowest(c.lanes);
    for (Lanes rest = c.lanes; rest != 0; rest &= rest - 1) {
        const unsigned i = lowest(rest);
        if (open.to[i].rank != open.to[lead].rank ||
            (open.to[i].offset != open.to[lead].offset && !isAtomic(c.op)))
            return Problem{"one commit for lanes with different objects", fmt::format("lane {}", i),
                           ""};
    }
    const std::uint32_t named = clusterAddress(open.to[lead].rank, open.to[lead].offset);
    if (c.object != named && !(c.refused && c.object == open.request.addr[lead]))
        return off("object", hex(named));
    if (open.to[lead].errs != 0 || (c.refused && (c.errs & kOutside) != 0))
        return commitRefused(c, open);
    if (isMbarWait(c.op)) return commitWait(c, open, addressOf(open, lead));
    return commitUpdate(c, open, addressOf(open, lead));
}

/// Refused before it reached the object: at least one reason is given, none is invented.
Verdict MbarrierFollower::commitRefused(const Commit& c, Open& open)
{
    for (Lanes rest = c.lanes; rest != 0; rest &= rest - 1) {
        const unsigned i = lowest(rest);
        const MbarRoute& to = open.to[i];
        const unsigned allowed = to.errs | (to.either ? unsigned{kMbErrRemoteForm} : 0u);
        if (!c.refused) return off("refused", fmt::format("1, errs {:#x}", to.errs));
        if (c.errs == 0 || (c.errs & ~allowed) != 0) return off("errs", hex(allowed));
        if (c.flip || c.oldWord != c.newWord) return off("newWord", text(c.oldWord));
        Lane& l = open.lane[i];
        l = {Stage::Due, Cause::Refused, false, mbarKeepsState(open.request), 0, c.cycle};
    }
    return std::nullopt;
}

Verdict MbarrierFollower::ascending(const Commit& c, const Open& open) const
{
    const unsigned lead = lowest(c.lanes);
    const unsigned top = 31u - static_cast<unsigned>(std::countl_zero(c.lanes));
    for (unsigned i = 0; i < top; ++i) {
        const bool waits = open.lane[i].stage == Stage::Todo && (c.lanes >> i & 1) == 0;
        if (waits && open.to[i].errs == 0 && open.to[i].rank == open.to[lead].rank &&
            open.to[i].offset == open.to[lead].offset)
            return Problem{"lanes of one object out of order (D-23)",
                           fmt::format("lane {} first", i), ""};
        if ((c.lanes >> i & 1) != 0 && open.request.data[i] != open.request.data[top])
            return Problem{"one commit for lanes with different operands", "", ""};
    }
    return std::nullopt;
}

Verdict MbarrierFollower::commitWait(const Commit& c, Open& open, std::uint32_t address)
{
    MbarrierUnit::Object& o = objects_.at(c.at.sm, address);
    if (!o.known) o.word = c.oldWord;
    o.known = true;
    if (c.oldWord != o.word) return off("oldWord", text(o.word));
    if (c.newWord != o.word) return off("newWord", text(o.word));
    if (c.errs != 0 || c.refused || c.flip) return off("errs", "0", text(o.word));
    for (Lanes rest = c.lanes; rest != 0; rest &= rest - 1) {
        const unsigned i = lowest(rest);
        const MbarAccess access{c.op, open.request.data[i], false};
        const MbarDone done = mbarApply(o.word, access, objects_.policy());
        objects_.take(c.at.sm, address, access, done, false);
        Lane& l = open.lane[i];
        const bool fails = !done.pred && isMbarTryWait(c.op);
        // A try_wait that is answered at once has the reason in its commit; later events find it answered.
        const bool why =
            c.cause == Cause::CamFull || (c.cause == Cause::Diverged && open.request.diverged) ||
            (c.cause == Cause::Timeout && mbarLimit(open.request, i, waitLimit_) == 0) ||
            (c.cause == Cause::Killed && (o.word >> 42 & 1) != 0);
        if (fails && c.cause != Cause::Done && !why) return off("cause", nameOf(Cause::Done));
        const bool parks = fails && c.cause == Cause::Done;
        l = {parks ? Stage::Parked : Stage::Due,
             done.pred ? Cause::AlreadyTrue
             : fails   ? c.cause
                       : Cause::Done,
             done.pred,
             false,
             0,
             c.cycle};
    }
    return std::nullopt;
}

Verdict MbarrierFollower::judge(const Commit& c, Applied& a, std::uint64_t word) const
{
    if (c.oldWord != word && !(c.refused && c.oldWord == 0 && c.newWord == 0))
        return off("oldWord", text(word));
    const std::uint64_t before = word;
    unsigned errs = 0;
    bool flip = false;
    a.done.clear();
    for (Lanes rest = a.lanes; rest != 0; rest &= rest - 1) {
        const MbarDone done = mbarApply(word, a.access, objects_.policy());
        if (done.refused != c.refused)
            return off("refused", fmt::format("{:d}, errs {:#x}", done.refused, done.errs),
                       text(before));
        if (flip || (c.refused && errs != 0 && done.errs != errs))
            return Problem{"one commit across a flip or a bound (D-23)", "", text(before)};
        errs |= done.errs;
        flip = done.flip;
        word = done.word;
        a.done.push_back(done);
    }
    const bool kills = !c.refused && (c.op == Op::MbarInit || c.op == Op::MbarInval);
    const bool locks = c.refused && ((before ^ word) >> 42 & 1) != 0;
    const unsigned free = kills || locks ? unsigned{kMbErrKilled} : 0u;
    if (((c.errs ^ errs) & ~free) != 0) return off("errs", hex(errs), text(before));
    if (c.flip != flip) return off("flip", std::to_string(flip), text(before));
    if (c.newWord != word && !(c.refused && c.newWord == 0 && c.oldWord == 0) &&
        c.op != Op::MbarInval)
        return off("newWord", text(word), text(before));
    if (kills && (c.errs & kMbErrKilled) != 0 && !anyParked(c.at.sm, a.address))
        return off("errs", "0: no wait is suspended on the object", text(before));
    return std::nullopt;
}

Verdict MbarrierFollower::apply(const Commit& c, Applied& a)
{
    const MbarrierUnit::Object& o = objects_.at(c.at.sm, a.address);
    // Refused without a read of its word, and the word is not known: nothing to compare.
    const std::uint64_t word = o.known ? o.word : c.oldWord;
    if (Verdict bad = judge(c, a, word)) return bad;
    if (!o.known && (c.errs & kMbErrProfile) != 0) return std::nullopt;
    for (const MbarDone& done : a.done) objects_.take(c.at.sm, a.address, a.access, done, a.keeps);
    if (c.op == Op::MbarInval)
        objects_.at(c.at.sm, a.address).known = false;  // unspecified from here (D-37)
    if (c.flip) wake(c, a.address, Stage::Flipped);
    const bool locks = c.refused && (c.newWord & ~c.oldWord & std::uint64_t{1} << 42) != 0;
    if ((c.errs & kMbErrKilled) != 0 || locks)
        wake(c, a.address, Stage::Killed);
    else if (!c.refused && (c.op == Op::MbarInit || c.op == Op::MbarInval))
        wake(c, a.address, Stage::Loose);
    return std::nullopt;
}

Verdict MbarrierFollower::commitUpdate(const Commit& c, Open& open, std::uint32_t address)
{
    if (Verdict bad = ascending(c, open)) return bad;
    if (Verdict bad = mayRelease(c.at, open.order)) return bad;
    const SyncRequest& r = open.request;
    const bool keeps = mbarKeepsState(r);
    Applied a{address, {r.op, r.data[lowest(c.lanes)], r.noComplete}, c.lanes, keeps, {}};
    if (Verdict bad = apply(c, a)) return bad;
    std::size_t nth = 0;
    for (Lanes rest = c.lanes; rest != 0; rest &= rest - 1) {
        const MbarDone& done = a.done[nth++];
        open.lane[lowest(rest)] = {Stage::Due,
                                   done.refused ? Cause::Refused : Cause::Done,
                                   false,
                                   keeps,
                                   done.refused ? 0 : done.result,
                                   c.cycle};
    }
    return std::nullopt;
}

Verdict MbarrierFollower::commitTimeout(const Commit& c)
{
    Open* const found = sms_[c.at.sm].open.find(c.tag);
    if (found == nullptr || found->request.at != c.at || c.lanes == 0)
        return Problem{"time-out of no suspended wait", "", ""};
    Open& open = *found;
    for (Lanes rest = c.lanes; rest != 0; rest &= rest - 1) {
        const unsigned i = lowest(rest);
        Lane& l = open.lane[i];
        if (l.stage == Stage::Flipped)
            return Problem{"time-out although the phase completed before (D-32)", "cause flip", ""};
        if (l.stage != Stage::Parked)
            return Problem{"time-out of no suspended wait", fmt::format("lane {}", i), ""};
        if (c.cycle < l.since + mbarLimit(open.request, i, waitLimit_))
            return Problem{"time-out before its limit",
                           fmt::format("suspended since cycle {}", l.since), ""};
        l.stage = Stage::TimedOut;
        l.since = c.cycle;
    }
    return std::nullopt;
}

/// Whether an operation does not reach its object: an offset outside the window, or a CTA that has exited (D-38, HS-024). From its last
/// exit on the CTA may take nothing, and when every unit has seen the exit it takes nothing.
Verdict MbarrierFollower::mayDrop(const Commit& c, const Posted& p, bool& dropped)
{
    const CtaEntry& owner = unit_.cta(c.at);
    const bool leaving = owner.used && owner.liveWarps == 0;
    const bool left = !owner.used || (leaving && unit_.part(c.at).live() == 0);
    const unsigned wrong =
        owner.used && !isAtomic(p.request.op) ? mbarOffsetErrs(p.to.offset, owner.launch.size) : 0u;
    const unsigned gone = p.own && !p.request.remote ? kMbErrLeft : kMbErrUndeliverable;
    const unsigned allowed = wrong | (leaving || left ? gone : 0u);
    const bool named = c.refused && c.errs != 0 && (c.errs & ~allowed) == 0;
    dropped = left || wrong != 0 || (leaving && named);
    if (!dropped) return std::nullopt;
    if (!named || (left && (c.errs & gone) == 0)) return off("errs", hex(allowed));
    if (deliversBytes(p.request.op)) dropData(c);
    return std::nullopt;
}

Verdict MbarrierFollower::tryPosted(const Commit& c, PostedList::iterator at)
{
    PostedList& posted = sms_[c.at.sm].posted;
    Posted& p = *at;
    const SyncRequest& r = p.request;
    if (p.gone) return Problem{"an arrival whose CTA has left came to its slot (D-38)", "", ""};
    const Lanes below = (c.lanes & (0u - c.lanes)) - 1;
    if ((r.lanes & below) != 0)
        return Problem{"lanes of one remote request out of order (D-23)", hex(r.lanes), ""};
    for (auto older = posted.begin(); older != at; ++older)
        if (older->request.at == r.at && ordered(*older, p) && older->to.rank == p.to.rank &&
            older->cluster == p.cluster && (older->request.lanes & c.lanes) != 0)
            return Problem{"remote operations of one thread out of order (D-38)",
                           nameOf(older->request.op), ""};
    if (Verdict bad = mayRelease(r.at, p.order)) return bad;
    const CtaEntry& owner = unit_.cta(c.at);
    bool dropped = false;
    if (Verdict bad = mayDrop(c, p, dropped)) return bad;
    if (isAtomic(r.op)) {
        if (Verdict bad = commitAtomic(c, p, dropped)) return bad;
    } else if (!dropped) {
        const bool data = deliversBytes(r.op);
        Sm& sm = sms_[c.at.sm];
        const auto came =
            std::find_if(sm.delivered.begin(), sm.delivered.end(), [&](const Delivered& d) {
                return d.cta == c.at.cta && tagOfCommit(d.tag) == r.tag &&
                       (!isCancel(r.op) || d.lanes == c.lanes);
            });
        if (data && came == sm.delivered.end())
            return Problem{"complete_tx before its data were delivered (D-45)", "", ""};
        Applied a{owner.launch.base + p.to.offset,
                  {isMbarData(r.op) ? Op::EvAsyncCompleteTx : r.op, r.data[lowest(c.lanes)], false},
                  c.lanes,
                  false,
                  {}};
        if (Verdict bad = apply(c, a)) return bad;
        if (data) sm.delivered.erase(came);
    }
    done(posted, at, c.lanes);
    return std::nullopt;
}

/// Takes the first of several matching operations of one source that explains the words.
Verdict MbarrierFollower::commitPosted(const Commit& c)
{
    PostedList& posted = sms_[c.at.sm].posted;
    Verdict first =
        Problem{"remote commit of no posted operation (never sent, or committed twice)", "", ""};
    bool any = false;
    for (auto at = posted.begin(); at != posted.end(); ++at) {
        const Posted& p = *at;
        const SyncRequest& r = p.request;
        const Op op = isMbarData(r.op) && c.op != r.op ? Op::EvAsyncCompleteTx : r.op;
        const bool fits = p.own == (c.src == Src::AsyncCopy) && (p.own || r.at.sm == c.srcSm) &&
                          r.at.cta == c.srcCta && op == c.op && r.at.warp == c.at.warp &&
                          r.tag == c.tag && c.lanes != 0 && (c.lanes & ~r.lanes) == 0 &&
                          c.object == objectOf(p, c.lanes) && p.owner.cta == c.at.cta;
        if (!fits) continue;
        Verdict bad = tryPosted(c, at);
        if (!bad) return bad;
        if (!any) first = std::move(bad);
        any = true;
    }
    return first;
}

/// Takes a packet that came back to its source undelivered.
Verdict MbarrierFollower::commitReturned(const Commit& c)
{
    if (!c.refused || c.errs != kMbErrUndeliverable) return off("errs", hex(kMbErrUndeliverable));
    for (Sm& sm : sms_) {
        for (auto at = sm.posted.begin(); at != sm.posted.end(); ++at) {
            const SyncRequest& r = at->request;
            if (r.at != c.at || r.tag != c.tag || (c.lanes & ~r.lanes) != 0) continue;
            if (deliversBytes(r.op)) dropData(c);
            if (isAtomic(r.op))
                if (Verdict bad = commitAtomic(c, *at, true)) return bad;
            acks_.returned(r.at.sm, at->id);
            done(sm.posted, at, c.lanes);
            return std::nullopt;
        }
    }
    return Problem{"return of no posted operation", "", ""};
}

template <class F> void MbarrierFollower::eachParked(unsigned sm, std::uint32_t address, F&& f)
{
    sms_[sm].open.each([&](Open& open) {
        for (unsigned i = 0; i < kLanes; ++i)
            if (open.lane[i].stage == Stage::Parked && addressOf(open, i) == address)
                f(open.lane[i]);
    });
}

bool MbarrierFollower::anyParked(unsigned sm, std::uint32_t address) const
{
    bool any = false;
    const_cast<MbarrierFollower*>(this)->eachParked(sm, address, [&](const Lane&) { any = true; });
    return any;
}

void MbarrierFollower::wake(const Commit& c, std::uint32_t address, Stage stage)
{
    eachParked(c.at.sm, address, [&](Lane& lane) {
        lane.stage = stage;
        lane.since = c.cycle;
    });
}

}  // namespace gsu::lockstep
