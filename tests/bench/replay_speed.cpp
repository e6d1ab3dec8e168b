// A recorded 64-warp barrier trace: replay, lockstep and waves against a bare loop over the same Verilated object.
#include <fmt/core.h>
#include <verilated.h>

#include <array>
#include <filesystem>

#include "bench.hpp"
#include "lockstep/lockstep_port.hpp"
#include "observers/tap_port.hpp"
#include "trace/program.hpp"
#include "trace/recorder.hpp"
#include "trace/replayer.hpp"
#include "trace/writer.hpp"
#include "verilated/context.hpp"
#include "verilated/rtl_port.hpp"
#include "verilated/split_sm.hpp"

namespace gsu::bench {

namespace {

constexpr std::uint64_t kReleases = 2000;
constexpr BarrierLoop::Shape kShape{};

/// The inputs that the loop drove, ready for the pins.
struct Stimulus {
    std::vector<Cycle> at;
    std::vector<std::array<std::uint32_t, raw::SyncReq::kWords>> words;
    Cycle cycles{};
};

Stimulus record(const std::string& path, const Config& config)
{
    RtlPort rtl(1, config);
    TapPort tap(rtl);
    trace::Header header;
    header.sms = 1;
    header.unit = "rtl";
    header.config = config;
    trace::Writer writer(path, header);
    trace::Recorder recorder(writer, 1);
    tap.add(recorder);
    std::vector<BarrierLoop::Presented> presented;
    BarrierLoop loop(tap, kShape);
    loop.keep(&presented);
    loop.launch();
    loop.run(kReleases);
    loop.finish();
    writer.close();
    Stimulus stimulus;
    stimulus.cycles = rtl.now();
    for (const auto& p : presented) {
        raw::SyncReq bits;
        bits.op = p.request.op;
        bits.cta = p.request.at.cta;
        bits.warp = p.request.at.warp;
        bits.tag = p.request.tag;
        bits.lanes = p.request.lanes;
        bits.aligned = p.request.aligned;
        stimulus.at.push_back(p.at);
        stimulus.words.emplace_back();
        pack(bits, stimulus.words.back().data());
    }
    return stimulus;
}

/// The least that drives the models of an SM: inputs when due, nothing read but ready and valid.
double bareLoop(const Stimulus& stimulus, const Config& config)
{
    VerilatedContext context;
    const char* argument = "gsu";  // models ask for arguments
    context.commandArgs(1, &argument);
    enterContext(context);
    SplitSm model(&context, "sm0");
    pack(config, model.cfg_i.data());
    model.rst_ni = 0;
    model.now_i = (Cycle{1} << kTimeW) - 1;  // the cycle before 0
    model.resetClock();
    model.resetClock();
    model.rst_ni = 1;
    model.resetClock();
    Cycle now = 0;
    for (unsigned cta = 0; cta < kShape.ctas; ++cta) {
        raw::Launch launch;
        launch.cta = std::uint8_t(cta);
        launch.wbase = std::uint8_t(cta * kShape.warps);
        launch.threads = std::uint16_t(kShape.warps * 32);
        launch.ctas = 1;
        pack(launch, model.launch_i.data());
        model.launch_valid_i = 1;
        for (bool taken = false; !taken;) {
            taken = model.launch_ready_o;
            model.cycle(now++, true);
        }
    }
    model.launch_valid_i = 0;
    std::size_t next = 0;
    std::uint64_t answers = 0;
    const double time = seconds([&] {
        for (; next < stimulus.at.size() || now < stimulus.cycles; ++now) {
            const bool valid = next < stimulus.at.size() && stimulus.at[next] <= now;
            model.req_valid_i = valid;
            if (valid)
                std::copy(stimulus.words[next].begin(), stimulus.words[next].end(),
                          model.req_i.data());
            next += valid && model.req_ready_o;
            model.cycle(now, true);
            answers += model.rel_valid_o;
        }
    });
    if (answers < kReleases)
        fmt::print("  (bare loop saw {} of {} releases)\n", answers, kReleases);
    model.final();
    return time;
}

double replay(const trace::Program& program, SyncPort& port)
{
    trace::Replayer replayer(program, port, true);
    trace::ReplayResult result;
    const double time = seconds([&] { result = replayer.run(); });
    if (result.differs || result.fault) fmt::print("  (replay differs: {})\n", result.difference);
    return time;
}

}  // namespace

void measureReplay(std::vector<Figure>& figures)
{
    const auto folder = std::filesystem::temp_directory_path() / "gsu_bench";
    std::filesystem::create_directories(folder);
    const std::string path = folder / "loop.gsut";
    const Config config = configOf(Preset::Hopper);
    const Stimulus stimulus = record(path, config);
    const trace::Program program = trace::Program::load(path);
    double bare = 1e9, plain = 1e9, lockstep = 1e9, waves = 1e9;
    for (int repeat = 0; repeat < 5; ++repeat) {  // interleaved, so that noise meets all of them
        bare = std::min(bare, bareLoop(stimulus, config));
        {
            RtlPort port(1, config);
            plain = std::min(plain, replay(program, port));
        }
        {
            RtlPort rtl(1, config);
            LockstepPort port(rtl);
            lockstep = std::min(lockstep, replay(program, port));
        }
        if (repeat < 2) {
            RtlPort port(1, config);
            if (port.openWaves({.path = folder / "loop.fst"}))
                waves = std::min(waves, replay(program, port));
        }
    }
    std::filesystem::remove_all(folder);
    figures.push_back({"bare loop over the Verilated models of an SM",
                       double(stimulus.cycles) / bare, "cycles/s", ""});
    figures.push_back({"replay of the 64-warp barrier trace: time over the bare loop", plain / bare,
                       "x", "<= 1.5"});
    figures.push_back({"the same in lockstep", lockstep / bare, "x", "<= 2.5"});
    figures.push_back({"the same with FST waves", waves / bare, "x", "<= 5"});
}

}  // namespace gsu::bench
