// try_cancel: each accepted lane asks once, each answer leads to one response for each target, and to nothing else (CLC-003, CLC-006,
// CLC-009, D-55, D-56). From its answer on a response is a posted operation like the data of st.async: delivered, complete_tx,
// acknowledged.
#include <algorithm>
#include <bit>

#include "lockstep/describe.hpp"
#include "lockstep/mbarrier_follower.hpp"

namespace gsu::lockstep {

void MbarrierFollower::ask(const SyncRequest& r, unsigned lane, const MbarRoute& to, Cycle now)
{
    Cancel cancel{r, to, now};
    cancel.request.lanes = Lanes{1} << lane;
    cancel.request.data[lane] = kCancelBytes;
    sms_[r.at.sm].asks.push_back(cancel);
}

Verdict MbarrierFollower::asked(const CancelQuery& q)
{
    Sm& sm = sms_[q.sm];
    const auto found = std::find_if(sm.asks.begin(), sm.asks.end(), [&](const Cancel& c) {
        return c.request.at.cta == q.cta && c.request.tag == q.tag &&
               c.request.lanes == Lanes{1} << (q.lane & 31);
    });
    if (found == sm.asks.end())
        return Problem{"query of no lane of try_cancel (never presented, or asked twice)", "", ""};
    if (q.multicast != found->request.remote)
        return Problem{"multicast of a query differs", std::to_string(found->request.remote), ""};
    if (q.slot >= kCancelSlots || sm.told[q.slot])
        return Problem{"query under the name of one that is not answered", "", ""};
    sm.told[q.slot] = *found;
    sm.asks.erase(found);
    return std::nullopt;
}

bool MbarrierFollower::answer(const CancelAnswer& a, Cycle now)
{
    if (a.sm >= sms_.size() || a.slot >= kCancelSlots || !sms_[a.sm].told[a.slot]) return false;
    auto& slot = sms_[a.sm].told[a.slot];
    const Cancel cancel = *slot;
    slot.reset();
    const Launch& own = unit_.cta(cancel.request.at).launch;
    for (std::uint8_t rank = 0; cancel.request.remote && rank < own.ctas; ++rank)
        if (rank != cancel.to.rank) respond(cancel, rank, false, now);
    respond(cancel, cancel.to.rank, true, now);
    return true;
}

/// The same mbarrier offset in every CTA (CLC-009).
void MbarrierFollower::respond(const Cancel& cancel, std::uint8_t rank, bool own, Cycle now)
{
    MbarRoute to = cancel.to;
    to.rank = rank;
    postUnordered(cancel.request, to, own, now);
}

OrderBook::Id MbarrierFollower::postUnordered(const SyncRequest& r, const MbarRoute& to, bool own,
                                              Cycle now)
{
    const std::uint8_t cluster = unit_.cta(r.at).launch.cluster;
    Posted posted{r, to, cluster, now, book_.post(r.at), {}, r.at, own};
    if (!own) {
        const Cluster::Member& member = unit_.slot(cluster).member(to.rank);
        posted.owner = {member.sm, member.cta, 0};
    }
    acks_.sent(posted.id, r.at, r.tag, r.lanes, posted.owner.sm, r.op, own);
    sms_[posted.owner.sm].posted.push_back(posted);
    return posted.id;
}

bool MbarrierFollower::ordered(const Posted& a, const Posted& b) noexcept
{
    const auto answered = [](const Posted& p) {
        return isCancel(p.request.op) || p.request.op == Op::EvAgentArrive;
    };
    if (answered(a) || answered(b)) return false;
    return a.to.offset == b.to.offset || isAtomic(a.request.op) || isAtomic(b.request.op);
}

bool MbarrierFollower::awaitsAnswer() const noexcept
{
    return std::any_of(sms_.begin(), sms_.end(), [](const Sm& sm) {
        return std::any_of(sm.told.begin(), sm.told.end(),
                           [](const auto& told) { return told.has_value(); });
    });
}

bool MbarrierFollower::awaitsAnswer(const WarpRef& at) const
{
    const auto& told = sms_[at.sm].told;
    return std::any_of(told.begin(), told.end(),
                       [&](const auto& c) { return c && c->request.at.cta == at.cta; });
}

}  // namespace gsu::lockstep
