// Rules for hangs in which the missing arrival or bytes went to another object, or the object was initialised again.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "exec/causes/root_cause.hpp"
#include "exec/ops/async_ops.hpp"
#include "golden/op_traits.hpp"

namespace gsu::exec {
namespace {

using Step = FutureStep::Kind;

std::uint32_t mostSeen(const MbarHistory& past)
{
    std::uint32_t most = 0;
    for (const auto& [warp, look] : past.looks()) most = std::max(most, look.phases);
    return most;
}

/// Whether somebody waits for the object, or would wait next.
bool awaited(const HangSnapshot& snapshot, const WordAt& object)
{
    for (const WaitNode& n : snapshot.nodes()) {
        if (n.kind == WaitKind::Mbarrier && n.object == object) return true;
        for (const FutureStep& s : n.future.steps) {
            if (s.kind == Step::Waits && s.object == object) return true;
        }
    }
    return false;
}

/// Whether more has arrived at an object than its waiters needed.
bool surplus(const HangSnapshot& snapshot, const WordAt& object)
{
    const MbarHistory& past = snapshot.past(object);
    if (past.looks().empty() && !awaited(snapshot, object)) return true;
    const bool more = std::any_of(past.running().parts.begin(), past.running().parts.end(),
                                  [](const Contribution& p) { return isArriving(p.share); });
    const std::uint32_t unseen = past.phases() - std::min(past.phases(), mostSeen(past));
    return unseen + (more ? 1 : 0) >= 2;
}

const MicroOp* opOf(const HangSnapshot& snapshot, std::uint32_t line)
{
    for (const Site& s : snapshot.sites([&](const MicroOp& op) {
             return op.line == line && (op.kind == Kind::Sync || op.copies);
         }))
        return s.op;
    return nullptr;
}

/// Whether the instruction may act on other CTAs: it names a rank, or has a mask.
bool reachesOthers(const HangSnapshot& snapshot, std::uint32_t line)
{
    const MicroOp* op = opOf(snapshot, line);
    if (op == nullptr) return false;
    if (const SyncInfo* info = snapshot.syncOf(*op); info != nullptr) return info->remote;
    const Row* rows = snapshot.program().rows.data() + op->list;
    return op->fn == tensorCopyOp ||
           (op->fn == cpBulkOp && (rows[5] != kNoRow || op->bulk.toCluster));
}

struct Stray {
    WordAt reached;
    Contribution part;
};

bool gaveTo(const MbarHistory& past, const Doer& doer, bool running)
{
    if (running) {
        const auto& parts = past.running().parts;
        return std::any_of(parts.begin(), parts.end(), [&](const Contribution& p) {
            return p.doer.warp == doer.warp && p.doer.line == doer.line;
        });
    }
    return std::any_of(past.totals().begin(), past.totals().end(), [&](const auto& t) {
        return std::get<1>(t.first) == doer.warp && std::get<2>(t.first) == doer.line;
    });
}

bool wouldPay(const RootCause& c, const WarpId& id)
{
    const auto& payers = c.graph.payers(c.index);
    return std::any_of(payers.begin(), payers.end(),
                       [&](const Payment& p) { return c.snapshot.nodes()[p.by].id() == id; });
}

/// An arrival or bytes of the kind that is missing, in one of the last phases of another object.
std::vector<Stray> straysAt(const RootCause& c, const WordAt& object)
{
    std::vector<Stray> found;
    const bool bytes = c.state().pending == 0;
    const MbarHistory& past = c.snapshot.past(object);
    for (auto phase = past.last().rbegin(); phase != past.last().rend(); ++phase) {
        for (const Contribution& p : phase->parts) {
            const bool fits = bytes ? p.share == Share::Completed : isArriving(p.share);
            if (fits && p.doer.line != 0) found.push_back({object, p});
        }
    }
    return found;
}

std::string reachedText(const RootCause& c, const Stray& s)
{
    const bool bytes = s.part.share == Share::Completed;
    return fmt::format("{} {} of {} at {} reached {}", s.part.amount, bytes ? "bytes" : "arrivals",
                       c.snapshot.warp(s.part.doer.warp), c.snapshot.line(s.part.doer.line),
                       c.snapshot.name(s.reached));
}

Found strayCause(const RootCause& c, CauseKind kind, const Stray& s)
{
    HangCause cause = causeOf(c, kind, s.part.doer.line, {s.part.doer.warp}, s.part.last);
    cause.sentence = fmt::format("{}: {} instead, so {}", lacks(c), reachedText(c, s), forEver(c));
    return cause;
}

/// Whether arrivals or bytes are missing. If bytes came without being announced, none are.
bool due(const RootCause& c)
{
    return c.ofMbar() && !c.root.circle && (c.state().pending != 0 || c.state().tx > 0);
}

}  // namespace

Found reinitialised(const RootCause& c)
{
    if (!c.ofMbar() || c.past().setups().size() < 2) return {};
    const auto& setups = c.past().setups();
    const auto look = c.past().looks().find(c.node.id());
    const bool saw = look != c.past().looks().end();
    for (std::size_t i = setups.size() - 1; i != 0; --i) {
        const MbarSetup& s = setups[i];
        if (saw && look->second.at > s.at) break;
        if (!s.lost && s.phases <= (saw ? look->second.phases : 0)) continue;
        HangCause cause = causeOf(c, CauseKind::Reinitialised, s.doer.line, {s.doer.warp}, s.at);
        cause.sentence = fmt::format(
            "{} was {} at {} by {} at cycle {} (it was begun at cycle {}) before {} had seen phase "
            "{}{}: it is lost, so {}",
            c.snapshot.name(c.node), s.inval ? "invalidated" : "initialised again",
            c.snapshot.line(s.doer.line), c.snapshot.warp(s.doer.warp), s.at, setups[i - 1].at,
            c.snapshot.warp(c.node.id()), s.lost ? s.phases : s.phases - 1,
            s.lostArrivals != 0 ? fmt::format(", of which {} arrivals had come", s.lostArrivals)
                                : "",
            forEver(c));
        return cause;
    }
    return {};
}

namespace {

/// Whether nobody has arrived at the object, and nobody would.
bool forsaken(const RootCause& c)
{
    return c.who.owing().empty() && c.graph.payers(c.index).empty() &&
           std::none_of(c.who.all().begin(), c.who.all().end(),
                        [](const Participant& p) { return p.now; });
}

bool masked(const HangSnapshot& snapshot, const Doer& doer)
{
    const MicroOp* op = opOf(snapshot, doer.line);
    if (op == nullptr || !op->copies) return false;
    const std::uint32_t mask = op->fn == tensorCopyOp ? 4 : 5;
    return snapshot.program().rows[op->list + mask] != kNoRow;
}

/// How well arrivals or bytes at the same offset of another CTA explain what is missing here; 0: not at all.
unsigned straysInstead(const RootCause& c, const Stray& s, const Cta& cta)
{
    const Doer& doer = s.part.doer;
    if (!reachesOthers(c.snapshot, doer.line) || gaveTo(c.past(), doer, true) ||
        wouldPay(c, doer.warp))
        return 0;
    const bool foreign = doer.warp.first != cta.linear, before = gaveTo(c.past(), doer, false);
    if (before) return 4;
    if (s.part.share == Share::Completed) return masked(c.snapshot, doer) || foreign ? 3 : 0;
    if (surplus(c.snapshot, s.reached)) return 3;
    std::set<WarpId> doers;
    for (const auto& [who, total] : c.snapshot.past(s.reached).totals())
        if (isArriving(std::get<0>(who))) doers.insert(std::get<1>(who));
    if (!forsaken(c)) return 0;
    return !foreign || doers.size() > 1 ? 2 : 1;
}

}  // namespace

Found otherCta(const RootCause& c)
{
    if (!due(c) || c.node.cta->cluster == nullptr || c.node.cta->cluster->ctas < 2) return {};
    std::optional<Stray> best;
    unsigned most = 0;
    std::uint32_t reached = 0;
    for (const Cta* cta : c.node.cta->cluster->ranks) {
        if (cta == nullptr || cta == c.node.cta) continue;
        for (const Stray& s : straysAt(c, {cta->serial + 1, c.node.object.at})) {
            const unsigned how = straysInstead(c, s, *cta);
            if (how <= most) continue;
            most = how;
            best = s;
            reached = cta->linear;
        }
    }
    if (!best) return {};
    Found cause = strayCause(c, CauseKind::OtherCta, *best);
    cause->sentence = fmt::format("{}: {}, the same place in CTA {}, not CTA {}, so {}", lacks(c),
                                  reachedText(c, *best), reached, c.node.cta->linear, forEver(c));
    return cause;
}

namespace {

/// Warps that came to another named barrier of the CTA, which is not completed either.
Found otherNamed(const RootCause& c)
{
    if (c.node.kind != WaitKind::Named || c.root.circle || c.node.value == 0) return {};
    const auto id = static_cast<std::uint32_t>(c.node.object.at);
    for (const auto& [other, past] : c.snapshot.history().namedsOf(c.node.cta->serial)) {
        if (other == id || past.running.empty()) continue;
        const WordAt object{c.node.object.owner, other};
        const auto& nodes = c.snapshot.nodes();
        std::uint64_t waiting = 0;
        bool open = true;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (nodes[i].kind != WaitKind::Named || nodes[i].object != object) continue;
            ++waiting;
            open = open && !c.graph.sufficient(i) && nodes[i].value != 0;
        }
        const Doer& doer = past.running.front();
        const bool mine = std::any_of(c.root.waits.begin(), c.root.waits.end(),
                                      [&](std::size_t i) { return nodes[i].id() == doer.warp; });
        if (!open || mine || wouldPay(c, doer.warp)) continue;
        // If two groups miss each other at two barriers, the barrier to which fewer warps came is the wrong one.
        const bool theirs = waiting == 0 || past.running.size() <= c.root.waits.size();
        HangCause cause = causeOf(c, CauseKind::OtherBarrier, doer.line, {doer.warp}, 0);
        if (!theirs) {
            cause.line = c.node.line;
            cause.culprits = {c.node.id()};
        }
        cause.sentence =
            fmt::format("{}: {} came to barrier {} at {} instead, so {}", lacks(c),
                        c.snapshot.warp(doer.warp), other, c.snapshot.line(doer.line), forEver(c));
        return cause;
    }
    return {};
}

/// The polled object was never used, and a completed one is polled by nobody: the waiter polls the wrong one.
Found looksAside(const RootCause& c)
{
    if (!c.past().totals().empty() || !c.who.all().empty()) return {};
    for (const auto& [offset, past] : c.snapshot.history().mbarsOf(c.node.cta->serial)) {
        const WordAt object{c.node.object.owner, offset};
        if (object == c.node.object || past.phases() == 0 || !past.looks().empty() ||
            awaited(c.snapshot, object))
            continue;
        HangCause cause = causeOf(c, CauseKind::OtherBarrier, c.node.line, {c.node.id()}, 0);
        cause.sentence =
            fmt::format("{}, to which nobody arrives, while phase {} of {} is complete and seen by "
                        "nobody: {} looks at the wrong one, so {}",
                        lacks(c), past.phases() - 1, c.snapshot.name(object),
                        c.snapshot.warp(c.node.id()), forEver(c));
        return cause;
    }
    return {};
}

bool owes(const RootCause& c, const WarpId& id)
{
    const auto owing = c.who.owing();
    return owing.empty() || std::any_of(owing.begin(), owing.end(),
                                        [&](const Participant& p) { return p.id == id; });
}

}  // namespace

Found otherBarrier(const RootCause& c)
{
    if (c.node.kind == WaitKind::Named) return otherNamed(c);
    if (!due(c)) return {};
    if (Found aside = looksAside(c)) return aside;
    const bool bytes = c.state().pending == 0;
    for (const auto& [offset, past] : c.snapshot.history().mbarsOf(c.node.cta->serial)) {
        const WordAt object{c.node.object.owner, offset};
        if (object == c.node.object) continue;
        const MbarState other = c.snapshot.mbar(object);
        for (const Stray& s : straysAt(c, object)) {
            const Doer& doer = s.part.doer;
            if (bytes) {
                if (other.tx >= 0 && (awaited(c.snapshot, object) || !past.looks().empty()))
                    continue;
            } else if (gaveTo(c.past(), doer, true) || wouldPay(c, doer.warp) ||
                       !owes(c, doer.warp) || !surplus(c.snapshot, object)) {
                continue;
            }
            return strayCause(c, CauseKind::OtherBarrier, s);
        }
    }
    return {};
}

}  // namespace gsu::exec
