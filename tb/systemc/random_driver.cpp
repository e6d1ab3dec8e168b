#include "random_driver.hpp"

#include <algorithm>

namespace gsu {

namespace {
constexpr unsigned kMostWarps = 5;
constexpr std::uint32_t kBadId = 77;
constexpr std::uint16_t kTags = 4096;
}  // namespace

RandomDriver::RandomDriver(SyncPort& port, const DriverOptions& options)
    : port_(port),
      options_(options),
      random_(options.seed),
      open_(port.sms()),
      ctas_(port.sms()),
      warps_(port.sms()),
      turn_(port.sms())
{
    port_.setSink(*this);
}

Cycle RandomDriver::pause()
{
    if (below(100) >= options_.stallPercent) return port_.now();
    ++counts_.stalls;
    return port_.now() + 1 + below(unsigned(options_.longestStall));
}

void RandomDriver::newRound(unsigned round)
{
    constexpr Kind kKinds[] = {Kind::Sync,   Kind::ArriveSync, Kind::Reduce, Kind::WarpSync,
                               Kind::NoUnit, Kind::BadId,      Kind::Cluster};
    const bool cluster = round % 2 == 1 && port_.sms() > 1;
    std::vector<bool> wide(options_.steps);  // steps in which the whole cluster meets
    for (auto&& step : wide) step = cluster && below(3) == 0;
    for (std::size_t sm = 0; sm < ctas_.size(); ++sm) {
        Cta& cta = ctas_[sm];
        cta = {};
        cta.cluster = cluster;
        cta.threads = std::uint16_t(1 + below(kMostWarps * kLanes));
        cta.warps = (cta.threads + kLanes - 1) / kLanes;
        for (const bool step : wide) {
            cta.program.push_back(step ? Kind::Cluster : kKinds[below(6)]);
            if (cta.program.back() == Kind::ArriveSync) cta.program.push_back(Kind::Sync);
        }
        warps_[sm].assign(cta.warps, {});
        for (unsigned w = 0; w < cta.warps; ++w) {
            Warp& warp = warps_[sm][w];
            const unsigned lanes = std::min(kLanes, cta.threads - w * kLanes);
            warp.lanes = warp.left = lanes == kLanes ? ~Lanes{0} : (Lanes{1} << lanes) - 1;
            warp.alive = true;
        }
    }
}

bool RandomDriver::launchAll()
{
    const unsigned sms = port_.sms();
    const bool cluster = ctas_[0].cluster;
    bool all = true;
    for (unsigned sm = 0; sm < sms; ++sm) {
        Cta& cta = ctas_[sm];
        if (cta.launched) continue;
        const Launch launch{.sm = std::uint8_t(sm),
                            .cta = kCta,
                            .wbase = 7,
                            .cluster = std::uint8_t(cluster ? 5 : 0),
                            .rank = std::uint8_t(cluster ? sm : 0),
                            .ctas = std::uint8_t(cluster ? sms : 1),
                            .threads = cta.threads,
                            .base = 0,
                            .size = 1024};
        cta.launched = port_.launch(launch);
        all = all && cta.launched;
        for (Warp& warp : warps_[sm]) warp.due = port_.now() + 2 + below(8);
    }
    return all;
}

SyncRequest RandomDriver::requestOf(const Cta& cta, const Warp& warp, WarpRef at)
{
    SyncRequest r;
    r.at = at;
    r.tag = nextTag_;
    nextTag_ = std::uint16_t((nextTag_ + 1) % kTags);
    r.lanes = warp.left;
    if (below(4) == 0) {  // only some lanes arrive now, the others later
        const Lanes some = warp.left & Lanes(random_());
        if (some != 0) r.lanes = some;
    }
    r.arg0 = std::uint32_t(warp.step % kBarsPerCta);
    switch (cta.program[warp.step]) {
        case Kind::Sync: r.op = Op::BarSync; break;
        case Kind::ArriveSync:
            r.op = at.warp == 0 && cta.warps > 1 ? Op::BarArrive : Op::BarSync;
            r.arg1 = cta.warps * kLanes;
            break;
        case Kind::Reduce:
            r.op = warp.step % 2 == 0 ? Op::BarRedPopc : Op::BarRedAnd;
            r.pred = r.lanes & Lanes(random_());
            break;
        case Kind::WarpSync:
            r.op = Op::WarpSync;
            r.arg0 = warp.lanes;
            break;
        case Kind::Cluster: r.op = warp.half == 0 ? Op::ClusterArrive : Op::ClusterWait; break;
        case Kind::NoUnit: r.op = Op::MbarPendingCount; break;
        case Kind::BadId:
            r.op = Op::BarSync;
            r.arg0 = kBadId;
            break;
    }
    return r;
}

void RandomDriver::advance(Cta& cta, Warp& warp, WarpRef at)
{
    if (warp.half == 0 && cta.program[warp.step] == Kind::Cluster) {
        warp.half = 1;
    } else {
        warp.half = 0;
        ++warp.step;
    }
    warp.left = warp.lanes;
    warp.due = pause();
    if (warp.step < cta.program.size()) return;
    port_.exit({at, warp.lanes, false});
    warp.alive = false;
}

/// At most one request per SM and cycle; true if something was given.
bool RandomDriver::act(std::uint8_t sm)
{
    Cta& cta = ctas_[sm];
    bool acted = false;
    for (unsigned k = 0; k < cta.warps; ++k) {
        const unsigned w = (turn_[sm] + k) % cta.warps;
        Warp& warp = warps_[sm][w];
        const WarpRef at{sm, kCta, std::uint8_t(w)};
        if (!cta.launched || !warp.alive || (warp.left == 0 && warp.open != 0)) continue;
        if (warp.due > port_.now()) {
            nextDue_ = std::min(nextDue_, warp.due);
            continue;
        }
        if (warp.left == 0) {
            advance(cta, warp, at);
            acted = true;
            continue;
        }
        nextDue_ = port_.now() + 1;
        if (acted || !port_.canPresent(sm)) continue;
        const SyncRequest request = requestOf(cta, warp, at);
        port_.present(request);
        open_.present(request, port_.now());
        warp.open |= request.lanes;
        warp.left &= ~request.lanes;
        warp.due = pause();
        ++counts_.requests;
        turn_[sm] = w + 1;
        acted = true;
    }
    return acted;
}

const DriverCounts& RandomDriver::run()
{
    for (unsigned round = 0; round < options_.rounds; ++round) {
        newRound(round);
        const std::uint64_t target = counts_.frees + port_.sms();
        if (ctas_[0].cluster)
            for (unsigned sm = 0; sm < port_.sms(); ++sm)
                port_.route(
                    {5, std::uint8_t(sm), std::uint8_t(sm), kCta, std::uint8_t(port_.sms())});
        bool launched = false;
        while (counts_.frees < target) {
            nextDue_ = kNever;
            bool acted = !launched;
            if (!launched) launched = launchAll();
            for (unsigned sm = 0; sm < port_.sms(); ++sm) acted = act(std::uint8_t(sm)) || acted;
            const std::uint64_t seen =
                counts_.commits + counts_.responses + counts_.releases + counts_.frees;
            port_.step();
            if (acted ||
                seen != counts_.commits + counts_.responses + counts_.releases + counts_.frees)
                continue;
            const Cycle until = std::min(port_.quietUntil(), nextDue_);
            if (until == kNever || port_.fault()) {
                counts_.hung = true;
                return counts_;
            }
            if (until > port_.now()) {
                counts_.skipped += until - port_.now();
                port_.skipTo(until);
            }
        }
    }
    return counts_;
}

void RandomDriver::answered(WarpRef at, Lanes lanes)
{
    Warp& warp = warps_[at.sm][at.warp];
    warp.open &= ~lanes;
    // A pause after the answer; the driver looks again in the next cycle.
    if (warp.open == 0 && warp.left == 0) warp.due = pause() + 1;
}

void RandomDriver::onResponse(const SyncResponse& r)
{
    ++counts_.responses;
    open_.response(r, [&](WarpRef at, const OpenPart&, Lanes lanes, bool) { answered(at, lanes); });
}

void RandomDriver::onRelease(const Release& r)
{
    ++(r.cluster ? counts_.clusterReleases : counts_.releases);
    open_.release(r, [&](WarpRef at, const OpenPart&, Lanes lanes, bool) { answered(at, lanes); });
}

void RandomDriver::onCommit(const Commit& c)
{
    ++counts_.commits;
    counts_.refused += c.refused;
}

}  // namespace gsu
