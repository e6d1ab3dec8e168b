// sc_replay: the trace replayer as a SystemC testbench, through the TLM target. Its log must equal that of the same replay without SystemC.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>

#include "base/input_error.hpp"
#include "port_testbench.hpp"
#include "trace/replayer.hpp"
#include "unit_port.hpp"

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
    std::string file, unit;
    gsu::Cycle limit{1'000'000'000};
    bool printLog{}, compare{};
};

struct Run {
    gsu::trace::ReplayResult result;
    std::vector<std::string> log;
    double seconds{};
};

gsu::Stimulus replayOf(const gsu::trace::Program& program, gsu::SharedMemory& memory,
                       const Options& options, Run& run)
{
    return [&](gsu::SyncPort& port) {
        const auto begin = Clock::now();
        gsu::trace::Replayer replayer(program, port, options.compare);
        replayer.setMemory(memory);
        run.result = replayer.run(options.limit);
        run.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    };
}

/// Why the replay through SystemC differs from what it should be; empty: it does not differ.
std::string judge(const Run& direct, const Run& wrapped)
{
    const std::string difference = gsu::firstDifference(direct.log, wrapped.log);
    if (!difference.empty()) return "through SystemC: " + difference;
    if (direct.result.cycles != wrapped.result.cycles)
        return "through SystemC the replay takes other cycles";
    if (wrapped.result.fault) return wrapped.result.fault->message;
    if (wrapped.result.limit) return "the cycle limit was reached";
    return wrapped.result.differs ? wrapped.result.difference : "";
}

int replay(const Options& options, const gsu::trace::Program& program)
{
    Run direct, wrapped;
    const std::string unit = options.unit.empty() ? program.header.unit : options.unit;
    {
        gsu::UnitPort port(unit, program.header.sms, program.header.config);
        direct.log = gsu::logOf(port.port(), replayOf(program, port.memory(), options, direct));
    }
    gsu::UnitPort port(unit, program.header.sms, program.header.config);
    gsu::TlmTestbench testbench("testbench", {.limit = options.limit + 1}, port.port(),
                                replayOf(program, port.memory(), options, wrapped));
    const int verdict = testbench.run();
    wrapped.log = testbench.log();
    if (options.printLog) fmt::print("{}\n", fmt::join(wrapped.log, "\n"));
    const std::string why = judge(direct, wrapped);
    const gsu::trace::ReplayResult& r = wrapped.result;
    fmt::print(stderr,
               "sc_replay: {}: {} cycles, {} evaluated, {} requests, {} events, {} outcomes as "
               "recorded; {:.0f} requests/s, without SystemC {:.0f}\n",
               why.empty() ? "agree" : "DIFFERS", r.cycles, testbench.target().steps(), r.requests,
               wrapped.log.size(), r.compared, double(r.requests) / wrapped.seconds,
               double(direct.result.requests) / direct.seconds);
    if (!why.empty()) fmt::print(stderr, "sc_replay: {}\n", why);
    return why.empty() ? verdict : 1;
}

}  // namespace

int sc_main(int argc, char** argv)
{
    CLI::App app{
        "Replays a trace through the SystemC TLM target: same answers and cycles as gsu replay"};
    Options options;
    app.add_option("trace", options.file, "Trace (.gsut or .gsut.zst)")->required();
    app.add_option("--unit", options.unit, "rtl, golden or lockstep; default: as recorded")
        ->check(CLI::IsMember(gsu::unitNames()));
    app.add_option("--max-cycles", options.limit, "Stop after so many cycles");
    app.add_flag("--log", options.printLog, "Print every event of the port");
    CLI11_PARSE(app, argc, argv);
    try {
        const auto program = gsu::trace::Program::load(options.file);
        options.compare = options.unit.empty() || options.unit == program.header.unit;
        return replay(options, program);
    } catch (const gsu::InputError& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 2;
    }
}
