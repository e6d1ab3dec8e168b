// The launch file that `gsu init` writes, and the properties of parameters that the code shows.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "exec/launch/arguments.hpp"
#include "exec/launch/launch_reading.hpp"

namespace gsu {
namespace {

using ptx::Operand;

constexpr unsigned kElements = 65536;  ///< elements of a buffer without other information

/// Registers that hold the value of one parameter, or that plus something.
class Flow {
public:
    Flow(const ptx::Function& f, const std::string& param) : f_(f), param_(param)
    {
        for (std::size_t before = ~std::size_t{0}; before != held_.size();) {
            before = held_.size();
            for (const ptx::Instruction& i : f.body) follow(i);
        }
    }
    /// The first access through one of them.
    [[nodiscard]] PointerUse use() const
    {
        PointerUse found;
        for (const ptx::Instruction& i : f_.body) {
            if (i.opcode == "cvta" && holds(i, 1)) found.pointer = true;
            for (const Operand& o : i.operands) {
                const bool through = o.kind == Operand::Kind::Address && !o.elements.empty() &&
                                     o.elements[0].kind == Operand::Kind::Register &&
                                     held_.contains(o.elements[0].index);
                if (!through) continue;
                found.pointer = true;
                if (found.element == ptx::Type::None) found.element = typeOfAccess(i);
            }
        }
        return found;
    }

private:
    [[nodiscard]] bool holds(const ptx::Instruction& i, std::size_t operand) const
    {
        return operand < i.operands.size() && i.operands[operand].kind == Operand::Kind::Register &&
               held_.contains(i.operands[operand].index);
    }
    void follow(const ptx::Instruction& i)
    {
        if (i.operands.size() < 2 || i.operands[0].kind != Operand::Kind::Register) return;
        const Operand& from = i.operands[1];
        const bool loads =
            i.opcode == "ld" && from.kind == Operand::Kind::Address && !from.elements.empty() &&
            from.elements[0].kind == Operand::Kind::Symbol && from.elements[0].name == param_;
        const bool same = (i.opcode == "mov" || i.opcode == "cvta") && holds(i, 1);
        const bool sum = i.opcode == "add" && (holds(i, 1) || holds(i, 2));
        const bool product = i.opcode == "mad" && holds(i, 3);
        const bool chosen = i.opcode == "selp" && (holds(i, 1) || holds(i, 2));
        if (loads || same || sum || product || chosen) held_.insert(i.operands[0].index);
    }
    [[nodiscard]] static ptx::Type typeOfAccess(const ptx::Instruction& i)
    {
        if (i.opcode != "ld" && i.opcode != "st" && i.opcode != "atom" && i.opcode != "red")
            return ptx::Type::None;
        return i.modifiers.empty() ? ptx::Type::None
                                   : ptx::typeOf(i.modifiers.back()).value_or(ptx::Type::None);
    }

    const ptx::Function& f_;
    const std::string& param_;
    std::set<std::uint32_t> held_;
};

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

std::string shape(const std::array<std::uint32_t, 3>& s)
{
    return fmt::format("[{}, {}, {}]", s[0], s[1], s[2]);
}

std::string paramText(const ptx::Variable& v, const PointerUse& use)
{
    if (v.bytes != ptx::sizeOf(v.type))
        return fmt::format("{{\"bytes\": {{\"size\": {}}}}}", v.bytes);
    if (use.pointer && v.bytes == 8) {
        ptx::Variable element;
        element.type = use.element == ptx::Type::None ? ptx::Type::B8 : use.element;
        return fmt::format("{{\"buffer\": {{\"type\": \"{}\", \"count\": {}}}}}",
                           nameOf(typeOf(element)), kElements);
    }
    return std::string("{\"scalar\": {\"type\": \"") + nameOf(typeOf(v)) + "\", \"value\": 1}}";
}

}  // namespace

std::vector<PointerUse> pointerUses(const ptx::Function& entry)
{
    std::vector<PointerUse> uses;
    for (const ptx::Variable& v : entry.params) {
        uses.push_back(Flow(entry, v.name).use());
        uses.back().pointer = uses.back().pointer || v.pointsTo.has_value();
    }
    return uses;
}

std::string launchTemplate(const ptx::Function& entry, const std::string& ptx)
{
    std::array<std::uint32_t, 3> block{32, 1, 1}, grid{1, 1, 1};
    if (entry.maxntid) block[0] = std::min(block[0], (*entry.maxntid)[0]);
    if (entry.reqntid) block = *entry.reqntid;
    std::string text = "{\n  \"ptx\": " + quoted(ptx) + ",\n  \"entry\": " + quoted(entry.name);
    if (entry.reqnctapercluster) {
        grid = *entry.reqnctapercluster;
        text += ",\n  \"cluster\": " + shape(grid);
    }
    text += ",\n  \"grid\": " + shape(grid) + ",\n  \"block\": " + shape(block) +
            ",\n  \"dynamic_smem\": 0,\n  \"params\": [";
    const std::vector<PointerUse> uses = pointerUses(entry);
    for (std::size_t i = 0; i < entry.params.size(); ++i)
        text += (i == 0 ? "\n    " : ",\n    ") + paramText(entry.params[i], uses[i]);
    return text + (entry.params.empty() ? "]" : "\n  ]") + ",\n  \"expect\": []\n}\n";
}

}  // namespace gsu
