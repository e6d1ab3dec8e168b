// Which operands a form of isa_ops.def takes.
#include <algorithm>
#include <array>
#include <bit>

#include "base/number.hpp"
#include "ptx/check.hpp"
#include "ptx/special_registers.hpp"

namespace gsu::ptx::detail {
namespace {

using Kind = Operand::Kind;

enum class Family : std::uint8_t { None, Pred, Bits, Int, Float };

struct Want {
    Family family{Family::None};
    unsigned bytes{};
    Type exact{Type::None};
};

Family familyOf(Type t) noexcept
{
    if (t == Type::None) return Family::None;
    if (t == Type::Pred) return Family::Pred;
    if (t <= Type::B128) return Family::Bits;
    return t <= Type::S64 ? Family::Int : Family::Float;
}

/// Packed and narrow types have registers of bits and nothing else.
Want wantOf(std::string_view word)
{
    if (const auto t = typeOf(word)) {
        if (*t >= Type::E4M3) return {Family::Float, std::max(sizeOf(*t), 1u), Type::None};
        return {familyOf(*t), sizeOf(*t), *t};
    }
    if (word == "u16x2" || word == "s16x2") return {Family::Float, 4, Type::F16x2};
    return {Family::Bits, 4, Type::B32};
}

struct Slot {
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
    /// A function's name stands for any value in the reference assembler.
    [[nodiscard]] bool isFunction(const Operand& o) const noexcept
    {
        return context.dialect == Dialect::Ptxas && o.kind == Kind::Symbol && isOfType() &&
               form.opcode != "rcp" && form.opcode != "div" && typeWord().substr(0, 4) != "bf16" &&
               context.module.find(o.name) != nullptr;
    }
    /// The instruction's type decides about the operand, not its place.
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

/// What the instruction says for the placeholder `name`; empty where there is none.
std::string_view Slot::wordOf(std::string_view name) const noexcept
{
    for (std::size_t q = 0; q < form.qualifiers.size(); ++q) {
        if (form.qualifiers[q].name == name && words[q] >= 0)
            return form.qualifiers[q].values[static_cast<std::size_t>(words[q])];
    }
    return {};
}

std::string_view Slot::typeWord() const noexcept
{
    if (!wanted.type.empty()) {
        const std::string_view word = wordOf(wanted.type);
        return word.empty() ? std::string_view(wanted.type) : word;
    }
    std::string_view last;
    for (std::size_t q = 0; q < form.qualifiers.size(); ++q) {
        if (form.qualifiers[q].isType && words[q] >= 0)
            last = form.qualifiers[q].values[static_cast<std::size_t>(words[q])];
    }
    return last;
}

/// Coordinates of a geometry as the registers give them: three of them are filled up to four, a layer comes first.
unsigned coordinates(std::string_view geometry) noexcept
{
    if (geometry == "1d") return 1;
    return geometry == "2d" || geometry == "a1d" ? 2 : 4;
}

/// A number, that of a word, "name^k" k times that, "name.n%k" what stands behind its 'n', divided by k.
unsigned Slot::count() const noexcept
{
    std::string_view text = wanted.count;
    const std::size_t mark = std::min(text.find_first_of(".^"), text.size());
    const std::string_view word = wordOf(text.substr(0, mark));
    if (word.empty()) return static_cast<unsigned>(leadingNumber(text).value);
    const std::string_view rest = text.substr(mark);
    if (rest == ".flat") return coordinates(word.substr(word[0] == 'a' ? 1 : 0).substr(0, 2));
    if (text == "geom") return coordinates(word);
    const bool divides = !rest.empty() && rest[0] == '.';
    const std::size_t from = divides ? word.find(rest[1]) : 0;
    const std::size_t at = word.find_first_of("0123456789", from);
    if (at == std::string_view::npos) return 1;
    const auto number = static_cast<unsigned>(leadingNumber(word.substr(at)).value);
    if (rest.empty()) return number;
    const auto factor = static_cast<unsigned>(leadingNumber(rest.substr(divides ? 3 : 1)).value);
    return divides ? number / factor : number * factor;
}

/// Equal size, bits for anything, otherwise integers for integers and the very type for floats. `wide`: larger ones hold smaller.
bool Slot::fitsRegister(const Operand& o, bool wide) const noexcept
{
    if (!isPlainRegister(o)) return false;
    const Type have = typeOfRegister(o);
    const Want want = wantOf(typeWord());
    const Family family = familyOf(have);
    if (family == Family::Pred || want.family == Family::Pred) return family == want.family;
    const unsigned size = sizeOf(have);
    if (size < want.bytes || (size > want.bytes && !wide)) return false;
    if (family == Family::Bits || want.family == Family::Bits) return true;
    if (have == Type::F16x2 && want.family == Family::Int) return isOfType();
    return want.family == Family::Float ? have == want.exact : want.family == family;
}

/// Integers for integers and bits, floats for their own size and bits of it; halves have no literals.
bool Slot::fitsLiteral(const Operand& o) const noexcept
{
    const Want want = wantOf(typeWord());
    if (o.kind == Kind::Integer) return want.family != Family::Float && want.bytes < 16;
    if (o.kind != Kind::Float) return false;
    if (want.family == Family::Float) return want.exact == Type::F32 || want.exact == Type::F64;
    return want.family == Family::Bits && want.bytes == sizeOf(o.type);
}

/// What im2col modes want: an offset per dimension of the filter, or two numbers.
bool Slot::isImageInfo(const Operand& o) const noexcept
{
    const std::size_t wants = wordOf("mode") == "im2col" && !wordOf("dim").empty()
                                  ? static_cast<std::size_t>(wordOf("dim")[0] - '2')
                                  : 2;
    return o.kind == Kind::Vector && o.elements.size() == wants &&
           std::all_of(o.elements.begin(), o.elements.end(), [&](const Operand& e) {
               return e.kind == Kind::Integer ||
                      (isPlainRegister(e) && sizeOf(typeOfRegister(e)) == 2 &&
                       familyOf(typeOfRegister(e)) != Family::Float);
           });
}

/// 'l': only the reference assembler takes literals among the registers of a fragment.
bool Slot::takesLiterals(std::string_view kind) const noexcept
{
    if (kind.find('l') != std::string_view::npos) return context.dialect == Dialect::Ptxas;
    return kind.find('s') != std::string_view::npos;
}

bool Slot::isVector(const Operand& o, std::string_view kind) const
{
    if (kind == "vi") return isImageInfo(o);
    if (kind.substr(0, 2) == "vp") {
        return o.kind == Kind::Pair && isPredicate(o.elements[1], false) &&
               isVector(o.elements[0], "v_");
    }
    if (o.kind != Kind::Vector || o.elements.size() != count()) return false;
    const bool wide = kind.find('w') != std::string_view::npos;
    const bool sinks = kind.back() == '_', literals = takesLiterals(kind);
    bool real = false;
    unsigned size = 0;
    for (const Operand& e : o.elements) {
        if (e.kind == Kind::Register) {
            const unsigned bytes = sizeOf(typeOfRegister(e));
            if (size != 0 && bytes != size) return false;
            size = bytes;
        }
        const bool sink = sinks && e.kind == Kind::Sink;
        if (!sink && !fitsRegister(e, wide) && !(literals && fitsLiteral(e))) return false;
        real |= !sink;
    }
    return real;
}

/// The space that the form's words name; Generic where they name none.
Space Slot::space() const noexcept
{
    static constexpr std::array<std::pair<std::string_view, Space>, 9> kSpaces{
        {{"global", Space::Global},
         {"shared", Space::SharedCta},
         {"shared::cta", Space::SharedCta},
         {"shared::cluster", Space::SharedCta},
         {"local", Space::Local},
         {"const", Space::Const},
         {"param", Space::Param},
         {"param::entry", Space::Param},
         {"param::func", Space::Param}}};
    for (std::size_t q = 0; q < form.qualifiers.size(); ++q) {
        if (words[q] < 0) continue;
        const std::string& word = form.qualifiers[q].values[static_cast<std::size_t>(words[q])];
        for (const auto& [name, space] : kSpaces) {
            if (word == name) return space;
        }
    }
    return Space::Generic;
}

const Variable* variable(const IsaContext& context, std::string_view name) noexcept
{
    const auto in = [&](const std::vector<Variable>& list) -> const Variable* {
        const auto at = std::find_if(list.begin(), list.end(),
                                     [&](const Variable& v) { return v.name == name; });
        return at == list.end() ? nullptr : &*at;
    };
    const Function& f = context.function;
    for (const std::vector<Variable>* list : {&f.locals, &f.params, &f.returns}) {
        if (const Variable* found = in(*list)) return found;
    }
    return in(context.module.variables);
}

/// A register of integers or bits, wide enough for the space, or a name that lies in the instruction's space.
bool Slot::isBase(const Operand& base) const noexcept
{
    const Space at = space();
    if (base.kind == Kind::Register) {
        const Type type = typeOfRegister(base);
        if (familyOf(type) != Family::Bits && familyOf(type) != Family::Int) return false;
        const bool wide = at == Space::Global || at == Space::Generic;
        return context.dialect == Dialect::Text || !wide || context.module.addressSize == 32 ||
               sizeOf(type) == 8;
    }
    const Variable* v = variable(context, base.name);
    if (base.kind != Kind::Symbol || v == nullptr) return true;
    const bool opaque = v->space == Space::Param || v->space == Space::Const;
    if (at == Space::Generic) return !opaque || !wanted.type.empty();
    return v->space == at || (v->space == Space::Reg && at == Space::Param);
}

bool Slot::isAddress(const Operand& o, std::string_view kind) const
{
    const bool loose = kind == "mt" && context.dialect == Dialect::Ptxas;  // takes values, too
    if (o.kind != Kind::Address)
        return loose &&
               (o.kind == Kind::Integer || (isPlainRegister(o) && sizeOf(typeOfRegister(o)) == 8));
    if (kind == "m") return o.elements.size() == 1 && isBase(o.elements[0]);
    if (kind == "mr") return o.elements.size() == 1 && isNarrowBase(o.elements[0]);
    if (kind == "ms" || kind == "mx") return isImage(o, kind == "mx");
    if (kind != "mc") return o.elements.size() == 1;  // another space than the form's first
    if (o.elements.size() != 2 || o.elements[1].kind != Kind::Vector) return false;
    const std::string_view dim = wordOf("dim"), mode = wordOf("mode");
    if (dim.empty()) return true;
    const bool rows = mode == "tile::gather4" || mode == "tile::scatter4";
    return o.elements[1].elements.size() == (rows ? 5u : static_cast<unsigned>(dim[0] - '0'));
}

/// A tensor memory address is of 32 bits.
bool Slot::isNarrowBase(const Operand& base) const noexcept
{
    return base.kind == Kind::Register && sizeOf(typeOfRegister(base)) == 4 &&
           familyOf(typeOfRegister(base)) != Family::Float;
}

/// A texture or surface by name or by handle, and its coordinates.
bool Slot::isImage(const Operand& o, bool coordinated) const
{
    const Operand& base = o.elements[0];
    const Variable* v = base.kind == Kind::Symbol ? variable(context, base.name) : nullptr;
    const bool named = v != nullptr && v->opaque;
    const bool handle = base.kind == Kind::Register && sizeOf(typeOfRegister(base)) == 8 &&
                        familyOf(typeOfRegister(base)) != Family::Float;
    if (!named && !handle) return false;
    if (!coordinated) return o.elements.size() == 1;
    return o.elements.size() == 2 && areCoordinates(o.elements[1]);
}

/// As many as the geometry has, a layer in front; one of them may stand alone.
bool Slot::areCoordinates(const Operand& o) const
{
    const bool alone = o.kind != Kind::Vector;
    if (alone && (count() != 1 || !isPlainRegister(o))) return false;
    const bool tooMany =
        !alone && o.elements.size() > count();  // the reference assembler ignores them
    if (!alone && o.elements.size() != count() && !(tooMany && context.dialect == Dialect::Ptxas))
        return false;
    const bool whole = typeWord() == "s32";
    const auto fits = [&](const Operand& e) {
        return isPlainRegister(e) && sizeOf(typeOfRegister(e)) == 4 &&
               !(whole && familyOf(typeOfRegister(e)) == Family::Float);
    };
    if (alone) return fits(o);
    const bool layered = wordOf(wanted.count)[0] == 'a';
    if (layered && isPlainRegister(o.elements[0]) &&
        familyOf(typeOfRegister(o.elements[0])) == Family::Float)
        return false;
    return std::all_of(o.elements.begin(), o.elements.end(), fits);
}

/// mov packs and unpacks: elements of one size that fill the type.
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

/// Predicates: written ("p", "pq", "dp"), read ("c", "cr").
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

/// Names: of a label ("yl"), a list of targets ("yt"), a function ("yf"), anything ("y").
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
    if (kind == "og") {  // per dimension; one may stand alone
        const bool alone = o.kind != Kind::Vector;
        return alone ? count() == 1 && (fitsRegister(o, false) || fitsLiteral(o))
                     : isVector(o, "vs");
    }
    return false;
}

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
    if (kind[0] == 'y') return "a name that fits";
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
            text += " from " + std::to_string(kind.range->first) + " to " +
                    std::to_string(kind.range->second);
        }
    }
    return text;
}

}  // namespace gsu::ptx::detail
