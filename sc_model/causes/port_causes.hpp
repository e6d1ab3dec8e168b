/// Why a unit hangs, as far as its port shows: the kinds of causes.def that need neither control flow nor memory, else `unknown` with the reason.
#pragma once
#include <string>
#include <vector>

#include "causes/cause_kinds.hpp"
#include "causes/port_snapshot.hpp"

namespace gsu {

struct PortCause {
    CauseKind kind{CauseKind::Unknown};
    /// line of the instruction that should have been different; 0: not known
    std::uint32_t line{};
    std::vector<WarpId> culprits;  ///< CTA by SM * 32 + slot
    PortWait on;                   ///< the root wait
    std::string sentence;
    Cycle cycle{};  ///< first cycle at which the hang could no longer be avoided
    /// cycle in which a phase of the object completed last; kNever: none is known
    Cycle lastGood{kNever};
    Cycle firstLost{};  ///< cycle in which the first wait for the missing phase began
};

struct PortHang {
    std::vector<PortWait> waits;
    std::vector<std::uint64_t> words;          ///< words of the awaited mbarriers
    std::vector<std::vector<PortDebt>> debts;  ///< debts to each wait
    std::vector<WarpId> running;               ///< live warps that are not seen to wait
    std::vector<PortCause> causes;  ///< causes, the earliest known one first; empty: nobody waits
    Cycle lastChange{};
};

/// Explains the hang of a port. `clock`: the unit of time of the history.
[[nodiscard]] PortHang explainPort(const PortHistory& history, const char* clock = "cycle");
/// The hang as compact JSON, in the form of tb/exec/causes.md; CTAs are `sm` and `slot`.
[[nodiscard]] std::string jsonOf(const PortHang& hang);
/// The cause as JSON. `clock`: the name of the member for the time.
[[nodiscard]] std::string jsonOf(const PortCause& cause, const std::vector<PortCause>& others,
                                 const char* clock = "cycle");

}  // namespace gsu
