/// Makes kernel, launch file and expected memory of a plan. The expected memory is computed here, in plain C++ and in the order of the
/// plan; this folder includes nothing of GSU.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fuzz/plan.hpp"

namespace gsu::fuzz {

struct Built {
    std::string ptx;
    std::vector<std::uint32_t> out;           ///< expected values: per thread of the grid
    std::vector<std::uint32_t> aux, auxInit;  ///< expected and initial values; never empty
    std::uint32_t inStart{}, inStep{};
    unsigned sms{};                         ///< 0: as many as the cluster needs
    bool cooperative{};                     ///< all CTAs must be resident
    std::map<std::string, unsigned> forms;  ///< instructions in the text
    /// number of rounds by pattern; rounds without place are left out
    std::map<std::string, unsigned> patterns;
};

[[nodiscard]] Built build(const ProgramPlan& plan);
/// The launch file; `ptx` is the name of the module's file.
[[nodiscard]] std::string launchText(const ProgramPlan& plan, const Built& built,
                                     const std::string& ptx);

}  // namespace gsu::fuzz
