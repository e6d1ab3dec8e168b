// gsu_exec_workload: what the profile of the executor is made from (GSU_PROFILE, scripts/cmake/GsuProfile.cmake). Runs kernels of the benchmark on the golden
// unit while the project is built: barriers, rings of mbarriers, a token between clusters, loops with and without divergence.
#include <cstdio>
#include <exception>
#include <string>

#include "exec/launch/launch_spec.hpp"
#include "exec/machine/executor.hpp"
#include "golden/golden_port.hpp"
#include "ptx/parser.hpp"

int main()
{
    try {
        for (const char* kernel : {"barrier_loop", "pipeline_all", "pipeline_deal", "token_ring",
                                   "convergent_loop", "divergent_loop"}) {
            const gsu::LaunchSpec spec =
                gsu::loadLaunch(std::string(GSU_WORKLOAD_KERNELS "/") + kernel + ".launch.json");
            const gsu::ptx::Module module = gsu::ptx::parseFile(spec.ptx.string());
            gsu::Executor executor(spec, module, {});
            gsu::GoldenPort port(executor.sms());
            if (executor.run(port).verdict != gsu::Verdict::Pass) {
                std::fprintf(stderr, "%s does not end as it should\n", kernel);
                return 1;
            }
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
