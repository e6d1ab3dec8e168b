/// A kernel that repeats a witness: each thread of the test is a warp whose first lane executes the steps of the witness, each at its clock.
#pragma once
#include "litmus/explore.hpp"

namespace gsu::litmus {

/// Clocks of a replay.
struct Pace {
    Cycle start{8000};  ///< clock of the first step: all initialization is performed long before
    Cycle step{500};    ///< clocks from one step to the next
};

struct Kernel {
    std::string why;  ///< reason why there is no kernel; empty: there is one
    std::string ptx;
    std::string launch;  ///< its launch file, naming `ptxName`
    /// Times at which the store of a PTX line is performed towards its CTA and towards everyone.
    struct Late {
        std::uint32_t line{};
        Cycle cta{}, everyone{};
    };
    std::vector<Late> late;
    Cycle end{};  ///< approximate end
};

/// Makes a kernel of a witness. Its parameter 1 is a buffer with the values of Test::shown.
[[nodiscard]] Kernel kernelOf(const Test& test, MemoryForm form, const std::vector<Step>& steps,
                              const Pace& pace, const std::string& ptxName);

/// A kernel for a GPU, which has no clock to follow: each launch runs the test many times. Parameters: global memory and results of all
/// runs, one after the other, a seed, and a mask. Run n has the CTAs from n * ctas on. Its threads meet, each waits for a random number of
/// clocks within the mask, and executes its instructions. After the last one the values of Test::shown are written.
struct ManyKernel {
    std::string why;  ///< reason why there is no kernel; empty: there is one
    std::string ptx;
    unsigned ctas{}, cluster{}, threads{};  ///< CTAs of a run and of a cluster, threads of a CTA
    std::vector<std::int64_t> words;        ///< initial 32-bit words of a run's global memory
};
[[nodiscard]] ManyKernel manyKernelOf(const Test& test);

}  // namespace gsu::litmus
