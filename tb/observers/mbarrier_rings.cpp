#include "observers/mbarrier_rings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace gsu {

namespace {

using Record = MbarrierRecord;

/// Mbarriers of a CTA on which the same warps arrive and the same warps wait.
struct Group {
    std::vector<const Record*> members;  ///< by offset
    std::set<GridWarp> arrivers, waiters;
    bool bytes{};
    Cycle firstFlip{kNever};
};

bool includes(const std::set<GridWarp>& all, const std::set<GridWarp>& some)
{
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

std::vector<Group> groupsOf(const MbarrierStatistics& statistics)
{
    using Key = std::pair<std::uint32_t, std::pair<std::set<GridWarp>, std::set<GridWarp>>>;
    std::map<Key, Group> groups;
    for (const Record* r : statistics.records()) {
        std::set<GridWarp> waiters;
        for (const auto& [warp, blocked] : r->waiters) waiters.insert({r->cta, warp});
        if (waiters.empty() || r->arrivers.empty()) continue;
        Group& g = groups[{r->cta, {r->arrivers, waiters}}];
        g.arrivers = r->arrivers;
        g.waiters = waiters;
        g.bytes = g.bytes || r->txBytes != 0;
        g.firstFlip = std::min(g.firstFlip, r->firstFlip);
        g.members.push_back(r);
    }
    std::vector<Group> all;
    for (auto& [key, g] : groups) all.push_back(std::move(g));
    return all;
}

bool meet(const std::set<GridWarp>& a, const std::set<GridWarp>& b)
{
    return std::any_of(a.begin(), a.end(), [&](const GridWarp& w) { return b.count(w) != 0; });
}

/// Whether the waiters of each group arrive at the other, and the two sides are different warps. `elected`: on one side some warps arrive
/// for all of them.
bool partners(const Group& a, const Group& b, bool elected)
{
    if (a.members[0]->cluster != b.members[0]->cluster || a.waiters == b.waiters) return false;
    const bool toA = includes(a.arrivers, b.waiters), toB = includes(b.arrivers, a.waiters);
    if (!elected) return toA && toB;
    return (toA && meet(b.arrivers, a.waiters)) || (toB && meet(a.arrivers, b.waiters));
}

/// Why `full` and `empty` cannot be told apart; nullptr when they can.
const char* rolesUnknown(const Group& a, const Group& b)
{
    if (a.bytes && b.bytes) return "bytes are counted on both sides: which is full is unknown";
    if (!a.bytes && !b.bytes && a.firstFlip == b.firstFlip)
        return "no phase has completed: which side is full is unknown";
    return nullptr;
}

bool isFull(const Group& a, const Group& b)
{
    if (rolesUnknown(a, b) != nullptr) return &a < &b;  // reported once
    if (a.bytes != b.bytes) return a.bytes;
    return a.firstFlip < b.firstFlip;
}

void order(std::vector<const Record*>& list)
{
    std::stable_sort(list.begin(), list.end(),
                     [](const Record* a, const Record* b) { return a->firstFlip < b->firstFlip; });
}

RingStage stageOf(const Record& full, const Record& empty, Cycle span)
{
    const auto side = [&](const Record& r) { return RingSide{r.blocked, r.waiters.size() * span}; };
    return {full.offset, empty.offset, full.completions, side(full), side(empty)};
}

std::optional<std::int64_t> strideOf(const std::vector<const Record*>& list)
{
    if (list.size() < 2) return std::nullopt;
    const std::int64_t stride = std::int64_t{list[1]->offset} - list[0]->offset;
    for (std::size_t i = 2; i < list.size(); ++i) {
        if (std::int64_t{list[i]->offset} - list[i - 1]->offset != stride) return std::nullopt;
    }
    return stride;
}

MbarrierRing ringOf(const Group& full, const Group& empty)
{
    MbarrierRing ring;
    ring.cta = full.members[0]->cta;
    ring.emptyCta = empty.members[0]->cta;
    ring.copies = full.bytes;
    ring.consumers.assign(full.waiters.begin(), full.waiters.end());
    ring.producers.assign(empty.waiters.begin(), empty.waiters.end());
    ring.from = kNever;
    for (const Group* g : {&full, &empty}) {
        for (const Record* r : g->members) {
            ring.from = std::min(ring.from, r->firstUse);
            ring.to = std::max(ring.to, r->lastUse);
        }
    }
    ring.stride = strideOf(full.members);
    if (strideOf(empty.members) != ring.stride) ring.stride.reset();
    if (const char* why = rolesUnknown(full, empty)) {
        ring.unknown = why;
        return ring;
    }
    if (full.members.size() != empty.members.size()) {
        ring.unknown =
            fmt::format("{} full and {} empty barriers", full.members.size(), empty.members.size());
        return ring;
    }
    auto fulls = full.members, empties = empty.members;
    const auto completed = [](const Record* r) { return r->completions != 0; };
    if (std::all_of(fulls.begin(), fulls.end(), completed) &&
        std::all_of(empties.begin(), empties.end(), completed)) {
        order(fulls);
        order(empties);
    }
    const Cycle span = ring.to > ring.from ? ring.to - ring.from : 0;
    for (std::size_t i = 0; i < fulls.size(); ++i)
        ring.stages.push_back(stageOf(*fulls[i], *empties[i], span));
    std::sort(ring.stages.begin(), ring.stages.end(),
              [](const RingStage& a, const RingStage& b) { return a.full < b.full; });
    return ring;
}

/// The partner of `groups[i]` among the groups of its cluster, preferably in the same CTA; none when several fit equally.
const Group* partnerOf(const std::vector<Group>& groups, const std::vector<std::size_t>& cluster,
                       std::size_t i)
{
    for (const bool elected : {false, true}) {
        for (const bool sameCta : {true, false}) {
            const Group* found = nullptr;
            for (const std::size_t k : cluster) {
                const bool same = groups[k].members[0]->cta == groups[i].members[0]->cta;
                if (k == i || same != sameCta || !partners(groups[i], groups[k], elected)) continue;
                if (found != nullptr) return nullptr;
                found = &groups[k];
            }
            if (found != nullptr) return found;
        }
    }
    return nullptr;
}

}  // namespace

const char* nameOf(RingBound bound) noexcept
{
    switch (bound) {
        case RingBound::Producer: return "producer";
        case RingBound::Consumer: return "consumer";
        case RingBound::Balanced: return "balanced";
        case RingBound::Unknown: return "unknown";
    }
    return "?";
}

RingBound boundOf(const RingSide& consumers, const RingSide& producers) noexcept
{
    constexpr double kNear = 0.1;
    const double late = consumers.share(), full = producers.share();
    if (std::abs(late - full) <= kNear * std::max(late, full)) return RingBound::Balanced;
    return late > full ? RingBound::Producer : RingBound::Consumer;
}

std::vector<MbarrierRing> ringsOf(const MbarrierStatistics& statistics)
{
    const std::vector<Group> groups = groupsOf(statistics);
    std::map<std::uint32_t, std::vector<std::size_t>> clusters;
    for (std::size_t i = 0; i < groups.size(); ++i)
        clusters[groups[i].members[0]->cluster].push_back(i);
    std::vector<MbarrierRing> rings;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const Group* partner = partnerOf(groups, clusters[groups[i].members[0]->cluster], i);
        if (partner == nullptr || !isFull(groups[i], *partner)) continue;
        rings.push_back(ringOf(groups[i], *partner));
    }
    return rings;
}

}  // namespace gsu
