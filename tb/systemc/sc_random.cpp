// sc_random: random stimulus on a port through the TLM target; the log must equal that of the same port driven directly.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <map>

#include "fault_injecting_port.hpp"
#include "observers/tap_port.hpp"
#include "port_testbench.hpp"
#include "random_driver.hpp"
#include "trace/recorder.hpp"
#include "unit_port.hpp"

namespace {

/// A reason why the run proves too little; empty: it exercised enough.
std::string weakness(const gsu::DriverCounts& counts)
{
    if (counts.hung) return "the stimulus hung";
    if (counts.releases == 0) return "no barrier was released";
    if (counts.refused == 0) return "nothing was refused";
    if (counts.skipped == 0) return "no quiet time was skipped";
    return {};
}

/// The stimulus without SystemC, recorded as a trace if a path is given.
std::vector<std::string> directLog(const std::string& unit, unsigned sms,
                                   const gsu::Stimulus& stimulus, const std::string& path)
{
    const gsu::UnitPort direct(unit, sms);
    if (path.empty()) return gsu::logOf(direct.port(), stimulus);
    gsu::trace::Header header;
    header.unit = unit;
    header.config = gsu::configOf(gsu::Preset::Hopper);
    header.sms = sms;
    gsu::trace::Writer writer(path, header);
    gsu::trace::Recorder recorder(writer, sms);
    gsu::TapPort tapped(direct.port());
    tapped.add(recorder);
    auto log = gsu::logOf(tapped, stimulus);
    tapped.finish();
    writer.close();
    return log;
}

struct Options {
    gsu::DriverOptions driver;
    std::string unit{"golden"}, record;
    unsigned sms = 2;
    gsu::FaultInjectingPort::How how = gsu::FaultInjectingPort::How::Nothing;
};

void addTo(CLI::App& app, Options& o)
{
    const std::map<std::string, gsu::FaultInjectingPort::How> hows{
        {"drop", gsu::FaultInjectingPort::How::Drop},
        {"delay", gsu::FaultInjectingPort::How::Delay}};
    app.add_option("--seed", o.driver.seed, "Seed of all choices");
    app.add_option("--rounds", o.driver.rounds, "CTAs per SM")->check(CLI::Range(1u, 100000u));
    app.add_option("--stall", o.driver.stallPercent,
                   "Percent of requests held back for a random time")
        ->check(CLI::Range(0u, 100u));
    app.add_option("--sms", o.sms, "SMs")->check(CLI::Range(1u, gsu::kMaxSms));
    app.add_option("--unit", o.unit, "Port behind the target")
        ->check(CLI::IsMember(gsu::unitNames()));
    app.add_option("--record", o.record, "Also write the run as a trace");
    app.add_option("--break", o.how, "Lose or delay one commit: the testbench must fail")
        ->transform(CLI::CheckedTransformer(hows));
}

}  // namespace

int sc_main(int argc, char** argv)
{
    CLI::App app{
        "Random stimulus through the TLM target, compared with the same port driven directly"};
    Options options;
    addTo(app, options);
    CLI11_PARSE(app, argc, argv);
    const auto& [driver, unit, record, sms, how] = options;

    gsu::DriverCounts counts;
    const gsu::Stimulus stimulus = [&](gsu::SyncPort& port) {
        counts = gsu::RandomDriver(port, driver).run();
    };
    // The runs follow each other: two RtlPorts at the same time would share Verilator's notion of the thread's context.
    const auto expected = directLog(unit, sms, stimulus, record);
    const gsu::UnitPort wrapped(unit, sms);
    gsu::FaultInjectingPort meddled(wrapped.port(), how);
    gsu::TlmTestbench testbench("testbench", {.seed = driver.seed, .limit = 100'000'000}, meddled,
                                stimulus);
    const int verdict = testbench.run();
    std::string why = weakness(counts);
    if (why.empty()) why = gsu::firstDifference(expected, testbench.log());
    if (why.empty() && testbench.answers() != counts.requests)
        why = "some requests were not answered on the socket";
    fmt::print("sc_random: {} events, {} requests, {} responses, {} releases, {} cluster releases, "
               "{} refused, {} stalls, {} cycles skipped\n",
               testbench.log().size(), counts.requests, counts.responses, counts.releases,
               counts.clusterReleases, counts.refused, counts.stalls, counts.skipped);
    if (!why.empty()) fmt::print(stderr, "sc_random: FAILED, seed {}: {}\n", driver.seed, why);
    return why.empty() ? verdict : 1;
}
