// Help about synchronization instructions, generated from the table.
#include <fmt/format.h>

#include <algorithm>

#include "ptx/sync_form.hpp"

namespace gsu::ptx {
namespace {

std::string head(const SyncForm& form)
{
    std::string text = form.opcode;
    for (std::size_t i = 0; i < form.stem; ++i) text += '.' + form.qualifiers[i].name;
    return text;
}

/// Whether the mnemonic names this form: its opcode matches, and every given word is a value of one of the form's qualifiers.
bool names(const SyncForm& form, std::string_view mnemonic)
{
    Instruction i;
    std::size_t at = mnemonic.find('.');
    i.opcode = mnemonic.substr(0, at);
    if (i.opcode != form.opcode) return false;
    while (at != std::string_view::npos) {
        const std::size_t next = mnemonic.find('.', at + 1);
        i.modifiers.emplace_back(
            mnemonic.substr(at + 1, next == std::string_view::npos ? next : next - at - 1));
        at = next;
    }
    // A mnemonic with fewer words than the stem names every form below it.
    for (std::size_t w = 0; w < i.modifiers.size() && w < form.stem; ++w) {
        if (form.qualifiers[w].values[0] != i.modifiers[w]) return false;
    }
    const bool prefix = i.modifiers.size() <= form.stem;
    return prefix || matchQualifiers(form, i).extra.empty();
}

std::string gateText(const FormGate& gate)
{
    std::string text;
    for (const std::string& key : gate.keys) {
        if (!text.empty()) text += '+';
        if (key[0] == '?')
            text += key == "?_" ? "result _" : "operand " + key.substr(1);
        else if (key[0] == '!')
            text += "generic address";
        else
            text += '.' + key;
    }
    if (!text.empty()) text = "with " + text + ": ";
    text += fmt::format("PTX {}.{}", gate.version / 10, gate.version % 10);
    return gate.target.empty() ? text : text + ", " + gate.target;
}

/// Whether another gate under the same conditions asks for all that this one asks for, and more.
bool isImplied(const SyncForm& form, const FormGate& gate)
{
    return std::any_of(form.gates.begin(), form.gates.end(), [&](const FormGate& other) {
        const bool more =
            other.version > gate.version || (gate.target.empty() && !other.target.empty());
        return more && other.keys == gate.keys && other.version >= gate.version &&
               (gate.target.empty() || gate.target == other.target);
    });
}

std::string describe(const SyncForm& form)
{
    std::string text = form.notation + '\n';
    for (const FormQualifier& q : form.qualifiers) {
        if (!q.placeholder) continue;
        text += "    ." + q.name + " = {";
        for (std::size_t v = 0; v < q.values.size(); ++v) {
            text += (v == 0 ? " ." : ", .") + q.values[v];
            if (static_cast<int>(v) == q.standard) text += " (default)";
        }
        text += " }\n";
    }
    const char* before = "    needs ";
    for (const FormGate& gate : form.gates) {
        if (isImplied(form, gate)) continue;
        text += before + gateText(gate);
        before = "; ";
    }
    if (!form.syntaxRule.empty()) {
        text += "\n    rules " + form.syntaxRule;
        for (const std::string* rule : {&form.operandRule, &form.versionRule, &form.targetRule}) {
            if (text.find(*rule, text.rfind("rules")) == std::string::npos) text += ' ' + *rule;
        }
    }
    return text + '\n';
}

}  // namespace

std::string syncHelp(std::string_view mnemonic)
{
    std::string text;
    if (mnemonic.empty()) {
        std::string last;
        for (const SyncForm& form : syncForms()) {
            std::string line = head(form);
            if (line == last) continue;
            text += line + '\n';
            last = std::move(line);
        }
        return text;
    }
    for (const SyncForm& form : syncForms()) {
        if (names(form, mnemonic)) text += describe(form);
    }
    return text;
}

}  // namespace gsu::ptx
