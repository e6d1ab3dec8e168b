#include "whole_kernel.hpp"

#include <fmt/core.h>

#include "bench.hpp"
#include "exec/machine/executor.hpp"
#include "golden/golden_port.hpp"
#include "lockstep/lockstep_port.hpp"
#include "ptx/parser.hpp"
#include "verilated/rtl_port.hpp"

namespace gsu::bench {

double kernelSeconds(const char* name, const WholeRun& run)
{
    const LaunchSpec spec = loadLaunch(fmt::format(GSU_BENCH_DATA "/{}.launch.json", name));
    const ptx::Module module = ptx::parseFile(spec.ptx.string());
    RunOptions options;
    options.tensor = run.tensor;
    options.params.memory = static_cast<std::uint32_t>(run.memory);
    if (const std::string error = setTiming(options.params, run.timing); !error.empty())
        fmt::print("  ({})\n", error);
    if (options.params.timing != Timing::Simple) options.params.of = spec.of;
    return best(run.repeats, [&] {
        Executor executor(spec, module, options);
        RunResult result;
        if (run.lockstep) {
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

}  // namespace gsu::bench
