#include "exec/causes/wait_graph.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "golden/op_traits.hpp"

namespace gsu::exec {
namespace {

using Step = FutureStep::Kind;

/// Whether the lanes have arrived at the cluster barrier: their next act there is to wait.
bool arrivedInCluster(const WaitNode& n)
{
    if (n.kind == WaitKind::Cluster) return true;
    for (const FutureStep& s : n.future.steps) {
        if (s.kind == Step::Cluster) return waitsForCluster(s.op);
    }
    return false;
}

/// Whether the warp has given its whole share to the object in the running phase: it would arrive for the next one.
bool hasGiven(const HangSnapshot& snapshot, const WaitNode& to, const WaitNode& by,
              const FutureStep& s)
{
    if (to.kind == WaitKind::Spin) {
        if (by.kind != to.kind || by.object != to.object) return false;
        const OpNote* n = snapshot.noteOf(*by.warp, snapshot.program().codes[s.code].ops[s.pc]);
        return n != nullptr && n->times != 0;
    }
    const MbarHistory& past = snapshot.past(to.object);
    const auto givenIn = [&](const MbarPhase& phase, bool sameLine) {
        std::uint64_t sum = 0;
        for (const Contribution& c : phase.parts) {
            const bool arrives = c.share == Share::Arrivals || c.share == Share::Dropped;
            if (arrives && c.doer.warp == by.id() && (!sameLine || c.doer.line == s.line))
                sum += c.amount;
        }
        return sum;
    };
    const std::uint64_t now = givenIn(past.running(), false);
    if (now == 0) return false;
    std::uint64_t share = 0;
    for (const MbarPhase& phase : past.last()) {
        if (phase.end != kNever) share = std::max(share, givenIn(phase, false));
    }
    return share != 0 ? now >= share : givenIn(past.running(), true) != 0;
}

std::uint32_t namedMissing(const WaitNode& n)
{
    const std::uint64_t* word = n.cta->words.named(static_cast<std::uint32_t>(n.object.at));
    if (word == nullptr) return 1;
    const std::uint32_t halves[2]{static_cast<std::uint32_t>(*word),
                                  static_cast<std::uint32_t>(*word >> 32)};
    raw::NbWord w;
    raw::unpack(w, halves);
    return w.mode == 0 || w.n >= w.target ? 1 : (unsigned{w.target} - w.n) * 32;
}

}  // namespace

bool WaitGraph::sameObject(std::size_t a, std::size_t b) const
{
    const WaitNode &x = snapshot_.nodes()[a], &y = snapshot_.nodes()[b];
    if (x.kind != y.kind) return false;
    if (x.kind == WaitKind::Warp || x.kind == WaitKind::Fence) return x.warp == y.warp;
    if (x.endless != Endless::No || y.endless != Endless::No)
        return x.endless == y.endless && x.code == y.code && x.pc == y.pc;
    return x.kind == WaitKind::Grid || x.object == y.object;
}

/// The share of a step of another waiter in the object of `to`.
std::uint64_t WaitGraph::gives(const WaitNode& to, const WaitNode& by, const FutureStep& s) const
{
    if (to.kind == WaitKind::Mbarrier) {
        const bool arrivals = snapshot_.mbar(to.object).pending != 0;
        if (!arrivals) return s.kind == Step::Copies ? 1 : 0;
        return s.kind == Step::Arrives && !hasGiven(snapshot_, to, by, s) ? s.amount : 0;
    }
    if (to.kind != WaitKind::Spin || hasGiven(snapshot_, to, by, s)) return 0;
    if (s.kind == Step::Updates) return 1;
    return s.kind == Step::Writes &&
                   snapshot_.ahead().exitsWith(*to.warp, *to.group, to.pollPc, s.value)
               ? 1
               : 0;
}

/// Payment at barriers that warps come to: the first arrival counts, and an exit does if all are awaited.
Payment WaitGraph::comes(const WaitNode& to, const WaitNode& by) const
{
    const bool same = to.kind == by.kind && to.object == by.object;
    // Its warp arrives when all of its lanes are there; until then it waits for these alone.
    if (to.ofWarp && to.kind != WaitKind::Warp)
        return by.warp == to.warp ? Payment{0, 1, by.line} : Payment{};
    if (to.kind == WaitKind::Named && (by.cta != to.cta || (same && by.warp != to.warp))) return {};
    if (to.kind == WaitKind::Cluster &&
        (by.cta->cluster != to.cta->cluster || arrivedInCluster(by)))
        return {};
    if (to.kind == WaitKind::Warp && by.warp != to.warp) return {};
    for (const FutureStep& s : by.future.steps) {
        const bool leaves = s.kind == Step::Leaves;
        const bool named = s.kind == Step::Named && s.object == to.object;
        if (to.kind == WaitKind::Named && (named || (leaves && to.value == 0)))
            return {0, 32, s.line};
        if (to.kind == WaitKind::Cluster && (leaves || s.kind == Step::Cluster))
            return {0, 1, s.line};
        const bool here = s.code == to.code && s.pc == to.pc;
        if (to.kind == WaitKind::Warp && (leaves || here || s.kind == Step::Lanes))
            return {0, 1, s.line};
    }
    // Lanes that are held at a meeting point continue when the others come there.
    if (to.kind == WaitKind::Warp && to.group->state == GroupState::Parked) return {0, 1, by.line};
    return {};
}

Payment WaitGraph::payment(const WaitNode& to, const WaitNode& by) const
{
    if (to.endless != Endless::No) return {};
    // Who is in a loop without a way out would come if it had one.
    const bool all = (to.kind == WaitKind::Named && to.value == 0 && by.cta == to.cta) ||
                     (to.kind == WaitKind::Cluster && by.cta->cluster == to.cta->cluster);
    if (by.endless == Endless::Closed && all && !to.ofWarp) return {0, 32, by.line};
    if (to.kind != WaitKind::Mbarrier && to.kind != WaitKind::Spin) return comes(to, by);
    Payment p;
    for (const FutureStep& s : by.future.steps) {
        if (s.object != to.object) continue;
        const std::uint64_t amount = gives(to, by, s);
        if (p.amount == 0 && amount != 0) p.line = s.line;
        p.amount += amount;
    }
    return p;
}

std::uint64_t WaitGraph::need(const WaitNode& n) const
{
    if (n.ofWarp) return 1;
    switch (n.kind) {
        case WaitKind::Mbarrier:
            return std::max<std::uint64_t>(snapshot_.mbar(n.object).pending, 1);
        case WaitKind::Named: return namedMissing(n);
        case WaitKind::Cluster: {
            const auto& all = snapshot_.nodes();
            const auto missing = std::count_if(all.begin(), all.end(), [&](const WaitNode& o) {
                return o.cta->cluster == n.cta->cluster && !arrivedInCluster(o);
            });
            return static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(missing, 1));
        }
        default: return 1;
    }
}

WaitGraph::WaitGraph(const HangSnapshot& snapshot)
    : snapshot_(snapshot), payers_(snapshot.nodes().size()), sufficient_(snapshot.nodes().size())
{
    const auto& nodes = snapshot.nodes();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        std::uint64_t sum = 0;
        for (std::size_t j = 0; j < nodes.size(); ++j) {
            // A wait for lanes at a warp's operation is not satisfied by these lanes.
            if (i == j && nodes[i].kind != WaitKind::Mbarrier && nodes[i].kind != WaitKind::Spin)
                continue;
            if (nodes[i].lock && sameObject(i, j))
                continue;  // a warp that spins on a lock does not hold it
            Payment p = payment(nodes[i], nodes[j]);
            if (p.amount == 0) continue;
            p.by = j;
            sum += p.amount;
            payers_[i].push_back(p);
        }
        sufficient_[i] = sum >= need(nodes[i]);
    }
}

std::vector<WaitRoot> WaitGraph::roots() const
{
    return rootsOf({sufficient_, giversOf(payers_),
                    [this](std::size_t a, std::size_t b) { return sameObject(a, b); }});
}

}  // namespace gsu::exec
