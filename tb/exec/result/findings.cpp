#include "exec/result/findings.hpp"

#include <algorithm>

#include "exec/result/finding_table.hpp"

namespace gsu {

const std::vector<ExecFinding>& execFindings()
{
    static const std::vector<ExecFinding> all{
#define EXEC_FINDING(rule, severity, effect, what)                                                 \
    {rule, Severity::severity, ExecFinding::Effect::effect, what},
#include "exec/result/findings.def"
#undef EXEC_FINDING
    };
    return all;
}

}  // namespace gsu

namespace gsu::exec {
namespace {

constexpr std::size_t kMaxWarnings = 1000;
constexpr std::size_t kNotListed = ~std::size_t{0};

}  // namespace

void Findings::add(Finding f)
{
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
    index_.try_emplace({f.line, f.rule}, result_.findings.size());
    result_.findings.push_back(std::move(f));
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
