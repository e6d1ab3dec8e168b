// Words, counts, registers, vectors and addresses of an operand's place.
#include "ptx/isa_slot.hpp"

#include <array>

#include "base/number.hpp"

namespace gsu::ptx::detail {

using Kind = Operand::Kind;

Family familyOf(Type t) noexcept
{
    if (t == Type::None) return Family::None;
    if (t == Type::Pred) return Family::Pred;
    if (t <= Type::B128) return Family::Bits;
    return t <= Type::S64 ? Family::Int : Family::Float;
}

Want wantOf(std::string_view word)
{
    if (const auto t = typeOf(word)) {
        if (*t >= Type::E4M3) return {Family::Float, std::max(sizeOf(*t), 1u), Type::None};
        return {familyOf(*t), sizeOf(*t), *t};
    }
    if (word == "u16x2" || word == "s16x2") return {Family::Float, 4, Type::F16x2};
    return {Family::Bits, 4, Type::B32};
}

/// The instruction's word for the placeholder `name`; empty where there is none.
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

/// Number of registers for the coordinates of a geometry: three coordinates take four registers, and a layer comes first.
static unsigned coordinates(std::string_view geometry) noexcept
{
    if (geometry == "1d") return 1;
    return geometry == "2d" || geometry == "a1d" ? 2 : 4;
}

/// The count: a number; the number of a word; "name^k", k times that number; "name.n%k", the number after its 'n', divided by k.
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

/// Whether the register fits: equal size; bits fit anything, otherwise integers fit integers and floats only the same type. `wide`: larger
/// registers hold smaller values.
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

/// Whether the literal fits: integers for integers and bits, floats for their own size and bits of it; halves have no literals.
bool Slot::fitsLiteral(const Operand& o) const noexcept
{
    const Want want = wantOf(typeWord());
    if (o.kind == Kind::Integer) return want.family != Family::Float && want.bytes < 16;
    if (o.kind != Kind::Float) return false;
    if (want.family == Family::Float) return want.exact == Type::F32 || want.exact == Type::F64;
    return want.family == Family::Bits && want.bytes == sizeOf(o.type);
}

/// Whether the operand is the information of im2col modes: an offset per dimension of the filter, or two numbers.
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

/// Whether literals are taken ('l'): only the reference assembler takes them among the registers of a fragment.
bool Slot::takesLiterals(std::string_view kind) const noexcept
{
    if (kind.find('l') != std::string_view::npos) return context.dialect == Dialect::Ptxas;
    return kind.find('s') != std::string_view::npos;
}

/// Whether the vector's types go together ('t'): bits go with anything, integers and floats do not mix, and integer literals alone do not fit.
bool Slot::sharesFamily(const Operand& vector) const noexcept
{
    Type floating = Type::None;
    bool integers = false, numbers = true;
    for (const Operand& e : vector.elements) {
        numbers &= e.kind == Kind::Integer;
        Type type = e.kind == Kind::Integer ? Type::S32 : e.type;
        if (e.kind == Kind::Register) type = typeOfRegister(e);
        integers |= familyOf(type) == Family::Int;
        if (familyOf(type) != Family::Float) continue;
        if (floating != Type::None && floating != type) return false;
        floating = type;
    }
    return !numbers && !(integers && floating != Type::None);
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
    return real && (kind.find('t') == std::string_view::npos || sharesFamily(o));
}

/// The space that the form's words name; Generic if they name none.
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

/// Whether the base fits: a register of integers or bits, wide enough for the space, or a name in the instruction's space.
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
    if (kind != "mc") return o.elements.size() == 1;  // for another space than the form's first
    if (o.elements.size() != 2 || o.elements[1].kind != Kind::Vector) return false;
    const std::string_view dim = wordOf("dim"), mode = wordOf("mode");
    if (dim.empty()) return true;
    const bool rows = mode == "tile::gather4" || mode == "tile::scatter4";
    return o.elements[1].elements.size() == (rows ? 5u : static_cast<unsigned>(dim[0] - '0'));
}

/// Whether the base has 32 bits, as a tensor memory address has.
bool Slot::isNarrowBase(const Operand& base) const noexcept
{
    return base.kind == Kind::Register && sizeOf(typeOfRegister(base)) == 4 &&
           familyOf(typeOfRegister(base)) != Family::Float;
}

/// Whether the operand is a texture or surface by name or by handle, and its coordinates.
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

/// Whether the operand has as many coordinates as the geometry, with a layer first; a single coordinate needs no braces.
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

}  // namespace gsu::ptx::detail
