/// Judges the legality of a module's synchronization instructions (chapter 9.7.13): forms, operands, immediates, version and
/// target gates. Implements the front-end legality rules of section 3 and the modes of GEN-005, GEN-006, GEN-007, GEN-012.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ptx/ast.hpp"
#include "ptx/isa_form.hpp"
#include "ptx/sync_form.hpp"

namespace gsu::ptx {

struct CheckResult {
    bool accepted{true};
    std::vector<Diagnostic> diagnostics;  ///< the parser's and the checker's, in source order
};

/// A module that did not parse is rejected with the parser's diagnostics.
[[nodiscard]] CheckResult checkModule(const Module& module, Dialect dialect = Dialect::Text);

/// What no dialect takes: per instruction whose form is illegal (opcode, qualifiers, number and kinds of operands; not version and
/// target gates, not values), the first error as the text dialect words it. Such a module is never executed, reachable or not.
[[nodiscard]] std::vector<Diagnostic> formErrors(const Module& module);

namespace detail {

/// Everything one instruction is judged with.
struct CheckContext {
    const Module& module;
    const Function& function;
    const Instruction& instruction;
    Dialect dialect;
    CheckResult& result;

    void reject(const std::string& rule, std::string message) const;
    void rejectAt(Position at, const std::string& rule, std::string message) const;
    void note(Diagnostic::Severity severity, const std::string& rule, std::string message) const;
};

/// Qualifiers: the matching form, or a rejection that names the nearest one.
[[nodiscard]] const SyncForm* checkForm(const CheckContext& context);
/// Directives in front of the body; the context's instruction is not looked at.
void checkFunctionHeader(const CheckContext& context);
/// Special registers that need a version or target.
void checkSpecials(const CheckContext& context);
/// Video instructions, and selectors where there are none.
void checkSelectors(const CheckContext& context);
[[nodiscard]] bool targetAtLeast(const std::string& target, unsigned number) noexcept;
/// Gates of isa_ops.def: "sm_90" or higher; "sm_100a": that one only; "sm_100f": its family; alternatives with '|'.
[[nodiscard]] bool targetMeets(std::string_view gate, const std::string& target,
                               unsigned version) noexcept;
[[nodiscard]] std::string targetWords(std::string_view gate);
/// Instructions outside the chapter.
void checkIsa(const CheckContext& context, IsaJudge& judge);
/// Number and kinds of the operands.
[[nodiscard]] bool checkOperands(const CheckContext& context, const DecodedSync& decoded);
/// .version and .target.
void checkGates(const CheckContext& context, const DecodedSync& decoded);
/// Immediate values and rules between qualifiers and operands.
void checkValues(const CheckContext& context, const DecodedSync& decoded);

}  // namespace detail
}  // namespace gsu::ptx
