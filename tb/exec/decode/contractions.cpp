#include "exec/decode/contractions.hpp"

#include <algorithm>

#include "exec/decode/instruction_facts.hpp"

namespace gsu::exec {
namespace {

using ptx::Instruction;
using ptx::Operand;

bool rounds(const Instruction& in)
{
    return std::ranges::any_of(in.modifiers, [](const std::string& m) {
        return m == "rn" || m == "rz" || m == "rm" || m == "rp" || m == "sat";
    });
}

void count(std::vector<std::uint32_t>& named, const Operand& o)
{
    if (o.kind == Operand::Kind::Register && o.index < named.size()) ++named[o.index];
    for (const Operand& element : o.elements) count(named, element);
}

bool reads(const Instruction& in, std::uint32_t index)
{
    return std::any_of(in.operands.begin() + 1, in.operands.end(), [index](const Operand& o) {
        return o.kind == Operand::Kind::Register && o.index == index && !o.negated;
    });
}

}  // namespace

Contractions::Contractions(const ptx::Function& function)
    : roles_(function.body.size()),
      named_(function.registers.size()),
      begins_(function.body.size() + 1)
{
    for (const Instruction& in : function.body)
        for (const Operand& o : in.operands) count(named_, o);
    for (const ptx::Label& l : function.labels) begins_[l.target] = true;
    for (std::size_t i = 0; i < function.body.size(); ++i) contract(function, i);
}

std::vector<std::string_view> Contractions::sums(const Instruction& in)
{
    if (in.guard.reg != ptx::kNone) return {};
    if (in.opcode == "shl" && hasModifier(in, "b32") &&
        in.operands.back().kind == Operand::Kind::Integer)
        return {"s32", "u32"};
    if (in.opcode != "mul") return {};
    if (hasModifier(in, "f32") && !rounds(in)) return {"f32"};
    if (!hasModifier(in, "s32") && !hasModifier(in, "u32")) return {};
    if (hasModifier(in, "lo")) return {"s32", "u32"};
    if (hasModifier(in, "wide")) return {"s64", "u64"};
    return {};
}

/// Looks for the one addition of its result behind it.
void Contractions::contract(const ptx::Function& function, std::size_t multiplication)
{
    const Instruction& in = function.body[multiplication];
    const auto types = sums(in);
    if (types.empty() || in.operands.front().kind != Operand::Kind::Register) return;
    const std::uint32_t result = in.operands.front().index;
    constexpr std::uint32_t kWrittenAndReadOnce = 2;
    if (result >= named_.size() || named_[result] != kWrittenAndReadOnce) return;
    for (std::size_t i = multiplication + 1; i < function.body.size(); ++i) {
        const Instruction& next = function.body[i];
        if (begins_[i] || next.opcode == "bra" || next.opcode == "call") return;
        if (next.operands.empty() || !reads(next, result)) continue;
        const bool sum =
            (next.opcode == "add" || (next.opcode == "sub" && hasModifier(in, "f32"))) &&
            !rounds(next) &&
            std::ranges::any_of(types, [&](auto t) { return hasModifier(next, t); });
        if (!sum || roles_[i] != Role::None) return;
        roles_[multiplication] = Role::Vanishes;
        if (in.opcode == "mul") roles_[i] = Role::Multiplies;
        return;
    }
}

}  // namespace gsu::exec
