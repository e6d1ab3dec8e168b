// Reads the rows of isa_ops.def once. The rows are constants, so a malformed row is a broken build, not an input error.
#include "ptx/isa_form.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "ptx/row_text.hpp"

namespace gsu::ptx {
namespace {

struct Row {
    const char *notation, *where, *kinds, *gates, *exec;
};

constexpr Row kRows[] = {
#define ISA_FORM(notation, where, kinds, gates, exec) {notation, where, kinds, gates, exec},
#include "ptx/isa_ops.def"
#undef ISA_FORM
};

using Where = std::vector<std::pair<std::string_view, std::vector<std::string>>>;

Where readWhere(std::string_view text)
{
    Where list;
    for (const std::string_view part : splitRow(text, ' ')) {
        const std::size_t equals = part.find('=');
        assert(equals != std::string_view::npos);
        const auto values = splitRow(part.substr(equals + 1), '|');
        list.emplace_back(part.substr(0, equals),
                          std::vector<std::string>(values.begin(), values.end()));
    }
    return list;
}

IsaQualifier qualifier(std::string_view word, bool optional, const Where& where)
{
    IsaQualifier q{std::string(word), {std::string(word)}, optional, false, false};
    for (const auto& [name, values] : where) {
        if (name != word) continue;
        q.values = values;
        q.placeholder = true;
    }
    q.isType = std::all_of(q.values.begin(), q.values.end(),
                           [](const std::string& v) { return isTypeWord(v); });
    return q;
}

/// Reads "mul.lo!{.sat}.type": '!' ends the words of the name.
void readMnemonic(std::string_view text, const Where& where, IsaForm& form)
{
    const std::size_t mark = text.find('!');
    std::size_t at = text.find_first_of(".{!");
    form.opcode = text.substr(0, at);
    bool optional = false;
    while (at < text.size()) {
        if (text[at] == '{' || text[at] == '}' || text[at] == '!') {
            optional = text[at++] == '{';
            continue;
        }
        ++at;
        const std::size_t end = std::min(text.find_first_of(".{}!", at), text.size());
        const std::string_view word = text.substr(at, end - at);
        if (mark != std::string_view::npos && at < mark)
            form.stem.emplace_back(word);
        else
            form.qualifiers.push_back(qualifier(word, optional, where));
        at = end;
    }
}

/// Marks placeholders for two state spaces, layouts or formats: their order determines which belongs to which operand.
void markOrdered(IsaForm& form)
{
    for (const char group : {'s', 'l', 'f'}) {
        const auto belongs = [&](const IsaQualifier& q) {
            return std::all_of(q.values.begin(), q.values.end(),
                               [&](std::string_view v) { return orderedGroup(v) == group; });
        };
        if (std::count_if(form.qualifiers.begin(), form.qualifiers.end(), belongs) < 2) continue;
        for (IsaQualifier& q : form.qualifiers) {
            if (belongs(q)) q.ordered = group;
        }
    }
}

/// Reads "kind:type*count@low..high".
IsaKind readKind(std::string_view text)
{
    IsaKind k;
    const std::size_t range = text.find('@');
    if (range != std::string_view::npos) {
        const std::string_view bounds = text.substr(range + 1);
        const std::size_t dots = bounds.find("..");
        k.range = {std::stoll(std::string(bounds.substr(0, dots))),
                   std::stoll(std::string(bounds.substr(dots + 2)))};
        text = text.substr(0, range);
    }
    const std::size_t star = text.find('*');
    if (star != std::string_view::npos) {
        k.count = text.substr(star + 1);
        text = text.substr(0, star);
    }
    const std::size_t colon = text.find(':');
    k.letters = text.substr(0, colon);
    if (colon != std::string_view::npos) k.type = text.substr(colon + 1);
    return k;
}

/// Reads the operands. Roles are only for messages; commas count, except in brackets.
void readOperands(std::string_view text, std::string_view kinds, IsaForm& form)
{
    const auto kind = splitRow(kinds, ' ');
    int depth = 0;
    bool optional = false;
    std::string role;
    const auto finish = [&] {
        if (role.empty()) return;
        assert(form.operands.size() < kind.size());
        IsaOperand o{role, {}, optional};
        for (const std::string_view k : splitRow(kind[form.operands.size()], '/'))
            o.kinds.push_back(readKind(k));
        form.operands.push_back(std::move(o));
        role.clear();
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool opens = c == '{' && (text.substr(i, 2) == "{,");
        if (depth == 0 && (c == ',' || c == ';' || opens)) {
            finish();
            if (opens) {
                optional = true;
                ++i;
            }
        } else if (depth == 0 && c == '}') {
            finish();
            optional = false;
        } else if (c != ' ') {
            depth += c == '[' || c == '{' || c == '('   ? 1
                     : c == ']' || c == '}' || c == ')' ? -1
                                                        : 0;
            role += c;
        }
    }
    assert(form.operands.size() == kind.size());
}

unsigned versionOf(std::string_view text)
{
    const std::size_t dot = text.find('.');
    return static_cast<unsigned>(std::stoul(std::string(text.substr(0, dot))) * 10 +
                                 std::stoul(std::string(text.substr(dot + 1))));
}

IsaGate readGate(std::string_view part)
{
    IsaGate gate;
    const std::size_t at = part.find_first_of("@<");
    if (part[0] == '#') gate.kind = IsaGate::Kind::Never;
    assert((at == std::string_view::npos) == (gate.kind == IsaGate::Kind::Never));
    const std::string_view keys = part.substr(0, at);
    for (const std::string_view key : splitRow(keys.substr(part[0] == '#' ? 1 : 0), '+'))
        gate.keys.emplace_back(key);
    if (gate.kind == IsaGate::Kind::Never) return gate;
    if (part[at] == '<') gate.kind = IsaGate::Kind::Until;
    const std::string_view rest = part.substr(at + 1);
    const std::size_t colon = rest.find(':');
    if (colon != 0) gate.version = versionOf(rest.substr(0, colon));
    if (colon != std::string_view::npos) gate.target = rest.substr(colon + 1);
    return gate;
}

IsaForm readRow(const Row& row)
{
    IsaForm form;
    const std::string_view text = row.notation;
    const std::size_t end = std::min(text.find_first_of(" *;"), text.size());
    readMnemonic(text.substr(0, end), readWhere(row.where), form);
    markOrdered(form);
    if (text[end] != '*') readOperands(text.substr(end), row.kinds, form);
    for (const std::string_view part : splitRow(row.gates, ' '))
        form.gates.push_back(readGate(part));
    form.open = text.find('*') != std::string_view::npos;
    form.executed = std::string_view(row.exec) == "run";
    form.notation = text;
    form.notation.erase(std::remove(form.notation.begin(), form.notation.end(), '!'),
                        form.notation.end());
    return form;
}

}  // namespace

char orderedGroup(std::string_view word) noexcept
{
    if (word == "global" || word.substr(0, 6) == "shared") return 's';
    if (word == "b8x16" || word == "b6x16_p32" || word == "b4x16_p64") return 'f';
    return word == "row" || word == "col" ? 'l' : '\0';
}

bool isTypeWord(std::string_view word) noexcept
{
    static constexpr std::array<std::string_view, 20> kMore{
        "u16x2", "s16x2", "u2",   "s2",     "u4",     "s4",     "b1",     "e2m1",   "e3m2", "e2m3",
        "ue8m0", "ue4m3", "u8x4", "e4m3x4", "e5m2x4", "e2m1x4", "e3m2x4", "e2m3x4", "s8x4", "pred"};
    return typeOf(word) || std::find(kMore.begin(), kMore.end(), word) != kMore.end();
}

std::size_t IsaForm::minOperands() const noexcept
{
    return static_cast<std::size_t>(std::count_if(operands.begin(), operands.end(),
                                                  [](const IsaOperand& o) { return !o.optional; }));
}

int IsaForm::operandIndex(std::size_t operand, std::size_t count) const noexcept
{
    std::size_t spare = count - std::min(count, minOperands());
    int at = 0;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const bool there = !operands[i].optional || spare > 0;
        if (operands[i].optional && spare > 0) --spare;
        if (i == operand) return there ? at : -1;
        if (there) ++at;
    }
    return -1;
}

std::string_view IsaVerdict::word(std::string_view name) const noexcept
{
    for (std::size_t q = 0; q < words.size(); ++q) {
        if (form->qualifiers[q].name == name && words[q] >= 0)
            return form->qualifiers[q].values[static_cast<std::size_t>(words[q])];
    }
    return {};
}

const Operand* IsaVerdict::operandOf(const Instruction& instruction,
                                     std::string_view role) const noexcept
{
    for (std::size_t o = 0; o < form->operands.size(); ++o) {
        if (form->operands[o].role != role) continue;
        const int at = form->operandIndex(o, instruction.operands.size());
        return at < 0 ? nullptr : &instruction.operands[static_cast<std::size_t>(at)];
    }
    return nullptr;
}

const std::vector<IsaForm>& isaForms()
{
    static const std::vector<IsaForm> forms = [] {
        std::vector<IsaForm> list;
        for (const Row& row : kRows) list.push_back(readRow(row));
        return list;
    }();
    return forms;
}

const std::vector<const IsaForm*>& isaFormsOf(std::string_view opcode)
{
    static const FormsByOpcode<IsaForm> index(isaForms());
    return index.of(opcode);
}

bool isIsaOpcode(std::string_view opcode) noexcept { return !isaFormsOf(opcode).empty(); }

}  // namespace gsu::ptx
