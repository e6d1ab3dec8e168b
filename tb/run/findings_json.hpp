/// Findings as JSON and as SARIF, and counts of ignored ones.
#pragma once
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "exec/result/result.hpp"
#include "exec/settings/run_options.hpp"
#include "ptx/ast.hpp"

namespace gsu::run {

/// The findings as JSON, each with its rule, place and lanes; with the statement and the fix of the rule, if the rule has them; with line
/// information the line of the source.
[[nodiscard]] nlohmann::ordered_json findingsJson(const RunResult& result,
                                                  const ptx::Module& module);
/// The source's file and line of a PTX line; no file: the module does not say.
[[nodiscard]] std::pair<std::string, std::uint32_t> sourceOf(const ptx::Module& module,
                                                             std::uint32_t line);

/// A log of SARIF 2.1.0 with these findings (of findingsJson) and causes of hangs (of hangJson).
[[nodiscard]] nlohmann::ordered_json sarifOf(const nlohmann::ordered_json& findings,
                                             const nlohmann::ordered_json& hangs);
/// Writes the log to a file. Throws InputError.
void writeSarif(const std::string& path, const nlohmann::ordered_json& findings,
                const nlohmann::ordered_json& hangs);

/// "RULE" or "RULE@LINE".
[[nodiscard]] std::string textOf(const Suppression& suppression);

/// How many findings each --ignore took.
class IgnoredCounts {
public:
    explicit IgnoredCounts(std::vector<Suppression> what)
        : what_(std::move(what)), counts_(what_.size())
    {
    }
    /// Adds the counts of one launch (RunResult::ignored).
    void add(const std::vector<std::uint64_t>& counts);
    /// Adds "ignored" and "unused_ignores", if there are any.
    void addTo(nlohmann::ordered_json& out) const;
    [[nodiscard]] std::string text() const;

private:
    std::vector<Suppression> what_;
    std::vector<std::uint64_t> counts_;
};

/// The warnings that were shown: several launches of one kernel repeat them.
class ShownWarnings {
public:
    /// True for the first warning of this kernel, rule and line.
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
