#include "ptx/printer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace gsu::ptx {
namespace {

std::string hex(std::uint64_t value, unsigned digits)
{
    std::string text(digits, '0');
    for (unsigned i = 0; i < digits; ++i)
        text[digits - 1 - i] = "0123456789ABCDEF"[(value >> (4 * i)) & 15];
    return text;
}

std::string signedOffset(std::int64_t offset)
{
    return offset == 0 ? std::string{} : fmt::format("{:+}", offset);
}

const char* spaceName(Space space) noexcept
{
    switch (space) {
        case Space::Generic: return "";
        case Space::Reg: return ".reg ";
        case Space::Const: return ".const ";
        case Space::Param: return ".param ";
        case Space::Global: return ".global ";
        case Space::Local: return ".local ";
        case Space::SharedCta: return ".shared ";
        case Space::SharedCluster: return ".shared::cluster ";
    }
    return "";
}

/// A component of a vector parameter is written as a component: the header declares no other name.
std::string registerText(const Register& r, const Function& f)
{
    const std::size_t dollar = r.name.rfind('$');
    if (dollar == std::string::npos) return r.name;
    for (const auto* list : {&f.returns, &f.params}) {
        for (const Variable& v : *list) {
            if (v.vector > 1 && v.space == Space::Reg && r.name.compare(0, dollar, v.name) == 0)
                return v.name + '.' + r.name.substr(dollar + 1);
        }
    }
    return r.name;
}

std::string join(const std::vector<Operand>& elements, const Function& f, const char* separator)
{
    std::string text;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        if (i != 0) text += separator;
        text += print(elements[i], f);
    }
    return text;
}

std::string element(const Variable& v, std::uint64_t offset)
{
    std::uint64_t bits = 0;
    const unsigned size = sizeOf(v.type);
    for (unsigned i = 0; i < std::min(size, 8u); ++i) {
        const std::uint64_t byte = offset + i < v.init.size() ? v.init[offset + i] : 0;
        bits |= byte << (8 * i);
    }
    if (v.type == Type::F32) return "0f" + hex(bits, 8);
    if (v.type == Type::F64) return "0d" + hex(bits, 16);
    const bool negative = size == 16 && offset + 15 < v.init.size() && v.init[offset + 15] == 255;
    return negative ? std::to_string(static_cast<std::int64_t>(bits)) : std::to_string(bits);
}

std::string relocation(const Relocation& r)
{
    std::string text = r.generic ? "generic(" + r.symbol + ')' : r.symbol;
    text += signedOffset(r.addend);
    if (r.mask != ~std::uint64_t{0}) text = "0x" + hex(r.mask, 16) + '(' + text + ')';
    return text;
}

std::string initialiser(const Variable& v)
{
    if (v.init.empty() && v.relocations.empty()) return {};
    const unsigned size = sizeOf(v.type);
    std::map<std::uint64_t, const Relocation*> at;
    std::uint64_t end = v.init.size();
    for (const Relocation& r : v.relocations) {
        at[r.offset] = &r;
        end = std::max<std::uint64_t>(end, r.offset + r.size);
    }
    std::string text = " = ";
    const bool scalar = v.bytes == size;
    if (!scalar) text += '{';
    for (std::uint64_t offset = 0; offset < end; offset += size) {
        if (offset != 0) text += ", ";
        const auto r = at.find(offset);
        text += r == at.end() ? element(v, offset) : relocation(*r->second);
    }
    if (!scalar) text += '}';
    return text;
}

std::string parameters(const std::vector<Variable>& list)
{
    std::string text = "(";
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (i != 0) text += ", ";
        text += print(list[i]);
    }
    return text + ')';
}

std::string three(const char* name, const std::optional<std::array<std::uint32_t, 3>>& n)
{
    if (!n) return {};
    return fmt::format("{} {}, {}, {}\n", name, (*n)[0], (*n)[1], (*n)[2]);
}

std::string one(const char* name, const std::optional<std::uint32_t>& n)
{
    return n ? fmt::format("{} {}\n", name, *n) : std::string{};
}

std::string directives(const Function& f)
{
    std::string text = three(".reqntid", f.reqntid) + three(".maxntid", f.maxntid) +
                       three(".reqnctapercluster", f.reqnctapercluster) +
                       one(".maxclusterrank", f.maxclusterrank) +
                       one(".minnctapersm", f.minnctapersm) + one(".maxnreg", f.maxnreg);
    if (f.explicitcluster) text += ".explicitcluster\n";
    if (f.blocksareclusters) text += ".blocksareclusters\n";
    if (f.noreturn) text += ".noreturn\n";
    return text;
}

std::string table(const Table& t)
{
    std::string text = t.name + ": ";
    if (t.kind == Table::Kind::CallPrototype) {
        text += ".callprototype ";
        if (!t.returns.empty()) text += parameters(t.returns) + ' ';
        return text + "_ " + parameters(t.params) + ";\n";
    }
    text += t.kind == Table::Kind::BranchTargets ? ".branchtargets " : ".calltargets ";
    for (std::size_t i = 0; i < t.entries.size(); ++i) text += (i != 0 ? ", " : "") + t.entries[i];
    return text + ";\n";
}

void declarations(const Function& f, std::string& text)
{
    std::set<std::string> bound;  // the header declares register parameters
    for (const auto* list : {&f.returns, &f.params}) {
        for (const Variable& v : *list) {
            if (v.space != Space::Reg) continue;
            bound.insert(v.name);
            for (unsigned i = 0; i < v.vector && v.vector > 1; ++i)
                bound.insert(componentName(v.name, i));
        }
    }
    for (const Register& r : f.registers) {
        if (!bound.contains(r.name))
            text += "\t.reg ." + std::string(spelling(r.type)) + ' ' + r.name + ";\n";
    }
    for (const Variable& v : f.locals) text += '\t' + print(v) + ";\n";
}

void body(const Function& f, std::string& text)
{
    std::multimap<std::uint32_t, const std::string*> labels;
    for (const Label& l : f.labels) labels.emplace(l.target, &l.name);
    std::uint32_t file = 0;
    std::uint32_t line = 0;
    for (std::uint32_t i = 0; i <= f.body.size(); ++i) {
        const auto [first, last] = labels.equal_range(i);
        for (auto l = first; l != last; ++l) text += *l->second + ":\n";
        if (i == f.body.size()) break;
        const Instruction& instruction = f.body[i];
        if (instruction.sourceFile != file || instruction.sourceLine != line) {
            file = instruction.sourceFile;
            line = instruction.sourceLine;
            text += fmt::format("\t.loc {} {} 0\n", file, line);
        }
        text += '\t' + print(instruction, f) + '\n';
    }
    for (const Table& t : f.tables) text += table(t);
}

}  // namespace

std::string print(const Operand& o, const Function& f)
{
    switch (o.kind) {
        case Operand::Kind::Register: {
            const Register& r = f.registers[o.index];
            std::string text = o.negated ? (r.type == Type::Pred ? "!" : "-") : "";
            text += registerText(r, f);
            return o.name.empty() ? text : text + '.' + o.name;
        }
        case Operand::Kind::Special: return o.name;
        case Operand::Kind::Integer: return std::to_string(o.integer);
        case Operand::Kind::Float:
            return o.type == Type::F32 ? "0f" + hex(static_cast<std::uint64_t>(o.integer), 8)
                                       : "0d" + hex(static_cast<std::uint64_t>(o.integer), 16);
        case Operand::Kind::Symbol: return o.name + signedOffset(o.offset);
        case Operand::Kind::Address: {
            std::string text = '[' + print(o.elements[0], f) + signedOffset(o.offset);
            for (std::size_t i = 1; i < o.elements.size(); ++i)
                text += ", " + print(o.elements[i], f);
            return text + ']';
        }
        case Operand::Kind::Vector: return '{' + join(o.elements, f, ", ") + '}';
        case Operand::Kind::Pair: return join(o.elements, f, "|");
        case Operand::Kind::Sink: return "_";
        case Operand::Kind::List: return '(' + join(o.elements, f, ", ") + ')';
    }
    return {};
}

std::string print(const Instruction& i, const Function& f)
{
    std::string text;
    if (i.guard.reg != kNone) {
        text += i.guard.negated ? "@!" : "@";
        text += f.registers[i.guard.reg].name + ' ';
    }
    text += i.opcode;
    for (const std::string& m : i.modifiers) text += '.' + m;
    if (!i.operands.empty()) text += ' ' + join(i.operands, f, ", ");
    return text + ';';
}

std::string print(const Variable& v)
{
    std::string text;
    if (v.external) text += ".extern ";
    if (v.visible) text += ".visible ";
    if (v.weak) text += ".weak ";
    if (v.common) text += ".common ";
    text += spaceName(v.space);
    const std::uint64_t size = std::uint64_t{sizeOf(v.type)} * v.vector;
    if (!v.pointsTo && v.align != std::max<std::uint64_t>(1, size))
        text += fmt::format(".align {} ", v.align);
    if (v.vector > 1) text += fmt::format(".v{} ", v.vector);
    text += '.' + std::string(spelling(v.type)) + ' ';
    if (v.pointsTo) {
        text += ".ptr ";
        text += spaceName(*v.pointsTo);
        text += fmt::format(".align {} ", v.pointsToAlign);
    }
    text += v.name.empty() ? "_" : v.name;
    if (v.bytes == 0 && v.type != Type::Pred)
        text += "[]";
    else if (v.bytes != size)
        text += fmt::format("[{}]", v.bytes / size);
    return text + initialiser(v);
}

std::string print(const Function& f)
{
    std::string text;
    if (f.external) text += ".extern ";
    if (f.visible) text += ".visible ";
    if (f.weak) text += ".weak ";
    text += f.entry ? ".entry " : ".func ";
    if (!f.returns.empty()) text += parameters(f.returns) + ' ';
    text += f.name + parameters(f.params) + '\n' + directives(f);
    if (!f.defined) return text + ";\n";
    text += "{\n";
    declarations(f, text);
    body(f, text);
    return text + "}\n";
}

std::string print(const Module& m)
{
    std::string text =
        fmt::format(".version {}.{}\n.target {}", m.versionMajor, m.versionMinor, m.target);
    for (std::size_t i = 0; i < m.targetOptions.size(); ++i) {
        text += (i == 0 && m.target.empty() ? "" : ", ") + m.targetOptions[i];
    }
    text += fmt::format("\n.address_size {}\n", m.addressSize);
    for (std::size_t i = 1; i < m.files.size(); ++i) {
        if (!m.files[i].empty()) text += fmt::format(".file {} \"{}\"\n", i, m.files[i]);
    }
    for (const Function& f : m.functions) {
        // Prototypes come first: bodies and initialisers may name any function.
        if (f.entry) continue;
        if (!f.defined) {
            text += print(f);
            continue;
        }
        Function prototype;
        prototype.name = f.name;
        prototype.returns = f.returns;
        prototype.params = f.params;
        prototype.visible = f.visible;
        prototype.weak = f.weak;
        text += print(prototype);
    }
    for (const Variable& v : m.variables) text += print(v) + ";\n";
    // Then the order in which a reader meets them: what has a prototype has been met already.
    for (const bool entry : {false, true}) {
        for (const Function& f : m.functions) {
            if (f.entry == entry && (entry || f.defined)) text += print(f);
        }
    }
    for (const auto& [alias, target] : m.aliases) text += ".alias " + alias + ", " + target + ";\n";
    return text;
}

}  // namespace gsu::ptx
