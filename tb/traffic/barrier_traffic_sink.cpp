// The port's reports to the stimulus: which lanes are free again, and what has happened.
#include <algorithm>
#include <bit>

#include "golden/cta_table.hpp"
#include "golden/op_traits.hpp"
#include "traffic/barrier_traffic.hpp"

namespace gsu::traffic {

SyncRequest BarrierTraffic::request(const Cta& cta, unsigned index, Op op, Lanes lanes)
{
    SyncRequest r{};
    r.op = op;
    r.at = {cta.launch.sm, cta.launch.cta, static_cast<std::uint8_t>(index)};
    r.lanes = lanes;
    r.pred = random_.percent(30)   ? ~Lanes{0}
             : random_.percent(30) ? 0
                                   : static_cast<Lanes>(random_.next());
    if (op == Op::Vote) r.kind = static_cast<std::uint8_t>(random_.below(4));
    return r;
}

bool BarrierTraffic::present(Cta& cta, const SyncRequest& given, std::uint8_t waitsAt)
{
    SyncRequest r = given;
    Sm& sm = sms_[r.at.sm];
    while (sm.tags[sm.nextTag % 4096] != 0) ++sm.nextTag;
    r.tag = static_cast<std::uint16_t>(sm.nextTag++ % 4096);
    Warp& w = cta.warp[r.at.warp];
    w.open |= r.lanes;
    cta.see(r.at.warp);
    sm.tags[r.tag] = static_cast<std::uint8_t>(std::popcount(r.lanes));
    for (Lanes rest = r.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        w.tag[lane] = r.tag;
        w.at[lane] = waitsAt;
    }
    if (cta.budget != 0) --cta.budget;
    ++stats_.requests;
    port_.present(r);
    return true;
}

void BarrierTraffic::close(Cta& cta, unsigned index, Lanes lanes)
{
    Warp& w = cta.warp[index];
    w.open &= ~lanes;
    cta.see(index);
    for (; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
        --sms_[cta.launch.sm].tags[w.tag[lane]];
        w.at[lane] = 255;
    }
}

void BarrierTraffic::onResponse(const SyncResponse& r)
{
    lastEvent_ = port_.now();
    ++stats_.responses;
    stats_.sets += !r.last && r.cause == Cause::Done && r.value != 0;
    stats_.refused += r.cause == Cause::Refused;
    close(ctaOf(r.at.sm, r.at.cta), r.at.warp, r.lanes);
}

void BarrierTraffic::onRelease(const Release& r)
{
    lastEvent_ = port_.now();
    ++stats_.releases;
    Cta& cta = ctaOf(r.sm, r.cta);
    const std::uint8_t where = r.cluster ? kAtCluster : r.id;
    stats_.partialReleases += r.lanes != ~Lanes{0};
    for (Lanes rest = r.warps; rest != 0; rest &= rest - 1) {
        const auto index = static_cast<unsigned>(std::countr_zero(rest));
        const Warp& w = cta.warp[index];
        Lanes lanes = 0;
        for (Lanes open = w.open & r.lanes; open != 0; open &= open - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(open));
            if (w.at[lane] == where) lanes |= Lanes{1} << lane;
        }
        close(cta, index, lanes);
    }
}

void BarrierTraffic::onCommit(const Commit& c)
{
    lastEvent_ = port_.now();
    ++stats_.commits;
    stats_.findings.see(c);
    if (c.unit == Unit::Network || c.unit == Unit::Mbarrier || c.unit == Unit::Fence) return;
    Cta& cta = ctaOf(c.at.sm, c.at.cta);
    Warp& w = cta.warp[c.at.warp];
    if (c.op == Op::EvLaunch) sms_[c.at.sm].launched |= 1u << c.at.cta;
    if (c.unit == Unit::Cluster) seeCluster(c, cta, w);
    if (c.op >= Op::EvLaunch && c.unit != Unit::Named) return;
    if (c.op < Op::EvLaunch) ++stats_.ops[unsigned(c.op)];
    stats_.joinsByExit += c.src == Src::Exit && c.op < Op::EvLaunch;
    if (c.unit == Unit::WarpSync) {
        BarrierStats::count(stats_.warp, c.errs);
        ++stats_.warpSyncs;
        if (!c.refused) std::replace(w.masks.begin(), w.masks.end(), Lanes{c.object}, Lanes{0});
    }
    if (c.op < Op::EvLaunch && (c.lanes & w.met) != 0) {
        w.met = 0;
        w.goal = Goal::None;
    }
    const bool clusterWait = waitsForCluster(c.op);
    if (c.unit != Unit::Named && !clusterWait) return;
    const unsigned id = c.object % has_.bars;
    if (c.unit == Unit::Named) BarrierStats::count(stats_.named, c.errs);
    Lanes waiting = 0;
    for (Lanes rest = c.lanes; rest != 0; rest &= rest - 1)
        if (w.at[static_cast<unsigned>(std::countr_zero(rest))] != 255)
            waiting |= rest & (0u - rest);
    if (c.op < Op::EvLaunch && !c.refused && !clusterWait && waiting != 0) {
        raw::NbWord word{};
        const std::uint32_t words[2]{static_cast<std::uint32_t>(c.newWord),
                                     static_cast<std::uint32_t>(c.newWord >> 32)};
        raw::unpack(word, words);
        cta.open[id] = word.target * 32u;
    }
    if (c.unit == Unit::Named && c.flip) {
        ++stats_.generations;
        stats_.flipsByExit += c.op == Op::EvWarpExit;
        cta.open[id] = 0;
    }
}

void BarrierTraffic::onCtaFree(const CtaFree& free)
{
    lastEvent_ = port_.now();
    Cta& cta = ctaOf(free.sm, free.cta);
    sms_[free.sm].slots &= ~(((std::uint64_t{1} << cta.warps) - 1) << cta.launch.wbase);
    --clusters_[cta.launch.cluster];
    cta.used = false;
    sms_[free.sm].launched &= ~(1u << free.cta);
    --living_;
}

}  // namespace gsu::traffic
