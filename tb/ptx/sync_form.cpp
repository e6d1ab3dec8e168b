// Reads the rows of sync_ops.def once. The rows are constants, so a malformed row is a broken build, not an input error.
#include <algorithm>
#include <cassert>

#include "ptx/row_text.hpp"
#include "ptx/sync_form.hpp"

namespace gsu::ptx {
namespace {

struct Row {
    SyncFormId id;
    const char *notation, *where, *kinds, *gates, *rules;
    SyncFamily family;
    const char* means;
};

constexpr Row kRows[] = {
#define SYNC_FORM(id, notation, where, operands, gates, rules, family, means)                      \
    {SyncFormId::id, notation, where, operands, gates, rules, SyncFamily::family, means},
#include "ptx/sync_ops.def"
#undef SYNC_FORM
};

struct Placeholder {
    std::string_view name, rule;
    std::vector<std::string> values;
    std::vector<char> only;
    int standard{-1};
};

/// Removes the dialect mark from the front of `text` and returns it.
char takeMark(std::string_view& text)
{
    const char mark = text[0] == '~' || text[0] == '^' ? text[0] : '\0';
    if (mark != 0) text.remove_prefix(1);
    return mark;
}

std::vector<Placeholder> readWhere(std::string_view text)
{
    std::vector<Placeholder> list;
    for (const std::string_view part : splitRow(text, ' ')) {
        const std::size_t equals = part.find('=');
        assert(equals != std::string_view::npos);
        Placeholder p;
        const std::string_view head = part.substr(0, equals);
        const std::size_t colon = head.find(':');
        p.name = head.substr(0, colon);
        if (colon != std::string_view::npos) p.rule = head.substr(colon + 1);
        for (std::string_view value : splitRow(part.substr(equals + 1), '|')) {
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

/// Reads "mbarrier.arrive{.sem}.b64": a word ends before the next '.', '{' or '}'; "::" belongs to the word.
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

SyncField fieldOf(std::string_view name)
{
    constexpr std::string_view kNames[] = {
        "None",    "Result",   "Id",     "Count",  "Mask",   "Predicate", "Address",
        "Data",    "Swap",     "Limit",  "Target", "Source", "Size",      "SourceSize",
        "CtaMask", "ByteMask", "Policy", "Lane",   "Clamp",  "Rank",      "Groups"};
    const auto at = std::find(std::begin(kNames), std::end(kNames), name);
    assert(at != std::end(kNames));
    return static_cast<SyncField>(at - std::begin(kNames));
}

/// Cuts `text` at `mark` and returns the part after it.
std::string_view takeBehind(std::string_view& text, char mark)
{
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) return {};
    const std::string_view behind = text.substr(at + 1);
    text = text.substr(0, at);
    return behind;
}

/// Reads "kind[?word][:RULE][>Field]"; the word may hold colons in pairs.
FormOperand readKind(std::string_view spec, const SyncForm& form)
{
    FormOperand o;
    o.field = fieldOf(takeBehind(spec, '>'));
    std::string_view word = takeBehind(spec, '?');
    if (word.empty()) {
        o.rule = takeBehind(spec, ':');
    } else {
        const auto at = std::find_if(form.qualifiers.begin(), form.qualifiers.end(),
                                     [&](const FormQualifier& q) { return q.name == word; });
        assert(at != form.qualifiers.end());
        o.bringer = static_cast<int>(at - form.qualifiers.begin());
    }
    o.kind = spec;
    return o;
}

Op opOf(std::string_view name)
{
    for (unsigned n = 0; n < 256; ++n) {
        if (name == nameOf(static_cast<Op>(n))) return static_cast<Op>(n);
    }
    assert(false);
    return Op::None;
}

void readMeans(std::string_view text, SyncForm& form)
{
    form.referenceStem = form.stem;
    for (std::string_view part : splitRow(text, ' ')) {
        if (part.substr(0, 5) == "stem:") {
            form.referenceStem = static_cast<std::size_t>(part[5] - '0');
        } else if (part.substr(0, 3) == "no:" || part.substr(0, 8) == "without:") {
            auto& list = part[2] == ':' ? form.refusals : form.absences;
            const std::size_t from = part.find(':') + 1, equals = part.rfind('=');
            list.emplace_back(part.substr(from, equals - from), part.substr(equals + 1));
        } else if (part == "order:free") {
            form.headersPermute = true;
        } else if (part.substr(0, 3) == "to:") {
            form.to = part.substr(3);
        } else if (part.substr(0, 5) == "from:") {
            form.from = part.substr(5);
        } else if (const std::size_t equals = part.find('='); equals != std::string_view::npos) {
            form.ops.push_back(
                {std::string(part.substr(0, equals)), opOf(part.substr(equals + 1))});
        } else {
            form.ops.push_back({{}, opOf(part)});
        }
    }
}

void readOperands(std::string_view text, std::string_view kinds, SyncForm& form)
{
    const std::vector<std::string_view> kind = splitRow(kinds, ' ');
    std::string role;
    bool optional = false;
    bool pair = false;
    const auto finish = [&] {
        if (role.empty()) return;
        assert(form.operands.size() < kind.size());
        FormOperand& o = form.operands.emplace_back(readKind(kind[form.operands.size()], form));
        o.role = role;
        o.optional = optional && !pair;
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
    for (const std::string_view key : splitRow(text.substr(0, at), '+'))
        gate.keys.emplace_back(key);
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
    form.family = row.family;
    readMeans(row.means, form);
    readOperands(notation.substr(blank), row.kinds, form);
    for (const std::string_view gate : splitRow(row.gates, ' '))
        form.gates.push_back(readGate(gate));
    const std::vector<std::string_view> rules = splitRow(row.rules, ' ');
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
