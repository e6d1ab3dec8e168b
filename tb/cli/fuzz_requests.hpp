/// gsu fuzz --requests: random requests at the port, without kernels.
#pragma once
#include <cstdint>
#include <string>

namespace gsu::cli {

struct FuzzRequestsOptions {
    std::uint64_t requests{}, seed{1}, from{};
    std::uint64_t perStream{20'000};
    std::string traffic;  ///< kinds, with commas; empty: all
    std::string unit;     ///< empty: lockstep, or golden where there is no RTL
    std::string out, resume;
    std::string record;    ///< folder for a trace and the commits of every stream
    std::string coverage;  ///< file for the cover points that were counted
    std::string model;     ///< structure of the SMs; empty: the default
    double seconds{};
    bool shrinking{true};
    std::uint64_t inject{};  ///< commit number that counts as a difference; 0: none
};

/// The exit code: 0 when no stream went wrong, 1 when one did. Throws InputError.
[[nodiscard]] int fuzzRequests(const FuzzRequestsOptions& options);

}  // namespace gsu::cli
