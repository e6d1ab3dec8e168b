// What a timing model costs (exec.timing), and whole kernels on a part of a chip.
#include <fmt/core.h>

#include "bench.hpp"
#include "exec/machine/executor.hpp"
#include "golden/golden_port.hpp"
#include "lockstep/lockstep_port.hpp"
#include "ptx/parser.hpp"
#include "verilated/rtl_port.hpp"

namespace gsu::bench {

namespace {

/// One run without matrix products; `timing`: simple or hopper.
double runSeconds(const char* name, bool lockstep, const char* timing, int repeats)
{
    const LaunchSpec spec = loadLaunch(fmt::format(GSU_BENCH_DATA "/{}.launch.json", name));
    const ptx::Module module = ptx::parseFile(spec.ptx.string());
    RunOptions options;
    options.tensor = TensorMode::Skip;
    if (const std::string error = setTiming(options.params, timing); !error.empty())
        fmt::print("  ({})\n", error);
    if (options.params.timing != Timing::Simple) options.params.of = spec.of;
    return best(repeats, [&] {
        Executor executor(spec, module, options);
        RunResult result;
        if (lockstep) {
            RtlPort rtl(executor.sms(), configOf(Preset::Hopper));
            rtl.setThreads(2);
            rtl.setMemory(executor.sharedMemory());
            LockstepPort port(rtl);
            result = executor.run(port);
        } else {
            GoldenPort golden(executor.sms());
            golden.setMemory(executor.sharedMemory());
            result = executor.run(golden);
        }
        if (!result.asExpected) fmt::print("  ({} did not end as expected)\n", name);
    });
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
