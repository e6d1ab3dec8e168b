#include "traffic/order_traffic.hpp"

#include <algorithm>

namespace gsu::traffic {
namespace {

constexpr std::uint32_t kWindow = 0x100;
constexpr Cycle kPatience = 200'000;

}  // namespace

OrderTraffic::OrderTraffic(SyncPort& port, const OrderOptions& options)
    : port_(port), options_(options), random_(options.seed), sms_(options.sms)
{
    port.setSink(*this);
}

void OrderTraffic::launchAll()
{
    const auto ctas = static_cast<std::uint8_t>(options_.sms);
    for (std::uint8_t sm = 0; ctas > 1 && sm < ctas; ++sm) port_.route({5, sm, sm, 1, ctas});
    for (std::uint8_t sm = 0; sm < ctas; ++sm) {
        Launch l{};
        l.sm = sm;
        l.cta = 1;
        l.threads = kWarps * 32;
        l.size = kWindow;
        l.ctas = ctas;
        l.cluster = ctas > 1 ? 5 : 0;
        l.rank = ctas > 1 ? sm : 0;
        while (!port_.launch(l)) port_.step();
    }
    for (int i = 0; i < 3; ++i) port_.step();
}

const OrderStats& OrderTraffic::run()
{
    launchAll();
    Cycle lastRequest = port_.now();
    while (!port_.fault() && (stats_.requests < options_.requests || busy())) {
        const std::uint64_t before = stats_.requests;
        for (std::uint8_t sm = 0; sm < options_.sms; ++sm) {
            perform(sm);
            if (stats_.requests >= options_.requests)
                leave(sm);
            else if (port_.canPresent(sm) && random_.percent(70))
                drive(sm);
        }
        port_.step();
        if (before != stats_.requests) lastRequest = port_.now();
        if (port_.now() - lastRequest > kPatience) {
            stats_.hung = true;
            return stats_;
        }
    }
    for (Cycle i = 0; i < kPatience && !port_.fault() && stats_.freed < options_.sms; ++i)
        port_.step();
    stats_.hung = !port_.fault() && stats_.freed < options_.sms;
    return stats_;
}

bool OrderTraffic::busy() const
{
    return std::any_of(sms_.begin(), sms_.end(), [](const Sm& sm) {
        return !sm.due.empty() || std::any_of(sm.warp.begin(), sm.warp.end(),
                                              [](const Warp& w) { return w.live != 0; });
    });
}

/// Announces accesses of the warp; they are performed in parts.
void OrderTraffic::announce(std::uint8_t sm, std::uint8_t warp)
{
    const WarpRef at{sm, 1, warp};
    const Reach reach = random_.percent(50) ? Reach::Cta : Reach::Everyone;
    const std::uint8_t epoch = port_.epoch(at, reach);
    unsigned count = 1 + random_.below(random_.percent(10) ? 400 : 8);
    if (options_.wide && random_.percent(2)) count = 0xffff >> random_.below(8);
    port_.announce({at, reach, epoch, static_cast<std::uint16_t>(count)});
    stats_.announced += count;
    while (count != 0) {
        const unsigned some = 1 + random_.below(count);
        count -= some;
        const Cycle when = port_.now() + 1 + random_.below(random_.percent(20) ? 600 : 60);
        sms_[sm].due.emplace(when, Accesses{at, reach, epoch, static_cast<std::uint16_t>(some)});
    }
}

void OrderTraffic::perform(std::uint8_t index)
{
    auto& due = sms_[index].due;
    for (auto it = due.begin(); it != due.end() && it->first <= port_.now(); it = due.erase(it)) {
        port_.performed(it->second);
        stats_.performed += it->second.count;
    }
}

void OrderTraffic::drive(std::uint8_t index)
{
    Sm& sm = sms_[index];
    const auto warp = static_cast<std::uint8_t>(random_.below(kWarps));
    Warp& w = sm.warp[warp];
    const Lanes loose = w.live & ~w.open;
    if (loose == 0) return;
    if (random_.percent(35)) announce(index, warp);
    SyncRequest r{};
    r.at = {index, 1, warp};
    r.lanes = random_.percent(50) ? loose : random_.subset(loose);
    const unsigned what = random_.below(100);
    if (what < 35)
        fence(r);
    else if (what < 60)
        post(r);
    else if (what < 80)
        release(r);
    else if (loose == w.live)
        meet(r, w);
    else
        return;
    r.tag = static_cast<std::uint16_t>(sm.nextTag++ % 4096);
    w.open |= r.lanes;
    ++stats_.requests;
    port_.present(r);
}

void OrderTraffic::fence(SyncRequest& r)
{
    static constexpr std::array kScopes{Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys};
    static constexpr std::array kSems{Sem::Acquire, Sem::Release, Sem::AcqRel, Sem::AcqRel};
    ++stats_.fences;
    r.op = random_.percent(60)   ? Op::Fence
           : random_.percent(30) ? Op::Membar
           : random_.percent(30) ? Op::FenceMbarrierInit
                                 : Op::FenceProxy;
    r.sem = kSems[random_.below(kSems.size())];
    r.scope = kScopes[random_.below(random_.percent(80) ? 3 : 4)];
    if (r.op == Op::FenceProxy)
        r.kind = static_cast<std::uint8_t>(random_.below(kFenceGeneric + 1));
    if (r.op == Op::FenceMbarrierInit) {
        r.sem = Sem::Release;
        r.scope = Scope::Cluster;
    }
}

/// Makes a request that is answered when it has left: the owner is another CTA, or this one by its cluster address.
void OrderTraffic::post(SyncRequest& r)
{
    ++stats_.posted;
    static constexpr std::array kOps{Op::MbarArrive, Op::MbarExpectTx, Op::Red, Op::Red, Op::Atom};
    r.op = kOps[random_.below(kOps.size())];
    r.remote = true;
    r.sem = r.op == Op::MbarArrive && random_.percent(40) ? Sem::Release : Sem::Relaxed;
    r.scope = random_.percent(50) ? Scope::Cluster : Scope::Cta;
    r.wantValue = r.op == Op::Atom;
    r.data.fill(r.op == Op::MbarArrive ? 1 : 0);
    const std::uint32_t rank = random_.below(options_.sms);
    for (std::uint32_t& address : r.addr)
        address = clusterAddress(rank, 8 * random_.below(kWindow / 8));
    if (options_.sms == 1) r.remote = false;
    if (!r.remote) {
        r.op = Op::MbarArrive;
        r.wantValue = false;
        r.data.fill(1);
    }
}

/// Makes a release on an object of the executing CTA.
void OrderTraffic::release(SyncRequest& r)
{
    r.op = random_.percent(70) ? Op::MbarArrive : Op::MbarArriveDrop;
    if (random_.percent(20)) {
        r.op = Op::MbarInit;
        r.lanes &= 0u - r.lanes;
    }
    r.sem = r.op != Op::MbarInit && random_.percent(80) ? Sem::Release : Sem::Relaxed;
    r.scope = random_.percent(50) ? Scope::Cluster : Scope::Cta;
    r.data.fill(r.op == Op::MbarInit ? 1 + random_.below(64) : 1);
    r.addr.fill(clusterAddress(options_.sms > 1 ? r.at.sm : 0, 8 * random_.below(4)));
}

/// Lets the whole warp meet at a barrier: the CTA's, or that of the cluster.
void OrderTraffic::meet(SyncRequest& r, Warp& w)
{
    r.lanes = w.live;
    r.aligned = random_.percent(50);
    if (random_.percent(30)) {
        r.op = Op::WarpSync;
        r.aligned = false;
        r.arg0 = w.live;
    } else if (random_.percent(60)) {
        r.op = random_.percent(50) ? Op::BarSync : Op::BarArrive;
        r.arg0 = r.at.warp;
        r.arg1 = 32;
    } else {
        r.op = w.owed ? Op::ClusterWait : Op::ClusterArrive;
        r.sem = w.owed ? Sem::Acquire : random_.percent(70) ? Sem::Release : Sem::Relaxed;
        r.scope = Scope::Cluster;
        w.owed = !w.owed;
    }
}

void OrderTraffic::leave(std::uint8_t index)
{
    for (std::uint8_t warp = 0; warp < kWarps; ++warp) {
        Warp& w = sms_[index].warp[warp];
        if (w.live == 0 || w.open != 0) continue;
        port_.exit({{index, 1, warp}, w.live, false});
        w.live = 0;
    }
}

void OrderTraffic::onResponse(const SyncResponse& r)
{
    sms_[r.at.sm].warp[r.at.warp].open &= ~r.lanes;
}

void OrderTraffic::onRelease(const Release& r)
{
    for (unsigned warp = 0; warp < kWarps; ++warp)
        if ((r.warps >> warp & 1) != 0) sms_[r.sm].warp[warp].open &= ~r.lanes;
}

}  // namespace gsu::traffic
