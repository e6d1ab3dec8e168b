// The RTL of other structures in lockstep with the golden model: random traffic at barriers, warp-wide operations and mbarriers. GSU_MODELS names the
// models, files with a colon between them.
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "catch.hpp"
#include "golden/word_memory.hpp"
#include "lively.hpp"
#include "lockstep/lockstep_port.hpp"
#include "structures.hpp"
#include "traffic/barrier_traffic.hpp"
#include "traffic/mbar_traffic.hpp"
#include "units/model.hpp"
#include "verilated/system_base.hpp"

using namespace gsu;
using namespace gsu::test;
using namespace gsu::traffic;

namespace {

std::vector<std::string> modelFiles()
{
    const char* named = std::getenv("GSU_MODELS");
    std::istringstream in(named == nullptr ? "" : named);
    std::vector<std::string> files;
    for (std::string file; std::getline(in, file, ':');) files.push_back(file);
    return files;
}

Config configFor(const Structure& has, std::uint64_t seed)
{
    Config config = configOf(seed % 2 == 0 ? Preset::Ideal : Preset::Hopper, has);
    if (seed % 3 == 0) config.mbar_policy = 1;
    return config;
}

}  // namespace

TEST_CASE("models are those of the list", "[structures]")
{
    std::vector<std::string> found;
    for (const std::string& file : modelFiles())
        found.push_back(textOf(RtlModel::load(file)->structure()));
    CHECK(found == kStructures);
}

TEST_CASE("random traffic through the RTL of other structures in lockstep",
          "[structures][D-01][D-70]")
{
    for (const std::string& file : modelFiles()) {
        const auto model = RtlModel::load(file);
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            CAPTURE(file, seed);
            RtlPort device(3, configFor(model->structure(), seed), false, model->models());
            LockstepPort port(device, {.bound = 400'000});
            BarrierTraffic stimulus(
                port,
                {.seed = seed, .sms = 3, .requests = 15'000, .warpOps = seed % 2 == 0 ? 60u : 0u});
            const BarrierStats& s = stimulus.run();
            requireInStep(port, s);
            CHECK(port.follower().debts() == 0);
            CHECK(s.generations > 20);
            CHECK(s.named[kNbErrId] > 5);
            CHECK(s.findings.wrong == "");
            std::cout << "structure " << textOf(model->structure()) << ": seed " << seed << ", "
                      << s.requests << " requests, " << s.commits << " commits, " << s.generations
                      << " generations, " << s.clusterFlips << " cluster flips\n";
        }
    }
}

TEST_CASE("mbarrier traffic through the RTL of other structures in lockstep",
          "[structures][D-01][D-70]")
{
    for (const std::string& file : modelFiles()) {
        const auto model = RtlModel::load(file);
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            CAPTURE(file, seed);
            const Config config = configFor(model->structure(), seed);
            WordMemory memory{16};
            RtlPort device(3, config, false, model->models());
            device.setMemory(memory);
            LockstepPort port(device, {.bound = 400'000, .waitLimit = config.trywait_limit});
            MbarTraffic stimulus(port, {.seed = seed, .sms = 3, .requests = 2'000});
            const MbarStats& s = stimulus.run();
            requireInStep(port, s);
            CHECK(s.freed == 6);
            CHECK(port.follower().debts() == 0);
            CHECK(s.flips > 10);
            CHECK(s.findings.wrong == "");
            std::cout << "structure " << textOf(model->structure()) << ": seed " << seed << ", "
                      << s.requests << " mbarrier requests, " << s.flips << " flips, "
                      << s.causes[unsigned(Cause::CamFull)] << " found no wait slot\n";
        }
    }
}
