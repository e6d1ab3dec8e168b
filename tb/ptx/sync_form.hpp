/// The synchronization instructions of chapter 9.7.13 as a table: which form an instruction is, what its qualifiers mean, what a
/// form looks like in print. Rules: the syntax rules of BAR, BWS, CLU, FENCE, ATOM, RED, RASYNC, VOTE, VSYNC, MATCH, AMASK,
/// REDUX, GDC, ELECT, MBAR, MBARR, MBDROP, MBW, MBPC, CPA, TMAP, CLC; GEN-003, GEN-004, GEN-005.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/ast.hpp"

namespace gsu::ptx {

enum class SyncFormId : std::uint8_t {
#define SYNC_FORM(id, notation, where, kinds, gates, rules) id,
#include "ptx/sync_ops.def"
#undef SYNC_FORM
};

enum class Sem : std::uint8_t { None, Weak, Relaxed, Acquire, Release, AcqRel, Sc };
enum class Scope : std::uint8_t { None, Cta, Cluster, Gpu, Sys };

/// One qualifier of a form: a fixed word, or a placeholder with alternatives.
struct FormQualifier {
    std::string name;  ///< "aligned", or the placeholder's name ("sem")
    std::string rule;  ///< what a wrong value violates; empty: the form's syntax rule
    std::vector<std::string> values;  ///< alternatives; exactly one for a fixed word
    std::vector<char> only;           ///< per value: '~' text only, '^' reference only, 0 both
    int standard{-1};                 ///< index of the default
    bool optional{};
    bool placeholder{};
};

struct FormOperand {
    std::string role;  ///< "addr", "count"; without brackets
    std::string kind;  ///< as in sync_ops.def
    std::string rule;  ///< what a wrong operand violates; empty: the form's operand rule
    bool optional{};
};

/// "key@8.0:sm_90": what the use of something asks of the module.
struct FormGate {
    std::vector<std::string> keys;  ///< all must apply; empty: always
    unsigned version{};             ///< 10 * major + minor, 0: none
    std::string target;             ///< "sm_90", a named group, or empty
    std::string rule;               ///< instead of the form's version and target rules
    char only{};                    ///< '~' text only, '^' reference only, 0 both
};

struct SyncForm {
    SyncFormId id{};
    std::string notation;
    std::string opcode;
    std::vector<FormQualifier> qualifiers;
    std::size_t stem{};  ///< leading fixed qualifiers, which must come first and together
    /// How much of the stem the reference assembler insists on; the rest may permute (L-10).
    std::size_t referenceStem{};
    std::vector<FormOperand> operands;
    std::vector<FormGate> gates;
    std::string syntaxRule, operandRule, versionRule, targetRule;  ///< empty where there is none
    bool judged{};          ///< its forms and gates are checked: not so for some neighbours
    bool judgesOperands{};  ///< and its operands

    [[nodiscard]] std::size_t minOperands() const noexcept;
    /// Operand index for `role` when `count` operands are written; -1 when absent. Optional ones fill from the left.
    [[nodiscard]] int operandIndex(std::string_view role, std::size_t count) const noexcept;
    /// A part of the chapter, not a neighbour such as cp.async.bulk.
    [[nodiscard]] bool inChapter() const noexcept { return judged; }
};

/// Which value each qualifier of a form has in an instruction.
struct QualifierMatch {
    std::vector<int> value;            ///< per qualifier: index into values, -1 absent
    std::vector<std::size_t> extra;    ///< modifiers that fit nowhere
    std::vector<std::size_t> missing;  ///< mandatory qualifiers without a value
    bool stemOk{};                     ///< as the reference assembler sees it
    bool stemPrinted{true};            ///< first and together, as the text wants it
    bool printedOrder{true};
    [[nodiscard]] bool ok() const noexcept { return stemOk && extra.empty() && missing.empty(); }
};

/// An instruction of the table, decoded; defaults are filled in.
struct DecodedSync {
    SyncFormId form{};
    const SyncForm* row{};
    Sem sem{Sem::None};
    Scope scope{Scope::None};
    Space space{Space::Generic};  ///< of the (first) address
    bool semWritten{}, scopeWritten{};
    std::string_view op;  ///< "add", "popc", "all", "launch_dependents", "alias", ...
    Type type{Type::None};
    unsigned vector{1};
    bool cta{}, aligned{}, noComplete{}, expectTx{}, parity{}, multicast{}, noinc{}, cacheHint{},
        noftz{}, abs{}, nan{}, mmio{}, read{};
    bool printedOrder{true};

    /// The operand with that role of the form's notation; nullptr when it is not written.
    [[nodiscard]] const Operand* operand(const Instruction& instruction,
                                         std::string_view role) const noexcept;
};

[[nodiscard]] const std::vector<SyncForm>& syncForms();
[[nodiscard]] const SyncForm& syncForm(SyncFormId id);
/// Opcodes whose every form must be in the table ("bar", "mbarrier", ...).
[[nodiscard]] bool isSyncOpcode(const Instruction& instruction) noexcept;

[[nodiscard]] QualifierMatch matchQualifiers(const SyncForm& form, const Instruction& instruction);
/// The form whose qualifiers match and whose operands fit in number and shape best; nullptr when there is none.
[[nodiscard]] const SyncForm* matchSync(const Instruction& instruction);
/// The form that needs the fewest changes; nullptr when no form has this opcode.
[[nodiscard]] const SyncForm* nearestSync(const Instruction& instruction);
[[nodiscard]] std::optional<DecodedSync> decodeSync(const Instruction& instruction);

/// Text about every form whose mnemonic starts with `mnemonic`; empty when there is none.
[[nodiscard]] std::string syncHelp(std::string_view mnemonic);

}  // namespace gsu::ptx
