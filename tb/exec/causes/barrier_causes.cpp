// Missing arrivals: exited warps, passed arrivals, counts that are too large.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/counted.hpp"
#include "exec/causes/root_cause.hpp"
#include "golden/op_traits.hpp"

namespace gsu::exec {
namespace {

/// Objects with participants: barriers, and words that warps add to and poll.
bool counts(const RootCause& c)
{
    if (c.root.circle || c.node.kind == WaitKind::Grid || c.node.kind == WaitKind::Fence ||
        c.node.kind == WaitKind::Columns)
        return false;
    if (c.ofMbar() && c.state().pending == 0) return false;
    if (c.node.kind != WaitKind::Spin) return true;
    const auto& all = c.who.all();
    return std::any_of(all.begin(), all.end(), [](const Participant& p) {
        return p.site.op != nullptr && p.site.op->touch == Touch::Updates;
    });
}

/// The smallest loop of the arrival that does more than poll.
const Loop* loopOf(const RootCause& c, const Participant& p)
{
    if (p.site.op == nullptr) return nullptr;
    const auto loops = c.snapshot.flow().around(p.site.code, p.site.pc);
    return loops.empty() ? nullptr : loops.front();
}

bool outside(const Participant& p, const Loop& loop)
{
    if (p.ended || p.warp == nullptr) return true;
    return std::none_of(p.warp->groups.begin(), p.warp->groups.end(), [&](const Group& g) {
        return g.code != p.site.code || loop.has(g.pc) || (g.pc != 0 && loop.has(g.pc - 1));
    });
}

/// The branch by which it left the loop, or the exit in it.
std::uint32_t leftBy(const RootCause& c, const Participant& p, const Loop& loop, Cycle& at)
{
    std::uint32_t line = p.endLine;
    at = p.at;
    Cycle last = 0;
    const auto& ops = c.snapshot.program().codes[p.site.code].ops;
    for (std::uint32_t pc = 0; pc < ops.size(); ++pc) {
        if (!loop.has(pc)) continue;
        const OpNote* n =
            ops[pc].note == 0 || p.notes == nullptr ? nullptr : &p.notes[ops[pc].note - 1];
        if (n == nullptr || n->times == 0 || n->at < last) continue;
        const bool exit = ops[pc].kind == Kind::Exit || ops[pc].kind == Kind::Ret;
        const std::uint32_t to = c.snapshot.flow().wayOut(p.site.code, loop, pc);
        const bool fell = to == pc + 1 && ops[pc].target != to;
        if (!exit && (to == ptx::kNone || (fell ? n->skipped : n->ran) == 0)) continue;
        last = n->at;
        line = ops[pc].line;
        at = n->at;
    }
    return line;
}

std::vector<WarpId> idsOf(const std::vector<Participant>& some)
{
    std::vector<WarpId> ids;
    for (const Participant& p : some) ids.push_back(p.id);
    return ids;
}

}  // namespace

Found leftLoopEarly(const RootCause& c)
{
    if (!counts(c)) return {};
    std::vector<Participant> left;
    for (const Participant& p : c.who.owing()) {
        const Loop* loop = p.notes != nullptr ? loopOf(c, p) : nullptr;
        if (loop != nullptr && p.before && p.times != 0 && outside(p, *loop)) left.push_back(p);
    }
    if (left.empty()) return {};
    const Participant& p = left.front();
    Cycle at = 0;
    const std::uint32_t line = leftBy(c, p, *loopOf(c, p), at);
    HangCause cause = causeOf(c, CauseKind::LeftLoopEarly, line, idsOf(left), at);
    const std::uint32_t stages = static_cast<std::uint32_t>(c.who.ring().size());
    cause.sentence =
        fmt::format("{}: {} left the loop with the arrival of {} by {} after {}, and round "
                    "{} is needed{}, so {}",
                    lacks(c), c.snapshot.warps(idsOf(left)), c.snapshot.line(p.site.op->line),
                    c.snapshot.line(line), counted(p.times, "round"), p.times + 1,
                    stages > 1 ? fmt::format(" (ring of {} stages)", stages) : "", forEver(c));
    return cause;
}

namespace {

/// Lanes that ended without the arrival that all others of their warp made.
Lanes endedBefore(const Participant& p)
{
    if (p.warp == nullptr || !p.now) return 0;
    const Lanes gone = p.warp->full & ~p.warp->live & ~p.ran;
    const auto threads = static_cast<std::uint64_t>(std::popcount(p.warp->full & ~gone));
    return p.given == threads ? gone : 0;
}

/// Lanes that had exited are exactly what is missing.
Found exitedLanes(const RootCause& c)
{
    if (!c.ofMbar()) return {};
    std::vector<WarpId> ids;
    const Participant* first = nullptr;
    std::uint64_t missed = 0;
    for (const Participant& p : c.who.all()) {
        const Lanes gone = endedBefore(p);
        if (gone == 0) continue;
        missed += static_cast<std::uint64_t>(std::popcount(gone));
        ids.push_back(p.id);
        if (first == nullptr) first = &p;
    }
    if (first == nullptr || missed != c.state().pending) return {};
    const CtaNotes* notes = c.snapshot.history().notesOf(first->warp->cta->serial);
    if (notes == nullptr) return {};
    const HangSnapshot::Exit exit =
        c.snapshot.lastExit(*notes, first->id.second, endedBefore(*first));
    HangCause cause = causeOf(c, CauseKind::ExitedArriver, exit.line, ids, exit.at);
    cause.sentence =
        fmt::format("{}: {} of {} exited at {} without the arrival of {}, so {}", lacks(c),
                    counted(missed, "lane"), c.snapshot.warps(ids), c.snapshot.line(exit.line),
                    c.snapshot.line(first->site.op->line), forEver(c));
    return cause;
}

}  // namespace

Found exitedArriver(const RootCause& c)
{
    if (!counts(c)) return {};
    const auto ended = [](std::vector<Participant> some) {
        std::erase_if(some, [](const Participant& p) { return !p.ended; });
        return some;
    };
    std::vector<Participant> gone = ended(c.who.owing());
    if (gone.empty() && c.who.owing().empty()) gone = ended(c.who.aside());
    if (gone.empty()) return exitedLanes(c);
    const Participant& p = gone.front();
    const std::uint32_t line = p.endLine != 0 ? p.endLine : p.wayBy;
    HangCause cause = causeOf(c, CauseKind::ExitedArriver, line, idsOf(gone), p.at);
    cause.sentence =
        fmt::format("{}: {} exited at {} without {}, so {}", lacks(c),
                    c.snapshot.warps(idsOf(gone)), c.snapshot.line(line),
                    p.site.op != nullptr ? "the arrival of " + c.snapshot.line(p.site.op->line)
                                         : "having arrived",
                    forEver(c));
    return cause;
}

namespace {

/// Lanes whose guard at the arrival was false are exactly what is missing.
bool byLanes(const RootCause& c, std::vector<Participant>& some)
{
    if (!c.ofMbar()) return false;
    std::uint64_t missed = 0;
    for (const Participant& p : c.who.all()) {
        if (!p.now || p.site.op == nullptr || p.skipped == 0) continue;
        missed += static_cast<std::uint64_t>(__builtin_popcount(p.skipped));
        some.push_back(p);
    }
    return missed != 0 && missed == c.state().pending;
}

std::string howPassed(const RootCause& c, const Participant& p)
{
    if (p.site.op == nullptr) return "does not come to it";
    const std::string arrival = c.snapshot.line(p.site.op->line);
    if (p.guarded) return fmt::format("passed the arrival at {} with its guard false", arrival);
    if (p.wayBy != 0)
        return fmt::format("passed the arrival at {} by the branch of {}", arrival,
                           c.snapshot.line(p.wayBy));
    return fmt::format("does not come to the arrival at {} again", arrival);
}

}  // namespace

namespace {

/// For a circle: the warp that would arrive now has passed an arrival there before, which would have released everybody.
Found missedARound(const RootCause& c)
{
    if (!c.ofMbar()) return {};
    for (const Payment& p : c.graph.payers(c.index)) {
        const WaitNode& by = c.snapshot.nodes()[p.by];
        for (const Site& s : c.snapshot.sites(
                 [&](const MicroOp& op) { return op.kind == Kind::Sync && op.line == p.line; })) {
            const OpNote* n = c.snapshot.noteOf(*by.warp, *s.op);
            if (n == nullptr || n->passed == 0 || n->times == 0) continue;
            HangCause cause = causeOf(c, CauseKind::MissingArrival, p.line, {by.id()}, n->passedAt);
            cause.sentence = fmt::format(
                "{}: {} passed the arrival at {} with its guard false {} (last "
                "at cycle {}) and made it {}, so {}",
                lacks(c), c.snapshot.warp(by.id()), c.snapshot.line(p.line),
                counted(n->passed, "time"), n->passedAt, counted(n->times, "time"), forEver(c));
            return cause;
        }
    }
    return {};
}

/// An mbarrier at which nobody has ever arrived, or would.
Found nobodyArrives(const RootCause& c)
{
    if (!c.ofMbar() || !c.graph.payers(c.index).empty()) return {};
    const auto& totals = c.past().totals();
    if (std::any_of(totals.begin(), totals.end(),
                    [](const auto& t) { return isArriving(std::get<0>(t.first)); }))
        return {};
    HangCause cause = causeOf(c, CauseKind::MissingArrival, c.node.line, {}, 0);
    cause.sentence = fmt::format("{}: nobody has ever arrived there, and nobody that still runs "
                                 "would, so {}",
                                 lacks(c), forEver(c));
    return cause;
}

}  // namespace

Found missingArrival(const RootCause& c)
{
    if (c.root.circle) return missedARound(c);
    if (!counts(c)) return {};
    std::vector<Participant> passed = c.who.owing();
    std::erase_if(passed, [](const Participant& p) { return p.ended; });
    std::vector<Participant> lanes;
    if (passed.empty() && byLanes(c, lanes)) {
        const Participant& p = lanes.front();
        HangCause cause =
            causeOf(c, CauseKind::MissingArrival, p.site.op->line, idsOf(lanes), p.at);
        cause.sentence = fmt::format(
            "{}: the guard of the arrival at {} was false for {} of {}, so {}", lacks(c),
            c.snapshot.line(p.site.op->line), counted(__builtin_popcount(p.skipped), "lane"),
            lanes.size() == 1 ? "the warp" : fmt::format("each of {} warps", lanes.size()),
            forEver(c));
        return cause;
    }
    const std::vector<Participant> aside =
        passed.empty() || !passed.front().guarded ? c.who.aside() : std::vector<Participant>{};
    if (passed.empty()) passed = aside;
    if (passed.empty()) return nobodyArrives(c);
    Participant& p = passed.front();
    for (const Participant& q : aside) {
        if (q.id == p.id && !p.guarded)
            p.wayBy = q.wayBy, p.at = std::max(p.at, q.at), p.site = q.site;
    }
    const std::uint32_t line = p.guarded && p.site.op != nullptr ? p.site.op->line
                               : p.wayBy != 0                    ? p.wayBy
                               : p.site.op != nullptr            ? p.site.op->line
                                                                 : c.node.line;
    HangCause cause = causeOf(c, CauseKind::MissingArrival, line, idsOf(passed), p.at);
    cause.sentence = fmt::format("{}: {} {}, so {}", lacks(c), c.snapshot.warps(idsOf(passed)),
                                 howPassed(c, p), forEver(c));
    return cause;
}

Found countTooLarge(const RootCause& c)
{
    if (!counts(c) || c.node.kind == WaitKind::Cluster || c.node.kind == WaitKind::Warp) return {};
    std::uint64_t arrived = 0, threads = 0, count = 0;
    std::uint32_t line = c.node.line;
    for (const Participant& p : c.who.all()) {
        threads +=
            p.warp == nullptr ? 0 : static_cast<std::uint64_t>(__builtin_popcount(p.warp->full));
        arrived += p.now ? 1 : 0;
    }
    if (c.ofMbar()) {
        const MbarState s = c.state();
        count = s.expected;
        arrived = s.expected - s.pending;
        if (!c.past().setups().empty()) line = c.past().setups().back().doer.line;
    } else if (c.node.kind == WaitKind::Named) {
        arrived *= 32;
        count = c.node.value;
    } else {
        arrived = c.node.value;
        for (std::uint64_t v = c.node.value + 1; v < c.node.value + 4096 && count == 0; ++v)
            if (c.snapshot.ahead().exitsWith(*c.node.warp, *c.node.group, c.node.pollPc, v))
                count = v;
        if (count == 0) return {};  // it polls for something else than a count
    }
    HangCause cause = causeOf(c, CauseKind::CountTooLarge, line, {}, 0);
    cause.sentence =
        fmt::format("{}: the count {} of {} is more than ever arrives: {} {} "
                    "arrived, every participant has ({}), so {}",
                    lacks(c), count, c.snapshot.line(line), arrived, arrived == 1 ? "has" : "have",
                    counted(threads, "thread"), forEver(c));
    return cause;
}

}  // namespace gsu::exec
