/// One root of a hang while the rules are applied to it, and the helpers that the rules use.
#pragma once
#include "exec/causes/participants.hpp"

namespace gsu::exec {

/// The case of a rule: a root wait; of a circle each wait in turn.
struct RootCause {
    const HangSnapshot& snapshot;
    const WaitGraph& graph;
    const WaitRoot& root;
    std::size_t index;  ///< the examined node
    const WaitNode& node;
    const Participants& who;

    [[nodiscard]] MbarState state() const { return snapshot.mbar(node.object); }
    [[nodiscard]] const MbarHistory& past() const { return snapshot.past(node.object); }
    [[nodiscard]] bool ofMbar() const noexcept { return node.kind == WaitKind::Mbarrier; }
};

using Found = std::optional<HangCause>;
using Rule = Found (*)(const RootCause&);

/// A cause at the object that the case waits for.
[[nodiscard]] HangCause causeOf(const RootCause& c, CauseKind kind, std::uint32_t line,
                                std::vector<WarpId> culprits, Cycle cycle);
/// "mbarrier full[0] (CTA 0 +0x8) lacks 32 of 32 arrivals of phase 1"
[[nodiscard]] std::string lacks(const RootCause& c);
/// "so warp 0 waits at line 35 for ever."
[[nodiscard]] std::string forEver(const RootCause& c);

// The rules, by the groups of causes.def; each returns nothing where it does not apply.
[[nodiscard]] Found divergedLanes(const RootCause& c);
[[nodiscard]] Found lockAcrossBarrier(const RootCause& c);
[[nodiscard]] Found lockNotReleased(const RootCause& c);
[[nodiscard]] Found gridNotSignalled(const RootCause& c);
[[nodiscard]] Found notResident(const RootCause& c);
[[nodiscard]] Found reinitialised(const RootCause& c);
[[nodiscard]] Found doubleExpect(const RootCause& c);
[[nodiscard]] Found otherCta(const RootCause& c);
[[nodiscard]] Found otherBarrier(const RootCause& c);
[[nodiscard]] Found surplusBytes(const RootCause& c);
[[nodiscard]] Found missingBytes(const RootCause& c);
[[nodiscard]] Found extraArrival(const RootCause& c);
[[nodiscard]] Found countTooSmall(const RootCause& c);
[[nodiscard]] Found wrongPhase(const RootCause& c);
[[nodiscard]] Found leftLoopEarly(const RootCause& c);
[[nodiscard]] Found exitedArriver(const RootCause& c);
[[nodiscard]] Found missingArrival(const RootCause& c);
[[nodiscard]] Found selfWait(const RootCause& c);
[[nodiscard]] Found cyclicWait(const RootCause& c);
[[nodiscard]] Found countTooLarge(const RootCause& c);
[[nodiscard]] Found flagNotSet(const RootCause& c);
[[nodiscard]] Found endlessLoop(const RootCause& c);

}  // namespace gsu::exec
