// Waiters that wait for each other, or for themselves.
#include <fmt/format.h>

#include <algorithm>

#include "exec/causes/root_cause.hpp"

namespace gsu::exec {
namespace {

std::vector<WarpId> everyone(const RootCause& c)
{
    std::vector<WarpId> ids;
    for (const std::size_t i : c.root.waits) ids.push_back(c.snapshot.nodes()[i].id());
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
}

Cycle lastWait(const RootCause& c)
{
    Cycle at = 0;
    for (const std::size_t i : c.root.waits) at = std::max(at, c.snapshot.nodes()[i].since);
    return at;
}

/// The line by which one waiter of a circle would release another.
std::uint32_t paidAt(const RootCause& c, std::size_t node)
{
    for (const Payment& p : c.graph.payers(node)) {
        if (std::find(c.root.waits.begin(), c.root.waits.end(), p.by) != c.root.waits.end())
            return p.line;
    }
    return c.snapshot.nodes()[node].line;
}

}  // namespace

Found divergedLanes(const RootCause& c)
{
    if (!c.root.circle || c.root.waits.size() < 2 || everyone(c).size() != 1) return {};
    const auto& nodes = c.snapshot.nodes();
    const auto whole = std::find_if(c.root.waits.begin(), c.root.waits.end(),
                                    [&](std::size_t i) { return nodes[i].ofWarp; });
    const WaitNode& one = nodes[whole != c.root.waits.end() ? *whole : c.root.waits.front()];
    const auto rest = std::find_if(c.root.waits.begin(), c.root.waits.end(), [&](std::size_t i) {
        return &nodes[i] != &one && !nodes[i].ofWarp;
    });
    const WaitNode& other = nodes[rest != c.root.waits.end() ? *rest : c.root.waits.back()];
    HangCause cause = causeOf(c, CauseKind::DivergedLanes, one.line, everyone(c), lastWait(c));
    if (other.ofWarp) {
        cause.sentence = fmt::format(
            "lanes {:#010x} of {} wait at {} for {}, and lanes {:#010x} wait at {} for {}: each "
            "needs all lanes of the warp, and neither continues.",
            one.group->lanes, c.snapshot.warp(one.id()), c.snapshot.line(one.line),
            c.snapshot.name(one), other.group->lanes, c.snapshot.line(other.line),
            c.snapshot.name(other));
        return cause;
    }
    cause.sentence = fmt::format(
        "lanes {:#010x} of {} wait at {} for the other lanes of their warp, and lanes {:#010x} "
        "wait at {} for {}, which the first would complete after this wait: neither continues.",
        one.group->lanes, c.snapshot.warp(one.id()), c.snapshot.line(one.line), other.group->lanes,
        c.snapshot.line(other.line), c.snapshot.name(other));
    return cause;
}

Found selfWait(const RootCause& c)
{
    if (!c.root.circle) return {};
    for (const std::size_t i : c.root.waits) {
        if (!c.graph.sameObject(i, c.index)) return {};
    }
    const std::uint32_t arrival = paidAt(c, c.index);
    HangCause cause = causeOf(c, CauseKind::SelfWait, c.node.line, everyone(c), lastWait(c));
    cause.sentence =
        fmt::format("{}: only {} could complete it, at {} after this wait, so {}", lacks(c),
                    c.snapshot.warps(everyone(c)), c.snapshot.line(arrival), forEver(c));
    return cause;
}

Found cyclicWait(const RootCause& c)
{
    if (!c.root.circle) return {};
    const auto& nodes = c.snapshot.nodes();
    std::string edges;
    std::vector<std::size_t> told;
    for (const std::size_t i : c.root.waits) {
        const bool known = std::any_of(told.begin(), told.end(), [&](std::size_t t) {
            return c.graph.sameObject(t, i) && nodes[t].line == nodes[i].line;
        });
        if (known) continue;
        told.push_back(i);
        std::string by;
        for (const Payment& p : c.graph.payers(i)) {
            const bool inside =
                std::find(c.root.waits.begin(), c.root.waits.end(), p.by) != c.root.waits.end();
            if (inside && by.empty())
                by = fmt::format("{} would give at {}", c.snapshot.warp(nodes[p.by].id()),
                                 c.snapshot.line(p.line));
        }
        edges += fmt::format("{}{} waits at {} for {}, which {}", edges.empty() ? "" : "; ",
                             c.snapshot.warp(nodes[i].id()), c.snapshot.line(nodes[i].line),
                             c.snapshot.name(nodes[i]), by);
    }
    HangCause cause = causeOf(c, CauseKind::CyclicWait, c.node.line, everyone(c), lastWait(c));
    cause.sentence =
        fmt::format("{} wait for each other: {}.", c.snapshot.warps(everyone(c)), edges);
    return cause;
}

}  // namespace gsu::exec
