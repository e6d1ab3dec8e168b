// Compares a declaration with its definition, and shifts the places of a module that follows others.
#include <fmt/format.h>

#include "ptx/link.hpp"

namespace gsu::ptx::detail {
namespace {

const char* nameOf(Space space) noexcept
{
    switch (space) {
        case Space::Generic: return "generic";
        case Space::Reg: return ".reg";
        case Space::Const: return ".const";
        case Space::Param: return ".param";
        case Space::Global: return ".global";
        case Space::Local: return ".local";
        case Space::SharedCta: return ".shared";
        case Space::SharedCluster: return ".shared::cluster";
    }
    return "?";
}

enum class Class : std::uint8_t { Bits, Integer, Float };

/// The class of a type for the linker, which ignores signedness.
Class classOf(Type type) noexcept
{
    switch (type) {
        case Type::U8:
        case Type::U16:
        case Type::U32:
        case Type::U64:
        case Type::S8:
        case Type::S16:
        case Type::S32:
        case Type::S64: return Class::Integer;
        case Type::F16:
        case Type::BF16:
        case Type::F32:
        case Type::F64: return Class::Float;
        default: return Class::Bits;
    }
}

std::string typeText(const Variable& v)
{
    return (v.vector > 1 ? fmt::format(".v{} ", v.vector) : std::string()) + '.' + spelling(v.type);
}

/// Whether two variables have the same type. A compiler that knows only the size declares an array of .b8.
bool sameType(const Variable& a, const Variable& b) noexcept
{
    if (a.type == Type::B8 || b.type == Type::B8) return true;
    const Class x = classOf(a.type), y = classOf(b.type);
    return sizeOf(a.type) == sizeOf(b.type) && a.vector == b.vector &&
           (x == y || x == Class::Bits || y == Class::Bits);
}

std::string differ(const std::string& what, const std::string& a, const std::string& b)
{
    return what + " differs: " + a + " here, " + b + " there";
}

std::string listMismatch(const std::vector<Variable>& a, const std::vector<Variable>& b,
                         const std::string& what)
{
    if (a.size() != b.size())
        return differ("the number of " + what + "s", std::to_string(a.size()),
                      std::to_string(b.size()));
    for (std::size_t i = 0; i < a.size(); ++i) {
        const std::string name = fmt::format("{} {}", what, i);
        if (a[i].space != b[i].space)
            return differ("the space of " + name, nameOf(a[i].space), nameOf(b[i].space));
        if (!sameType(a[i], b[i]))
            return differ("the type of " + name, typeText(a[i]), typeText(b[i]));
        if (a[i].bytes != b[i].bytes)
            return differ("the size of " + name, fmt::format("{} bytes", a[i].bytes),
                          fmt::format("{} bytes", b[i].bytes));
        if (a[i].space == Space::Param && a[i].align != b[i].align)
            return differ("the alignment of " + name, std::to_string(a[i].align),
                          std::to_string(b[i].align));
    }
    return {};
}

void shift(Operand& o, std::uint32_t lines)
{
    o.at.line += lines;
    for (Operand& element : o.elements) shift(element, lines);
}

void shift(std::vector<Variable>& list, std::uint32_t lines)
{
    for (Variable& v : list) v.at.line += lines;
}

void shift(Function& f, std::uint32_t lines, std::uint32_t files)
{
    f.at.line += lines;
    shift(f.returns, lines);
    shift(f.params, lines);
    shift(f.locals, lines);
    for (Table& t : f.tables) {
        shift(t.returns, lines);
        shift(t.params, lines);
    }
    for (Instruction& i : f.body) {
        i.at.line += lines;
        if (i.sourceFile != 0) i.sourceFile += files;
        for (Operand& o : i.operands) shift(o, lines);
    }
}

}  // namespace

std::string mismatch(const Variable& declared, const Variable& defined, bool common)
{
    if (declared.space != defined.space)
        return differ("the state space", nameOf(declared.space), nameOf(defined.space));
    if (!sameType(declared, defined))
        return differ("the type", typeText(declared), typeText(defined));
    const bool open = declared.external && declared.bytes == 0;
    if (!open && !common && declared.bytes != defined.bytes)
        return differ("the size", fmt::format("{} bytes", declared.bytes),
                      fmt::format("{} bytes", defined.bytes));
    if (!common && declared.align > defined.align)
        return differ("the alignment", std::to_string(declared.align),
                      std::to_string(defined.align));
    return {};
}

std::string mismatch(const Function& declared, const Function& defined)
{
    if (declared.entry != defined.entry)
        return declared.entry ? "an entry here, a function there"
                              : "a function here, an entry there";
    const std::string results = listMismatch(declared.returns, defined.returns, "result");
    return results.empty() ? listMismatch(declared.params, defined.params, "parameter") : results;
}

void shift(Module& module, std::uint32_t lines, std::uint32_t files)
{
    shift(module.variables, lines);
    for (Function& f : module.functions) shift(f, lines, files);
    for (Diagnostic& d : module.diagnostics) d.at.line += lines;
}

}  // namespace gsu::ptx::detail
