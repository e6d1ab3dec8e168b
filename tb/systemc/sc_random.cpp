// sc_random: random stimulus on a port behind the TLM target; the log must equal that of the same port driven directly.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "golden/golden_port.hpp"
#include "port_bench.hpp"
#include "random_driver.hpp"
#include "unit_port.hpp"

namespace {

/// Exercised, or a reason why the run proves too little.
std::string weakness(const gsu::DriverCounts& counts)
{
    if (counts.hung) return "the stimulus hung";
    if (counts.releases == 0) return "no barrier was released";
    if (counts.refused == 0) return "nothing was refused";
    if (counts.skipped == 0) return "no quiet time was skipped";
    return {};
}

}  // namespace

int sc_main(int argc, char** argv)
{
    CLI::App app{"Random stimulus through the TLM target, compared with the same port driven directly"};
    gsu::DriverOptions driver;
    std::string unit{"golden"};
    unsigned sms = 2;
    app.add_option("--seed", driver.seed, "Seed of all choices");
    app.add_option("--rounds", driver.rounds, "CTAs per SM")->check(CLI::Range(1u, 100000u));
    app.add_option("--stall", driver.stallPercent, "Percent of requests held back for a random time")->check(CLI::Range(0u, 100u));
    app.add_option("--sms", sms, "SMs")->check(CLI::Range(1u, gsu::kMaxSms));
    app.add_option("--unit", unit, "Port behind the target")->check(CLI::IsMember(gsu::unitNames()));
    CLI11_PARSE(app, argc, argv);

    gsu::DriverCounts counts;
    const gsu::Stimulus stimulus = [&](gsu::SyncPort& port) { counts = gsu::RandomDriver(port, driver).run(); };
    const gsu::UnitPort direct(unit, sms), wrapped(unit, sms);
    const auto expected = gsu::logOf(direct.port(), stimulus);
    gsu::TlmBench bench("bench", {.seed = driver.seed, .limit = 100'000'000}, wrapped.port(), stimulus);
    const int verdict = bench.run();
    std::string why = weakness(counts);
    if (why.empty()) why = gsu::firstDifference(expected, bench.log());
    if (why.empty() && bench.answers() != counts.requests) why = "some requests were not answered on the socket";
    fmt::print("sc_random: {} events, {} requests, {} responses, {} releases, {} cluster releases, {} refused, {} stalls, {} cycles skipped\n",
               bench.log().size(), counts.requests, counts.responses, counts.releases, counts.clusterReleases, counts.refused,
               counts.stalls, counts.skipped);
    if (!why.empty()) fmt::print(stderr, "sc_random: FAILED, seed {}: {}\n", driver.seed, why);
    return why.empty() ? verdict : 1;
}
