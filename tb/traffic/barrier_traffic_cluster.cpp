// The cluster barrier: arrivals and waits, and what their commits show about the warp.
#include "traffic/barrier_traffic.hpp"

namespace gsu::traffic {

bool BarrierTraffic::cluster(Cta& cta, unsigned index, Lanes lanes, bool aligned)
{
    Warp& w = cta.warp[index];
    const bool waits = w.goal == Goal::Wait;
    SyncRequest r = request(cta, index, waits ? Op::ClusterWait : Op::ClusterArrive, lanes);
    r.aligned = aligned;
    r.sem = waits ? Sem::Acquire : random_.percent(50) ? Sem::Release : Sem::Relaxed;
    if (aligned)
        w.goal = Goal::None;
    else
        w.met |= lanes;
    return present(cta, r, waits ? kAtCluster : std::uint8_t{255});
}

void BarrierTraffic::seeCluster(const Commit& c, Cta& cta, Warp& w)
{
    BarrierStats::count(stats_.cluster, c.errs);
    if (c.op == Op::EvClusterFlip) {
        ++cta.flips;
        ++stats_.clusterFlips;
    }
    if (c.op == Op::ClusterArrive && c.errs != 1u << kCbErrDiverged &&
        c.errs != 1u << kCbErrDouble) {
        w.owed = true;
        w.arrivedIn = cta.flips;
    }
    if (c.op == Op::ClusterWait && c.errs != 1u << kCbErrDiverged) w.owed = false;
}

}  // namespace gsu::traffic
