// The verdict of a run, and whether it is the expected one.
#include "exec/result/result.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// What of the hang that the launch file expects is not so; empty: all is.
std::string unmetOf(const HangExpectation& want, const HangReport& have)
{
    for (const auto& wanted : want.waiting) {
        const auto same = [&](const HangReport::Waiting& w) {
            return w.cta == wanted.first && w.warp == wanted.second;
        };
        if (std::none_of(have.waiting.begin(), have.waiting.end(), same))
            return fmt::format("CTA {} warp {} waits", wanted.first, wanted.second);
    }
    if (want.kind.empty()) return {};
    const bool there =
        std::any_of(have.waiting.begin(), have.waiting.end(), [&](const HangReport::Waiting& w) {
            if (want.kind != nameOf(w.kind)) return false;
            if (w.kind == HangReport::Kind::Named && want.id && *want.id != w.id) return false;
            return w.kind != HangReport::Kind::Mbarrier || !want.address ||
                   *want.address == w.address;
        });
    if (there) return {};
    return fmt::format("a warp waits on \"{}\"{}{}", want.kind,
                       want.id ? fmt::format(", id {}", *want.id) : "",
                       want.address ? fmt::format(", address {}", *want.address) : "");
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

std::string unmetOf(const LaunchSpec& spec, const RunResult& result, const Findings& findings)
{
    const auto other = [](Verdict wanted) { return fmt::format("verdict {}", nameOf(wanted)); };
    switch (spec.verdict) {
        case ExpectedVerdict::Pass:
            return result.verdict == Verdict::Pass || result.verdict == Verdict::Partial
                       ? std::string{}
                       : other(Verdict::Pass);
        case ExpectedVerdict::Trap:
            return result.verdict == Verdict::Trap ? std::string{} : other(Verdict::Trap);
        case ExpectedVerdict::Misuse:
            if (result.verdict != Verdict::Misuse) return other(Verdict::Misuse);
            if (spec.rules.empty() ||
                std::any_of(spec.rules.begin(), spec.rules.end(),
                            [&](const std::string& r) { return findings.reported(r); }))
                return {};
            return fmt::format("a finding of {}", fmt::join(spec.rules, " or "));
        case ExpectedVerdict::Hang:
            return result.verdict == Verdict::Hang ? unmetOf(spec.hang, *result.hang)
                                                   : other(Verdict::Hang);
    }
    return "?";
}

}  // namespace exec
}  // namespace gsu
