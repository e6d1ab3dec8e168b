// Finds the row of isa_ops.def for an instruction, or the nearest row.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/counted.hpp"
#include "ptx/isa_form.hpp"

namespace gsu::ptx {
namespace {

using Words = std::vector<std::string>;

/// Whether the reference assembler takes the word twice, with the same meaning as once.
bool mayRepeat(std::string_view word) noexcept
{
    static constexpr std::array<std::string_view, 8> kWords{"sat", "approx", "satfinite", "relu",
                                                            "NaN", "sync",   "uni",       "cc"};
    return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

bool ofTestp(std::string_view word) noexcept
{
    static constexpr std::array<std::string_view, 6> kWords{"finite",     "infinite", "number",
                                                            "notanumber", "normal",   "subnormal"};
    return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

int valueOf(const IsaQualifier& q, std::string_view word) noexcept
{
    const auto at = std::find(q.values.begin(), q.values.end(), word);
    return at == q.values.end() ? -1 : static_cast<int>(at - q.values.begin());
}

/// Binds a word that is not a type; false when the form has no place for it.
bool bindWord(const IsaForm& form, IsaWords& words, std::string_view word)
{
    bool had = false;
    for (std::size_t q = 0; q < form.qualifiers.size(); ++q) {
        if (form.qualifiers[q].isType) continue;
        const int value = valueOf(form.qualifiers[q], word);
        const char group = form.qualifiers[q].ordered;
        if (group != 0 && words[q] < 0 && value < 0 && orderedGroup(word) == group) return false;
        if (value < 0) continue;
        if (words[q] < 0) {
            words[q] = value;
            return true;
        }
        had |= words[q] == value && mayRepeat(word);
    }
    return had;
}

/// Binds a type to the next place for one; optional places that do not take the type are skipped.
bool bindType(const IsaForm& form, IsaWords& words, std::string_view word, std::size_t& next)
{
    for (; next < form.qualifiers.size(); ++next) {
        const IsaQualifier& q = form.qualifiers[next];
        if (!q.isType) continue;
        const int value = valueOf(q, word);
        if (value >= 0) {
            words[next++] = value;
            return true;
        }
        if (!q.optional) return false;
    }
    return false;
}

constexpr std::array<std::string_view, 11> kMapWords{
    "global_address", "rank",     "box_dim",           "global_dim",   "global_stride",
    "element_stride", "elemtype", "interleave_layout", "swizzle_mode", "swizzle_atomicity",
    "fill_mode"};
constexpr std::array<std::string_view, 3> kFormatWords{"b8x16", "b6x16_p32", "b4x16_p64"};

constexpr std::array<std::string_view, 2> kPrecisionWords{"acc::f16", "acc::f32"};

template <std::size_t n>
bool isOneOf(const std::array<std::string_view, n>& list, std::string_view word) noexcept
{
    return std::find(list.begin(), list.end(), word) != list.end();
}

/// Whether the reference assembler ignores the word; where such words belong to the instruction, a wrong one is an error.
bool ignoresFor(const IsaForm& form, std::string_view word) noexcept
{
    if (form.opcode == "testp" && ofTestp(word)) return false;
    if (form.opcode == "tensormap" && isOneOf(kMapWords, word)) return false;
    if (form.opcode == "tensormap" && isOneOf(kFormatWords, word)) return false;
    const bool copies = form.opcode == "tcgen05" && form.stem[0] == "cp";
    const bool formats = form.opcode == "ldmatrix" || copies;
    return referenceIgnores(word) && !(formats && isOneOf(kFormatWords, word));
}

/// Whether the reference assembler accepts the form without .aligned.
bool mayMiss(const IsaForm& form, std::string_view word) noexcept
{
    if (word != "aligned") return ofTestp(word);
    const bool memory = !form.stem.empty() && (form.stem[0] == "ld" || form.stem[0] == "st");
    return form.opcode == "wgmma" || (form.opcode == "tcgen05" && memory);
}

/// Whether ".pred" besides the type is ignored: the reference assembler does so where operations have several types.
bool ignoresPred(const IsaForm& form, std::string_view word) noexcept
{
    constexpr std::array<std::string_view, 12> kOpcodes{"abs", "add", "sub",  "neg", "fma",  "min",
                                                        "max", "set", "setp", "cvt", "sqrt", "rcp"};
    return word == "pred" && isOneOf(kOpcodes, form.opcode);
}

struct Fit {
    IsaWords words;
    std::vector<std::string_view> extra;
    std::vector<std::string_view> missing;
    std::size_t stem{};  ///< words of the stem that the instruction has
};

Fit fitWords(const IsaForm& form, const Words& modifiers, Dialect dialect)
{
    Fit fit;
    fit.words.assign(form.qualifiers.size(), -1);
    while (fit.stem < form.stem.size() && fit.stem < modifiers.size() &&
           modifiers[fit.stem] == form.stem[fit.stem])
        ++fit.stem;
    std::size_t nextType = 0;
    for (std::size_t i = fit.stem; i < modifiers.size(); ++i) {
        const std::string& word = modifiers[i];
        // A form may have a type's name as an ordinary word (".f16" of ".kind"); then the place decides.
        const bool bound = (isTypeWord(word) && bindType(form, fit.words, word, nextType)) ||
                           (!isTypeWord(word) && bindWord(form, fit.words, word));
        const bool ignored =
            dialect == Dialect::Ptxas && (ignoresFor(form, word) || ignoresPred(form, word));
        if (!bound && !ignored) fit.extra.push_back(word);
    }
    for (std::size_t w = fit.stem; w < form.stem.size(); ++w) fit.missing.push_back(form.stem[w]);
    for (std::size_t q = 0; q < form.qualifiers.size(); ++q) {
        const IsaQualifier& wanted = form.qualifiers[q];
        const bool ignored = dialect == Dialect::Ptxas && mayMiss(form, wanted.values[0]);
        if (fit.words[q] < 0 && !wanted.optional && !ignored) fit.missing.push_back(wanted.name);
    }
    return fit;
}

std::string mnemonic(const Instruction& i)
{
    std::string text = i.opcode;
    for (const std::string& m : i.modifiers) text += '.' + m;
    return text.substr(0, 160);
}

void appendOperand(std::string& key, const Function& f, const Operand& o)
{
    static constexpr std::string_view kLetters = "rsifyavp_l";
    key += kLetters[static_cast<std::size_t>(o.kind)];
    if (o.kind == Operand::Kind::Symbol) key += o.name + ' ';
    if (o.kind == Operand::Kind::Register)
        key += static_cast<char>('A' + static_cast<int>(f.registers[o.index].type));
    if (o.kind == Operand::Kind::Special) key += o.name;
    if (o.kind == Operand::Kind::Float) key += o.type == Type::F64 ? 'd' : 'f';
    if (o.negated) key += '-';
    if (o.offset != 0) key += '+';
    if (o.kind == Operand::Kind::Register && !o.name.empty()) key += '.' + o.name;
    for (const Operand& e : o.elements) appendOperand(key, f, e);
    if (!o.elements.empty()) key += ')';
}

/// Distance by which the nearest form is chosen: first words of the name, then words that only this form has, then the operands.
int distance(const Fit& fit, const IsaForm& form, const Instruction& i)
{
    int d = 0;
    for (const std::string_view word : fit.extra) d += isTypeWord(word) ? 30 : 100;
    d += 40 * static_cast<int>(fit.missing.size()) - 150 * static_cast<int>(fit.stem);
    const auto count = i.operands.size();
    if (count < form.minOperands() || count > form.operands.size()) d += 15;
    return d;
}

std::string reasonOf(const Fit& fit)
{
    if (!fit.extra.empty())
        return "'." + std::string(fit.extra.front().substr(0, 60)) + "' does not belong here";
    return "'." + std::string(fit.missing.front()) + "' is missing";
}

std::string nearest(const Instruction& i, Dialect dialect)
{
    const IsaForm* best = nullptr;
    Fit bestFit;
    int least = 0;
    for (const IsaForm* form : isaFormsOf(i.opcode)) {
        Fit fit = fitWords(*form, i.modifiers, dialect);
        const int d = distance(fit, *form, i);
        if (best != nullptr && d >= least) continue;
        best = form;
        least = d;
        bestFit = std::move(fit);
    }
    return "'" + mnemonic(i) + "': " + reasonOf(bestFit) + "; nearest form: " + best->notation;
}

/// The verdict on operands and gates of a form whose words fit.
IsaVerdict judgeForm(const IsaForm& form, const IsaWords& words, const detail::IsaContext& context)
{
    IsaVerdict v;
    const std::size_t count = context.instruction.operands.size();
    if (count < form.minOperands() || count > form.operands.size()) {
        v.problem =
            detail::wrongCount(form.minOperands(), form.operands.size(), count, form.notation);
        return v;
    }
    const int wrong = detail::wrongOperand(form, words, context);
    if (wrong >= 0) {
        const auto at = static_cast<std::size_t>(wrong);
        v.operand = form.operandIndex(at, count);
        v.problem = "operand " + form.operands[at].role + " must be " +
                    detail::wantedOperand(form, words, context, at) + ": " + form.notation;
        return v;
    }
    v.problem = detail::missingGate(form, words, context);
    if (v.problem.empty()) {
        v.form = &form;
        v.words = words;
    } else if (!form.notation.starts_with(mnemonic(context.instruction) + ';')) {
        v.problem += "; nearest form: " + form.notation;
    }
    return v;
}

/// How far a form was matched: operands are checked before gates.
int progress(const IsaVerdict& v) noexcept { return v.form != nullptr ? 3 : v.operand < 0 ? 1 : 2; }

/// The verdict for a form whose words and operands are judged elsewhere or not at all.
IsaVerdict openVerdict(const IsaForm& form, const detail::IsaContext& context)
{
    IsaVerdict v;
    v.problem = detail::missingGate(form, {}, context);
    if (v.problem.empty()) v.form = &form;
    return v;
}

/// Whether the value of a literal matters.
bool valuesCount(const IsaOperand& o)
{
    return std::any_of(o.kinds.begin(), o.kinds.end(),
                       [](const IsaKind& kind) { return kind.range || kind.letters == "i2"; });
}

IsaVerdict judgeNew(const detail::IsaContext& context)
{
    IsaVerdict best;
    bool any = false, values = false;
    for (const IsaForm* form : isaFormsOf(context.instruction.opcode)) {
        const Fit fit = fitWords(*form, context.instruction.modifiers, context.dialect);
        if (form->open && fit.stem == form->stem.size()) return openVerdict(*form, context);
        if (!fit.extra.empty() || !fit.missing.empty()) continue;
        values |= std::any_of(form->operands.begin(), form->operands.end(), valuesCount);
        IsaVerdict v = judgeForm(*form, fit.words, context);
        if (!any || progress(v) > progress(best)) best = std::move(v);
        any = true;
        if (best.form != nullptr) break;
    }
    if (!any) best.problem = nearest(context.instruction, context.dialect);
    best.valuesMatter = values;
    return best;
}

}  // namespace

std::string detail::wrongCount(std::size_t least, std::size_t most, std::size_t got,
                               const std::string& notation)
{
    const std::string from = least == most ? "" : fmt::format("{} to ", least);
    return fmt::format("expected {}{}, got {}: {}", from, counted(most, "operand"), got, notation);
}

bool referenceIgnores(std::string_view word) noexcept
{
    return ofTestp(word) || isOneOf(kMapWords, word) || isOneOf(kFormatWords, word) ||
           isOneOf(kPrecisionWords, word);
}

const IsaVerdict& IsaJudge::judge(const Function& function, const Instruction& instruction)
{
    key_.assign(instruction.opcode);
    for (const std::string& m : instruction.modifiers) {
        key_ += '.';
        key_ += m;
    }
    key_ += ' ';
    for (const Operand& o : instruction.operands) appendOperand(key_, function, o);
    const auto found = known_.find(key_);
    if (found != known_.end() && !found->second.valuesMatter) return found->second;
    return known_
        .insert_or_assign(key_, judgeNew({module_, dialect_, function, instruction, gates_}))
        .first->second;
}

}  // namespace gsu::ptx
