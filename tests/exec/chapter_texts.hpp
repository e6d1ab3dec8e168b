/// Legal texts of every row of the chapter's table: each value of each qualifier, each optional word, each optional operand, with a
/// register of its own per operand. For tests of what is decoded from them.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "ptx/sync_form.hpp"

namespace gsu::test {

struct ChapterText {
    const ptx::SyncForm* form{};
    std::string mnemonic;               ///< "mbarrier.arrive.release.cta.b64"
    std::vector<std::string> operands;  ///< as written
    [[nodiscard]] std::string text() const
    {
        std::string out = mnemonic;
        for (std::size_t i = 0; i < operands.size(); ++i)
            out += (i == 0 ? " " : ", ") + operands[i];
        return out + ';';
    }
};

/// The words between the dots.
inline std::set<std::string> wordsOf(const std::string& mnemonic)
{
    std::set<std::string> words;
    std::size_t at = 0;
    while (at != std::string::npos) {
        const std::size_t next = mnemonic.find('.', at + 1);
        words.insert(mnemonic.substr(at + (at != 0), next - at - (at != 0)));
        at = next;
    }
    return words;
}

/// A register of that type; number `n` of its bank.
inline std::string registerOf(ptx::Type type, std::size_t n)
{
    const unsigned bytes = sizeOf(type);
    const char* bank = type == ptx::Type::F32   ? "%f"
                       : type == ptx::Type::F64 ? "%fd"
                       : bytes == 16            ? "%q"
                       : bytes == 8             ? "%rd"
                       : bytes == 4             ? "%r"
                                                : "%h";
    return bank + std::to_string(n);
}

/// Operand `n` of that kind, in an instruction of that type and vector length; empty: unknown kind.
inline std::string operandOf(const std::string& kind, ptx::Type type, unsigned vector,
                             std::size_t n)
{
    using ptx::Type;
    const std::string reg = registerOf(type, n);
    const auto vectorOf = [&](Type of, unsigned count) {
        std::string out = "{";
        for (unsigned i = 0; i < count; ++i) out += (i == 0 ? "" : ", ") + registerOf(of, n + i);
        return out + '}';
    };
    const std::string number = std::to_string(n);
    if (kind.size() > 2 && kind.substr(kind.size() - 3) == "mem") return "[%rd" + number + "+8]";
    if (kind == "p") return "%p" + number;
    if (kind == "c" || kind == "ci") return "!%p" + number;
    if (kind == "ep" || kind == "dp" || kind == "d32p") return "%r" + number + "|%p" + number;
    if (kind == "u32" || kind == "n16" || kind == "r32" || kind == "d32" || kind == "mask" ||
        kind == "x32" || kind == "b32" || kind == "u32c")
        return "%r" + number;
    if (kind == "f32") return "%f" + number;
    if (kind == "u16") return "%h" + number;
    if (kind == "r64" || kind == "r64_" || kind == "pol") return "%rd" + number;
    if (kind == "r128") return "%q" + number;
    if (kind == "sink") return "_";
    if (kind == "i128") return "128";
    if (kind == "cpsize") return "16";
    if (kind == "lit") return "2";
    if (kind == "v4") return vectorOf(Type::B32, 4);
    if (kind == "t" || kind == "td" || kind == "tr" || kind == "dr" || kind == "ta") return reg;
    if (kind == "vec" || kind == "vecd") return vectorOf(type, vector);
    if (kind == "tv") return vector == 1 ? reg : vectorOf(type, vector);
    return {};
}

/// Texts of one row. `chosen[q]`: value of qualifier q, -1 absent.
inline ChapterText textOf(const ptx::SyncForm& form, const std::vector<int>& chosen, bool optionals)
{
    ChapterText t{&form, form.opcode, {}};
    ptx::Type type = ptx::Type::None;
    unsigned vector = 1;
    for (std::size_t q = 0; q < form.qualifiers.size(); ++q) {
        if (chosen[q] < 0) continue;
        const std::string& word = form.qualifiers[q].values[static_cast<std::size_t>(chosen[q])];
        t.mnemonic += '.' + word;
        if (const auto is = ptx::typeOf(word); is && *is != ptx::Type::Pred) type = *is;
        if (form.qualifiers[q].name == "vec") vector = static_cast<unsigned>(word[1] - '0');
    }
    for (const ptx::FormOperand& o : form.operands) {
        const bool brought = o.bringer >= 0 && chosen[static_cast<std::size_t>(o.bringer)] >= 0;
        const bool policy = o.field == ptx::SyncField::Policy && o.bringer < 0;
        bool here = !o.optional || brought || (optionals && o.bringer < 0 && !policy);
        if (policy && o.optional) here = t.mnemonic.find("cache_hint") != std::string::npos;
        if (here) t.operands.push_back(operandOf(o.kind, type, vector, 4 * t.operands.size() + 1));
    }
    return t;
}

inline std::vector<ChapterText> textsOf(const ptx::SyncForm& form)
{
    std::vector<int> base;
    for (const ptx::FormQualifier& q : form.qualifiers) base.push_back(q.optional ? -1 : 0);
    std::vector<ChapterText> list;
    std::set<std::string> seen;
    const auto add = [&](const std::vector<int>& chosen) {
        for (const bool optionals : {false, true}) {
            ChapterText t = textOf(form, chosen, optionals);
            if (seen.insert(t.text()).second) list.push_back(std::move(t));
        }
    };
    add(base);
    for (std::size_t q = 0; q < form.qualifiers.size(); ++q) {
        for (std::size_t v = 0; v < form.qualifiers[q].values.size(); ++v) {
            std::vector<int> chosen = base;
            chosen[q] = static_cast<int>(v);
            add(chosen);
            for (std::size_t other = 0; other < form.qualifiers.size(); ++other) {
                if (form.qualifiers[other].optional) chosen[other] = std::max(chosen[other], 0);
            }
            add(chosen);
        }
    }
    return list;
}

}  // namespace gsu::test
