// Ordinary programs that read and write memory (memory_bound.cu), and what memory that takes time costs.
#include <fmt/core.h>

#include "bench.hpp"
#include "exec/machine/executor.hpp"
#include "golden/golden_port.hpp"
#include "lockstep/lockstep_port.hpp"
#include "ptx/parser.hpp"
#include "verilated/rtl_port.hpp"
#include "whole_kernel.hpp"

namespace gsu::bench {

namespace {

struct Rate {
    double seconds{1e9};           ///< of the run alone: nothing is read or set up
    std::uint64_t instructions{};  ///< of warps
};

void runOnce(const LaunchSpec& spec, const ptx::Module& module, bool lockstep, Rate& best)
{
    Executor executor(spec, module, {});
    RunResult result;
    double took = 0;
    if (lockstep) {
        RtlPort rtl(executor.sms(), configOf(Preset::Hopper));
        rtl.setMemory(executor.sharedMemory());
        LockstepPort port(rtl);
        took = seconds([&] { result = executor.run(port); });
    } else {
        GoldenPort golden(executor.sms());
        golden.setMemory(executor.sharedMemory());
        took = seconds([&] { result = executor.run(golden); });
    }
    if (!result.asExpected) fmt::print("  (a kernel of memory_bound did not end as expected)\n");
    best.seconds = std::min(best.seconds, took);
    best.instructions = result.instructions;
}

}  // namespace

void measureMemory(std::vector<Figure>& figures)
{
    constexpr int kRepeats = 7;
    for (const auto& [name, text] : {std::pair{"vector_add", "vector add"},
                                     {"reduction", "reduction"},
                                     {"transpose", "transpose through shared memory"},
                                     {"histogram", "histogram in shared memory"},
                                     {"stencil", "stencil of five points"}}) {
        const LaunchSpec spec =
            loadLaunch(fmt::format(GSU_BENCH_DATA "/memory_{}.launch.json", name));
        const ptx::Module module = ptx::parseFile(spec.ptx.string());
        Rate golden, lockstep;
        for (int i = 0; i < kRepeats; ++i) {  // in turns
            runOnce(spec, module, false, golden);
            runOnce(spec, module, true, lockstep);
        }
        figures.push_back({fmt::format("{}, golden unit", text),
                           static_cast<double>(golden.instructions) / golden.seconds / 1e6,
                           "M warp instructions/s", ">= 25"});
        figures.push_back({fmt::format("{}, lockstep over golden unit", text),
                           lockstep.seconds / golden.seconds, "x", "<= 1.1"});
    }
    for (const auto& [name, text] : {std::pair{"gemm_512", "fp16 GEMM by wgmma"},
                                     {"gemm_cp_async", "fp16 GEMM by mma and cp.async"}}) {
        for (const bool lockstep : {false, true})
            figures.push_back(
                {fmt::format("{}, {}, exec.memory=weak over default", text,
                             lockstep ? "lockstep" : "golden unit"),
                 kernelSeconds(name, {lockstep, TensorMode::Skip, "simple", kRepeats,
                                      visibility::Form::Weak}) /
                     kernelSeconds(name, {lockstep, TensorMode::Skip, "simple", kRepeats}),
                 "x", "<= 2"});
    }
}

}  // namespace gsu::bench
