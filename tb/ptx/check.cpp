#include "ptx/check.hpp"

#include <algorithm>

#include "ptx/sync_decode.hpp"
#include "ptx/video.hpp"

namespace gsu::ptx {
namespace detail {
namespace {

/// The placeholder of which the word is a value.
std::string_view placeholderOf(std::string_view word) noexcept
{
    switch (wordKindOf(word)) {
        case WordKind::Sem: return "sem";
        case WordKind::Scope: return "scope";
        case WordKind::Space: return "space";
        case WordKind::Type: return "type";
        case WordKind::Vector: return "vec";
        case WordKind::Other: break;
    }
    return "op";
}

bool isMbarrier(SyncFamily family) noexcept
{
    return family == SyncFamily::MbarObject || family == SyncFamily::MbarArrive ||
           family == SyncFamily::MbarWait;
}

/// The rule of a modifier that fits nowhere: that of the placeholder for which it was meant.
std::string ruleFor(const SyncForm& form, std::string_view word)
{
    for (const auto& [refused, rule] : form.refusals) {
        if (refused == word) return rule;
    }
    // The space is outside the chapter's spaces, unlike the cluster's on a local-only operation.
    const bool far = isMbarrier(form.family) && wordKindOf(word) == WordKind::Space &&
                     spaceOf(word) != Space::SharedCluster;
    if (far) return form.syntaxRule;
    for (const FormQualifier& q : form.qualifiers) {
        if (q.name == placeholderOf(word) && !q.rule.empty()) return q.rule;
    }
    return form.syntaxRule;
}

std::string mnemonic(const Instruction& i)
{
    std::string text = i.opcode;
    for (const std::string& m : i.modifiers) text += '.' + m;
    return text.substr(0, 160);
}

/// Whether the family's worked examples in the manual permute its qualifiers (GEN-005).
bool orderIsFree(const SyncForm& form) noexcept
{
    return isMbarrier(form.family) || form.family == SyncFamily::Atomic ||
           form.id == SyncFormId::Fence;
}

/// Whether the dialect takes the values; sync_ops.def marks values that only one dialect has.
bool dialectTakes(const CheckContext& context, const SyncForm& form, const QualifierMatch& match)
{
    const char other = context.dialect == Dialect::Text ? '^' : '~';
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

/// Checks special registers of clusters. They may be read anywhere, so they are checked separately from the forms (NVVM-011, NVVM-014).
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
    if (const SyncMatch* match = matchSync(i); match != nullptr) {
        const SyncForm* form = match->form;
        const QualifierMatch& shape = match->qualifiers;
        if (!dialectTakes(context, *form, shape)) return nullptr;
        const bool free =
            shape.printedOrder || form->headersPermute || (shape.stemPrinted && orderIsFree(*form));
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
        if (q.placeholder && (q.name == "scope" || q.name == "sem")) rule = q.rule;
        for (const auto& [missing, violated] : nearest->absences) {
            if (missing == q.name) rule = violated;
        }
        why = q.placeholder ? "a qualifier ." + q.name + " is missing"
                            : "'." + q.name + "' is missing";
    }
    context.reject(rule, "'" + mnemonic(i) + "': " + why + "; nearest form: " + nearest->notation);
    return nullptr;
}

}  // namespace detail

namespace detail {
namespace {

bool isUnresolved(const Operand& o)
{
    return o.index == kUnresolved ||
           std::any_of(o.elements.begin(), o.elements.end(), isUnresolved);
}

/// Checks the form of one instruction: opcode, selectors, qualifiers, number and kinds of operands. False: rejected.
bool checkInstructionForm(const CheckContext& context, IsaJudge& judge,
                          std::optional<DecodedSync>& decoded)
{
    const std::size_t before = context.result.diagnostics.size();
    const Instruction& i = context.instruction;
    if (!isIsaOpcode(i.opcode) && !isSyncOpcode(i)) {
        context.reject("", "'" + i.opcode.substr(0, 80) + "' is not a PTX instruction");
        return false;
    }
    // The parser has reported the name; what else it would have to be is no second error.
    if (std::any_of(i.operands.begin(), i.operands.end(), isUnresolved)) return false;
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
    const detail::TargetProblem target = detail::targetProblem(module);
    const auto rejectTarget = [&] {
        if (!result.accepted || target.text.empty()) return;
        result.diagnostics.push_back(
            {Diagnostic::Severity::Error, module.targetAt, "GEN-006", target.text});
        result.accepted = false;
    };
    if (target.unknown) rejectTarget();
    const bool gates = !target.unknown;  // no gate of a target that does not exist says more
    IsaJudge judge(module, dialect, gates);
    for (const Function& function : module.functions) {
        if (gates) detail::checkFunctionHeader({module, function, {}, dialect, result});
        for (const Instruction& instruction : function.body) {
            const std::optional<Instruction> rest =
                dialect == Dialect::Ptxas ? withoutIgnored(instruction) : std::nullopt;
            const detail::CheckContext context{module, function, rest ? *rest : instruction,
                                               dialect, result};
            if (gates) detail::checkSpecials(context);
            std::optional<DecodedSync> decoded;
            (void)detail::checkInstructionForm(context, judge, decoded);
            if (!decoded) continue;
            detail::checkValues(context, *decoded);
            if (gates && decoded->row->inChapter()) detail::checkGates(context, *decoded);
        }
    }
    rejectTarget();  // an instruction that needs a newer version says more
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
    if (const detail::TargetProblem target = detail::targetProblem(module); target.unknown)
        errors.push_back({Diagnostic::Severity::Error, module.targetAt, "GEN-006", target.text});
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
