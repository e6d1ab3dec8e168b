// A kernel does the same at the same times whatever the unit shows of its commits: runs with taps and without.
#include <cstdlib>
#include <iostream>

#include "catch.hpp"
#include "exec/machine/executor.hpp"
#include "files.hpp"
#include "golden/forwarding_port.hpp"
#include "golden/params.hpp"
#include "ptx/parser.hpp"
#include "verilated/rtl_port.hpp"

using namespace gsu;
namespace fs = std::filesystem;

namespace {

/// Hides every commit from the driver.
class Untapped final : public ForwardingPort {
public:
    using ForwardingPort::ForwardingPort;
    std::uint64_t hidden{};

private:
    void onCommit(const Commit&) override { ++hidden; }
};

std::vector<fs::path> launchesIn(const fs::path& folder)
{
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().string().ends_with(".launch.json")) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

struct Outcome {
    RunResult result;
    std::vector<MemoryContents> memory;
    std::uint64_t hidden{};
};

Outcome run(const LaunchSpec& spec, const ptx::Module& module, bool tapped, std::uint64_t seed)
{
    RunOptions options;
    options.seed = seed;
    options.maxCycles = 20'000'000;
    Executor executor(spec, module, options);
    RtlPort rtl(executor.sms(), configOf(Preset::Hopper));
    rtl.setMemory(executor.sharedMemory());
    Untapped untapped(rtl);  // takes the sink until the executor sets its own
    Outcome o;
    SyncPort& port = tapped ? static_cast<SyncPort&>(rtl) : untapped;
    o.result = executor.run(port);
    o.memory = executor.contents();
    o.hidden = untapped.hidden;
    return o;
}

void compare(const fs::path& file, std::uint64_t seed)
{
    CAPTURE(file.string(), seed);
    const LaunchSpec spec = loadLaunch(file);
    const ptx::Module module = ptx::parseFile(spec.ptx);
    const Outcome with = run(spec, module, true, seed), without = run(spec, module, false, seed);
    CHECK(without.hidden != 0);
    // Misuse is known from commits.
    if (with.result.verdict != Verdict::Misuse)
        CHECK(with.result.verdict == without.result.verdict);
    CHECK(with.result.cycles == without.result.cycles);
    CHECK(with.result.instructions == without.result.instructions);
    CHECK(with.result.mismatches.size() == without.result.mismatches.size());
    REQUIRE(with.memory.size() == without.memory.size());
    for (std::size_t i = 0; i < with.memory.size(); ++i)
        CHECK(with.memory[i].bytes == without.memory[i].bytes);
    if (spec.rules.empty()) CHECK(without.result.asExpected);
}

}  // namespace

TEST_CASE("kernels run the same on a port without taps", "[D-01]")
{
    unsigned ran = 0;
    for (const char* folder : {"/kernels", "/kernels_order"}) {
        for (const fs::path& file : launchesIn(testfiles::testsFolder() + folder)) {
            const std::string name = file.string();
            if (loadLaunchFile(file).launches.size() > 1 ||
                name.find("lock_handoff_slow") != std::string::npos)
                continue;
            compare(file, 1);
            ++ran;
        }
    }
    REQUIRE(ran > 10);
}

TEST_CASE("shared kernels run the same on a port without taps", "[D-01][shared]")
{
    const char* shared = std::getenv("GSU_SHARED");
    if (shared == nullptr || !fs::exists(shared)) {
        std::cout << "SKIP: GSU_SHARED is not set, the shared kernels were not run without taps\n";
        return;
    }
    unsigned ran = 0;
    for (const char* folder : {"kernels", "kernels_order", "corpus"})
        for (const fs::path& file : launchesIn(fs::path(shared) / folder)) {
            compare(file, 2);
            ++ran;
        }
    REQUIRE(ran > 20);
}
