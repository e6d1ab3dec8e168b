// End to end: a kernel of 32 warps, 1000 iterations of four ALU instructions and one barrier, executed from its PTX.
#include <fmt/core.h>

#include "bench.hpp"
#include "exec/machine/executor.hpp"
#include "golden/golden_port.hpp"
#include "lockstep/lockstep_port.hpp"
#include "ptx/parser.hpp"
#include "verilated/rtl_port.hpp"

namespace gsu::bench {

namespace {

constexpr double kEpisodes = 1000;

double run(const LaunchSpec& spec, const ptx::Module& module, const std::string& unit)
{
    double least = 1e9;
    for (int repeat = 0; repeat < 3; ++repeat) {
        Executor executor(spec, module, {});
        RtlPort rtl(executor.sms(), configOf(Preset::Hopper));
        rtl.setThreads(executor.sms() > 2 ? 2 : 1);
        rtl.setMemory(executor.sharedMemory());
        GoldenPort golden(executor.sms());
        LockstepPort lockstep(rtl);
        SyncPort& port = unit == "rtl"      ? static_cast<SyncPort&>(rtl)
                         : unit == "golden" ? static_cast<SyncPort&>(golden)
                                            : lockstep;
        RunResult result;
        least = std::min(least, seconds([&] { result = executor.run(port); }));
        if (result.verdict != Verdict::Pass)
            fmt::print("  (kernel did not end as expected with --unit {})\n", unit);
    }
    return least;
}

/// Counts the instructions of all threads.
class ThreadInstructions final : public ExecObserver {
public:
    void onIssue(Cycle, WarpRef, std::uint32_t, Lanes lanes) override
    {
        count += static_cast<std::uint64_t>(__builtin_popcount(lanes));
    }
    [[nodiscard]] bool wantsIssue() const override { return true; }
    std::uint64_t count{};
};

/// Thread instructions per second on the golden unit.
double threadRate(const std::string& name)
{
    const LaunchSpec spec = loadLaunch(GSU_BENCH_DATA "/" + name + ".launch.json");
    const ptx::Module module = ptx::parseFile(spec.ptx.string());
    Executor counted(spec, module, {});
    ThreadInstructions instructions;
    counted.addObserver(instructions);
    GoldenPort port(counted.sms());
    static_cast<void>(counted.run(port));
    return static_cast<double>(instructions.count) / run(spec, module, "golden");
}

}  // namespace

void measureKernel(std::vector<Figure>& figures)
{
    const LaunchSpec spec = loadLaunch(GSU_BENCH_DATA "/barrier_loop.launch.json");
    const ptx::Module module = ptx::parseFile(spec.ptx.string());
    for (const auto& [unit, target] :
         {std::pair{"rtl", ">= 10000"}, {"lockstep", ">= 5000"}, {"golden", ""}})
        figures.push_back({fmt::format("kernel, 32 warps x 1000 barriers, --unit {}", unit),
                           kEpisodes / run(spec, module, unit), "episodes/s", target});
    figures.push_back({"executor, 32 warps without divergence", threadRate("convergent_loop") / 1e6,
                       "M thread instructions/s", ">= 50"});
    figures.push_back({"executor, 32 warps that split and merge",
                       threadRate("divergent_loop") / 1e6, "M thread instructions/s", ">= 10"});
}

}  // namespace gsu::bench
