/// One root of a hang on its way through the rules, and what rules are made of.
#pragma once
#include "exec/causes/participants.hpp"

namespace gsu::exec {

/// What a rule looks at: a root wait, of a circle each one in turn.
struct Case {
    const Scene& scene;
    const WaitGraph& graph;
    const WaitRoot& root;
    std::size_t index;  ///< the node that is looked at
    const WaitNode& node;
    const Participants& who;

    [[nodiscard]] MbarState state() const { return scene.mbar(node.object); }
    [[nodiscard]] const MbarHistory& past() const { return scene.past(node.object); }
    [[nodiscard]] bool ofMbar() const noexcept { return node.kind == WaitKind::Mbarrier; }
};

using Found = std::optional<HangCause>;
using Rule = Found (*)(const Case&);

/// A cause of the object that the case waits for.
[[nodiscard]] HangCause causeOf(const Case& c, CauseKind kind, std::uint32_t line,
                                std::vector<WarpId> culprits, Cycle cycle);
/// "mbarrier full[0] (CTA 0 +8) lacks 32 of 32 arrivals of phase 1"
[[nodiscard]] std::string lacks(const Case& c);
/// "so warp 0 waits at line 35 for ever."
[[nodiscard]] std::string forEver(const Case& c);

// The rules, by the groups of causes.def; each gives nothing where it does not apply.
[[nodiscard]] Found divergedLanes(const Case& c);
[[nodiscard]] Found lockAcrossBarrier(const Case& c);
[[nodiscard]] Found lockNotReleased(const Case& c);
[[nodiscard]] Found gridNotSignalled(const Case& c);
[[nodiscard]] Found notResident(const Case& c);
[[nodiscard]] Found reinitialised(const Case& c);
[[nodiscard]] Found doubleExpect(const Case& c);
[[nodiscard]] Found otherCta(const Case& c);
[[nodiscard]] Found otherBarrier(const Case& c);
[[nodiscard]] Found surplusBytes(const Case& c);
[[nodiscard]] Found missingBytes(const Case& c);
[[nodiscard]] Found extraArrival(const Case& c);
[[nodiscard]] Found countTooSmall(const Case& c);
[[nodiscard]] Found wrongPhase(const Case& c);
[[nodiscard]] Found leftLoopEarly(const Case& c);
[[nodiscard]] Found exitedArriver(const Case& c);
[[nodiscard]] Found missingArrival(const Case& c);
[[nodiscard]] Found selfWait(const Case& c);
[[nodiscard]] Found cyclicWait(const Case& c);
[[nodiscard]] Found countTooLarge(const Case& c);
[[nodiscard]] Found flagNotSet(const Case& c);

}  // namespace gsu::exec
