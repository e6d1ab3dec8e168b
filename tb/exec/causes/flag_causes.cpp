// Words of ordinary memory that nobody sets.
#include <fmt/format.h>

#include <algorithm>

#include "exec/causes/root_cause.hpp"

namespace gsu::exec {
namespace {

/// A store or atomic that wrote another value than the awaited one.
struct Writer {
    WarpId id;
    const MicroOp* op{};
    OpNote note;
    bool same{};  ///< of the very word
    bool ended{};
    std::uint32_t endLine{};
};

std::optional<Writer> writerOf(const RootCause& c)
{
    const auto sites = c.snapshot.sites([](const MicroOp& op) {
        return op.note != 0 && (op.touch == Touch::Writes || op.touch == Touch::Updates);
    });
    const std::uint32_t count = c.snapshot.history().notes();
    const bool shared = c.node.object.owner != 0;
    std::optional<Writer> best;
    c.snapshot.history().eachCta([&](const CtaNotes& notes) {
        if (shared && notes.serial + 1 != c.node.object.owner) return;
        for (std::uint32_t w = 0; w < notes.ends.size(); ++w) {
            for (const Site& s : sites) {
                const OpNote& n = notes.ops[std::size_t{w} * count + s.op->note - 1];
                if (n.times == 0 || WarpId{notes.linear, w} == c.node.id()) continue;
                const std::uint64_t at = shared ? n.address & 0xff'ffff : n.address;
                const bool same = at == c.node.object.at;
                constexpr std::uint64_t kNear = 256;
                if (!same && at - c.node.object.at + kNear > 2 * kNear) continue;
                const bool better =
                    !best || (same && !best->same) || (same == best->same && n.at >= best->note.at);
                if (better)
                    best = Writer{{notes.linear, w}, s.op, n, same, notes.ends[w].lanes != 0,
                                  notes.ends[w].line};
            }
        }
    });
    return best;
}

}  // namespace

Found endlessLoop(const RootCause& c)
{
    if (c.node.endless == Endless::No) return {};
    std::vector<WarpId> who;
    for (const std::size_t i : c.root.waits)
        if (c.graph.sameObject(i, c.index)) who.push_back(c.snapshot.nodes()[i].id());
    HangCause cause = causeOf(c, CauseKind::EndlessLoop, c.node.line, std::move(who), 0);
    cause.sentence = fmt::format(
        "{} {}, so {} never leave{} it.", c.snapshot.name(c.node),
        c.node.endless == Endless::Closed
            ? "has no way out"
            : "reads no memory that others could change, and its registers come back to the same "
              "values",
        c.snapshot.warps(cause.culprits), cause.culprits.size() == 1 ? "s" : "");
    return cause;
}

Found flagNotSet(const RootCause& c)
{
    if (c.node.kind != WaitKind::Spin || c.node.wordless()) return {};
    const auto writer = writerOf(c);
    std::vector<Participant> passed;
    if (!writer || !writer->same) {
        passed = c.who.owing();
        if (passed.empty()) passed = c.who.aside();
    }
    const bool guarded = !passed.empty() && passed.front().site.op != nullptr;
    const std::uint32_t line = guarded                           ? passed.front().site.op->line
                               : writer && writer->op != nullptr ? writer->op->line
                                                                 : c.node.line;
    std::vector<WarpId> who;
    if (guarded)
        who = {passed.front().id};
    else
        who = {writer ? writer->id : c.node.id()};
    HangCause cause = causeOf(c, CauseKind::FlagNotSet, line, who, writer ? writer->note.at : 0);
    std::string how = "nobody writes it";
    if (guarded)
        how = fmt::format(
            "{} passed the store at {}{}", c.snapshot.warp(who.front()), c.snapshot.line(line),
            passed.front().ended
                ? fmt::format(" and ended at {}", c.snapshot.line(passed.front().endLine))
                : "");
    else if (writer && writer->same)
        how = fmt::format("{} wrote {} last, at {}", c.snapshot.warp(who.front()),
                          writer->note.value, c.snapshot.line(line));
    else if (writer)
        how = fmt::format("nobody writes it, {} wrote {} at {:#x} by {}",
                          c.snapshot.warp(who.front()), writer->note.value, writer->note.address,
                          c.snapshot.line(line));
    cause.sentence = fmt::format("{}, which the loop of {} does not leave with: {}, and nobody "
                                 "runs that can still write it, so {}",
                                 lacks(c), c.snapshot.line(c.node.line), how, forEver(c));
    return cause;
}

}  // namespace gsu::exec
