/// The findings of a run: one entry per PTX line and rule, every error, the first thousand warnings.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "exec/result/result.hpp"
#include "exec/settings/run_options.hpp"
#include "golden/mbarrier_unit.hpp"

namespace gsu::exec {

class Findings {
public:
    /// A list of findings in `result`, which must outlive it.
    explicit Findings(RunResult& result) : result_(result) {}
    void add(Finding finding);
    /// Sets the findings to ignore.
    void ignore(const std::vector<Suppression>& what);
    /// Adds a finding that is complete and counted: it is not merged with others.
    void list(Finding finding);
    /// Takes a remark of the golden mbarrier unit on the commit or store that is being handled.
    void note(const MbarNote& note) { notes_.push_back(note); }
    [[nodiscard]] bool noted() const noexcept { return !notes_.empty(); }
    /// Whether a remark of this kind is there that no finding has been made of yet.
    [[nodiscard]] bool noted(MbarNote::Kind kind) const noexcept;
    /// Makes findings of this place from the remarks.
    void takeNotes(std::uint32_t cta, unsigned warp, Lanes lanes, std::uint32_t line, Cycle now);
    /// Makes findings of a CTA that is gone, each with a line of its own.
    void takeNotes(std::uint32_t cta, Cycle now,
                   const std::function<std::uint32_t(const MbarNote&)>& lineOf);
    /// Whether a finding of this rule was reported, listed or not.
    [[nodiscard]] bool reported(const std::string& rule) const;
    /// Whether a finding is an error.
    [[nodiscard]] bool misuse() const;

private:
    [[nodiscard]] bool ignored(const Finding& finding);

    RunResult& result_;
    std::vector<Suppression> ignore_;
    /// Index in RunResult::findings by PTX line and rule (its text if it has none).
    std::map<std::pair<std::uint32_t, std::string>, std::size_t> index_;
    std::size_t warnings_{};  ///< number of warnings in RunResult::findings
    std::vector<MbarNote> notes_;
};

}  // namespace gsu::exec
