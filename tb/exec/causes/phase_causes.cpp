// Phases that passed unseen, and the phase that cannot come before the waiter's own output.
#include <fmt/format.h>

#include <algorithm>

#include "exec/causes/root_cause.hpp"
#include "golden/op_traits.hpp"

namespace gsu::exec {
namespace {

using Step = FutureStep::Kind;

/// Phases that had completed when the waiter last looked: it waited with success, or arrived.
std::uint32_t lastLook(const RootCause& c, Cycle& at)
{
    std::uint32_t phases = 0;
    if (const auto look = c.past().looks().find(c.node.id()); look != c.past().looks().end())
        phases = look->second.phases, at = look->second.at;
    for (const auto& [who, total] : c.past().totals()) {
        const bool arrives =
            std::get<0>(who) == Share::Arrivals || std::get<0>(who) == Share::Dropped;
        if (!arrives || std::get<1>(who) != c.node.id() || total.lastPhase < phases) continue;
        phases = total.lastPhase;
        at = std::max(at, total.last);
    }
    return phases;
}

bool passedUnseen(const RootCause& c)
{
    Cycle at = 0;
    return c.ofMbar() && c.node.asked && *c.node.asked == (c.state().phase ? 1u : 0u) &&
           c.past().phases() > lastLook(c, at);
}

/// Arrivals of threads in a round, by warp and arrival line.
struct Rates {
    std::map<WarpId, Lanes> threads;
    std::map<WarpId, std::vector<std::uint32_t>> lines;
    std::uint64_t distinct{};
};

Rates ratesOf(const MbarHistory& past)
{
    Rates r;
    for (const auto& [who, total] : past.totals()) {
        const auto& [share, warp, line] = who;
        if (share != Share::Arrivals && share != Share::Dropped) continue;
        r.threads[warp] |= total.lanes;
        r.lines[warp].push_back(line);
    }
    for (const auto& [warp, lanes] : r.threads)
        r.distinct += static_cast<std::uint64_t>(__builtin_popcount(lanes));
    return r;
}

std::uint32_t countOf(const RootCause& c)
{
    return c.past().setups().empty() ? c.state().expected : c.past().setups().back().count;
}

/// Cycle in which the last phase before the running one completed.
Cycle passedAt(const RootCause& c)
{
    const auto& last = c.past().last();
    return last.size() > 1 ? last[last.size() - 2].end : c.node.since;
}

std::string asks(const RootCause& c)
{
    const std::uint32_t now = c.past().phases();
    return fmt::format("{} waits at {} with parity {}, which is that of the running phase {}",
                       c.snapshot.warp(c.node.id()), c.snapshot.line(c.node.line), *c.node.asked,
                       now);
}

/// Two arrivals of a warp with no wait between them, in the same loop or in none.
bool sameRound(const RootCause& c, std::uint32_t a, std::uint32_t b)
{
    std::vector<Site> at;
    for (const std::uint32_t line : {a, b}) {
        const auto found = c.snapshot.sites(
            [&](const MicroOp& op) { return op.kind == Kind::Sync && op.line == line; });
        if (found.empty()) return false;
        at.push_back(found.front());
    }
    if (at[0].code != at[1].code) return false;
    const auto loopOf = [&](const Site& s) -> const Loop* {
        const auto loops = c.snapshot.flow().around(s.code, s.pc);
        return loops.empty() ? nullptr : loops.front();
    };
    const auto& ops = c.snapshot.program().codes[at[0].code].ops;
    for (std::uint32_t pc = std::min(at[0].pc, at[1].pc); pc < std::max(at[0].pc, at[1].pc); ++pc) {
        const SyncInfo* info = c.snapshot.syncOf(ops[pc]);
        if (info != nullptr && (isMbarWait(info->op) || waitsForNamed(info->op))) return false;
    }
    return loopOf(at[0]) == loopOf(at[1]);
}

}  // namespace

Found extraArrival(const RootCause& c)
{
    if (!passedUnseen(c)) return {};
    const Rates rates = ratesOf(c.past());
    if (rates.distinct > countOf(c)) return {};
    for (const auto& [warp, lines] : rates.lines) {
        std::uint32_t line = lines.size() > 1 && sameRound(c, lines[0], lines[1]) ? lines[1] : 0;
        for (const auto& [who, total] : c.past().totals()) {
            const auto each =
                static_cast<std::uint64_t>(__builtin_popcount(total.lanes)) * total.times;
            if (std::get<1>(who) == warp && std::get<0>(who) == Share::Arrivals &&
                total.amount > each)
                line = std::get<2>(who);
        }
        if (line == 0) continue;
        HangCause cause = causeOf(c, CauseKind::ExtraArrival, line, {warp}, passedAt(c));
        std::string both;
        for (const std::uint32_t l : lines)
            both += (both.empty() ? "" : " and ") + c.snapshot.line(l);
        cause.sentence =
            fmt::format("{} completed a phase too early: {} arrives twice in a round, "
                        "at {} (count {}); {}, phase {} went by at cycle {}, so {}",
                        c.snapshot.name(c.node), c.snapshot.warp(warp), both, countOf(c), asks(c),
                        c.past().phases() - 1, passedAt(c), forEver(c));
        return cause;
    }
    return {};
}

Found countTooSmall(const RootCause& c)
{
    if (c.node.kind == WaitKind::Named && c.node.value != 0) {
        const NamedHistory* past = c.snapshot.history().namedOf(
            c.node.cta->serial, static_cast<std::uint32_t>(c.node.object.at));
        if (past == nullptr || past->generations == 0) return {};
        std::vector<WarpId> ids;
        for (const auto& [who, times] : past->totals) {
            const WarpId id{c.node.cta->linear, who.first};
            if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
        }
        const bool rest = ids.size() * 32 > c.node.value && ids.size() * 32 % c.node.value != 0;
        const bool sharing = std::any_of(c.who.all().begin(), c.who.all().end(),
                                         [](const Participant& p) { return p.pays; });
        if (!rest || sharing) return {};
        HangCause cause = causeOf(c, CauseKind::CountTooSmall, c.node.line, ids, 0);
        cause.sentence = fmt::format("{}: {} threads in {} warps take part, and its count at {} is "
                                     "{}: the rest starts a generation alone, so {}",
                                     lacks(c), ids.size() * 32, ids.size(),
                                     c.snapshot.line(c.node.line), c.node.value, forEver(c));
        return cause;
    }
    if (!passedUnseen(c)) return {};
    const Rates rates = ratesOf(c.past());
    if (rates.distinct <= countOf(c)) return {};
    std::vector<WarpId> ids;
    for (const auto& [warp, lanes] : rates.threads) ids.push_back(warp);
    const std::uint32_t line =
        c.past().setups().empty() ? c.node.line : c.past().setups().back().doer.line;
    HangCause cause = causeOf(c, CauseKind::CountTooSmall, line, ids, passedAt(c));
    cause.sentence = fmt::format("{} is initialised at {} for {} arrivals, and {} threads arrive: "
                                 "it completes too early; {}, so {}",
                                 c.snapshot.name(c.node), c.snapshot.line(line), countOf(c),
                                 rates.distinct, asks(c), forEver(c));
    return cause;
}

namespace {

/// The output of the waiter for others in its loop: bytes first.
unsigned output(const WaitNode& n)
{
    unsigned sum = 0;
    for (const FutureStep& s : n.future.steps) {
        sum += s.kind == Step::Copies ? 8 : s.kind == Step::Announces ? 4 : 0;
        sum += s.kind == Step::Writes && s.object.owner != 0 ? 1 : 0;
    }
    return sum;
}

/// Whether the first pass of a loop waits for phase 0 of an object without any event.
bool firstPass(const RootCause& c, const WaitNode& n)
{
    if (n.kind != WaitKind::Mbarrier || !n.asked || *n.asked != 0) return false;
    const MbarHistory& past = c.snapshot.past(n.object);
    if (past.phases() != 0 || !past.running().parts.empty()) return false;
    const auto& ops = c.snapshot.program().codes[n.code].ops;
    for (const Loop* loop : c.snapshot.flow().around(n.code, n.pc)) {
        for (std::uint32_t pc = 0; pc < ops.size(); ++pc) {
            const bool acts = ops[pc].kind == Kind::Sync || ops[pc].copies;
            if (loop->has(pc) && acts && pc != n.pc) return true;
        }
    }
    return false;
}

/// For a circle: whether this is the waiter whose output the others wait for.
bool comesFirst(const RootCause& c)
{
    if (!c.root.circle || !firstPass(c, c.node) || output(c.node) == 0) return false;
    for (const std::size_t i : c.root.waits) {
        const WaitNode& n = c.snapshot.nodes()[i];
        if (!c.graph.sameObject(i, c.index) && firstPass(c, n) && output(n) >= output(c.node))
            return false;
    }
    return true;
}

}  // namespace

Found wrongPhase(const RootCause& c)
{
    if (comesFirst(c)) {
        std::vector<WarpId> ids;
        for (const std::size_t i : c.root.waits)
            if (c.graph.sameObject(i, c.index)) ids.push_back(c.snapshot.nodes()[i].id());
        HangCause cause = causeOf(c, CauseKind::WrongPhase, c.node.line, ids, c.node.since);
        cause.sentence = fmt::format(
            "{} asks in its first round for phase 0 (parity 0) of {}, whose phase {} is running: "
            "all threads that arrive there wait for it to continue, so {}",
            c.snapshot.warps(cause.culprits), c.snapshot.name(c.node), c.past().phases(),
            forEver(c));
        return cause;
    }
    if (!passedUnseen(c)) return {};
    HangCause cause = causeOf(c, CauseKind::WrongPhase, c.node.line, {c.node.id()}, passedAt(c));
    cause.sentence =
        fmt::format("{}; phase {} of {} went by at cycle {} unseen by it, so {}", asks(c),
                    c.past().phases() - 1, c.snapshot.name(c.node), passedAt(c), forEver(c));
    return cause;
}

}  // namespace gsu::exec
