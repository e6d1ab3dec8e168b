// Completions that the driver gives, among them arrivals of agents that are no threads (tcgen05.commit): one at the own mbarrier, and one posted operation for
// each other CTA of the mask.
#include "lockstep/mbarrier_follower.hpp"

namespace gsu::lockstep {

void MbarrierFollower::notify(const AsyncUpdate& update, Cycle now)
{
    auto& updates = sms_[update.sm].updates;
    if (update.kind != AsyncKind::AgentArrive) return updates.push_back({update, now});
    const CtaEntry& entry = unit_.cta({update.sm, update.cta, update.warp});
    const Launch& own = entry.launch;
    const std::uint8_t rank = own.ctas > 1 ? own.rank : std::uint8_t{0};
    const bool its = entry.used && own.era == update.era;
    const bool stray = its && (update.amount == 0 || update.amount >> own.ctas != 0);
    for (std::uint8_t to = 0; its && !stray && to < own.ctas; ++to)
        if ((update.amount >> to & 1) != 0 && to != rank) postAgent(update, to, now);
    if (its && !stray && (update.amount >> rank & 1) == 0) return;
    updates.push_back({update, now, stray});
    updates.back().update.amount = 1;
}

void MbarrierFollower::postAgent(const AsyncUpdate& update, std::uint8_t rank, Cycle now)
{
    Posted posted;
    SyncRequest& r = posted.request;
    r.op = Op::EvAgentArrive;
    r.at = {update.sm, update.cta, update.warp};
    r.tag = static_cast<std::uint16_t>(update.tag & 0xfff);
    r.lanes = 1;
    r.data[0] = 1;
    posted.to.rank = rank;
    posted.to.offset = clusterOffset(update.addr);
    posted.to.away = true;
    posted.cluster = unit_.cta(r.at).launch.cluster;
    posted.since = now;
    posted.id = book_.post(r.at);
    const Cluster::Member& member = unit_.slot(posted.cluster).member(rank);
    posted.owner = {member.sm, member.cta, 0};
    acks_.sent(posted.id, r.at, r.tag, r.lanes, member.sm, r.op);
    sms_[member.sm].posted.push_back(posted);
}

}  // namespace gsu::lockstep
