// End to end, executed from PTX: stage hand-overs of a ring filled by bulk copies, hops of a token between the mbarriers of sixteen CTAs, atomics on their
// distributed shared memory.
#include <fmt/core.h>

#include "bench.hpp"
#include "exec/machine/executor.hpp"
#include "lockstep/lockstep_port.hpp"
#include "ptx/parser.hpp"
#include "verilated/rtl_port.hpp"

namespace gsu::bench {

namespace {

/// Seconds of a run; few SMs take one thread.
double once(const std::string& file, bool lockstep, unsigned threads)
{
    const LaunchSpec spec = loadLaunch(GSU_BENCH_DATA "/" + file);
    const ptx::Module module = ptx::parseFile(spec.ptx.string());
    Executor executor(spec, module, {});
    RtlPort rtl(executor.sms(), configOf(Preset::Hopper));
    rtl.setThreads(executor.sms() > 2 ? threads : 1);
    rtl.setMemory(executor.sharedMemory());
    LockstepPort follower(rtl);
    SyncPort& port = lockstep ? static_cast<SyncPort&>(follower) : rtl;
    RunResult result;
    const double took = seconds([&] { result = executor.run(port); });
    if (result.verdict != Verdict::Pass) fmt::print("  ({} did not end as expected)\n", file);
    return took;
}

/// Seconds of the best of three runs.
double run(const std::string& file, bool lockstep)
{
    double least = 1e9;
    for (int repeat = 0; repeat < 3; ++repeat) least = std::min(least, once(file, lockstep, 2));
    return least;
}

/// How much faster two threads are than one: the best of so many runs each, in turns.
double gain(const std::string& file, bool lockstep)
{
    double one = 1e9, two = 1e9;
    for (int repeat = 0; repeat < 7; ++repeat) {
        one = std::min(one, once(file, lockstep, 1));
        two = std::min(two, once(file, lockstep, 2));
    }
    return one / two;
}

}  // namespace

void measureMbarriers(std::vector<Figure>& figures)
{
    constexpr double kTiles = 4000, kHops = 16 * 500;
    constexpr double kPackets = 16 * 4 * 64 * 15;  // CTAs, warps, rounds, other CTAs
    for (const bool lockstep : {false, true}) {
        const char* unit = lockstep ? "lockstep" : "rtl";
        figures.push_back(
            {fmt::format("4-stage ring, 1 warp copies, 7 share a tile, --unit {}", unit),
             kTiles / run("pipeline_all.launch.json", lockstep), "hand-overs/s",
             lockstep ? "" : ">= 20000"});
        figures.push_back({fmt::format("4-stage ring, 4 warps copy, 4 consume, --unit {}", unit),
                           kTiles / run("pipeline_deal.launch.json", lockstep), "hand-overs/s",
                           lockstep ? "" : ">= 20000"});
        figures.push_back({fmt::format("token through 16 CTAs by remote arrive, --unit {}", unit),
                           kHops / run("token_ring.launch.json", lockstep), "hops/s",
                           lockstep ? "" : ">= 50000"});
        figures.push_back({fmt::format("16 CTAs, atom and red all to all, --unit {}", unit),
                           kPackets / run("atom_alltoall.launch.json", lockstep), "packets/s",
                           lockstep ? "" : ">= 100000"});
        figures.push_back({"the same, two threads over one",
                           gain("atom_alltoall.launch.json", lockstep), "x", ">= 1.75"});
    }
}

}  // namespace gsu::bench
