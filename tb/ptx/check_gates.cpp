// .version and .target gates (GEN-006, GEN-007): each message names the missing gate.
#include <fmt/format.h>

#include <algorithm>

#include "ptx/check.hpp"

namespace gsu::ptx::detail {
namespace {

struct Target {
    unsigned number{};
    char suffix{};  ///< 'a', 'f' or 0
};

Target targetOf(const std::string& name) noexcept
{
    Target t;
    const std::size_t at = name.find('_');
    if (at == std::string::npos) return t;
    for (std::size_t i = at + 1; i < name.size(); ++i) {
        if (name[i] >= '0' && name[i] <= '9' && t.number < 10000) {
            t.number = t.number * 10 + static_cast<unsigned>(name[i] - '0');
        } else {
            t.suffix = name[i];
        }
    }
    return t;
}

std::string versionText(unsigned version)
{
    return fmt::format("{}.{}", version / 10, version % 10);
}

bool inList(unsigned number, std::initializer_list<unsigned> list) noexcept
{
    return std::find(list.begin(), list.end(), number) != list.end();
}

/// Whether the target passes the gate. Gates may be named groups of arch-specific and family targets; every other gate means "this number or higher".
bool targetAllows(const std::string& gate, Target t, unsigned version, Dialect dialect) noexcept
{
    if (gate == "redux_f32") {
        return (t.suffix == 'a' &&
                (t.number == 100 || (version >= 88 && inList(t.number, {101, 103})))) ||
               (t.suffix == 'f' && version >= 88 && inList(t.number, {100, 101, 103}));
    }
    if (gate == "clc_multicast") {
        const bool listed = inList(t.number, {100, 101, 110, 120});
        const bool member = inList(t.number, {103, 121});
        return (t.suffix == 'a' && (listed || (dialect == Dialect::Ptxas && member))) ||
               (t.suffix == 'f' && version >= 88 && (listed || member));
    }
    return t.number >= targetOf(gate).number;
}

std::string targetText(const std::string& gate)
{
    if (gate == "redux_f32") return "sm_100a, or the sm_100f family from PTX 8.8";
    if (gate == "clc_multicast")
        return "sm_100a, sm_101a, sm_110a or sm_120a, or their families from PTX 8.8";
    return gate + " or higher";
}

/// Whether the instruction has what `key` names.
bool applies(const CheckContext& context, const DecodedSync& decoded, const QualifierMatch& match,
             std::string_view key)
{
    const Instruction& i = context.instruction;
    if (key == "?_") return !i.operands.empty() && i.operands[0].kind == Operand::Kind::Sink;
    if (key[0] == '?') return decoded.operand(i, key.substr(1)) != nullptr;
    const auto& qualifiers = decoded.row->qualifiers;
    for (std::size_t q = 0; q < qualifiers.size(); ++q) {
        if (key[0] == '!') {
            if (qualifiers[q].name == key.substr(1)) return match.value[q] < 0;
        } else if (match.value[q] >= 0 &&
                   qualifiers[q].values[static_cast<std::size_t>(match.value[q])] == key) {
            return true;
        }
    }
    return false;
}

std::string subject(const FormGate& gate, const SyncForm& form)
{
    std::string text;
    for (const std::string& key : gate.keys) {
        if (!text.empty()) text += " with ";
        if (key == "?_")
            text += "'_' as result";
        else if (key[0] == '?')
            text += "operand " + key.substr(1);
        else if (key[0] == '!')
            text += "an address without a state space";
        else
            text += "'." + key + "'";
    }
    return text.empty() ? "'" + form.notation.substr(0, form.notation.find_first_of(" ;")) + "'"
                        : text;
}

/// Register operands of bar came with PTX 2.0 and sm_20; the reference does not check this (L-01).
void checkBarRegisters(const CheckContext& context, const DecodedSync& decoded, Target t,
                       unsigned version)
{
    if (decoded.form != SyncFormId::BarSync || context.dialect == Dialect::Ptxas) return;
    const Operand* a = decoded.operand(context.instruction, "a");
    if (a == nullptr || a->kind == Operand::Kind::Integer) return;
    if (version < 20)
        context.reject("BAR-034", "a register as barrier needs .version 2.0");
    else if (t.number < 20)
        context.reject("BAR-036", "a register as barrier needs .target sm_20 or higher");
}

}  // namespace

bool targetAtLeast(const std::string& target, unsigned number) noexcept
{
    return targetOf(target).number >= number;
}

bool targetMeets(std::string_view gate, const std::string& target, unsigned version) noexcept
{
    const std::size_t bar = gate.find('|');
    if (bar != std::string_view::npos) {
        return targetMeets(gate.substr(0, bar), target, version) ||
               targetMeets(gate.substr(bar + 1), target, version);
    }
    const Target t = targetOf(target), g = targetOf(std::string(gate));
    if (g.suffix == 0) return t.number >= g.number;
    if (g.suffix == 'a') return t.suffix == 'a' && t.number == g.number;
    const bool family = t.number / 10 == g.number / 10 && t.number >= g.number;
    return family && (t.suffix == 'a' || (t.suffix == 'f' && version >= 88));
}

std::string targetWords(std::string_view gate)
{
    const std::size_t bar = gate.find('|');
    if (bar != std::string_view::npos)
        return targetWords(gate.substr(0, bar)) + " or " + targetWords(gate.substr(bar + 1));
    const char suffix = gate.back();
    if (suffix == 'a') return std::string(gate);
    return std::string(gate) + (suffix == 'f' ? " or another of its family" : " or higher");
}

void checkGates(const CheckContext& context, const DecodedSync& decoded)
{
    const SyncForm& form = *decoded.row;
    const unsigned version = context.module.versionMajor * 10 + context.module.versionMinor;
    const Target target = targetOf(context.module.target);
    const QualifierMatch& match = matchSync(context.instruction)->qualifiers;
    for (const FormGate& gate : form.gates) {
        if (gate.only == (context.dialect == Dialect::Text ? '^' : '~')) continue;
        const bool all =
            std::all_of(gate.keys.begin(), gate.keys.end(), [&](const std::string& key) {
                return applies(context, decoded, match, key);
            });
        if (!all) continue;
        if (version < gate.version) {
            const bool own = gate.target.empty() && !gate.rule.empty();
            context.reject(own ? gate.rule : form.versionRule,
                           subject(gate, form) + " needs .version " + versionText(gate.version));
            return;
        }
        if (!gate.target.empty() && !targetAllows(gate.target, target, version, context.dialect)) {
            context.reject(gate.rule.empty() ? form.targetRule : gate.rule,
                           subject(gate, form) + " needs .target " + targetText(gate.target));
            return;
        }
    }
    checkBarRegisters(context, decoded, target, version);
    const bool vote = decoded.form == SyncFormId::Vote || decoded.form == SyncFormId::VoteBallot;
    if ((vote || decoded.form == SyncFormId::Shfl) && version >= 64 && target.number >= 70) {
        context.reject(
            vote ? "VOTE-006" : "",
            form.opcode +
                " without .sync was removed with .version 6.4 for .target sm_70 and higher");
    }
}

}  // namespace gsu::ptx::detail
