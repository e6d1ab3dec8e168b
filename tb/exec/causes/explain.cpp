#include "exec/causes/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "exec/causes/root_cause.hpp"
#include "golden/wait_text.hpp"

namespace gsu::exec {
namespace {

/// The rule of a kind.
Rule ruleOf(CauseKind kind)
{
    switch (kind) {
        case CauseKind::EndlessLoop: return endlessLoop;
        case CauseKind::DivergedLanes: return divergedLanes;
        case CauseKind::LockAcrossBarrier: return lockAcrossBarrier;
        case CauseKind::LockNotReleased: return lockNotReleased;
        case CauseKind::GridNotSignalled: return gridNotSignalled;
        case CauseKind::NotResident: return notResident;
        case CauseKind::Reinitialised: return reinitialised;
        case CauseKind::DoubleExpect: return doubleExpect;
        case CauseKind::OtherCta: return otherCta;
        case CauseKind::OtherBarrier: return otherBarrier;
        case CauseKind::SurplusBytes: return surplusBytes;
        case CauseKind::MissingBytes: return missingBytes;
        case CauseKind::ExtraArrival: return extraArrival;
        case CauseKind::CountTooSmall: return countTooSmall;
        case CauseKind::WrongPhase: return wrongPhase;
        case CauseKind::LeftLoopEarly: return leftLoopEarly;
        case CauseKind::ExitedArriver: return exitedArriver;
        case CauseKind::MissingArrival: return missingArrival;
        case CauseKind::SelfWait: return selfWait;
        case CauseKind::CyclicWait: return cyclicWait;
        case CauseKind::CountTooLarge: return countTooLarge;
        case CauseKind::FlagNotSet: return flagNotSet;
        case CauseKind::Unknown: break;
    }
    return nullptr;
}

/// The waits of a root to which the rules are applied: one for each object.
std::vector<std::size_t> examples(const HangSnapshot& snapshot, const WaitGraph& graph,
                                  const WaitRoot& root)
{
    std::vector<std::size_t> some;
    for (const std::size_t i : root.waits) {
        const bool known = std::any_of(some.begin(), some.end(), [&](std::size_t k) {
            return graph.sameObject(i, k) && snapshot.nodes()[i].lock == snapshot.nodes()[k].lock;
        });
        constexpr std::size_t kMost = 32;
        if (!known && some.size() < kMost) some.push_back(i);
    }
    return some;
}

HangCause unknown(const RootCause& c)
{
    HangCause cause = causeOf(c, CauseKind::Unknown, c.node.line, {}, 0);
    cause.sentence =
        fmt::format("{}, and the recorded history does not show why: {}", lacks(c), forEver(c));
    return cause;
}

/// The waits of the root that the sentence names: all of a circle if the circle is the cause, else those for the same object.
std::vector<std::size_t> toldOf(const RootCause& c, CauseKind kind)
{
    const bool circle = kind == CauseKind::DivergedLanes || kind == CauseKind::SelfWait ||
                        kind == CauseKind::CyclicWait;
    std::vector<std::size_t> told;
    for (const std::size_t i : c.root.waits)
        if (circle || c.graph.sameObject(i, c.index)) told.push_back(i);
    return told;
}

HangCause causeOfRoot(const HangSnapshot& snapshot, const WaitGraph& graph, const WaitRoot& root)
{
    const std::vector<std::size_t> nodes = examples(snapshot, graph, root);
    std::vector<Participants> who;
    who.reserve(nodes.size());
    for (const std::size_t i : nodes) who.emplace_back(snapshot, graph, i);
    for (const CauseRow& row : causeRows()) {
        const Rule rule = ruleOf(row.kind);
        for (std::size_t k = 0; rule != nullptr && k < nodes.size(); ++k) {
            const RootCause c{snapshot, graph, root, nodes[k], snapshot.nodes()[nodes[k]], who[k]};
            if (Found found = rule(c)) {
                found->told = toldOf(c, row.kind);
                return *std::move(found);
            }
        }
    }
    const RootCause c{snapshot,   graph, root, nodes.front(), snapshot.nodes()[nodes.front()],
                      who.front()};
    HangCause cause = unknown(c);
    cause.told = toldOf(c, CauseKind::Unknown);
    return cause;
}

bool sameCause(const HangCause& a, const HangCause& b)
{
    return a.kind == b.kind && (a.line == b.line || a.culprits == b.culprits);
}

/// The act of a warp in place of its missing arrival.
std::string whyOf(const HangSnapshot& snapshot, const Participant& p)
{
    if (p.ended) return "exited at " + snapshot.line(p.endLine);
    for (const WaitNode& n : snapshot.nodes()) {
        if (n.warp != p.warp) continue;
        if (n.endless != Endless::No) return "does not leave " + snapshot.name(n);
        return fmt::format("{} {} at {}", n.kind == WaitKind::Spin ? "spins on" : "waits for",
                           snapshot.name(n), snapshot.line(n.line));
    }
    return "is running";
}

/// Adds the participants of the objects that have not come, each once.
void addMissing(HangReport& report, const HangSnapshot& snapshot, const WaitGraph& graph)
{
    constexpr std::size_t kObjects = 32;
    std::vector<std::size_t> told;
    for (std::size_t i = 0; i < snapshot.nodes().size() && told.size() < kObjects; ++i) {
        if (std::any_of(told.begin(), told.end(),
                        [&](std::size_t k) { return graph.sameObject(k, i); }))
            continue;
        told.push_back(i);
        const Participants who(snapshot, graph, i);
        for (const Participant& p : who.all()) {
            const bool known = std::any_of(report.missing.begin(), report.missing.end(),
                                           [&](const HangReport::Missing& m) {
                                               return m.cta == p.id.first && m.warp == p.id.second;
                                           });
            if (!p.now && !known)
                report.missing.push_back({p.id.first, p.id.second, whyOf(snapshot, p)});
        }
    }
}

/// Adds the culprits that are no participants of any object.
void addCulprits(HangReport& report, const HangSnapshot& snapshot)
{
    std::vector<const HangCause*> causes{&*report.cause};
    for (const HangCause& o : report.cause->others) causes.push_back(&o);
    for (const HangCause* cause : causes) {
        for (const WarpId& id : cause->culprits) {
            const bool known = std::any_of(report.missing.begin(), report.missing.end(),
                                           [&](const HangReport::Missing& m) {
                                               return m.cta == id.first && m.warp == id.second;
                                           });
            const bool waits = std::any_of(
                snapshot.nodes().begin(), snapshot.nodes().end(), [&](const WaitNode& n) {
                    return n.id() == id && n.kind == cause->on && n.object.at == cause->address;
                });
            if (known || waits) continue;
            Participant p;
            p.id = id;
            p.warp = snapshot.warpOf(id);
            p.ended = p.warp == nullptr || p.warp->live == 0;
            if (p.ended && p.warp != nullptr) {
                if (const CtaNotes* notes = snapshot.history().notesOf(p.warp->cta->serial);
                    notes != nullptr)
                    p.endLine = notes->ends[id.second].line;
            }
            report.missing.push_back({id.first, id.second, whyOf(snapshot, p)});
        }
    }
}

void addDebts(HangReport& report, const HangSnapshot& snapshot, const WaitGraph& graph)
{
    for (std::size_t i = 0; i < snapshot.nodes().size(); ++i) {
        for (const Payment& p : graph.payers(i)) report.debts.push_back({i, p.by, p.line});
    }
}

/// Adds to each waiter the awaited phase and the begin of the wait, and the last phases of its object. Pre: `waiting` is in the order of the nodes.
void addHistory(HangReport& report, const HangSnapshot& snapshot)
{
    report.lastChange = snapshot.state().progress.lastChangeAt();
    constexpr std::size_t kObjects = 32;
    for (std::size_t i = 0; i < report.waiting.size() && i < snapshot.nodes().size(); ++i) {
        const WaitNode& n = snapshot.nodes()[i];
        report.waiting[i].since = n.since;
        report.waiting[i].endless = n.endless != Endless::No;
        if (n.kind != WaitKind::Mbarrier) continue;
        report.waiting[i].asked = n.asked;
        const auto address = static_cast<std::uint32_t>(n.object.at);
        const bool known = std::any_of(report.objects.begin(), report.objects.end(),
                                       [&](const HangReport::Object& o) {
                                           return o.cta == n.cta->linear && o.address == address;
                                       });
        if (known || report.objects.size() == kObjects) continue;
        const auto& last = snapshot.past(n.object).last();
        HangReport::Object object{n.cta->linear, address, snapshot.name(n.object), {}};
        for (const MbarPhase& phase : last)  // one that did not end was cut off by an init
            if (phase.end != kNever || &phase == &last.back()) object.phases.push_back(phase);
        report.objects.push_back(std::move(object));
    }
}

/// The other waits, without the waiters that the sentence of a cause has named.
std::string otherWaits(const HangReport& report, const HangSnapshot& snapshot)
{
    std::set<std::size_t> told;
    if (report.cause) {
        told.insert(report.cause->told.begin(), report.cause->told.end());
        for (const HangCause& o : report.cause->others) told.insert(o.told.begin(), o.told.end());
    }
    std::vector<WaitingGroup> groups;
    for (std::size_t i = 0; i < report.waiting.size(); ++i) {
        const HangReport::Waiting& w = report.waiting[i];
        if (told.contains(i)) continue;
        groups.push_back({w.cta, w.warp, w.kind, w.kind == WaitKind::Spin ? w.line : w.id,
                          w.address, 0, snapshot.state().module.lineText(w.line), w.state,
                          w.endless});
    }
    return explainWaits(std::move(groups), {},
                        [](std::uint32_t cta) { return fmt::format("CTA {}", cta); })
        .explanation;
}

/// Adds the causes of a hang to the report, the earliest known one first, with its culprits and the missing participants.
void addCauses(HangReport& report, const HangSnapshot& snapshot)
{
    const WaitGraph graph(snapshot);
    std::vector<HangCause> causes;
    for (const WaitRoot& root : graph.roots()) {
        HangCause cause = causeOfRoot(snapshot, graph, root);
        const bool known = std::any_of(causes.begin(), causes.end(),
                                       [&](const HangCause& c) { return sameCause(c, cause); });
        constexpr std::size_t kMost = 32;
        if (!known && causes.size() < kMost) causes.push_back(std::move(cause));
    }
    addDebts(report, snapshot, graph);
    addMissing(report, snapshot, graph);
    if (causes.empty()) return;
    // Causes of kind unknown come last, whatever their cycle.
    std::stable_sort(causes.begin(), causes.end(), [](const HangCause& a, const HangCause& b) {
        const bool known = a.kind != nameOf(CauseKind::Unknown),
                   too = b.kind != nameOf(CauseKind::Unknown);
        return known != too ? known : a.cycle < b.cycle;
    });
    report.cause = std::move(causes.front());
    report.cause->others.assign(std::make_move_iterator(causes.begin() + 1),
                                std::make_move_iterator(causes.end()));
    addCulprits(report, snapshot);
}

}  // namespace

void explainHang(HangReport& report, const HangSnapshot& snapshot)
{
    addHistory(report, snapshot);
    if (!snapshot.nodes().empty()) addCauses(report, snapshot);
    const std::string others = otherWaits(report, snapshot);
    if (report.cause)
        report.explanation = report.cause->sentence + (others.empty() ? "" : " " + others);
    else
        report.explanation = others.empty() ? "No thread can make progress." : others;
}

}  // namespace gsu::exec
