// Phases that passed unseen, missing arrivals, circles: as far as earlier rounds and exits show them.
#include <fmt/format.h>

#include <algorithm>

#include "base/counted.hpp"
#include "causes/port_root_cause.hpp"
#include "golden/op_traits.hpp"

namespace gsu {
namespace {

/// Phases that had completed when the waiter last looked: it waited with success, or arrived.
std::uint32_t lastLook(const PortRootCause& c)
{
    std::uint32_t phases = 0;
    const auto look = c.past().looks().find(c.wait.id);
    if (look != c.past().looks().end()) phases = look->second.phases;
    for (const auto& [who, total] : c.past().totals()) {
        if (isArriving(std::get<0>(who)) && std::get<1>(who) == c.wait.id)
            phases = std::max(phases, total.lastPhase);
    }
    return phases;
}

bool passedUnseen(const PortRootCause& c)
{
    return c.ofMbar() && c.wait.asked && *c.wait.asked == (c.state().phase ? 1u : 0u) &&
           c.past().phases() > lastLook(c);
}

/// Cycle in which the last phase before the running one completed.
Cycle passedAt(const PortRootCause& c)
{
    const auto& last = c.past().last();
    return last.size() > 1 ? last[last.size() - 2].end : c.wait.since;
}

std::uint64_t threadsOf(const PortRootCause& c, std::vector<WarpId>& ids)
{
    std::map<WarpId, Lanes> threads;
    for (const auto& [who, total] : c.past().totals())
        if (isArriving(std::get<0>(who))) threads[std::get<1>(who)] |= total.lanes;
    std::uint64_t distinct = 0;
    for (const auto& [id, lanes] : threads) {
        ids.push_back(id);
        distinct += static_cast<std::uint64_t>(__builtin_popcount(lanes));
    }
    return distinct;
}

std::uint32_t countOf(const PortRootCause& c)
{
    return c.past().setups().empty() ? c.state().expected : c.past().setups().back().count;
}

std::string asks(const PortRootCause& c)
{
    return fmt::format("{} asks at {} for parity {} of {}, whose phase {} (parity {}) is running",
                       c.snapshot.warp(c.wait.id, &c.wait), nameOfLine(c.wait.line), *c.wait.asked,
                       c.snapshot.name(c.wait), c.past().phases(), c.state().phase ? 1 : 0);
}

PortFound extraArrival(const PortRootCause& c)
{
    std::vector<WarpId> ids;
    if (!passedUnseen(c) || threadsOf(c, ids) > countOf(c)) return {};
    const PortMbar& object = c.snapshot.mbar(c.wait);
    TwiceInARound twice;
    for (const TwiceInARound& t : object.twice)
        if (t.first != t.second) twice = t;
    for (const auto& [who, total] : object.past.totals()) {
        const auto each = static_cast<std::uint64_t>(__builtin_popcount(total.lanes)) * total.times;
        if (std::get<0>(who) == Share::Arrivals && total.amount > each)
            twice = {std::get<1>(who), std::get<2>(who), std::get<2>(who)};
    }
    if (twice.second == 0) return {};
    PortCause cause = causeOf(c, CauseKind::ExtraArrival, twice.second, {twice.warp}, passedAt(c));
    cause.sentence = fmt::format(
        "{} completed a phase too early: {} arrives twice in a round, at {} and {} (count {}); {}, "
        "phase {} went by at {}, so {}",
        c.snapshot.name(c.wait), c.snapshot.warp(twice.warp, &c.wait), nameOfLine(twice.first),
        nameOfLine(twice.second), countOf(c), asks(c), c.past().phases() - 1,
        c.snapshot.time(passedAt(c)), forEver(c));
    return cause;
}

/// More warps come to a named barrier than its count, and the rest of a generation is left alone.
PortFound restOfNamed(const PortRootCause& c)
{
    std::vector<WarpId> ids;
    for (const PortMember& m : c.snapshot.members(c.wait)) ids.push_back(m.id);
    const std::uint64_t threads = ids.size() * kLanes;
    const bool rest = threads > c.wait.count && threads % c.wait.count != 0;
    if (!rest || c.snapshot.named(c.wait).generations == 0 || !c.snapshot.debts(c.index).empty())
        return {};
    PortCause cause = causeOf(c, CauseKind::CountTooSmall, c.wait.line, ids, 0);
    cause.sentence = fmt::format("{}: {} threads in {} warps take part, and its count at {} is {}: "
                                 "the rest starts a generation alone, so {}",
                                 lacks(c), threads, ids.size(), nameOfLine(c.wait.line),
                                 c.wait.count, forEver(c));
    return cause;
}

PortFound countTooSmall(const PortRootCause& c)
{
    if (c.wait.kind == WaitKind::Named && c.wait.count != 0 && !c.wait.ofWarp)
        return restOfNamed(c);
    std::vector<WarpId> ids;
    if (!passedUnseen(c) || threadsOf(c, ids) <= countOf(c)) return {};
    std::vector<WarpId> some;
    const std::uint64_t threads = threadsOf(c, some);
    const std::uint32_t line =
        c.past().setups().empty() ? c.wait.line : c.past().setups().back().doer.line;
    PortCause cause = causeOf(c, CauseKind::CountTooSmall, line, ids, passedAt(c));
    cause.sentence = fmt::format("{} is initialised at {} for {} arrivals, and {} threads arrive: "
                                 "it completes too early; {}, so {}",
                                 c.snapshot.name(c.wait), nameOfLine(line), countOf(c), threads,
                                 asks(c), forEver(c));
    return cause;
}

PortFound wrongPhase(const PortRootCause& c)
{
    if (!passedUnseen(c)) return {};
    PortCause cause = causeOf(c, CauseKind::WrongPhase, c.wait.line, {c.wait.id}, passedAt(c));
    cause.sentence = fmt::format("{}; phase {} of {} went by at {} unseen by it, so {}", asks(c),
                                 c.past().phases() - 1, c.snapshot.name(c.wait),
                                 c.snapshot.time(passedAt(c)), forEver(c));
    return cause;
}

bool counts(const PortRootCause& c)
{
    if (c.root.circle || c.wait.ofWarp) return false;
    return c.wait.kind == WaitKind::Named || (c.ofMbar() && c.state().pending != 0);
}

std::uint32_t exitLine(const PortRootCause& c, const WarpId& id)
{
    const PortWarp* w = c.snapshot.warp(id);
    return w == nullptr ? 0 : w->exitLine;
}

std::string exited(const PortRootCause& c, const WarpId& id)
{
    const PortWarp* w = c.snapshot.warp(id);
    if (w != nullptr && w->exitLine != 0) return "exited at " + nameOfLine(w->exitLine);
    return w != nullptr && w->lastLine != 0 ? "exited after " + nameOfLine(w->lastLine) : "exited";
}

Cycle exitAt(const PortRootCause& c, const WarpId& id)
{
    const PortWarp* w = c.snapshot.warp(id);
    return w == nullptr ? 0 : w->exitAt;
}

/// A warp that arrived in earlier rounds has ended.
PortFound leftLoopEarly(const PortRootCause& c)
{
    if (!counts(c)) return {};
    std::vector<WarpId> left;
    PortMember first;
    for (const PortMember& m : c.snapshot.members(c.wait)) {
        if (m.now != 0 || !c.snapshot.ended(m.id)) continue;
        if (left.empty()) first = m;
        left.push_back(m.id);
    }
    if (left.empty() || !c.snapshot.loops(c.wait)) return {};
    PortCause cause =
        causeOf(c, CauseKind::LeftLoopEarly, exitLine(c, first.id), left, exitAt(c, first.id));
    cause.sentence = fmt::format(
        "{}: {} {} after {} of its arrival at {}, and round {} is needed, so {}", lacks(c),
        c.snapshot.warps(left, &c.wait), exited(c, first.id), counted(first.times, "round"),
        nameOfLine(first.line), first.times + 1, forEver(c));
    return cause;
}

std::uint32_t missingWarps(const PortRootCause& c)
{
    const std::uint64_t value = c.snapshot.named(c.wait).word;
    const std::uint32_t halves[2]{static_cast<std::uint32_t>(value),
                                  static_cast<std::uint32_t>(value >> 32)};
    raw::NbWord word;
    raw::unpack(word, halves);
    return word.mode == 0 || word.n >= word.target ? 0 : word.target - word.n;
}

/// Live warps of the CTA that do not wait at this object.
bool othersLive(const PortRootCause& c)
{
    const PortCta& cta = c.snapshot.cta(c.wait);
    for (unsigned w = 0; w < cta.warps.size(); ++w) {
        if (cta.warps[w].live == 0) continue;
        const bool here = std::any_of(c.snapshot.waits().begin(), c.snapshot.waits().end(),
                                      [&](const PortWait& o) {
                                          return o.id == WarpId{cta.number, w} &&
                                                 c.snapshot.sameObject(o, c.wait) && !o.ofWarp;
                                      });
        if (!here) return true;
    }
    return false;
}

/// The missing arrivals of an mbarrier in its first phase are those of the exited warps, if each warp gives the same.
bool gaveAlike(const PortRootCause& c, std::size_t gone)
{
    std::uint64_t share = 0;
    for (const PortMember& m : c.snapshot.members(c.wait)) {
        if (share != 0 && m.now != share) return false;
        share = m.now;
    }
    return share != 0 && c.past().phases() == 0 && c.snapshot.cta(c.wait).launch.ctas <= 1 &&
           c.state().pending == share * gone;
}

/// The exited warps: those of earlier rounds, or all missing ones if all others are there.
std::vector<WarpId> goneOf(const PortRootCause& c)
{
    std::vector<WarpId> before, gone;
    const auto members = c.snapshot.members(c.wait);
    for (const PortMember& m : members)
        if (m.now == 0 && c.snapshot.ended(m.id)) before.push_back(m.id);
    if (!before.empty()) return before;
    const PortCta& cta = c.snapshot.cta(c.wait);
    for (unsigned w = 0; w < cta.warps.size(); ++w) {
        const WarpId id{cta.number, w};
        const bool member = std::any_of(members.begin(), members.end(),
                                        [&](const PortMember& m) { return m.id == id; });
        if (cta.warps[w].live == 0 && !member) gone.push_back(id);
    }
    if (gone.empty() || othersLive(c)) return {};
    const bool all = c.wait.kind == WaitKind::Named
                         ? c.wait.count != 0 && missingWarps(c) == gone.size()
                         : gaveAlike(c, gone.size());
    return all ? gone : std::vector<WarpId>{};
}

PortFound exitedArriver(const PortRootCause& c)
{
    if (!counts(c)) return {};
    const std::vector<WarpId> gone = goneOf(c);
    if (gone.empty()) return {};
    PortCause cause = causeOf(c, CauseKind::ExitedArriver, exitLine(c, gone.front()), gone,
                              exitAt(c, gone.front()));
    cause.sentence =
        fmt::format("{}: {} {} without having arrived, so {}", lacks(c),
                    c.snapshot.warps(gone, &c.wait), exited(c, gone.front()), forEver(c));
    return cause;
}

PortFound countTooLarge(const PortRootCause& c)
{
    if (!counts(c) || othersLive(c)) return {};
    const PortCta& cta = c.snapshot.cta(c.wait);
    const auto members = c.snapshot.members(c.wait);
    std::uint64_t arrived = 0;
    for (const PortMember& m : members) arrived += m.now;
    if (c.ofMbar() && (c.past().phases() != 0 || cta.launch.ctas > 1)) return {};
    std::vector<WarpId> ids;
    if (c.ofMbar() && threadsOf(c, ids) != cta.launch.threads) return {};  // others could be meant
    for (unsigned w = 0; w < cta.warps.size(); ++w) {
        const bool came = std::any_of(members.begin(), members.end(), [&](const PortMember& m) {
            return m.id == WarpId{cta.number, w} && m.now != 0;
        });
        if (!came) return {};  // it could have been meant
    }
    const bool named = c.wait.kind == WaitKind::Named;
    if (named && c.wait.count == 0) return {};
    std::uint32_t line = c.wait.line;
    if (!named && !c.past().setups().empty()) line = c.past().setups().back().doer.line;
    PortCause cause = causeOf(c, CauseKind::CountTooLarge, line, {}, 0);
    const auto there = std::uint64_t{arrived} * (named ? kLanes : 1);
    cause.sentence =
        fmt::format("{}: the count {} of {} is more than ever arrives: {} {} arrived, every warp "
                    "has ({}), so {}",
                    lacks(c), named ? c.wait.count : c.state().expected, nameOfLine(line), there,
                    there == 1 ? "has" : "have", counted(cta.launch.threads, "thread"), forEver(c));
    return cause;
}

}  // namespace

PortRule portRuleOf(CauseKind kind) noexcept
{
    switch (kind) {
        case CauseKind::DivergedLanes: return portDivergedLanes;
        case CauseKind::GridNotSignalled: return portGridNotSignalled;
        case CauseKind::NotResident: return portNotResident;
        case CauseKind::Reinitialised: return portReinitialised;
        case CauseKind::DoubleExpect: return portDoubleExpect;
        case CauseKind::OtherCta: return portOtherCta;
        case CauseKind::OtherBarrier: return portOtherBarrier;
        case CauseKind::SurplusBytes: return portSurplusBytes;
        case CauseKind::MissingBytes: return portMissingBytes;
        case CauseKind::ExtraArrival: return extraArrival;
        case CauseKind::CountTooSmall: return countTooSmall;
        case CauseKind::WrongPhase: return wrongPhase;
        case CauseKind::LeftLoopEarly: return leftLoopEarly;
        case CauseKind::ExitedArriver: return exitedArriver;
        case CauseKind::SelfWait: return portSelfWait;
        case CauseKind::CyclicWait: return portCyclicWait;
        case CauseKind::CountTooLarge: return countTooLarge;
        default: return nullptr;  // control flow or memory decides
    }
}

}  // namespace gsu
