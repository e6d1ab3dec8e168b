#include "exec/causes/root_cause.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "causes/mbar_text.hpp"

namespace gsu::exec {

HangCause causeOf(const RootCause& c, CauseKind kind, std::uint32_t line,
                  std::vector<WarpId> culprits, Cycle cycle)
{
    std::sort(culprits.begin(), culprits.end());
    culprits.erase(std::unique(culprits.begin(), culprits.end()), culprits.end());
    HangCause cause;
    cause.kind = nameOf(kind);
    cause.line = line;
    cause.culprits = std::move(culprits);
    cause.on = c.node.kind;
    cause.cta = c.node.cta->linear;
    cause.sm = c.node.cta->launch.sm;
    if (const Cta* owner = c.snapshot.ownerOf(c.node.object);
        owner != nullptr && c.node.kind == WaitKind::Spin) {
        cause.cta = owner->linear;
        cause.sm = owner->launch.sm;
    }
    cause.shared = c.node.object.owner != 0;
    cause.word = !c.node.wordless();
    cause.address = c.node.object.at;
    if (c.node.kind == WaitKind::Named) cause.id = static_cast<std::uint32_t>(c.node.object.at);
    cause.cycle = cycle != 0 ? cycle : c.node.since;
    return cause;
}

std::string lacks(const RootCause& c)
{
    const std::string name = c.snapshot.name(c.node);
    if (c.node.kind == WaitKind::Mbarrier) {
        return lacksOf(name, packMbar(c.state()), fmt::format("phase {}", c.past().phases()));
    }
    if (c.node.kind == WaitKind::Named) {
        const std::uint64_t* word =
            c.node.cta->words.named(static_cast<std::uint32_t>(c.node.object.at));
        const std::string state = word == nullptr ? std::string{} : namedText(*word);
        return fmt::format("{} is not complete{}", name, state);
    }
    if (c.node.wordless()) return name + " does not change any more";
    if (c.node.kind == WaitKind::Spin) return fmt::format("{} holds {}", name, c.node.value);
    if (c.node.kind == WaitKind::Columns) return name + " are not free";
    return name + " is not complete";
}

std::string forEver(const RootCause& c)
{
    std::vector<WarpId> ids;
    for (const std::size_t i : c.root.waits) {
        const WaitNode& n = c.snapshot.nodes()[i];
        if (c.graph.sameObject(i, c.index) &&
            std::find(ids.begin(), ids.end(), n.id()) == ids.end())
            ids.push_back(n.id());
    }
    return fmt::format("{} wait{} at {} for ever.", c.snapshot.warps(ids),
                       ids.size() == 1 ? "s" : "", c.snapshot.line(c.node.line));
}

}  // namespace gsu::exec
