// The test program under `gsu exec`.
#pragma once
#include <string>

#include "cli/gsu_process.hpp"

namespace program {

inline std::string file(const std::string& name)
{
    return testfiles::testsFolder() + "/cuda/data/" + name + ".fatbin";
}

/// With a scenario, on a fat binary of tests/cuda/data.
inline process::Outcome exec(const std::string& scenario,
                             const std::string& options = "--unit golden",
                             const std::string& binary = "kernels_size")
{
    return process::runGsu("exec " + options + " -- '" GSU_CUDA_PROGRAM "' '" + file(binary) +
                           "' " + scenario);
}

inline bool has(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

}  // namespace program
