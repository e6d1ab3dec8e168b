// Completions that the driver gives, including arrivals of agents that are no threads (tcgen05.commit): one arrival at the mbarrier of its
// own CTA, and one posted operation for each other CTA of the mask.
#include <algorithm>
#include <bit>

#include "lockstep/describe.hpp"
#include "lockstep/mbarrier_follower.hpp"

namespace gsu::lockstep {
namespace {

/// Completions that the driver gives, as their commits name them.
AsyncKind kindOf(Op op)
{
    return op == Op::EvAgentArrive   ? AsyncKind::AgentArrive
           : op == Op::EvAsyncArrive ? AsyncKind::ArriveOn
                                     : AsyncKind::CompleteTx;
}

/// Whether the commit is that of this completion.
bool names(const Commit& c, const AsyncUpdate& u)
{
    return u.kind == kindOf(c.op) && u.cta == c.at.cta && u.warp == c.at.warp &&
           tagOfCommit(u.tag) == c.tag && clusterOffset(u.addr) == clusterOffset(c.object);
}

}  // namespace

void MbarrierFollower::notify(const AsyncUpdate& update, Cycle now)
{
    Sm& sm = sms_[update.sm];
    sm.atPort = false;
    if (update.kind != AsyncKind::AgentArrive) return sm.updates.push_back({update, now});
    const CtaEntry& entry = unit_.cta({update.sm, update.cta, update.warp});
    const Launch& own = entry.launch;
    const std::uint8_t rank = own.ctas > 1 ? own.rank : std::uint8_t{0};
    const bool its = entry.used && own.era == update.era;
    const bool stray = its && (update.amount == 0 || update.amount >> own.ctas != 0);
    Unseen arrival{update, {}};
    for (std::uint8_t to = 0; its && !stray && to < own.ctas; ++to)
        if ((update.amount >> to & 1) != 0 && to != rank)
            arrival.sent.push_back(postAgent(update, to, now));
    sm.atPort = !arrival.sent.empty();
    if (sm.atPort) sm.unseen.push_back(std::move(arrival));
    if (its && !stray && (update.amount >> rank & 1) == 0) return;
    sm.updates.push_back({update, now, stray});
    sm.updates.back().update.amount = 1;
}

OrderBook::Id MbarrierFollower::postAgent(const AsyncUpdate& update, std::uint8_t rank, Cycle now)
{
    SyncRequest r;
    r.op = Op::EvAgentArrive;
    r.at = {update.sm, update.cta, update.warp};
    r.tag = tagOfCommit(update.tag);
    r.lanes = 1;
    r.data[0] = 1;
    MbarRoute to;
    to.rank = rank;
    to.offset = clusterOffset(update.addr);
    to.away = true;
    return postUnordered(r, to, false, now);
}

void MbarrierFollower::withdraw(Sm& sm, std::size_t index)
{
    const Unseen arrival = std::move(sm.unseen[index]);
    const AsyncUpdate& update = arrival.update;
    sm.atPort = sm.atPort && index + 1 != sm.unseen.size();
    sm.unseen.erase(sm.unseen.begin() + static_cast<std::ptrdiff_t>(index));
    for (const OrderBook::Id id : arrival.sent) {
        for (Sm& owner : sms_)
            std::erase_if(owner.posted, [&](const Posted& p) {
                return p.request.at.sm == update.sm && p.id == id;
            });
        acks_.withdrawn(update.sm, id);
        book_.committed({update.sm, update.cta, update.warp}, id);
    }
}

bool MbarrierFollower::refusedWhole(const Commit& c)
{
    Sm& sm = sms_[c.at.sm];
    for (std::size_t i = 0; i < sm.unseen.size(); ++i) {
        if (!names(c, sm.unseen[i].update)) continue;
        withdraw(sm, i);
        return true;
    }
    return false;
}

void MbarrierFollower::expectRefusal(const Launch& launch, Cycle now)
{
    Sm& sm = sms_[launch.sm];
    if (!sm.atPort || sm.unseen.back().update.cta != launch.cta) return;
    AsyncUpdate update = sm.unseen.back().update;
    withdraw(sm, sm.unseen.size() - 1);
    if ((update.amount >> launch.rank & 1) != 0) return;  // its own part is awaited already
    update.amount = 1;
    sm.updates.push_back({update, now, true});
}

Verdict MbarrierFollower::commitAsync(const Commit& c)
{
    auto& updates = sms_[c.at.sm].updates;
    const AsyncKind kind = kindOf(c.op);
    const auto found =
        std::ranges::find_if(updates, [&](const Update& u) { return names(c, u.update); });
    const CtaEntry& owner = unit_.cta(c.at);
    const bool gone = c.refused && c.errs == kMbErrUndeliverable &&
                      owner.liveWarps == 0;  // the end is on its way
    if (gone && refusedWhole(c) && found == updates.end()) return std::nullopt;
    if (found == updates.end())
        return Problem{"asynchronous commit without a completion (never given, or committed twice)",
                       "", ""};
    AsyncUpdate& u = found->update;
    const bool arrival = kind != AsyncKind::CompleteTx;
    const auto count = arrival ? static_cast<std::uint32_t>(std::popcount(c.lanes)) : 1u;
    if (arrival && (count == 0 || count > u.amount))
        return off("number of arrivals", std::to_string(u.amount));
    const std::uint32_t offset = clusterOffset(u.addr);
    const bool its = owner.used && owner.launch.era == u.era && !found->stray;
    const unsigned errs =
        its ? mbarOffsetErrs(offset, owner.launch.size) : unsigned{kMbErrUndeliverable};
    if (errs != 0 || gone) {
        const unsigned allowed = errs | (sm80_ && !arrival ? unsigned{kMbErrProfile} : 0u);
        if (!gone && (!c.refused || c.errs == 0 || (c.errs & ~allowed) != 0))
            return off("errs", hex(allowed));
    } else {
        Applied a{
            owner.launch.base + offset, {c.op, u.amount, false}, arrival ? c.lanes : 1, false, {}};
        if (Verdict bad = apply(c, a)) return bad;
    }
    u.amount -= arrival ? count : 0;
    if (!arrival || u.amount == 0) updates.erase(found);
    return std::nullopt;
}

}  // namespace gsu::lockstep
