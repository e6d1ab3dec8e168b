/// `gsu exec`: a program as it is, with the stand-ins of the CUDA libraries in front of the vendor's.
#pragma once
#include <string>
#include <vector>

#include "run/exec_settings.hpp"

namespace gsu::cli {

using namespace run;

struct ExecCall {
    ExecSettings settings;
    std::vector<std::string> command;  ///< the program and its arguments
};

/// Runs the program. Returns its exit code, or 128 + its signal; if that is 0: 1 for findings and failed launches, 3 for an error of GSU.
[[nodiscard]] int exec(const ExecCall& call);

}  // namespace gsu::cli
