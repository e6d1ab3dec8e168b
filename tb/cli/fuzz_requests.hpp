/// gsu fuzz --requests: random requests at the port, without kernels.
#pragma once
#include <cstdint>
#include <string>

namespace gsu::cli {

struct FuzzRequestsOptions {
    std::uint64_t requests{}, seed{1}, from{};
    std::uint64_t perStream{20'000};
    std::string traffic;  ///< kinds, with commas; empty: all
    std::string unit;     ///< empty: lockstep, or golden without RTL
    std::string out, resume;
    std::string record;    ///< folder for a trace and the commits of every stream
    std::string coverage;  ///< file for the counted cover points
    std::string model;     ///< structure of the SMs; empty: the default
    double seconds{};
    bool shrinking{true};
    std::uint64_t inject{};  ///< number of the commit that counts as a difference; 0: none
};

/// Runs the command. Returns the exit code: 0 if no stream failed, else 1. Throws InputError.
[[nodiscard]] int fuzzRequests(const FuzzRequestsOptions& options);

}  // namespace gsu::cli
