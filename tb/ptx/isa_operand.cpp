// Determines which operands a form of isa_ops.def takes.
#include <fmt/format.h>

#include <array>
#include <bit>

#include "ptx/isa_slot.hpp"
#include "ptx/special_registers.hpp"

namespace gsu::ptx::detail {

using Kind = Operand::Kind;

/// Whether mov can pack or unpack: elements of one size that fill the type.
bool Slot::fitsMov(const Operand& o, std::string_view kind) const
{
    if (o.kind == Kind::Sink || o.kind != Kind::Vector) return false;
    const unsigned bytes = wantOf(typeWord()).bytes;
    unsigned each = 0;
    for (const Operand& e : o.elements) {
        if (e.kind == Kind::Sink && kind == "pd") continue;
        if (e.kind == Kind::Integer && kind == "ps") continue;
        if (!isPlainRegister(e)) return false;
        const unsigned size = sizeOf(typeOfRegister(e));
        if (each != 0 && size != each) return false;
        each = size;
    }
    return each != 0 && o.elements.size() > 1 && each * o.elements.size() == bytes;
}

/// Whether the operand fits a predicate: written ("p", "pq", "dp") or read ("c", "cr").
bool Slot::fitsPredicate(const Operand& o) const noexcept
{
    const std::string_view kind = wanted.letters;
    if (kind == "p") return isPredicate(o, false);
    if (kind == "c") return isPredicate(o, true) || o.kind == Kind::Integer;
    if (kind == "cr") return isPredicate(o, true);
    if (o.kind != Kind::Pair) return false;
    const Operand &first = o.elements[0], &second = o.elements[1];
    const bool sink = first.kind == Kind::Sink;
    if (kind == "dp") return isPredicate(second, false) && (sink || fitsRegister(first, false));
    if (sink && second.kind == Kind::Sink) return false;
    return (sink || isPredicate(first, false)) &&
           (second.kind == Kind::Sink || isPredicate(second, false));
}

/// Whether the operand fits a name: a label ("yl"), a list of targets ("yt"), a function ("yf"), anything ("y").
bool Slot::fitsName(const Operand& o, std::string_view kind) const noexcept
{
    const Function& f = context.function;
    if (o.offset != 0 && kind != "y") return false;
    if (kind == "yl") {
        return std::any_of(f.labels.begin(), f.labels.end(),
                           [&](const Label& label) { return label.name == o.name; });
    }
    if (kind == "yt") {
        return std::any_of(f.tables.begin(), f.tables.end(), [&](const Table& t) {
            return t.name == o.name && t.kind == Table::Kind::BranchTargets;
        });
    }
    if (kind == "ys") {  // a variable in the instruction's space
        const Variable* v = variable(context, o.name);
        return v != nullptr && v->space == space();
    }
    if (kind == "yp") {  // a prototype, a list of targets or an array of functions
        const Variable* v = variable(context, o.name);
        return v != nullptr ? v->type >= Type::U8 && v->type <= Type::U64
                            : std::any_of(f.tables.begin(), f.tables.end(),
                                          [&](const Table& t) { return t.name == o.name; });
    }
    if (kind == "yf") {
        const auto& aliases = context.module.aliases;
        return context.module.find(o.name) != nullptr ||
               std::any_of(aliases.begin(), aliases.end(),
                           [&](const auto& alias) { return alias.first == o.name; });
    }
    return true;
}

bool Slot::fits(const Operand& o) const
{
    const std::string_view kind = wanted.letters;
    if (kind == "x") return true;
    if (kind == "d" || kind == "dw") return fitsRegister(o, kind == "dw");
    if (kind == "_" || kind == "l") return o.kind == (kind == "l" ? Kind::List : Kind::Sink);
    if (kind == "r" || kind == "rw") return fitsRegister(o, kind == "rw") || isFunction(o);
    if (kind == "s")
        return fitsRegister(o, false) || (fitsLiteral(o) && inRange(o)) || isFunction(o);
    if (kind == "sw") return fitsRegister(o, true) || fitsLiteral(o) || isFunction(o);
    if (kind == "i") return o.kind == Kind::Integer && inRange(o);
    if (kind == "i2") {
        return o.kind == Kind::Integer && o.integer > 0 && inRange(o) &&
               std::has_single_bit(static_cast<std::uint64_t>(o.integer));
    }
    if (kind == "p" || kind == "c" || kind == "cr" || kind == "pq" || kind == "dp")
        return fitsPredicate(o);
    if (kind[0] == 'y') return o.kind == Kind::Symbol && fitsName(o, kind);
    if (kind == "pd" || kind == "ps") return fitsMov(o, kind);
    if (kind == "sp") {  // a special register as wide as the type, or narrower by truncation
        const Want want = wantOf(typeWord());
        return o.kind == Kind::Special && want.family != Family::Float &&
               (sizeOf(o.type) == want.bytes || (sizeOf(o.type) == 4 && want.bytes == 2));
    }
    if (kind == "spx") return o.kind == Kind::Special && o.type != Type::Pred;
    if (kind == "spp") return o.kind == Kind::Special && o.type == Type::Pred;
    if (kind == "spv")
        return o.kind == Kind::Special && hasComponents(o.name) &&
               wantOf(typeWord()).family != Family::Float;
    if (kind[0] == 'm') return isAddress(o, kind);
    if (kind[0] == 'v') return isVector(o, kind);
    if (kind == "og") {  // one value per dimension; a single one may do without braces
        const bool alone = o.kind != Kind::Vector;
        return alone ? count() == 1 && (fitsRegister(o, false) || fitsLiteral(o))
                     : isVector(o, "vs");
    }
    return false;
}

namespace {

struct Text {
    std::string_view kind, text;
};

constexpr std::array<Text, 13> kWanted{{{"x", "an operand"},
                                        {"d", "a register"},
                                        {"dw", "a register, or a wider one,"},
                                        {"_", "'_'"},
                                        {"s", "a register or literal"},
                                        {"sw", "a register (or a wider one) or literal"},
                                        {"i", "an integer literal"},
                                        {"i2", "a power of two, literally,"},
                                        {"p", "a predicate register"},
                                        {"c", "a predicate register, possibly complemented"},
                                        {"pq", "p|q"},
                                        {"m", "an address of the right space in brackets"},
                                        {"l", "a list in parentheses"}}};

std::string wantedKind(const IsaKind& wanted)
{
    std::string_view kind = wanted.letters;
    if (kind == "yl") return "a label";
    if (kind == "yt") return "a list of labels (.branchtargets)";
    if (kind == "yf") return "a function";
    if (kind == "yp") return "a prototype, a list of functions or an array of functions";
    if (kind == "ys") return "a variable in the space of the instruction";
    if (kind[0] == 'y') return "a name";
    if (kind == "cr") kind = "c";
    if (kind[0] == 'r') kind = kind == "r" ? "d" : "dw";  // read or written: the same kind
    for (const Text& t : kWanted) {
        if (t.kind == kind) return std::string(t.text);
    }
    if (kind[0] == 'm') return "an address in brackets with coordinates";
    if (kind[0] == 'v') return "a vector of registers";
    if (kind == "pd" || kind == "ps") return "a vector of equal parts";
    return kind == "dp" ? "a register d|p" : "a special register";
}

}  // namespace

int wrongOperand(const IsaForm& form, const IsaWords& words, const IsaContext& context)
{
    const Instruction& instruction = context.instruction;
    for (std::size_t i = 0; i < form.operands.size(); ++i) {
        const int at = form.operandIndex(i, instruction.operands.size());
        if (at < 0) continue;
        const Operand& o = instruction.operands[static_cast<std::size_t>(at)];
        const auto& kinds = form.operands[i].kinds;
        const bool fits = std::any_of(kinds.begin(), kinds.end(), [&](const IsaKind& kind) {
            return Slot{form, words, kind, context}.fits(o);
        });
        if (!fits) return static_cast<int>(i);
    }
    return -1;
}

std::string wantedOperand(const IsaForm& form, const IsaWords& words, const IsaContext& context,
                          std::size_t index)
{
    std::string text;
    for (const IsaKind& kind : form.operands[index].kinds) {
        const std::string_view type = Slot{form, words, kind, context}.typeWord();
        text += (text.empty() ? "" : " or ") + wantedKind(kind);
        const bool typed = std::string_view("drsv").find(kind.letters[0]) != std::string::npos &&
                           kind.letters.substr(0, 2) != "sp" && kind.letters != "dp";
        if (typed && !type.empty()) text += " of type ." + std::string(type);
        if (kind.range) {
            text += fmt::format(" from {} to {}", kind.range->first, kind.range->second);
        }
    }
    return text;
}

}  // namespace gsu::ptx::detail
