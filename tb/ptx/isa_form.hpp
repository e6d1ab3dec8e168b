/// All instructions outside the synchronization chapter as a table: opcode, modifiers, types, operand kinds, gates, and whether the
/// executor performs the form. The notation is that of sync_ops.def; isa_ops.def lists the differences. No rule ids: the chapter's
/// catalogue does not cover these instructions.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/ast.hpp"

namespace gsu::ptx {

/// Text: forms of the PTX manual. Ptxas: forms that the reference assembler of CUDA 13.0 takes.
enum class Dialect : std::uint8_t { Text, Ptxas };

/// A modifier of a form: a fixed word or a placeholder with alternatives. Types bind by their order, other words anywhere.
struct IsaQualifier {
    std::string name;
    std::vector<std::string> values;
    bool optional{}, placeholder{}, isType{};
    /// 's' one of two state spaces, 'l' of two layouts, 'f' of two formats: the order of these matters, too
    char ordered{};
};

struct IsaKind {
    std::string letters;  ///< "s", "d", "m", ...
    std::string type;     ///< a type, or its placeholder; empty: the last type written
    std::string count;    ///< of a vector: a number, or its placeholder
    std::optional<std::pair<std::int64_t, std::int64_t>> range;  ///< range of an integer literal
};

struct IsaOperand {
    std::string role;            ///< "a", as in the notation
    std::vector<IsaKind> kinds;  ///< alternatives
    bool optional{};
};

/// "key@PTX:target": the requirement of the form, or of a word of it, on the module; "#key+key": words that exclude one another.
struct IsaGate {
    enum class Kind : std::uint8_t { Since, Until, Never };
    Kind kind{Kind::Since};
    /// Conditions, which all must hold: a word, a placeholder's name for any of its words, "?role" for an operand; with '!': not written.
    std::vector<std::string> keys;
    unsigned version{};  ///< 10 * major + minor
    std::string target;  ///< alternatives with '|': "sm_90", "sm_90a", "sm_100f"; empty: any
};

struct IsaForm {
    std::string notation, opcode;
    std::vector<std::string> stem;  ///< words that belong to the opcode's name: first and together
    std::vector<IsaQualifier> qualifiers;
    std::vector<IsaOperand> operands;
    std::vector<IsaGate> gates;
    bool executed{};
    bool open{};  ///< '*' in the notation: text after the name is not judged

    [[nodiscard]] std::size_t minOperands() const noexcept;
    [[nodiscard]] int operandIndex(std::size_t operand, std::size_t count) const noexcept;
};

/// Words of a form in one instruction: per qualifier the index of its value, -1 absent.
using IsaWords = std::vector<int>;

/// Judgement of the table on one instruction.
struct IsaVerdict {
    const IsaForm* form{};  ///< nullptr: illegal
    IsaWords words;         ///< words of a legal instruction
    std::string problem;    ///< reason, with the nearest form; empty if legal
    int operand{-1};        ///< wrong operand; -1: the instruction
    bool valuesMatter{};    ///< the judgement depends on values of literals

    /// The word of a legal instruction for a placeholder, or a fixed word that it has; empty if it has none.
    [[nodiscard]] std::string_view word(std::string_view name) const noexcept;
    /// The operand with this role of the notation; nullptr if it is not written.
    [[nodiscard]] const Operand* operandOf(const Instruction& instruction,
                                           std::string_view role) const noexcept;
};

[[nodiscard]] const std::vector<IsaForm>& isaForms();
/// The rows of `opcode`; empty if it is no instruction of this table.
[[nodiscard]] const std::vector<const IsaForm*>& isaFormsOf(std::string_view opcode);
[[nodiscard]] bool isIsaOpcode(std::string_view opcode) noexcept;
/// Whether a word names a type among modifiers ("f32", "e4m3x2", "u16x2").
[[nodiscard]] bool isTypeWord(std::string_view word) noexcept;
/// The group of IsaQualifier::ordered of a word; 0: none.
[[nodiscard]] char orderedGroup(std::string_view word) noexcept;
/// Whether the reference assembler takes a word on every instruction, without a meaning where it does not belong.
[[nodiscard]] bool referenceIgnores(std::string_view word) noexcept;

/// Judges the instructions of one module. Instructions with equal mnemonics and equal kinds of operands are judged once.
class IsaJudge {
public:
    /// A judge of `module`. `gates`: version and target of the module count.
    IsaJudge(const Module& module, Dialect dialect, bool gates = true)
        : module_(module), dialect_(dialect), gates_(gates)
    {
    }
    /// Judges an instruction. The reference is valid until the next call.
    const IsaVerdict& judge(const Function& function, const Instruction& instruction);

private:
    const Module& module_;
    Dialect dialect_;
    bool gates_;
    std::string key_;
    std::unordered_map<std::string, IsaVerdict> known_;
};

namespace detail {

/// An instruction, and everything on which its judgement depends.
struct IsaContext {
    const Module& module;
    Dialect dialect;
    const Function& function;
    const Instruction& instruction;
    bool gates;
};

/// "expected 2 operands, got 1: NOTATION"; `least`, `most`: operands that the form takes.
[[nodiscard]] std::string wrongCount(std::size_t least, std::size_t most, std::size_t got,
                                     const std::string& notation);
/// Index of the first operand of the form that does not fit; -1 if all do.
[[nodiscard]] int wrongOperand(const IsaForm& form, const IsaWords& words,
                               const IsaContext& context);
/// "an address in brackets": the kind of operand `index` of the form.
[[nodiscard]] std::string wantedOperand(const IsaForm& form, const IsaWords& words,
                                        const IsaContext& context, std::size_t index);
/// The missing version or target of the module, or the words that exclude one another; empty if there is no problem.
[[nodiscard]] std::string missingGate(const IsaForm& form, const IsaWords& words,
                                      const IsaContext& context);

}  // namespace detail
}  // namespace gsu::ptx
