// Requests, answers and open events; the commits are in mbarrier_commits.cpp.
#include "lockstep/mbarrier_follower.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "lockstep/describe.hpp"

namespace gsu::lockstep {
namespace {

std::string words(const SyncRequest& r)
{
    return fmt::format("request {} of {} lanes {:#x} tag {}", nameOf(r.op), describe(r.at), r.lanes,
                       r.tag);
}

}  // namespace

void MbarrierFollower::present(const SyncRequest& r, Cycle now)
{
    Open& open = sms_[r.at.sm].open.add(r.tag);
    open.request = r;
    open.since = now;
    open.open = r.lanes;
    open.order = book_.present(r);
    const Launch& own = unit_.cta(r.at).launch;
    Lanes away = 0;
    eachLane(r.lanes, [&](unsigned i) {
        open.to[i] = mbarRoute(r, i, own, objects_.policy());
        const bool asks = isCancel(r.op) && open.to[i].errs == 0;
        if (asks) ask(r, i, open.to[i], now);
        const bool leaves = open.to[i].away && open.to[i].errs == 0;
        open.lane[i].stage = !leaves && !asks   ? Stage::Todo
                             : r.op == Op::Atom ? Stage::Away
                                                : Stage::Posted;
        if (leaves) away |= Lanes{1} << i;
    });
    while (away != 0) {
        const auto lead = static_cast<unsigned>(std::countr_zero(away));
        const OrderBook::Id id = book_.post(r.at);
        Lanes lanes = 0;
        eachLane(away, [&](unsigned i) {
            const std::uint32_t differ = r.addr[i] ^ r.addr[lead];
            if ((isAtomic(r.op) ? differ >> 24 : differ) != 0) return;
            lanes |= Lanes{1} << i;
            open.post[i] = id;
        });
        away &= ~lanes;
        post(open, lanes, id, now);
    }
}

void MbarrierFollower::post(const Open& open, Lanes lanes, OrderBook::Id id, Cycle now)
{
    const SyncRequest& r = open.request;
    const std::uint8_t cluster = unit_.cta(r.at).launch.cluster;
    Posted posted{
        r, open.to[static_cast<unsigned>(std::countr_zero(lanes))], cluster, now, id, open.order};
    posted.request.lanes = lanes;
    const Cluster::Member& owner = unit_.slot(cluster).member(posted.to.rank);
    acks_.sent(id, r.at, r.tag, lanes, owner.sm, r.op);
    posted.owner = {owner.sm, owner.cta, 0};
    sms_[owner.sm].posted.push_back(posted);
}

void MbarrierFollower::answered(Open& open, Lanes lanes)
{
    if (deliversBytes(open.request.op)) return;  // asynchronous: no release waits for it (CLU-017)
    eachLane(lanes, [&](unsigned i) {
        const OrderBook::Id id = open.post[i];
        if (id == 0) return;
        bool more = false;
        eachLane(open.open, [&](unsigned other) { more |= open.post[other] == id; });
        if (!more) {
            book_.answered(open.request.at, id);
            acks_.left(open.request.at.sm, id);
        }
        open.post[i] = 0;
    });
}

void MbarrierFollower::done(PostedList& posted, PostedList::iterator at, Lanes lanes)
{
    Posted& p = *at;
    if (p.request.op == Op::EvAgentArrive) seen(p);
    acks_.committed(p.request.at.sm, p.id, lanes);
    p.request.lanes &= ~lanes;
    if (p.request.lanes != 0) return;
    book_.committed(p.request.at, p.id);
    posted.erase(at);
}

void MbarrierFollower::seen(const Posted& p)
{
    Sm& source = sms_[p.request.at.sm];
    std::erase_if(source.unseen, [&](const Unseen& u) {
        if (std::ranges::count(u.sent, p.id) == 0) return false;
        source.atPort = source.atPort && &u != &source.unseen.back();
        return true;
    });
}

Verdict MbarrierFollower::mayRelease(const WarpRef& at, const OrderBook::Since& since) const
{
    const auto older = book_.blocks(at, since);
    if (!older) return std::nullopt;
    if (older->accesses != 0)
        return Problem{
            older->reach == Reach::Cta
                ? "commit before older accesses of its warp were performed towards the CTA (D-69)"
                : "commit before older accesses of its CTA were performed (D-54)",
            fmt::format("{} outstanding", older->accesses), ""};
    std::string which;
    for (const Sm& sm : sms_)
        for (const Posted& p : sm.posted)
            if (p.id == older->id) which = words(p.request);
    return Problem{"release before an older posted operation of its CTA (D-54)", which, ""};
}

Verdict MbarrierFollower::waitsForDriver(const WarpRef& at, const OrderBook::Since& since,
                                         std::uint16_t tag) const
{
    const auto older = book_.blocks(at, since);
    if (!older || older->accesses == 0) return std::nullopt;
    return Problem{fmt::format("a request waits for {} accesses announced and never performed",
                               older->accesses),
                   fmt::format("{} tag {}", describe(at), tag), ""};
}

Verdict MbarrierFollower::acknowledged(const Commit& c)
{
    std::string wrong = acks_.acknowledged(c);
    if (wrong.empty()) return std::nullopt;
    return Problem{std::move(wrong), "", ""};
}

bool MbarrierFollower::owns(const SyncResponse& r) const
{
    const Open* found = sms_[r.at.sm].open.find(r.tag);
    return found != nullptr && found->request.at == r.at;
}

/// Whether a response gives its lane number `nth` this state: the pending count of each lane is `stride` lower than that of the one before.
static bool sameState(const SyncResponse& r, std::uint64_t want, unsigned nth)
{
    if (nth == 0) return r.value == want;
    const MbarState got = unpackMbar(withFewerPending(r.value, nth * r.stride)),
                    golden = unpackMbar(want);
    return got.phase == golden.phase && got.pending == golden.pending;
}

Verdict MbarrierFollower::answerLane(const SyncResponse& r, const Open& open, unsigned i,
                                     unsigned nth) const
{
    const Lane& l = open.lane[i];
    const SyncRequest& q = open.request;
    const bool pred = (r.pred >> i & 1) != 0;
    const auto off = [&](const char* what, const std::string& golden) {
        return Problem{fmt::format("{} for lane {}", what, i), golden, words(q)};
    };
    const auto want = [&](Cause cause, bool truth) -> Verdict {
        if (r.cause != cause) return off("cause of the response differs", nameOf(cause));
        if (pred != truth) return off("predicate differs", std::to_string(truth));
        return std::nullopt;
    };
    switch (l.stage) {
        case Stage::Closed:  // is not open, and so not asked for
        case Stage::Todo: return off("response before the commit", "");
        case Stage::Posted: return want(Cause::Done, false);
        case Stage::Away: return answerAtom(r, open);
        case Stage::Flipped:
            if (r.cause == Cause::CamFull || (r.cause == Cause::Diverged && q.diverged)) break;
            if (r.cause == Cause::Timeout && mbarLimit(q, i, waitLimit_) == 0) break;
            return want(Cause::Flip, true);
        case Stage::TimedOut: return want(Cause::Timeout, false);
        case Stage::Killed:
            if (r.cause == Cause::CamFull || r.cause == Cause::Diverged) break;
            return want(Cause::Killed, false);
        case Stage::Parked:
        case Stage::Loose: {
            const bool none = q.kind != 0 && q.limit[i] == 0;
            if (r.cause == Cause::CamFull || (r.cause == Cause::Diverged && q.diverged)) break;
            if (r.cause == Cause::Timeout && none) break;
            return off(r.cause == Cause::Flip ? "wait answered true before its phase completed"
                                              : "cause of the response differs",
                       fmt::format("suspended since cycle {}", l.since));
        }
        case Stage::Due:
            if (Verdict bad = want(l.cause, l.pred)) return bad;
            if (l.keeps && !sameState(r, l.value, nth))
                return off("returned state differs", hex(l.value));
            return std::nullopt;
    }
    return pred ? Verdict{off("predicate differs", "0")} : std::nullopt;
}

Verdict MbarrierFollower::response(const SyncResponse& r)
{
    Open& open = *sms_[r.at.sm].open.find(r.tag);
    if (r.lanes == 0 || (r.lanes & ~open.open) != 0)
        return Problem{"response to lanes that await none",
                       fmt::format("open lanes {:#x}", open.open), words(open.request)};
    if ((r.pred & ~r.lanes) != 0)
        return Problem{"predicate of lanes that are not answered", "", words(open.request)};
    unsigned nth = 0;
    Verdict bad;
    eachLane(r.lanes, [&](unsigned i) {
        if (!bad) bad = answerLane(r, open, i, nth++);
        if (open.lane[i].stage == Stage::Flipped && r.cause == Cause::Flip)
            objects_.sawCompletion(r.at.sm, addressOf(open, i));
        open.lane[i].stage = Stage::Closed;
    });
    if (bad) return bad;
    open.open &= ~r.lanes;
    answered(open, r.lanes);
    if (r.last != (open.open == 0))
        return Problem{r.last ? "response marked last while lanes of its request are open"
                              : "the last response of a request is not marked last",
                       fmt::format("open lanes {:#x}", open.open), words(open.request)};
    if (open.open == 0) sms_[r.at.sm].open.erase(r.tag);
    return std::nullopt;
}

Verdict MbarrierFollower::mayFree(const WarpRef& at) const
{
    for (const Posted& p : sms_[at.sm].posted)
        if (isToward(p, unit_.cta(at).launch) && p.request.op != Op::EvAgentArrive)
            return Problem{"CTA slot freed while a remote operation is on its way to it",
                           words(p.request), ""};
    if (awaitsAnswer(at))
        return Problem{"CTA slot freed before its queries of try_cancel were answered (D-41)", "",
                       ""};
    const Sm& sm = sms_[at.sm];
    if (acks_.owed(at,
                   sm.atPort ? std::span(sm.unseen.back().sent) : std::span<const OrderBook::Id>()))
        return Problem{"CTA slot freed before its remote operations were acknowledged (D-41)", "",
                       ""};
    return std::nullopt;
}

void MbarrierFollower::freed(const Launch& launch, Cycle now)
{
    expectRefusal(launch, now);
    objects_.end(launch.sm, launch.base, launch.size);
    for (Posted& p : sms_[launch.sm].posted) p.gone = p.gone || isToward(p, launch);
}

std::uint64_t MbarrierFollower::debts() const noexcept
{
    std::uint64_t count = 0;
    for (const Sm& sm : sms_)
        count += sm.open.size() + sm.posted.size() + sm.updates.size() + sm.atomics.size() +
                 sm.asks.size();
    return count + acks_.debts();
}

/// Cycle since which the device owes the lane its commit or its answer. A suspended wait is owed from its limit on, and anew from the flip,
/// the time-out or the kill that ends it, however long it was suspended.
Cycle MbarrierFollower::owedSince(const Open& open, unsigned i) const
{
    const Lane& l = open.lane[i];
    switch (l.stage) {
        case Stage::Todo:
        case Stage::Posted:
        case Stage::Away:
        case Stage::Closed: break;
        case Stage::Parked: return l.since + mbarLimit(open.request, i, 0xffff'ffff);
        case Stage::Due:
        case Stage::Flipped:
        case Stage::TimedOut:
        case Stage::Killed:
        case Stage::Loose: return l.since;
    }
    return open.since;
}

void MbarrierFollower::dropData(const Commit& c)
{
    Sm& sm = sms_[c.at.sm];
    const auto there = std::erase_if(sm.delivered, [&](const Delivered& d) {
        return d.cta == c.at.cta && tagOfCommit(d.tag) == c.tag;
    });
    if (there == 0) sm.dropped.push_back({c.at.sm, c.at.cta, c.tag, c.cycle, true});
}

Verdict MbarrierFollower::delivered(const Delivered& d)
{
    Sm& sm = sms_[d.sm];
    const auto due = std::find_if(sm.atomics.begin(), sm.atomics.end(), [&](const Delivered& a) {
        return a.cta == d.cta && a.tag == tagOfCommit(d.tag) && a.lanes == d.lanes &&
               a.refused == d.refused;
    });
    if (due != sm.atomics.end()) {
        sm.atomics.erase(due);
        return std::nullopt;
    }
    if (!d.refused) {
        const auto of = [&](const Posted& p) {
            return deliversBytes(p.request.op) && p.request.tag == tagOfCommit(d.tag) &&
                   p.owner.cta == d.cta && (!isCancel(p.request.op) || p.request.lanes == d.lanes);
        };
        if (std::none_of(sm.posted.begin(), sm.posted.end(), of))
            return Problem{"delivery of no packet (never sent, or delivered twice)", "", ""};
        sm.delivered.push_back(d);
        return std::nullopt;
    }
    const bool told = std::erase_if(sm.dropped, [&](const Delivered& x) {
                          return x.cta == d.cta && x.tag == tagOfCommit(d.tag);
                      }) != 0;
    return told ? Verdict{} : Problem{"data dropped though their packet was not refused", "", ""};
}

Verdict MbarrierFollower::overdueRequest(const Open& open, const TimeLimit& limit) const
{
    Cycle since = open.since;  // if the device is idle even a suspension is over
    if (!limit.idle())
        eachLane(open.open, [&](unsigned i) { since = std::max(since, owedSince(open, i)); });
    if (!limit.passed(since)) return std::nullopt;
    if (Verdict bad = waitsForDriver(open.request.at, open.order, open.request.tag)) return bad;
    return Problem{"response missing", words(open.request),
                   fmt::format("open lanes {:#x}", open.open)};
}

Verdict MbarrierFollower::overdue(const TimeLimit& limit) const
{
    if (awaitsAnswer())
        return std::nullopt;  // waiting requests may wait for the driver, and others after them
    for (const Sm& sm : sms_) {
        Verdict bad;
        sm.open.each([&](const Open& open) {
            if (!bad) bad = overdueRequest(open, limit);
        });
        if (bad) return bad;
        for (const Cancel& c : sm.asks)
            if (limit.passed(c.since))
                return Problem{"lane of try_cancel has not asked", words(c.request), ""};
        for (const Posted& p : sm.posted)
            if (limit.passed(p.since) && (p.own || unit_.slot(p.cluster).open()))
                return Problem{"remote operation not committed", words(p.request), ""};
        for (const Delivered& d : sm.dropped)
            if (limit.passed(d.cycle + 1))
                return Problem{"dropped data not told", fmt::format("tag {}", d.tag), ""};
        for (const Delivered& d : sm.atomics)
            if (limit.passed(d.cycle + 1))
                return Problem{"atomic committed and not delivered", fmt::format("tag {}", d.tag),
                               ""};
        for (const Update& u : sm.updates)
            if (limit.passed(u.since))
                return Problem{"asynchronous completion not committed",
                               fmt::format("tag {}", u.update.tag), ""};
    }
    if (limit.idle() && acks_.debts() != 0)
        return Problem{"acknowledgement missing",
                       fmt::format("{} remote operations", acks_.debts()), ""};
    return std::nullopt;
}

}  // namespace gsu::lockstep
