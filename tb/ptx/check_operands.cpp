// Operand kinds: which registers, immediates, sinks and addresses an operand's place takes (BAR-003, GEN-009, GEN-011 and others).
#include <fmt/format.h>

#include <algorithm>

#include "ptx/check.hpp"

namespace gsu::ptx::detail {
namespace {

bool isFloat(Type type) noexcept
{
    return type == Type::F16 || type == Type::F16x2 || type == Type::BF16 || type == Type::BF16x2 ||
           type == Type::TF32 || type == Type::F32 || type == Type::F32x2 || type == Type::F64;
}

bool isBits(Type type) noexcept { return type >= Type::B8 && type <= Type::B128; }

/// Whether a register of type `have` may be used where the instruction says `want`: equal size, and no float for an integer.
bool compatible(Type want, Type have) noexcept
{
    if (have == Type::Pred || sizeOf(want) != sizeOf(have)) return false;
    if (isBits(want) || isBits(have)) return true;
    return isFloat(want) ? want == have : !isFloat(have);
}

struct OperandFit {
    const CheckContext& context;
    const DecodedSync& decoded;
    const Operand& operand;

    [[nodiscard]] Type registerType(const Operand& o) const noexcept
    {
        return o.kind == Operand::Kind::Register ? context.function.registers[o.index].type
                                                 : Type::None;
    }
    [[nodiscard]] bool isRegister(const Operand& o, Type want) const noexcept
    {
        return o.kind == Operand::Kind::Register && !o.negated && compatible(want, registerType(o));
    }
    [[nodiscard]] bool isWord(const Operand& o) const noexcept
    {
        return isRegister(o, Type::B32) && !isFloat(registerType(o));
    }
    [[nodiscard]] bool isPredicate(const Operand& o, bool mayNegate) const noexcept
    {
        return o.kind == Operand::Kind::Register && registerType(o) == Type::Pred &&
               (mayNegate || !o.negated);
    }
    /// Whether the operand is an address. Coordinates belong to tensor copies, which are not in this table.
    [[nodiscard]] bool isAddress() const noexcept
    {
        return operand.kind == Operand::Kind::Address && operand.elements.size() == 1;
    }
    /// Whether the operand is an address; if it names a variable, the variable must be in `space`, where the instruction names a space.
    [[nodiscard]] bool isAddressIn(Space space) const noexcept
    {
        if (!isAddress()) return false;
        const Operand& base = operand.elements[0];
        if (space == Space::Generic || base.kind != Operand::Kind::Symbol) return true;
        const Variable* v = variable(base.name);
        if (v == nullptr) return true;
        const bool shared = space == Space::SharedCta || space == Space::SharedCluster;
        return shared ? v->space == Space::SharedCta || v->space == Space::SharedCluster
                      : v->space == space;
    }
    [[nodiscard]] const Variable* variable(std::string_view name) const noexcept
    {
        for (const auto* list :
             {&context.function.locals, &context.function.params, &context.module.variables}) {
            const auto v = std::find_if(list->begin(), list->end(),
                                        [&](const Variable& x) { return x.name == name; });
            if (v != list->end()) return &*v;
        }
        return nullptr;
    }
    [[nodiscard]] bool isSink(const Operand& o) const noexcept
    {
        return o.kind == Operand::Kind::Sink;
    }
    [[nodiscard]] bool isInteger() const noexcept { return operand.kind == Operand::Kind::Integer; }
    [[nodiscard]] bool compat() const noexcept { return context.dialect == Dialect::Ptxas; }

    /// Whether the operand is a function's name, which the reference assembler takes for a value of the instruction's type.
    [[nodiscard]] bool isFunction() const noexcept
    {
        return compat() && operand.kind == Operand::Kind::Symbol && decoded.type != Type::BF16 &&
               decoded.type != Type::BF16x2 && context.module.find(operand.name) != nullptr;
    }
    /// Whether the operand is an immediate: an integer unless a float is wanted, a float for its own type and for bits of its size.
    [[nodiscard]] bool isImmediate(Type type) const noexcept
    {
        if (isInteger()) return !isFloat(type);
        if (operand.kind != Operand::Kind::Float) return false;
        return type == Type::F32 || type == Type::F64 ||
               (isBits(type) && sizeOf(type) == sizeOf(operand.type));
    }
    [[nodiscard]] bool isValue(Type type) const noexcept
    {
        return isRegister(operand, type) || isImmediate(type);
    }
    /// Whether the operand is an integer in place of a pair of halves, which the reference assembler takes.
    [[nodiscard]] bool isPacked(Type type) const noexcept
    {
        return compat() && !isFloat(type) && sizeOf(type) == 4 &&
               operand.kind == Operand::Kind::Register && !operand.negated &&
               registerType(operand) == Type::F16x2;
    }
    /// Whether the count fits. The reference assembler does not count the values that st.async stores.
    [[nodiscard]] bool isCount(std::size_t size) const noexcept
    {
        const std::size_t have = operand.elements.size();
        return operand.kind == Operand::Kind::Vector &&
               (have == size || (compat() && (have == 2 || have == 4)));
    }
    [[nodiscard]] bool isVector(std::size_t size, Type type, bool sinks) const noexcept
    {
        return operand.kind == Operand::Kind::Vector && operand.elements.size() == size &&
               std::all_of(operand.elements.begin(), operand.elements.end(), [&](const Operand& o) {
                   return isRegister(o, type) || (sinks && isSink(o));
               });
    }
    /// Whether the operand is d|p; `sinkPredicate`: p may be the sink too, but not both.
    [[nodiscard]] bool isPair(bool sinkPredicate) const noexcept
    {
        if (operand.kind != Operand::Kind::Pair) return false;
        const Operand& d = operand.elements[0];
        const Operand& p = operand.elements[1];
        if (isSink(d) && isSink(p)) return false;
        return (isWord(d) || isSink(d)) && (isPredicate(p, false) || (sinkPredicate && isSink(p)));
    }

    /// Whether the operand is d|p of a shuffle: d is never the sink.
    [[nodiscard]] bool isShuffled() const noexcept
    {
        return operand.kind == Operand::Kind::Pair && isRegister(operand.elements[0], Type::B32) &&
               (isPredicate(operand.elements[1], false) || isSink(operand.elements[1]));
    }

    [[nodiscard]] bool fits(std::string_view kind) const noexcept;
    [[nodiscard]] bool fitsTyped(std::string_view kind) const noexcept;
};

/// Whether the operand fits a kind that depends on the instruction's type.
bool OperandFit::fitsTyped(std::string_view kind) const noexcept
{
    const Type type = decoded.type;
    if (kind == "dr") return isRegister(operand, type);
    if (isPacked(type)) return kind[0] == 't';
    if (kind == "t") return isValue(type) || isFunction();
    if (kind == "tv") {
        if (decoded.vector == 1 || compat()) {
            if (isValue(type)) return true;
        }
        return isCount(decoded.vector) && isVector(operand.elements.size(), type, false);
    }
    if (kind == "td") return isRegister(operand, type) || isSink(operand);
    if (kind == "tr") return isRegister(operand, type) || isFunction() || (compat() && isInteger());
    if (kind == "ta") {
        return isRegister(operand, type) || operand.kind == Operand::Kind::Symbol || isInteger();
    }
    if (kind == "vecd" && compat() && isSink(operand)) return true;
    return (kind == "vec" || kind == "vecd") && isVector(decoded.vector, type, false);
}

bool OperandFit::fits(std::string_view kind) const noexcept
{
    if (kind == "any") return true;
    if (kind == "mem") return isAddressIn(decoded.space);
    if (kind == "lmem" && compat() && (isRegister(operand, Type::U64) || isInteger())) return true;
    if (kind == "smem" || kind == "lmem") return isAddressIn(Space::SharedCta);
    if (kind == "gmem") return isAddressIn(Space::Global);
    if (kind == "rmem") {
        return isAddressIn(decoded.space) &&
               (compat() || operand.elements[0].kind == Operand::Kind::Register);
    }
    if (kind == "u32" || kind == "mask") return isWord(operand) || isInteger();
    if (kind == "d32") return isWord(operand);
    if (kind == "r32") return isWord(operand) || (compat() && isInteger());
    if (kind == "b32") return compat() ? isRegister(operand, Type::B32) : isWord(operand);
    if (kind == "x32") return isValue(Type::B32);
    if (kind == "f32") return isRegister(operand, Type::F32);
    if (kind == "r64" || kind == "pol")
        return isRegister(operand, Type::U64) || (compat() && isInteger());
    if (kind == "r64_") return isRegister(operand, Type::U64) || isSink(operand);
    if (kind == "r128")
        return isRegister(operand, Type::B128) || isFunction() || (compat() && isInteger());
    if (kind == "sink") return isSink(operand);
    if (kind == "p") return isPredicate(operand, false);
    if (kind == "c") return isPredicate(operand, true) || (compat() && isInteger());
    if (kind == "ci") return isPredicate(operand, true) || isInteger() || isFunction();
    if (kind == "d32p") return isRegister(operand, Type::B32) || isShuffled();
    if (kind == "dp") return isWord(operand) || isPair(true) || (compat() && isSink(operand));
    if (kind == "ep") return isPair(false);
    if (kind == "i128") return isInteger() && operand.integer == 128;
    if (kind == "v4") return isVector(4, Type::B32, true);
    if (kind == "n16") return isWord(operand) || (isInteger() && operand.integer % 16 == 0);
    if (kind == "u16") return isRegister(operand, Type::B16) || isInteger();
    if (kind == "u32c") return isWord(operand) || isInteger() || isPredicate(operand, true);
    if (kind == "cpsize" || kind == "lit") return isInteger();
    return fitsTyped(kind);
}

// long: a table, one kind a line
const char* wanted(std::string_view kind) noexcept
{
    struct Row {
        std::string_view kind;
        const char* text;
    };
    static constexpr Row kText[] = {
        {"mem", "an address in brackets"},
        {"smem", "an address in brackets, of shared memory"},
        {"gmem", "an address in brackets, of global memory"},
        {"rmem", "an address in brackets built on a register"},
        {"u32", "a 32-bit integer register or an immediate"},
        {"mask", "a 32-bit mask: register or immediate"},
        {"lmem", "an address in brackets, of shared memory"},
        {"d32", "a 32-bit integer register"},
        {"r32", "a 32-bit integer register"},
        {"b32", "a 32-bit integer register"},
        {"x32", "a 32-bit register or an immediate"},
        {"d32p", "a 32-bit register d or d|p, where p may be '_'"},
        {"ci", "a predicate register, possibly complemented, or an immediate"},
        {"f32", "a 32-bit floating-point register"},
        {"r64", "a 64-bit integer register"},
        {"pol", "a 64-bit cache policy"},
        {"r64_", "a 64-bit register or '_'"},
        {"r128", "a .b128 register"},
        {"sink", "'_'"},
        {"p", "a predicate register"},
        {"c", "a predicate register, possibly complemented"},
        {"dp", "a 32-bit register d or d|p, one of them possibly '_'"},
        {"ep", "d|p, where d may be '_'"},
        {"i128", "the literal 128"},
        {"v4", "a vector of four 32-bit registers or '_'"},
        {"n16", "a 32-bit integer register or an immediate that is a multiple of 16"},
        {"cpsize", "a literal size"},
        {"lit", "a literal number"},
        {"u16", "a 16-bit register or an immediate"},
        {"u32c", "a 32-bit register, an immediate or a predicate"},
        {"tv", "a register of the type, or a vector of as many as the qualifier says"},
        {"t", "a register or immediate of the instruction's type"},
        {"td", "a register of the instruction's type or '_'"},
        {"dr", "a register of the instruction's type"},
        {"tr", "a register of the instruction's type"},
        {"ta", "a register of the instruction's type or a variable"},
        {"vecd", "a vector of as many registers of the type as the qualifier says"},
        {"vec", "a vector of as many registers of the type as the qualifier says"}};
    for (const Row& row : kText) {
        if (row.kind == kind) return row.text;
    }
    return "an operand";
}

}  // namespace

bool checkOperands(const CheckContext& context, const DecodedSync& decoded)
{
    const SyncForm& form = *decoded.row;
    const Instruction& i = context.instruction;
    const std::size_t count = i.operands.size();
    const bool relaxedAsync = decoded.op == Op::RedAsync || decoded.op == Op::StAsync;
    const bool referenceTakes = relaxedAsync && count == 2 && decoded.vector == 1 &&
                                context.dialect == Dialect::Ptxas;  // L-04
    if (!referenceTakes && (count < decoded.least || count > decoded.most)) {
        const bool arriveCount =
            form.id == SyncFormId::BarArrive || form.id == SyncFormId::BarrierArrive;
        std::string rule =
            form.operands.empty() || !form.inChapter() ? form.operandRule : form.syntaxRule;
        if (arriveCount && count == 1) rule = "BAR-007";
        if (form.syntaxRule == "BAR-020" || form.syntaxRule == "BAR-021") rule = "BAR-022";
        if (form.id == SyncFormId::FenceProxyTensormapAcquire) rule = "FENCE-017";
        const bool testWait = form.id == SyncFormId::MbarrierTestWait ||
                              form.id == SyncFormId::MbarrierTestWaitParity;
        if (testWait && count == 4) rule = "MBW-008";
        context.reject(rule, wrongCount(decoded.least, decoded.most, count, form.notation));
        return false;
    }
    for (std::size_t k = 0; k < form.operands.size(); ++k) {
        const FormOperand& slot = form.operands[k];
        const Operand* o =
            decoded.slot[k] < 0 ? nullptr : &i.operands[static_cast<std::size_t>(decoded.slot[k])];
        if (o == nullptr || OperandFit{context, decoded, *o}.fits(slot.kind)) continue;
        std::string rule = slot.rule.empty() ? form.operandRule : slot.rule;
        if (slot.kind == "ep" && o->kind == Operand::Kind::Pair &&
            o->elements[0].kind == Operand::Kind::Sink) {
            rule = "ELECT-003";
        }
        context.rejectAt(o->at, rule,
                         "operand " + slot.role + " must be " + wanted(slot.kind) + ": " +
                             form.notation);
        return false;
    }
    return true;
}

}  // namespace gsu::ptx::detail
