#include "cli/replay_races.hpp"

#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/input_error.hpp"
#include "run/findings_json.hpp"

namespace gsu::cli {

const trace::Program& ReplayRaces::checked(const trace::Program& program, bool compares)
{
    if (!program.memory())
        throw InputError("--check race",
                         "the trace holds no accesses to memory: record it with gsu run --record "
                         "FILE --record-accesses");
    if (!compares)
        throw InputError("--check race",
                         fmt::format("the accesses are those of the recorded run: replay it with "
                                     "its own parameters and --unit {}",
                                     program.header.unit));
    return program;
}

ReplayRaces::ReplayRaces(const trace::Program& program, bool compares)
    : ReplayDetector{races::Detector(program.header.chip())},
      AccessReader(detector_, detector_.port()),
      program_(checked(program, compares)),
      feed_(program, [this](const std::string& text, Cycle cycle, std::uint32_t line) {
          read({text, program_.path, line}, cycle);
      })
{
    named_.path = program.header.ptxName;
}

void ReplayRaces::finish(bool whole)
{
    whole_ = whole;
    std::vector<Finding> found = detector_.takeFindings();
    if (!whole) return;
    for (Finding& f : found) {
        if (f.race) f.message += fmt::format("; {} {:#x}", f.race->space, f.race->address);
        result_.findings.push_back(std::move(f));
    }
}

nlohmann::ordered_json ReplayRaces::json() const { return run::findingsJson(result_, named_); }

std::string ReplayRaces::text() const
{
    constexpr std::size_t kShown = 20;
    if (!whole_) return "races are told of a replay that agrees with its recording only\n";
    std::string out;
    for (std::size_t i = 0; i < std::min(result_.findings.size(), kShown); ++i) {
        const Finding& f = result_.findings[i];
        out += fmt::format("{}:{}: {} {}: {} (CTA {} warp {} lanes {:#010x}, cycle {}{})\n",
                           named_.path, f.line, f.severity == Severity::Error ? "error" : "warning",
                           f.rule, f.message, f.cta, f.warp, f.lanes, f.cycle,
                           f.count > 1 ? fmt::format(", {} times", f.count) : "");
    }
    if (result_.findings.size() > kShown)
        out +=
            fmt::format("... and {}\n", counted(result_.findings.size() - kShown, "more finding"));
    return out;
}

}  // namespace gsu::cli
