/// The parsed form of a PTX module: the contents of the text, with names resolved to indices; nothing is executed. Everything is a plain
/// value; positions count lines and columns from 1. Implements the operand forms of GEN-002, GEN-008, GEN-009, GEN-011.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gsu::ptx {

struct Position {
    std::uint32_t line{};
    std::uint32_t column{};
    bool operator==(const Position&) const = default;
};

/// State spaces; `Generic` is an address without a space (GEN-002); a bare `.shared` is `SharedCta` (GEN-003).
enum class Space : std::uint8_t {
    Generic,
    Reg,
    Const,
    Param,
    Global,
    Local,
    SharedCta,
    SharedCluster
};

enum class Type : std::uint8_t {
    None,
    Pred,
    B8,
    B16,
    B32,
    B64,
    B128,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F16x2,
    BF16,
    BF16x2,
    TF32,
    F32,
    F32x2,
    F64,
    E4M3,
    E5M2,
    E4M3x2,
    E5M2x2,
    E2M1x2,
    E2M3x2,
    E3M2x2,
    UE8M0x2,
    E4M3x4,
    E5M2x4,
    E2M3x4,
    E3M2x4,
    E2M1x4
};

/// Size in bytes of one element; predicates and None are 0.
[[nodiscard]] unsigned sizeOf(Type type) noexcept;
/// Spelling without the dot ("u32"), and back; an unknown spelling gives nullopt.
[[nodiscard]] const char* spelling(Type type) noexcept;
[[nodiscard]] std::optional<Type> typeOf(std::string_view spelling) noexcept;

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// Index of an operand whose name is not declared. Only a module with errors has such operands.
inline constexpr std::uint32_t kUnresolved = kNone - 1;

struct Operand {
    enum class Kind : std::uint8_t {
        Register,  ///< `index` into Function::registers; `negated` for !%p or -%r; a selector (b0, h1) in `name`
        Special,  ///< special register `name` ("%tid.x")
        Integer,  ///< `integer` (two's complement, 64 bits)
        Float,    ///< `integer` holds the bits; `type` is F32 or F64 (0f..., 0d..., 1.5)
        Symbol,  ///< a variable, parameter, function or label named in `name`; `offset` for name+imm
        Address,  ///< [base + offset]; base in `elements[0]` (Register, Symbol or Integer), then coordinates
        Vector,  ///< {a, b, ...} in `elements`
        Pair,    ///< d|p in `elements` (either may be Sink)
        Sink,    ///< _
        List     ///< (a, b, ...) of a call
    };
    Kind kind{Kind::Sink};
    Position at;
    bool negated{};
    Type type{Type::None};
    std::uint32_t index{kNone};
    std::int64_t integer{};
    std::int64_t offset{};
    std::string name;
    std::vector<Operand> elements;
};

struct Guard {
    std::uint32_t reg{kNone};  ///< kNone: no guard
    bool negated{};
};

/// One instruction. `opcode` is the first component ("mbarrier"), `modifiers` are the rest in source order without dots ("arrive",
/// "expect_tx", "shared::cta", "b64").
struct Instruction {
    Position at;
    Guard guard;
    std::string opcode;
    std::vector<std::string> modifiers;
    std::vector<Operand> operands;
    std::uint32_t sourceFile{};  ///< from .loc: index into Module::files, 0 = none
    std::uint32_t sourceLine{};
};

struct Register {
    std::string name;
    Type type{Type::None};
};

/// Name of the register that is component 0..7 of a vector register, unless another register of the function has this name.
[[nodiscard]] std::string componentName(std::string_view vector, unsigned component);

/// A piece of an initialiser that is the address of a symbol (generic(...) sets `generic`).
struct Relocation {
    std::uint64_t offset{};
    unsigned size{8};
    std::string symbol;
    std::int64_t addend{};
    bool generic{};
    std::uint64_t mask{~std::uint64_t{0}};  ///< 0xff00(sym): the masked bits, shifted down to bit 0
};

struct Variable {
    Position at;
    std::string name;
    Space space{Space::Global};
    Type type{Type::B8};
    unsigned vector{1};  ///< .v2, .v4
    std::uint64_t align{1};
    std::uint64_t bytes{};  ///< total size; 0 for an unsized .extern array
    bool external{}, common{}, visible{}, weak{};
    std::vector<std::uint8_t> init;  ///< shorter than `bytes`: the rest is zero
    std::vector<Relocation> relocations;
    bool opaque{};                  ///< a reference to a texture, sampler or surface
    std::optional<Space> pointsTo;  ///< .ptr of a kernel parameter
    std::uint64_t pointsToAlign{};
    std::uint32_t function{
        kNone};  ///< index of the function it was declared in, kNone at module scope
};

struct Label {
    std::string name;
    std::uint32_t target{};  ///< index into Function::body (== body.size() at the end)
};

/// `.branchtargets`, `.calltargets` and `.callprototype` lists, by label.
struct Table {
    enum class Kind : std::uint8_t {
        BranchTargets,
        CallTargets,
        CallPrototype
    } kind{Kind::BranchTargets};
    std::string name;
    std::vector<std::string> entries;
    std::vector<Variable> returns, params;  ///< CallPrototype only
};

struct Function {
    Position at;
    std::string name;
    bool entry{}, external{}, noreturn{};
    bool visible{}, weak{};
    bool defined{};  ///< has a body; false for a prototype
    std::vector<Variable> returns, params;
    std::vector<Register> registers;  ///< scoped declarations are renamed apart
    std::vector<Variable>
        locals;  ///< .local, .shared, .param, .global, .const declared inside (scoped names renamed apart)
    std::vector<Label> labels;
    std::vector<Table> tables;
    std::vector<Instruction> body;
    std::optional<std::array<std::uint32_t, 3>> reqntid, maxntid, reqnctapercluster;
    std::optional<std::uint32_t> maxclusterrank, minnctapersm, maxnreg;
    bool explicitcluster{}, blocksareclusters{};
};

struct Diagnostic {
    enum class Severity : std::uint8_t { Error, Warning, Note } severity{Severity::Error};
    Position at;
    std::string rule;  ///< requirement id, empty for plain syntax
    std::string message;
};

/// A text from which a module was made. Lines of a linked module are counted through all its texts.
struct Source {
    std::string path;
    std::uint32_t before{};  ///< lines of the texts before it
    /// text of a file; null for a text parsed from memory
    std::shared_ptr<const std::string> text{};
};

struct Module {
    std::string path;
    std::vector<Source> sources;  ///< in order; one, unless the module is linked
    std::uint32_t lines{};        ///< of all texts
    unsigned versionMajor{}, versionMinor{};
    std::string target;  ///< "sm_90a"
    std::vector<std::string> targetOptions;
    Position targetAt;  ///< of the first name behind .target
    unsigned addressSize{64};
    std::vector<std::string> files;  ///< .file table, [0] empty
    std::vector<Variable> variables;
    std::vector<Function> functions;
    std::vector<std::pair<std::string, std::string>> aliases;
    std::vector<Diagnostic> diagnostics;  ///< errors make the module unusable, warnings do not
    std::uint64_t hash{};  ///< FNV-1a 64 of the text; of several texts, of their hashes in order

    [[nodiscard]] bool ok() const noexcept;
    [[nodiscard]] const Function* find(std::string_view function) const noexcept;
    /// The text that contains a line, and the number of the line in that text.
    [[nodiscard]] std::pair<std::string, std::uint32_t> placeOf(std::uint32_t line) const;
    /// "line 7", or for a linked module "line 7 of b.ptx".
    [[nodiscard]] std::string lineText(std::uint32_t line) const;
};

}  // namespace gsu::ptx
