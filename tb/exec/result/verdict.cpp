// The verdict of a run, and whether it is the expected one.
#include "exec/result/result.hpp"

#include <algorithm>

#include "exec/result/verdict.hpp"

namespace gsu {

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
        case Verdict::Partial: return "partial";
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

}  // namespace

Verdict verdictOf(const RunResult& result, const Findings& findings, bool trapped)
{
    if (result.fault) return Verdict::Divergence;
    if (result.verdict == Verdict::Interrupted) return result.verdict;
    if (findings.misuse()) return Verdict::Misuse;
    if (trapped) return Verdict::Trap;
    if (result.hang) return Verdict::Hang;
    if (result.verdict == Verdict::Limit || result.verdict == Verdict::Partial)
        return result.verdict;
    return result.mismatches.empty() ? Verdict::Pass : Verdict::Mismatch;
}

bool asExpected(const LaunchSpec& spec, const RunResult& result, const Findings& findings)
{
    switch (spec.verdict) {
        case ExpectedVerdict::Pass:
            return result.verdict == Verdict::Pass || result.verdict == Verdict::Partial;
        case ExpectedVerdict::Trap: return result.verdict == Verdict::Trap;
        case ExpectedVerdict::Misuse:
            return result.verdict == Verdict::Misuse &&
                   (spec.rules.empty() ||
                    std::any_of(spec.rules.begin(), spec.rules.end(),
                                [&](const std::string& r) { return findings.reported(r); }));
        case ExpectedVerdict::Hang:
            return result.verdict == Verdict::Hang && hangMatches(spec.hang, *result.hang);
    }
    return false;
}

}  // namespace exec
}  // namespace gsu
