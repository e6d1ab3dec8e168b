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
    /// Lists them in `result`, which must outlive it.
    explicit Findings(RunResult& result) : result_(result) {}
    void add(Finding finding);
    /// Those that come are left out.
    void ignore(const std::vector<Suppression>& what);
    /// One that is complete and counted already: nothing is joined with it.
    void list(Finding finding);
    /// What the golden mbarrier unit tells beside the commit or store that is being handled.
    void note(const MbarNote& note) { notes_.push_back(note); }
    [[nodiscard]] bool noted() const noexcept { return !notes_.empty(); }
    /// The notes become findings of this place.
    void takeNotes(std::uint32_t cta, unsigned warp, Lanes lanes, std::uint32_t line, Cycle now);
    /// Of a CTA that is gone: each of a line of its own.
    void takeNotes(std::uint32_t cta, Cycle now,
                   const std::function<std::uint32_t(const MbarNote&)>& lineOf);
    /// Whether one of this rule was found, listed or not.
    [[nodiscard]] bool reported(const std::string& rule) const;
    /// Whether one of them is an error.
    [[nodiscard]] bool misuse() const;

private:
    [[nodiscard]] bool ignored(const Finding& finding);

    RunResult& result_;
    std::vector<Suppression> ignore_;
    /// By PTX line and rule (its text where it has none): place in RunResult::findings.
    std::map<std::pair<std::uint32_t, std::string>, std::size_t> index_;
    std::size_t warnings_{};  ///< in RunResult::findings
    std::vector<MbarNote> notes_;
};

}  // namespace gsu::exec
