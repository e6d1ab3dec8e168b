#include "traffic/barrier_traffic.hpp"

#include <algorithm>
#include <bit>

#include "golden/cta_table.hpp"

namespace gsu::traffic {
namespace {

constexpr std::array kNullOps{Op::Atom, Op::Red, Op::ClcQueryCancel, Op::MbarPendingCount};

/// The first member of `set` from `from` on, cyclically modulo `size`; `from` if there is none.
unsigned nextOf(std::uint32_t set, unsigned from, unsigned size)
{
    if (set == 0) return from;
    const std::uint32_t behind = set >> from << from;
    return static_cast<unsigned>(std::countr_zero(behind != 0 ? behind : set)) % size;
}

}  // namespace

BarrierTraffic::BarrierTraffic(SyncPort& port, const BarrierOptions& options)
    : port_(port),
      options_(options),
      has_(port.structure()),
      random_(options.seed),
      sms_(options.sms)
{
    port.setSink(*this);
}

const BarrierStats& BarrierTraffic::run()
{
    constexpr Cycle kPatience = 50'000;
    const std::uint64_t enough = 2 * options_.requests + 50'000;
    const Cycle start = port_.now();
    lastEvent_ = start;
    while (!port_.fault()) {
        while (stats_.requests < options_.requests && random_.percent(20) &&
               living_ < options_.maxCtas * options_.sms / 2)
            startCluster();
        launchPending();
        if (living_ == 0 && stats_.requests >= options_.requests) break;
        for (unsigned sm = 0; sm < options_.sms; ++sm) {
            if (port_.now() < sms_[sm].holdUntil) continue;
            if (random_.percent(options_.hold)) {
                sms_[sm].holdUntil = port_.now() + 1 + random_.below(random_.percent(20) ? 200 : 8);
                ++stats_.held;
                continue;
            }
            if (port_.canPresent(static_cast<std::uint8_t>(sm))) drive(sm);
        }
        port_.step();
        pass();
        if (port_.now() - lastEvent_ > kPatience) {
            stats_.hung = true;
            break;
        }
        if (stats_.requests >= enough) {
            stats_.endless = true;
            break;
        }
    }
    (void)port_.quietUntil();
    stats_.cycles = port_.now() - start;
    return stats_;
}

/// Skips idle time while every SM withholds.
void BarrierTraffic::pass()
{
    if (!options_.skip || !launches_.empty()) return;
    Cycle until = kNever;
    for (const Sm& sm : sms_) until = std::min(until, sm.holdUntil);
    if (until <= port_.now()) return;
    const Cycle quiet = port_.quietUntil();
    if (quiet <= port_.now()) return;
    const Cycle target = std::min(quiet, until);
    stats_.skipped += target - port_.now();
    port_.skipTo(target);
}

/// Launches for the CTAs of a cluster; none if there is no room.
std::vector<Launch> BarrierTraffic::placeCluster(unsigned slot, unsigned ctas)
{
    std::vector<Launch> launches;
    for (unsigned rank = 0; rank < ctas; ++rank) {
        const auto sm = static_cast<std::uint8_t>(random_.below(options_.sms));
        const unsigned warps =
            std::min<unsigned>(1 + random_.below(random_.percent(10) ? 32 : 5), has_.warpSlots);
        const auto end = sms_[sm].ctas.begin() + has_.ctas;
        const auto free =
            std::find_if(sms_[sm].ctas.begin(), end, [](const Cta& c) { return !c.used; });
        unsigned base = 0;
        const std::uint64_t want = (std::uint64_t{1} << warps) - 1;
        while (base + warps <= has_.warpSlots && (sms_[sm].slots & want << base) != 0) ++base;
        if (free == end || base + warps > has_.warpSlots) break;
        Launch l{};
        l.sm = sm;
        l.cta = static_cast<std::uint8_t>(free - sms_[sm].ctas.begin());
        l.wbase = static_cast<std::uint8_t>(base);
        l.cluster = static_cast<std::uint8_t>(slot);
        l.rank = static_cast<std::uint8_t>(rank);
        l.ctas = static_cast<std::uint8_t>(ctas);
        l.threads =
            static_cast<std::uint16_t>(warps * 32 - (random_.percent(40) ? random_.below(32) : 0));
        sms_[sm].slots |= want << base;
        free->used = true;
        launches.push_back(l);
    }
    if (launches.size() != ctas) {  // no room: free everything
        for (const Launch& l : launches) {
            sms_[l.sm].slots &= ~(((std::uint64_t{1} << warpsOf(l.threads)) - 1) << l.wbase);
            ctaOf(l.sm, l.cta).used = false;
        }
        launches.clear();
    }
    return launches;
}

void BarrierTraffic::begin(const Launch& l)
{
    Cta& cta = ctaOf(l.sm, l.cta);
    cta = {};
    cta.used = true;
    cta.launch = l;
    cta.warps = warpsOf(l.threads);
    cta.budget = options_.ops / 2 + random_.below(options_.ops);
    for (unsigned w = 0; w < cta.warps; ++w) {
        cta.warp[w].live = launchedLanes(l.threads, w);
        cta.warp[w].at.fill(255);
        cta.see(w);
    }
    launches_.emplace_back(l.sm, l.cta);
    ++living_;
}

void BarrierTraffic::startCluster()
{
    const unsigned ctas = 1u << random_.below(options_.sms > 1 ? 4 : 2);
    const auto slot =
        static_cast<unsigned>(std::find(clusters_.begin(), clusters_.end(), 0) - clusters_.begin());
    if (slot == kMaxClusters) return;
    const std::vector<Launch> launches = placeCluster(slot, ctas);
    if (launches.empty()) return;
    clusters_[slot] = static_cast<std::uint8_t>(ctas);
    stats_.clusters += ctas > 1;
    for (const Launch& l : launches) {
        if (ctas > 1) port_.route({l.cluster, l.rank, l.sm, l.cta, l.ctas});
        begin(l);
    }
}

/// Gives one launch per SM and cycle; a launched CTA runs from the next cycle on.
void BarrierTraffic::launchPending()
{
    std::uint32_t busy = 0;
    for (auto it = launches_.begin(); it != launches_.end();) {
        Cta& cta = ctaOf(it->first, it->second);
        if ((busy >> it->first & 1) == 0 && random_.percent(70) && port_.launch(cta.launch)) {
            it = launches_.erase(it);
            ++stats_.ctas;
        } else {
            ++it;
        }
        busy |= 1u << cta.launch.sm;
    }
}

bool BarrierTraffic::drive(unsigned sm)
{
    Sm& here = sms_[sm];
    for (unsigned tries = 0; tries < 6; ++tries) {
        const unsigned slot = random_.below(kMaxCtas);
        if (here.launched == 0) return false;
        Cta& cta = here.ctas[nextOf(here.launched, slot, kMaxCtas)];
        const unsigned index = random_.below(cta.warps);
        if (driveWarp(cta, nextOf(cta.ready, index, cta.warps))) return true;
    }
    return false;
}

/// Gives a request for the free lanes of one warp; false if the warp has none or no request fits.
bool BarrierTraffic::driveWarp(Cta& cta, unsigned index)
{
    Warp& w = cta.warp[index];
    Lanes loose = w.free();
    if (loose == 0) return false;
    for (std::size_t i = 0; i < w.masks.size();
         ++i) {  // lanes that a rendezvous names must arrive at it
        const Lanes owing = w.masks[i] & loose;
        if (owing == 0) continue;
        loose &= ~w.masks[i];
        if (!random_.percent(60)) continue;
        return meet(cta, index, i, random_.percent(60) ? owing : random_.subset(owing));
    }
    return loose != 0 && work(cta, index, loose);
}

bool BarrierTraffic::lastWarp(const Cta& cta, unsigned index) const
{
    for (unsigned i = 0; i < cta.warps; ++i)
        if (i != index && cta.warp[i].live != 0) return false;
    return true;
}

bool BarrierTraffic::work(Cta& cta, unsigned index, Lanes loose)
{
    Warp& w = cta.warp[index];
    const bool ending = cta.budget == 0;
    const bool rescuer = index == 0;
    if (random_.percent(options_.illegal)) return illegal(cta, index, loose);
    if (rescuer && random_.percent(ending ? 70 : 12) && w.goal == Goal::None && rescue(cta, loose))
        return true;
    if (random_.percent(ending ? 60 : 2) && (!rescuer || lastWarp(cta, index)))
        return exitLanes(cta, index, ending && random_.percent(80) ? loose : random_.subset(loose));
    if (random_.percent(2) && rescuer && (loose & ~(loose & (0u - loose))) != 0)
        return exitLanes(cta, index,
                         loose & ~(loose & (0u - loose)) & static_cast<Lanes>(random_.next()));
    if (rescuer && ending && w.goal == Goal::None && random_.percent(80))
        return newGoal(cta, index, loose);
    if (random_.percent(10)) return warpSync(cta, index, loose);
    if (options_.warpOps != 0 && random_.percent(4))
        return present(cta, request(cta, index, random_.percent(50) ? Op::Vote : Op::ActiveMask,
                                    random_.subset(loose)));
    if (options_.nullOps && random_.percent(3))
        return present(cta, request(cta, index, kNullOps[random_.below(kNullOps.size())],
                                    random_.subset(loose)));
    return w.goal != Goal::None ? continueGoal(cta, index, loose) : newGoal(cta, index, loose);
}

bool BarrierTraffic::exitLanes(Cta& cta, unsigned index, Lanes lanes)
{
    if (lanes == 0) return false;
    Warp& w = cta.warp[index];
    w.live &= ~lanes;
    cta.see(index);
    for (Lanes& mask :
         w.masks)  // a rendezvous that no lane has entered yet is forgotten with its lanes
        if ((mask & w.live) == 0 && (mask & w.open) == 0) mask = 0;
    port_.exit({{cta.launch.sm, cta.launch.cta, static_cast<std::uint8_t>(index)}, lanes, false});
    ++stats_.exits;
    return true;
}

bool BarrierTraffic::continueGoal(Cta& cta, unsigned index, Lanes loose)
{
    Warp& w = cta.warp[index];
    const Lanes lanes = random_.percent(60) ? loose : random_.subset(loose);
    stats_.partial += lanes != w.live;
    return w.goal == Goal::Bar ? bar(cta, index, lanes, false) : cluster(cta, index, lanes, false);
}

/// Chooses identifier and count by a plan per identifier, so that warps usually agree.
void BarrierTraffic::planBar(Cta& cta, Warp& w)
{
    w.id = random_.below(has_.bars - 1u);
    const std::uint32_t all = cta.warps * 32;
    w.count = w.id < 8 ? all : 32 * (1 + w.id % std::min(cta.warps, 6u));
    if (random_.percent(3)) w.count = 32 * (1 + random_.below(cta.warps));
}

bool BarrierTraffic::newGoal(Cta& cta, unsigned index, Lanes loose)
{
    Warp& w = cta.warp[index];
    const bool rescuer = index == 0;
    const bool ending = rescuer && cta.budget == 0;
    const bool clusterTurn = ending || random_.percent(15);
    if (clusterTurn && w.owed) {
        if (rescuer && cta.flips == w.arrivedIn) return false;  // warp 0 never blocks
        w.goal = Goal::Wait;
    } else if (clusterTurn) {
        w.goal = Goal::Arrive;
    } else {
        w.goal = Goal::Bar;
        planBar(cta, w);
    }
    const bool whole = loose == w.live;
    if (whole && random_.percent(50))
        return w.goal == Goal::Bar ? bar(cta, index, loose, true)
                                   : cluster(cta, index, loose, true);
    return continueGoal(cta, index, loose);
}

/// Warp 0 arrives at a barrier on which others wait until the barrier completes (UB-06 counts every arrival).
bool BarrierTraffic::rescue(Cta& cta, Lanes loose)
{
    if (loose != cta.warp[0].live) return false;
    const unsigned first = random_.below(has_.bars);
    for (unsigned i = 0; i < has_.bars; ++i) {
        const unsigned id = (first + i) % has_.bars;
        if (cta.open[id] == 0) continue;
        SyncRequest r = request(cta, 0, Op::BarArrive, loose);
        r.arg0 = id;
        r.arg1 = cta.open[id];
        r.aligned = random_.percent(50);
        return present(cta, r);
    }
    return false;
}

bool BarrierTraffic::bar(Cta& cta, unsigned index, Lanes lanes, bool aligned)
{
    Warp& w = cta.warp[index];
    static constexpr std::array kReds{Op::BarRedPopc, Op::BarRedAnd, Op::BarRedOr};
    Op op = w.id % 3 == 0 ? kReds[w.id / 3 % 3] : random_.percent(25) ? Op::BarArrive : Op::BarSync;
    if (random_.percent(3)) op = kReds[random_.below(3)];
    const bool alone = cta.warps == 1 && w.id < 8;
    if (index == 0 && !alone) op = Op::BarArrive;
    SyncRequest r = request(cta, index, op, lanes);
    r.arg0 = w.id;
    const bool omit = w.count == cta.warps * 32 && op != Op::BarArrive && random_.percent(70);
    r.arg1 = omit ? 0 : w.count;
    r.aligned = aligned;
    if (aligned)
        w.goal = Goal::None;
    else
        w.met |= lanes;
    return present(cta, r, op == Op::BarArrive ? 255 : static_cast<std::uint8_t>(w.id));
}

// long: what may be illegal, a case each
bool BarrierTraffic::illegal(Cta& cta, unsigned index, Lanes loose)
{
    const Lanes lanes = random_.subset(loose);
    SyncRequest r = request(cta, index, random_.percent(50) ? Op::BarSync : Op::BarRedOr, lanes);
    r.arg0 = 3;
    switch (random_.below(9)) {
        case 0:
            r.arg0 = has_.bars + static_cast<std::uint32_t>(random_.next() >> 36);
            if (has_.bars != kBarsPerCta)
                r.arg0 = has_.bars + r.arg0 % 64;  // the first identifiers that do not exist
            r.aligned = random_.percent(40);       // two faults at once
            break;
        case 1:
            r.arg1 = 32 * random_.below(9) + 1 + random_.below(31);
            r.aligned = random_.percent(40);
            break;
        case 2: r.op = Op::BarArrive; break;
        case 3:  // never completes, and no warp waits for it (BAR-038, D-17)
            if (!random_.percent(10) || loose != cta.warp[index].live || cta.warp[index].met != 0)
                return false;
            r.op = Op::BarArrive;
            r.lanes = loose;
            r.arg0 = has_.bars - 1u;
            r.arg1 = random_.percent(50) ? 4096 : 0x8000'0000;
            break;
        case 4:
            r.op = Op::WarpSync;
            r.arg0 = ~lanes;
            break;
        case 5:  // D-13: part of the warp arrives for the whole; warp 0 may not wait
            r.aligned = true;
            r.op = index == 0 ? Op::BarArrive : Op::BarSync;
            r.arg1 = cta.warps * 32;
            return present(cta, r, index == 0 ? 255 : 3);
        case 6:
            r.op = random_.percent(50) ? Op::ClusterArrive : Op::ClusterWait;
            r.aligned = true;
            if (lanes == cta.warp[index].live) return false;
            // The warp waits after all if the other lanes exit meanwhile.
            return present(cta, r, r.op == Op::ClusterWait ? kAtCluster : 255);
        case 7:  // second arrive of a generation, or without a wait between (D-50, A-04)
            if (loose != cta.warp[index].live || cta.warp[index].met != 0) return false;
            r.op = Op::ClusterArrive;
            r.lanes = loose;
            break;
        default:  // wait without arrive
            if (loose != cta.warp[index].live || cta.warp[index].owed || cta.warp[index].met != 0)
                return false;
            r.op = Op::ClusterWait;
            r.lanes = loose;
            return present(cta, r, kAtCluster);
    }
    return present(cta, r);
}

}  // namespace gsu::traffic
