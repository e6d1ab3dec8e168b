/// One root of a hang on its way through the rules that a port can decide.
#pragma once
#include "causes/port_causes.hpp"

namespace gsu {

struct PortRootCause {
    const PortSnapshot& snapshot;
    const WaitRoot& root;
    const PortWait& wait;
    std::size_t index;

    [[nodiscard]] bool ofMbar() const noexcept { return wait.kind == WaitKind::Mbarrier; }
    [[nodiscard]] MbarState state() const { return snapshot.state(wait); }
    [[nodiscard]] const MbarHistory& past() const { return snapshot.mbar(wait).past; }
};
using PortFound = std::optional<PortCause>;
using PortRule = PortFound (*)(const PortRootCause&);

[[nodiscard]] PortCause causeOf(const PortRootCause& c, CauseKind kind, std::uint32_t line,
                                std::vector<WarpId> culprits, Cycle cycle);
/// "the mbarrier at +0x18 of SM 0 CTA 0 lacks 32 of 32 arrivals of phase 1"
[[nodiscard]] std::string lacks(const PortRootCause& c);
/// "so warp 0 waits at line 35 for ever."
[[nodiscard]] std::string forEver(const PortRootCause& c);
/// The rule that finds this kind; nullptr: a port alone never decides it.
[[nodiscard]] PortRule portRuleOf(CauseKind kind) noexcept;

// Rules by their subject; each returns nothing where it does not apply, or where the port does not decide.
[[nodiscard]] PortFound portReinitialised(const PortRootCause& c);
[[nodiscard]] PortFound portDoubleExpect(const PortRootCause& c);
[[nodiscard]] PortFound portOtherCta(const PortRootCause& c);
[[nodiscard]] PortFound portOtherBarrier(const PortRootCause& c);
[[nodiscard]] PortFound portSurplusBytes(const PortRootCause& c);
[[nodiscard]] PortFound portMissingBytes(const PortRootCause& c);
[[nodiscard]] PortFound portDivergedLanes(const PortRootCause& c);
[[nodiscard]] PortFound portSelfWait(const PortRootCause& c);
[[nodiscard]] PortFound portCyclicWait(const PortRootCause& c);
[[nodiscard]] PortFound portNotResident(const PortRootCause& c);
[[nodiscard]] PortFound portGridNotSignalled(const PortRootCause& c);

}  // namespace gsu
