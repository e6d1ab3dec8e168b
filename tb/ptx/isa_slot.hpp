/// One operand place of a row of isa_ops.def, and the operands that it takes. Private to tb/ptx.
#pragma once
#include <algorithm>
#include <string_view>

#include "ptx/isa_form.hpp"

namespace gsu::ptx::detail {

enum class Family : std::uint8_t { None, Pred, Bits, Int, Float };

struct Want {
    Family family{Family::None};
    unsigned bytes{};
    Type exact{Type::None};
};

[[nodiscard]] Family familyOf(Type t) noexcept;
/// Registers for a word of a type: packed and narrow types have registers of bits and nothing else.
[[nodiscard]] Want wantOf(std::string_view word);
/// The variable, parameter or result of this name, or nullptr.
[[nodiscard]] const Variable* variable(const IsaContext& context, std::string_view name) noexcept;

/// The place `wanted` of `form` in one instruction.
struct Slot {
    using Kind = Operand::Kind;

    const IsaForm& form;
    const IsaWords& words;
    const IsaKind& wanted;
    const IsaContext& context;

    [[nodiscard]] std::string_view wordOf(std::string_view name) const noexcept;
    [[nodiscard]] std::string_view typeWord() const noexcept;
    [[nodiscard]] unsigned count() const noexcept;
    [[nodiscard]] Type typeOfRegister(const Operand& o) const noexcept
    {
        return o.kind == Kind::Special ? o.type : context.function.registers[o.index].type;
    }
    /// Whether the operand is a function's name, which the reference assembler takes for any value.
    [[nodiscard]] bool isFunction(const Operand& o) const noexcept
    {
        return context.dialect == Dialect::Ptxas && o.kind == Kind::Symbol && isOfType() &&
               form.opcode != "rcp" && form.opcode != "div" && typeWord().substr(0, 4) != "bf16" &&
               context.module.find(o.name) != nullptr;
    }
    /// Whether the instruction's type decides about the operand, not its place.
    [[nodiscard]] bool isOfType() const noexcept
    {
        return wanted.type.empty() || std::any_of(form.qualifiers.begin(), form.qualifiers.end(),
                                                  [&](const IsaQualifier& q) {
                                                      return q.placeholder && q.name == wanted.type;
                                                  });
    }
    [[nodiscard]] bool isPlainRegister(const Operand& o) const noexcept
    {
        return o.kind == Kind::Register && !o.negated;
    }
    [[nodiscard]] bool fitsRegister(const Operand& o, bool wide) const noexcept;
    [[nodiscard]] bool fitsLiteral(const Operand& o) const noexcept;
    [[nodiscard]] bool isPredicate(const Operand& o, bool negatable) const noexcept
    {
        return o.kind == Kind::Register && o.name.empty() && (negatable || !o.negated) &&
               context.function.registers[o.index].type == Type::Pred;
    }
    [[nodiscard]] bool isImageInfo(const Operand& o) const noexcept;
    [[nodiscard]] bool takesLiterals(std::string_view kind) const noexcept;
    [[nodiscard]] bool isVector(const Operand& o, std::string_view kind) const;
    [[nodiscard]] bool sharesFamily(const Operand& vector) const noexcept;
    [[nodiscard]] Space space() const noexcept;
    [[nodiscard]] bool isBase(const Operand& base) const noexcept;
    [[nodiscard]] bool isAddress(const Operand& o, std::string_view kind) const;
    [[nodiscard]] bool isNarrowBase(const Operand& base) const noexcept;
    [[nodiscard]] bool isImage(const Operand& o, bool coordinated) const;
    [[nodiscard]] bool areCoordinates(const Operand& o) const;
    [[nodiscard]] bool fitsName(const Operand& o, std::string_view kind) const noexcept;
    [[nodiscard]] bool fitsMov(const Operand& o, std::string_view kind) const;
    [[nodiscard]] bool inRange(const Operand& o) const noexcept
    {
        return !wanted.range || o.kind != Kind::Integer ||
               (o.integer >= wanted.range->first && o.integer <= wanted.range->second);
    }
    [[nodiscard]] bool fits(const Operand& o) const;
    [[nodiscard]] bool fitsPredicate(const Operand& o) const noexcept;
};

}  // namespace gsu::ptx::detail
