/// Makes kernel, launch file and expected memory of a plan. What is expected is computed here, in plain C++ and in the order of
/// the plan; nothing of GSU is included by this folder.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fuzz/plan.hpp"

namespace gsu::fuzz {

struct Built {
    std::string ptx;
    std::vector<std::uint32_t> out;           ///< expected: per thread of the grid
    std::vector<std::uint32_t> aux, auxInit;  ///< expected, at first; never empty
    std::uint32_t inStart{}, inStep{};
    unsigned sms{};                            ///< 0: as many as the cluster needs
    bool cooperative{};                        ///< all CTAs are to be resident
    std::map<std::string, unsigned> forms;     ///< instructions in the text
    std::map<std::string, unsigned> patterns;  ///< rounds made; those without place are left out
};

[[nodiscard]] Built build(const ProgramPlan& plan);
/// The launch file; `ptx` is the name of the module beside it.
[[nodiscard]] std::string launchText(const ProgramPlan& plan, const Built& built,
                                     const std::string& ptx);

}  // namespace gsu::fuzz
