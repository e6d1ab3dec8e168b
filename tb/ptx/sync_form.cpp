// Reads the rows of sync_ops.def once; the rows are constants, so a malformed one is a broken build, not an input error.
#include <algorithm>
#include <cassert>

#include "ptx/sync_form.hpp"

namespace gsu::ptx {
namespace {

struct Row {
    SyncFormId id;
    const char *notation, *where, *kinds, *gates, *rules;
};

constexpr Row kRows[] = {
#define SYNC_FORM(id, notation, where, kinds, gates, rules)                                        \
    {SyncFormId::id, notation, where, kinds, gates, rules},
#include "ptx/sync_ops.def"
#undef SYNC_FORM
};

std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t at = text.find(separator);
        if (at != 0) parts.push_back(text.substr(0, at));
        text = at == std::string_view::npos ? std::string_view{} : text.substr(at + 1);
    }
    return parts;
}

struct Placeholder {
    std::string_view name, rule;
    std::vector<std::string> values;
    std::vector<char> only;
    int standard{-1};
};

/// Takes the dialect mark off the front of `text`.
char takeMark(std::string_view& text)
{
    const char mark = text[0] == '~' || text[0] == '^' ? text[0] : '\0';
    if (mark != 0) text.remove_prefix(1);
    return mark;
}

std::vector<Placeholder> readWhere(std::string_view text)
{
    std::vector<Placeholder> list;
    for (const std::string_view part : split(text, ' ')) {
        const std::size_t equals = part.find('=');
        assert(equals != std::string_view::npos);
        Placeholder p;
        const std::string_view head = part.substr(0, equals);
        const std::size_t colon = head.find(':');
        p.name = head.substr(0, colon);
        if (colon != std::string_view::npos) p.rule = head.substr(colon + 1);
        for (std::string_view value : split(part.substr(equals + 1), '|')) {
            p.only.push_back(takeMark(value));
            if (value.back() == '*') {
                p.standard = static_cast<int>(p.values.size());
                value.remove_suffix(1);
            }
            p.values.emplace_back(value);
        }
        list.push_back(std::move(p));
    }
    return list;
}

FormQualifier qualifier(std::string_view word, bool optional, const std::vector<Placeholder>& where)
{
    FormQualifier q;
    q.name = word;
    q.optional = optional;
    const auto p = std::find_if(where.begin(), where.end(),
                                [&](const Placeholder& w) { return w.name == word; });
    if (p == where.end()) {
        q.values.emplace_back(word);
        q.only.push_back(0);
        return q;
    }
    q.rule = p->rule;
    q.values = p->values;
    q.only = p->only;
    q.standard = p->standard;
    q.placeholder = true;
    return q;
}

/// "mbarrier.arrive{.sem}.b64": a word ends where the next '.', '{' or '}' is; "::" belongs to it.
void readMnemonic(std::string_view text, const std::vector<Placeholder>& where, SyncForm& form)
{
    std::size_t at = text.find_first_of(".{");
    form.opcode = text.substr(0, at);
    bool optional = false;
    while (at < text.size()) {
        if (text[at] == '{' || text[at] == '}') {
            optional = text[at++] == '{';
            continue;
        }
        ++at;
        const std::size_t end = std::min(text.find_first_of(".{}", at), text.size());
        form.qualifiers.push_back(qualifier(text.substr(at, end - at), optional, where));
        at = end;
    }
    while (form.stem < form.qualifiers.size() && !form.qualifiers[form.stem].optional &&
           !form.qualifiers[form.stem].placeholder) {
        ++form.stem;
    }
}

/// The words that the reference keeps in front, as measured in the permutation probes.
std::size_t referenceStem(const SyncForm& form)
{
    const bool proxy = form.stem > 0 && form.qualifiers[0].name == "proxy";
    if (form.opcode == "fence") return proxy ? 1 : 0;
    if (form.opcode == "vote" || form.opcode == "shfl" || form.opcode == "match" ||
        form.opcode == "redux")
        return 0;
    const bool noComplete = form.stem > 1 && form.qualifiers[1].name == "noComplete";
    if (form.opcode == "tensormap" || (form.opcode == "mbarrier" && noComplete)) return 1;
    return form.stem;
}

void readOperands(std::string_view text, std::string_view kinds, SyncForm& form)
{
    const std::vector<std::string_view> kind = split(kinds, ' ');
    std::string role;
    bool optional = false;
    bool pair = false;
    const auto finish = [&] {
        if (role.empty()) return;
        assert(form.operands.size() < kind.size());
        const std::string_view spec = kind[form.operands.size()];
        const std::size_t colon = spec.find(':');
        const std::string_view rule =
            colon == std::string_view::npos ? std::string_view{} : spec.substr(colon + 1);
        form.operands.push_back(
            {role, std::string(spec.substr(0, colon)), std::string(rule), optional && !pair});
        role.clear();
        pair = false;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == ',' || c == ';') {
            finish();
            optional = i > 0 && text[i - 1] == '{';
        } else if (c == '}') {
            if (!pair) finish();
            optional = false;
        } else if (c == '|') {
            pair = true;
            role += c;
        } else if (c != '[' && c != ']' && c != ' ' && c != '{') {
            role += c;
        }
    }
    assert(form.operands.size() == kind.size());
}

FormGate readGate(std::string_view text)
{
    FormGate gate;
    gate.only = takeMark(text);
    if (const std::size_t equals = text.find('='); equals != std::string_view::npos) {
        gate.rule = text.substr(equals + 1);
        text = text.substr(0, equals);
    }
    const std::size_t at = text.find('@');
    for (const std::string_view key : split(text.substr(0, at), '+')) gate.keys.emplace_back(key);
    const std::string_view need = text.substr(at + 1);
    const std::size_t colon = need.find(':');
    const std::string_view version = need.substr(0, colon);
    if (colon != std::string_view::npos) gate.target = need.substr(colon + 1);
    gate.version = static_cast<unsigned>((version[0] - '0') * 10 + (version[2] - '0'));
    return gate;
}

SyncForm readRow(const Row& row)
{
    SyncForm form;
    form.id = row.id;
    form.notation = row.notation;
    const std::string_view notation = row.notation;
    const std::size_t blank = std::min(notation.find(' '), notation.size() - 1);
    readMnemonic(notation.substr(0, blank), readWhere(row.where), form);
    form.referenceStem = referenceStem(form);
    readOperands(notation.substr(blank), row.kinds, form);
    for (const std::string_view gate : split(row.gates, ' ')) form.gates.push_back(readGate(gate));
    const std::vector<std::string_view> rules = split(row.rules, ' ');
    std::string* const targets[] = {&form.syntaxRule, &form.operandRule, &form.versionRule,
                                    &form.targetRule};
    for (std::size_t i = 0; i < 4; ++i) {
        if (rules[i] != "-" && rules[i] != ".") *targets[i] = rules[i];
    }
    form.judged = rules[0] != "-";
    form.judgesOperands = rules[1] != "-";
    return form;
}

}  // namespace

std::size_t SyncForm::minOperands() const noexcept
{
    return static_cast<std::size_t>(std::count_if(
        operands.begin(), operands.end(), [](const FormOperand& o) { return !o.optional; }));
}

int SyncForm::operandIndex(std::string_view role, std::size_t count) const noexcept
{
    std::size_t spare = count - std::min(count, minOperands());
    int index = 0;
    for (const FormOperand& o : operands) {
        if (o.optional && spare == 0) {
            if (o.role == role) return -1;
            continue;
        }
        if (o.optional) --spare;
        if (o.role == role) return static_cast<std::size_t>(index) < count ? index : -1;
        ++index;
    }
    return -1;
}

const std::vector<SyncForm>& syncForms()
{
    static const std::vector<SyncForm> forms = [] {
        std::vector<SyncForm> list;
        for (const Row& row : kRows) list.push_back(readRow(row));
        return list;
    }();
    return forms;
}

const SyncForm& syncForm(SyncFormId id) { return syncForms()[static_cast<std::size_t>(id)]; }

}  // namespace gsu::ptx
