// Findings, the comparison with what the launch file expects, the verdict.
#include <algorithm>
#include <bit>
#include <cmath>

#include "exec/launch/launch_data.hpp"
#include "exec/machine/machine.hpp"
#include "golden/findings.hpp"

namespace gsu {

const char* nameOf(HangReport::Kind kind) noexcept
{
    switch (kind) {
        case HangReport::Kind::Named: return "named";
        case HangReport::Kind::Mbarrier: return "mbarrier";
        case HangReport::Kind::Cluster: return "cluster";
        case HangReport::Kind::Warp: return "warp";
        case HangReport::Kind::Spin: return "spin";
        case HangReport::Kind::Fence: return "fence";
    }
    return "?";
}

const char* nameOf(Verdict verdict) noexcept
{
    switch (verdict) {
        case Verdict::Pass: return "pass";
        case Verdict::Mismatch: return "mismatch";
        case Verdict::Hang: return "hang";
        case Verdict::Misuse: return "misuse";
        case Verdict::Trap: return "trap";
        case Verdict::Limit: return "limit";
        case Verdict::Divergence: return "divergence";
        case Verdict::Interrupted: return "interrupted";
    }
    return "?";
}

namespace exec {
namespace {

bool hangMatches(const HangExpectation& want, const HangReport& have)
{
    for (const auto& wanted : want.waiting) {
        const auto same = [&](const HangReport::Waiting& w) {
            return w.cta == wanted.first && w.warp == wanted.second;
        };
        if (std::none_of(have.waiting.begin(), have.waiting.end(), same)) return false;
    }
    if (want.kind.empty()) return true;
    return std::any_of(have.waiting.begin(), have.waiting.end(), [&](const HangReport::Waiting& w) {
        if (want.kind != nameOf(w.kind)) return false;
        if (w.kind == HangReport::Kind::Named && want.id && *want.id != w.id) return false;
        return w.kind != HangReport::Kind::Mbarrier || !want.address || *want.address == w.address;
    });
}

constexpr std::size_t kMaxWarnings = 1000;
constexpr std::size_t kNotListed = ~std::size_t{0};

}  // namespace

void Machine::finding(Finding f)
{
    const bool warning = f.severity != Severity::Error;
    const std::size_t place =
        warning && warnings >= kMaxWarnings ? kNotListed : result.findings.size();
    const auto [at, fresh] =
        findingIndex.try_emplace({f.line, f.rule.empty() ? f.message : f.rule}, place);
    if (at->second == kNotListed) {
        ++result.warningsNotListed;
        return;
    }
    if (!fresh) {
        ++result.findings[at->second].count;
        return;
    }
    if (warning) ++warnings;
    for (ExecObserver* o : observers) o->onFinding(f);
    result.findings.push_back(std::move(f));
}

void Machine::takeNotes(const Cta* cta, unsigned warp, Lanes lanes, std::uint32_t line)
{
    for (const MbarNote& n : notes) {
        const std::optional<FindingRule> rule = findingOf(n.kind);
        if (!rule) continue;
        finding({rule->rule, rule->severity, rule->message, cta != nullptr ? cta->linear : 0, warp,
                 lanes, line, now});
    }
    notes.clear();
}

void Machine::finish()
{
    if (!result.hang && !trapped && !result.fault && result.verdict == Verdict::Pass)
        compareMemory(device, spec.expect, bufferAddress, result.mismatches);
    const bool misuse = std::any_of(result.findings.begin(), result.findings.end(),
                                    [](const Finding& f) { return f.severity == Severity::Error; });
    if (result.fault) {
        result.verdict = Verdict::Divergence;
    } else if (result.verdict == Verdict::Interrupted) {
        return;  // nothing was expected of half a run
    } else if (misuse) {
        result.verdict = Verdict::Misuse;
    } else if (trapped) {
        result.verdict = Verdict::Trap;
    } else if (result.hang) {
        result.verdict = Verdict::Hang;
    } else if (result.verdict != Verdict::Limit) {
        result.verdict = result.mismatches.empty() ? Verdict::Pass : Verdict::Mismatch;
    }
    const auto reported = [&](const std::string& rule) {
        return std::any_of(findingIndex.begin(), findingIndex.end(),
                           [&](const auto& entry) { return entry.first.second == rule; });
    };
    switch (spec.verdict) {
        case ExpectedVerdict::Pass: result.asExpected = result.verdict == Verdict::Pass; break;
        case ExpectedVerdict::Trap: result.asExpected = result.verdict == Verdict::Trap; break;
        case ExpectedVerdict::Misuse:
            result.asExpected =
                result.verdict == Verdict::Misuse &&
                (spec.rules.empty() || std::any_of(spec.rules.begin(), spec.rules.end(), reported));
            break;
        case ExpectedVerdict::Hang:
            result.asExpected =
                result.verdict == Verdict::Hang && hangMatches(spec.hang, *result.hang);
            break;
    }
}

}  // namespace exec
}  // namespace gsu
