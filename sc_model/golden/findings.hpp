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

/// How bad a finding is.
enum class Severity : std::uint8_t {
    Error,   ///< misuse: the program is wrong
    Warning  ///< suspicious, or harmful only in other circumstances
};

/// What the unit did with the operation.
enum class Effect : std::uint8_t {
    Refused,  ///< nothing changed; a dummy result
    Applied,  ///< performed all the same
    Ignored,  ///< no effect, the response is as always
    Seen      ///< seen by the golden model alone: the RTL has no bit for it
};

/// What one error bit of one operation, or one remark, means.
struct FindingRule {
    Unit unit{};                         ///< who reports it
    unsigned bit{};                      ///< of Commit::errs; of a remark: MbarNote::Kind
    unsigned ub{};                       ///< UB-nn of the catalogue of misuse, 0: none
    const char* rule{};                  ///< id; "" for what is no finding by itself
    Severity severity{Severity::Error};  ///< how bad
    Effect effect{Effect::Refused};      ///< what the unit did
    const char* message{};               ///< one line, no position
};

/// A row of the table.
struct FindingRow {
    FindingRule rule;                    ///< what it means
    const char* error{};                 ///< name of the bit in the RTL package, or of the remark
    const char* operations{};            ///< names of operations; "" for all
    std::array<std::uint64_t, 2> ops{};  ///< bit i of them together: the operation with number i

    /// Is `op` one of its operations?
    [[nodiscard]] constexpr bool covers(Op op) const noexcept
    {
        return (ops[unsigned(op) / 64] >> unsigned(op) % 64 & 1) != 0;
    }
};

/// All rows: error bits by unit and position, then remarks.
[[nodiscard]] std::span<const FindingRow> findingRows() noexcept;

/// The rules of all bits set in commit.errs, in bit order. A bit without a row gives an error without rule.
[[nodiscard]] std::vector<FindingRule> findingsOf(const Commit& commit);

/// The rule that a remark is about; nothing for what is legal and merely worth a remark.
[[nodiscard]] std::optional<FindingRule> findingOf(MbarNote::Kind kind) noexcept;

}  // namespace gsu
