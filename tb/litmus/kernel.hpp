/// A kernel that repeats a witness: each thread of the test is a warp whose first lane executes the steps of the witness, each at its clock.
#pragma once
#include "litmus/explore.hpp"

namespace gsu::litmus {

/// Clocks of a replay.
struct Pace {
    Cycle start{8000};  ///< of the first step: everything that initializes is performed long before
    Cycle step{500};    ///< from one step to the next
};

struct Kernel {
    std::string why;  ///< not empty: there is no kernel, because ...
    std::string ptx;
    std::string launch;  ///< its launch file, naming `ptxName`
    /// When the store of a PTX line is performed towards its CTA and towards everyone.
    struct Late {
        std::uint32_t line{};
        Cycle cta{}, everyone{};
    };
    std::vector<Late> late;
    Cycle end{};  ///< about when it ends
};

/// Parameter 1 of the kernel is a buffer that holds the values of Test::shown.
[[nodiscard]] Kernel kernelOf(const Test& test, MemoryForm form, const std::vector<Step>& steps,
                              const Pace& pace, const std::string& ptxName);

/// A kernel for a GPU, which has no clock to follow: each launch runs the test many times. Parameters: global memory and results of all runs, one
/// after the other, a seed, and a mask. Run n is that of CTAs n * ctas and up. Its threads meet, each waits for a random number of clocks within the
/// mask, and executes its instructions; when all have, the values of Test::shown are written.
struct ManyKernel {
    std::string why;  ///< not empty: there is no kernel, because ...
    std::string ptx;
    unsigned ctas{}, cluster{}, threads{};  ///< CTAs of a run and of a cluster, threads of a CTA
    std::vector<std::int64_t> words;        ///< initial 32-bit words of a run's global memory
};
[[nodiscard]] ManyKernel manyKernelOf(const Test& test);

}  // namespace gsu::litmus
