// The cost of a timing model (exec.timing), and whole kernels on a part of a chip.
#include <fmt/core.h>

#include "bench.hpp"
#include "whole_kernel.hpp"

namespace gsu::bench {

namespace {

/// Without matrix products, whose time is the same under every timing.
double runSeconds(const char* name, bool lockstep, const char* timing, int repeats)
{
    return kernelSeconds(name, {lockstep, TensorMode::Skip, timing, repeats});
}

}  // namespace

void measureTiming(std::vector<Figure>& figures)
{
    struct Row {
        const char *name, *text, *aim;
    };
    for (const auto& [name, text, aim] :
         {Row{"gemm_512", "fp16 GEMM 512 x 512 x 512", "<= 1.25"},
          {"attention_512", "attention forward, 1 head, 512 x 512, d 64", "<= 1.25"},
          {"convergent_loop", "a loop of arithmetic, 32 warps", "<= 2"}}) {
        for (const bool lockstep : {false, true})
            figures.push_back(
                {fmt::format("{}, {}, --timing hopper over simple", text,
                             lockstep ? "lockstep" : "golden unit"),
                 runSeconds(name, lockstep, "hopper", 7) / runSeconds(name, lockstep, "simple", 7),
                 "x", aim});
    }
    figures.push_back({"GEMM 4096 x 4096 x 4096, --of 132, lockstep",
                       runSeconds("gemm_4096", true, "hopper", 1), "s", "<= 10"});
    figures.push_back({"attention B4 H16 S8192 d 64, --of 132, lockstep",
                       runSeconds("attention_8192", true, "hopper", 1), "s", "<= 60"});
}

}  // namespace gsu::bench
