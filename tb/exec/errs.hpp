/// What the error bits of a commit mean: (unit, bit) to misuse case UB-nn, rule id and severity (D-03).
#pragma once
#include <vector>

#include "exec/result.hpp"

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

}  // namespace gsu
