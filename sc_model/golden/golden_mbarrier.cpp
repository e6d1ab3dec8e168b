// The mbarrier side of the golden port: requests, waits, asynchronous completions, packets between CTAs.
#include <algorithm>
#include <bit>

#include "golden/golden_port.hpp"

namespace gsu {
namespace {

constexpr Lanes kAllLanes = ~Lanes{0};

/// Arrivals of one lane: the difference of the pending field from lane to lane.
std::uint32_t strideOf(const MbarAccess& a)
{
    return isMbarCounted(a.op) ? static_cast<std::uint32_t>(a.data) : 1;
}

}  // namespace

std::uint64_t GoldenPort::mbarLoad(unsigned sm, std::uint32_t address)
{
    MbarrierUnit::Object& object = mbar_.at(sm, address);
    if (memory_ != nullptr) object.word = memory_->readWord(static_cast<std::uint8_t>(sm), address);
    object.known = true;
    return object.word;
}

void GoldenPort::mbarRequest(const SyncRequest& r)
{
    Sm& sm = sms_[r.at.sm];
    sm.waiting[r.tag % 4096] = r.lanes;
    const Launch& own = unit_.cta(r.at).launch;
    for (Lanes todo = r.lanes; todo != 0;) {
        const auto lead = static_cast<unsigned>(std::countr_zero(todo));
        Lanes group = mbarGroup(r, todo);
        const MbarRoute to = mbarRoute(r, lead, own, options_.policy);
        const Lanes one = Lanes{1} << lead;
        if (isCancel(r.op)) group = one;  // each lane asks for itself
        if (to.errs == 0 && to.away) {
            if (isMbarData(r.op)) group = one;  // each lane has its own bytes
            mbarPost(r, group, to);
        } else if (to.errs == 0 && isCancel(r.op)) {
            cancelAsk(r, lead, to.offset);
        } else {
            group = mbarCommitGroup(r, group, to);
        }
        todo &= ~group;
    }
}

void GoldenPort::mbarPost(const SyncRequest& r, Lanes group, const MbarRoute& to)
{
    const OrderBook::Id id = isMbarData(r.op) ? 0 : book_.post(r.at);
    const Launch& own = unit_.cta(r.at).launch;
    packets_.push_back({r, own.cluster, to, id, own.era, book_.epoch(r.at, Reach::Everyone)});
    packets_.back().request.lanes = group;
    if (r.op == Op::Atom) {  // answered when it has been performed
        Reply& reply = sms_[r.at.sm].replies[r.tag];
        reply.lanes |= group;
        ++reply.packets;
        return;
    }
    mbarAnswer(r.at, r.tag, group, Cause::Done);
    if (id != 0) book_.answered(r.at, id);
}

Lanes GoldenPort::mbarCommitGroup(const SyncRequest& r, Lanes group, const MbarRoute& to)
{
    const auto lead = static_cast<unsigned>(std::countr_zero(group));
    MbarUse use{r.at,
                r.tag,
                clusterAddress(to.rank, to.offset),
                unit_.cta(r.at).launch.base + to.offset,
                {r.op, r.data[lead], r.noComplete},
                mbarKeepsState(r),
                Src::Local};
    if (to.errs != 0) {
        mbarRefuse(use, group, to.errs);
        mbarAnswer(r.at, r.tag, group, Cause::Refused);
        return group;
    }
    if (isMbarWait(r.op)) {
        mbarWait(r, group, use);
        return group;
    }
    std::uint64_t first = 0;
    bool refused = false;
    const Lanes served = mbarUpdate(use, group, first, refused);
    const bool value = use.keeps && !refused;
    mbarAnswer(r.at, r.tag, served, refused ? Cause::Refused : Cause::Done, 0, value ? first : 0,
               value ? strideOf(use.access) : 0);
    return served;
}

void GoldenPort::mbarRefuse(const MbarUse& use, Lanes lanes, std::uint16_t errs)
{
    Commit commit = record(Unit::Mbarrier, use.access.op, use.at, use.object);
    commit.lanes = lanes;
    commit.tag = use.tag;
    commit.src = use.src;
    commit.srcSm = use.srcSm;
    commit.srcCta = use.srcCta;
    commit.errs = errs;
    commit.refused = true;
    commit.cause = Cause::Refused;
    emit(commit);
}

Lanes GoldenPort::mbarUpdate(const MbarUse& use, Lanes lanes, std::uint64_t& firstResult,
                             bool& refused)
{
    const unsigned sm = use.at.sm;
    const MbarPolicy policy = options_.policy;
    Commit commit = record(Unit::Mbarrier, use.access.op, use.at, use.object);
    commit.tag = use.tag;
    commit.src = use.src;
    commit.srcSm = use.srcSm;
    commit.srcCta = use.srcCta;
    commit.oldWord = commit.newWord = mbarLoad(sm, use.address);
    // The state of a later lane differs in pending alone unless the operation moves another field as well.
    const bool apart = use.keeps && use.access.op != Op::MbarArrive;
    for (; lanes != 0; lanes &= lanes - 1) {
        const MbarDone done = mbarApply(commit.newWord, use.access, policy);
        if (commit.lanes != 0 && (done.refused || apart)) break;
        if (commit.lanes == 0) firstResult = done.result;
        commit.lanes |= lanes & (0u - lanes);
        commit.newWord = done.word;
        commit.errs |= done.errs;
        commit.flip = done.flip;
        commit.refused = done.refused;
        mbar_.take(sm, use.address, use.access, done, use.keeps);
        if (done.refused || done.flip) break;
    }
    refused = commit.refused;
    if (refused) commit.cause = Cause::Refused;
    const bool kills = !refused && (commit.op == Op::MbarInit || commit.op == Op::MbarInval);
    const bool locks = (commit.newWord & ~commit.oldWord & std::uint64_t{1} << 42) != 0 && refused;
    const auto& parked = sms_[sm].parked;
    if (kills && std::any_of(parked.begin(), parked.end(),
                             [&](const Parked& p) { return p.address == use.address; }))
        commit.errs |= kMbErrKilled;
    if (memory_ != nullptr && commit.newWord != commit.oldWord)
        memory_->writeWord(use.at.sm, use.address, commit.newWord);
    emit(commit);
    if (commit.flip) mbarWake(sm, use.address, Cause::Flip, kAllLanes);
    if (kills || locks) mbarWake(sm, use.address, Cause::Killed, 0);
    return commit.lanes;
}

void GoldenPort::mbarWait(const SyncRequest& r, Lanes group, const MbarUse& use)
{
    const auto lead = static_cast<unsigned>(std::countr_zero(group));
    Sm& sm = sms_[r.at.sm];
    const MbarDone done = mbarApply(mbarLoad(r.at.sm, use.address), use.access, options_.policy);
    const std::uint32_t limit = mbarLimit(r, lead, options_.waitLimit);
    Cause cause = done.pred ? Cause::AlreadyTrue : Cause::Done;
    bool parks = false;
    if (!done.pred && isMbarTryWait(r.op)) {
        if (limit == 0)
            cause = Cause::Timeout;
        else if (r.diverged)
            cause = Cause::Diverged;
        else if (sm.parked.size() >= options_.waitSlots)
            cause = Cause::CamFull;
        else
            parks = true;
    }
    mbar_.take(r.at.sm, use.address, use.access, done, false);
    Commit commit = record(Unit::Mbarrier, r.op, r.at, use.object);
    commit.lanes = group;
    commit.tag = r.tag;
    commit.oldWord = commit.newWord = done.word;
    commit.cause = cause;
    emit(commit);
    if (parks)
        sm.parked.push_back({r.at, r.tag, group, use.object, use.address, r.op, now_ + limit});
    else
        mbarAnswer(r.at, r.tag, group, cause, done.pred ? group : 0);
}

void GoldenPort::mbarAnswer(const WarpRef& at, std::uint16_t tag, Lanes lanes, Cause cause,
                            Lanes pred, std::uint64_t value, std::uint32_t stride)
{
    Lanes& waiting = sms_[at.sm].waiting[tag % 4096];
    waiting &= ~lanes;
    if (sink_ != nullptr)
        sink_->onResponse({tag, at, lanes, pred & lanes, waiting == 0, cause, now_, value, stride});
}

void GoldenPort::mbarWake(unsigned sm, std::uint32_t address, Cause cause, Lanes pred)
{
    auto& parked = sms_[sm].parked;
    for (std::size_t i = 0; i < parked.size();) {
        if (parked[i].address != address) {
            ++i;
            continue;
        }
        const Parked p = parked[i];
        parked.erase(parked.begin() + static_cast<std::ptrdiff_t>(i));
        if (pred != 0) mbar_.sawCompletion(sm, address);
        mbarAnswer(p.at, p.tag, p.lanes, cause, pred);
    }
}

/// Runs after everything else of the cycle: a flip in the cycle of the expiry wins (D-32).
void GoldenPort::mbarTimers(unsigned index)
{
    auto& parked = sms_[index].parked;
    for (std::size_t i = 0; i < parked.size();) {
        if (parked[i].due > now_) {
            ++i;
            continue;
        }
        const Parked p = parked[i];
        parked.erase(parked.begin() + static_cast<std::ptrdiff_t>(i));
        Commit commit = record(Unit::Mbarrier, Op::EvTimeout, p.at, p.object);
        commit.lanes = p.lanes;
        commit.tag = p.tag;
        commit.cause = Cause::Timeout;
        commit.src = Src::Timer;
        commit.oldWord = commit.newWord = mbarLoad(index, p.address);
        emit(commit);
        mbarAnswer(p.at, p.tag, p.lanes, Cause::Timeout);
    }
}

void GoldenPort::mbarAsync(const AsyncUpdate& u)
{
    if (u.kind == AsyncKind::AgentArrive) return mbarAgent(u);
    const WarpRef at{u.sm, u.cta, u.warp};
    const CtaEntry& entry = unit_.cta(at);
    const std::uint32_t offset = clusterOffset(u.addr);
    const bool arrival = u.kind == AsyncKind::ArriveOn;
    MbarUse use{at,
                static_cast<std::uint16_t>(u.tag & 0xfff),
                u.addr,
                entry.launch.base + offset,
                {arrival ? Op::EvAsyncArrive : Op::EvAsyncCompleteTx, u.amount, false},
                false,
                arrival ? Src::CpAsync : Src::AsyncCopy};
    if (entry.used && entry.launch.ctas > 1) use.object = clusterAddress(entry.launch.rank, offset);
    std::uint32_t left = arrival ? u.amount : 1;
    const bool there = entry.used && entry.launch.era == u.era;  // not a later launch of the slot
    const std::uint16_t errs =
        there ? mbarOffsetErrs(offset, entry.launch.size) : std::uint16_t{kMbErrUndeliverable};
    while (left != 0) {
        const Lanes some = left >= 32 ? kAllLanes : (Lanes{1} << left) - 1;
        Lanes served = some;
        std::uint64_t result = 0;
        bool refused = false;
        if (errs != 0)
            mbarRefuse(use, some, errs);
        else
            served = mbarUpdate(use, some, result, refused);
        left -= static_cast<unsigned>(std::popcount(served));
    }
}

GoldenPort::Packet GoldenPort::packetOf(const WarpRef& at, Op op, std::uint16_t tag,
                                        std::uint8_t lane, std::uint64_t datum, std::uint8_t rank,
                                        std::uint32_t offset) const
{
    const Launch& launch = unit_.cta(at).launch;
    Packet packet;
    packet.request.op = op;
    packet.request.at = at;
    packet.request.tag = tag;
    packet.request.lanes = Lanes{1} << lane;
    packet.request.data[lane] = datum;
    packet.cluster = launch.cluster;
    packet.to.rank = rank;
    packet.to.offset = offset;
    packet.to.away = true;
    packet.era = launch.era;
    return packet;
}

/// Packets leave when every CTA of their cluster is launched; one source's packets keep their order.
void GoldenPort::mbarNetwork()
{
    if (packets_.empty()) return;
    std::deque<Packet> kept;
    for (const Packet& p : packets_) (unit_.slot(p.cluster).open() ? arriving_ : kept).push_back(p);
    packets_ = std::move(kept);
}

WarpRef GoldenPort::ownerOf(const Packet& p)
{
    if (p.own) return p.request.at;
    const Cluster::Member& member = unit_.slot(p.cluster).member(p.to.rank);
    return {member.sm, member.cta, p.request.at.warp};
}

/// The reason why the owner does not take a packet; 0: it does. An exited CTA takes nothing, though its slot stays in use until its cluster
/// ends (D-38, HS-024).
std::uint16_t GoldenPort::refusal(const Packet& p, const WarpRef& owner)
{
    const CtaEntry& entry = unit_.cta(owner);
    const Launch& launch = entry.launch;
    const bool member = p.own || (launch.ctas > 1 && launch.cluster == p.cluster);
    if (!entry.used || entry.liveWarps == 0 || !member || launch.era != p.era)
        return p.own && !p.request.remote ? kMbErrLeft : kMbErrUndeliverable;
    return isAtomic(p.request.op) ? std::uint16_t{0} : mbarOffsetErrs(p.to.offset, launch.size);
}

void GoldenPort::mbarDeliver(const Packet& p)
{
    const WarpRef at = ownerOf(p);
    const bool data = deliversBytes(p.request.op);
    const auto lead = static_cast<unsigned>(std::countr_zero(p.request.lanes));
    const MbarUse use{at,
                      p.request.tag,
                      clusterAddress(p.to.rank, p.to.offset),
                      unit_.cta(at).launch.base + p.to.offset,
                      {isMbarData(p.request.op) ? Op::EvAsyncCompleteTx : p.request.op,
                       p.request.data[lead], false},
                      false,
                      p.own ? Src::AsyncCopy : Src::Remote,
                      p.request.at.sm,
                      p.request.at.cta};
    const std::uint16_t errs = refusal(p, at);
    if (isAtomic(p.request.op)) return atomDeliver(p, use, errs == 0);
    if (p.own || p.request.op == Op::EvAgentArrive) --sms_[p.request.at.sm].owed[p.request.at.cta];
    if (errs != 0) mbarRefuse(use, p.request.lanes, errs);
    if (data && sink_ != nullptr)
        sink_->onDelivered({at.sm, at.cta, p.request.tag, now_, errs != 0, p.request.lanes});
    std::uint64_t result = 0;
    bool refused = false;
    for (Lanes left = errs != 0 ? 0 : p.request.lanes; left != 0;)
        left &= ~mbarUpdate(use, left, result, refused);
    mbarAcknowledge(p, at, errs != 0);
}

/// The driver performs the data of these lanes in one step: no object changes here (ATOM-029, RED-018, D-45).
void GoldenPort::atomDeliver(const Packet& p, const MbarUse& use, bool there)
{
    if (there) {
        Commit commit = record(Unit::Mbarrier, p.request.op, use.at, use.object);
        commit.lanes = p.request.lanes;
        commit.tag = p.request.tag;
        commit.src = use.src;
        commit.srcSm = use.srcSm;
        commit.srcCta = use.srcCta;
        emit(commit);
    } else {
        mbarRefuse(use, p.request.lanes, kMbErrUndeliverable);
    }
    if (sink_ != nullptr)
        sink_->onDelivered({use.at.sm, use.at.cta, p.request.tag, now_, !there, p.request.lanes});
    mbarAcknowledge(p, use.at, !there);
}

/// Answers an atom with its last packet.
void GoldenPort::atomReply(const Packet& p, bool refused)
{
    auto& replies = sms_[p.request.at.sm].replies;
    const auto found = replies.find(p.request.tag);
    found->second.refused |= refused;
    if (--found->second.packets != 0) return;
    const Reply done = found->second;
    replies.erase(found);
    mbarAnswer(p.request.at, p.request.tag, done.lanes,
               done.refused ? Cause::Refused : Cause::Done);
}

/// The source is acknowledged at once: an acknowledgement is a point in the order here, not a message.
void GoldenPort::mbarAcknowledge(const Packet& p, const WarpRef& owner, bool refused)
{
    if (p.id != 0) book_.committed(p.request.at, p.id);
    WarpRef source = p.request.at;
    source.warp = 0;
    const bool reply = p.request.op == Op::Atom;
    const unsigned object = (reply && refused ? 8u : 0u) | (reply ? 4u : 0u) |
                            (isUnordered(p.request.op) ? 2u : 0u) | p.epoch;
    Commit commit = record(Unit::Fence, Op::EvAck, source, object);
    commit.tag = p.request.tag;
    commit.lanes = Lanes{1} << (31 - std::countl_zero(p.request.lanes));
    // a packet to its own CTA is acknowledged on the spot
    commit.src = p.own ? Src::Network : Src::Remote;
    commit.srcSm = owner.sm;
    emit(commit);
    if (reply) atomReply(p, refused);
}

}  // namespace gsu
