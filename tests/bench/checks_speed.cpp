// The cost of checking: the race detector, the records that explain a hang, and how soon a hang is recognised. Pairs of runs in turns.
#include <fmt/core.h>

#include <algorithm>
#include <ctime>

#include "bench.hpp"
#include "exec/machine/executor.hpp"
#include "lockstep/lockstep_port.hpp"
#include "observers/tap_port.hpp"
#include "ptx/parser.hpp"
#include "races/detector.hpp"
#include "verilated/rtl_port.hpp"

namespace gsu::bench {

namespace {

struct Watch {
    bool races{}, explains{true};
};

/// Tells the detector where CTAs are.
class Places final : public ExecObserver {
public:
    explicit Places(PortObserver& to) : to_(to) {}
    void onPlaced(const CtaPlace& place) override { to_.onPlace(place.launch, place.linear); }

private:
    PortObserver& to_;
};

RunResult run(const LaunchSpec& spec, const ptx::Module& module, Watch watch)
{
    RunOptions options;
    options.explains = watch.explains;
    Executor executor(spec, module, options);
    RtlPort rtl(executor.sms(), configOf(Preset::Hopper));
    rtl.setThreads(1);
    rtl.setMemory(executor.sharedMemory());
    LockstepPort lockstep(rtl);
    if (!watch.races) return executor.run(lockstep);
    races::Detector detector(module);
    Places places(detector.port());
    executor.addObserver(places);
    executor.watchAccesses(detector);
    TapPort tap(lockstep);
    tap.add(detector.port());
    return executor.run(tap);
}

LaunchSpec launchOf(const std::string& name)
{
    return loadLaunch(fmt::format(GSU_BENCH_DATA "/{}.launch.json", name));
}

/// Time of this processor alone: the runs have one thread.
double processorSeconds(const std::function<void()>& work)
{
    const std::clock_t begin = std::clock();
    work();
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// Time with `more` over time with `less`: the least of several runs each, which take turns.
double ratio(const std::string& name, Watch more, Watch less)
{
    constexpr int kPairs = 7;
    const LaunchSpec spec = launchOf(name);
    const ptx::Module module = ptx::parseFile(spec.ptx.string());
    double with = 1e9, without = 1e9;
    for (int i = 0; i < kPairs; ++i) {
        RunResult result;
        without = std::min(without, processorSeconds([&] { result = run(spec, module, less); }));
        with = std::min(with, processorSeconds([&] { result = run(spec, module, more); }));
        if (result.verdict != Verdict::Pass || !result.findings.empty())
            fmt::print("  ({} did not end as expected)\n", name);
    }
    return with / without;
}

}  // namespace

void measureChecks(std::vector<Figure>& figures)
{
    struct Kernel {
        const char *name, *text, *aim;
    };
    for (const auto& [name, text, aim] :
         {Kernel{"barrier_loop", "a loop of barriers", "<= 1.5"},
          {"pipeline_all", "a ring of bulk copies", "<= 1.5"},
          {"gemm_512", "fp16 GEMM by wgmma", "<= 1.5"},
          {"attention_512", "attention by wgmma", "<= 1.5"},
          {"gemm_cp_async", "fp16 GEMM by mma and cp.async", "<= 3"},
          {"atom_alltoall", "16 CTAs, atom and red all to all", "<= 3"}})
        figures.push_back({fmt::format("--check race, {}: time over lockstep", text),
                           ratio(name, {true, true}, {false, true}), "x", aim});
    for (const auto& [name, text, aim] :
         {Kernel{"barrier_loop", "a loop of barriers", "<= 1.1"},
          {"pipeline_all", "a ring of bulk copies", "<= 1.1"},
          {"gemm_512", "fp16 GEMM by wgmma", "<= 1.1"},
          {"divergent_loop", "32 warps that split and merge", "<= 1.1"}})
        figures.push_back({fmt::format("what explains a hang, {}: time over without", text),
                           ratio(name, {false, true}, {false, false}), "x", aim});
    const LaunchSpec spec = launchOf("lost_arrival");
    const RunResult hang = run(spec, ptx::parseFile(spec.ptx.string()), {});
    const Cycle last = hang.hang && hang.hang->cause ? hang.hang->cause->cycle : 0;
    figures.push_back({"a hang on try_wait: cycles from its beginning to the verdict",
                       static_cast<double>(hang.cycles - last), "cycles", "<= 10000"});
}

}  // namespace gsu::bench
