/// \file
/// What the error bits of commits and the remarks of the golden mbarrier unit mean: misuse case UB-nn, rule id, severity (D-03).
/// The table is rtl/doc/findings.tsv.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "golden/mbarrier_note.hpp"
#include "golden/types.hpp"

namespace gsu {

/// Severity of a finding.
enum class Severity : std::uint8_t {
    Error,   ///< misuse: the program is wrong
    Warning  ///< suspicious, or harmful only in other circumstances
};

/// Effect of the operation of a finding.
enum class Effect : std::uint8_t {
    Refused,  ///< nothing changed; a dummy result
    Applied,  ///< performed all the same
    Ignored,  ///< no effect, the usual response
    Seen      ///< only the golden model sees it: the RTL has no bit for it
};

/// Meaning of one error bit of one operation, or of one remark.
struct FindingRule {
    Unit unit{};                         ///< unit that reports it
    unsigned bit{};                      ///< position in Commit::errs; of a remark: MbarNote::Kind
    unsigned ub{};                       ///< UB-nn of the catalogue of misuse, 0: none
    const char* rule{};                  ///< id; "" if it is no finding by itself
    Severity severity{Severity::Error};  ///< severity
    Effect effect{Effect::Refused};      ///< effect of the operation
    const char* message{};               ///< one line, no position
};

/// A row of the table.
struct FindingRow {
    FindingRule rule;          ///< meaning of the bit
    const char* error{};       ///< name of the bit in the RTL package, or of the remark
    const char* operations{};  ///< names of operations; "" for all
    /// bit i of the two words together: the operation with number i
    std::array<std::uint64_t, 2> ops{};

    /// True if `op` is one of the operations of this row.
    [[nodiscard]] constexpr bool covers(Op op) const noexcept
    {
        return (ops[unsigned(op) / 64] >> unsigned(op) % 64 & 1) != 0;
    }
};

/// All rows: error bits by unit and position, then remarks.
[[nodiscard]] std::span<const FindingRow> findingRows() noexcept;

/// The rules of all bits set in commit.errs, in bit order. A bit without a row gives an error without rule.
[[nodiscard]] std::vector<FindingRule> findingsOf(const Commit& commit);

/// The rule of a remark; nothing for a legal use that is merely worth a remark.
[[nodiscard]] std::optional<FindingRule> findingOf(MbarNote::Kind kind) noexcept;

}  // namespace gsu
