/// The synchronization instructions of chapter 9.7.13 as a table: the form of an instruction, the meaning of its qualifiers, the printed
/// form. Rules: the syntax rules of BAR, BWS, CLU, FENCE, ATOM, RED, RASYNC, VOTE, VSYNC, MATCH, AMASK, REDUX, GDC, ELECT, MBAR, MBARR,
/// MBDROP, MBW, MBPC, CPA, TMAP, CLC; GEN-003, GEN-004, GEN-005.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/types.hpp"
#include "ptx/ast.hpp"

namespace gsu::ptx {

enum class SyncFormId : std::uint8_t {
#define SYNC_FORM(id, notation, where, operands, gates, rules, family, means) id,
#include "ptx/sync_ops.def"
#undef SYNC_FORM
};

/// The part of the executor that executes a form.
enum class SyncFamily : std::uint8_t {
    NamedBarrier,
    WarpBarrier,
    ClusterBarrier,
    Fence,
    Atomic,       ///< atom, red
    RemoteData,   ///< st.async, red.async that complete on an mbarrier
    ReleaseData,  ///< st.async.release, red.async.release
    Vote,
    Match,
    Activemask,
    Redux,
    GridControl,
    Elect,
    Shuffle,
    MbarObject,  ///< init, inval, expect_tx, complete_tx
    MbarArrive,  ///< arrive, arrive_drop
    MbarWait,    ///< test_wait, try_wait
    PendingCount,
    CopyArrive,  ///< cp.async.mbarrier.arrive
    MapPublish,  ///< tensormap.cp_fenceproxy
    TryCancel,
    QueryCancel,
    Mapa,
    Copy,  ///< cp.async
    CopyCommit,
    CopyWait,
    BulkCopy,  ///< cp.async.bulk, cp.reduce.async.bulk
    Prefetch
};

/// Role of an operand in the request or micro-operation.
enum class SyncField : std::uint8_t {
    None,
    Result,      ///< d, p or d|p
    Id,          ///< barrier
    Count,       ///< threads of a barrier
    Mask,        ///< member mask
    Predicate,   ///< source predicate
    Address,     ///< of the mbarrier or the memory
    Data,        ///< count, bytes, state, parity, value
    Swap,        ///< second value of cas
    Limit,       ///< suspend time hint
    Target,      ///< where data go
    Source,      ///< destination address of data
    Size,        ///< source address of data
    SourceSize,  ///< bytes read, or the predicate that ignores the source
    CtaMask,
    ByteMask,
    Policy,
    Lane,
    Clamp,
    Rank,
    Groups
};

/// Words that select the operation.
enum class SyncWord : std::uint8_t {
    None,
#define SYNC_WORD(id, spelling) id,
#include "ptx/sync_words.def"
#undef SYNC_WORD
};
[[nodiscard]] const char* spelling(SyncWord word) noexcept;
/// The word of a spelling; None for any other text.
[[nodiscard]] SyncWord syncWordOf(std::string_view spelling) noexcept;

enum class Sem : std::uint8_t { None, Weak, Relaxed, Acquire, Release, AcqRel, Sc };
enum class Scope : std::uint8_t { None, Cta, Cluster, Gpu, Sys };

/// One qualifier of a form: a fixed word, or a placeholder with alternatives.
struct FormQualifier {
    std::string name;  ///< "aligned", or the placeholder's name ("sem")
    std::string rule;  ///< rule that a wrong value violates; empty: the form's syntax rule
    std::vector<std::string> values;  ///< alternatives; exactly one for a fixed word
    std::vector<char> only;           ///< per value: '~' text only, '^' reference only, 0 both
    int standard{-1};                 ///< index of the default
    bool optional{};
    bool placeholder{};
};

struct FormOperand {
    std::string role;  ///< "addr", "count"; without brackets
    std::string kind;  ///< as in sync_ops.def
    std::string rule;  ///< rule that a wrong operand violates; empty: the form's operand rule
    bool optional{};
    int bringer{-1};  ///< qualifier that decides whether an optional operand is present, -1 none
    SyncField field{SyncField::None};
};

/// "word=Op": the operation of a form with this word; no word: always.
struct FormOp {
    std::string word;
    Op op{Op::None};
};

/// "key@8.0:sm_90": the requirement of a part of the form on the module.
struct FormGate {
    std::vector<std::string> keys;  ///< conditions, which must all hold; empty: always
    unsigned version{};             ///< 10 * major + minor, 0: none
    std::string target;             ///< "sm_90", a named group, or empty
    std::string rule;               ///< rule in place of the form's version and target rules
    char only{};                    ///< '~' text only, '^' reference only, 0 both
};

struct SyncForm {
    SyncFormId id{};
    SyncFamily family{};
    std::string notation;
    std::string opcode;
    std::vector<FormOp> ops;
    /// Rules that a word violates that does not belong here, or that is missing, if it is not the syntax rule.
    std::vector<std::pair<std::string, std::string>> refusals, absences;
    /// public headers write the qualifiers in an order other than the manual's
    bool headersPermute{};
    std::string to,
        from;  ///< spaces of a copy: a word, or "space" for the placeholder; empty: none
    std::vector<FormQualifier> qualifiers;
    std::size_t stem{};  ///< leading fixed qualifiers, which must come first and together
    /// The part of the stem on which the reference assembler insists; the rest may permute (L-10).
    std::size_t referenceStem{};
    std::vector<FormOperand> operands;
    std::vector<FormGate> gates;
    std::string syntaxRule, operandRule, versionRule, targetRule;  ///< empty if there is none
    bool judged{};          ///< its forms and gates are checked: not so for some neighbours
    bool judgesOperands{};  ///< its operands are checked as well

    /// Whether the form is part of the chapter, not a neighbour such as cp.async.bulk.
    [[nodiscard]] bool inChapter() const noexcept { return judged; }
};

/// The value of each qualifier of a form in an instruction.
struct QualifierMatch {
    std::vector<int> value;            ///< per qualifier: index into values, -1 absent
    std::vector<std::size_t> extra;    ///< modifiers that fit nowhere
    std::vector<std::size_t> missing;  ///< mandatory qualifiers without a value
    bool stemOk{};                     ///< as the reference assembler sees it
    bool stemPrinted{true};            ///< first and together, as the text wants it
    bool printedOrder{true};
    [[nodiscard]] bool ok() const noexcept { return stemOk && extra.empty() && missing.empty(); }
};

/// An instruction of the table, decoded; defaults are filled in. It contains no text: the executor need not look at the mnemonic again.
struct DecodedSync {
    static constexpr std::size_t kMaxOperands = 8;
    SyncFormId form{};
    const SyncForm* row{};
    Op op{Op::None};  ///< None: no request, only memory or lanes
    Sem sem{Sem::None};
    Scope scope{Scope::None};
    Space space{Space::Generic};                     ///< space of the (first) address
    Space to{Space::Generic}, from{Space::Generic};  ///< of a copy
    bool semWritten{}, scopeWritten{}, spaceWritten{};
    /// the selected operation of a form with several: add, popc, all, wait, ...
    SyncWord word{SyncWord::None};
    Type type{Type::None};
    unsigned vector{1};
    bool cta{}, aligned{}, noComplete{}, expectTx{}, parity{}, multicast{}, noinc{}, cacheHint{},
        noftz{}, abs{}, nan{}, mmio{}, read{};
    bool printedOrder{true};
    /// Per operand of the form: index of the written operand, -1 absent. An optional operand is present if the qualifier that brings it is;
    /// others fill from the left.
    std::array<std::int8_t, kMaxOperands> slot{};
    std::size_t least{}, most{};  ///< operands that these qualifiers ask for

    /// The operand with this role of the form's notation; nullptr if it is not written.
    [[nodiscard]] const Operand* operand(const Instruction& instruction,
                                         std::string_view role) const noexcept;
    [[nodiscard]] const Operand* operand(const Instruction& instruction,
                                         SyncField field) const noexcept;
};

/// A form that fits an instruction's qualifiers, and how.
struct SyncMatch {
    const SyncForm* form{};
    QualifierMatch qualifiers;
    DecodedSync decoded;  ///< without operands
};

[[nodiscard]] const std::vector<SyncForm>& syncForms();
[[nodiscard]] const SyncForm& syncForm(SyncFormId id);
/// Whether every form of the opcode must be in the table ("bar", "mbarrier", ...).
[[nodiscard]] bool isSyncOpcode(const Instruction& instruction) noexcept;

[[nodiscard]] QualifierMatch matchQualifiers(const SyncForm& form, const Instruction& instruction);
/// The form whose qualifiers match and whose operands fit best in number and shape, or nullptr. Looked up once per mnemonic and thread;
/// valid until the thread's next call.
[[nodiscard]] const SyncMatch* matchSync(const Instruction& instruction);
/// An instruction of the chapter without words that the reference assembler takes anywhere, and without words that it takes twice; nothing
/// if it reads the instruction as it is.
[[nodiscard]] std::optional<Instruction> withoutIgnored(const Instruction& instruction);
/// The form that needs the fewest changes; nullptr if no form has this opcode.
[[nodiscard]] const SyncForm* nearestSync(const Instruction& instruction);
[[nodiscard]] std::optional<DecodedSync> decodeSync(const Instruction& instruction);

/// Text on every form whose mnemonic starts with `mnemonic`; empty if there is none.
[[nodiscard]] std::string syncHelp(std::string_view mnemonic);

}  // namespace gsu::ptx
