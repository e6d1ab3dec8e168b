#include "ptx/check.hpp"

#include <algorithm>

#include "ptx/video.hpp"

namespace gsu::ptx {
namespace detail {
namespace {

enum class WordKind : std::uint8_t { Sem, Scope, Space, Type, Vector, Other };

WordKind kindOf(std::string_view word) noexcept
{
    const auto is = [&](std::initializer_list<std::string_view> list) {
        return std::find(list.begin(), list.end(), word) != list.end();
    };
    if (is({"relaxed", "acquire", "release", "acq_rel", "sc", "weak", "volatile"}))
        return WordKind::Sem;
    if (is({"cta", "cluster", "gpu", "sys", "gl", "warp"})) return WordKind::Scope;
    if (is({"global", "shared", "shared::cta", "shared::cluster", "local", "const", "param"}))
        return WordKind::Space;
    if (typeOf(word)) return WordKind::Type;
    return is({"v2", "v4", "v8"}) ? WordKind::Vector : WordKind::Other;
}

/// The rule behind a modifier that fits nowhere: that of the placeholder it was meant for.
std::string ruleFor(const SyncForm& form, std::string_view word)
{
    if (form.opcode == "bar" && form.stem == 0 && word == "aligned") return "BAR-030";
    if (form.opcode == "atom" && word == "L2::cache_hint") return "ATOM-022";
    if (form.id == SyncFormId::RedAsyncRelease && word == "mbarrier::complete_tx::bytes")
        return "RASYNC-009";
    std::string_view placeholder;
    switch (kindOf(word)) {
        case WordKind::Sem: placeholder = "sem"; break;
        case WordKind::Scope: placeholder = "scope"; break;
        case WordKind::Space:
            // Outside the chapter's spaces altogether, unlike shared::cluster on a local-only operation.
            if (form.opcode == "mbarrier" && word != "shared::cluster") return form.syntaxRule;
            placeholder = "space";
            break;
        case WordKind::Type: placeholder = "type"; break;
        case WordKind::Vector: placeholder = "vec"; break;
        case WordKind::Other: placeholder = "op"; break;
    }
    for (const FormQualifier& q : form.qualifiers) {
        if (q.name == placeholder && !q.rule.empty()) return q.rule;
    }
    return form.syntaxRule;
}

std::string mnemonic(const Instruction& i)
{
    std::string text = i.opcode;
    for (const std::string& m : i.modifiers) text += '.' + m;
    return text.substr(0, 160);
}

/// Families whose worked examples in the manual permute their qualifiers (GEN-005).
bool orderIsFree(const SyncForm& form) noexcept
{
    const bool async = form.stem > 0 && form.qualifiers[0].name == "async";
    return form.opcode == "mbarrier" || form.opcode == "atom" || (form.opcode == "red" && !async) ||
           form.id == SyncFormId::Fence;
}

/// Forms that public headers write in an order of their own, which the reference takes.
bool headersPermute(const SyncForm& form) noexcept
{
    return form.id == SyncFormId::VoteSyncBallot || form.id == SyncFormId::RedAsyncRelease ||
           form.id == SyncFormId::ShflSync || form.id == SyncFormId::Shfl;
}

/// Values that only one dialect has (sync_ops.def marks them).
bool dialectTakes(const CheckContext& context, const SyncForm& form)
{
    const char other = context.dialect == Dialect::Text ? '^' : '~';
    const QualifierMatch match = matchQualifiers(form, context.instruction);
    for (std::size_t q = 0; q < form.qualifiers.size(); ++q) {
        if (match.value[q] < 0) continue;
        const auto v = static_cast<std::size_t>(match.value[q]);
        const FormQualifier& qualifier = form.qualifiers[q];
        if (qualifier.only[v] != other) continue;
        context.reject(qualifier.rule,
                       "'." + qualifier.values[v] +
                           "' does not belong here; nearest form: " + form.notation);
        return false;
    }
    return true;
}

/// Special registers of clusters may be read anywhere, so they are judged apart from the forms (NVVM-011, NVVM-014).
void checkSpecialRegisters(const CheckContext& context, const std::vector<Operand>& operands)
{
    const unsigned version = context.module.versionMajor * 10 + context.module.versionMinor;
    for (const Operand& o : operands) {
        if (!o.elements.empty()) checkSpecialRegisters(context, o.elements);
        if (o.kind != Operand::Kind::Special) continue;
        const std::string_view name = o.name;
        const bool cluster = name.substr(0, 8) == "%cluster" || name.substr(0, 9) == "%ncluster" ||
                             name == "%is_explicit_cluster";
        if (!cluster) continue;
        if (version < 78) {
            context.rejectAt(o.at, "NVVM-014", o.name + " needs .version 7.8");
        } else if (!targetAtLeast(context.module.target, 90)) {
            context.rejectAt(o.at, "NVVM-014", o.name + " needs .target sm_90 or higher");
        }
    }
}

void checkDirectives(const CheckContext& context, const Function& f)
{
    const unsigned version = context.module.versionMajor * 10 + context.module.versionMinor;
    const bool cluster =
        f.reqnctapercluster || f.explicitcluster || f.maxclusterrank || f.blocksareclusters;
    if (cluster && version < 78) {
        context.rejectAt(f.at, "HS-025", "cluster directives need .version 7.8");
    } else if (cluster && !targetAtLeast(context.module.target, 90)) {
        context.rejectAt(f.at, "HS-025", "cluster directives need .target sm_90 or higher");
    }
    if (context.dialect == Dialect::Ptxas && f.maxclusterrank && f.reqnctapercluster) {
        context.rejectAt(f.at, "HS-025",
                         "the reference assembler refuses .maxclusterrank with .reqnctapercluster");
    }
}

}  // namespace

void CheckContext::rejectAt(Position at, const std::string& rule, std::string message) const
{
    result.accepted = false;
    result.diagnostics.push_back({Diagnostic::Severity::Error, at, rule, std::move(message)});
}

void CheckContext::reject(const std::string& rule, std::string message) const
{
    rejectAt(instruction.at, rule, std::move(message));
}

void CheckContext::note(Diagnostic::Severity severity, const std::string& rule,
                        std::string message) const
{
    result.diagnostics.push_back({severity, instruction.at, rule, std::move(message)});
}

void checkFunctionHeader(const CheckContext& context)
{
    checkDirectives(context, context.function);
}

void checkSpecials(const CheckContext& context)
{
    checkSpecialRegisters(context, context.instruction.operands);
}

void checkSelectors(const CheckContext& context)
{
    const Instruction& i = context.instruction;
    if (isVideo(i.opcode)) {
        const auto problem = videoProblem(context.function, i, context.dialect);
        if (problem) context.rejectAt(problem->at, "", problem->reason);
    }
    if (context.dialect == Dialect::Ptxas) return;  // ignores them in vectors
    for (const Operand& o : i.operands) {
        if (o.kind != Operand::Kind::Vector) continue;
        for (const Operand& element : o.elements)
            if (element.kind == Operand::Kind::Register && !element.name.empty())
                context.rejectAt(element.at, "", "an element of a vector has no selector");
    }
}

void checkIsa(const CheckContext& context, IsaJudge& judge)
{
    const Instruction& i = context.instruction;
    if (isSyncOpcode(i) || !isIsaOpcode(i.opcode)) return;
    const IsaVerdict& verdict = judge.judge(context.function, i);
    if (verdict.form != nullptr) return;
    const auto at = static_cast<std::size_t>(verdict.operand);
    const bool blames = verdict.operand >= 0 && at < i.operands.size();
    context.rejectAt(blames ? i.operands[at].at : i.at, "", verdict.problem);
}

const SyncForm* checkForm(const CheckContext& context)
{
    const Instruction& i = context.instruction;
    const SyncForm* form = matchSync(i);
    if (form != nullptr) {
        const QualifierMatch shape = matchQualifiers(*form, i);
        if (!dialectTakes(context, *form)) return nullptr;
        const bool free = shape.printedOrder || headersPermute(*form) ||
                          (shape.stemPrinted && orderIsFree(*form));
        if (free || !form->inChapter() || context.dialect == Dialect::Ptxas) return form;
        context.reject(form->syntaxRule, "qualifiers of '" + mnemonic(i) +
                                             "' are not in the printed order: " + form->notation);
        return nullptr;
    }
    if (!isSyncOpcode(i)) return nullptr;
    const SyncForm* nearest = nearestSync(i);
    if (nearest == nullptr) return nullptr;
    const QualifierMatch match = matchQualifiers(*nearest, i);
    std::string rule = nearest->syntaxRule;
    std::string why = "it has no such form";
    if (!match.extra.empty()) {
        const std::string& word = i.modifiers[match.extra.front()];
        rule = ruleFor(*nearest, word);
        why = "'." + word.substr(0, 60) + "' does not belong here";
    } else if (!match.missing.empty()) {
        const FormQualifier& q = nearest->qualifiers[match.missing.front()];
        if (q.name == "scope" || q.name == "sem") rule = q.rule;
        if (q.name == "noftz") rule = i.opcode == "atom" ? "ATOM-018" : "RED-013";
        why = q.placeholder ? "a qualifier ." + q.name + " is missing"
                            : "'." + q.name + "' is missing";
    }
    context.reject(rule, "'" + mnemonic(i) + "': " + why + "; nearest form: " + nearest->notation);
    return nullptr;
}

}  // namespace detail

namespace detail {
namespace {

/// Form of one instruction: opcode, selectors, qualifiers, number and kinds of operands. False: rejected.
bool checkInstructionForm(const CheckContext& context, IsaJudge& judge,
                          std::optional<DecodedSync>& decoded)
{
    const std::size_t before = context.result.diagnostics.size();
    const Instruction& i = context.instruction;
    if (!isIsaOpcode(i.opcode) && !isSyncOpcode(i)) {
        context.reject("", "'" + i.opcode.substr(0, 80) + "' is not a PTX instruction");
        return false;
    }
    checkSelectors(context);
    checkIsa(context, judge);
    if (const SyncForm* form = checkForm(context); form != nullptr) {
        decoded = decodeSync(i);
        if (!decoded || !form->judgesOperands || !checkOperands(context, *decoded)) decoded.reset();
    }
    const auto& all = context.result.diagnostics;
    return std::none_of(
        all.begin() + static_cast<std::ptrdiff_t>(before), all.end(),
        [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::Error; });
}

}  // namespace
}  // namespace detail

CheckResult checkModule(const Module& module, Dialect dialect)
{
    CheckResult result;
    result.diagnostics = module.diagnostics;
    result.accepted = module.ok();
    IsaJudge judge(module, dialect);
    for (const Function& function : module.functions) {
        detail::checkFunctionHeader({module, function, {}, dialect, result});
        for (const Instruction& instruction : function.body) {
            const detail::CheckContext context{module, function, instruction, dialect, result};
            detail::checkSpecials(context);
            std::optional<DecodedSync> decoded;
            (void)detail::checkInstructionForm(context, judge, decoded);
            if (!decoded) continue;
            detail::checkValues(context, *decoded);
            if (decoded->row->inChapter()) detail::checkGates(context, *decoded);
        }
    }
    std::stable_sort(result.diagnostics.begin(), result.diagnostics.end(),
                     [](const Diagnostic& a, const Diagnostic& b) {
                         return a.at.line != b.at.line ? a.at.line < b.at.line
                                                       : a.at.column < b.at.column;
                     });
    return result;
}

std::vector<Diagnostic> formErrors(const Module& module)
{
    std::vector<Diagnostic> errors;
    IsaJudge textJudge(module, Dialect::Text, false), referenceJudge(module, Dialect::Ptxas, false);
    for (const Function& function : module.functions) {
        for (const Instruction& instruction : function.body) {
            CheckResult text, reference;
            std::optional<DecodedSync> decoded;
            if (detail::checkInstructionForm({module, function, instruction, Dialect::Text, text},
                                             textJudge, decoded) ||
                detail::checkInstructionForm(
                    {module, function, instruction, Dialect::Ptxas, reference}, referenceJudge,
                    decoded))
                continue;
            const auto first = std::find_if(
                text.diagnostics.begin(), text.diagnostics.end(),
                [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::Error; });
            errors.push_back(*first);
        }
    }
    return errors;
}

}  // namespace gsu::ptx
