#include "capi/input_checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "golden/op_traits.hpp"

namespace gsu::capi {

namespace {

unsigned warpsOf(const Launch& l) noexcept { return (l.threads + kLanes - 1) / kLanes; }
std::uint64_t slotsOf(const Launch& l) noexcept
{
    const unsigned warps = warpsOf(l);  // at most 32
    return ((std::uint64_t{1} << warps) - 1) << l.wbase;
}
std::uint32_t allRanks(unsigned ctas) noexcept { return (1u << ctas) - 1; }
std::string textOf(const WarpRef& at)
{
    return fmt::format("SM {} CTA {} warp {}", at.sm, at.cta, at.warp);
}

}  // namespace

unsigned InputChecker::warps(unsigned sm, unsigned cta) const noexcept
{
    return warpsOf(sms_[sm].ctas[cta].launch);
}

Lanes InputChecker::liveWarps(unsigned sm, unsigned cta) const noexcept
{
    const Cta& slot = sms_[sm].ctas[cta];
    Lanes live = 0;
    for (unsigned w = 0; w < warpsOf(slot.launch); ++w) live |= Lanes{slot.live[w] != 0} << w;
    return live;
}

std::string InputChecker::noWarp(const WarpRef& at, Lanes lanes) const
{
    const Cta& cta = sms_[at.sm].ctas[at.cta];
    if (!cta.used || at.warp >= warpsOf(cta.launch)) return textOf(at) + " was not launched";
    if ((lanes & ~cta.live[at.warp]) != 0)
        return textOf(at) + ": some of the lanes do not exist or have left";
    if ((lanes & cta.open[at.warp]) != 0)
        return textOf(at) + ": some of the lanes wait for an answer";
    return {};
}

std::string InputChecker::problem(const SyncRequest& r) const
{
    for (const Open& open : sms_[r.at.sm].open)
        if (open.tag == r.tag) return fmt::format("tag {} is in use on SM {}", r.tag, r.at.sm);
    return noWarp(r.at, r.lanes);
}

std::string InputChecker::problem(const Launch& l) const
{
    const Sm& sm = sms_[l.sm];
    if (sm.ctas[l.cta].used) return fmt::format("SM {} CTA slot {} is in use", l.sm, l.cta);
    if ((sm.warpSlots & slotsOf(l)) != 0) return "some of the warp slots are in use";
    if (l.grid != 0 && grids_[chip_.networkOf(l.sm)][l.grid].launches == 0)
        return fmt::format("grid {} has not started here, or has all its CTAs", l.grid);
    if (l.ctas == 1) return {};
    const Cluster& cluster = this->cluster(l.sm, l.cluster);
    const ClusterRoute& route = cluster.ranks[l.rank];
    if (cluster.routed != allRanks(l.ctas))
        return fmt::format("cluster slot {}: not all ranks have a route{}", l.cluster,
                           clusters_.size() > 1
                               ? fmt::format(" in this network of {} SMs", chip_.network())
                               : std::string());
    if (route.sm != l.sm || route.cta != l.cta || route.ctas != l.ctas)
        return "the launch does not agree with the route of its rank";
    if (cluster.launched != 0 && cluster.era != l.era)
        return "the launch names another era than its cluster's first";
    return (cluster.launched >> l.rank & 1) != 0 ? "this rank of the cluster was launched"
                                                 : std::string{};
}

std::string InputChecker::problem(const Exit& e) const { return noWarp(e.at, e.lanes); }

std::string InputChecker::problem(const ClusterRoute& r) const
{
    return cluster(r.sm, r.cluster).launched != 0
               ? fmt::format("cluster slot {} is in use", r.cluster)
               : std::string{};
}

std::string InputChecker::problem(const GridInput& g) const
{
    const Grid& slot = grids_[g.network][g.start.grid];
    const auto refused = [&](bool wrong, const char* why) {
        return wrong ? fmt::format("grid slot {} {}", g.start.grid, why) : std::string{};
    };
    if (g.start.fewer)
        return refused(slot.launches < g.start.ctas, "has not so many CTAs to be launched");
    if (g.start.ended) return refused(!slot.elsewhere, "has no grid that runs elsewhere");
    return refused(slot.used, "is in use");
}

std::string InputChecker::tooMany(const Accesses& a) const
{
    return outstanding(a) + a.count > 0xffff ? "more than 65535 accesses would be outstanding"
                                             : std::string{};
}

std::string InputChecker::notAnnounced(const Accesses& a) const
{
    return outstanding(a) < a.count ? fmt::format("{}: {} accesses are outstanding in this epoch",
                                                  textOf(a.at), outstanding(a))
                                    : std::string{};
}

std::string InputChecker::problem(const AsyncUpdate& u) const
{
    const Cta& cta = sms_[u.sm].ctas[u.cta];
    if (cta.used && cta.launch.era != u.era) return {};  // late: the unit reports it
    return noWarp({u.sm, u.cta, u.warp}, 0);
}

void InputChecker::took(const SyncRequest& r)
{
    Sm& sm = sms_[r.at.sm];
    const std::uint32_t first = r.addr[static_cast<unsigned>(std::countr_zero(r.lanes))];
    sm.open.push_back({r.tag, r.at, r.lanes, r.op, r.arg0, first});
    sm.ctas[r.at.cta].open[r.at.warp] |= r.lanes;
}

void InputChecker::took(const Launch& l)
{
    Sm& sm = sms_[l.sm];
    sm.warpSlots |= slotsOf(l);
    Cta& cta = sm.ctas[l.cta];
    cta = {.used = true, .launch = l};
    for (unsigned w = 0; w < warpsOf(l); ++w) {
        const unsigned rest = l.threads - w * kLanes;
        cta.live[w] = rest >= kLanes ? ~Lanes{0} : (Lanes{1} << rest) - 1;
    }
    if (l.grid != 0) --grids_[chip_.networkOf(l.sm)][l.grid].launches;
    if (l.ctas == 1) return;
    cluster(l.sm, l.cluster).launched |= 1u << l.rank;
    cluster(l.sm, l.cluster).era = l.era;
}

void InputChecker::took(const Exit& e) { sms_[e.at.sm].ctas[e.at.cta].live[e.at.warp] &= ~e.lanes; }

void InputChecker::took(const ClusterRoute& r)
{
    Cluster& cluster = this->cluster(r.sm, r.cluster);
    cluster.ranks[r.rank] = r;
    cluster.routed |= 1u << r.rank;
}

void InputChecker::took(const GridInput& g)
{
    Grid& slot = grids_[g.network][g.start.grid];
    if (g.start.fewer)
        slot.launches -= g.start.ctas;
    else if (g.start.ended)
        slot.elsewhere = false;
    else
        slot = {true, g.start.ctas == 0, g.start.ctas};
}

void InputChecker::close(Open& open, Lanes lanes)
{
    sms_[open.at.sm].ctas[open.at.cta].open[open.at.warp] &= ~(open.lanes & lanes);
    open.lanes &= ~lanes;
}

void InputChecker::sweep(Sm& sm)
{
    std::erase_if(sm.open, [](const Open& open) { return open.lanes == 0; });
}

void InputChecker::saw(const SyncResponse& r)
{
    Sm& sm = sms_[r.at.sm];
    for (Open& open : sm.open)
        if (open.at == r.at) close(open, r.lanes);
    sweep(sm);
}

void InputChecker::saw(const Release& r)
{
    Sm& sm = sms_[r.sm];
    for (Open& open : sm.open) {
        if (isReleased(r, open.op, open.id) && open.at.cta == r.cta &&
            (r.warps >> open.at.warp & 1) != 0)
            close(open, r.lanes);
    }
    sweep(sm);
}

void InputChecker::saw(const CtaFree& f)
{
    Sm& sm = sms_[f.sm];
    Cta& cta = sm.ctas[f.cta];
    if (!cta.used) return;
    cta.used = false;
    sm.warpSlots &= ~slotsOf(cta.launch);
    std::erase_if(sm.open, [&](const Open& open) { return open.at.cta == f.cta; });
    if (cta.launch.ctas == 1) return;
    Cluster& cluster = this->cluster(f.sm, cta.launch.cluster);
    cluster.freed |= 1u << cta.launch.rank;
    if (cluster.freed == allRanks(cta.launch.ctas)) cluster = {};
}

std::string InputChecker::problem(const CancelAnswer& a) const
{
    const auto& queries = sms_[a.sm].queries;
    const bool asked = std::any_of(queries.begin(), queries.end(),
                                   [&](const CancelQuery& q) { return q.slot == a.slot; });
    return asked
               ? std::string{}
               : fmt::format("SM {} has no query {} of try_cancel without an answer", a.sm, a.slot);
}

void InputChecker::took(const CancelAnswer& a)
{
    std::erase_if(sms_[a.sm].queries, [&](const CancelQuery& q) { return q.slot == a.slot; });
}

void InputChecker::saw(const CancelQuery& q) { sms_[q.sm].queries.push_back(q); }

}  // namespace gsu::capi
