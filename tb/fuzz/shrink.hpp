/// Makes a failing program small: leaves out rounds, warps, CTAs and parameters as long as it fails in the same way.
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

/// What one run came to.
struct Outcome {
    std::string
        kind;  ///< empty: as expected; else in a word what is wrong: mismatch, hang, divergence, replay, ...
    std::string detail;  ///< one line
    std::uint64_t cycles{}, requests{};
    std::vector<std::string>
        names;  ///< of all that was found: rules, what a race lacks ("race:fence"), causes of a hang ("hang:cyclic-wait")
};

/// Runs a built program; knows GSU, which this folder does not.
using Runner = std::function<Outcome(const Case&, const Built&)>;

struct Shrunk {
    Case what;
    Outcome outcome;
    unsigned runs{};
};

/// Pre: `failing` ends with `outcome`, whose kind is not empty. At most `budget` runs and about so many seconds.
[[nodiscard]] Shrunk shrink(Case failing, Outcome outcome, const Runner& run, unsigned budget = 400,
                            double seconds = 60);

}  // namespace gsu::fuzz
