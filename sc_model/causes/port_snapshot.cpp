#include "causes/port_snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "golden/limits.hpp"
#include "golden/mbarrier_unit.hpp"
#include "golden/op_traits.hpp"

namespace gsu {
namespace {

constexpr std::size_t kMostWaits = 1024;  ///< looked at; a hang of more warps repeats itself

bool isComplete(std::uint64_t word, bool phase) { return (word >> 63 != 0) != phase; }

raw::NbWord unpacked(std::uint64_t value)
{
    const std::uint32_t halves[2]{static_cast<std::uint32_t>(value),
                                  static_cast<std::uint32_t>(value >> 32)};
    raw::NbWord word;
    raw::unpack(word, halves);
    return word;
}

}  // namespace

std::string nameOfCta(std::uint32_t number)
{
    return fmt::format("SM {} CTA {}", number / kMaxCtas, number % kMaxCtas);
}

std::string nameOfLine(std::uint32_t line)
{
    return line == 0 ? "a line that was not told" : fmt::format("line {}", line);
}

PortSnapshot::PortSnapshot(const PortHistory& history, const char* clock)
    : history_(history), clock_(clock)
{
    for (const PortCta& cta : history.ctas()) {
        if (!cta.used) continue;
        for (unsigned w = 0; w < cta.warps.size(); ++w) addWaits(cta, w);
    }
    debts_.resize(waits_.size());
    sufficient_.resize(waits_.size());
    for (std::size_t i = 0; i < waits_.size(); ++i) owe(i);
}

bool PortSnapshot::satisfied(const PortCta& cta, unsigned warp, const Asked& a) const
{
    if (isMbarWait(a.op)) {
        const auto found = cta.mbars.find(a.object);
        return found != cta.mbars.end() && isComplete(found->second.word, a.phase);
    }
    if (isNamed(a.op)) {
        const auto found = cta.named.find(a.object);
        return a.joined && found != cta.named.end() && found->second.generations != a.generation;
    }
    const bool whole = a.lanes == cta.warps[warp].live;
    if (waitsForCluster(a.op)) return whole && (cta.clusterArrived >> warp & 1) == 0;
    if (a.op == Op::GdcWait)
        return history_.gridOf(history_.chip().networkOf(cta.launch.sm), cta.launch.grid).prereqs ==
               0;
    return isCluster(a.op) && whole;
}

void PortSnapshot::addWaits(const PortCta& cta, unsigned warp)
{
    const PortWarp& w = cta.warps[warp];
    Lanes held = 0;
    for (const Asked& a : w.asked) {
        const bool polled = isMbarWait(a.op);
        if ((a.open == 0 && !polled) || satisfied(cta, warp, a)) continue;
        PortWait wait{{cta.number, warp}, a.lanes, waitKindOf(a.op), a.op, a.object};
        wait.count = isNamed(a.op) ? a.count : 0;
        if (polled) wait.asked = a.phase ? 1u : 0u;
        wait.line = a.line;
        wait.times = a.times;
        wait.polls = polled && a.open == 0;
        wait.ofWarp = !polled && a.lanes != w.live && !a.joined && a.op != Op::GdcWait;
        wait.since = a.since;
        held |= a.lanes;
        if (waits_.size() < kMostWaits) waits_.push_back(wait);
    }
    if ((w.live & ~held) != 0) running_.push_back({cta.number, warp});
}

const PortWarp* PortSnapshot::warp(const WarpId& id) const
{
    if (id.first >= history_.ctas().size()) return nullptr;
    const PortCta& cta = history_.cta(id.first);
    return id.second < cta.warps.size() ? &cta.warps[id.second] : nullptr;
}

bool PortSnapshot::ended(const WarpId& id) const
{
    const PortWarp* w = warp(id);
    return w == nullptr || w->live == 0;
}

const PortMbar& PortSnapshot::mbar(const PortWait& w) const
{
    static const PortMbar none;
    const auto& all = cta(w).mbars;
    const auto found = all.find(w.object);
    return found == all.end() ? none : found->second;
}

const PortNamed& PortSnapshot::named(const PortWait& w) const
{
    static const PortNamed none;
    const auto& all = cta(w).named;
    const auto found = all.find(w.object);
    return found == all.end() ? none : found->second;
}

std::vector<const PortCta*> PortSnapshot::cluster(const PortCta& cta) const
{
    std::vector<const PortCta*> all;
    for (unsigned rank = 0; rank < std::max<unsigned>(cta.launch.ctas, 1); ++rank) {
        if (const PortCta* one = history_.ofRank(cta, rank); one != nullptr) all.push_back(one);
    }
    return all;
}

std::vector<PortMember> PortSnapshot::members(const PortWait& w) const
{
    std::vector<PortMember> all;
    if (w.kind == WaitKind::Named) {
        const PortNamed& barrier = named(w);
        for (const auto& [warp, total] : barrier.totals) {
            const WarpId id{w.id.first, warp};
            const auto now = std::count_if(barrier.running.begin(), barrier.running.end(),
                                           [&](const Doer& d) { return d.warp == id; });
            all.push_back({id, 1, static_cast<std::uint64_t>(now), total.first, total.second});
        }
        return all;
    }
    if (w.kind != WaitKind::Mbarrier) return all;
    const MbarHistory& past = mbar(w).past;
    for (const auto& [who, total] : past.totals()) {
        const auto& [share, id, line] = who;
        if (!isArriving(share)) continue;
        auto one = std::find_if(all.begin(), all.end(),
                                [&, who_ = id](const PortMember& m) { return m.id == who_; });
        if (one == all.end()) one = all.insert(all.end(), {id, 0, 0, 0, line});
        const int lanes = std::max(__builtin_popcount(total.lanes), 1);
        one->times += static_cast<std::uint32_t>(total.amount / static_cast<unsigned>(lanes));
    }
    for (PortMember& m : all) {
        for (const MbarPhase& phase : past.last()) {
            std::uint64_t sum = 0;
            for (const Contribution& c : phase.parts)
                sum += isArriving(c.share) && c.doer.warp == m.id ? c.amount : 0;
            if (phase.end == kNever)
                m.now = sum;
            else
                m.share = std::max(m.share, sum);
        }
    }
    return all;
}

bool PortSnapshot::loops(const PortWait& w) const
{
    if (w.kind == WaitKind::Named) {
        const auto& totals = named(w).totals;
        return std::any_of(totals.begin(), totals.end(),
                           [](const auto& t) { return t.second.first > 1; });
    }
    const auto& mine = mbar(w).past.totals();
    for (const auto& [offset, object] : cta(w).mbars) {
        for (const auto& [who, total] : object.past.totals()) {
            if (!isArriving(std::get<0>(who))) continue;
            const auto lanes = static_cast<unsigned>(std::max(__builtin_popcount(total.lanes), 1));
            const bool again = total.amount / lanes > 1 && offset == w.object;
            const bool ring = offset != w.object && std::get<2>(who) != 0 && mine.contains(who);
            if (again || ring) return true;
        }
    }
    return false;
}

std::uint64_t PortSnapshot::arrivalsBy(const WarpId& id, std::uint32_t line) const
{
    std::uint64_t sum = 0;
    for (const PortCta& cta : history_.ctas()) {
        for (const auto& [offset, object] : cta.mbars) {
            for (const auto& [who, total] : object.past.totals()) {
                const bool mine = isArriving(std::get<0>(who)) && std::get<1>(who) == id &&
                                  std::get<2>(who) == line;
                const auto lanes = std::max(__builtin_popcount(total.lanes), 1);
                if (mine) sum += total.amount / static_cast<unsigned>(lanes);
            }
        }
        for (const auto& [number, barrier] : cta.named) {
            const auto mine = barrier.totals.find(id.second);
            if (cta.number == id.first && mine != barrier.totals.end() &&
                mine->second.second == line)
                sum += mine->second.first;
        }
    }
    return sum;
}

std::vector<WarpId> PortSnapshot::absent(const PortWait& w) const
{
    std::vector<WarpId> all;
    const auto ask = [&](const PortCta& c, Lanes come) {
        for (unsigned i = 0; i < c.warps.size(); ++i)
            if (c.warps[i].live != 0 && (come >> i & 1) == 0) all.push_back({c.number, i});
    };
    if (w.kind == WaitKind::Named) ask(cta(w), unpacked(named(w).word).arrived);
    if (w.kind == WaitKind::Cluster) {
        for (const PortCta* c : cluster(cta(w))) ask(*c, c->clusterArrived);
    }
    return all;
}

/// Whether the wait came true before, at the same line: then the later acts of its warp were seen.
bool PortSnapshot::wasPassed(const PortWait& w) const
{
    const PortWarp* own = warp(w.id);
    if (w.line == 0) return w.kind == WaitKind::Mbarrier && mbar(w).past.looks().contains(w.id);
    return own != nullptr && own->passed.contains(w.line);
}

void PortSnapshot::oweMembers(std::size_t i)
{
    const PortWait& w = waits_[i];
    std::uint64_t need = 0, sum = 0;
    if (w.kind == WaitKind::Mbarrier) {
        need = std::max<std::uint64_t>(state(w).pending, 1);
        if (state(w).pending == 0) return;  // bytes: the port does not show who copies
    } else {
        const raw::NbWord word = unpacked(named(w).word);
        need = word.mode == 0 || word.n >= word.target ? 1 : word.target - word.n;
    }
    for (const PortMember& m : members(w)) {
        if (m.share <= m.now) continue;
        for (std::size_t k = 0; k < waits_.size(); ++k) {
            if (waits_[k].id != m.id || !wasPassed(waits_[k])) continue;
            debts_[i].push_back({k, m.line});
            sum += m.share - m.now;
            break;
        }
    }
    sufficient_[i] = sum >= need;
}

/// Adds debts of warps that must come, or exit, whatever they do.
void PortSnapshot::oweAbsent(std::size_t i, const std::vector<WarpId>& all)
{
    sufficient_[i] = !all.empty();
    for (const WarpId& id : all) {
        bool waits = false;
        for (std::size_t k = 0; k < waits_.size(); ++k) {
            if (waits_[k].id != id || k == i) continue;
            const bool there = waits_[k].kind == waits_[i].kind &&
                               sameObject(waits_[k], waits_[i]) && !waits_[k].ofWarp;
            if (there) continue;
            waits = true;
            debts_[i].push_back({k, 0});
        }
        sufficient_[i] = sufficient_[i] && waits;
    }
}

/// Adds debts of lanes of its own warp.
void PortSnapshot::oweLanes(std::size_t i)
{
    const PortWait& w = waits_[i];
    const Lanes mask = w.kind == WaitKind::Warp && w.op == Op::WarpSync ? w.object : ~Lanes{0};
    for (std::size_t k = 0; k < waits_.size(); ++k) {
        if (k == i || waits_[k].id != w.id || (waits_[k].lanes & mask) == 0) continue;
        if (waits_[k].op == w.op && waits_[k].object == w.object) continue;
        debts_[i].push_back({k, waits_[k].line});
    }
    sufficient_[i] = !debts_[i].empty();
}

void PortSnapshot::oweGrids(std::size_t i)
{
    const PortCta& own = cta(waits_[i]);
    const std::uint32_t network = history_.chip().networkOf(own.launch.sm);
    const std::uint16_t prereqs = history_.gridOf(network, own.launch.grid).prereqs;
    for (std::size_t k = 0; k < waits_.size(); ++k) {
        const Launch& l = cta(waits_[k]).launch;
        if (history_.chip().networkOf(l.sm) == network && l.grid != 0 &&
            (prereqs >> l.grid & 1) != 0)
            debts_[i].push_back({k, 0});
    }
    sufficient_[i] = !debts_[i].empty();
}

void PortSnapshot::owe(std::size_t i)
{
    const PortWait& w = waits_[i];
    if (w.ofWarp || w.kind == WaitKind::Warp) return oweLanes(i);
    if (w.kind == WaitKind::Grid) return oweGrids(i);
    if (w.kind == WaitKind::Cluster) {
        if (cluster(cta(w)).size() >= cta(w).launch.ctas) oweAbsent(i, absent(w));
        return;
    }
    if (w.kind == WaitKind::Named && w.count == 0) return oweAbsent(i, absent(w));
    oweMembers(i);
}

bool PortSnapshot::sameObject(const PortWait& a, const PortWait& b) const
{
    if (a.kind != b.kind) return false;
    if (a.kind == WaitKind::Warp) return a.id == b.id;
    if (a.kind == WaitKind::Grid) return true;
    if (a.kind == WaitKind::Cluster) return cluster(cta(a)) == cluster(cta(b));
    return a.id.first == b.id.first && a.object == b.object;
}

std::string PortSnapshot::time(Cycle at) const { return fmt::format("{} {}", clock_, at); }

std::string PortSnapshot::name(const PortWait& w) const
{
    const std::string cta = nameOfCta(w.id.first);
    switch (w.kind) {
        case WaitKind::Mbarrier: return fmt::format("the mbarrier at +{:#x} of {}", w.object, cta);
        case WaitKind::Named: return fmt::format("barrier {} of {}", w.object, cta);
        case WaitKind::Cluster: return "the cluster barrier of " + cta;
        case WaitKind::Grid: return "the end of the grids before that of " + cta;
        default: return fmt::format("the other lanes of warp {} of {}", w.id.second, cta);
    }
}

std::string PortSnapshot::warp(const WarpId& id, const PortWait* beside) const
{
    const bool same = beside != nullptr && beside->id.first == id.first;
    return fmt::format("warp {}{}", id.second, same ? "" : " of " + nameOfCta(id.first));
}

std::string PortSnapshot::warps(std::vector<WarpId> ids, const PortWait* beside) const
{
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    constexpr std::size_t kShown = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(ids.size(), kShown); ++i)
        text += (i == 0 ? "" : i + 1 == ids.size() ? " and " : ", ") + warp(ids[i], beside);
    if (ids.size() > kShown) text += fmt::format(" and {} more", ids.size() - kShown);
    return text;
}

std::vector<WaitRoot> PortSnapshot::roots() const
{
    return rootsOf({sufficient_, giversOf(debts_), [this](std::size_t a, std::size_t b) {
                        return sameObject(waits_[a], waits_[b]);
                    }});
}

}  // namespace gsu
