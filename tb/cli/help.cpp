#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/input_error.hpp"
#include "cli/commands.hpp"
#include "exec/result/finding_table.hpp"
#include "gen/nvvm.hpp"
#include "golden/findings.hpp"
#include "ptx/isa_form.hpp"
#include "ptx/sync_form.hpp"
#include "rules/catalogue.hpp"
#include "trace/instruction_text.hpp"

namespace gsu::cli {

namespace {

constexpr std::size_t kColumns = 120;

const char* nameOf(Severity severity) noexcept
{
    switch (severity) {
        case Severity::Error: return "error";
        case Severity::Warning: return "warning";
    }
    return "?";
}

const char* nameOf(Effect effect) noexcept
{
    switch (effect) {
        case Effect::Refused: return "refused";
        case Effect::Applied: return "applied";
        case Effect::Ignored: return "ignored";
        case Effect::Seen: return "remark";
    }
    return "?";
}

/// The operation in words that people use: PTX, or an event without an instruction.
const char* wordsOf(Op op) noexcept
{
    constexpr std::pair<Op, const char*> events[]{
        {Op::EvLaneExit, "exit of lanes"},
        {Op::EvWarpExit, "exit of a warp"},
        {Op::EvAsyncCompleteTx, "bytes of a copy"},
        {Op::EvAsyncArrive, "completion of cp.async"},
        {Op::EvAgentArrive, "arrival of tcgen05.commit"},
        {Op::EvDelivered, "bytes of st.async or red.async"}};
    for (const auto& [event, words] : events) {
        if (event == op) return words;
    }
    return trace::spellingOf(op);
}

/// PTX spellings of a row's operations, in lines that start with four blanks.
std::string operationsOf(const FindingRow& row)
{
    if (*row.operations == '\0') return {};
    std::string text, line;
    for (unsigned number = 1; number < 128; ++number) {
        if (!row.covers(static_cast<Op>(number))) continue;
        const std::string word = wordsOf(static_cast<Op>(number));
        if (line.size() + word.size() + 6 > kColumns) {
            text += "    " + line + ",\n";
            line.clear();
        }
        line += (line.empty() ? "" : ", ") + word;
    }
    return text + "    " + line + '\n';
}

std::string findingsHelp(std::string_view rule)
{
    std::string text;
    for (const FindingRow& row : findingRows()) {
        const FindingRule& r = row.rule;
        if (*r.rule == '\0' || (!rule.empty() && rule != r.rule)) continue;
        text += fmt::format("{:11}{:9}{:9}{}\n", r.rule, nameOf(r.severity), nameOf(r.effect),
                            r.message);
        text += operationsOf(row);
    }
    for (const ExecFinding& f : execFindings()) {
        if (!rule.empty() && rule != f.rule) continue;
        const bool traps = f.effect == ExecFinding::Effect::Traps;
        text += fmt::format("{:11}{:9}{:9}{}\n    of the executor\n", f.rule, nameOf(f.severity),
                            traps ? "traps" : "remark", f.what);
    }
    if (text.empty()) return text;
    return fmt::format("{:11}{:9}{:9}{}\n", "rule", "severity", "effect",
                       "what, in which operations") +
           text;
}

bool isRule(std::string_view text)
{
    if (text.starts_with("race-")) return true;
    return text.size() > 4 && text[text.size() - 4] == '-' && text[0] >= 'A' && text[0] <= 'Z';
}

constexpr const char* kTopics =
    "gsu help MNEMONIC   a synchronization instruction, or all that begin so: bar, "
    "mbarrier.arrive\n"
    "gsu help RULE       a rule, with examples: BAR-002 (gsu rules lists them)\n"
    "gsu help findings   all findings of a run, with their operations\n"
    "gsu help refused    legal instructions that GSU does not execute\n"
    "gsu help nvvm       the cluster operations of compilers, and their PTX\n"
    "gsu help chapter    the forms of synchronization instructions, one JSON object a line\n"
    "gsu help forms      the forms of all other instructions, one JSON object a line\n"
    "gsu COMMAND --help  the options of a command\n";

/// The rows of instructions outside the chapter, one JSON object a line, for programs that generate instructions.
std::string formsJson()
{
    std::string text;
    for (const ptx::IsaForm& form : ptx::isaForms()) {
        nlohmann::ordered_json words = nlohmann::ordered_json::array();
        for (const ptx::IsaQualifier& q : form.qualifiers) {
            words.push_back({{"name", q.name},
                             {"values", q.values},
                             {"optional", q.optional},
                             {"type", q.isType}});
        }
        nlohmann::ordered_json operands = nlohmann::ordered_json::array();
        for (const ptx::IsaOperand& o : form.operands) {
            nlohmann::ordered_json json{{"role", o.role},
                                        {"optional", o.optional},
                                        {"kinds", nlohmann::ordered_json::array()}};
            for (const ptx::IsaKind& k : o.kinds) {
                nlohmann::ordered_json kind{
                    {"kind", k.letters}, {"type", k.type}, {"count", k.count}};
                if (k.range) kind["range"] = {k.range->first, k.range->second};
                json["kinds"].push_back(kind);
            }
            operands.push_back(json);
        }
        const nlohmann::ordered_json row{{"notation", form.notation}, {"opcode", form.opcode},
                                         {"stem", form.stem},         {"words", words},
                                         {"operands", operands},      {"executed", form.executed}};
        text += row.dump() + '\n';
    }
    return text;
}

/// The rows of the chapter, one JSON object a line; kinds of operands are those of sync_ops.def.
std::string chapterJson()
{
    std::string text;
    for (const ptx::SyncForm& form : ptx::syncForms()) {
        nlohmann::ordered_json words = nlohmann::ordered_json::array();
        for (const ptx::FormQualifier& q : form.qualifiers) {
            words.push_back({{"name", q.name},
                             {"values", q.values},
                             {"optional", q.optional},
                             {"type", ptx::isTypeWord(q.values[0])}});
        }
        nlohmann::ordered_json operands = nlohmann::ordered_json::array();
        for (const ptx::FormOperand& o : form.operands) {
            nlohmann::ordered_json json{
                {"role", o.role}, {"optional", o.optional}, {"kind", o.kind}};
            if (o.bringer >= 0)
                json["with"] = form.qualifiers[static_cast<std::size_t>(o.bringer)].name;
            operands.push_back(json);
        }
        const nlohmann::ordered_json row{{"notation", form.notation},
                                         {"opcode", form.opcode},
                                         {"words", words},
                                         {"operands", operands}};
        text += row.dump() + '\n';
    }
    return text;
}

/// The number of rows of an opcode and its first words, and how many of them are executed.
struct NameCount {
    unsigned rows{}, executed{};
};

/// Rows that are legal and not executed, as the manual writes them, and what else of tcgen05 is not executed. tb/ptx/README.md has this text.
std::string refusedText()
{
    constexpr unsigned kMostRows = 4;  // a name with more refused rows is listed separately
    std::map<std::string, NameCount> names;
    const auto nameOfForm = [](const ptx::IsaForm& form) {
        std::string name = form.opcode;
        for (const std::string& word : form.stem) name += '.' + word;
        return name;
    };
    for (const ptx::IsaForm& form : ptx::isaForms()) {
        NameCount& count = names[nameOfForm(form)];
        ++count.rows;
        count.executed += form.executed ? 1 : 0;
    }
    std::vector<std::string> lines;
    for (const ptx::IsaForm& form : ptx::isaForms()) {
        if (form.executed) continue;
        const std::string name = nameOfForm(form);
        const NameCount& count = names[name];
        const bool whole = count.executed == 0 && count.rows > kMostRows;
        const std::string line = whole ? name + "*;" : form.notation;
        if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    }
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    // For tcgen05, values decide, too.
    for (const rules::Rule& rule : rules::all())
        if (rule.statement.starts_with("Not modelled: "))
            text += fmt::format("{}: {}\n", rule.id, rule.statement.substr(14));
    return text;
}

}  // namespace

int help(const std::string& what)
{
    if (what.empty()) {
        print(kTopics + ("\nInstructions:\n" + ptx::syncHelp("")));
        return kAsExpected;
    }
    if (what == "findings" || isRule(what)) {
        const std::string text =
            what == "findings" ? findingsHelp("") : ruleHelp(what) + findingsHelp(what);
        if (text.empty())
            throw InputError("gsu help", "there is no rule '" + what + "': see gsu rules");
        print(text);
        return kAsExpected;
    }
    if (what == "chapter") {
        print(chapterJson());
        return kAsExpected;
    }
    if (what == "forms") {
        print(formsJson());
        return kAsExpected;
    }
    if (what == "nvvm") {
        print(gen::nvvmHelp());
        return kAsExpected;
    }
    if (what == "refused") {
        print(refusedText());
        return kAsExpected;
    }
    const std::string text = ptx::syncHelp(what);
    if (text.empty()) {
        throw InputError("gsu help",
                         "'" + what +
                             "': no synchronization instruction or rule begins with this (gsu "
                             "help lists what there is)");
    }
    print(text.back() == '\n' ? text : text + '\n');
    return kAsExpected;
}

}  // namespace gsu::cli
