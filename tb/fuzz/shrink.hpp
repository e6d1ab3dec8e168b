/// Reduces a failing program: leaves out rounds, warps, CTAs and parameters as long as it fails in the same way.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "fuzz/build.hpp"
#include "fuzz/plan.hpp"
#include "fuzz/run_conditions.hpp"

namespace gsu::fuzz {

struct Case {
    ProgramPlan plan;
    Conditions conditions;
};

/// Result of one run.
struct Outcome {
    /// empty: as expected; else one word for the failure: mismatch, hang, divergence, replay, ...
    std::string kind;
    std::string detail;  ///< one line
    std::uint64_t cycles{}, requests{};
    /// names of all reports: rules, links that a race lacks ("race:fence"), causes of a hang ("hang:cyclic-wait")
    std::vector<std::string> names;
};

/// Runs a built program; knows GSU, which this folder does not.
using Runner = std::function<Outcome(const Case&, const Built&)>;

struct Shrunk {
    Case what;
    Outcome outcome;
    unsigned runs{};
};

/// Reduces `failing`. Pre: it ends with `outcome`, whose kind is not empty. At most `budget` runs and about that many seconds.
[[nodiscard]] Shrunk shrink(Case failing, Outcome outcome, const Runner& run, unsigned budget = 400,
                            double seconds = 60);

}  // namespace gsu::fuzz
