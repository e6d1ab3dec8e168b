/// Instructions of every row of the table outside the chapter: each value of each word, each optional word and operand, each kind
/// of an operand. For tests of what is decoded from them; which of them are legal, the check says.
#pragma once
#include <string>
#include <vector>

#include "ptx/isa_form.hpp"

namespace gsu::test {

struct IsaText {
    std::string text;
};

/// A module with registers of all types, variables in all spaces, a function and a label around `instruction`.
inline std::string isaModule(const std::string& instruction, const std::string& target)
{
    const bool old = target == "sm_30" || target == "sm_13";
    return std::string(".version ") + (old ? "6.0" : "9.0") + "\n.target " + target +
           "\n.address_size 64\n.global .align 128 .b8 gbl[1024];\n.global .texref tex;\n.global "
           ".surfref surf;\n.const .align 16 .b8 cst[64];\n.func (.reg .b32 out) callee (.reg .b32 "
           "in) { mov.b32 out, in; ret; }\n.func plain () { ret; }\n.visible .entry k()\n{\n.reg "
           ".pred %p<16>; .reg .b8 %b<40>; .reg .b16 %h<40>; .reg .b32 %r<140>; .reg .f32 %f<140>; "
           ".reg .b64 %rd<40>; .reg .f64 %fd<40>;\n" +
           (old ? "" : ".reg .b128 %q<8>;\n") +
           ".local .align 16 .b8 loc[64]; .shared .align 128 .b8 smem[1024]; .param .b32 "
           "par;\nLTS: "
           ".branchtargets L1;\nPRO: .callprototype _ ();\n" +
           instruction + "\nL1: ret;\n}\n";
}

namespace isa_texts {

using Words = std::vector<int>;  ///< per qualifier the index of its value, -1 absent

inline std::string wordOf(const ptx::IsaForm& form, const Words& words, const std::string& name)
{
    for (std::size_t q = 0; q < form.qualifiers.size(); ++q) {
        if (form.qualifiers[q].name == name && words[q] >= 0)
            return form.qualifiers[q].values[static_cast<std::size_t>(words[q])];
    }
    return {};
}

inline unsigned numberIn(const std::string& text)
{
    const std::size_t at = text.find_first_of("0123456789");
    return at == std::string::npos ? 1 : static_cast<unsigned>(std::stoul(text.substr(at)));
}

/// isa_ops.def says how a count is written.
inline unsigned countOf(const ptx::IsaForm& form, const Words& words, const std::string& count)
{
    if (count.empty()) return 1;
    const std::size_t mark = count.find_first_of(".^");
    const std::string name = count.substr(0, mark), word = wordOf(form, words, name);
    if (name == "geom") {
        const bool flat = mark != std::string::npos && word[0] == 'a';
        const std::string g = flat ? word.substr(1) : word;
        if (g.substr(0, 2) == "1d") return 1;
        return g.substr(0, 2) == "2d" && (g == "2d" || mark != std::string::npos) ? 2
               : g == "a1d"                                                       ? 2
                                                                                  : 4;
    }
    if (word.empty()) return numberIn(count);
    if (mark == std::string::npos) return numberIn(word);
    if (count[mark] == '^') return numberIn(word) * numberIn(count.substr(mark));
    return numberIn(word.substr(word.find('n'))) / numberIn(count.substr(mark));
}

inline std::string typeOf(const ptx::IsaForm& form, const Words& words, const ptx::IsaKind& kind)
{
    if (!kind.type.empty()) {
        const std::string word = wordOf(form, words, kind.type);
        return word.empty() ? kind.type : word;
    }
    std::string last;
    for (std::size_t q = 0; q < form.qualifiers.size(); ++q) {
        if (form.qualifiers[q].isType && words[q] >= 0)
            last = form.qualifiers[q].values[static_cast<std::size_t>(words[q])];
    }
    return last;
}

inline std::string registerOf(const std::string& type, unsigned n)
{
    std::string bank = "r";
    if (const auto t = ptx::typeOf(type)) {
        const unsigned bytes = std::max(ptx::sizeOf(*t), 1u);
        bank = *t == ptx::Type::Pred  ? "p"
               : *t == ptx::Type::F32 ? "f"
               : *t == ptx::Type::F64 ? "fd"
               : bytes == 1           ? "b"
               : bytes == 2           ? "h"
               : bytes == 8           ? "rd"
               : bytes == 16          ? "q"
                                      : "r";
    }
    return '%' + bank + std::to_string(n);
}

inline std::string list(const std::string& type, unsigned n, unsigned first = 1)
{
    std::string text = "{";
    for (unsigned i = 0; i < n; ++i) text += (i ? ", " : "") + registerOf(type, first + i);
    return text + '}';
}

/// An address in the first space that the words name.
inline std::string addressOf(const ptx::IsaForm& form, const Words& words)
{
    const std::pair<const char*, const char*> spaces[]{
        {"global", "[%rd9]"},     {"shared", "[smem]"},        {"shared::cta", "[smem]"},
        {"const", "[cst]"},       {"local", "[loc]"},          {"param", "[par]"},
        {"param::func", "[par]"}, {"shared::cluster", "[%r9]"}};
    for (std::size_t q = 0; q < form.qualifiers.size(); ++q) {
        if (words[q] < 0) continue;
        for (const auto& [name, text] : spaces) {
            if (form.qualifiers[q].values[static_cast<std::size_t>(words[q])] == name) return text;
        }
    }
    return "[%rd9]";
}

inline std::string coordinates(const ptx::IsaForm& form, const Words& words)
{
    const std::string dim = wordOf(form, words, "dim");
    const bool rows = wordOf(form, words, "mode").find('4') != std::string::npos;
    return list("b32", rows ? 5 : numberIn(dim));
}

inline std::string imageOf(const ptx::IsaForm& form, const Words& words, const ptx::IsaKind& kind)
{
    const std::string name = form.opcode[0] == 't' ? "tex" : "surf";
    if (kind.letters == "ms") return '[' + name + ']';
    const unsigned n = countOf(form, words, kind.count);
    const bool layered = wordOf(form, words, "geom")[0] == 'a' && kind.type == "f32";
    if (!layered) return '[' + name + ", " + list(kind.type, n) + ']';
    const std::string rest = list("f32", n - 1);
    return '[' + name + ", {%r1, " + rest.substr(1) + ']';
}

/// Half of a type, for what mov takes apart.
inline std::string halves(const std::string& type)
{
    switch (ptx::typeOf(type) ? ptx::sizeOf(*ptx::typeOf(type)) : 4) {
        case 2: return "{%b1, %b2}";
        case 8: return "{%r1, %r2}";
        case 16: return "{%rd1, %rd2}";
        default: return "{%h1, %h2}";
    }
}

inline std::string nameOf(const std::string& kind)
{
    if (kind == "yl") return "L1";
    if (kind == "yt") return "LTS";
    if (kind == "yp") return "PRO";
    if (kind == "yf") return "plain";
    return kind == "ys" ? "smem" : "gbl";
}

inline std::string operandOf(const ptx::IsaForm& form, const Words& words, const ptx::IsaKind& kind,
                             unsigned n)
{
    const std::string& k = kind.letters;
    const std::string type = typeOf(form, words, kind);
    if (k == "mc") return "[%rd9, " + coordinates(form, words) + ']';
    if (k == "ms" || k == "mx") return imageOf(form, words, kind);
    if (k == "mr") return "[%r9]";
    if (k == "mt") return wordOf(form, words, "dst") == "shared::cluster" ? "[%r9]" : "[smem]";
    if (k[0] == 'm') return k == "m" ? addressOf(form, words) : "[%rd9]";
    if (k == "i") return std::to_string(kind.range ? kind.range->first : 0);
    if (k == "i2") return "32";
    if (k == "vi") {
        const bool all = wordOf(form, words, "mode") == "im2col";
        return list("b16", all ? numberIn(wordOf(form, words, "dim")) - 2 : 2);
    }
    if (k == "og") return list(type, countOf(form, words, kind.count));
    if (k.substr(0, 2) == "vp") return list(type, countOf(form, words, kind.count)) + "|%p1";
    if (k[0] == 'v') return list(type, countOf(form, words, kind.count));
    if (k == "p" || k == "c" || k == "cr") return "%p" + std::to_string(n + 1);
    if (k == "pq") return "%p1|%p2";
    if (k == "dp") return registerOf(type, n + 1) + "|%p1";
    if (k == "pd" || k == "ps") return halves(type);
    if (k == "sp" || k == "spx")
        return type.find("64") != std::string::npos ? "%clock64" : "%tid.x";
    if (k == "spv") return "%tid";
    if (k == "spp") return "%is_explicit_cluster";
    if (k == "_") return "_";
    if (k == "l") return "()";
    if (k[0] == 'y') return nameOf(k);
    return registerOf(type, n + 1);
}

inline std::string textOf(const ptx::IsaForm& form, const Words& words, bool all, std::size_t other)
{
    std::string text = form.opcode;
    for (const std::string& w : form.stem) text += '.' + w;
    for (std::size_t q = 0; q < form.qualifiers.size(); ++q) {
        if (words[q] >= 0)
            text += '.' + form.qualifiers[q].values[static_cast<std::size_t>(words[q])];
    }
    bool first = true;
    unsigned n = 0;
    for (const ptx::IsaOperand& o : form.operands) {
        if (o.optional && !all) continue;
        const ptx::IsaKind& kind = o.kinds[std::min(other, o.kinds.size() - 1)];
        text += (first ? " " : ", ") + operandOf(form, words, kind, n++);
        first = false;
    }
    return text + ';';
}

}  // namespace isa_texts

/// The least text of the row, then with one thing more or other at a time.
inline std::vector<IsaText> textsOf(const ptx::IsaForm& form)
{
    using namespace isa_texts;
    std::vector<Words> choices;
    Words least;
    for (const ptx::IsaQualifier& q : form.qualifiers) least.push_back(q.optional ? -1 : 0);
    choices.push_back(least);
    for (std::size_t q = 0; q < form.qualifiers.size(); ++q) {
        for (int v = 0; v < static_cast<int>(form.qualifiers[q].values.size()); ++v) {
            if (v == least[q]) continue;
            Words words = least;
            words[q] = v;
            choices.push_back(words);
            // Two words that only go together: an ordering and its scope, a hint and its operand.
            for (std::size_t p = 0; p < q; ++p) {
                if (!form.qualifiers[p].optional || !form.qualifiers[q].optional) continue;
                Words both = words;
                both[p] = 0;
                choices.push_back(both);
            }
        }
    }
    std::size_t kinds = 1;
    for (const ptx::IsaOperand& o : form.operands) kinds = std::max(kinds, o.kinds.size());
    std::vector<IsaText> texts;
    for (const Words& words : choices) {
        for (const bool all : {false, true}) {
            for (std::size_t other = 0; other < kinds; ++other)
                texts.push_back({textOf(form, words, all, other)});
        }
    }
    return texts;
}

}  // namespace gsu::test
