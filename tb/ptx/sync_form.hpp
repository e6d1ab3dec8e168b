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

#include "golden/types.hpp"
#include "ptx/ast.hpp"

namespace gsu::ptx {

enum class SyncFormId : std::uint8_t {
#define SYNC_FORM(id, notation, where, operands, gates, rules, family, means) id,
#include "ptx/sync_ops.def"
#undef SYNC_FORM
};

/// What executes a form.
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

/// What an operand is of the request or micro-operation.
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
    Source,      ///< where they come from
    Size,        ///< bytes
    SourceSize,  ///< bytes read, or the predicate that ignores the source
    CtaMask,
    ByteMask,
    Policy,
    Lane,
    Clamp,
    Rank,
    Groups
};

/// The words that say what an operation does.
enum class SyncWord : std::uint8_t {
    None,
#define SYNC_WORD(id, spelling) id,
#include "ptx/sync_words.def"
#undef SYNC_WORD
};
[[nodiscard]] const char* spelling(SyncWord word) noexcept;
/// None for a word that is no such one.
[[nodiscard]] SyncWord syncWordOf(std::string_view spelling) noexcept;

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
    int bringer{-1};  ///< qualifier whose presence decides about an optional operand, -1 none
    SyncField field{SyncField::None};
};

/// "word=Op": which Op a form asks for; no word: always.
struct FormOp {
    std::string word;
    Op op{Op::None};
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
    SyncFamily family{};
    std::string notation;
    std::string opcode;
    std::vector<FormOp> ops;
    /// What a word that does not belong here, or one that is missing, violates when it is not the syntax rule.
    std::vector<std::pair<std::string, std::string>> refusals, absences;
    bool
        headersPermute{};  ///< public headers write the qualifiers in another order than the manual
    std::string to,
        from;  ///< spaces of a copy: a word, or "space" for the placeholder; empty: none
    std::vector<FormQualifier> qualifiers;
    std::size_t stem{};  ///< leading fixed qualifiers, which must come first and together
    /// How much of the stem the reference assembler insists on; the rest may permute (L-10).
    std::size_t referenceStem{};
    std::vector<FormOperand> operands;
    std::vector<FormGate> gates;
    std::string syntaxRule, operandRule, versionRule, targetRule;  ///< empty where there is none
    bool judged{};          ///< its forms and gates are checked: not so for some neighbours
    bool judgesOperands{};  ///< and its operands

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

/// An instruction of the table, decoded; defaults are filled in. Nothing in it is text: what executes needs no other look at the
/// mnemonic.
struct DecodedSync {
    static constexpr std::size_t kMaxOperands = 8;
    SyncFormId form{};
    const SyncForm* row{};
    Op op{Op::None};  ///< None: no request, only memory or lanes
    Sem sem{Sem::None};
    Scope scope{Scope::None};
    Space space{Space::Generic};                     ///< of the (first) address
    Space to{Space::Generic}, from{Space::Generic};  ///< of a copy
    bool semWritten{}, scopeWritten{}, spaceWritten{};
    SyncWord word{SyncWord::None};  ///< what of several the form does: add, popc, all, wait, ...
    Type type{Type::None};
    unsigned vector{1};
    bool cta{}, aligned{}, noComplete{}, expectTx{}, parity{}, multicast{}, noinc{}, cacheHint{},
        noftz{}, abs{}, nan{}, mmio{}, read{};
    bool printedOrder{true};
    /// Per operand of the form: index of the written one, -1 absent. An optional operand is there when the qualifier that brings it
    /// is; others fill from the left.
    std::array<std::int8_t, kMaxOperands> slot{};
    std::size_t least{}, most{};  ///< operands that these qualifiers ask for

    /// The operand with that role of the form's notation; nullptr when it is not written.
    [[nodiscard]] const Operand* operand(const Instruction& instruction,
                                         std::string_view role) const noexcept;
    [[nodiscard]] const Operand* operand(const Instruction& instruction,
                                         SyncField field) const noexcept;
};

/// A form that an instruction's qualifiers fit, and how.
struct SyncMatch {
    const SyncForm* form{};
    QualifierMatch qualifiers;
    DecodedSync decoded;  ///< without operands
};

[[nodiscard]] const std::vector<SyncForm>& syncForms();
[[nodiscard]] const SyncForm& syncForm(SyncFormId id);
/// Opcodes whose every form must be in the table ("bar", "mbarrier", ...).
[[nodiscard]] bool isSyncOpcode(const Instruction& instruction) noexcept;

[[nodiscard]] QualifierMatch matchQualifiers(const SyncForm& form, const Instruction& instruction);
/// The form whose qualifiers match and whose operands fit in number and shape best; nullptr when there is none. Looked up once per
/// mnemonic and thread; valid until the thread's next call.
[[nodiscard]] const SyncMatch* matchSync(const Instruction& instruction);
/// An instruction of the chapter without words that the reference assembler takes anywhere, and those that it takes twice; nothing
/// when it reads the instruction as it stands.
[[nodiscard]] std::optional<Instruction> withoutIgnored(const Instruction& instruction);
/// The form that needs the fewest changes; nullptr when no form has this opcode.
[[nodiscard]] const SyncForm* nearestSync(const Instruction& instruction);
[[nodiscard]] std::optional<DecodedSync> decodeSync(const Instruction& instruction);

/// Text about every form whose mnemonic starts with `mnemonic`; empty when there is none.
[[nodiscard]] std::string syncHelp(std::string_view mnemonic);

}  // namespace gsu::ptx
