/// Many programs, each run under several drawn conditions; failing programs are reduced and written to files.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/shrink.hpp"
#include "fuzz/summary.hpp"

namespace gsu::fuzz {

struct CampaignOptions {
    std::uint64_t seed{1}, from{}, programs{100};
    unsigned runs{3};  ///< runs of each program
    FeatureSet features;
    std::string out;  ///< folder for failing programs; empty: they are only named
    std::string
        resume;  ///< file with the state of a campaign: continued if it is there, kept up to date
    double seconds{};  ///< 0: no limit
    bool shrinking{true};
    Injection injection{Injection::None};
    std::string injectAt;
    std::string unit;                  ///< empty: drawn
    std::string timing;                ///< of all runs; empty: none
    std::uint32_t maxLatency{40'000};  ///< of parameters
    std::vector<Knob> knobs;
};

struct CampaignResult {
    Summary summary;
    std::uint64_t next{};      ///< first program that has not run
    std::uint64_t failures{};  ///< failures of this call
    bool stopped{};            ///< stopped by the time limit
};

/// The program `index` of a campaign (below: its conditions in run `turn`). It depends on nothing else.
[[nodiscard]] ProgramPlan programOf(const CampaignOptions& options, std::uint64_t index);
[[nodiscard]] Conditions conditionsOf(const CampaignOptions& options, const ProgramPlan& plan,
                                      std::uint64_t index, unsigned turn);

/// Runs a campaign. `tell` gets a line for each failure. Throws InputError for a file that cannot be used.
[[nodiscard]] CampaignResult campaign(const CampaignOptions& options, const Runner& run,
                                      const std::function<void(const std::string&)>& tell);

}  // namespace gsu::fuzz
