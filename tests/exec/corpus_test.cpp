// Every shared example whose instructions the executor and the golden port cover, under several seeds.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>

#include "catch.hpp"
#include "exec/harness.hpp"
#include "exec/mbar_port.hpp"

using namespace gsu;
using gsu::test::MbarPort;

namespace {

std::vector<std::filesystem::path> launchFiles(const std::filesystem::path& root)
{
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        if (entry.path().string().ends_with(".launch.json")) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// Rules that belong to the watcher of mbarrier life times (D-37, D-43, D-44), not to the executor.
bool needsWatcher(const LaunchSpec& spec)
{
    static const std::set<std::string> rules{"MBAR-005", "MBAR-006", "MBAR-007",
                                             "MBAR-009", "MBAR-013", "MBW-010",
                                             "MBW-019",  "MBAR-028", "RASYNC-016"};
    return std::any_of(spec.rules.begin(), spec.rules.end(),
                       [&](const std::string& r) { return rules.contains(r); });
}

}  // namespace

TEST_CASE("shared example kernels end as their launch files say", "[corpus][shared]")
{
    const char* shared = std::getenv("GSU_SHARED");
    if (shared == nullptr || !std::filesystem::exists(shared)) {
        std::cout << "SKIP: GSU_SHARED is not set, the shared example kernels were not run\n";
        return;
    }
    unsigned ran = 0, left = 0;
    for (const char* folder : {"kernels", "kernels_bad", "corpus"}) {
        for (const auto& file : launchFiles(std::filesystem::path(shared) / folder)) {
            const LaunchSpec spec = loadLaunch(file);
            const ptx::Module module = ptx::parseFile(spec.ptx);
            if (needsWatcher(spec)) {
                ++left;
                continue;
            }
            for (const std::uint64_t seed : {1, 2, 7}) {
                CAPTURE(file.string(), seed);
                RunOptions options;
                options.seed = seed;
                options.maxCycles = 5'000'000;
                Executor executor(spec, module, options);
                MbarPort port(executor.sms(), executor.sharedMemory(), seed);
                const RunResult r = executor.run(port);
                std::string text = std::string(nameOf(r.verdict)) + ' ' + r.trap;
                for (const Finding& f : r.findings)
                    text += "\n  " + f.rule + " line " + std::to_string(f.line) + ": " + f.message;
                for (const Mismatch& m : r.mismatches) {
                    text += "\n  [" + std::to_string(m.index) + "] expected " + m.expected +
                            " actual " + m.actual;
                    if (m.index > 4) break;
                }
                if (r.hang) text += "\n  " + r.hang->explanation;
                if (r.fault) text += "\n  " + r.fault->message;
                INFO(text);
                CHECK(r.asExpected);
                ++ran;
            }
        }
    }
    std::cout << "ran " << ran << " launches; " << left << " files need the mbarrier watcher\n";
    REQUIRE(ran > 30);
}
