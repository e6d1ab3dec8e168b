// Version and target gates of a form, and words of it that exclude one another.
#include <fmt/format.h>

#include <algorithm>

#include "ptx/check.hpp"
#include "ptx/isa_form.hpp"

namespace gsu::ptx::detail {
namespace {

bool isWritten(const IsaForm& form, const IsaWords& words, const Instruction& i,
               std::string_view key)
{
    if (key[0] == '?') {
        for (std::size_t o = 0; o < form.operands.size(); ++o) {
            if (form.operands[o].role == key.substr(1))
                return form.operandIndex(o, i.operands.size()) >= 0;
        }
        return false;
    }
    for (std::size_t q = 0; q < form.qualifiers.size(); ++q) {
        if (words[q] < 0) continue;
        const IsaQualifier& qualifier = form.qualifiers[q];
        if (qualifier.name == key || qualifier.values[static_cast<std::size_t>(words[q])] == key)
            return true;
    }
    return false;
}

bool applies(const IsaGate& gate, const IsaForm& form, const IsaWords& words,
             const IsaContext& context)
{
    const Instruction& i = context.instruction;
    return std::all_of(gate.keys.begin(), gate.keys.end(), [&](std::string_view key) {
        if (key == "%64")  // the reference assembler does not mix in 32-bit addresses
            return context.dialect == Dialect::Ptxas && context.module.addressSize == 64;
        if (key == "%text") return context.dialect == Dialect::Text;
        if (key[0] == '!') return !isWritten(form, words, i, key.substr(1));
        return isWritten(form, words, i, key);
    });
}

/// "'.abs' without '.xorsign'"
std::string keysText(const IsaGate& gate)
{
    std::string text;
    for (std::string_view key : gate.keys) {
        const bool without = key[0] == '!';
        if (without) key.remove_prefix(1);
        if (without || !text.empty()) text += without ? " without " : " with ";
        text +=
            key[0] == '?' ? "operand " + std::string(key.substr(1)) : "'." + std::string(key) + "'";
    }
    return text;
}

std::string subject(const IsaGate& gate, const IsaForm& form)
{
    if (!gate.keys.empty()) return keysText(gate);
    return "'" + form.notation.substr(0, form.notation.find_first_of(" ;")) + "'";
}

}  // namespace

std::string missingGate(const IsaForm& form, const IsaWords& words, const IsaContext& context)
{
    const Module& module = context.module;
    const unsigned version = module.versionMajor * 10 + module.versionMinor;
    for (const IsaGate& gate : form.gates) {
        if (!applies(gate, form, words, context)) continue;
        if (gate.kind == IsaGate::Kind::Never) return keysText(gate) + " does not go";
        if (!context.gates) continue;
        const std::string number = fmt::format("{}.{}", gate.version / 10, gate.version % 10);
        const bool target = gate.target.empty() || targetMeets(gate.target, module.target, version);
        if (gate.kind == IsaGate::Kind::Until) {
            if (version >= gate.version && target)
                return subject(gate, form) + " was removed with .version " + number;
            continue;
        }
        if (version < gate.version) return subject(gate, form) + " needs .version " + number;
        if (!target) return subject(gate, form) + " needs .target " + targetWords(gate.target);
    }
    return {};
}

}  // namespace gsu::ptx::detail
