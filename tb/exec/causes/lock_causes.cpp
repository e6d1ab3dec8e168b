// Locks: the last holder, and the reason why it keeps the lock.
#include <fmt/format.h>

#include <algorithm>

#include "exec/causes/root_cause.hpp"
#include "exec/ops/mem_ops.hpp"

namespace gsu::exec {
namespace {

struct Holder {
    WarpId id;
    Warp* warp{};                    ///< nullptr: its CTA has left
    std::uint32_t taken{}, ended{};  ///< lines
    Cycle at{};
    Lanes lanes{};  ///< that took it
};

bool holds(const OpNote& n, const WordAt& word)
{
    const std::uint64_t at = word.owner != 0 ? n.address & 0xff'ffff : n.address;
    return n.times != 0 && at == word.at;
}

/// The effect of a note on the word: it took the lock, or released it.
void noteLock(const RootCause& c, const Site& s, const OpNote& n, Cycle& taken, Cycle& released,
              Holder& h)
{
    if (!holds(n, c.node.object)) return;
    const bool atom = s.op->fn == atomOp && s.op->count != 0;
    const bool exchanges = s.op->fn != atomOp || s.op->atom.kind == AtomOp::Exch;
    const bool frees = exchanges && c.snapshot.ahead().exitsWith(*c.node.warp, *c.node.group,
                                                                 c.node.pollPc, n.value);
    if (!atom || frees) {
        released = std::max(released, n.at);
    } else if (n.at >= taken) {
        taken = n.at;
        h.taken = s.op->line;
        h.lanes = n.ran;
    }
}

/// The warp that took the lock last and has not released it.
std::optional<Holder> holderOf(const RootCause& c)
{
    const auto sites = c.snapshot.sites([](const MicroOp& op) {
        return op.note != 0 && (op.touch == Touch::Writes || op.touch == Touch::Updates);
    });
    std::optional<Holder> best;
    const std::uint32_t count = c.snapshot.history().notes();
    c.snapshot.history().eachCta([&](const CtaNotes& notes) {
        for (std::uint32_t w = 0; w < notes.ends.size(); ++w) {
            Holder h{{notes.linear, w}, nullptr, 0, 0, 0};
            Cycle taken = 0, released = 0;
            for (const Site& s : sites)
                noteLock(c, s, notes.ops[std::size_t{w} * count + s.op->note - 1], taken, released,
                         h);
            const auto& nodes = c.snapshot.nodes();
            const bool spins = std::any_of(nodes.begin(), nodes.end(), [&](const WaitNode& n) {
                return !notes.gone && n.id() == h.id && n.lock && n.object == c.node.object;
            });
            if (taken == 0 || released > taken || spins || (best && best->at >= taken)) continue;
            h.at = taken;
            h.ended = notes.ends[w].lanes == 0 ? 0 : c.snapshot.exitLine(notes, w, h.lanes);
            h.warp = notes.gone ? nullptr : c.snapshot.warpOf(h.id);
            best = h;
        }
    });
    return best;
}

const WaitNode* nodeOf(const RootCause& c, const Holder& h, std::size_t& index)
{
    for (index = 0; index < c.snapshot.nodes().size(); ++index) {
        if (h.warp != nullptr && c.snapshot.nodes()[index].warp == h.warp)
            return &c.snapshot.nodes()[index];
    }
    return nullptr;
}

bool releases(const RootCause& c, const WaitNode& holder)
{
    return std::any_of(holder.future.steps.begin(), holder.future.steps.end(),
                       [&](const FutureStep& s) {
                           const bool writes = s.kind == FutureStep::Kind::Writes ||
                                               s.kind == FutureStep::Kind::Updates;
                           return writes && s.object == c.node.object;
                       });
}

}  // namespace

Found lockAcrossBarrier(const RootCause& c)
{
    if (!c.node.lock) return {};
    const auto h = holderOf(c);
    std::size_t index = 0;
    const WaitNode* wait = h ? nodeOf(c, *h, index) : nullptr;
    if (wait == nullptr || wait->lock || wait->object == c.node.object ||
        wait->kind == WaitKind::Grid || wait->kind == WaitKind::Fence)
        return {};
    const auto& payers = c.graph.payers(index);
    const bool needed = std::any_of(payers.begin(), payers.end(), [&](const Payment& p) {
        const WaitNode& n = c.snapshot.nodes()[p.by];
        return n.kind == WaitKind::Spin && n.object == c.node.object;
    });
    if (!needed) return {};
    HangCause cause =
        causeOf(c, CauseKind::LockAcrossBarrier, wait->line, {h->id}, std::max(h->at, wait->since));
    cause.sentence =
        fmt::format("{} took the lock {} at {} and waits with it at {} for {}, where {} is "
                    "awaited, which spins on the lock at {}: neither continues.",
                    c.snapshot.warp(h->id), c.snapshot.name(c.node.object),
                    c.snapshot.line(h->taken), c.snapshot.line(wait->line), c.snapshot.name(*wait),
                    c.snapshot.warp(c.node.id()), c.snapshot.line(c.node.line));
    return cause;
}

Found lockNotReleased(const RootCause& c)
{
    if (!c.node.lock) return {};
    const auto h = holderOf(c);
    if (!h) return {};
    std::size_t index = 0;
    const WaitNode* wait = nodeOf(c, *h, index);
    if (wait != nullptr && releases(c, *wait)) return {};
    const bool ended = wait == nullptr;
    HangCause cause = causeOf(c, CauseKind::LockNotReleased,
                              ended && h->ended != 0 ? h->ended : h->taken, {h->id}, h->at);
    cause.sentence = fmt::format(
        "the lock {} was taken by {} at {}, which {}, so {}", c.snapshot.name(c.node.object),
        c.snapshot.warp(h->id), c.snapshot.line(h->taken),
        ended ? "exited at " + c.snapshot.line(h->ended) + " without giving it back"
              : "has passed its release and waits at " + c.snapshot.line(wait->line),
        forEver(c));
    return cause;
}

}  // namespace gsu::exec
