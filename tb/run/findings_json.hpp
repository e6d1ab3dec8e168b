/// Findings as JSON, as SARIF, and what of them was left out.
#pragma once
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "exec/result/result.hpp"
#include "exec/settings/run_options.hpp"
#include "ptx/ast.hpp"

namespace gsu::run {

/// Each with its rule, place and who did it; where the rule says so, what it says and how to fix the kernel; with line information the source's line.
[[nodiscard]] nlohmann::ordered_json findingsJson(const RunResult& result,
                                                  const ptx::Module& module);
/// The source's file and line of a PTX line; no file: the module does not say.
[[nodiscard]] std::pair<std::string, std::uint32_t> sourceOf(const ptx::Module& module,
                                                             std::uint32_t line);

/// A log of SARIF 2.1.0 with these findings (of findingsJson) and causes of hangs (of hangJson).
[[nodiscard]] nlohmann::ordered_json sarifOf(const nlohmann::ordered_json& findings,
                                             const nlohmann::ordered_json& hangs);
/// Writes it. Throws InputError.
void writeSarif(const std::string& path, const nlohmann::ordered_json& findings,
                const nlohmann::ordered_json& hangs);

/// "RULE" or "RULE@LINE".
[[nodiscard]] std::string textOf(const Suppression& suppression);

/// How often each --ignore took a finding.
class IgnoredCounts {
public:
    explicit IgnoredCounts(std::vector<Suppression> what)
        : what_(std::move(what)), counts_(what_.size())
    {
    }
    /// Those of one launch (RunResult::ignored).
    void add(const std::vector<std::uint64_t>& counts);
    /// "ignored" and "unused_ignores", if there are any.
    void addTo(nlohmann::ordered_json& out) const;
    [[nodiscard]] std::string text() const;

private:
    std::vector<Suppression> what_;
    std::vector<std::uint64_t> counts_;
};

/// Warnings that were shown: launches of one kernel repeat them.
class ShownWarnings {
public:
    /// The first of this kernel, rule and line.
    bool first(const std::string& kernel, const Finding& finding)
    {
        return shown_
            .insert({kernel, finding.rule.empty() ? finding.message : finding.rule, finding.line})
            .second;
    }

private:
    std::set<std::tuple<std::string, std::string, std::uint32_t>> shown_;
};

}  // namespace gsu::run
