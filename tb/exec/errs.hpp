/// What the error bits of a commit mean: (unit, bit) to misuse case UB-nn, rule id and severity (D-03).
#pragma once
#include <optional>
#include <vector>

#include "exec/result.hpp"
#include "golden/mbarrier_unit.hpp"

namespace gsu {

struct ErrorRule {
    Unit unit{};
    unsigned bit{};
    unsigned ub{};  ///< UB-nn of the coverage map
    const char* rule{""};
    Severity severity{Severity::Error};
    const char* message{""};
};

/// The rules of all bits set in commit.errs, in bit order. A bit without an entry gives a rule-less error.
[[nodiscard]] std::vector<ErrorRule> errorRules(const Commit& commit);

/// The rule that a note of the golden mbarrier unit is about, `bit` 0; nothing for what is legal and merely worth a note.
[[nodiscard]] std::optional<ErrorRule> noteRule(MbarNote::Kind kind) noexcept;

}  // namespace gsu
