// Waiters that wait for each other or for themselves, CTAs and grids that are not there.
#include <fmt/format.h>

#include <algorithm>

#include "causes/port_root_cause.hpp"
#include "golden/limits.hpp"

namespace gsu {
namespace {

std::vector<WarpId> everyone(const PortRootCause& c)
{
    std::vector<WarpId> ids;
    for (const std::size_t i : c.root.waits) ids.push_back(c.snapshot.waits()[i].id);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
}

Cycle lastWait(const PortRootCause& c)
{
    Cycle at = 0;
    for (const std::size_t i : c.root.waits) at = std::max(at, c.snapshot.waits()[i].since);
    return at;
}

/// Whether each warp that would release others has arrived once for each wait that it passed.
bool leftNoneOut(const PortRootCause& c)
{
    for (const std::size_t i : c.root.waits) {
        for (const PortDebt& d : c.snapshot.debts(i)) {
            const PortWait& by = c.snapshot.waits()[d.by];
            const PortWarp* w = c.snapshot.warp(by.id);
            if (d.line == 0 || by.line == 0 || w == nullptr || !w->passed.contains(by.line))
                continue;
            if (w->passed.at(by.line) > c.snapshot.arrivalsBy(by.id, d.line)) return false;
        }
    }
    return true;
}

}  // namespace

PortFound portDivergedLanes(const PortRootCause& c)
{
    if (!c.root.circle || c.root.waits.size() < 2 || everyone(c).size() != 1) return {};
    const auto& all = c.snapshot.waits();
    const PortWait& one = all[c.root.waits.front()];
    const PortWait& other = all[c.root.waits.back()];
    PortCause cause = causeOf(c, CauseKind::DivergedLanes, one.line, everyone(c), lastWait(c));
    cause.sentence = fmt::format(
        "lanes {:#010x} of {} wait at {} for {}, and lanes {:#010x} wait at {} for {}: "
        "neither continues.",
        one.lanes, c.snapshot.warp(one.id, nullptr), nameOfLine(one.line), c.snapshot.name(one),
        other.lanes, nameOfLine(other.line), c.snapshot.name(other));
    return cause;
}

PortFound portSelfWait(const PortRootCause& c)
{
    if (!c.root.circle) return {};
    for (const std::size_t i : c.root.waits)
        if (!c.snapshot.sameObject(c.snapshot.waits()[i], c.wait)) return {};
    std::uint32_t arrival = 0;
    for (const PortDebt& d : c.snapshot.debts(c.index)) arrival = d.line;
    PortCause cause = causeOf(c, CauseKind::SelfWait, c.wait.line, everyone(c), lastWait(c));
    cause.sentence = fmt::format(
        "{}: only {} could complete it, at {} after this wait as in the rounds before, so {}",
        lacks(c), c.snapshot.warps(everyone(c), &c.wait), nameOfLine(arrival), forEver(c));
    return cause;
}

PortFound portCyclicWait(const PortRootCause& c)
{
    if (!c.root.circle || !leftNoneOut(c)) return {};
    const auto& all = c.snapshot.waits();
    std::string edges;
    std::vector<std::size_t> told;
    for (const std::size_t i : c.root.waits) {
        if (std::any_of(told.begin(), told.end(), [&](std::size_t t) {
                return c.snapshot.sameObject(all[t], all[i]) && all[t].line == all[i].line;
            }))
            continue;
        told.push_back(i);
        std::string by = "others must come to";
        for (const PortDebt& d : c.snapshot.debts(i)) {
            if (std::find(c.root.waits.begin(), c.root.waits.end(), d.by) == c.root.waits.end())
                continue;
            by = d.line != 0
                     ? fmt::format("{} would give at {}", c.snapshot.warp(all[d.by].id, nullptr),
                                   nameOfLine(d.line))
                     : c.snapshot.warp(all[d.by].id, nullptr) + " must come to";
            break;
        }
        edges += fmt::format("{}{} waits at {} for {}, which {}", edges.empty() ? "" : "; ",
                             c.snapshot.warp(all[i].id, nullptr), nameOfLine(all[i].line),
                             c.snapshot.name(all[i]), by);
    }
    PortCause cause = causeOf(c, CauseKind::CyclicWait, c.wait.line, everyone(c), lastWait(c));
    cause.sentence =
        fmt::format("{} wait for each other: {}.", c.snapshot.warps(everyone(c), nullptr), edges);
    return cause;
}

PortFound portNotResident(const PortRootCause& c)
{
    if (c.wait.kind != WaitKind::Cluster || c.wait.ofWarp) return {};
    const std::size_t there = c.snapshot.cluster(c.snapshot.cta(c.wait)).size();
    const unsigned ctas = c.snapshot.cta(c.wait).launch.ctas;
    if (there >= ctas || c.snapshot.cta(c.wait).clusterArrived == 0) return {};
    PortCause cause = causeOf(c, CauseKind::NotResident, c.wait.line, {}, 0);
    cause.sentence = fmt::format(
        "{}: {} of the {} CTAs of the cluster are there, the others were never started, so {}",
        lacks(c), there, ctas, forEver(c));
    return cause;
}

PortFound portGridNotSignalled(const PortRootCause& c)
{
    if (c.wait.kind != WaitKind::Grid) return {};
    const Launch& own = c.snapshot.cta(c.wait).launch;
    const std::uint16_t prereqs =
        c.snapshot.history()
            .gridOf(c.snapshot.history().chip().networkOf(own.sm), own.grid)
            .prereqs;
    std::string which;
    for (unsigned i = 0; i < 16; ++i) {
        if ((prereqs >> i & 1) == 0) continue;
        const PortGrid& g =
            c.snapshot.history().gridOf(c.snapshot.history().chip().networkOf(own.sm), i);
        which += fmt::format("{}grid {} ({})", which.empty() ? "" : ", ", i,
                             g.ctas == 0 ? std::string("it runs elsewhere")
                                         : fmt::format("{} of {} CTAs were started, {} have ended",
                                                       g.launched, g.ctas, g.ended));
    }
    PortCause cause = causeOf(c, CauseKind::GridNotSignalled, c.wait.line, {}, 0);
    cause.sentence = fmt::format("{}: {} has not completed, so {}", lacks(c), which, forEver(c));
    return cause;
}

}  // namespace gsu
