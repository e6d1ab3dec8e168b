// Every shared example whose instructions the executor and the golden port cover, under several seeds.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <set>

#include "catch.hpp"
#include "exec/harness.hpp"

using namespace gsu;

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

bool needsMoreUnits(const ptx::Module& module)
{
    for (const ptx::Function& f : module.functions) {
        for (const ptx::Instruction& i : f.body) {
            if (i.opcode == "mbarrier" || i.opcode == "clusterlaunchcontrol" || i.opcode == "cp") return true;
            if (!i.modifiers.empty() && i.modifiers[0] == "async") return true;
        }
    }
    return false;
}

}  // namespace

TEST_CASE("shared example kernels end as their launch files say", "[corpus]")
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
            if (needsMoreUnits(module)) {
                ++left;
                continue;
            }
            for (const std::uint64_t seed : {1, 2, 7}) {
                CAPTURE(file.string(), seed);
                RunOptions options;
                options.seed = seed;
                options.maxCycles = 5'000'000;
                Executor executor(spec, module, options);
                GoldenPort port(executor.sms());
                const RunResult r = executor.run(port);
                std::string text = std::string(nameOf(r.verdict)) + ' ' + r.trap;
                for (const Finding& f : r.findings) text += "\n  " + f.rule + " line " + std::to_string(f.line) + ": " + f.message;
                for (const Mismatch& m : r.mismatches) {
                    text += "\n  [" + std::to_string(m.index) + "] expected " + m.expected + " actual " + m.actual;
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
    std::cout << "ran " << ran << " launches; " << left << " files need units the golden port does not have\n";
    REQUIRE(ran > 30);
}
