/// The findings of the executor itself, by rule (machine/findings.def).
#pragma once
#include <vector>

#include "golden/findings.hpp"

namespace gsu {

struct ExecFinding {
    enum class Effect : std::uint8_t {
        Traps,  ///< the launch ends there, unless RunOptions::keepGoing
        Seen    ///< a remark
    };
    const char* rule;
    Severity severity;
    Effect effect;
    const char* what;
};
/// All rows, by rule, ascending.
[[nodiscard]] const std::vector<ExecFinding>& execFindings();

}  // namespace gsu
