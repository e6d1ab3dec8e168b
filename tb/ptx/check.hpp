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
    /// diagnostics of the parser and the checker, in source order
    std::vector<Diagnostic> diagnostics;
};

/// Checks a module. A module that did not parse is rejected with the parser's diagnostics.
[[nodiscard]] CheckResult checkModule(const Module& module, Dialect dialect = Dialect::Text);

/// A .target that does not exist, and the first error of each instruction whose form no dialect takes: opcode, qualifiers, number and
/// kinds of operands. Version and target gates and values are not checked. A module with such an error is never executed, whether the
/// instruction is reached or not.
[[nodiscard]] std::vector<Diagnostic> formErrors(const Module& module);

namespace detail {

/// The facts by which one instruction is judged.
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

/// What is wrong with the module's .target.
struct TargetProblem {
    std::string text;  ///< empty: nothing
    bool unknown{};    ///< there is none of this name in any version
};
[[nodiscard]] TargetProblem targetProblem(const Module& module);
/// Finds the form with the instruction's qualifiers; else rejects it and names the nearest form.
[[nodiscard]] const SyncForm* checkForm(const CheckContext& context);
/// Judges the directives before a body; the context's instruction is not used.
void checkFunctionHeader(const CheckContext& context);
/// Judges special registers that need a version or a target.
void checkSpecials(const CheckContext& context);
/// Judges selectors (b0, h1) of video instructions, and refuses them elsewhere.
void checkSelectors(const CheckContext& context);
[[nodiscard]] bool targetAtLeast(const std::string& target, unsigned number) noexcept;
/// Whether a target meets a gate of isa_ops.def: "sm_90" means that target or a higher one, "sm_100a" only that one, "sm_100f" its family;
/// '|' separates alternatives.
[[nodiscard]] bool targetMeets(std::string_view gate, const std::string& target,
                               unsigned version) noexcept;
[[nodiscard]] std::string targetWords(std::string_view gate);
/// Judges an instruction outside the chapter.
void checkIsa(const CheckContext& context, IsaJudge& judge);
/// Judges number and kinds of the operands.
[[nodiscard]] bool checkOperands(const CheckContext& context, const DecodedSync& decoded);
/// Judges whether .version and .target allow the instruction.
void checkGates(const CheckContext& context, const DecodedSync& decoded);
/// Judges immediate values, and rules between qualifiers and operands.
void checkValues(const CheckContext& context, const DecodedSync& decoded);

}  // namespace detail
}  // namespace gsu::ptx
