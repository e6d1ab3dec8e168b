/// Why a unit hangs, as far as its port tells: the kinds of causes.def that need neither control flow nor memory, else `unknown` with the reason.
#pragma once
#include <string>
#include <vector>

#include "causes/cause_kinds.hpp"
#include "causes/port_snapshot.hpp"

namespace gsu {

struct PortCause {
    CauseKind kind{CauseKind::Unknown};
    std::uint32_t line{};  ///< of the instruction that should have been different; 0: not known
    std::vector<WarpId> culprits;  ///< CTA by SM * 32 + slot
    PortWait on;                   ///< the root wait
    std::string sentence;
    Cycle cycle{};           ///< from when on the hang was inevitable
    Cycle lastGood{kNever};  ///< a phase of the object completed last; never: none is known
    Cycle firstLost{};       ///< the first of the waits for it began
};

struct PortHang {
    std::vector<PortWait> waits;
    std::vector<std::uint64_t> words;          ///< of their mbarriers
    std::vector<std::vector<PortDebt>> debts;  ///< of each wait
    std::vector<WarpId> running;               ///< live, and not seen to wait
    std::vector<PortCause> causes;  ///< the earliest that is known first; empty: nobody waits
    Cycle lastChange{};
};

/// `clock`: what the history counts in.
[[nodiscard]] PortHang explainPort(const PortHistory& history, const char* clock = "cycle");
/// Compact, as tb/exec/causes.md says; CTAs are `sm` and `slot`.
[[nodiscard]] std::string jsonOf(const PortHang& hang);
/// `clock`: the name of the member that says when.
[[nodiscard]] std::string jsonOf(const PortCause& cause, const std::vector<PortCause>& others,
                                 const char* clock = "cycle");

}  // namespace gsu
