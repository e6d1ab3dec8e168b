/// One root of a hang on its way through the rules that a port can decide.
#pragma once
#include "causes/port_causes.hpp"

namespace gsu {

struct PortCase {
    const PortScene& scene;
    const WaitRoot& root;
    const PortWait& wait;
    std::size_t index;

    [[nodiscard]] bool ofMbar() const noexcept { return wait.kind == WaitKind::Mbarrier; }
    [[nodiscard]] MbarState state() const { return scene.state(wait); }
    [[nodiscard]] const MbarHistory& past() const { return scene.mbar(wait).past; }
};
using PortFound = std::optional<PortCause>;
using PortRule = PortFound (*)(const PortCase&);

[[nodiscard]] PortCause causeOf(const PortCase& c, CauseKind kind, std::uint32_t line,
                                std::vector<WarpId> culprits, Cycle cycle);
/// "the mbarrier at +24 of SM 0 CTA 0 lacks 32 of 32 arrivals of phase 1"
[[nodiscard]] std::string lacks(const PortCase& c);
/// "so warp 0 waits at line 35 for ever."
[[nodiscard]] std::string forEver(const PortCase& c);
/// nullptr: a port alone never decides this kind.
[[nodiscard]] PortRule portRuleOf(CauseKind kind) noexcept;

// Rules by what they look at; each gives nothing where it does not apply, or where the port does not decide.
[[nodiscard]] PortFound portReinitialised(const PortCase& c);
[[nodiscard]] PortFound portDoubleExpect(const PortCase& c);
[[nodiscard]] PortFound portOtherCta(const PortCase& c);
[[nodiscard]] PortFound portOtherBarrier(const PortCase& c);
[[nodiscard]] PortFound portSurplusBytes(const PortCase& c);
[[nodiscard]] PortFound portMissingBytes(const PortCase& c);
[[nodiscard]] PortFound portDivergedLanes(const PortCase& c);
[[nodiscard]] PortFound portSelfWait(const PortCase& c);
[[nodiscard]] PortFound portCyclicWait(const PortCase& c);
[[nodiscard]] PortFound portNotResident(const PortCase& c);
[[nodiscard]] PortFound portGridNotSignalled(const PortCase& c);

}  // namespace gsu
