#include "exec/result/findings.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "exec/result/finding_table.hpp"
#include "exec/tmem/rule.hpp"

namespace gsu {

namespace {

/// Whether the launch continues after a rule of tcgen05.
bool isRemark(tmem::Rule rule) noexcept
{
    using enum tmem::Rule;
    constexpr std::array kRemarks{ColumnsLeft,  MixedGroups,  PairDiffers, Unallocated,
                                  ForeignLanes, MetadataCode, ScaleCopies, CollectorEmpty};
    return std::find(kRemarks.begin(), kRemarks.end(), rule) != kRemarks.end();
}

std::vector<ExecFinding> allFindings()
{
    using Effect = ExecFinding::Effect;
    std::vector<ExecFinding> all{
#define EXEC_FINDING(rule, severity, effect, what)                                                 \
    {rule, Severity::severity, ExecFinding::Effect::effect, what},
#include "exec/result/findings.def"
#undef EXEC_FINDING
    };
    for (std::size_t i = 0; i < tmem::ruleTexts().size(); ++i) {
        const auto rule = static_cast<tmem::Rule>(i);
        all.push_back({tmem::ruleTexts()[i].id,
                       rule == tmem::Rule::ScaleCopies ? Severity::Warning : Severity::Error,
                       isRemark(rule) ? Effect::Seen : Effect::Traps,
                       tmem::ruleTexts()[i].statement});
    }
    std::sort(all.begin(), all.end(), [](const ExecFinding& a, const ExecFinding& b) {
        return std::string_view(a.rule) < b.rule;
    });
    return all;
}

}  // namespace

const std::vector<ExecFinding>& execFindings()
{
    static const std::vector<ExecFinding> all = allFindings();
    return all;
}

}  // namespace gsu

namespace gsu::exec {
namespace {

constexpr std::size_t kMaxWarnings = 1000;
constexpr std::size_t kNotListed = ~std::size_t{0};

}  // namespace

void Findings::ignore(const std::vector<Suppression>& what)
{
    ignore_ = what;
    result_.ignored.assign(what.size(), 0);
}

bool Findings::ignored(const Finding& f)
{
    for (std::size_t i = 0; i < ignore_.size(); ++i) {
        const Suppression& s = ignore_[i];
        if (s.rule != f.rule || (s.line != 0 && s.line != f.line)) continue;
        result_.ignored[i] += f.count;
        return true;
    }
    return false;
}

void Findings::add(Finding f)
{
    if (ignored(f)) return;
    const bool warning = f.severity != Severity::Error;
    const std::size_t place =
        warning && warnings_ >= kMaxWarnings ? kNotListed : result_.findings.size();
    const auto [at, fresh] =
        index_.try_emplace({f.line, f.rule.empty() ? f.message : f.rule}, place);
    if (at->second == kNotListed) {
        ++result_.warningsNotListed;
        return;
    }
    if (!fresh) {
        ++result_.findings[at->second].count;
        return;
    }
    if (warning) ++warnings_;
    result_.findings.push_back(std::move(f));
}

void Findings::list(Finding f)
{
    if (ignored(f)) return;
    index_.try_emplace({f.line, f.rule}, result_.findings.size());
    result_.findings.push_back(std::move(f));
}

bool Findings::noted(MbarNote::Kind kind) const noexcept
{
    return std::any_of(notes_.begin(), notes_.end(),
                       [kind](const MbarNote& note) { return note.kind == kind; });
}

void Findings::takeNotes(std::uint32_t cta, unsigned warp, Lanes lanes, std::uint32_t line,
                         Cycle now)
{
    for (const MbarNote& n : notes_) {
        const std::optional<FindingRule> rule = findingOf(n.kind);
        if (!rule) continue;
        add({rule->rule, rule->severity, rule->message, cta, warp, lanes, line, now});
    }
    notes_.clear();
}

void Findings::takeNotes(std::uint32_t cta, Cycle now,
                         const std::function<std::uint32_t(const MbarNote&)>& lineOf)
{
    std::vector<MbarNote> all;
    all.swap(notes_);
    for (const MbarNote& n : all) {
        notes_ = {n};
        takeNotes(cta, 0, 0, lineOf(n), now);
    }
}

bool Findings::reported(const std::string& rule) const
{
    return std::any_of(index_.begin(), index_.end(),
                       [&](const auto& entry) { return entry.first.second == rule; });
}

bool Findings::misuse() const
{
    return std::any_of(result_.findings.begin(), result_.findings.end(),
                       [](const Finding& f) { return f.severity == Severity::Error; });
}

}  // namespace gsu::exec
